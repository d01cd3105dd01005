# make run: the main job on the embedded sample. make ui: look at it. make test: check the project.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PERF_ASSETS_HOME ?= data
export PERF_ASSETS_HOME

.PHONY: run ui test clean

run: $(VENV)/.installed
	$(BIN)/perf-assets run

ui: $(VENV)/.installed
	$(BIN)/perf-assets ui

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

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
