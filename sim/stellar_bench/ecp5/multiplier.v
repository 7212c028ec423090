// Simulation model of the ECP5's multiplier (MULT18X18D), in what PipelinedMultiplier and yosys use
// of it: 18 x 18 bits, each signed or not; a register at the inputs, one inside, one at the output,
// each there or not. Clock, clock enable and reset are the cell's first ones. Sources: cells.py.
module multiplier #(
    parameter INPUT = 0,
    parameter INSIDE = 0,
    parameter OUTPUT = 0
) (
    input clk, ce, rst,
    input signed_a, signed_b,
    input [17:0] a, b,
    output [35:0] p
);
    reg [18:0] a_register, b_register;  // with the sign, or 0
    reg [35:0] inside_register, output_register;
    initial {a_register, b_register, inside_register, output_register} = 0;

    wire [18:0] a_wide = {signed_a & a[17], a};
    wire [18:0] b_wide = {signed_b & b[17], b};
    wire signed [18:0] factor_a = INPUT ? a_register : a_wide;
    wire signed [18:0] factor_b = INPUT ? b_register : b_wide;
    wire signed [37:0] product = factor_a * factor_b;
    wire [35:0] between = INSIDE ? inside_register : product[35:0];
    assign p = OUTPUT ? output_register : between;

    always @(posedge clk)
        if (rst) {a_register, b_register, inside_register, output_register} <= 0;
        else if (ce) begin
            a_register <= a_wide;
            b_register <= b_wide;
            inside_register <= product[35:0];
            output_register <= between;
        end
endmodule
