# make study: environment, the default study, then where its report is.   make test: what must hold, in minutes.
# Each target installs the sections of requirements.lock that it needs, once, by uv, or by pip where uv cannot.
SHELL := /bin/bash
VENV  := .venv
BIN   := $(VENV)/bin
STUDY := $(VENV)/.ready
TEST  := $(STUDY) $(addprefix $(VENV)/.has-,relational wide rare boosting slurm weka docs test)
UV     = $(shell command -v uv || command -v $(BIN)/uv)
PIP    = $(if $(UV),$(UV) pip install --python $(BIN)/python,$(BIN)/pip install --disable-pip-version-check) --quiet --no-deps --no-compile

.PHONY: study quick verify figure-5 flach-kull wide weka uw-cse known_truth rare natural few_thinned few_natural slurm docs dist test test-all environment test-core test-slurm bench fuzz lock clean
.DELETE_ON_ERROR:
.NOTPARALLEL:

study: $(STUDY)
	$(BIN)/aucstudy run

quick: $(STUDY)
	$(BIN)/aucstudy run studies/quick.yaml

# the committed tables against the default study made from nothing, in a temporary folder
verify: $(STUDY)
	$(BIN)/aucstudy verify

# the two runs of figure 5 from openml.org, and the paper's four digits beside them; needs a network
figure-5: $(STUDY)
	$(BIN)/aucstudy run studies/figure-5.yaml
	grep "^FK-fig5" results/figure-5/tables/claims_values.csv
	grep "^FK-fig5,.*,reproduced," results/figure-5/tables/claims.csv

# the population of Flach & Kull 2015 from openml.org; needs a network and some 17 hours
flach-kull: $(STUDY)
	$(BIN)/aucstudy run studies/flach-kull-2015.yaml

# studies with code or packages of their own: the data sets of R packages, WEKA with a Java runtime, UW-CSE from its
# server, simulated models whose true areas are known
wide: $(VENV)/.has-wide
weka: $(VENV)/.has-wide $(VENV)/.has-weka
uw-cse: $(VENV)/.has-relational
wide weka uw-cse known_truth: $(STUDY)
	$(BIN)/aucstudy run studies/$@

# which metric should select a model where positives are rare, and with few of them which rows should set its threshold,
# with older learners and with those of today
rare few_thinned: $(VENV)/.has-wide $(VENV)/.has-rare
natural few_natural: $(VENV)/.has-wide $(VENV)/.has-rare $(VENV)/.has-boosting
rare natural few_thinned few_natural: $(STUDY)
	$(BIN)/aucstudy run studies/rare_positives/$@.yaml

# what profiles/slurm asks for
slurm: $(STUDY) $(VENV)/.has-slurm

# the docs site in build/docs, with warnings as errors; opens from the disk
docs: $(STUDY) $(VENV)/.has-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# a release: wheel and source archive in dist/, tried in an environment of their own, and the tables as a data package
dist: $(TEST)
	$(BIN)/python recipe/release.py dist

test: $(TEST)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/lint-imports
	$(BIN)/mypy & types=$$!; \
	  $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not whole" && wait $$types || { kill $$types 2>/dev/null; false; }

# the rest: whole studies that are run, killed and damaged, the docs site, the wheel; `pytest -m whole --co` lists them
test-all: $(TEST)
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m whole

# all that the targets of developers want
environment: $(TEST)

# the wheel with the core's libraries alone, then with files and plots, oldest and newest, on every Python at hand; needs an index of packages
test-core: $(TEST)
	$(BIN)/python tests/installed/core_alone.py

# the quick study through a Slurm of one node on this machine; as root, a few minutes
test-slurm: $(TEST)
	cd tests && ../$(BIN)/python -m slurm.study

bench: $(TEST)
	$(BIN)/python benchmarks/run.py

# random input for as long as one likes, a third of the seconds each: make fuzz FOR=1800
FOR ?= 600
fuzz: $(TEST)
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

# once, on all cores, and but for what no study imports: pip takes one core, and where Python may not write bytecode each
# job would compile anew
COMPILE = $(BIN)/python -m compileall -qq -j 0 -x '/(tests?|plotly|pip|pygments|Crypto|fontTools|setuptools|narwhals)/'

# the packages of one section of the lock; the empty line ends the command
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

# uv takes a third of pip's time: where the machine has none, the lock's, unless it is pip alone that knows the mirror
own_uv = { $(BIN)/pip install --quiet --no-deps --require-hashes -r <(sed -n '/^uv==/,/[^\\]$$/p' requirements.lock) && \
  $(BIN)/uv pip install --python $(BIN)/python --quiet --dry-run --no-deps --require-hashes -r requirements.lock; } 2>/dev/null

# where packages of the lock are newer or others, the environment is made anew
lock: $(TEST)
	$(BIN)/python tests/lock.py

clean:
	rm -rf $(VENV) .snakemake data
