"""The benches: gateware in a simulator against the golden model.

What runs, and what it says
    ``cli`` (``python -m stellar_bench``), ``inputs``, ``benches``, ``job``, ``results``, ``report``
Streams in any bench
    ``packets``, ``stream_agents``, ``bench_base``; under cocotb ``streams``; in Amaranth's
    simulator ``amaranth_streams``, ``stream_suite``
The parser
    ``parse`` (scenarios in either simulator), ``scoreboard``, ``coverage``, ``testbenches``
The flow table
    ``flow`` (in C++ without cocotb, and its judge); ``soak`` runs it and the parser at length
Frames
    ``frames`` (made and captured ones), ``vectors`` (the golden ones)
Verilator
    ``verilate`` (cache of builds), ``native`` (the parser in C++ without cocotb), ``waves``
"""
