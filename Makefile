# `make study` makes the environment, runs the default study and says where its report is. `make test` runs
# the checks and tests that take minutes. Each target installs the sections of requirements.lock that it
# needs, once. They are installed by uv, or by pip if there is no uv.
SHELL := /bin/bash
VENV  := .venv
BIN   := $(VENV)/bin
STUDY := $(VENV)/.ready
TEST  := $(STUDY) $(VENV)/.has-test
WHOLE := $(STUDY) $(addprefix $(VENV)/.has-,relational wide rare boosting slurm weka docs whole)
UV     = $(shell command -v uv || command -v $(BIN)/uv)
PIP    = $(if $(UV),$(UV) pip install --python $(BIN)/python,$(BIN)/pip install --disable-pip-version-check) --quiet --no-deps --no-compile

.PHONY: study quick verify figure-5 flach-kull wide weka uw-cse few_thinned few_natural slurm docs dist test test-all environment test-core test-slurm bench fuzz lock clean
.DELETE_ON_ERROR:
.NOTPARALLEL:

study: $(STUDY)
	$(BIN)/aucstudy run

quick: $(STUDY)
	$(BIN)/aucstudy run studies/quick.yaml

# This makes the default study from nothing in a temporary folder, and compares the committed tables with it.
verify: $(STUDY)
	$(BIN)/aucstudy verify

# This fetches the two runs of figure 5 from openml.org, and prints the paper's four digits beside those
# computed. It needs a network.
figure-5: $(STUDY)
	$(BIN)/aucstudy run studies/figure-5.yaml
	grep "^FK-fig5" results/figure-5/tables/claims_values.csv
	grep "^FK-fig5,.*,reproduced," results/figure-5/tables/claims.csv

# This fetches the population of Flach & Kull 2015 from openml.org. It needs a network and some 17 hours.
flach-kull: $(STUDY)
	$(BIN)/aucstudy run studies/flach-kull-2015.yaml

# These studies have code or packages of their own. `wide` has data sets of R packages, `weka` runs WEKA in a
# Java runtime, and `uw-cse` fetches UW-CSE from its server.
wide: $(VENV)/.has-wide
weka: $(VENV)/.has-wide $(VENV)/.has-weka
uw-cse: $(VENV)/.has-relational
wide weka uw-cse: $(STUDY)
	$(BIN)/aucstudy run studies/$@

# With few positives, which metric should select a model, and which rows should set its threshold?
# `few_thinned` has older learners, `few_natural` also has learners of today.
few_thinned: $(VENV)/.has-wide $(VENV)/.has-rare
few_natural: $(VENV)/.has-wide $(VENV)/.has-rare $(VENV)/.has-boosting
few_thinned few_natural: $(STUDY)
	$(BIN)/aucstudy run studies/few_positives/$@.yaml

# This installs what profiles/slurm needs.
slurm: $(STUDY) $(VENV)/.has-slurm

# This builds the docs site in build/docs, with warnings as errors. The site can be opened from the disk.
docs: $(STUDY) $(VENV)/.has-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# This makes a release in dist/: the wheel and the source archive, which are tried in an environment of their
# own, and the tables as a data package.
dist: $(WHOLE)
	$(BIN)/python recipe/release.py dist

test: $(TEST)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/lint-imports
	$(BIN)/mypy & types=$$!; \
	  $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not whole" && wait $$types || { kill $$types 2>/dev/null; false; }

# These are the tests that `make test` leaves out: of whole studies that are run, killed and damaged, of the
# docs site, and of the wheel. The tests that need packages of an extra are run here as well, since `make test`
# does not install these packages. `pytest -m "whole or needs" --co` lists all of them.
test-all: $(WHOLE)
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "whole or needs"

# This installs all that the targets for developers need.
environment: $(WHOLE)

# This tests the wheel with the libraries of the core alone, then with those of the extras `files` and
# `plots`. It does so with the oldest and the newest libraries, on every Python at hand, and needs an index of
# packages.
test-core: $(WHOLE)
	$(BIN)/python tests/installed/core_alone.py

# This runs the quick study through a Slurm of one node on this machine. It needs root and a few minutes.
test-slurm: $(WHOLE)
	cd tests && ../$(BIN)/python -m slurm.study

bench: $(WHOLE)
	$(BIN)/python benchmarks/run.py

# Three programs test random input for the seconds of FOR, a third of them each: make fuzz FOR=1800
FOR ?= 600
fuzz: $(WHOLE)
	cd tests && for kind in areas files studies; do \
	  PYTHONPATH=.. ../$(BIN)/python -m fuzz.$$kind --seconds $$(( $(FOR) / 3 )) || exit 1; done

$(STUDY): $(VENV)/.made pyproject.toml
	$(call install,core)
	$(call install,study)
	$(PIP) --no-build-isolation -e .
	$(COMPILE) $(VENV)/lib src || true
	touch $@

$(VENV)/.has-%: $(VENV)/.made
	touch $(VENV)/.before
	$(call install,$*)
	find $(VENV)/lib/*/site-packages -maxdepth 1 -mindepth 1 -newer $(VENV)/.before -print0 | xargs -0r $(COMPILE) || true
	touch $@

# Bytecode is compiled here once, on all cores, because pip uses one core. Without it each job would compile
# anew where Python may not write bytecode. Packages that no study imports are left out.
COMPILE = $(BIN)/python -m compileall -qq -j 0 -x '/(tests?|plotly|pip|pygments|Crypto|fontTools|setuptools|narwhals)/'

# This installs the packages of one section of the lock. The empty line ends the command.
define install
@echo "installing the packages for: $(1)"
@$(PIP) --require-hashes -r <(sed -n '/^# \[$(1)\]/,/^# \[/p' requirements.lock) || \
  { echo "the packages of requirements.lock cannot be installed: that needs a network, or a mirror that $(if $(UV),uv,pip) knows of"; exit 1; }

endef

$(VENV)/.made: requirements.lock
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "aucstudy needs Python 3.11 or newer, python3 is " + sys.version.split()[0])'
	rm -rf $(VENV)
	python3 -m venv $(VENV)
	@command -v uv >/dev/null || $(own_uv) || $(BIN)/pip uninstall --quiet --yes uv 2>/dev/null
	touch $@

# uv takes a third of pip's time. If the machine has no uv, the lock's uv is installed, unless only pip knows
# the mirror.
own_uv = { $(BIN)/pip install --quiet --no-deps --require-hashes -r <(sed -n '/^uv==/,/[^\\]$$/p' requirements.lock) && \
  $(BIN)/uv pip install --python $(BIN)/python --quiet --dry-run --no-deps --require-hashes -r requirements.lock; } 2>/dev/null

# This writes requirements.lock. When the lock has changed, the next target makes the environment anew.
lock: $(WHOLE)
	$(BIN)/python tests/lock.py

clean:
	rm -rf $(VENV) .snakemake data
