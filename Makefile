# `make help` lists what this file does.  Whatever a target needs is set up first, in .venv, once.
#
#   PYTHON=/path/to/python3   the Python to use (3.11 or newer); else the first that is found
#   ARGS="..."                passed on: make terminal ARGS="--players 3", make test ARGS="-k diamonds"

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Without the files that Python compiles, every process of a run would rewrite all tests anew.
unexport PYTHONDONTWRITEBYTECODE

ARGS ?=
GAME ?= diamonds
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet
# Where NVIDIA's driver is, games are also played on the device.
GPU := $(if $(wildcard /proc/driver/nvidia/version),$(VENV)/.gpu)
# Two processes more than there are processors: tests of servers and pages often wait for others.
PYTEST := $(BIN)/python -m pytest -n $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 2 ))) --maxprocesses=8 --dist=loadgroup --no-loadscope-reorder

# What tests write (thousands of small files and databases) stays in memory where there is room and programs may run.
define IN_MEMORY
roomy() { [ "$$(df --output=avail -BG "$$1" | tail -n 1 | tr -dc 0-9)" -ge 4 ] && cp "$$(type -P true)" "$$1/" && "$$1/true"; } 2>/dev/null
export TMPDIR=$$(mktemp -d /dev/shm/parlour-XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$$TMPDIR"' EXIT
roomy "$$TMPDIR" || { rm -rf "$$TMPDIR"; unset TMPDIR; TMPDIR=$$(mktemp -d); export TMPDIR; }
chmod 755 "$$TMPDIR"
endef

# What the tests need: packages, and beside them a browser from the system's.
SET_UP := $(MAKE) --no-print-directory --jobs=2 set-up
LONG := $(addprefix $(VENV)/.,dev browser state docs training cluster) $(GPU)

.PHONY: help play terminal test quick test-long nightly set-up settings translations unbeatable mutants campaigns attack simulate-room load docs screenshots lint format audit wheels bench bench-peers benchmark lock \
        clean distclean

help: ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1@\2/p' Makefile | column -t -s @ 2>/dev/null || grep -E '^[a-z-]+:.*##' Makefile

play: $(VENV)/.play ## open the parlour in the browser (ARGS="--port 8080")
	@exec $(BIN)/parlour serve --open $(ARGS)

terminal: $(VENV)/.play ## play Diamonds in the terminal (GAME=leduc for another game)
	@exec $(BIN)/parlour play $(GAME) $(ARGS)

test: ## style, types, tests and the examples in the code
	@$(SET_UP)
	$(IN_MEMORY)
	bad=""
	types=$$(mktemp)
	$(BIN)/mypy >"$$types" 2>&1 & mypy=$$!
	$(BIN)/ruff check --quiet --output-format=concise || bad+=", ruff check"
	$(BIN)/ruff format --check --quiet --output-format=concise || bad+=", ruff format (make format)"
	$(PYTEST) $(ARGS) || bad+=", pytest"
	wait $$mypy || bad+=", mypy"
	cat "$$types"; rm "$$types"
	if [ -n "$$bad" ]; then echo "failed: $${bad#, }" >&2; exit 1; fi

quick: $(VENV)/.dev $(VENV)/.state ## style, types and tests of what has changed since main, in some seconds
	@$(BIN)/python -m tools.quick $(ARGS)

test-long: $(LONG) ## the tests that take minutes
	@$(IN_MEMORY)
	$(PYTEST) -m long $(ARGS)

nightly: $(LONG) $(VENV)/.code ## the long checks of a night: what has changed, then the oldest (ARGS="--hours 1", ARGS=long, ARGS=--list)
	@$(BIN)/python -m tools.nightly $(ARGS)

settings: $(VENV)/.dev ## the settings of games that the tests try, worked out anew (ARGS: names of games)
	@$(BIN)/python -m tools.covering $(ARGS)

translations: $(VENV)/.dev ## the catalogues of translations, with what people read now (ARGS: languages; a new one is begun)
	@$(BIN)/python -m tools.translations $(ARGS)

unbeatable: $(VENV)/.dev ## the tables of Diamondback's best player, solved anew (a quarter of an hour; goes on in build/unbeatable; ARGS=--measure)
	@$(BIN)/python -m tools.unbeatable $(ARGS)

mutants: $(VENV)/.dev ## small faults planted in the rules that no test notices (GAME=leduc; ARGS="--count 50")
	@$(BIN)/python -m tools.mutants $(if $(filter file,$(origin GAME)),,$(GAME)) $(ARGS)

campaigns: $(VENV)/.dev ## the long checks, piece by piece, with a logbook (ARGS="--list", ARGS="--minutes 30 audit dividha")
	@$(BIN)/python -m tools.campaigns $(ARGS)

attack: $(VENV)/.dev ## attack a real server in every way we know, and tell what held (ARGS="--fast", ARGS="--only undo")
	@$(BIN)/python -m tools.attack $(ARGS)

simulate-room: $(VENV)/.dev ## the server in simulated worlds, by time or by seed (ARGS="--seconds 600", ARGS="--seed 17", ARGS=--planted)
	@$(BIN)/python -m tools.simulation $(ARGS)

load: $(VENV)/.dev $(VENV)/.state ## how much load a server carries (ARGS="--tables 250 --rate 1", ARGS=--pages)
	@$(BIN)/python -m tools.load $(ARGS)

docs: $(VENV)/.dev $(VENV)/.docs ## write the tables that the documents take from the code, and build the site in build/site
	@$(BIN)/python -c "from pathlib import Path; from parlour.rules.contract import write_table; write_table(Path('docs/adding_a_game.md'))"
	$(BIN)/python -m tools.contracts
	$(BIN)/ruff format --quiet src/parlour/games/typed.py
	$(BIN)/python -m tools.website

screenshots: $(VENV)/.dev $(VENV)/.browser ## pictures of every table, in build/images (ARGS: names of games)
	@$(BIN)/python -m tools.screenshots $(ARGS)

lint: $(VENV)/.dev ## style and types only
	@$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.dev ## put the style right
	@$(BIN)/ruff check --fix
	$(BIN)/ruff format

audit: $(VENV)/.play ## nothing leaks, nothing is lost: every check on every game
	@$(BIN)/parlour audit $(ARGS)

wheels: $(VENV)/.dev ## wheels for every system, in dist, and the source (ARGS=--prove: tried as far as this machine can)
	@$(BIN)/python -m tools.shipping $(ARGS)

bench: $(VENV)/.play $(VENV)/.state ## speed on this machine
	@$(BIN)/parlour bench $(ARGS)

bench-peers: $(VENV)/.peers $(VENV)/.state ## the same beside OpenSpiel, Pgx, RLCard and PettingZoo
	@$(BIN)/python -m tools.peers $(ARGS)

benchmark: $(VENV)/.training $(VENV)/.state ## the tables and curves of docs/benchmark.md, as far as they are missing (hours; goes on where it was stopped)
	@$(BIN)/python -m tools.benchmark

clean: ## remove what was built or cached, except .venv
	@rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage htmlcov
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove .venv too
	@rm -rf $(VENV)

# ------------------------------------------------------------------------------------------------ set-up

set-up: $(VENV)/.dev $(VENV)/.browser $(VENV)/.state $(VENV)/.code

# Some distributions split venv's helper (ensurepip) into a package of its own.  Without it the machine's pip will do;
# without that, root on a Debian-like machine gets the package, and anybody else one sentence.
$(VENV)/.made:
	@try() { "$$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
	find_python() {
	    py=""
	    for p in $(or $(PYTHON),python3.11 python3.12 python3.13 python3.14 python3); do
	        if try "$$p"; then py=$$p; break; fi
	    done
	    [ -n "$$py" ]
	}
	apt() { # root only
	    [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
	    echo "parlour: apt-get install $$*"
	    apt-get install -qq -y "$$@" >/dev/null 2>&1 ||
	        { apt-get update -qq >/dev/null && apt-get install -qq -y "$$@" >/dev/null; }
	}
	stop() { echo "parlour: $$*" >&2; exit 1; }
	make_venv() {
	    if "$$py" -c 'import venv, ensurepip' 2>/dev/null; then
	        "$$py" -m venv --clear $(VENV)
	    elif "$$py" -c 'import venv' 2>/dev/null && "$$py" -m pip --python "$$py" --version >/dev/null 2>&1; then
	        "$$py" -m venv --clear --without-pip $(VENV)
	        "$$py" -m pip --python $(BIN)/python install --quiet --disable-pip-version-check pip
	    else
	        return 1
	    fi
	}
	if ! { try $(BIN)/python && $(BIN)/python -m pip --version >/dev/null 2>&1; }; then
	    find_python || { apt python3 python3-venv && find_python; } ||
	        stop "needs Python 3.11 or newer; install it (on Debian or Ubuntu: apt-get install python3 python3-venv) or name one with make PYTHON=..."
	    ver=$$("$$py" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	    echo "parlour: making $(VENV) with Python $$ver"
	    make_venv || { apt "python$$ver-venv" && make_venv; } ||
	        stop "Python $$ver cannot make virtual environments here; on Debian or Ubuntu run: apt-get install python$$ver-venv"
	fi
	touch $@

# Locked versions with their hashes; then the package itself, from where it lies, with the locked build tool.  uv, locked
# too, takes a tenth of pip's time; where it cannot be had, or cannot get something that pip can, pip does it.
install = { [ -x $(BIN)/uv ] && $(BIN)/uv pip install --quiet --python $(BIN)/python $(1); } || $(PIP) install $(1)
$(VENV)/.uv: $(VENV)/.made
	@sed -n '/^uv==/,/[^\]$$/p' requirements-dev.lock >$@
	$(PIP) install --require-hashes -r $@ 2>/dev/null || true

$(VENV)/.play: $(VENV)/.made requirements.lock pyproject.toml | $(VENV)/.uv
	@echo "parlour: installing what it needs (once)"
	$(call install,--require-hashes -r requirements.lock)
	$(call install,--no-deps --no-build-isolation -e .)
	touch $@

$(VENV)/.dev: $(VENV)/.play requirements-dev.lock
	@echo "parlour: installing what the tests need (once)"
	$(call install,--require-hashes -r requirements-dev.lock)
	touch $@

# The tests of the page need a browser: the machine's Chromium, best of all without what a screen needs.  Root on a
# Debian-like machine gets that; without any these tests fail and say what to install.
$(VENV)/.browser: $(VENV)/.made
	@if ! command -v chromium-headless-shell >/dev/null && [ -z "$${PARLOUR_CHROMIUM:-}" ] &&
	    [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	    echo "parlour: apt-get install chromium-headless-shell (for the tests of the page)"
	    get() { apt-get install -qq -y "$$1" >/dev/null 2>&1; }
	    get chromium-headless-shell || { apt-get update -qq >/dev/null && get chromium-headless-shell; } ||
	        command -v chromium chromium-browser google-chrome >/dev/null || get chromium || exit 0
	fi
	touch $@

# The types in C.  Where there is no compiler, the package ziglang is one, for the rules as C too.  (Never beside another
# run of pip.)
$(VENV)/.state: $(VENV)/.play hatch_build.py src/parlour/engine/native.py $(wildcard src/parlour/engine/*.[ch]) | $(if $(filter set-up,$(MAKECMDGOALS)),$(VENV)/.dev)
	@if [ -z "$${CC:-}" ] && ! command -v cc gcc clang >/dev/null; then
	    echo "parlour: installing a compiler of C, the package ziglang (once)"
	    $(PIP) install --require-hashes -r requirements-compiler.lock || true
	fi
	if $(BIN)/python hatch_build.py; then touch $@; fi

# Libraries are kept in the user's cache, for all clones; whatever is missing there is made by the test that wants it.
$(VENV)/.code: $(VENV)/.dev $(VENV)/.state tools/machine_code.py $(wildcard src/parlour/*/*.py src/parlour/engine/c/* src/parlour/*/kernels/*.py src/parlour/games/*/*.py)
	@echo "parlour: making libraries of the games, reading tests and types of others (once for each change of rules)"
	$(BIN)/mypy >/dev/null 2>&1 &
	$(BIN)/python -m pytest --collect-only -qq -n 0 >/dev/null 2>&1 & # else each process of the tests compiles all of them
	$(BIN)/python -m tools.machine_code
	wait
	touch $@

WHAT_peers := OpenSpiel, Pgx, RLCard and PettingZoo
WHAT_docs := what the documentation site needs
WHAT_cluster := Ray for the example of a cluster
WHAT_gpu := the bindings to NVIDIA's driver
$(VENV)/.peers $(VENV)/.docs $(VENV)/.cluster $(VENV)/.gpu: $(VENV)/.%: $(VENV)/.dev requirements-%.lock
	@echo "parlour: installing $(WHAT_$*) (once)"
	$(call install,--require-hashes -r requirements-$*.lock)
	touch $@

# PyTorch without CUDA, from its own index, whose builds have a name of their own for each Python: only its version is locked.
TORCH = torch==2.13.0+cpu
TORCH_INDEX = --extra-index-url https://download.pytorch.org/whl/cpu
$(VENV)/.training: $(VENV)/.dev requirements-training.lock
	@echo "parlour: installing PyTorch for the learners in docs/examples (once)"
	$(PIP) install --no-deps $(TORCH_INDEX) $(TORCH)
	$(PIP) install --require-hashes -r requirements-training.lock
	touch $@

# The lock files are cut from one resolution, so a version never depends on what else is installed.
LOCK = $(BIN)/uv pip compile pyproject.toml --group build --universal --python-version 3.11 --fork-strategy fewest \
       --generate-hashes --no-annotate --custom-compile-command "make lock" --quiet
lock: $(VENV)/.made ## resolve all versions anew where pyproject.toml asks for it (ARGS=--upgrade: everywhere)
	@$(PIP) install uv
	$(LOCK) --extra all --extra compiler --group dev --group peers -o requirements-peers.lock $(ARGS) >/dev/null
	$(LOCK) --extra training --group suites --no-emit-package torch $(TORCH_INDEX) --index-strategy unsafe-best-match -c requirements-peers.lock -c <(echo $(TORCH)) -o requirements-training.lock --upgrade >/dev/null
	$(LOCK) --extra cluster -c requirements-peers.lock -o requirements-cluster.lock --upgrade >/dev/null
	$(LOCK) --extra gpu -c requirements-peers.lock -o requirements-gpu.lock --upgrade >/dev/null
	$(LOCK) --extra compiler -c requirements-peers.lock -o requirements-compiler.lock --upgrade >/dev/null
	$(LOCK) --group docs -c requirements-peers.lock -o requirements-docs.lock --upgrade >/dev/null
	$(LOCK) --extra all --extra compiler --group dev -c requirements-peers.lock -o requirements-dev.lock --upgrade >/dev/null
	$(LOCK) --extra server -c requirements-peers.lock -o requirements.lock --upgrade >/dev/null
