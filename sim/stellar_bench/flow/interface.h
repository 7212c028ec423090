// The narrow C interface of the flow table's harness; mirrored by abi.py, which says what each member
// means.
#pragma once
#include <cstdint>

extern "C" {

struct Batch {
    uint64_t commands;
    const uint8_t* ops;
    const uint32_t* slots;
    const uint32_t* keys;
    const uint32_t* actions;
    const uint64_t* presets;
    uint64_t seed, idle, gap, stall_answer, stall_event, account;
    uint64_t ageing, learning, learn_action;
    uint64_t start, tick, timeout, quiet;
};

struct AnswerTimes {
    uint64_t offered, taken, valid, given;
};
struct EventTimes {
    uint64_t valid, given;
};
struct Accounted {
    uint64_t cycle;
    uint32_t flow, generation, bytes, key;
};

struct Results {
    const AnswerTimes* answer_times;
    const uint8_t* answer_rows;
    const EventTimes* event_times;
    const uint8_t* event_rows;
    const Accounted* accounted;
    uint64_t answers, events, accounts;
    uint64_t cycles, lookups, hits, refused, stale, unlearned, stashes, present, stashed;
};

struct Fault {
    uint32_t kind, stream;
    uint64_t key, command, expected, found, cycle;
    char text[256];
};

}  // extern "C"

enum Kind : uint32_t {
    NONE, HANG, EXTRA, APART, WITHDRAWN, CHANGED, LATENCY_OFF, UNCLEAN, MISSED, FOUND, WRONG, REVIVED,
    UNREPORTED, UNKNOWN, READY, MODEL, STASHED
};
enum StreamId : uint32_t { REQUEST, RESULT, ACCOUNT, COMMAND, ANSWER, EVENT };
enum Op : uint8_t { INSERT, DELETE, UPDATE, READ, READ_SLOT, CLEAR };
enum Status : uint8_t { OK, UPDATED, FULL, NOT_FOUND, INVALID };
enum EventKind : uint8_t { AGED, LEARNED };
