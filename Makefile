# make run: the main job on the embedded sample. make ui: look at it. make explore: query it.
# make check: formatting, types and quick tests. make test: the tests. make test-all: these,
# what is slow by nature, more seeds, examples and kills. make soak: a million damaged inputs, and
# each operation disturbed, for hours. make spark-test: the models on Apache Spark. make
# pythons-test: the static checks on other versions of Python. make mutation: which faults in the
# core go unnoticed. make upgrade: newer versions of what is installed.

PYTHON ?= python3
VENV := .venv
VALIDATORS := .venv-validators
DBT := .venv-dbt
PYTHONS := 3.9 3.14
space := $() $()
BIN := $(VENV)/bin
PERF_ASSETS_DATA_DIR ?= data
export PERF_ASSETS_DATA_DIR

# Tests are compiled once, whatever the environment says: a third of the time of make check.
unexport PYTHONDONTWRITEBYTECODE

# Where dbt builds the project that perf-assets export-dbt writes.
WITH_DBT := PERF_ASSETS_DBT=$(abspath $(DBT)/bin/dbt)
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal

.PHONY: run ui explore extras pictures lint check test test-all soak spark-test pythons-test validators-test reference accuracy docs mutation upgrade \
	clean

run: $(VENV)/.installed
	$(BIN)/perf-assets run

ui: $(VENV)/.installed
	$(BIN)/perf-assets ui

explore: $(VENV)/.installed-explore
	$(BIN)/perf-assets explore

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/ast-grep scan --rule tests/prose.yml --report-style short perf_assets docs README.md CONTRIBUTING.md

# A timer for each of thousands of quick tests takes a second.
check: lint
	PERF_ASSETS_TESTS=quick $(PYTEST) --timeout 0 -m "not slow and not exhaustive"

test: lint $(DBT)/.installed
	$(WITH_DBT) $(PYTEST) -m "not exhaustive"

test-all: lint $(DBT)/.installed
	PERF_ASSETS_TESTS=all $(WITH_DBT) $(PYTEST) --timeout 14400

# For hours; INPUTS="--cases 9000 lakes" and OPERATIONS="--number 10 run" for less. What came of it
# stands in docs/guarantees.md.
soak: $(VENV)/.installed-dev
	$(BIN)/python -m tests.soak inputs $(INPUTS)
	$(BIN)/python -m tests.benchmarks.kills $(OPERATIONS)

# The models on Apache Spark: SPARK_PYTHON is a Python with pyspark beside Java 17.
spark-test: $(VENV)/.installed-dev
	PERF_ASSETS_SPARK_PYTHON=$(or $(SPARK_PYTHON),$(error name it: make spark-test SPARK_PYTHON=PYTHON)) \
		$(PYTEST) --timeout 14400 tests/engines

# The static checks on the lowest and the highest version of Python that they are for.
pythons-test: $(VENV)/.installed-dev
	for version in $(PYTHONS); do \
		$(BIN)/uv venv --quiet --clear --python $$version .venv-lint-$$version && \
		$(BIN)/uv pip install --quiet --python .venv-lint-$$version/bin/python ./deploy/lint || exit 1; \
	done
	PERF_ASSETS_LINT_PYTHONS=$(subst $(space),:,$(foreach version,$(PYTHONS),$(abspath .venv-lint-$(version)/bin/python))) \
		$(PYTEST) tests/lint/test_own_distribution.py

# What others' validators say of the metadata of an archive. They have an environment of their own,
# and one of them reads its vocabulary from the network.
validators-test: $(VENV)/.installed-dev $(VALIDATORS)/.installed
	PERF_ASSETS_VALIDATORS=$(abspath $(VALIDATORS)/bin) $(PYTEST) tests/archive/test_metadata.py

mutation: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks.mutation $(MUTATION)

# The pages that code knows: tables, commands, the study file. A test says when one is stale.
reference: $(VENV)/.installed
	$(BIN)/python -m tests.reference_pages docs

# How good the labels are, on judged reports beside the project: docs/accuracy.md.
accuracy: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks.label_accuracy --write $(if $(MORE),--more $(MORE))
	$(BIN)/python -m tests.reference_pages docs

# docs/ as a site that opens offline: dist/docs/html/index.html.
docs: $(VENV)/.installed-docs
	rm -rf dist/docs && mkdir -p dist/docs
	cp -R docs dist/docs/docs && cp docs/site.yml dist/docs/mkdocs.yml
	cd dist/docs && $(abspath $(BIN))/zensical build --strict
	@echo "Open dist/docs/html/index.html"

# docs/pictures, in chromium, from the home that make run leaves.
pictures: $(VENV)/.installed-dev
	$(BIN)/python -m tests.browser.pictures $(PERF_ASSETS_DATA_DIR)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@# Python 3.11 puts it beside pip: ten megabytes that nothing here imports.
	$(VENV)/bin/python -m pip uninstall --quiet --quiet --yes --disable-pip-version-check setuptools

# What is installed is locked in deploy/locks, with the sum of each file; make upgrade renews the locks.
# Each lock has what its purpose needs beyond base.txt.
EXTRAS := explore forums kubernetes lake mcp postgres spark
LOCKS := deploy/locks

$(VENV)/.installed: pyproject.toml deploy/install $(LOCKS)/base.txt | $(VENV)/bin/python
	deploy/install $(VENV) base
	touch $@

$(EXTRAS:%=$(VENV)/.installed-%): $(VENV)/.installed-%: $(VENV)/.installed $(LOCKS)/%.txt
	deploy/install $(VENV) $*
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed $(LOCKS)/docs.txt
	deploy/install $(VENV) docs
	touch $@

$(VALIDATORS)/.installed: $(LOCKS)/validators.txt
	$(PYTHON) -m venv $(VALIDATORS)
	$(VALIDATORS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--requirement $(LOCKS)/validators.txt
	touch $@

$(DBT)/.installed: $(LOCKS)/dbt.txt | $(VENV)/.installed-dev
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(DBT)
	$(BIN)/uv pip install --quiet --python $(DBT)/bin/python --require-hashes --requirement $(LOCKS)/dbt.txt
	touch $@

extras: $(EXTRAS:%=$(VENV)/.installed-%)

$(VENV)/.installed-dev: pyproject.toml deploy/install $(LOCKS)/base.txt $(LOCKS)/dev.txt | $(VENV)/bin/python
	deploy/install $(VENV) base dev
	touch $@ $(VENV)/.installed $(EXTRAS:%=$(VENV)/.installed-%)

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --no-emit-index-url --custom-compile-command "make upgrade"
# What base.txt has on some systems alone is in the other locks too.
BEYOND_BASE = $$(sed -nE 's/^([a-zA-Z0-9._-]+)(\[.*\])?==[^ ]* \\$$/--no-emit-package \1/p' $(LOCKS)/base.txt)

upgrade: $(VENV)/.installed-dev
	$(LOCK) --upgrade --all-extras --group build pyproject.toml --output-file $(LOCKS)/all.txt
	rm -f $(LOCKS)/base.txt $(LOCKS)/dev.txt $(LOCKS)/docs.txt $(EXTRAS:%=$(LOCKS)/%.txt)
	$(LOCK) --constraint $(LOCKS)/all.txt --group build pyproject.toml --output-file $(LOCKS)/base.txt
	$(foreach extra,$(EXTRAS),$(LOCK) --constraint $(LOCKS)/all.txt --extra $(extra) $(BEYOND_BASE) \
		--group build pyproject.toml --output-file $(LOCKS)/$(extra).txt &&) true
	$(LOCK) --constraint $(LOCKS)/all.txt --all-extras $(BEYOND_BASE) \
		--group build pyproject.toml --output-file $(LOCKS)/dev.txt
	$(LOCK) --constraint $(LOCKS)/base.txt $(BEYOND_BASE) --group docs pyproject.toml --output-file $(LOCKS)/docs.txt
	$(foreach group,dbt validators,$(LOCK) --upgrade --group $(group) --output-file $(LOCKS)/$(group).txt &&) true
	rm $(LOCKS)/all.txt

clean:
	rm -rf $(VENV) $(VALIDATORS) $(DBT) data
