# A newcomer needs two words: make demo, make test. Everything else is set up on the way.
PYTHON ?= python3
VENV ?= .venv
RUN = $(VENV)/bin
READY = $(VENV)/.ready

.PHONY: demo test lint nightly clean

demo: $(READY)
	$(RUN)/tamis demo --folder demo-study

test: lint
	$(RUN)/python -m pytest -q -n 2 --dist loadfile

lint: $(READY)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/lint-imports
	$(RUN)/mypy

nightly: $(READY)
	$(RUN)/python -m pytest -q -n 2 -m nightly

# Made anew only when pyproject.toml changes: a second run installs nothing.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) demo-study dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
