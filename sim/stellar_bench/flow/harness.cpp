// The Verilated flow table behind a narrow C interface. Compiled with the model into one shared
// library; engine.py calls it. The widths are macros, see library.py; SELECT_BITS where the design
// has an input that chooses a mutant, PRESETS where counters can be set from outside.
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "Vdut.h"
#include "bits.h"
#include "interface.h"
#include "keys.h"
#include "run.h"
#include "verilated.h"

// Without this a model that finds no stable state would end the whole process.
void vl_fatal(const char*, int, const char*, const char* message) {
    throw std::runtime_error(message);
}

namespace {

struct Model {
    VerilatedContext context;
    Vdut top{&context};
};

class Harness {
    std::unique_ptr<Model> model = std::make_unique<Model>();
    Bits<SETTINGS_BITS> settings_now;
    Keys keys;
    Rows rows;
    uint64_t now = 0;
    bool clean = false;

  public:
    void pool(uint64_t count, const uint8_t* bytes) {
        keys.fill(count, bytes);
        clean = false;
    }
    void reset() { clean = false; }
    void renew() {
        model = std::make_unique<Model>();
        clean = false;
    }
    void settings(const uint32_t* value) {
        std::memcpy(settings_now.word, value, sizeof settings_now.word);
    }
#ifdef SELECT_BITS
    // Another mutant begins as if it were alone: nothing is left of what the one before did.
    void select(uint64_t mutant) {
        chosen.put<0, SELECT_BITS>(mutant);
        renew();
    }
#endif
    void run(const Batch& batch, Results& results) {
        settings_now.to(model->top.settings);
#ifdef SELECT_BITS
        chosen.to(model->top.mutsel);
#endif
        rows = Rows{};
        if (!clean) do_reset();
        clean = false;
        if (batch.presets) preset(batch.presets);
        Run run(model->top, batch, keys, rows, results, now);
        const uint64_t begin = now;
        try {
            for (; !run.done(); ++now) {
                run.drive();
                tick();
                run.observe();
            }
            run.finish();
            clean = true;
        } catch (Stop& stopped) {
            stopped.cycle = now;
            hand_out(results, begin);
            throw;
        }
        hand_out(results, begin);
    }

  private:
#ifdef SELECT_BITS
    Bits<SELECT_BITS> chosen;
#endif
    // A clock edge: the inputs reach the table, and its outputs settle.
    void tick() {
        model->top.clk = 1, model->top.eval();
        model->top.clk = 0, model->top.eval();
    }
    // Sets the counters of flows; nothing is under way.
    void preset(const uint64_t* counts) {
#ifdef PRESETS
        Vdut& top = model->top;
        top.preset_valid = 1;
        for (unsigned flow = 0; flow < SLOTS; ++flow, ++now) {
            Bits<2 * COUNT_BITS> value;
            value.put<0, COUNT_BITS>(*counts++);
            value.put<COUNT_BITS, COUNT_BITS>(*counts++);
            top.preset_flow = flow, value.to(top.preset_counts);
            tick();
        }
        top.preset_valid = 0, tick(), ++now;
#endif
    }
    void do_reset() {
        Vdut& top = model->top;
        top.request_valid = top.account_valid = top.command_valid = 0;
        top.answer_ready = top.event_ready = 0;
        for (int cycle = 0; cycle < 4; ++cycle) {
            top.rst = cycle < 3;
            tick();
        }
        keys.forget();
        now = 0;
    }
    void hand_out(Results& results, uint64_t begin) {
        results.answer_times = rows.answer_times.data(), results.answer_rows = rows.answers.data();
        results.event_times = rows.event_times.data(), results.event_rows = rows.events.data();
        results.accounted = rows.accounted.data();
        results.answers = rows.answer_times.size(), results.events = rows.event_times.size();
        results.accounts = rows.accounted.size(), results.cycles = now - begin;
    }
};

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

static Harness& of(void* harness) { return *static_cast<Harness*>(harness); }

EXPORT void* harness_create() { return new Harness; }
EXPORT void harness_destroy(void* harness) { delete &of(harness); }
EXPORT void harness_reset(void* harness) { of(harness).reset(); }
EXPORT void harness_settings(void* harness, const uint32_t* value) { of(harness).settings(value); }
EXPORT void harness_pool(void* harness, uint64_t count, const uint8_t* bytes) {
    of(harness).pool(count, bytes);
}
EXPORT void harness_select(void* harness, uint64_t mutant) {
#ifdef SELECT_BITS
    of(harness).select(mutant);
#endif
}

// Whether a batch may have presets.
EXPORT int harness_presets() {
#ifdef PRESETS
    return 1;
#else
    return 0;
#endif
}

// 0 when the whole batch went through without fault, else 1, and `fault` says what and where. The
// rows in `results` are good until the next call.
EXPORT int harness_run(void* harness, const Batch* batch, Results* results, Fault* fault) {
    try {
        of(harness).run(*batch, *results);
        return 0;
    } catch (const Stop& stopped) {
        *fault = stopped;
    } catch (const std::exception& error) {
        *fault = Fault{};
        fault->kind = MODEL, fault->key = fault->command = NEVER;
        std::strncpy(fault->text, error.what(), sizeof fault->text - 1);
        of(harness).renew();  // it stopped in the middle of its work
    }
    return 1;
}
