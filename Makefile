# Two commands do everything: `make demo` and `make test`. Python >= 3.11 and make are all they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-compile --constraint constraints.txt
SETUP := pyproject.toml lab/pyproject.toml constraints.txt
REST := lint types contract docs demo proofs
# Hundreds of interpreters start in a test run: compiling everything anew in each, where the environment asks for that, takes
# minutes. What is compiled lies in the environment, not among the sources.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(abspath $(VENV))/bytecode
# `make proofs` has the checker go through the libraries too; a test run takes them as installed.
LIBRARIES := --libraries
# What a part writes comes in one piece, where make can do that (not before 4.0).
WHOLE := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.DEFAULT_GOAL := help
.PHONY: help demo test rest lint types contract unit docs proofs links campaign bench lowest dist clean

help:  ## Print what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

$(VENV)/python.done:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "overbar needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# What the tests need has all that the demo needs: nothing is installed twice.
# An older pip does it too, in twice the time.
$(VENV)/test.done: $(VENV)/python.done $(SETUP)
	@$(PIP) --upgrade pip || true
	$(PIP) --editable '.[test,docs]' --editable ./lab
	@touch $@ $(VENV)/demo.done

$(VENV)/dist.done: $(VENV)/test.done $(SETUP)
	$(PIP) --editable '.[test,dist]'
	@touch $@

$(VENV)/demo.done: $(VENV)/python.done $(SETUP)
	$(PIP) --editable '.[cli]'
	@touch $@

demo: $(VENV)/demo.done  ## Set up a private environment and select from a million purchases, privately
	@$(BIN)/python examples/demo.py

# Tests write as they go, and beside them the rest, one after the other, each in one piece. Proofs need no packages, so they
# are checked beside the set-up.
test: $(VENV)/python.done  ## Set up and run lint, types, import contract, tests, documentation, demo, proofs
	@$(MAKE) --no-print-directory --keep-going --jobs=2 unit rest

rest: LIBRARIES :=
rest: $(VENV)/python.done proofs $(VENV)/test.done  ## All of `make test` but the tests
	@$(MAKE) --no-print-directory $(WHOLE) CACHE=$(if $(wildcard .mypy_cache),,--cache-dir=/dev/null) $(filter-out proofs,$(REST))

lint: $(VENV)/test.done  ## Style, format, and docstrings of the documented API
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.docstrings

# Where no types are known yet, a test run does not write down those it finds: that takes a sixth of the time.
types: $(VENV)/test.done  ## Static types, strict
	$(BIN)/mypy $(CACHE)

contract: $(VENV)/test.done  ## Who may import whom
	$(BIN)/lint-imports

unit: $(VENV)/test.done  ## Doctests and tests
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

docs: $(VENV)/test.done  ## Build the documentation into docs/_build, warnings are errors, and look at it in a browser
	$(BIN)/sphinx-build -q -n -W --keep-going -b html docs docs/_build
	OVERBAR_SITE=docs/_build $(BIN)/pytest -q tests/docs/test_site.py

proofs:  ## Check the proofs by machine; needs Coq and Coquelicot, and says so in one line without them
	@$(PYTHON) -m tools.proofs $(LIBRARIES)

links: $(VENV)/test.done  ## Follow the links that leave the documentation; needs a network
	$(BIN)/sphinx-build -q -b linkcheck docs docs/_build/links

campaign: $(VENV)/test.done  ## A long run of which the tests make a part: NAME=crash; without a name they are listed
	@$(BIN)/python -m tests.campaigns $(NAME)

bench: $(VENV)/test.done  ## Benchmarks: ratios against peers measured in the same run
	$(BIN)/python -m benchmarks

lowest: $(VENV)/python.done  ## Test with the lowest versions that pyproject.toml allows, in an environment of its own
	$(BIN)/python -m tools.lowest $(VENV)/lowest

dist: $(VENV)/dist.done  ## Build wheel and sdist twice, compare and check them, try the wheel by itself, list what it brings
	rm -rf build dist sbom.cdx.json
	$(BIN)/python -m tools.packing dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m tools.distribution dist

clean:  ## Remove the environment and caches
	rm -rf $(VENV) build dist sbom.cdx.json docs/_build docs/_figures docs/api/modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f proofs/*.vo* proofs/*.glob proofs/.*.aux proofs/.*.cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
