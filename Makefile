# `make` lists what can be done here.
PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
INSTALLED := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help setup run test check format broker clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## make .venv with everything in it (PYTHON= chooses the interpreter)
	@:

run: setup ## judge the shipped sample, no Kafka needed (ARGS= for `copydesk run`)
	@$(BIN)/copydesk run $(ARGS)

test: setup ## run the tests; those that need Kafka start a broker (ARGS= for pytest)
	@$(BIN)/python -m pytest $(ARGS)

check: setup ## lint, formatting, types and import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy --explicit-package-bases tests/broker.py tests/conftest.py tests/test_broker.py
	@$(BIN)/lint-imports

format: setup ## format the code and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

broker: setup ## run a Kafka broker in the foreground on port 9092 (ARGS='--port N')
	@$(BIN)/python -m tests.broker $(ARGS)

clean: ## remove .venv, caches and build results
	@rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp comes last, so an install that was interrupted is done again.
$(INSTALLED): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	  echo "No $(PYTHON) here: install Python 3.10 or later, or name one: make setup PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "copydesk needs Python 3.10 or later, and $(PYTHON) is $$($(PYTHON) -V 2>&1)." \
	    "Name another: make setup PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments: install its venv package" \
	    "(Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@
