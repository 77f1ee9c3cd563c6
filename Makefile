# The verbs. `make` alone lists them. Everything is installed into .venv by `make setup`, which the others call.
PYTHON ?= python3
RUN := .venv/bin/

.DEFAULT_GOAL := help
.PHONY: help setup demo up test test-all lint types contracts docs bench eval-capture eval-procedures eval-prospective eval-read eval-write \
	lock clean

help: ## list the verbs
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

setup: .venv/installed ## install everything into .venv, pinned by hash
	@$(if $(filter setup,$(MAKECMDGOALS)),echo "Ready. Next: . .venv/bin/activate && keepwell up",:)

.venv/installed: requirements-dev.lock pyproject.toml client/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Keepwell needs Python 3.11 or newer; name one: make setup PYTHON=python3.12"; exit 1; }
	@test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@echo "installing into .venv ..."
	@$(RUN)python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.lock
	@$(RUN)python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . --editable ./client
	@touch $@

demo: setup ## play the first story, from publish to retirement (KEEP=1 leaves the servers running)
	@$(RUN)keepwell demo

up: setup ## start Postgres, Temporal with its Web UI, and a worker
	@$(RUN)keepwell up

test: setup ## the tests, without the long parts
	@$(RUN)python -m pytest -n 2 -m "not long"

test-all: setup ## all tests, the whole kill matrix included
	@$(RUN)python -m pytest -n 2

lint: setup ## style
	@$(RUN)ruff format --check .
	@$(RUN)ruff check .

types: setup ## static types, strict
	@$(RUN)pyright

contracts: setup ## which room may import which
	@$(RUN)lint-imports

docs: setup ## make the reference pages anew: the API's and the policy's
	@$(RUN)python -m surfaces.http.reference > docs/api.md
	@$(RUN)python -m runtime.policy_reference > docs/policy.md

bench: setup ## speed, as ratios to the floor of the same run
	@$(RUN)python -m evals.bench

eval-write: setup ## the measured write path: labelled cases, their figures, and the floors that they must meet
	@$(RUN)python -m evals.write

eval-capture: setup ## promises in labelled sentences: what is proposed as an intention, and what is not
	@$(RUN)python -m evals.prospective_capture

eval-read: setup ## the measured read path: boards with known answers beside their plain baselines; BOARDS="fixed locomo"
	@$(RUN)python -m evals.read $(BOARDS)

eval-prospective: setup ## the firing of intentions: scripted runs with near misses, and the public definitions
	@$(RUN)python -m evals.prospective

eval-procedures: setup ## what reflection proposes of 300 activities in which some lessons recur
	@$(RUN)python -m evals.procedures

lock: setup ## pin the dependencies anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		pyproject.toml --group build -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		pyproject.toml --group build --group dev -o requirements-dev.lock

clean: ## remove what can be made again; .keepwell stays
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist *.egg-info
