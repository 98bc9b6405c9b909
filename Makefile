# Two commands do everything: `make demo` and `make test`. Python >= 3.11 and make are all they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt
SETUP := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test lint types contract unit docs links bench mutation crash neighbours clean

help:  ## Print what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

$(VENV)/python.done:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "overbar needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run.done: $(VENV)/python.done $(SETUP)
	$(PIP) --editable '.'
	@touch $@

$(VENV)/test.done: $(VENV)/run.done $(SETUP)
	$(PIP) --editable '.[test,docs]'
	@touch $@

$(VENV)/bench.done: $(VENV)/test.done $(SETUP)
	$(PIP) --editable '.[test,bench]'
	@touch $@

$(VENV)/mutation.done: $(VENV)/test.done $(SETUP)
	$(PIP) --editable '.[test,mutation]'
	@touch $@

$(VENV)/demo.done: $(VENV)/python.done $(SETUP)
	$(PIP) --editable '.[cli]'
	@touch $@

demo: $(VENV)/demo.done  ## Set up a private environment and select from a million purchases, privately
	@$(BIN)/python examples/demo.py

test: lint types contract unit docs demo  ## Set up and run lint, types, import contract, tests, documentation, demo

lint: $(VENV)/test.done  ## Style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.done  ## Static types, strict
	$(BIN)/mypy

contract: $(VENV)/test.done  ## Who may import whom
	$(BIN)/lint-imports

unit: $(VENV)/test.done  ## Doctests and tests
	$(BIN)/pytest -n auto

docs: $(VENV)/test.done  ## Build the documentation into docs/_build, warnings are errors
	$(BIN)/sphinx-build -q -n -W --keep-going -j auto -b html docs docs/_build

links: $(VENV)/test.done  ## Follow the links that leave the documentation; needs a network
	$(BIN)/sphinx-build -q -b linkcheck docs docs/_build/links

crash: $(VENV)/test.done  ## Kill 1,000 processes in the middle of releases; the ledger must hold what got out
	$(BIN)/python -m tests.ledger.crash --kills 1000

neighbours: $(VENV)/test.done  ## Compare 20,000 neighbouring tables of every engine and type
	OVERBAR_NEIGHBOURS=20000 $(BIN)/pytest -n auto tests/privacy/test_neighbouring_tables.py

bench: $(VENV)/bench.done  ## Benchmarks: ratios against peers measured in the same run
	$(BIN)/python -m benchmarks

mutation: $(VENV)/mutation.done  ## Change the code in small ways and see whether a test notices (hours)
	$(BIN)/python -m mutation

clean:  ## Remove the environment and caches
	rm -rf $(VENV) build dist docs/_build docs/_figures docs/api/rooms .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
