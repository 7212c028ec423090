// One batch of frames through the parser: drives its four streams and checks everything that needs
// no knowledge of what a record means. Cycles are counted from the start of the batch.
//
// A packet's payload is, from the least significant bit: data, keep, last, error, meta.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "Vdut.h"
#include "bits.h"
#include "held.h"
#include "interface.h"
#include "random.h"

static_assert(META_BITS <= 64 && WIDTH <= 64, "meta and keep are handled as one 64-bit word");
constexpr unsigned KEEP_AT = 8 * WIDTH, LAST_AT = KEEP_AT + WIDTH, ERROR_AT = LAST_AT + 1;
constexpr unsigned META_AT = ERROR_AT + 1, PACKET_BITS = META_AT + META_BITS;

using Packet = Bits<PACKET_BITS>;

struct Stop : Fault {};

[[noreturn]] void stop(Kind kind, StreamId stream, uint64_t frame, uint64_t byte = 0,
                       uint64_t expected = 0, uint64_t found = 0) {
    Stop fault{};
    fault.kind = kind, fault.stream = stream, fault.frame = frame, fault.byte = byte;
    fault.expected = expected, fault.found = found;
    throw fault;
}

inline void keep_to(Broken broken, StreamId id, uint64_t frame) {
    if (broken != Broken::NOT) stop(broken == Broken::CHANGED ? CHANGED : WITHDRAWN, id, frame);
}

// A place in the batch: frame, and bytes of it that are behind us.
struct Place {
    uint64_t frame = 0, byte = 0;
    bool operator<(const Place& other) const {
        return frame != other.frame ? frame < other.frame : byte < other.byte;
    }
};

class Run {
    Vdut& top;
    const Batch& in;
    Results& out;
    Random random[4];
    Packet beat;
    unsigned beat_bytes = 0;
    Place taken, given;
    Held<PACKET_BITS> held_packet;
    Held<HEADER_BITS> held_header;
    Held<TRAILER_BITS> held_trailer;
    bool seen_header = false, seen_trailer = false;

  public:
    Run(Vdut& top, const Batch& in, Results& out)
        : top(top), in(in), out(out),
          random{{in.seed, I}, {in.seed, O}, {in.seed, HEADER}, {in.seed, TRAILER}} {}

    bool done() const {
        return taken.frame == in.frames && out.packets == in.frames &&
               out.header_records == in.frames && out.trailer_records == in.frames;
    }
    // Inputs of one cycle. `draining`: everything is taken, so that leftovers show.
    void drive(bool draining) {
        if (accepted || !top.i_valid) offer();
        accepted = false;
        top.o_ready = draining || !random[O].hit(in.stall[0]);
        top.header_ready = draining || !random[HEADER].hit(in.stall[1]);
        top.trailer_ready = draining || !random[TRAILER].hit(in.stall[2]);
    }
    // What was handed over in the cycle, and checks; true if anything was.
    bool observe() {
        bool moved = false;
        if (top.i_valid && top.i_ready) accept(), moved = true;
        const bool packet = top.o_valid && top.o_ready;
        keep_to(held_packet.check(top.o_valid, top.o_ready, top.o_payload), O, given.frame);
        if (packet) compare(), moved = true;
        moved |= record<HEADER>(held_header, top.header_valid, top.header_ready,
                                top.header_payload, seen_header, out.header_records,
                                out.headers);
        moved |= record<TRAILER>(held_trailer, top.trailer_valid, top.trailer_ready,
                                 top.trailer_payload, seen_trailer, out.trailer_records,
                                 out.trailers);
        return moved;
    }
    void hang() const {
        const uint64_t frame = std::min(std::min(taken.frame, out.packets),
                                        std::min(out.header_records, out.trailer_records));
        stop(HANG, I, frame);
    }

  private:
    bool accepted = false;

    uint64_t length(uint64_t frame) const { return in.starts[frame + 1] - in.starts[frame]; }
    uint64_t chunk(const Place& place) const {
        return std::min<uint64_t>(WIDTH, length(place.frame) - place.byte);
    }
    void note(uint64_t frame, Time what) { out.times[frame][what] = out.cycles; }

    // The next beat, or an idle cycle. What means nothing is noise: lanes without keep, error
    // before the last beat, all of the payload of an idle cycle.
    void offer() {
        for (unsigned i = 0; i < WIDTH; i += 8) {
            const uint64_t noise = random[I].next();
            std::memcpy(reinterpret_cast<char*>(beat.word) + i, &noise, std::min(8, WIDTH));
        }
        const uint64_t noise = random[I].next();
        const bool send = taken.frame < in.frames && !random[I].hit(in.idle);
        top.i_valid = send;
        if (send) {
            beat_bytes = chunk(taken);
            const bool last = taken.byte + beat_bytes == length(taken.frame);
            std::memcpy(beat.word, in.bytes + in.starts[taken.frame] + taken.byte, beat_bytes);
            beat.put<KEEP_AT, WIDTH>(ones(beat_bytes));
            beat.put<LAST_AT, 1>(last);
            beat.put<ERROR_AT, 1>(last ? in.errors[taken.frame] : noise & 1);
            beat.put<META_AT, META_BITS>(in.metas[taken.frame]);
        } else {
            beat.put<KEEP_AT, WIDTH>(noise);
            beat.put<LAST_AT, 1>(noise >> 8);
            beat.put<ERROR_AT, 1>(noise >> 9);
            beat.put<META_AT, META_BITS>(noise);
        }
        beat.to(top.i_payload);
    }
    void accept() {
        accepted = true;
        const uint64_t frame = taken.frame, mark = in.marks[frame];
        if (taken.byte == 0) note(frame, FIRST_TAKEN);
        if (taken.byte < mark && mark <= taken.byte + beat_bytes) note(frame, MARK_TAKEN);
        taken.byte += beat_bytes;
        if (taken.byte == length(frame)) {
            note(frame, LAST_TAKEN);
            taken = {frame + 1, 0};
            ++out.taken;
        }
    }
    void compare() {
        const uint64_t frame = given.frame;
        if (frame == in.frames) stop(EXTRA, O, frame);
        Packet packet;
        packet.from(top.o_payload);
        const uint64_t bytes = chunk(given);
        const Place behind{frame, given.byte + bytes};
        const bool last = behind.byte == length(frame);
        if (taken < (last ? Place{frame + 1, 0} : behind)) stop(EARLY, O, frame, given.byte);
        const uint64_t keep = packet.get<KEEP_AT, WIDTH>(), found_last = packet.get<LAST_AT, 1>();
        const uint8_t* expected = in.bytes + in.starts[frame] + given.byte;
        const uint8_t* found = reinterpret_cast<const uint8_t*>(packet.word);
        for (unsigned i = 0; i < bytes; ++i)
            if (found[i] != expected[i]) stop(DATA, O, frame, given.byte + i, expected[i], found[i]);
        if (keep != ones(bytes)) stop(KEEP, O, frame, given.byte, ones(bytes), keep);
        if (found_last != last) stop(LAST, O, frame, given.byte, last, found_last);
        const uint64_t meta = packet.get<META_AT, META_BITS>();
        if (meta != in.metas[frame]) stop(META, O, frame, given.byte, in.metas[frame], meta);
        const uint64_t error = packet.get<ERROR_AT, 1>();
        if (last && error != in.errors[frame]) stop(ERROR, O, frame, given.byte, !error, error);
        given = behind;
        if (last) note(frame, PACKET_GIVEN), given = {frame + 1, 0}, ++out.packets;
    }
    template <StreamId ID, unsigned BITS, class Port>
    bool record(Held<BITS>& held, bool valid, bool ready, const Port& port, bool& seen,
                uint64_t& count, uint8_t* records) {
        keep_to(held.check(valid, ready, port), ID, count);
        if (!valid) return false;
        if (count == in.frames) stop(EXTRA, ID, count);
        // A header record may come before its frame has ended, but not before it has begun.
        const Place least = ID == HEADER ? Place{count, 1} : Place{count + 1, 0};
        if (taken < least) stop(EARLY, ID, count);
        if (!seen) note(count, ID == HEADER ? HEADER_VALID : TRAILER_VALID);
        seen = !ready;
        if (!ready) return false;
        Bits<BITS> bits;
        bits.from(port);
        constexpr unsigned size = (BITS + 7) / 8;
        std::memcpy(records + count++ * size, bits.word, size);
        return true;
    }
};
