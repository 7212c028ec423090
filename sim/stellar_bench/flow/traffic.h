// Lookups in every cycle, the check of their results, and the accounting of packets that hit.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bits.h"
#include "interface.h"
#include "keys.h"
#include "random.h"

constexpr unsigned STREAMS = 6;
constexpr unsigned IN_A_ROW = 7;  // requests that come before one cycle of back-pressure

class Traffic {
    Vdut& top;
    const Batch& in;
    Keys& keys;
    Results& out;
    std::vector<Accounted>& accounted;
    const uint64_t& now;
    Random requests, accounts;

    static constexpr unsigned HOT = 8, DELAYS = 1024, PIPELINE = 64, WAITING = 64;
    struct Asked {
        uint32_t key;
        uint64_t cycle;
    };
    struct Packet {
        uint64_t handle = NEVER;
        uint32_t bytes = 0, key = 0;
    };
    uint32_t hot[HOT] = {};  // keys of the last commands
    unsigned next_hot = 0;
    uint32_t asking = 0;
    bool held = false;
    unsigned in_a_row = 0;
    Asked pipeline[PIPELINE];
    uint64_t asked = 0, answered = 0;
    Packet later[DELAYS];  // by the cycle in which they are due
    uint64_t due = 0;
    std::deque<Packet> waiting;
    uint64_t waiting_since = 0;

  public:
    Traffic(Vdut& top, const Batch& in, Keys& keys, Results& out, std::vector<Accounted>& accounted,
            const uint64_t& now)
        : top(top), in(in), keys(keys), out(out), accounted(accounted), now(now),
          requests(in.seed, REQUEST, STREAMS), accounts(in.seed, ACCOUNT, STREAMS) {}

    void touch(uint32_t key) { hot[next_hot++ % HOT] = key; }
    bool empty() const { return asked == answered && !due && waiting.empty() && !held; }

    void drive(bool asking_on) {
        drive_request(asking_on);
        Packet& packet = later[now % DELAYS];
        if (packet.handle != NEVER) {
            if (waiting.size() < WAITING) waiting.push_back(packet);
            packet.handle = NEVER, --due;
        }
        top.account_valid = !waiting.empty();
        Bits<HANDLE_BITS + BYTES_BITS> payload;
        const Packet noise{accounts.next() & ones(HANDLE_BITS), 0, 0};
        const Packet& offered = waiting.empty() ? noise : waiting.front();
        payload.put<0, HANDLE_BITS>(offered.handle);
        payload.put<HANDLE_BITS, BYTES_BITS>(offered.bytes);
        payload.to(top.account_payload);
    }
    // What was handed over, and checks. `at_rest`: the engine has had nothing to do for long.
    void observe(bool at_rest) {
        observe_request(at_rest);
        observe_result();
        if (top.account_valid && top.account_ready) {
            const Packet& packet = waiting.front();
            accounted.push_back({now, uint32_t(packet.handle & ones(FLOW_BITS)),
                                 uint32_t(packet.handle >> FLOW_BITS), packet.bytes, packet.key});
            waiting.pop_front();
            waiting_since = now;
        } else if (waiting.empty()) {
            waiting_since = now;
        } else if (now - waiting_since > in.timeout) {
            stop(HANG, ACCOUNT, waiting.front().key);
        }
    }

  private:
    void drive_request(bool asking_on) {
        if (held) return;
        const uint64_t drawn = requests.next();
        top.request_valid = asking_on && !requests.hit(in.idle);
        if (top.request_valid) {
            // One in four is for a key at which commands are at work.
            asking = drawn % 4 ? uint32_t(((drawn >> 32) * keys.pool.size()) >> 32)
                               : hot[drawn >> 2 & (HOT - 1)];
            keys.pool[asking].to(top.request_payload);
        } else {
            Key noise = keys.pool[(drawn >> 8) % keys.pool.size()];
            noise.word[0] ^= uint32_t(drawn >> 40);
            noise.to(top.request_payload);
        }
    }
    void observe_request(bool at_rest) {
        const bool ready = top.request_ready;
        if (!ready && (in_a_row < IN_A_ROW || at_rest))
            stop(READY, REQUEST, NEVER, NEVER, at_rest ? NEVER : IN_A_ROW, in_a_row);
        out.refused += !ready;
        held = top.request_valid && !ready;
        if (top.request_valid && ready) {
            pipeline[asked++ % PIPELINE] = {asking, now};
            ++in_a_row, ++out.lookups;
        } else {
            in_a_row = 0;
        }
    }
    void observe_result() {
        const Asked& oldest = pipeline[answered % PIPELINE];
        const bool expected = asked != answered && oldest.cycle + LATENCY == now;
        if (top.result_valid != expected)
            stop(LATENCY_OFF, RESULT, asked != answered ? oldest.key : NEVER, NEVER, expected,
                 top.result_valid);
        if (!expected) return;
        ++answered;
        Bits<OUTCOME_BITS> payload;
        payload.from(top.result_payload);
        const uint64_t shown = payload.get<0, OUTCOME_BITS>();
        if (!(shown & 1)) {
            if (shown) stop(UNCLEAN, RESULT, oldest.key, NEVER, 0, shown);
            keys.check(oldest.key, oldest.cycle, now, 0);
            return;
        }
        keys.check(oldest.key, oldest.cycle, now, shown);
        ++out.hits;
        if (accounts.hit(in.account)) account(handle_of(shown), oldest.key);
    }
    // Most packets end within 200 cycles, some within 1,000. One whose cycle is taken is left out.
    void account(uint64_t handle, uint32_t key) {
        const uint64_t drawn = accounts.next();
        const uint64_t delay = 1 + (drawn & 15 ? drawn >> 8 & 127 : (drawn >> 8) % (DELAYS - 24));
        const uint32_t bytes = drawn >> 40 & ones(drawn >> 20 & 31 ? 11 : BYTES_BITS);
        Packet& packet = later[(now + delay) % DELAYS];
        if (packet.handle != NEVER) return;
        packet = {handle, bytes, key};
        ++due;
    }
};
