// One row of inputs and one of outputs for each cycle: the outputs as they are behind the inputs'
// change, ahead of the clock's edge. Rows are words of 32 bits, the ports' bits in their order.
#include <cstdint>
#include <cstring>

#include "Vtop.h"
#include "verilated.h"

extern "C" __attribute__((visibility("default"))) void run(const uint32_t *in, uint32_t *out,
                                                           size_t cycles) {
    VerilatedContext context;
    Vtop top{&context};
    for (size_t cycle = 0; cycle < cycles; ++cycle) {
        std::memcpy(&top.i, in + cycle * IN_WORDS, 4 * IN_WORDS);
        top.clk = 0, top.eval();
        std::memcpy(out + cycle * OUT_WORDS, &top.o, 4 * OUT_WORDS);
        top.clk = 1, top.eval();
    }
}
