# Every target creates or reuses .venv, installs what it needs, then does its job.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test shaken fuzz lint format bench quality papers docs clean

help:
	@echo "make demo    see multi-view learning at work on the digits that come with scikit-learn"
	@echo "make test    run the tests"
	@echo "make shaken  run what compares numbers once more, rounded as other processors round"
	@echo "make fuzz    nineteen thousand odd cases: data, parameters, files and models"
	@echo "make lint    ruff and mypy"
	@echo "make format  let ruff rewrite the code"
	@echo "make bench   measure speed against references in the same run, in under ten minutes;"
	@echo "             ARGS=all measures everything, ARGS=\"views co_em\" some, KEEP=1 writes it down"
	@echo "make quality measure the defaults beside what a user would try instead, on many data sets"
	@echo "make papers  list the papers; ARGS=KEY sets ours beside a paper's published numbers"
	@echo "make docs    build the site into docs/_build/html"

# Debian's python3 has no ensurepip, so the system's pip fills the environment.
$(BIN)/python:
	$(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --upgrade pip

.venv/.installed-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

demo: .venv/.installed-app
	$(BIN)/manyviews demo

test: .venv/.installed-dev  # one BLAS thread for each of the two workers
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(ARGS)

shaken: .venv/.installed-dev  # every kernel of OpenBLAS that this processor runs
	$(BIN)/python tests/shaken $(ARGS)

fuzz: .venv/.installed-dev  # every case, of which `make test` tries a sample
	$(BIN)/python -m pytest -n 2 -m slow tests/fuzz $(ARGS)

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.installed-bench  # the short rows, ARGS=all or names such as ARGS="views co_em --short"
	$(BIN)/python -m benchmarks $(if $(KEEP),--keep) $(ARGS)

quality: .venv/.installed-bench  # needs MANYVIEWS_DATA; parts of names of recipes in ARGS
	$(BIN)/python -m benchmarks.quality $(ARGS)

papers: .venv/.installed-app  # such as ARGS="desa2005 --table section-2 --quick"
	$(BIN)/python -m papers $(ARGS)

docs: .venv/.installed-docs
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W -j 2 -b html docs docs/_build/html

clean:
	rm -rf .venv docs/_build .pytest_cache .mypy_cache .ruff_cache
