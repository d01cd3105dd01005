# make run: the main job on the embedded sample. make ui: look at it. make explore: query it.
# make check: formatting, types and quick tests. make test: all tests. make test-all: each of them
# with more seeds, examples and kills. make spark-test: the models on Apache Spark. make mutation:
# which faults in the core go unnoticed. make upgrade: newer versions of what is installed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PERF_ASSETS_HOME ?= data
export PERF_ASSETS_HOME

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: run ui explore pictures lint check test test-all spark-test dictionary mutation upgrade clean

run: $(VENV)/.installed
	$(BIN)/perf-assets run

ui: $(VENV)/.installed
	$(BIN)/perf-assets ui

explore: $(VENV)/.installed
	$(BIN)/perf-assets explore

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint
	$(PYTEST) -m "not slow and not exhaustive"

test: lint
	$(PYTEST) -m "not exhaustive"

test-all: lint
	PERF_ASSETS_TESTS=all $(PYTEST) --timeout 14400

# The models on Apache Spark: SPARK_PYTHON is a Python with pyspark beside Java 17.
spark-test: $(VENV)/.installed-dev
	PERF_ASSETS_SPARK_PYTHON=$(or $(SPARK_PYTHON),$(error name it: make spark-test SPARK_PYTHON=PYTHON)) \
		$(PYTEST) --timeout 14400 tests/engines

mutation: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks.mutation $(MUTATION)

# docs/data_dictionary.md, from the declarations of the tables; a test says when it is stale.
dictionary: $(VENV)/.installed
	$(BIN)/python -c 'from perf_assets.reports.dictionary import dictionary_markdown as page; print(page(), end="")' > docs/data_dictionary.md

# docs/pictures, in chromium, from the home that make run leaves.
pictures: $(VENV)/.installed-dev
	$(BIN)/python -m tests.browser.pictures $(PERF_ASSETS_HOME)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

# What is installed is locked in deploy/, with the sum of each file; make upgrade renews the locks.
LOCKED := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement
PROJECT := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .

$(VENV)/.installed: pyproject.toml deploy/requirements.txt | $(VENV)/bin/python
	$(LOCKED) deploy/requirements.txt
	$(PROJECT)
	touch $@

$(VENV)/.installed-dev: pyproject.toml deploy/requirements-dev.txt | $(VENV)/bin/python
	$(LOCKED) deploy/requirements-dev.txt
	$(PROJECT)
	touch $@ $(VENV)/.installed

LOCK := UV_CUSTOM_COMPILE_COMMAND="make upgrade" $(BIN)/uv pip compile --quiet --upgrade --universal \
	--python-version 3.11 --generate-hashes --no-strip-extras --no-emit-index-url \
	--extra explore --extra kubernetes --extra lake --extra postgres --extra spark --group build pyproject.toml

upgrade: $(VENV)/.installed-dev
	$(LOCK) --output-file deploy/requirements.txt
	$(LOCK) --extra dev --constraint deploy/requirements.txt --output-file deploy/requirements-dev.txt

clean:
	rm -rf $(VENV) data
