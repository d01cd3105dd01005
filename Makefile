# make run: the main job on the embedded sample. make ui: look at it.
# make check: formatting, types and quick tests. make test: all of the tests. make test-all: each of
# them with more seeds, examples and kills. make upgrade: newer versions of what is installed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PERF_ASSETS_HOME ?= data
export PERF_ASSETS_HOME

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: run ui lint check test test-all upgrade clean

run: $(VENV)/.installed
	$(BIN)/perf-assets run

ui: $(VENV)/.installed
	$(BIN)/perf-assets ui

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint
	$(PYTEST) -m "not slow and not exhaustive"

test: lint
	$(PYTEST) -m "not exhaustive"

test-all: lint
	PERF_ASSETS_TESTS=all $(PYTEST)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) data
