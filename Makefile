# The commands of this project; CMake does the work. `make help` lists them.
BUILD := build/release
JOBS := $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
PREFIX ?= /usr/local
# One place that says how a tree is configured: the presets.
configure = cmake --preset release >/dev/null
# A tree's first report needs neither tests nor the interpreter for other machines; a tree that has them keeps them.
configure-first = $(if $(wildcard $(BUILD)/CMakeCache.txt),cmake $(BUILD),cmake --preset release -DWAVESMITH_LEVELS=host -DWAVESMITH_TESTS=OFF -DWAVESMITH_BENCH=OFF) >/dev/null

.PHONY: nightly aarch64 asan tsan litmus test-clients test-libraries wheel help setup setup-build setup-run setup-test build run test bench install format format-check tidy check clean

help:
	@echo "make run       build, compile examples/attention.hip for gfx942, run it on an emulated MI300X; builds that much only"
	@echo "make build     the command in $(BUILD)/bin/wavesmith, the libraries in $(BUILD)/lib"
	@echo "make test      build and run every test"
	@echo "make test-clients  every test of Triton, JAX, CuPy, IREE and others; make test runs a part of them"
	@echo "make test-libraries  the tests of AMD's own libraries, from Debian, for 10 minutes each and GPU; make test runs a sample"
	@echo "make litmus    the memory model, a million tries of each test (half an hour); make test runs fewer"
	@echo "make wheel     the Python package in build/wheels; pip install . builds and installs it"
	@echo "make bench     build and run the benchmarks, results in $(BUILD)/bench.json"
	@echo "make install   install under PREFIX ($(PREFIX))"
	@echo "make format    format the sources; format-check: only look"
	@echo "make tidy      clang-tidy over everything"
	@echo "make asan      every test under AddressSanitizer and UndefinedBehaviorSanitizer; make tsan: under ThreadSanitizer"
	@echo "make aarch64   build everything for AArch64 and run every test there, under QEMU (an hour or two)"
	@echo "make nightly   asan, tsan, aarch64 and litmus, one after another (several hours)"
	@echo "make check     the rules of the repository: who includes whom, where targets are named"
	@echo "make setup     install what all of these need (apt; they do it themselves)"
	@echo "Other builds:  cmake --preset debug && cmake --build build/debug"

setup: setup-test
setup-build setup-run setup-test: setup-%:
	@tools/setup $*

build: setup-build
	@$(configure)
	@nice cmake --build $(BUILD) --target product

run: setup-run
	@$(configure-first)
	@nice cmake --build $(BUILD) --target runner
	@mkdir -p build/examples
	$(BUILD)/bin/wavesmith cc --offload-arch=gfx942 -O3 examples/attention.hip -o build/examples/attention
	$(BUILD)/bin/wavesmith run --gpu mi300x --report -- build/examples/attention

test: setup-test check
	@tools/format-check
	@tools/setup-clients
	@tools/setup-pytorch-tests
	@tools/setup-libraries
	@$(configure)
	@nice cmake --build $(BUILD)
	@tools/tidy-changed
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

test-clients: setup-test
	@tools/setup-clients --all
	@tools/setup-pytorch-tests
	@$(configure)
	@nice cmake --build $(BUILD) --target python
	@tools/test-clients

test-libraries: setup-test
	@$(configure)
	@nice cmake --build $(BUILD) --target product
	@tests/libraries/run_libraries.py

litmus: setup-test
	@$(configure)
	@nice cmake --build $(BUILD) --target product
	@tests/litmus/litmus.py

wheel: setup-build
	@python3 -m venv build/venv
	@build/venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheels .
	@ls build/wheels/*.whl

bench: setup-run
	@$(configure)
	@nice cmake --build $(BUILD) --target product python wavesmith_bench
	@$(BUILD)/bin/wavesmith_bench

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format format-check: %: setup-test
	@tools/$@

tidy: setup-test
	@cmake --preset tidy >/dev/null
	@nice cmake --build build/tidy

# Programs that are not instrumented load our libraries, so the sanitizer's own library has to come first. What compilers
# and runtimes keep till their end is no leak of ours.
asan tsan: setup-test
	@cmake --preset $@ >/dev/null
	@nice cmake --build build/$@
	@cd build/$@ && ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=suppressions=$(CURDIR)/tools/tsan.suppressions \
	  LD_PRELOAD=$$(clang-22 -print-file-name=libclang_rt.$@-x86_64.so) ctest --output-on-failure -j $(JOBS)

# One after another, and all of them: the last line names what failed.
nightly:
	@failed=; for part in asan tsan aarch64 litmus; do \
	  echo "nightly: $$part"; $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; done; \
	  [ -z "$$failed" ] || { echo "nightly:$$failed failed"; exit 1; }; echo "nightly: all passed"

aarch64:
	@tools/aarch64 -j $(JOBS)

check:
	@tools/check_dependencies
	@tools/check_docs

clean:
	rm -rf build
