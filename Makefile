# Every target makes what it needs. `make` alone lists them.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
AXE := 4.14.1

.DEFAULT_GOAL := help
.PHONY: help demo test lint types contract check converge kill stack-test bench pictures report emitted screenshots axe dashboard lock clean
.PHONY: sdk contract-sdk copilot-cli real-cli

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Fusionscope needs Python 3.11 or newer; name one with make PYTHON=python3.11." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## show 24 sample turns, without Copilot
	$(BIN)/fusionscope demo

test: $(READY) ## run all tests
	$(BIN)/pytest

lint: $(READY) ## style and likely mistakes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY) ## strict type-checking
	$(BIN)/mypy

contract: $(READY) ## which folder may import which
	$(BIN)/lint-imports

check: lint types contract test ## everything CI runs

converge: $(READY) ## follow 1,000 random scripts of appends, rewinds, forks, truncations, and compare with a cold read
	FUSIONSCOPE_CONVERGE=1000 $(BIN)/pytest tests/follow/test_converge.py

kill: $(READY) ## kill the follower at 200 random moments
	FUSIONSCOPE_KILLS=200 $(BIN)/pytest tests/test_kill.py

SDKS := 1.0.9 1.0.13 1.0.20 1.0.27
SDK := $(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest

.sdk/%/.ready: | $(READY)
	$(SDK) .sdk/$* github-copilot-sdk==$*
	@touch $@

sdk: $(SDKS:%=.sdk/%/.ready) ## fetch the SDK versions that the format is compared with, and the newest
	rm -rf .sdk/newest
	$(SDK) .sdk/newest github-copilot-sdk

contract-sdk: sdk ## compare the format with each SDK version, at length
	FUSIONSCOPE_SDK_EXAMPLES=100 $(BIN)/pytest tests/decode

CLIS := 1.0.84-4 1.0.102

.copilot-cli/%/.ready:
	npm install --silent --no-audit --no-fund --no-save --prefix .copilot-cli/$* @github/copilot-linux-x64@$*
	@touch $@

copilot-cli: $(CLIS:%=.copilot-cli/%/.ready) ## fetch two versions of Copilot CLI from npm (Linux on x64, 500 MB)

real-cli: $(READY) copilot-cli ## run the real Copilot CLI offline and compare with what its model was seen to say
	$(BIN)/pytest tests/real_cli

bench: $(READY) ## time the index on a large state beside other readers, what following costs, and the page
	$(BIN)/python -m bench.index
	$(BIN)/python -m bench.live
	$(BIN)/python -m bench.page

pictures: $(READY) ## draw the pictures of the README again
	$(BIN)/python docs/pictures.py

report: $(READY) ## write what is generated of docs/: the field report over the demo, and the tables of the other documents
	$(BIN)/python -m docs.write

emitted: $(READY) copilot-cli ## measure what the real Copilot CLI emits, offline (then: make report)
	$(BIN)/python -m docs.measure

stack-test: $(READY) ## the demo through the stack's own programs and files: collector, Prometheus and, where there is one, Tempo
	.ci/stack-tools
	$(BIN)/pytest -rs tests/stack/running.py tests/stack/loading.py

dashboard: $(READY) ## write the Grafana dashboard again
	$(BIN)/python -m stack.dashboard

screenshots: $(READY) ## draw every view of the page from the demo (needs chromium)
	$(BIN)/python -m docs.screenshots

axe: ## get axe-core for the tests of the page (needs npm)
	npm install --prefix .axe --no-save --no-package-lock --no-audit --no-fund --silent axe-core@$(AXE)

COMPILE := uv pip compile --universal --generate-hashes --no-header --quiet --upgrade --python-version 3.11
lock: $(READY) ## renew requirements.lock, and what of it the follower's image needs (needs uv)
	$(COMPILE) --group dev pyproject.toml --output-file requirements.lock
	$(COMPILE) --group build --constraint requirements.lock pyproject.toml --output-file stack/follower/requirements.lock

clean: ## remove what the targets made
	rm -rf .venv .tools .axe .mypy_cache .ruff_cache .hypothesis .import_linter_cache .sdk .copilot-cli
