# Everything a person or CI does here, each from a fresh clone.
# Needs Python 3.11+, pip, make and a Rust toolchain; a target says so first if one is missing.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
FUZZ_CASES ?= 20000
STAMP  := $(VENV)/.separatrix-built
# What the built module depends on.
SOURCES := $(shell find native Cargo.toml Cargo.lock pyproject.toml -type f -not -path '*/target/*' 2>/dev/null)

.PHONY: help demo test check format lint types rust-test python-test bench fuzz clean tools

help:  ## say what each target does
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Separatrix needs Python 3.11 or newer as '$(PYTHON)'. Install it (Debian: apt-get install python3 python3-venv), or name yours: make PYTHON=/path/to/python3"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Separatrix needs Python's venv and pip. Debian: apt-get install python3-venv python3-pip"; exit 2; }
	@command -v cargo >/dev/null || { \
	  echo "Separatrix needs a Rust toolchain, 1.89 or newer (cargo was not found). Install it with rustup, https://rustup.rs"; exit 2; }
	@cargo --version | $(PYTHON) -c 'import re, sys; sys.exit([*map(int, re.findall(r"\d+", sys.stdin.read())[:2])] < [1, 89])' || { \
	  echo "Separatrix needs Rust 1.89 or newer, but this is $$(cargo --version). Update it: rustup update"; exit 2; }

$(STAMP): $(SOURCES) | tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@echo "building Separatrix into $(VENV) (a few minutes the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(STAMP)  ## build, then train and predict on real data, explained
	@$(BIN)/python examples/demo.py

test: $(STAMP) rust-test python-test  ## build, then every test, Rust and Python

check: $(STAMP) format lint types rust-test python-test  ## what CI runs: format, lint, types, tests

format: | $(STAMP)
	cargo fmt --all --check
	$(BIN)/ruff format --check src tests benchmarks examples

lint: | $(STAMP)
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff check src tests benchmarks examples

types: | $(STAMP)
	$(BIN)/mypy

rust-test: | tools
	@if command -v cargo-nextest >/dev/null; then cargo nextest run --workspace --cargo-quiet; else cargo test --workspace --quiet; fi

python-test: | $(STAMP)
	$(BIN)/python -m pytest

bench: $(STAMP)  ## measure against the peers (long; installs them into benchmarks/.venv)
	$(BIN)/python benchmarks/run.py

fuzz: $(STAMP)  ## feed damaged text and model files to the readers (long; FUZZ_CASES=20000)
	PROPTEST_CASES=$(FUZZ_CASES) cargo test --release --workspace -- fuzz
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -k fuzz

clean:  ## remove what was built
	rm -rf target $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
