# Everything a person needs: `make demo`, `make test`, `make check`, `make bench`. Needs only Python >= 3.10.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Installs this folder in place; setuptools would warn of that.
EDITABLE := PYTHONWARNINGS=ignore $(BIN)/python -m pip install -q -e
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: docs demo test check test-avx2 test-baseline test-one-thread test-torch test-jax-versions ecosystem bench env env-test env-bench lint types bytecode lit pytest format examples dist clean

demo: env
	$(BIN)/python examples/demo.py

test: env-test lint types bytecode
	$(BIN)/lit -j $(JOBS) -q --timeout 300 test
	$(BIN)/python -m pytest -n $(JOBS) test

check: env-test lint types bytecode
	$(BIN)/lit -j $(JOBS) -q --timeout 120 test
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow" test

# Everything on the code for processors with less, and on one thread: test-avx2, test-baseline, test-one-thread.
test-avx2 test-baseline: test-%: env-test
	HLO_CPU=$* $(BIN)/lit -j $(JOBS) -q --timeout 300 test/e2e
	HLO_CPU=$* $(BIN)/python -m pytest -n $(JOBS) test

test-one-thread: env-test
	HLO_THREADS=1 $(BIN)/lit -j $(JOBS) -q --timeout 300 test/e2e
	HLO_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) test

# PyTorch (its build for CPUs) in an environment of its own: build/torch-env. Where it cannot be installed the tests are skipped.
test-torch: build/torch-env/env.done
	build/torch-env/bin/python -m pytest -rs test/python/integrations/test_torch*.py

# Libraries that are written for JAX, each in an environment of its own (docs/ecosystem.md): `make ecosystem ECOSYSTEM="--only numpyro"`.
ecosystem:
	$(PYTHON) -m integrations.ecosystem $(ECOSYSTEM)

# One program on the oldest and the newest JAX that are accepted; the newest needs another Python.
test-jax-versions:
	$(PYTHON) -m integrations.ecosystem --seconds 0 --skip-missing-python --only jax-0.8 jax-0.9 jax-0.12

build/torch-env/env.done: pyproject.toml
	test -x build/torch-env/bin/python || $(PYTHON) -m venv build/torch-env
	build/torch-env/bin/python -m pip install -q -e '.[lapack]' pytest
	{ build/torch-env/bin/python -m pip install -q 'torch==2.13.0+cpu' \
	  || build/torch-env/bin/python -m pip install -q --extra-index-url https://download.pytorch.org/whl/cpu 'torch==2.13.0'; } \
	  && build/torch-env/bin/python -m pip install -q -e '.[torch]' expecttest transformers || echo "PyTorch cannot be installed here"
	touch $@

format: env-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: env-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

# Each lit test starts processes that must not write bytecode (they would race): they find it written.
bytecode: env-test
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q hlo builder dialect integrations lowering pipelines reference runtime tools bench

# mypy sees the package layout of pyproject.toml through a tree of links.
types: env-test
	$(BIN)/python tools/type_check.py $(BIN)

examples: env-test
	$(BIN)/python examples/export.py
	$(BIN)/python -m examples.parallel

# The site of the documentation, in build/site: its generator has an environment of its own.
docs: build/docs-env/env.done
	build/docs-env/bin/python tools/type_check.py --tree
	NO_MKDOCS_2_WARNING=1 build/docs-env/bin/mkdocs build --quiet

build/docs-env/env.done: pyproject.toml
	test -x build/docs-env/bin/python || $(PYTHON) -m venv build/docs-env
	build/docs-env/bin/python -m pip install -q 'mkdocs==1.6.1' 'mkdocs-material==9.8.1' 'mkdocstrings[python]==1.0.8' 'ruff==0.17.5'
	touch $@

# The table and plot of docs/performance.md: `make bench BENCH="--quick --only softmax --threads 1"`.
bench: env-bench
	$(BIN)/python -m bench $(BENCH)

env: $(VENV)/env.done
env-test: $(VENV)/env-test.done
env-bench: $(VENV)/env-bench.done

$(VENV)/env.done: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(EDITABLE) .
	touch $@

$(VENV)/env-test.done: $(VENV)/env.done
	$(EDITABLE) '.[dev]'
	touch $@

# IREE has no wheels for every Python and machine: without it the benchmark leaves its columns empty.
$(VENV)/env-bench.done: $(VENV)/env.done
	$(EDITABLE) '.[bench]'
	$(EDITABLE) '.[iree]' || echo "IREE cannot be installed here"
	touch $@

# Wheel and source archive in dist/, and the first program of the README run by the wheel alone in an environment of its own.
dist: env-test
	rm -rf dist build/dist-check
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m venv build/dist-check
	build/dist-check/bin/python -m pip install -q dist/*.whl
	cd build/dist-check && bin/hlo-run $(CURDIR)/examples/softmax.mlir --input 2x3xf32=0,1,2,3,4,5

clean:
	rm -rf build dist $(VENV) *.egg-info
