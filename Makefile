# make demo, test, check, nightly, fuzz, bench, lint, docs: each makes .venv, installs what it needs, compiles what changed, and runs.
# Needs Python >= 3.10, a C compiler and make.  PYTHON=python3.12 chooses the interpreter of a new .venv.

PYTHON ?= python3
PY := .venv/bin/python
FOLDERS := rbdyn collision contact io
SOURCES := $(shell find $(FOLDERS) -type f -not -name '*.so' -not -path '*/__pycache__/*')
# Two processes; each takes whole files, whose tests share what is slow to make, in the order of tests/conftest.py.
TWO := -n 2 --dist loadfile --no-loadscope-reorder
export PIP_CACHE_DIR ?= $(CURDIR)/.venv/cache
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help demo test check nightly mutate fuzz asan bench golden lint cython-lint stubs types layers ruff docs build clean

help:
	@echo 'make demo    a four-legged robot drops, and stands; demo.html and demo.png show it'
	@echo 'make test    the test suite but for slow files; PYTEST="-k world" passes options on'
	@echo 'make check   the whole test suite'
	@echo 'make nightly the same with 400 random cases where it takes 4; SEEDS=40 make test: with 40'
	@echo 'make mutate  change one term of the kernels at a time: does a test notice? MUTATE="--only contact/*"'
	@echo 'make fuzz    wrong inputs for readers of files, queries with ties; FUZZ="--count 1000000 --queries 5000 --seed 7"'
	@echo 'make asan    the tests under AddressSanitizer and UndefinedBehaviorSanitizer (GCC, Linux), in build/asan'
	@echo 'make bench   time the algorithms and the World beside their peers'
	@echo 'make golden  compare the bits of results with those written in benchmarks/golden.txt'
	@echo 'make lint    ruff, cython-lint, mypy, stubtest, and the layer test'
	@echo 'make docs    build the manual to docs/_build/html'
	@echo 'make clean   remove what was built, and .venv'

demo: build .venv/.viz
	$(PY) -m rbdyn demo --pages

test: build .venv/.test
	$(PY) -m pytest $(TWO) -m 'not slow' $(PYTEST)

check: build .venv/.test
	$(PY) -m pytest $(TWO) $(PYTEST)

nightly: build .venv/.test
	SEEDS=400 $(PY) -m pytest $(TWO) $(PYTEST)

mutate: build .venv/.test
	$(PY) tests/mutation $(MUTATE)

fuzz: build .venv/.test
	$(PY) tests/fuzz $(FUZZ)

# A copy, so that the modules in place stay as they are.  What counts allocations or builds packages is left out.
SANITIZED := setup.py pyproject.toml README.md $(FOLDERS) tests examples docs
UNMEASURED := not alloc and not memory_does and not memory_of and not freed
asan: .venv/.test
	mkdir -p build/asan
	find build/asan -path build/asan/build -prune -o -type f ! -name '*.so' -exec rm {} +
	tar -c --exclude='*.so' --exclude=__pycache__ $(SANITIZED) | tar -x -C build/asan
	cd build/asan && RBDYN_SANITIZE=address,undefined ../../$(PY) setup.py --quiet build_ext --inplace
	cd build/asan && ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc \
		LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
		../../$(PY) -m pytest $(TWO) --ignore=tests/repository --ignore=tests/mutation -k '$(UNMEASURED)' $(PYTEST)

bench: build .venv/.test .venv/.bench
	$(PY) -m benchmarks --page

golden: build .venv/.test
	$(PY) -m benchmarks.golden

lint: build .venv/.lint .venv/.test
	@$(MAKE) --no-print-directory --jobs=2 --output-sync --keep-going cython-lint stubs types layers ruff

# Parts of lint, the longest first.
cython-lint:
	PATH="$(CURDIR)/.venv/bin:$$PATH" cython-lint $(FOLDERS)

stubs:
	$(PY) tests/repository/check_stubs.py

types:
	cd build/tree && ../../$(PY) -m mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache -p rbdyn

layers:
	$(PY) -m pytest tests/repository/test_layers.py

ruff:
	$(PY) -m ruff check .

docs: build .venv/.docs
	$(PY) -m sphinx -q -W --keep-going -b html docs docs/_build/html
	$(PY) docs/links.py docs/_build/html
	@echo 'open docs/_build/html/index.html'

build: build/.done

# Compiles in place, and only what changed.
build/.done: .venv/.core $(SOURCES)
	$(PY) setup.py --quiet build_ext --inplace
	@touch $@

# .venv/.core is rbdyn with its dependencies, .venv/.test with those of the extra [test], and so on.
.venv/.core: .venv/.made pyproject.toml setup.py
	$(PY) -m pip install -qq --no-build-isolation -e .
	@touch $@

.venv/.%: .venv/.core
	$(PY) -m pip install -qq 'rbdyn[$*]'
	@touch $@

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "rbdyn needs Python >= 3.10; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(PY) -m pip install -qq --upgrade pip 'setuptools>=77' 'Cython>=3.1' 'numpy>=2.0'
	@touch $@

clean:
	rm -rf build dist .venv *.egg-info docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find $(FOLDERS) tests -name '*.so' -delete -o -name __pycache__ -prune -exec rm -rf {} +
