// One batch of commands through the flow table, with lookups beside them. Cycles are counted from the
// reset on, over all batches behind it.
#pragma once
#include <cstdint>
#include <vector>

#include "Vdut.h"
#include "bits.h"
#include "held.h"
#include "interface.h"
#include "keys.h"
#include "traffic.h"

constexpr unsigned RECORD_REST = KEY_BITS + ACTION_BITS + HANDLE_BITS + COUNTER_BITS;
constexpr unsigned ANSWER_BITS = STATUS_BITS + RECORD_REST, EVENT_BITS = KIND_BITS + RECORD_REST;
constexpr unsigned COMMAND_BITS = OP_BITS + SLOT_BITS + KEY_BITS + ACTION_BITS;
constexpr unsigned AT_REST = 1000;    // cycles behind the last work from which the engine must rest
constexpr unsigned SETTLED = 64;      // cycles behind the last traffic in which nothing may come,
constexpr unsigned LEARNED_BY = 16384;  // and in which what the table does by itself must be over
constexpr unsigned PLACED_BY = 256;   // cycles until a key with a free slot must be out of the stash
constexpr unsigned EMPTYING = 8;      // cycles for each slot after reset, generously

// What came out, over the batch.
struct Rows {
    std::vector<AnswerTimes> answer_times;
    std::vector<EventTimes> event_times;
    std::vector<uint8_t> answers, events;
    std::vector<Accounted> accounted;

    template <unsigned BITS>
    static void append(std::vector<uint8_t>& rows, const Bits<BITS>& bits) {
        const uint8_t* first = reinterpret_cast<const uint8_t*>(bits.word);
        rows.insert(rows.end(), first, first + (BITS + 7) / 8);
    }
};

inline void keep_to(Broken broken, StreamId id, uint64_t command) {
    if (broken == Broken::NOT) return;
    stop(broken == Broken::CHANGED ? CHANGED : WITHDRAWN, id, NEVER, command);
}

// Copies COUNT bits to another place in another row.
template <unsigned FROM, unsigned TO, unsigned COUNT, unsigned A, unsigned B>
void move_bits(const Bits<A>& from, Bits<B>& to) {
    constexpr unsigned n = COUNT < 64 ? COUNT : 64;
    to.template put<TO, n>(from.template get<FROM, n>());
    if constexpr (COUNT > n) move_bits<FROM + n, TO + n, COUNT - n>(from, to);
}

class Run {
    Vdut& top;
    const Batch& in;
    Keys& keys;
    Rows& rows;
    Results& out;
    uint64_t& now;
    Traffic traffic;
    Random commands, answers, events;

    uint64_t next = 0;  // command
    uint64_t pause = 0, offered = 0, moved, worked, answer_since = NEVER, event_since = NEVER;
    bool offering = false, stash_before = false;
    uint64_t quiet = 0, settled = 0, stashed = 0;
    Held<ANSWER_BITS> held_answer;
    Held<EVENT_BITS> held_event;

  public:
    Run(Vdut& top, const Batch& in, Keys& keys, Rows& rows, Results& out, uint64_t& now)
        : top(top), in(in), keys(keys), rows(rows), out(out), now(now),
          traffic(top, in, keys, out, rows.accounted, now),
          commands(in.seed, COMMAND, STREAMS), answers(in.seed, ANSWER, STREAMS),
          events(in.seed, EVENT, STREAMS), moved(now), worked(now) {
        keys.ageing = in.ageing, keys.learning = in.learning, keys.learn_action = in.learn_action;
        stash_before = top.stashed;
        if (!now) worked = EMPTYING * SLOTS;
    }

    bool done() const { return settled >= (in.ageing || in.learning ? LEARNED_BY : SETTLED); }
    // Inputs of one cycle.
    void drive() {
        const bool over = next == in.commands && !offering && keys.under_way.empty();
        quiet = over ? quiet + 1 : 0;
        const bool asking = quiet < in.quiet;
        traffic.drive(asking);
        settled = !asking && traffic.empty() ? settled + 1 : 0;
        drive_command();
        top.answer_ready = !answers.hit(in.stall_answer);
        top.event_ready = !asking || !events.hit(in.stall_event);
        top.now = (in.start + now / in.tick) & ones(TIME_BITS);
    }
    // What was handed over in the cycle, and checks.
    void observe() {
        const bool resting = !in.ageing && !in.learning && !top.stashed && keys.under_way.empty();
        if (!resting) worked = std::max(worked, now);
        traffic.observe(now > worked + AT_REST);
        out.stale += top.stale, out.unlearned += top.unlearned;
        out.stashes += top.stashed && !stash_before;
        stash_before = top.stashed;
        observe_command();
        observe_answer();
        observe_event();
        observe_stash();
        if (keys.under_way.empty()) moved = std::max(moved, now);
        else if (now > moved + in.timeout)
            stop(HANG, COMMAND, keys.under_way.front().key, keys.under_way.front().number);
    }
    void finish() {
        keys.finish();
        out.present = top.present, out.stashed = top.stashed;
    }

  private:
    void drive_command() {
        if (offering) return;
        if (pause) --pause;
        top.command_valid = next < in.commands && !pause;
        Bits<COMMAND_BITS> payload;
        if (!top.command_valid) {
            for (uint32_t& word : payload.word) word = uint32_t(commands.next());
            payload.word[words(COMMAND_BITS) - 1] &= uint32_t(ones((COMMAND_BITS - 1) % 32 + 1));
            payload.to(top.command_payload);
            return;
        }
        payload.put<0, OP_BITS>(in.ops[next]);
        payload.put<OP_BITS, SLOT_BITS>(in.slots[next]);
        move_bits<0, OP_BITS + SLOT_BITS, KEY_BITS>(keys.pool[in.keys[next]], payload);
        payload.put<OP_BITS + SLOT_BITS + KEY_BITS, ACTION_BITS>(in.actions[next]);
        payload.to(top.command_payload);
        offering = true, offered = now;
        keys.begin({next, now, NEVER, in.ops[next], in.keys[next], in.actions[next], 0});
        traffic.touch(in.keys[next]);
        if (keys.under_way.size() == 1) moved = std::max(moved, now);
    }
    void observe_command() {
        if (!(top.command_valid && top.command_ready)) return;
        moved = std::max(moved, now);
        keys.under_way.back().taken = now;
        if (!(top.answer_valid && top.answer_ready)) stop(APART, COMMAND, in.keys[next], next);
        offering = false, ++next;
        pause = commands.hit(in.gap) ? 1 + (commands.next() >> 32) % 64 : 0;
    }
    void observe_answer() {
        const bool valid = top.answer_valid, ready = top.answer_ready;
        const uint64_t number = rows.answer_times.size();
        keep_to(held_answer.check(valid, ready, top.answer_payload), ANSWER, number);
        if (!valid) return;
        if (answer_since == NEVER) answer_since = now;
        if (keys.under_way.empty()) stop(EXTRA, ANSWER, NEVER, number);
        const UnderWay& command = keys.under_way.front();
        if (!ready) return;
        if (command.taken != now) stop(APART, ANSWER, command.key, number);
        Bits<ANSWER_BITS> bits;
        bits.from(top.answer_payload);
        Rows::append(rows.answers, bits);
        rows.answer_times.push_back({command.offered, command.taken, answer_since, now});
        const uint64_t said = said_in<STATUS_BITS>(bits);
        keys.answered(bits.get<0, STATUS_BITS>(), said, answer_since, now);
        answer_since = NEVER, moved = now, worked = std::max(worked, now);
    }
    void observe_event() {
        const bool valid = top.event_valid, ready = top.event_ready;
        const uint64_t number = rows.event_times.size();
        keep_to(held_event.check(valid, ready, top.event_payload), EVENT, number);
        if (!valid) return;
        if (event_since == NEVER) event_since = now;
        if (!ready) return;
        if (!in.ageing && !in.learning) stop(EXTRA, EVENT, NEVER, number);
        Bits<EVENT_BITS> bits;
        bits.from(top.event_payload);
        Rows::append(rows.events, bits);
        rows.event_times.push_back({event_since, now});
        Key key;
        move_bits<KIND_BITS, 0, KEY_BITS>(bits, key);
        keys.reported(bits.get<0, KIND_BITS>(), key, said_in<KIND_BITS>(bits), event_since, now);
        event_since = NEVER;
    }
    // Where others can take at most TABLES - 1 of its slots, one of each table, a key has one.
    void observe_stash() {
        const bool waits = top.answer_valid && !top.answer_ready;  // it may go on behind the answer
        if (!top.stashed || top.present > TABLES) stashed = 0;
        else if (!waits && ++stashed > PLACED_BY) stop(STASHED, ANSWER);
    }
    // The outcome of a lookup of the key in an answer or event.
    template <unsigned AT, unsigned BITS>
    static uint64_t said_in(const Bits<BITS>& bits) {
        return outcome(bits.template get<AT + KEY_BITS, ACTION_BITS>(),
                       bits.template get<AT + KEY_BITS + ACTION_BITS, HANDLE_BITS>());
    }
};
