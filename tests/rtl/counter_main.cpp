// Puts frames through the top module of docs/using-the-core.md, W = 8. On standard input one frame
// a line: hexadecimal bytes, a space, 1 for a bad frame. On standard output each frame that comes
// out, in the same form, then the counters: host, stellar, dropped, last flow.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "Vverdict_counter.h"
#include "verilated.h"

struct Frame {
    std::vector<uint8_t> bytes;
    bool bad;
};

static Frame read(const std::string &line) {
    Frame frame{{}, line.back() == '1'};
    for (size_t at = 0; line[at] != ' '; at += 2)
        frame.bytes.push_back((uint8_t)std::stoul(line.substr(at, 2), nullptr, 16));
    return frame;
}

static void show(const Frame &frame) {
    static const char digits[] = "0123456789abcdef";
    for (uint8_t byte : frame.bytes) std::cout << digits[byte >> 4] << digits[byte & 15];
    std::cout << ' ' << frame.bad << '\n';
}

int main() {
    VerilatedContext context;
    Vverdict_counter top{&context};
    auto cycle = [&] {
        top.clk = 0, top.eval();
        top.clk = 1, top.eval();
    };
    top.rst = 1, top.tx_tready = 1, top.rx_tvalid = 0;
    cycle(), cycle();
    top.rst = 0;
    Frame out;
    // Just before a clock edge: what leaves in this cycle, and whether the beat offered is taken.
    auto step = [&] {
        top.clk = 0, top.eval();
        if (top.tx_tvalid) {
            for (int lane = 0; lane < 8; lane++)
                if (top.tx_tkeep >> lane & 1)
                    out.bytes.push_back((uint8_t)(top.tx_tdata >> 8 * lane));
            if (top.tx_tlast) out.bad = top.tx_tuser, show(out), out = {};
        }
        bool taken = top.rx_tready;
        top.clk = 1, top.eval();
        return taken;
    };
    std::string line;
    while (std::getline(std::cin, line)) {
        Frame frame = read(line);
        for (size_t at = 0; at < frame.bytes.size(); at += 8) {
            size_t left = frame.bytes.size() - at;
            top.rx_tdata = 0, top.rx_tvalid = 1, top.rx_tlast = left <= 8;
            top.rx_tkeep = left < 8 ? (1u << left) - 1 : 0xff;
            top.rx_tuser = frame.bad && left <= 8;
            for (size_t lane = 0; lane < 8 && lane < left; lane++)
                top.rx_tdata |= (uint64_t)frame.bytes[at + lane] << 8 * lane;
            for (int patience = 1000; !step();)
                if (!--patience) return std::cerr << "rx_tready stays low\n", 1;
        }
        top.rx_tvalid = 0;
    }
    for (int quiet = 0; quiet < 20; quiet++) step();
    std::cout << top.host_frames << ' ' << top.stellar_frames << ' ' << top.dropped_frames << ' '
              << top.last_flow << '\n';
    top.final();
    return 0;
}
