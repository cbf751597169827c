# Measurements, each beside libgomp and libomp. `make bench-M` installs what the measurement M needs and measures: it
# runs bench/M.py, or the script of SCRIPT_M with ARGS_M. NAME=x names the result, bench/results/x.json (M-latest is the
# default), and BENCH_FLAGS goes to the script as it is. `make bench-M-quick` passes --quick to those that take it.
# docs/results/benchmarks.md says what each measures.
NAME ?=
CLANG ?= clang-19

.PHONY: bench bench-quick bench-clang bench-quota bench-neighbours bench-trees bench-locks bench-replay bench-profiler \
  bench-watched bench-large bench-primecount bench-c-call bench-hs bench-hs-quick bench-evaluation bench-shared \
  bench-shapes bench-smp bench-pool bench-pool-quick bench-parallel-make bench-compile bench-free-agents \
  bench-smp-packages bench-older bench-virtual bench-noise bench-recovery bench-compare
MEASUREMENTS := constructs clang quota neighbours trees locks replay profiler watched large primecount c-call hs \
  evaluation shared shapes smp pool parallel-make compile free-agents \
  smp-packages older virtual noise recovery
# A second make, so that it sees the compilers and libraries that the first one installed.
$(MEASUREMENTS:%=bench-%): bench-%:
	@sh tools/deps.sh $(or $(DEPS_$*),build haskell bench)
	@$(MAKE) bench-$*-run
$(MEASUREMENTS:%=bench-%-quick): bench-%-quick:
	@$(MAKE) bench-$* BENCH_FLAGS="--quick $(BENCH_FLAGS)"
$(MEASUREMENTS:%=bench-%-run): bench-%-run: all
	$(PYTHON) bench/$(or $(SCRIPT_$*),$(subst -,_,$*).py) run $(ARGS_$*) --build $(BUILD) --cc $(or $(CC_$*),$(CC)) \
	  --name $(or $(NAME),$*-latest) $(BENCH_FLAGS)

bench: bench-constructs
bench-quick: bench-constructs-quick

# What got worse between two results of any kind; exits with an error when one of our runtimes did.
bench-compare:
	@$(PYTHON) bench/compare.py $(BEFORE) $(AFTER) $(BENCH_FLAGS)

# Programs of C. Each is compiled once, by plain gcc -fopenmp and without our headers: all runtimes run the same binary.
BENCH_CC = $(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp
CONSTRUCTS := $(patsubst %,bench/c/%.c,constructs tasks dgemm sine stencil sparselu tree fractal)
$(BUILD)/bench/constructs: $(CONSTRUCTS) bench/c/bench.h
	@mkdir -p $(@D)
	$(BENCH_CC) $(filter %.c,$^) -o $@ -lm
$(BUILD)/bench/constructs-clang: $(CONSTRUCTS) bench/c/bench.h
	@mkdir -p $(@D)
	$(CLANG) -std=gnu11 -O2 -Wall -Wextra -fopenmp $(filter %.c,$^) -o $@ -lm
BENCH_PROGRAMS := $(patsubst %,$(BUILD)/bench/%,quota neighbours trees large free_agents replay)
$(BENCH_PROGRAMS): $(BUILD)/bench/%: bench/c/%.c
	@mkdir -p $(@D)
	$(BENCH_CC) $< -o $@ -ldl -lm
$(BUILD)/bench/task-reductions: test/conformance/taskreduction/worksharing.c test/conformance/common.h
	@mkdir -p $(@D)
	$(BENCH_CC) $< -o $@
# A plug-in of QEMU's, which has the functions that it calls.
$(BUILD)/bench/instructions.so: bench/c/instructions.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -shared -fPIC $< -o $@
$(BUILD)/bench/locked/libgomp.so.1: bench/c/locked.c bench/c/locked.map
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -shared -fPIC -pthread $< -Wl,--version-script=bench/c/locked.map \
	  -Wl,-soname,libgomp.so.1 -o $@
# They find the OpenBLAS that is built with OpenMP, wherever the system's alternatives point.
OPENBLAS := $(firstword $(wildcard /usr/lib/*/openblas-openmp/libopenblas.so.0))
CALLS_SRC := bench/c/calls.c bench/hs/latencies.c bench/hs/process.c
CALLS_H := bench/c/calls.h bench/hs/latencies.h bench/hs/process.h
$(BUILD)/bench/calls-%: bench/c/calls_%.c $(CALLS_SRC) $(CALLS_H)
	@mkdir -p $(@D)
	$(BENCH_CC) -Ibench/hs $(filter %.c,$^) -o $@ $(CALLS_LIBS_$*)
CALLS_LIBS_dgemm = $(or $(OPENBLAS),$(error no OpenBLAS with OpenMP; install libopenblas0-openmp)) \
  -Wl,-rpath,$(dir $(OPENBLAS))
CALLS_LIBS_fft := -lfftw3_omp -lfftw3 -lm

# What each measurement runs, and what it needs.
SCRIPT_constructs := run.py
bench-constructs-run: $(BUILD)/bench/constructs
SCRIPT_clang := run.py
ARGS_clang := --clang --runtimes ours-posix,ours-ghc,libomp
CC_clang = $(CLANG)
bench-clang-run: $(BUILD)/bench/constructs-clang
bench-quota-run: $(BUILD)/bench/quota
bench-neighbours-run bench-noise-run bench-recovery-run: $(BUILD)/bench/neighbours
bench-trees-run: $(BUILD)/bench/trees
bench-large-run: $(BUILD)/bench/large
bench-free-agents-run: $(BUILD)/bench/free_agents
DEPS_virtual := build haskell bench machines
.PHONY: bench-virtual-kernel
bench-virtual-kernel:
	@$(PYTHON) tools/machines.py fetch $$(uname -m)
bench-virtual-run: $(BUILD)/bench/constructs $(BUILD)/bench/task-reductions bench-virtual-kernel
DEPS_older := build haskell bench bench-older
bench-older-run: $(BUILD)/bench/constructs $(BUILD)/bench/instructions.so
bench-locks-run: $(BUILD)/bench/constructs $(BUILD)/bench/locked/libgomp.so.1
bench-replay-run: $(BUILD)/bench/replay bench-replay-programs
bench-profiler-run: $(BUILD)/bench/constructs $(BUILD)/bench/trees
DEPS_primecount := build haskell bench demo
bench-primecount-run: $(BUILD)/bench/constructs
DEPS_c-call := build haskell bench bench-c-call
bench-c-call-run: $(addprefix $(BUILD)/bench/,constructs calls-dgemm calls-fft)

# What the hooks of observers cost while nobody watches: this build beside one without them, in $(BUILD)/unwatched, and
# both with their functions in other places.
DEPS_watched := build haskell bench bench-watched
.PHONY: bench-watched-builds
bench-watched-builds:
	@$(MAKE) BUILD=$(BUILD)/unwatched CFLAGS="$(CFLAGS) -DGHCOMP_UNWATCHED" lib dropin
	@$(MAKE) BUILD=$(BUILD)/aligned CFLAGS="$(CFLAGS) -falign-functions=64" lib dropin
	@$(MAKE) BUILD=$(BUILD)/unwatched-aligned CFLAGS="$(CFLAGS) -DGHCOMP_UNWATCHED -falign-functions=64" lib dropin
	@if command -v $(CLANG) > /dev/null; then $(MAKE) $(BUILD)/bench/constructs-clang; fi
bench-watched-run: $(BUILD)/bench/constructs bench-watched-builds

# The kit, $(BUILD)/ghc-openmp-bench.tar.gz: measurements for a machine that has nothing but Linux. Its interpreter is
# the one that makes it, which has to be a package's.
KIT_PROGRAMS := $(addprefix $(BUILD)/bench/,constructs large quota neighbours trees masters)
.PHONY: bench-kit bench-kit-run
bench-kit:
	@sh tools/deps.sh $(DEPS_primecount)
	@$(MAKE) bench-kit-run
bench-kit-run: all $(KIT_PROGRAMS)
	/usr/bin/python3 -B bench/kit.py --build $(BUILD)

# The committed results as pages of the docs, with pictures, and as the README's table; part of `make gen`, which CI
# repeats.
README_ROWS := parallel:2,parallel:8,barrier:2,barrier:8,nested:2,resize:2,task-fib:2,task-depend:2
.PHONY: gen-bench
gen-bench:
	@$(PYTHON) bench/pages.py
	@$(PYTHON) bench/run.py table bench/results/constructs-2-cores.json --short $(README_ROWS) --into README.md
gen: gen-bench

# ---- programs of Haskell ----

# They are a Cabal project of their own (bench/hs): kernels with our library, peers with libgomp, and, where LLVM's
# tools are installed, kernels once more by GHC's LLVM backend.
HS_BUILD := $(BUILD)/bench/hs
HS_CABAL := --project-file=bench/hs/cabal.project --builddir=$(CURDIR)/$(BUILD)/bench/cabal
HS_LLVM  := $(and $(shell command -v opt),$(shell command -v llc),kernels-llvm)
HS_FLAGS := $(if $(HS_LLVM),--constraint="ghc-openmp-bench +llvm")
HS_EXES  := kernels peers $(HS_LLVM)
SMP_EXES := smp-plain smp-threaded smp-eager smp-library
POOL_EXES := pool pool-peers pool-dynamic
REPLAY_EXES := graphs
COMPILE_EXES := one-heap one-heap-logged

# $(call bench_hs_build,FLAGS,EXES): builds programs of bench/hs and puts them into $(HS_BUILD).
define bench_hs_build
	@mkdir -p $(HS_BUILD)
	sh tools/cabal.sh build -v1 $(HS_CABAL) $(1) $(2:%=exe:%)
	@for exe in $(2); do \
	  cp "$$(sh tools/cabal.sh list-bin $(HS_CABAL) $(1) exe:$$exe)" $(HS_BUILD)/$$exe || exit 1; \
	done
endef

.PHONY: bench-hs-programs bench-smp-programs bench-pool-programs bench-replay-programs
bench-replay-programs: FORCE
	$(call bench_hs_build,,$(REPLAY_EXES))
bench-hs-programs: FORCE
	$(call bench_hs_build,$(HS_FLAGS),$(HS_EXES))
bench-smp-programs: FORCE
	$(call bench_hs_build,,$(SMP_EXES))
	@mkdir -p $(BUILD)/bench/smp && cp $(SMP_EXES:%=$(HS_BUILD)/%) $(BUILD)/bench/smp/
# It needs nothing of the peers' packages, so it also builds where those are missing. One binary for all the runtimes,
# as with constructs.
bench-pool-programs: $(BUILD)/bench/masters FORCE
	$(call bench_hs_build,,$(POOL_EXES))
POSIX_SRC := bench/c/masters.c $(addprefix bench/hs/,latencies.c process.c regions.c)
$(BUILD)/bench/masters: $(POSIX_SRC) $(wildcard bench/hs/*.h)
	@mkdir -p $(@D)
	$(BENCH_CC) -Ibench/hs $(filter %.c,$^) -o $@

DEPS_hs := build haskell bench bench-hs
DEPS_evaluation := $(DEPS_hs)
DEPS_shared := $(DEPS_hs)
DEPS_shapes := $(DEPS_hs)
SCRIPT_hs := haskell.py
SCRIPT_evaluation := haskell.py
SCRIPT_shared := haskell.py
SCRIPT_shapes := haskell.py
ARGS_evaluation := --rows evaluate,evaluate-irregular,divide,commit,duplicates --threads 1,2,4,8
ARGS_shared := --rows shared,shared-parts,halves --threads 1,2
ARGS_shapes := --rows k-means,cholesky,pipeline,mandelbrot,tree,hand-over --threads 1,2
bench-hs-run bench-evaluation-run bench-shared-run bench-shapes-run: bench-hs-programs $(BUILD)/bench/constructs
DEPS_smp := build haskell bench-watched
DEPS_replay := build haskell bench
bench-smp-run: bench-smp-programs
bench-pool-run: bench-pool-programs $(BUILD)/bench/constructs

# cabal-install compiled by parallel-make, ghc --make and make. The sources are fetched once.
DEPS_parallel-make := build haskell parallel-make
.PHONY: bench-parallel-make-programs
bench-parallel-make-programs:
	sh tools/debian-source.sh haskell-cabal-install $(BUILD)/sources
	sh tools/cabal.sh build -v1 exe:parallel-make
bench-parallel-make-run: bench-parallel-make-programs

# Happy and cabal-install compiled in one process by GHC 9.0's library, by ghc --make and by make.
DEPS_compile := build haskell parallel-make
.PHONY: bench-compile-programs
bench-compile-programs: FORCE
	sh tools/debian-source.sh haskell-cabal-install $(BUILD)/sources
	sh tools/debian-source.sh happy $(BUILD)/sources
	$(call bench_hs_build,,$(COMPILE_EXES))
bench-compile-run: bench-compile-programs

# Whole programs of Debian's source packages, which the script compiles.
SMP_PACKAGES := happy alex hscolour
DEPS_smp-packages := build haskell bench bench-watched parallel-make
bench-smp-packages-run: bench-smp-packages-sources
.PHONY: bench-smp-packages-sources
bench-smp-packages-sources:
	@for package in $(SMP_PACKAGES); do sh tools/debian-source.sh $$package $(BUILD)/sources || exit 1; done

# ---- traces as pictures ----

# make pictures: runs of bench/hs/pool with GHC's eventlog as docs/pictures/trace-*.svg, which docs/guide/sharing.md
# shows. Each run gives other pictures, so this is no part of `make gen`: look at them before they are committed.
PICTURES := docs/pictures
.PHONY: pictures
pictures: bench-pool-programs launcher
	$(call trace_picture,mixed,OMP_NUM_THREADS=2,mixed short 2,200,206)
	$(call trace_picture,mixed-dynamic,OMP_NUM_THREADS=2 OMP_DYNAMIC=true,mixed short 2,150,156)
	$(call trace_picture,turns,OMP_NUM_THREADS=4,callers - 4,200,203)
# $(call trace_picture,NAME,ENVIRONMENT,ROW KIND COUNT,FROM,TO): a window of so many milliseconds since the program's
# start. make expands the recipe before it runs it, so that the notes do not call the tree changed by the first picture.
define trace_picture
	@mkdir -p $(PICTURES) $(BUILD)/bench/traces
	$(2) $(HS_BUILD)/pool $(3) 200 +RTS -N2 -l -ol$(BUILD)/bench/traces/$(1).eventlog -RTS
	$(BUILD)/bin/ghcomp trace $(BUILD)/bench/traces/$(1).eventlog --svg $(PICTURES)/trace-$(1).svg --from $(4) --to $(5) \
	  --note "$(shell $(PYTHON) bench/common.py)"
endef
