# make bench-quick (under three minutes) and make bench (under 15): OpenMP constructs and programs on both hosts of
# ours, on libgomp and on libomp, from one binary. NAME=x names the result, bench/results/x.json; BENCH_FLAGS goes to
# bench/run.py as it is.

NAME ?= latest

# Compiled once, by plain gcc -fopenmp and without our headers: all runtimes run this same binary.
CONSTRUCTS := $(patsubst %,bench/c/%.c,constructs tasks dgemm sine stencil sparselu tree fractal)
$(BUILD)/bench/constructs: $(CONSTRUCTS) bench/c/bench.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp $(filter %.c,$^) -o $@ -lm

.PHONY: bench-run bench-deps
bench-deps:
	@sh tools/deps.sh build haskell bench

bench: bench-deps
	@$(MAKE) bench-run
bench-quick: bench-deps
	@$(MAKE) bench-run BENCH_FLAGS="--quick $(BENCH_FLAGS)"

# A second make, so that it sees the ghc and the gcc that the first one installed.
bench-run: all $(BUILD)/bench/constructs
	$(PYTHON) bench/run.py run --build $(BUILD) --cc $(CC) --name $(NAME) $(BENCH_FLAGS)

# The same constructs and tasks, compiled by clang for libomp. CLANG_NAME=x names the result.
CLANG ?= clang-19
CLANG_NAME ?= clang-latest
$(BUILD)/bench/constructs-clang: $(CONSTRUCTS) bench/c/bench.h
	@mkdir -p $(@D)
	$(CLANG) -std=gnu11 -O2 -Wall -Wextra -fopenmp $(filter %.c,$^) -o $@ -lm
.PHONY: bench-clang
bench-clang: bench-deps all $(BUILD)/bench/constructs-clang
	$(PYTHON) bench/run.py run --clang --runtimes ours-posix,ours-ghc,libomp --build $(BUILD) --cc $(CLANG) \
	    --name $(CLANG_NAME) $(BENCH_FLAGS)

# What got worse between two results of any kind; exits with an error when one of our runtimes did.
.PHONY: bench-compare
bench-compare:
	@$(PYTHON) bench/compare.py $(BEFORE) $(AFTER) $(BENCH_FLAGS)

# The work that programs do under a CPU quota; needs permission to make a control group. QUOTA_NAME=x names the result.
QUOTA_NAME ?= quota-latest
$(BUILD)/bench/quota: bench/c/quota.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp $< -o $@ -ldl
.PHONY: bench-quota
bench-quota: bench-deps all $(BUILD)/bench/quota
	$(PYTHON) bench/quota.py run --build $(BUILD) --cc $(CC) --name $(QUOTA_NAME) $(BENCH_FLAGS)

# Constructs beside other processes that compute on the same CPUs. NEIGHBOURS_NAME=x names the result.
NEIGHBOURS_NAME ?= neighbours-latest
$(BUILD)/bench/neighbours: bench/c/neighbours.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp $< -o $@ -ldl
.PHONY: bench-neighbours
bench-neighbours: bench-deps all $(BUILD)/bench/neighbours
	$(PYTHON) bench/neighbours.py run --build $(BUILD) --cc $(CC) --name $(NEIGHBOURS_NAME) $(BENCH_FLAGS)

# Searches of unbalanced trees. TREES_NAME=x names the result.
TREES_NAME ?= trees-latest
$(BUILD)/bench/trees: bench/c/trees.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp $< -o $@ -ldl
.PHONY: bench-trees
bench-trees: bench-deps all $(BUILD)/bench/trees
	$(PYTHON) bench/trees.py run --build $(BUILD) --cc $(CC) --name $(TREES_NAME) $(BENCH_FLAGS)

# Constructs on a runtime of one mutex, too (bench/c/locked.c). LOCKS_NAME=x names the result.
LOCKS_NAME ?= locks-latest
$(BUILD)/bench/locked/libgomp.so.1: bench/c/locked.c bench/c/locked.map
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -shared -fPIC -pthread $< -Wl,--version-script=bench/c/locked.map \
	  -Wl,-soname,libgomp.so.1 -o $@
.PHONY: bench-locks
bench-locks: bench-deps all $(BUILD)/bench/constructs $(BUILD)/bench/locked/libgomp.so.1
	$(PYTHON) bench/locks.py run --build $(BUILD) --cc $(CC) --name $(LOCKS_NAME) $(BENCH_FLAGS)

# What `ghcomp profile` costs the programs of constructs. PROFILER_NAME=x names the result.
PROFILER_NAME ?= profiler-latest
.PHONY: bench-profiler
bench-profiler: bench-deps all $(BUILD)/bench/constructs $(BUILD)/bench/trees
	$(PYTHON) bench/profiler.py run --build $(BUILD) --cc $(CC) --name $(PROFILER_NAME) $(BENCH_FLAGS)

# What the hooks of observers cost while nobody watches: this build beside one without them, in $(BUILD)/unwatched, and
# both with their functions in other places. WATCHED_NAME=x names the result.
WATCHED_NAME ?= watched-latest
.PHONY: bench-watched
bench-watched: bench-deps all $(BUILD)/bench/constructs
	@sh tools/deps.sh bench-watched
	@$(MAKE) BUILD=$(BUILD)/unwatched CFLAGS="$(CFLAGS) -DGHCOMP_UNWATCHED" lib dropin
	@$(MAKE) BUILD=$(BUILD)/aligned CFLAGS="$(CFLAGS) -falign-functions=64" lib dropin
	@$(MAKE) BUILD=$(BUILD)/unwatched-aligned CFLAGS="$(CFLAGS) -DGHCOMP_UNWATCHED -falign-functions=64" lib dropin
	@if command -v $(CLANG) > /dev/null; then $(MAKE) $(BUILD)/bench/constructs-clang; fi
	$(PYTHON) bench/watched.py run --build $(BUILD) --cc $(CC) --name $(WATCHED_NAME) $(BENCH_FLAGS)

# Large teams, and a model of them. LARGE_NAME=x names the result.
LARGE_NAME ?= large-latest
$(BUILD)/bench/large: bench/c/large.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp $< -o $@ -ldl
.PHONY: bench-large
bench-large: bench-deps all $(BUILD)/bench/large
	$(PYTHON) bench/large.py run --build $(BUILD) --cc $(CC) --name $(LARGE_NAME) $(BENCH_FLAGS)

# primecount, short regions of large teams. PRIMECOUNT_NAME=x names the result.
PRIMECOUNT_NAME ?= primecount-latest
.PHONY: bench-primecount bench-primecount-deps
bench-primecount-deps:
	@sh tools/deps.sh build haskell bench demo
bench-primecount: bench-primecount-deps all $(BUILD)/bench/constructs
	$(PYTHON) bench/primecount.py run --build $(BUILD) --cc $(CC) --name $(PRIMECOUNT_NAME) $(BENCH_FLAGS)

# Packaged libraries called from many threads, and packaged programs. C_CALL_NAME=x names the result. The programs find
# the OpenBLAS that is built with OpenMP, wherever the system's alternatives point.
C_CALL_NAME ?= c-call-latest
OPENBLAS := $(firstword $(wildcard /usr/lib/*/openblas-openmp/libopenblas.so.0))
CALLS_SRC := bench/c/calls.c bench/hs/latencies.c bench/hs/process.c
CALLS_CC = $(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp -Ibench/hs $(filter %.c,$^) -o $@
CALLS_H := bench/c/calls.h bench/hs/latencies.h bench/hs/process.h
$(BUILD)/bench/calls-dgemm: bench/c/calls_dgemm.c $(CALLS_SRC) $(CALLS_H)
	@mkdir -p $(@D)
	$(CALLS_CC) $(or $(OPENBLAS),$(error no OpenBLAS with OpenMP; install libopenblas0-openmp)) \
	  -Wl,-rpath,$(dir $(OPENBLAS))
$(BUILD)/bench/calls-fft: bench/c/calls_fft.c $(CALLS_SRC) $(CALLS_H)
	@mkdir -p $(@D)
	$(CALLS_CC) -lfftw3_omp -lfftw3 -lm
.PHONY: bench-c-call bench-c-call-run bench-c-call-deps
bench-c-call-deps:
	@sh tools/deps.sh build haskell bench bench-c-call
# A second make, so that it sees the libraries that the first one installed.
bench-c-call: bench-c-call-deps
	@$(MAKE) bench-c-call-run
bench-c-call-run: all $(addprefix $(BUILD)/bench/,constructs calls-dgemm calls-fft)
	$(PYTHON) bench/c_call.py run --build $(BUILD) --cc $(CC) --name $(C_CALL_NAME) $(BENCH_FLAGS)

# The kit, $(BUILD)/ghc-openmp-bench.tar.gz: measurements for a machine that has nothing but Linux. Its interpreter is
# the one that makes it, which has to be a package's.
KIT_PROGRAMS := $(addprefix $(BUILD)/bench/,constructs large quota neighbours trees masters)
.PHONY: bench-kit
bench-kit: bench-primecount-deps all $(KIT_PROGRAMS)
	/usr/bin/python3 -B bench/kit.py --build $(BUILD)

# The committed results as pages of the docs, with pictures, and as the README's table; part of `make gen`, which CI
# repeats.
README_ROWS := parallel:2,parallel:8,barrier:2,barrier:8,nested:2,resize:2,task-fib:2,task-depend:2
.PHONY: gen-bench
gen-bench:
	@$(PYTHON) bench/pages.py
	@$(PYTHON) bench/run.py table bench/results/constructs-2-cores.json --short $(README_ROWS) --into README.md
gen: gen-bench

# ---- the Haskell library and its peers ----

# make bench-hs-quick (under three minutes once built) and make bench-hs (about twelve). HS_NAME=x names the result.
# The programs are a Cabal project of their own (bench/hs): kernels with our library, peers with libgomp, and, where
# LLVM's tools are installed, kernels once more by GHC's LLVM backend.
HS_NAME  ?= haskell-latest
HS_BUILD := $(BUILD)/bench/hs
HS_CABAL := --project-file=bench/hs/cabal.project --builddir=$(CURDIR)/$(BUILD)/bench/cabal
HS_LLVM  := $(and $(shell command -v opt),$(shell command -v llc),kernels-llvm)
HS_FLAGS := $(if $(HS_LLVM),--constraint="ghc-openmp-bench +llvm")
HS_EXES  := kernels peers $(HS_LLVM)

# $(call bench_hs_build,FLAGS,EXES): builds programs of bench/hs and puts them into $(HS_BUILD).
define bench_hs_build
	@mkdir -p $(HS_BUILD)
	sh tools/cabal.sh build -v1 $(HS_CABAL) $(1) $(2:%=exe:%)
	@for exe in $(2); do \
	  cp "$$(sh tools/cabal.sh list-bin $(HS_CABAL) $(1) exe:$$exe)" $(HS_BUILD)/$$exe || exit 1; \
	done
endef

.PHONY: bench-hs bench-hs-quick bench-hs-run bench-hs-programs
bench-hs-programs: FORCE
	$(call bench_hs_build,$(HS_FLAGS),$(HS_EXES))

bench-hs: bench-hs-deps
	@$(MAKE) bench-hs-run
bench-hs-quick: bench-hs-deps
	@$(MAKE) bench-hs-run BENCH_FLAGS="--quick $(BENCH_FLAGS)"
.PHONY: bench-hs-deps
bench-hs-deps:
	@sh tools/deps.sh build haskell bench bench-hs
bench-hs-run: bench-hs-programs $(BUILD)/bench/constructs
	$(PYTHON) bench/haskell.py run --build $(BUILD) --cc $(CC) --name $(HS_NAME) $(BENCH_FLAGS)

# make bench-evaluation: lazy values evaluated by a team, and transactions of its members. Rows of the same programs,
# and a result of their own. EVALUATION_NAME=x names it.
EVALUATION_NAME ?= evaluation-latest
EVALUATION_ROWS := evaluate,evaluate-irregular,divide,commit
.PHONY: bench-evaluation bench-evaluation-run
bench-evaluation: bench-hs-deps
	@$(MAKE) bench-evaluation-run
bench-evaluation-run: bench-hs-programs $(BUILD)/bench/constructs
	$(PYTHON) bench/haskell.py run --build $(BUILD) --cc $(CC) --name $(EVALUATION_NAME) --rows $(EVALUATION_ROWS) \
	  --threads 1,2,4,8 $(BENCH_FLAGS)

# make bench-shared (two minutes once built): the workload of examples/haskell/Shared.hs, with barriers and with tokens.
# A result of its own. SHARED_NAME=x names it.
SHARED_NAME ?= shared-latest
.PHONY: bench-shared bench-shared-run
bench-shared: bench-hs-deps
	@$(MAKE) bench-shared-run
bench-shared-run: bench-hs-programs $(BUILD)/bench/constructs
	$(PYTHON) bench/haskell.py run --build $(BUILD) --cc $(CC) --name $(SHARED_NAME) --rows shared,shared-parts \
	  --threads 1,2 $(BENCH_FLAGS)

# make bench-smp (five minutes once built): what parallel execution costs Haskell programs. SMP_NAME=x names the result.
SMP_NAME ?= smp-latest
SMP_EXES := smp-plain smp-threaded smp-eager smp-library
.PHONY: bench-smp bench-smp-run bench-smp-programs
bench-smp-programs: FORCE
	$(call bench_hs_build,,$(SMP_EXES))
	@mkdir -p $(BUILD)/bench/smp && cp $(SMP_EXES:%=$(HS_BUILD)/%) $(BUILD)/bench/smp/
bench-smp:
	@sh tools/deps.sh build haskell
	@$(MAKE) bench-smp-run
bench-smp-run: bench-smp-programs
	$(PYTHON) bench/smp.py run --build $(BUILD) --cc $(CC) --name $(SMP_NAME) $(BENCH_FLAGS)

# ---- one pool for the process ----

# make bench-pool-quick (under four minutes once built) and make bench-pool (twelve). POOL_NAME=x names the result.
# `make bench-pool-programs` alone needs nothing of the peers' packages, so it also builds where those are missing.
POOL_NAME ?= pool-latest
POOL_EXES := pool pool-peers pool-dynamic

# One binary for all the runtimes, as with constructs.
POSIX_SRC := bench/c/masters.c $(addprefix bench/hs/,latencies.c process.c regions.c)
$(BUILD)/bench/masters: $(POSIX_SRC) $(wildcard bench/hs/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp -Ibench/hs $(filter %.c,$^) -o $@

.PHONY: bench-pool bench-pool-quick bench-pool-run bench-pool-programs
bench-pool-programs: $(BUILD)/bench/masters FORCE
	$(call bench_hs_build,,$(POOL_EXES))
bench-pool: bench-deps
	@$(MAKE) bench-pool-run
bench-pool-quick: bench-deps
	@$(MAKE) bench-pool-run BENCH_FLAGS="--quick $(BENCH_FLAGS)"
bench-pool-run: all bench-pool-programs $(BUILD)/bench/constructs
	$(PYTHON) bench/pool.py run --build $(BUILD) --cc $(CC) --name $(POOL_NAME) $(BENCH_FLAGS)

# ---- a Haskell program compiled by a graph ----

# make bench-parallel-make: cabal-install by parallel-make, ghc --make and make; about 40 minutes. The sources are
# fetched once.
PARALLEL_MAKE_NAME ?= parallel-make-latest
.PHONY: bench-parallel-make
bench-parallel-make:
	@sh tools/deps.sh build haskell parallel-make
	sh tools/debian-source.sh haskell-cabal-install $(BUILD)/sources
	sh tools/cabal.sh build -v1 exe:parallel-make
	$(PYTHON) bench/parallel_make.py run --build $(BUILD) --cc $(CC) --name $(PARALLEL_MAKE_NAME) $(BENCH_FLAGS)

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
