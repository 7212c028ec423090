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

.PHONY: help sim test lint verilog docs install install-synth pins clean distclean compiler wire dissect-check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  sim and test take:"
	@echo "    TEST=NAME    only what has NAME in its name (test: a pytest -k expression)"
	@echo "    SEED=N       the seed of every random number; default 1, so that runs repeat"
	@echo "    WAVES=1      write waveforms under build/; the run prints where"
	@echo "    VERILOG=BENCH=FILE   (sim) simulate an edited export, e.g. parser_w8=build/verilog/parser_w8.v"
	@echo "  PYTHON=PATH    the Python (3.11 or newer) that makes .venv; default python3"

sim: $(BASE) compiler ## run the gateware under Verilator against the golden model
	$(BIN)/python -m stellar_bench --seed '$(SEED)' $(if $(TEST),--test '$(TEST)') $(if $(filter 1,$(WAVES)),--waves) $(if $(VERILOG),--verilog '$(VERILOG)')

test: $(BASE) compiler ## run every test
	STELLAR_SEED='$(SEED)' STELLAR_WAVES='$(WAVES)' \
	  $(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(if $(TEST),-k '$(TEST)') tests

lint: $(BASE) ## check style, and the fence between gateware and model
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/fence.py

verilog: $(BASE) ## export the gateware as Verilog into build/verilog
	$(BIN)/python -m stellar_nic.verilog --out build/verilog

docs: $(BASE) ## write the generated tables and the example capture in docs/
	$(BIN)/python -m stellar_spec.docs
	$(BIN)/python -m stellar_bench.vectors --pcap docs/examples/stellartp.pcap

wire: $(BASE) ## write the Wireshark dissector and the C header made from the specification
	$(BIN)/python -m stellar_wire

dissect-check: $(BASE) ## compare dissector and model through tshark (N=10000 random frames, SEED)
	$(BIN)/python -m stellar_bench.tshark --seed '$(SEED)' --count '$(or $(N),10000)'

install: $(BASE) ## make .venv with all that sim, test and lint need (they do so by themselves)

install-synth: .venv/.installed-synth ## add the open synthesis tools to .venv

pins: ## renew constraints.txt after a change of dependencies (UPGRADE=1: newest versions)
	tools/pins.sh $(if $(UPGRADE),upgrade)

clean: ## remove what the targets made; .venv stays
	rm -rf build .pytest_cache .ruff_cache .hypothesis *.egg-info
	find hw sim boards host tests tools -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## remove .venv too
	rm -rf .venv

$(BASE): pyproject.toml constraints.txt tools/install.sh
	@tools/install.sh sim,dev
	@touch $@

.venv/.installed-synth: $(BASE)
	@tools/install.sh sim,dev,synth
	@touch $@

compiler: # what Verilator calls while it builds
	@command -v c++ >/dev/null || { \
	  echo "error: no C++ compiler 'c++', which Verilator calls; on Debian and Ubuntu: apt install g++" >&2; exit 1; }
	@perl -MFindBin -MPod::Usage -e 1 2>/dev/null || { \
	  echo "error: no usable 'perl', which Verilator calls; on Debian and Ubuntu: apt install perl" >&2; exit 1; }
