# Planimeter. `make mini` builds marvl-qa-mini, `make test` runs the tests. Both make .venv/ first: what builds need from
# requirements.lock, and for the tests what they need beside it from requirements-dev.lock.

SUITS := -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do $$python $(SUITS) && echo $$python && break; done)

VENV := .venv
BIN := $(VENV)/bin
# What builds, verification and scores need; and that, with what tests and development need and the extras dask, inspect,
# probe and s3.
CORE := $(VENV)/.core
READY := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check \
	--no-deps --no-build-isolation --use-pep517

# A Python that was named, not found: an environment of another version is not the one that was asked for.
version = $(shell $(1) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
ifneq ($(filter command environment,$(firstword $(origin PYTHON))),)
ifneq ($(call version,$(PYTHON)),$(call version,$(BIN)/python))
OTHER := yes
.PHONY: $(CORE)
endif
endif

.PHONY: help mini smoke dev processors frozen test slow check bench editions api docs gallery hooks lock clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

mini: $(CORE) ## build marvl-qa-mini into outputs/
	$(BIN)/planimeter build marvl-qa-mini

smoke: $(CORE) ## build about 1% of every dataset, verified, into a temporary folder
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(BIN)/planimeter build smoke --out "$$folder"

dev: $(READY) ## install what tests and development need, and the extras dask, inspect, probe and s3
	@echo "$(VENV)/ is ready: $(BIN)/planimeter, make test, make check"

processors: $(READY) ## build 2% of every dataset as two processors would, and compare the bytes (two minutes)
	$(BIN)/python -m tools.processors

frozen: $(READY) ## build 2% of every dataset, and compare files and rows with those that are frozen (minutes; make frozen SCALE=1)
	$(BIN)/python -m tools.frozen --scale $(or $(SCALE),0.02)

# Else each of the hundred processes that tests start compiles our modules anew, and pytest its tests.
test slow: export PYTHONDONTWRITEBYTECODE =

# A worker gets a file at a time, in the order of tests/conftest.py.
SHARED := -n 2 --dist loadfile --no-loadscope-reorder

test: $(READY) ## run the tests (minutes)
	$(BIN)/python -m pytest $(SHARED) -m "not slow"

slow: $(READY) ## run the tests that take longer: kills, full disks, fresh environments, whole collections
	$(BIN)/python -m pytest $(SHARED) -m "slow or law" --hypothesis-profile full

check: $(READY) ## ruff, mypy, the list of words (tools/words.txt) and the form of docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/packaging/test_docstrings.py

bench: $(READY) ## measure the tables of docs/performance.md again (a quarter of an hour)
	OPENCV_FOR_THREADS_NUM=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests/support $(BIN)/python -m benchmarks.table --write

editions: $(CORE) ## add the signatures of built datasets to those of published test items: make editions BUILT="outputs/*/VERSION"
	$(BIN)/python -m planimeter.suites.write_signatures $(BUILT)

api: $(READY) ## store the names and signatures that users import, after a change of them that is meant
	$(BIN)/python tests/packaging/test_public_api.py > tests/packaging/public_api.txt

hooks: $(READY) ## check each commit with ruff, and each push with mypy (.pre-commit-config.yaml)
	$(BIN)/pre-commit install

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-header --no-annotate --no-emit-package planimeter-evals

lock: ## fit both locks to pyproject.toml, for Python 3.11 to 3.13 on every platform (needs uv)
	$(COMPILE) --group build pyproject.toml -o requirements.lock
	@# The second has the versions of the first, and names only what that does not.
	$(COMPILE) --constraint requirements.lock --extra dask --extra inspect --extra probe --extra s3 --group dev \
		$$(sed -nE 's/^([a-z0-9._-]+)==.*/--no-emit-package \1/p' requirements.lock) pyproject.toml -o requirements-dev.lock

clean: ## remove the environment and the caches of the tools, not the outputs
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf build dist site src/*.egg-info distributions/evals/build distributions/evals/dist distributions/evals/src/*.egg-info

# The locks alone decide, so that no later release can break an installation: --no-deps keeps pip from looking for anything
# that they do not name, and what comes as source only is built with the lock's own setuptools, installed first.
# `pip check` then says whether they are whole.
define check
@conflicts=$$($(BIN)/python -m pip check) || { echo "make: $(1) and pyproject.toml do not fit together:" $$conflicts \
	"Take them from one commit, or fit the locks to pyproject.toml with \`make lock\`; then run make again." >&2; exit 1; }
endef

$(CORE): requirements.lock pyproject.toml distributions/evals/pyproject.toml
	@test -n "$(PYTHON)" && $(PYTHON) $(SUITS) || \
		{ echo "make: need Python 3.11, 3.12 or 3.13 on the PATH, or make PYTHON=/path/to/python" >&2; exit 1; }
	@rm -f $@
	@# Made again if it was never finished or if the lock has changed, for nothing takes out what the lock no longer names.
	@test -z "$(OTHER)$(filter requirements.lock,$?)" || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing what builds need into $(VENV)/ (1.4 GB, a minute or more; pip says nothing meanwhile)"
	@awk '/^[^ ]/ { named = /^setuptools==/ } named' requirements.lock | $(INSTALL) --require-hashes -r /dev/stdin
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) -e distributions/evals -e .
	$(call check,requirements.lock)
	@touch $@

$(READY): $(CORE) requirements-dev.lock
	@# Onto a fresh $(CORE) if this lock was installed before, whole or in part, and has changed since.
	@test ! -e $(VENV)/.begun || test -z "$(filter requirements-dev.lock,$?)" || rm -f $(CORE)
	@# A line of its own, for make runs a line that names itself even with -n.
	@test -e $(CORE) || $(MAKE) --no-print-directory $(CORE)
	@touch $(VENV)/.begun
	@echo "adding what tests and development need (0.5 GB, a minute or more; pip says nothing meanwhile)"
	@$(INSTALL) --require-hashes -r requirements-dev.lock
	$(call check,requirements-dev.lock)
	@touch $@

docs: $(READY) ## write the generated pages of docs/, and the site into site/ where its generator is installed
	$(BIN)/python -m tools.docs
	@if command -v zensical >/dev/null; then zensical build --clean --strict; \
		else echo "make: no zensical on the PATH, so no site; install it with: pipx install zensical"; fi

gallery: $(READY) ## draw the README's figure from a build of about 1% of every dataset
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(BIN)/planimeter build smoke --out "$$folder" && \
		$(BIN)/python -m tools.gallery "$$folder" docs/assets
