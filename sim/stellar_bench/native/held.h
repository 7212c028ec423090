// What a stream offers must stay until it is taken.
#pragma once
#include "bits.h"

enum class Broken { NOT, WITHDRAWN, CHANGED };

template <unsigned BITS>
struct Held {
    bool stalled = false;
    Bits<BITS> payload;

    template <class Port>
    Broken check(bool valid, bool ready, const Port& port) {
        if (stalled) {
            if (!valid) return Broken::WITHDRAWN;
            Bits<BITS> now;
            now.from(port);
            if (now != payload) return Broken::CHANGED;
        }
        stalled = valid && !ready;
        if (stalled) payload.from(port);
        return Broken::NOT;
    }
};
