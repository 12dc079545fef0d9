# A newcomer needs two words: make demo, make test. Everything else is set up on the way.
PYTHON ?= python3
VENV ?= .venv
RUN = $(VENV)/bin
READY = $(VENV)/.ready

.PHONY: demo test core sanitize lint nightly docs docs-check dist packaging clean

demo: core
	$(RUN)/tamis demo --folder demo-study

test: lint core
	$(RUN)/python -m pytest -q -n 2 --dist loadfile

# The compiled core, beside its sources; only what changed is compiled anew.
core: $(READY)
	$(BUILD) build_backend.py

# The core with checks of addresses, undefined behaviour and indices, in a copy of the package, and the tests of what it does.
CHECKED = build/sanitize/src
sanitize: $(READY)
	rm -rf $(CHECKED) && mkdir -p $(CHECKED) && cp -r src/tamis $(CHECKED)/ && rm -f $(CHECKED)/tamis/*.so
	$(BUILD) build_backend.py --sanitize build/sanitize
	PYTHONPATH=$(CHECKED) ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so.6)" \
		$(RUN)/python -m pytest -q -p no:cacheprovider tests/_core tests/forest tests/boosting tests/additive tests/linear/card tests/linear/solvers tests/linear/losses tests/linear/penalties tests/tree/test_optimal.py tests/tree/grow tests/tree/prune tests/tree/test_missing.py tests/tree/test_linear_splits.py tests/views/test_bins.py tests/views/test_binned.py

lint: $(READY)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/lint-imports
	$(RUN)/mypy

nightly: core
	$(RUN)/python -m pytest -q -n 2 -m nightly

# The site, in docs/_build/html. Only what changed is built anew; a warning is an error. Needs Chromium for pictures.
docs: $(VENV)/.docs-ready
	$(RUN)/python -m sphinx -W --keep-going -j 2 -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# Every page, but the examples are not run: `make test` does that. Then the site is looked at in Chromium.
docs-check: $(VENV)/.docs-ready
	$(RUN)/python -m sphinx -W --keep-going -q -j 2 -D plot_gallery=0 -b html docs docs/_build/check
	$(RUN)/python -m pytest -q -m site tests/test_site_in_browser.py

$(VENV)/.docs-ready: $(READY)
	$(BUILD) -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[docs]'
	touch $@

# An archive of the sources and a wheel, in dist. For a package index: make dist FILES=(where the files of this version can be
# read), so that the pictures and links of the README are found there.
FILES ?=
dist: $(READY)
	TAMIS_FILES=$(FILES) $(RUN)/python -m build --outdir dist .

# Installs the wheel into empty environments, with the newest and with the oldest dependencies allowed, and runs it there.
packaging: $(READY)
	$(RUN)/python -m pytest -q -m packaging tests/test_packaging.py

# What the core is built with: as pyproject.toml says, and CMake and ninja where the machine has none.
BUILT_WITH = 'scikit-build-core>=1.0' 'nanobind>=2.4' $(foreach tool,cmake ninja,$(if $(shell command -v $(tool) 2>/dev/null),,$(tool)))
BUILD = PATH="$(CURDIR)/$(RUN):$$PATH" $(RUN)/python

# Made anew only when pyproject.toml changes: a second run installs nothing.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check $(BUILT_WITH)
	$(BUILD) -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) build src/tamis/*.so demo-study dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache docs/_build docs/gallery docs/reference/api \
		docs/reference/examples docs/reference/names.rst docs/reference/building-blocks.rst
