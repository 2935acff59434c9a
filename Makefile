# make study: environment, the default study, then where its report is.   make test: what must hold, in minutes.
SHELL := /bin/bash
VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: study quick verify figure-5 docs test test-all test-core test-slurm size bench fuzz faults lock clean
.DELETE_ON_ERROR:

study: $(READY)
	$(BIN)/aucstudy run

quick: $(READY)
	$(BIN)/aucstudy run studies/quick.yaml

# the committed tables against the default study made from nothing, in a temporary folder
verify: $(READY)
	$(BIN)/aucstudy verify

# the two runs of figure 5 from openml.org, and the paper's four digits beside them; wants a network
figure-5: $(READY)
	$(BIN)/aucstudy run studies/figure-5.yaml
	grep "^FK-fig5" results/figure-5/tables/claims_values.csv
	grep "^FK-fig5,.*,reproduced," results/figure-5/tables/claims.csv

# the docs site in build/docs, with warnings as errors; opens from the disk
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

test: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadfile -m "not whole"

# the rest: whole studies that are run, killed and damaged, the docs site, the wheel; `pytest -m whole --co` lists them
test-all: $(READY)
	$(BIN)/pytest -n 2 --dist loadfile -m whole

# files, lines and words of src and workflow
size:
	python3 tests/size.py

# the wheel with the core's four libraries alone, oldest and newest, on every Python at hand; wants an index of packages
test-core: $(READY)
	$(BIN)/python tests/installed/core_alone.py

# the quick study through a Slurm of one node on this machine; as root, a few minutes
test-slurm: $(READY)
	cd tests && ../$(BIN)/python -m slurm.study

bench: $(READY)
	$(BIN)/python benchmarks/run.py

# random input for as long as one likes, a third of the seconds each: make fuzz FOR=1800
FOR ?= 600
fuzz: $(READY)
	cd tests && for kind in areas files commands; do \
	  ../$(BIN)/python -m fuzz.$$kind --seconds $$(( $(FOR) / 3 )) || exit 1; done

# kills, damaged files and full disks on the tiny study for so many seconds: make faults FOR=1800; as root for the disks
faults: FOR = 1800
faults: SEED = 0
faults: $(READY)
	cd tests && ../$(BIN)/python -m faults --seconds $(FOR) --seed $(SEED)

$(READY): $(VENV)/.locked pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.locked: requirements.lock
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "aucstudy needs Python 3.11 or newer, python3 is " + sys.version.split()[0])'
	rm -rf $(VENV)
	python3 -m venv $(VENV)
	@echo "installing the packages of requirements.lock: a minute or more"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock || \
	  { echo "the packages of requirements.lock cannot be installed: that wants a network, or a mirror in PIP_INDEX_URL"; exit 1; }
	touch $@

lock:
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --group dev --extra study --extra slurm --extra weka --extra wide --extra rare pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) .snakemake data
