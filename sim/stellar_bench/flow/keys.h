// What lookups may say of each key of the pool, as answers and events said it. The answers
// themselves are Python's to judge.
//
// An outcome is a result's payload: from the least significant bit hit, action, handle; 0 is a miss.
#pragma once
#include <cstdint>
#include <cstring>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bits.h"
#include "interface.h"

constexpr unsigned HANDLE_BITS = FLOW_BITS + GENERATION_BITS;
constexpr unsigned OUTCOME_BITS = 1 + ACTION_BITS + HANDLE_BITS;
static_assert(OUTCOME_BITS <= 64, "an outcome is handled as one 64-bit word");
constexpr uint64_t NEVER = ~0ull;

using Key = Bits<KEY_BITS>;

struct Stop : Fault {};

[[noreturn]] inline void stop(Kind kind, StreamId stream, uint64_t key = NEVER,
                              uint64_t command = NEVER, uint64_t expected = 0, uint64_t found = 0) {
    Stop fault{};
    fault.kind = kind, fault.stream = stream, fault.key = key, fault.command = command;
    fault.expected = expected, fault.found = found;
    throw fault;
}

constexpr uint64_t outcome(uint64_t action, uint64_t handle) {
    return 1 | action << 1 | handle << (1 + ACTION_BITS);
}
constexpr uint64_t action_of(uint64_t outcome) { return outcome >> 1 & ones(ACTION_BITS); }
constexpr uint64_t handle_of(uint64_t outcome) { return outcome >> (1 + ACTION_BITS); }

// A command that was offered and whose answer has not been taken.
struct UnderWay {
    uint64_t number, offered, taken;
    uint8_t op;
    uint32_t key, action;
    uint64_t early;  // the outcome that lookups showed of a key that was not there before
};

struct State {
    uint64_t shown = 0;      // the outcome behind the last answer
    uint64_t sure_from = 0;  // lookups that were requested up to this cycle may still miss
    uint64_t said_at = 0;    // when the last answer was first offered
    uint32_t under_way = 0;  // commands on this key
    uint64_t lost_at = NEVER, lost = 0;  // a miss that only ageing explains, until it's reported
    uint64_t found = 0;                  // a hit that only learning explains, likewise
};

class Keys {
    std::vector<State> states;
    std::unordered_map<std::string_view, uint32_t> numbers;
    uint64_t clears = 0;

  public:
    std::vector<Key> pool;
    std::deque<UnderWay> under_way;
    bool ageing = false, learning = false;
    uint64_t learn_action = 0;

    void fill(uint64_t count, const uint8_t* bytes) {
        pool.assign(count, Key{});
        numbers.clear();
        for (uint64_t at = 0; at < count; ++at) {
            std::memcpy(pool[at].word, bytes + at * KEY_BYTES, KEY_BYTES);
            numbers.emplace(text(pool[at]), at);
        }
        forget();
    }
    void forget() {
        states.assign(pool.size(), State{});
        under_way.clear();
        clears = 0;
    }
    void begin(const UnderWay& command) {
        under_way.push_back(command);
        clears += command.op == CLEAR;
        ++states[command.key].under_way;
    }
    // A lookup of `key` that was requested in cycle `asked` has given `shown` in cycle `now`.
    void check(uint32_t key, uint64_t asked, uint64_t now, uint64_t shown) {
        State& state = states[key];
        if (shown == state.shown && (state.lost_at == NEVER || shown != state.lost)) return;
        if (shown & 1) check_hit(key, state, shown);
        else check_miss(key, state, asked, now);
    }
    void answered(uint8_t status, uint64_t answer, uint64_t valid, uint64_t now);
    void reported(uint8_t kind, const Key& key, uint64_t said, uint64_t valid, uint64_t now);
    // Nothing may be left that was never reported.
    void finish() const {
        for (uint64_t key = 0; key < states.size(); ++key) {
            if (states[key].lost_at != NEVER) stop(MISSED, RESULT, key, NEVER, states[key].lost, 0);
            if (states[key].found) stop(FOUND, RESULT, key, NEVER, 0, states[key].found);
        }
    }

  private:
    static std::string_view text(const Key& key) {
        return {reinterpret_cast<const char*>(key.word), sizeof key.word};
    }
    void check_miss(uint32_t key, State& state, uint64_t asked, uint64_t now) {
        if (asked <= state.sure_from || clears) return;
        if (state.under_way)
            for (const UnderWay& command : under_way)
                if (command.key == key && command.op == DELETE) return;
        if (!ageing) stop(MISSED, RESULT, key, NEVER, state.shown, 0);
        if (state.lost_at == NEVER) state.lost_at = now, state.lost = state.shown;
    }
    void check_hit(uint32_t key, State& state, uint64_t shown) {
        if (state.lost_at != NEVER && shown == state.lost)
            stop(REVIVED, RESULT, key, NEVER, 0, shown);
        uint64_t possible = state.shown;  // step by step what the commands under way make of it
        if (state.under_way)
            for (UnderWay& command : under_way) {
                if (command.key != key && command.op != CLEAR) continue;
                if (may_show(command, possible, shown)) return;
            }
        if (learning && action_of(shown) == learn_action && (!state.found || state.found == shown)) {
            state.found = shown;
            return;
        }
        stop(state.shown ? WRONG : FOUND, RESULT, key, NEVER, state.shown, shown);
    }
    // Whether `shown` may be seen once `command` found `possible`; leaves what it makes of that.
    bool may_show(UnderWay& command, uint64_t& possible, uint64_t shown) {
        if (command.op == DELETE || command.op == CLEAR) possible = 0;
        const bool writes = command.op == INSERT || (command.op == UPDATE && (possible || learning));
        if (!writes) return false;
        const bool known = possible, right = action_of(shown) == command.action;
        if (known) possible = outcome(command.action, handle_of(possible));
        if (known && shown == possible) return true;
        if (!known && command.early) possible = command.early;
        if (right && command.early) return shown == command.early;
        if (!right || (known && !ageing)) return false;
        return command.early = possible = shown, true;  // the handle is known by the answer
    }
};

// The answer to the oldest command under way has been taken; `answer` is the outcome in it.
inline void Keys::answered(uint8_t status, uint64_t answer, uint64_t valid, uint64_t now) {
    const UnderWay command = under_way.front();
    under_way.pop_front();
    State& state = states[command.key];
    --state.under_way;
    clears -= command.op == CLEAR;
    if (command.op == READ_SLOT || status == INVALID) return;
    if (command.op == CLEAR) {
        for (State& each : states) each.shown = 0, each.said_at = valid;
        return;
    }
    const bool present = status == OK || status == UPDATED;
    if (command.op == INSERT && command.early && !ageing && !learning)
        if (!present || handle_of(command.early) != handle_of(answer))
            stop(FOUND, RESULT, command.key, command.number, present ? answer : 0, command.early);
    if (present && command.op == READ && !ageing && !learning) return;  // says nothing new
    const uint64_t before = state.shown;
    state.shown = present && command.op != DELETE ? answer : 0;
    state.said_at = valid;
    if (!before || handle_of(before) != handle_of(state.shown)) state.sure_from = now;
}

// An event has been taken. Answers that were offered later than it know more.
inline void Keys::reported(uint8_t kind, const Key& bits, uint64_t said, uint64_t valid,
                           uint64_t now) {
    const auto at = numbers.find(text(bits));
    if (at == numbers.end()) stop(UNKNOWN, EVENT, NEVER, NEVER, 0, said);
    State& state = states[at->second];
    if (kind == AGED) {
        // The engine takes a key out, then its counters, and reports it.
        if (state.lost_at != NEVER && state.lost_at + REPORT_WITHIN < valid)
            stop(UNREPORTED, RESULT, at->second, NEVER, state.lost, 0);
        state.lost_at = NEVER;
        if (state.said_at <= valid && handle_of(state.shown) == handle_of(said)) state.shown = 0;
    } else {
        if (state.found && handle_of(state.found) != handle_of(said))
            stop(WRONG, RESULT, at->second, NEVER, said, state.found);
        state.found = 0;
        if (state.said_at <= valid && !state.shown) state.shown = said, state.sure_from = now;
    }
}
