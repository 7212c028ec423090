# Stellar NIC. Each target is one command that can also be run by hand; `make help` lists them.

PYTHON ?= python3
SEED   ?= 1
TEST   ?=
WAVES  ?=
VERILOG ?=
JOBS   ?= 2

BIN  := .venv/bin
BASE := .venv/.installed-base

ifneq ($(filter-out 0 1,$(WAVES)),)
$(error WAVES=$(WAVES) is not known; give WAVES=1 to write waveforms, or leave it out)
endif
unexport WAVES  # cocotb reads a variable of this name by itself; the benches decide
export PYTHON

.PHONY: help sim test lint verilog docs install install-synth pins clean distclean compiler

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  sim and test take:"
	@echo "    TEST=NAME    only what has NAME in its name (test: a pytest -k expression)"
	@echo "    SEED=N       the seed of every random number; default 1, so that runs repeat"
	@echo "    WAVES=1      write waveforms under build/; the run prints where"
	@echo "    VERILOG=BENCH=FILE   (sim) simulate an edited export, e.g. parser_w8=build/verilog/parser_w8.v"
	@echo "  area and timing take:"
	@echo "    BLOCK=NAME WIDTH=8 SLOTS=2048 FLOWS=1024 DEVICE=45k SPEED=6 TIMEOUT=900   block, bytes a beat, slots or flows, ECP5, grade, seconds for a tool"
	@echo "    SEEDS=8      (timing) places and routes with the seeds 1 to 8"
	@echo "  bench and soak take SEED=N, N=FRAMES; soak takes BLOCK=NAME (parser; flow_table, flow_table_port, flow_table_largest: N=COMMANDS), VERILOG"
	@echo "  mutate takes BLOCK=NAME WIDTH=8 (flow_table: SLOTS=64) N=MUTANTS SEED=N JOBS=N, mutants at a time"
	@echo "  formal takes TEST=NAME, a part of proofs' names, and JOBS=N, solvers at a time"
	@echo "  PYTHON=PATH    the Python (3.11 or newer) that makes .venv; default python3"

sim: $(BASE) compiler ## run the gateware under Verilator against the golden model
	$(BIN)/python -m stellar_bench --seed '$(SEED)' $(if $(TEST),--test '$(TEST)') $(if $(filter 1,$(WAVES)),--waves) $(if $(VERILOG),--verilog '$(VERILOG)')

test: $(BASE) compiler ## run every test
	STELLAR_SEED='$(SEED)' STELLAR_WAVES='$(WAVES)' \
	  $(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(if $(TEST),-k '$(TEST)') tests

.PHONY: bench soak
N     ?=
BLOCK ?= parser

bench: $(if $(filter flow_table,$(BLOCK)),.venv/.installed-plot,$(BASE)) compiler ## measure engine, cocotb and models on the same frames (BLOCK=flow_table: fill and cost)
	$(if $(filter parser flow_table,$(BLOCK)),,$(error BLOCK=$(BLOCK) has no bench; there are parser and flow_table))
	$(if $(filter flow_table,$(BLOCK)),\
	  $(BIN)/python -m stellar_bench.fill --seed '$(SEED)' $(if $(N),--tables '$(N)') \
	    --page docs/performance.md --picture docs/flow-table-fill.svg,\
	  $(BIN)/python -m stellar_bench.speed --seed '$(SEED)' $(if $(N),--frames '$(N)'))

soak: $(BASE) compiler ## put a million frames or commands through a block's gateware and its model
	$(BIN)/python -m stellar_bench.soak --block '$(BLOCK)' --seed '$(SEED)' $(if $(N),--frames '$(N)') $(if $(VERILOG),--verilog '$(VERILOG)')

lint: $(BASE) ## check style, and the fence between gateware and model
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/fence.py

.PHONY: formal
formal: $(BASE) ## prove properties of the gateware; broken twins must fail, covers be reached
	$(BIN)/python -m stellar_formal --jobs '$(JOBS)' $(if $(TEST),--test '$(TEST)')

.PHONY: mutate
mutate: $(BASE) compiler ## put small faults into a block and count how many its stimuli notice
	$(BIN)/python -m stellar_bench.mutate --block '$(BLOCK)' $(SIZE) \
	  --seed '$(SEED)' --jobs '$(JOBS)' $(if $(N),--count '$(N)')

verilog: $(BASE) ## export the gateware as Verilog, also with AXI4-Stream ports, into build/verilog
	$(BIN)/python -m stellar_nic.verilog --out build/verilog

# Area and timing on ECP5: the method and the table are in docs/performance.md
# A size is handed on only where one is given: each block has its own, and refuses the other.
SIZE     = $(if $(WIDTH),--width '$(WIDTH)') $(if $(SLOTS),--slots '$(SLOTS)') $(if $(FLOWS),--flows '$(FLOWS)')
WIDTH   ?=
SLOTS   ?=
FLOWS   ?=
SEEDS   ?= 8
DEVICE  ?= 45k
SPEED   ?= 6
TIMEOUT ?= 900
BLOCK   ?= parser
SYNTH    = --block '$(BLOCK)' $(SIZE) --device '$(DEVICE)' --speed '$(SPEED)' --timeout '$(TIMEOUT)'

.PHONY: timing area
timing: .venv/.installed-synth ## measure a block's area and maximum frequency on ECP5, into docs/performance.md
	$(BIN)/python -m stellar_synth timing $(SYNTH) --seeds '$(SEEDS)' --page docs/performance.md

area: .venv/.installed-synth ## measure a block's area only, and that of each of its modules (fast)
	$(BIN)/python -m stellar_synth area $(SYNTH)

docs: $(BASE) ## write the generated tables and the example capture in docs/
	$(BIN)/python -m stellar_spec.docs
	$(BIN)/python -m stellar_bench.vectors --pcap docs/examples/stellartp.pcap

.PHONY: wire dissect-check
wire: $(BASE) ## write the Wireshark dissector and the C header made from the specification
	$(BIN)/python -m stellar_wire

dissect-check: $(BASE) ## compare dissector and model through tshark (N=RANDOM FRAMES, default 10000)
	$(BIN)/python -m stellar_bench.tshark --seed '$(SEED)' $(if $(N),--count '$(N)')

CHECK ?=
ifneq ($(filter-out 0 1,$(CHECK)),)
$(error CHECK=$(CHECK) is not known; give CHECK=1 to put the frames through the gateware, or leave it out)
endif
.PHONY: hostile
hostile: $(BASE) $(if $(filter 1,$(CHECK)),compiler) ## write the hostile frames into build/hostile (CHECK=1: and run them)
	$(BIN)/python -m stellar_hostile --seed '$(SEED)' --interleave --list \
	  --pcap build/hostile/hostile.pcap --index build/hostile/hostile.jsonl
	$(if $(filter 1,$(CHECK)),$(BIN)/python -m stellar_bench.hostile --seed '$(SEED)')

install: $(BASE) ## make .venv with all that sim, test, formal and lint need (they do so by themselves)

install-synth: .venv/.installed-synth ## add the open synthesis tools to .venv

pins: ## renew constraints.txt after a change of dependencies (UPGRADE=1: newest versions)
	tools/pins.sh $(if $(UPGRADE),upgrade)

clean: ## remove what the targets made; .venv stays
	rm -rf build .pytest_cache .ruff_cache .hypothesis *.egg-info
	find hw sim boards host tests tools -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## remove .venv too
	rm -rf .venv

$(BASE): pyproject.toml constraints.txt tools/install.sh
	@tools/install.sh sim,dev,formal
	@touch $@

.venv/.installed-synth: $(BASE)
	@tools/install.sh sim,dev,formal,synth
	@touch $@

.venv/.installed-plot: $(BASE)
	@tools/install.sh sim,dev,formal,plot
	@touch $@

compiler: # what Verilator calls while it builds
	@command -v c++ >/dev/null || { \
	  echo "error: no C++ compiler 'c++', which Verilator calls; on Debian and Ubuntu: apt install g++" >&2; exit 1; }
	@perl -MFindBin -MPod::Usage -e 1 2>/dev/null || { \
	  echo "error: no usable 'perl', which Verilator calls; on Debian and Ubuntu: apt install perl" >&2; exit 1; }
