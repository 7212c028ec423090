// The Verilated parser behind a narrow C interface. Compiled with the model into one shared library;
// engine.py calls it. The widths are macros: WIDTH in bytes, META_BITS, HEADER_BITS, TRAILER_BITS,
// SETTINGS_BITS; SELECT_BITS where the design has an input that chooses a mutant.
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "Vdut.h"
#include "bits.h"
#include "interface.h"
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
    bool clean = false;  // reset, and no frame inside

  public:
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
    void run(const Batch& batch, Results& results);
    void abandon(const Batch& batch, Results& results, uint64_t cycles, uint64_t reset);

  private:
#ifdef SELECT_BITS
    Bits<SELECT_BITS> chosen;
#endif
    void configure() {
        settings_now.to(model->top.settings);
#ifdef SELECT_BITS
        chosen.to(model->top.mutsel);
#endif
    }
    // A clock edge: the inputs reach the parser, and its outputs settle.
    void tick() {
        model->top.clk = 1, model->top.eval();
        model->top.clk = 0, model->top.eval();
    }
    void do_reset() {
        Vdut& top = model->top;
        top.i_valid = 0;
        top.o_ready = top.header_ready = top.trailer_ready = 0;
        for (int cycle = 0; cycle < 4; ++cycle) {
            top.rst = cycle < 3;
            tick();
        }
    }
};

void Harness::run(const Batch& batch, Results& results) {
    configure();
    if (!clean) do_reset();
    clean = false;
    Run run(model->top, batch, results);
    uint64_t quiet = 0;
    for (uint64_t drained = 0; drained < batch.drain; ++results.cycles) {
        const bool draining = run.done();
        run.drive(draining);
        tick();
        quiet = run.observe() ? 0 : quiet + 1;
        if (draining) ++drained;
        else if (quiet > batch.timeout) run.hang();
    }
    clean = true;
}

// The first cycles of a batch, and then a reset with whatever is inside. During the reset the
// streams go on as before; nothing is handed over at its edges.
void Harness::abandon(const Batch& batch, Results& results, uint64_t cycles, uint64_t reset) {
    configure();
    if (!clean) do_reset();
    clean = false;
    Run run(model->top, batch, results);
    for (; results.cycles < cycles; ++results.cycles) {
        run.drive(false);
        tick();
        run.observe();
    }
    model->top.rst = 1;
    for (uint64_t cycle = 0; cycle < reset; ++cycle) {
        run.drive(false);
        tick();
    }
    model->top.rst = 0;
    model->top.i_valid = 0;
    tick();
    if (model->top.o_valid) stop(EARLY, O, results.packets);
    if (model->top.header_valid) stop(EARLY, HEADER, results.header_records);
    if (model->top.trailer_valid) stop(EARLY, TRAILER, results.trailer_records);
    clean = true;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void* harness_create() { return new Harness; }
EXPORT void harness_destroy(void* harness) { delete static_cast<Harness*>(harness); }
EXPORT void harness_reset(void* harness) { static_cast<Harness*>(harness)->reset(); }
EXPORT void harness_settings(void* harness, const uint32_t* value) {
    static_cast<Harness*>(harness)->settings(value);
}

EXPORT void harness_select(void* harness, uint64_t mutant) {
#ifdef SELECT_BITS
    static_cast<Harness*>(harness)->select(mutant);
#endif
}

// 0 when the whole batch went through without fault, else 1, and `fault` says what and where.
template <class Go>
static int guarded(void* harness, Results* results, Fault* fault, Go go) {
    try {
        go(*static_cast<Harness*>(harness));
        return 0;
    } catch (const Stop& stopped) {
        *fault = stopped;
    } catch (const std::exception& error) {
        *fault = Fault{};
        fault->kind = MODEL;
        fault->frame = results->taken;
        std::strncpy(fault->text, error.what(), sizeof fault->text - 1);
        static_cast<Harness*>(harness)->renew();  // it stopped in the middle of its work
    }
    fault->cycle = results->cycles;
    return 1;
}

EXPORT int harness_run(void* harness, const Batch* batch, Results* results, Fault* fault) {
    return guarded(harness, results, fault, [&](Harness& it) { it.run(*batch, *results); });
}
EXPORT int harness_abandon(void* harness, const Batch* batch, Results* results, Fault* fault,
                           uint64_t cycles, uint64_t reset) {
    const auto go = [&](Harness& it) { it.abandon(*batch, *results, cycles, reset); };
    return guarded(harness, results, fault, go);
}
