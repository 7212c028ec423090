// Simulation model of the ECP5's block RAM (DP16KD), in what OutputRAM and yosys use of it. Its
// pins are vectors here; cells.py puts them out one by one, and names sources.
//
// The content is 2,048 nines. Address pins count bits, eight to a nine: address[13:3] is the nine.
// A word of 1, 2 or 4 bits is a part of the lower eight of one; of 9 bits, one; of 18, two; of 36,
// four. At 36 bits port A writes what is on the data pins of both ports, and port B reads to both.
//
// A port at its clock's edge: rst clears latch and output register (this only with oce), and nothing
// is read or written; else, with ce and chip select 0, the port writes, or reads into the latch. The
// output register takes what was in the latch, with oce. What is written at one port in the cycle in
// which it is read at the other comes out wrong, as the complement, so that nobody relies on it.
//
// A parameter that is not modelled stops the simulation.
module block_ram #(
    parameter WIDTH_A = 18,
    parameter WIDTH_B = 18,
    parameter REGISTER_A = 0,
    parameter REGISTER_B = 0,
    parameter OLD_A = 0,  // a port that writes reads what was there before (else nothing)
    parameter OLD_B = 0
) (
    input clk_a, ce_a, we_a, oce_a, rst_a, clk_b, ce_b, we_b, oce_b, rst_b,
    input [2:0] cs_a, cs_b,
    input [13:0] ad_a, ad_b,
    input [17:0] di_a, di_b,
    output [17:0] do_a, do_b
);
    // Both ports' data pins are one word.
    localparam PAIRED_WRITE = WIDTH_A == 36;
    localparam PAIRED_READ = WIDTH_B == 36;

    // Lowest address pin that tells words apart.
    localparam LOW_A = WIDTH_A == 36 ? 5 : WIDTH_A == 18 ? 4 : WIDTH_A == 9 ? 3 : WIDTH_A / 2;
    localparam LOW_B = WIDTH_B == 36 ? 5 : WIDTH_B == 18 ? 4 : WIDTH_B == 9 ? 3 : WIDTH_B / 2;
    localparam LOW = LOW_A > LOW_B ? LOW_A : LOW_B;

    reg [8:0] nines [0:2047];
    reg [35:0] latch_a, latch_b, register_a, register_b;

    integer n;
    initial begin
        for (n = 0; n < 2048; n = n + 1) nines[n] = 0;
        {latch_a, latch_b, register_a, register_b} = 0;
        if (PAIRED_READ && !PAIRED_WRITE) begin
            $display("block_ram: 36 bits at port B go with 36 at port A only");
            $stop;
        end
    end

    // The word at an address, its width by the number of the lowest address pin.
    function [35:0] word(input [13:0] ad, input integer low);
        case (low)
            0: word = {35'b0, nines[ad[13:3]][ad[2:0]]};
            1: word = {34'b0, nines[ad[13:3]][{1'b0, ad[2:1], 1'b0} +: 2]};
            2: word = {32'b0, nines[ad[13:3]][{1'b0, ad[2], 2'b0} +: 4]};
            3: word = {27'b0, nines[ad[13:3]]};
            4: word = {18'b0, nines[{ad[13:4], 1'd1}], nines[{ad[13:4], 1'd0}]};
            default: word = {nines[{ad[13:5], 2'd3}], nines[{ad[13:5], 2'd2}],
                             nines[{ad[13:5], 2'd1}], nines[{ad[13:5], 2'd0}]};
        endcase
    endfunction

    // What ad and di make of the nines: written here, one to four of them.
    task write(input [13:0] ad, input [35:0] di, input integer low);
        case (low)
            0: nines[ad[13:3]][ad[2:0]] <= di[0];
            1: nines[ad[13:3]][{1'b0, ad[2:1], 1'b0} +: 2] <= di[1:0];
            2: nines[ad[13:3]][{1'b0, ad[2], 2'b0} +: 4] <= di[3:0];
            3: nines[ad[13:3]] <= di[8:0];
            4: begin
                if (ad[0]) nines[{ad[13:4], 1'd0}] <= di[8:0];
                if (ad[1]) nines[{ad[13:4], 1'd1}] <= di[17:9];
            end
            default: begin
                if (ad[0]) nines[{ad[13:5], 2'd0}] <= di[8:0];
                if (ad[1]) nines[{ad[13:5], 2'd1}] <= di[17:9];
                if (ad[2]) nines[{ad[13:5], 2'd2}] <= di[26:18];
                if (ad[3]) nines[{ad[13:5], 2'd3}] <= di[35:27];
            end
        endcase
    endtask

    wire on_a = ce_a & cs_a == 0 & ~rst_a;
    wire on_b = ce_b & cs_b == 0 & ~rst_b;
    wire writes_a = on_a & (we_a | PAIRED_WRITE);
    wire writes_b = on_b & we_b & !PAIRED_WRITE;
    wire stores_a = writes_a & (LOW_A < 4 | (LOW_A == 4 ? |ad_a[1:0] : |ad_a[3:0]));
    wire stores_b = writes_b & (LOW_B < 4 | (LOW_B == 4 ? |ad_b[1:0] : |ad_b[3:0]));
    wire same = ad_a[13:LOW] == ad_b[13:LOW];
    wire [35:0] read_a = word(ad_a, LOW_A) ^ {36{same & stores_b}};
    wire [35:0] read_b = word(ad_b, LOW_B) ^ {36{same & stores_a}};

    always @(posedge clk_a) begin
        if (writes_a) write(ad_a, {di_b, di_a}, LOW_A);
        if (rst_a) latch_a <= 0;
        else if (on_a & (OLD_A | ~writes_a)) latch_a <= read_a;
        if (oce_a) register_a <= rst_a ? 0 : latch_a;
    end

    always @(posedge clk_b) begin
        if (writes_b) write(ad_b, {18'b0, di_b}, LOW_B);
        if (rst_b) latch_b <= 0;
        else if (on_b & (OLD_B | ~writes_b)) latch_b <= read_b;
        if (oce_b) register_b <= rst_b ? 0 : latch_b;
    end

    wire [35:0] out_a = REGISTER_A ? register_a : latch_a;
    wire [35:0] out_b = REGISTER_B ? register_b : latch_b;
    wire [35:0] low_half = REGISTER_A ? register_b : latch_b;
    assign do_a = PAIRED_READ ? low_half[17:0] : out_a[17:0];
    assign do_b = PAIRED_READ ? out_b[35:18] : out_b[17:0];
endmodule
