// Simulation model of two steps of the ECP5's carry chain (CCU2C), each a look-up table of four
// inputs. A step's carry goes on where its table gives 1; else it becomes what the table gives of A
// and B with C and D low, or 0 with INJECT. Its sum is the table's output, inverted by the carry
// that comes in unless INJECT is set. Source: yosys, techlibs/lattice/ccu2c_sim.vh.
module CCU2C (
    input CIN, A0, B0, C0, D0, A1, B1, C1, D1,
    output S0, S1, COUT
);
    parameter [15:0] INIT0 = 0, INIT1 = 0;
    parameter INJECT1_0 = "YES", INJECT1_1 = "YES";
    localparam INJECT_0 = INJECT1_0 == "YES", INJECT_1 = INJECT1_1 == "YES";

    wire table_0 = INIT0[{D0, C0, B0, A0}], table_1 = INIT1[{D1, C1, B1, A1}];
    wire carry = table_0 ? CIN : !INJECT_0 & INIT0[{2'b0, B0, A0}];
    assign COUT = table_1 ? carry : !INJECT_1 & INIT1[{2'b0, B1, A1}];
    assign S0 = table_0 ^ (!INJECT_0 & CIN);
    assign S1 = table_1 ^ (!INJECT_1 & carry);
endmodule
