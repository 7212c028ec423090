// The narrow C interface of the harness; mirrored by abi.py, which says what each member means.
#pragma once
#include <cstdint>

extern "C" {

struct Batch {
    uint64_t frames;
    const uint8_t* bytes;
    const uint64_t* starts;
    const uint8_t* errors;
    const uint64_t* metas;
    const uint64_t* marks;
    uint64_t seed, idle, stall[3], timeout, drain;
};

struct Results {
    uint8_t* headers;
    uint8_t* trailers;
    uint64_t (*times)[6];
    uint64_t cycles, taken, packets, header_records, trailer_records;
};

struct Fault {
    uint32_t kind, stream;
    uint64_t frame, byte, expected, found, cycle;
    char text[256];
};

}  // extern "C"

enum Kind : uint32_t {
    NONE, HANG, EXTRA, EARLY, WITHDRAWN, CHANGED, DATA, KEEP, LAST, ERROR, META, MODEL
};
enum StreamId : uint32_t { I, O, HEADER, TRAILER };
enum Time { FIRST_TAKEN, MARK_TAKEN, LAST_TAKEN, HEADER_VALID, TRAILER_VALID, PACKET_GIVEN };
