# Every target makes the virtual environment it needs; nothing is installed outside this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
MINIMUM := 3.11
COVERAGE := 95
UV := uv==0.13.8
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

.DEFAULT_GOAL := help
.PHONY: help venv test thorough report site lint types bench prove adapters scoreboard peers coq browser formal hollow extracted fuzz kills lock new vectors archive protocol \
  action architecture clean
.DELETE_ON_ERROR:

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP) ## Make .venv with the locked versions of everything, checked by their hashes

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < tuple(map(int, "$(MINIMUM)".split("."))))' 2>/dev/null || { \
	  echo "privboost needs Python $(MINIMUM) or newer; '$(PYTHON)' is: $$($(PYTHON) --version 2>&1 | head -n 1)" >&2; \
	  echo "Name another one, for instance: make PYTHON=python3.13 $(or $(MAKECMDGOALS),test)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
	  --requirement constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m pip check --disable-pip-version-check
	@touch $(STAMP)

# Stealing keeps the tests of a file on one worker until the end, so that what they share is made once.
test: lint types ## Check style and types, run every test that is not slow
	$(PYTEST) oracle_tests -m "not slow"

# Tracing lines doubles the time of a test, so that only tests of the reference are traced.
thorough: $(STAMP) ## Run the slow tests as well, as CI does, and require 95 % of the reference covered
	$(PYTEST) oracle_tests/unit/reference -m "not slow and not no_cover" --cov --cov-report=term \
	  --cov-report=json:build/coverage.json
	$(BIN)/python -m tools.coverage_gate build/coverage.json $(COVERAGE)
	$(PYTEST) oracle_tests -m slow

report: $(STAMP) ## Write the report with the figures and the errata to report/
	$(BIN)/privboost report --output report

site: $(STAMP) ## Build the documentation site in build/site: run the tutorials, make the pages, follow every link
	$(BIN)/python -m tools.site build/site

lint: $(STAMP) ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Static tools cannot follow the mapping of folders to packages, so mypy reads a tree of links to the folders.
types: FOLDERS = $(shell sed -n 's/^"privboost\.[a-z_]*" = "\([a-z_]*\)"/\1/p' pyproject.toml)
types: $(STAMP) ## Check types
	rm -rf build/tree
	mkdir -p build/tree/privboost
	ln -s $(CURDIR)/package/* $(addprefix $(CURDIR)/,$(FOLDERS)) build/tree/privboost
	$(BIN)/mypy --package privboost --package tools

bench: $(STAMP) ## Time the exact arithmetic and the fast learner against their peers
	$(BIN)/python benchmarks/exact.py
	$(BIN)/python benchmarks/fast.py --quick

prove: $(STAMP) ## Judge every claim of the paper again
	$(BIN)/privboost prove

fuzz: $(STAMP) ## Read 10,000 mutated files of every kind, and run commands on some of them
	$(BIN)/python -m tools.fuzzing --files 10000 --commands 400

kills: $(STAMP) ## Stop every long command by every signal, and write the tables of docs/kills.md
	$(BIN)/python -m tools.kills --output docs/kills.md

# Every library has an environment of its own, because they need different versions of others.
adapters: $(STAMP) ## Make the environments of published libraries in build/adapters (ONLY="opendp": one; needs the network)
	$(BIN)/python -m tools.environments $(ONLY)

scoreboard: $(STAMP) ## Install and ask published libraries, and write docs/scoreboard_results.md and docs/findings.md
	$(BIN)/python -m privboost scoreboard examples/adapters --install --environments build/adapters --timeout 60 -o build/scoreboard
	cp build/scoreboard/public.md docs/scoreboard_results.md
	sed 's|--replay findings/|--replay docs/findings/|' build/scoreboard/findings.md > docs/findings.md
	rm -rf docs/findings && cp -r build/scoreboard/findings docs/findings

peers: PEERS := build/adapters/opendp/python
peers: ## Make the environment with OpenDP, and find its published mistakes there
	$(MAKE) adapters ONLY=opendp
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable . pytest hypothesis
	$(PEERS)/bin/python -m pytest -rs oracle_tests/unit/auditor/test_opendp.py

coq: ## Install Coq for `make formal` (as root on Debian), or say what to install
	@proofs_check/coq/install.sh

browser: ## Install Chromium for the tests of pages (as root on Debian), or say what to install
	@command -v chromium || { [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update --quiet && \
	  DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends chromium; } || { \
	  echo "No browser is installed. On Debian, run as root: apt-get install chromium" >&2; exit 1; }

formal: $(STAMP) ## Compile and recheck the Coq proofs, what they state and rest on, the links of the ledger (RECORD=1: record these)
	$(BIN)/python -m tools.coq_links $(if $(RECORD),--record)

hollow: $(STAMP) ## Hollow out the Coq development in many ways, and see that `make formal` would refuse each
	$(BIN)/python -m tools.coq_hollow

extracted: $(STAMP) ## Extract the learner and the samplers from Coq to OCaml, compare them with Python on tapes, gate them
	$(BIN)/python -m tools.extraction
	$(BIN)/privboost gate cmd:build/extracted/privboost_extracted --operation sample_laplace --operation sample_split \
	  --operation update_weight --operation predict

# Versions in constraints.txt are kept as far as pyproject.toml allows.
lock: ## Write constraints.txt again, for all systems, with uv (needs the network)
	$(PYTHON) -m venv build/uv
	build/uv/bin/pip install --quiet --disable-pip-version-check $(UV)
	build/uv/bin/uv pip compile pyproject.toml --extra test --universal --python-version $(MINIMUM) --generate-hashes \
	  --no-annotate --no-emit-index-url --custom-compile-command "make lock" --quiet --output-file constraints.txt

new: $(STAMP) ## Write the stubs of a loss, a mechanism or a claim: make new ADD="loss NAME"
	$(BIN)/python -m tools.new $(ADD)

vectors: $(STAMP) ## Write the test vectors again
	for profile in trees mechanisms; do \
	  $(BIN)/privboost vectors --profile $$profile --output gate/$$profile/vectors || exit 1; done
	$(BIN)/python -m tools.vector_archive --starter

archive: $(STAMP) ## Write the vector files of mechanisms as one archive with a calendar version to dist/
	$(BIN)/python -m tools.vector_archive dist

protocol: $(STAMP) ## Write the tables of the pages of protocols and the schemas of requests again
	for profile in trees mechanisms; do \
	  $(BIN)/python -m privboost.gate.pages.protocol $$profile gate/$$profile/schemas || exit 1; done

action: $(STAMP) ## Execute the steps of action.yml and the commands of docs/gate.md in a clean environment
	$(BIN)/python -m tools.action

architecture: $(STAMP) ## Draw the picture of the folders again
	$(BIN)/python -m tools.architecture docs/architecture.svg

clean: ## Delete everything that make has made
	rm -rf $(VENV) build dist report privboost.egg-info .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
