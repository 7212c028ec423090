// Rows of bits, in 32-bit words as Verilator has them, and what moves them to and from ports.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are copied as they stand");

constexpr unsigned words(unsigned bits) { return (bits + 31) / 32; }
constexpr uint64_t ones(unsigned bits) { return bits < 64 ? (1ull << bits) - 1 : ~0ull; }

// Verilator's ports are integers of 8 to 64 bits, above that arrays of 32-bit words.
template <unsigned BITS, class Port>
constexpr bool fits = sizeof(Port) == (BITS > 32 ? (BITS > 64 ? 4 * words(BITS) : 8)
                                                 : (BITS > 16 ? 4 : BITS > 8 ? 2 : 1));

template <unsigned BITS>
struct Bits {
    uint32_t word[words(BITS)] = {};

    template <class Port>
    void to(Port& port) const {
        static_assert(fits<BITS, Port>, "the port has not the width that was declared");
        std::memcpy(&port, word, sizeof(Port) < sizeof word ? sizeof(Port) : sizeof word);
    }
    template <class Port>
    void from(const Port& port) {
        static_assert(fits<BITS, Port>, "the port has not the width that was declared");
        std::memcpy(word, &port, sizeof(Port) < sizeof word ? sizeof(Port) : sizeof word);
    }
    template <unsigned AT, unsigned COUNT>
    void put(uint64_t value) {
        for (unsigned done = 0; done < COUNT;) {
            const unsigned low = (AT + done) % 32, n = std::min(32 - low, COUNT - done);
            uint32_t& target = word[(AT + done) / 32];
            const uint32_t mask = uint32_t(ones(n)) << low;
            target = (target & ~mask) | ((uint32_t(value >> done) << low) & mask);
            done += n;
        }
    }
    template <unsigned AT, unsigned COUNT>
    uint64_t get() const {
        uint64_t value = 0;
        for (unsigned done = 0; done < COUNT;) {
            const unsigned low = (AT + done) % 32, n = std::min(32 - low, COUNT - done);
            value |= uint64_t((word[(AT + done) / 32] >> low) & ones(n)) << done;
            done += n;
        }
        return value;
    }
    bool operator!=(const Bits& other) const { return std::memcmp(word, other.word, sizeof word); }
};
