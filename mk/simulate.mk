# The simulator (bench/simulate): the runtime's own files on simulated CPUs. It has the explorer's library, which is the
# runtime with its atomic operations as calls, and an engine of its own.
SIMULATE_SRC  := $(addprefix bench/simulate/,events.c fibers.c cpus.c migrate.c lines.c os.c mutexes.c others.c \
                 costs.c main.c) test/explore/engine/os_plain.c
SIMULATE_WRAP  = $(addprefix -Wl$(comma)--wrap=,pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock \
                 pthread_once $(addprefix ghcomp_capabilities_,busy collecting collecting_lately held_together_lately))
.PHONY: simulate
simulate: $(BUILD)/bench/simulate $(BUILD)/bench/simulate-real $(BUILD)/bench/simulate-measure
$(BUILD)/obj/simulate/programs.o: bench/simulate/programs.c bench/simulate/programs.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall -Wextra -fopenmp -c $< -o $@
$(BUILD)/bench/simulate: $(SIMULATE_SRC) $(wildcard bench/simulate/*.h) $(BUILD)/obj/simulate/programs.o \
                         $(BUILD)/explore/libghcomp.a $(BUILD)/obj/default_host_posix.o $(BUILD)/flags/explore
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_BASE) $(FLAGS_explore) -O2 $(CFLAGS) -Ibench/simulate $(SIMULATE_SRC) \
	  $(BUILD)/obj/simulate/programs.o $(BUILD)/obj/default_host_posix.o $(BUILD)/explore/libghcomp.a \
	  $(SIMULATE_WRAP) -ldl -lm -o $@
$(BUILD)/bench/simulate-real: bench/simulate/real.c bench/simulate/programs.c bench/simulate/programs.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fopenmp $(filter %.c,$^) -o $@
$(BUILD)/bench/simulate-measure: bench/simulate/measure.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -pthread $< -o $@

# make bench-simulate: simulates all that docs/results/neighbours.md shows, which `make gen` makes of the committed
# result (bench/pages.py); about half an hour on two CPUs. bench-simulate-check adds the same programs on two real CPUs
# that nobody else uses.
SIMULATE_NAME ?= simulate-latest
.PHONY: bench-simulate bench-simulate-check
bench-simulate: simulate dropin
	$(PYTHON) bench/simulate.py run --build $(BUILD) --cc $(CC) --name $(SIMULATE_NAME) $(BENCH_FLAGS)
bench-simulate-check: simulate dropin
	$(PYTHON) bench/simulate.py check --build $(BUILD) --cc $(CC) --name $(SIMULATE_NAME) $(BENCH_FLAGS)

# make bench-simulate-barriers: flat and tree on simulated CPUs, for docs/results/large.md; a minute.
.PHONY: bench-simulate-barriers
bench-simulate-barriers: simulate
	$(PYTHON) bench/simulate_barriers.py run --build $(BUILD) --cc $(CC) --name $(or $(NAME),simulate-barriers-latest) \
	  $(BENCH_FLAGS)
