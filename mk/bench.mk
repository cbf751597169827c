# make bench-quick (under three minutes) and make bench: the OpenMP constructs on both hosts of ours, on
# libgomp and on libomp, from one binary. NAME=x names the result, bench/results/x.json; BENCH_FLAGS goes to
# bench/run.py as it is.

NAME ?= latest

# Compiled once, by plain gcc -fopenmp and without our headers: all the runtimes get this same binary.
$(BUILD)/bench/constructs: bench/c/constructs.c bench/c/tasks.c bench/c/bench.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp $(filter %.c,$^) -o $@

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

# The committed result as a page of the docs and as the README's table; part of `make gen`, which CI repeats.
RESULT := bench/results/constructs-2-cores.json
.PHONY: gen-bench
gen-bench:
	@{ printf '# Constructs on two cores\n\n'; \
	   printf 'Generated from `$(RESULT)` by `make gen`; [how it was measured](benchmarks.md).\n\n'; \
	   $(PYTHON) bench/run.py table $(RESULT); } > docs/results.md
	@$(PYTHON) bench/run.py table $(RESULT) --short parallel,barrier,nested,resize,tasks,task-fib,task-depend --into README.md
gen: gen-bench
