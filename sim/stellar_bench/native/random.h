// The benches' random numbers.
#pragma once
#include <cstdint>

// xorshift64 (Marsaglia 2003). One for each stream: a changed stall rate of one stream leaves the
// others' sequence alone.
class Random {
    uint64_t state;

  public:
    Random(uint64_t seed, unsigned stream, unsigned streams = 4) : state(seed * streams + stream) {
        state = (state + 1) * 0x9e3779b97f4a7c15ull;  // neighbouring seeds far apart, as in splitmix
        if (!state) state = 1;
        for (int i = 0; i < 8; ++i) next();
    }
    uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    }
    bool hit(uint64_t chance) { return chance && (next() >> 32) < chance; }  // in units of 2^-32
    // From 0 to limit - 1; limit must be below 2^32.
    uint32_t below(uint64_t limit) { return uint32_t(((next() >> 32) * limit) >> 32); }
};
