# Unit tests, and `make check`: build and run the tests as `make test` does, installing nothing.
#
# test/unit/NAME.c becomes build/asan/test/NAME and build/tsan/test/NAME: the test linked with that variant of the
# runtime, with POSIX threads as its host; with `variants: plain` in its comment, build/plain/test/NAME.  test/run.py
# runs them (docs/internals/testing.md).

UNIT_NAMES := $(patsubst test/unit/%.c,%,$(wildcard test/unit/*.c))
comma      := ,
UNIT_HDRS  := $(wildcard test/unit/*.h)
UNIT_PLAIN := $(patsubst test/unit/%.c,%,$(shell grep -l '^   variants: plain' test/unit/*.c))
unit_bins   = $(patsubst %,$(BUILD)/$(1)/test/%,$(2))

# Parts of the Haskell library that need no GHC: no library here has them, so their test compiles them.
UNIT_SRC_chunk_pool := cbits/haskell/chunk_pool.c
UNIT_SRC_batch := cbits/haskell/batch.c
UNIT_SRC_slots := cbits/haskell/slots.c
# The test replaces a bounded sleep by an unbounded one, so that a lost wake-up hangs.
UNIT_LDFLAGS_chunk_pool := -Wl,--wrap=ghcomp_wait_park_for

# The test includes the source, to give it a clock.
UNIT_LDFLAGS_helpers := $(addprefix -Wl$(comma)--wrap=ghcomp_capabilities_,collecting busy)

# taskdep.c makes ready tasks; its test takes them, and counts its allocations.
UNIT_LDFLAGS_taskdep := $(addprefix -Wl$(comma)--wrap=ghcomp_,task_ready alloc_zeroed alloc_lines)
UNIT_LDFLAGS_taskdep_memory := $(UNIT_LDFLAGS_taskdep)

# Writes that take a byte at a time.
UNIT_LDFLAGS_check := -Wl,--wrap=syscall

# These tests export the host's table themselves, as a Haskell program would.
UNIT_LDFLAGS_trace := -Wl,--export-dynamic-symbol=ghcomp_host_table
UNIT_LDFLAGS_trace_full   := $(UNIT_LDFLAGS_trace)
UNIT_LDFLAGS_capabilities := $(UNIT_LDFLAGS_trace)
UNIT_LDFLAGS_cpu_account  := $(UNIT_LDFLAGS_trace)

# The head's sleeps while barging is not allowed may be unbounded, for the same reason.
UNIT_LDFLAGS_admission := -Wl,--wrap=ghcomp_wait_park_for

# The test stops a taker between two steps.
UNIT_LDFLAGS_lend := $(addprefix -Wl$(comma)--wrap=ghcomp_,team_dismiss lend_collect)

# Threads that cannot be made.
UNIT_LDFLAGS_shortage := $(addprefix -Wl$(comma)--wrap=ghcomp_os_,spawn spawn_at_once threads_within_limits)

# The test disables membarrier.
UNIT_LDFLAGS_barrier_flags := -Wl,--wrap=ghcomp_os_fence_all
UNIT_LDFLAGS_barrier_flags_sleep := $(UNIT_LDFLAGS_barrier_flags)

define unit_rule
$$(BUILD)/$(1)/test/%: test/unit/%.c $$(UNIT_HDRS) $$(HEADERS) $$(BUILD)/$(1)/libghcomp.a \
                       $$(BUILD)/obj/default_host_posix.o $$(BUILD)/flags/$(1)
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS_BASE) $$(FLAGS_$(1)) $$(CFLAGS) -Itest/unit $$< $$(UNIT_SRC_$$*) \
	  $$(BUILD)/obj/default_host_posix.o $$(BUILD)/$(1)/libghcomp.a $$(UNIT_LDFLAGS_$$*) -ldl -lm -o $$@
$$(BUILD)/$(1)/test/chunk_pool: $(UNIT_SRC_chunk_pool)
$$(BUILD)/$(1)/test/batch: $(UNIT_SRC_batch)
$$(BUILD)/$(1)/test/slots: $(UNIT_SRC_slots)
$$(BUILD)/$(1)/test/helpers: cbits/haskell/helpers.c
endef
$(foreach v,asan tsan plain,$(eval $(call unit_rule,$(v))))
# Some tests are another one with other settings: they include it. Words `NAME:INCLUDED`, by one process for all.
UNIT_INCLUDED := $(shell grep '^\#include "[^/"]*\.c"' test/unit/*_sleep.c test/unit/*_tree.c | \
                   sed 's|^test/unit/\(.*\)\.c:.*"\(.*\)\.c".*|\1:\2|')
$(foreach pair,$(UNIT_INCLUDED),$(foreach v,asan tsan plain,\
  $(eval $(BUILD)/$(v)/test/$(subst :,: test/unit/,$(pair)).c)))

# Where there is a GHC, everything runs on both hosts and with a Haskell process around it.
TEST_FLAGS ?= $(if $(GHC),--hosts posix$(comma)ghc$(comma)around)

.PHONY: unit-tests around check check-suite
.SECONDARY: $(BUILD)/obj/default_host_posix.o
UNIT_SANITIZED := $(filter-out $(UNIT_PLAIN),$(UNIT_NAMES))
unit-tests: $(call unit_bins,asan,$(UNIT_SANITIZED)) $(call unit_bins,tsan,$(UNIT_SANITIZED)) \
            $(call unit_bins,plain,$(UNIT_PLAIN))

# `make test` (mk/ci.mk) is the same after installing what is missing. Both run a third of each program's combinations,
# chosen by TEST_SEED; `make check-all` (mk/machines.mk) runs all, and the tests that judge by time.
TEST_SEED ?=
TEST_PART ?= --sample 3 $(if $(TEST_SEED),--seed $(TEST_SEED))
check: check-built
	@BUILD=$(BUILD) $(PYTHON) test/run.py $(TEST_PART) $(TEST_FLAGS)
# Of the unit tests it builds those that the run has: `unit/NAME [VARIANT]` is build/VARIANT/test/NAME. The runner is
# asked for these targets alone, since make expands the line for every target.
UNIT_CHOSEN = $(if $(filter check check-built,$(MAKECMDGOALS)),$(shell \
                $(PYTHON) test/run.py --list $(filter-out --all,$(TEST_PART)) unit | \
                sed -n 's|^unit/\(.*\) \[\(.*\)\]$$|$(BUILD)/\2/test/\1|p'))
.PHONY: check-built
.SECONDEXPANSION:
check-built: all ghcomp explore simulate around $(BUILD)/tools/envdoc $$(UNIT_CHOSEN)

# make test ten times beside two processes that compute: the table of docs/internals/testing.md. TEN is for
# test/ten_runs.py.
.PHONY: check-ten
check-ten:
	BUILD=$(BUILD) $(PYTHON) test/ten_runs.py $(TEN)

# Everything in depth: hours (docs/reference/reliability.md). FUZZ_CASES is the number of random programs.
FUZZ_CASES ?= 20000
.PHONY: check-deep
check-deep: all ghcomp unit-tests around explore simulate
	@GHCOMP_DEEP=1 BUILD=$(BUILD) $(PYTHON) test/run.py $(TEST_FLAGS)
	@BUILD=$(BUILD) $(PYTHON) test/fuzz/fuzz.py --cases $(FUZZ_CASES) --seed 1

# The page of the packages whose programs the group `packages` runs, of its table.
.PHONY: gen-packages
gen: gen-packages
gen-packages:
	$(PYTHON) test/packages/run.py --gen

# libgomp's own suite alone.
check-suite: dropin around
	BUILD=$(BUILD) $(PYTHON) test/run.py suite $(TEST_FLAGS)

# The host `around`: preloaded into a test's program, it makes that a Haskell process (test/around.py).
ifeq ($(strip $(GHC)),)
around:
else
around: $(BUILD)/test/libaround.so

AROUND_CC := $(patsubst %,-optc%,-std=gnu11 -D_GNU_SOURCE -fvisibility=hidden -O2 -Wall -Wextra)

$(BUILD)/test/libaround.so: test/around/Around.hs test/around/boot.c $(BUILD)/flags/companion
	@mkdir -p $(@D) $(BUILD)/obj/around
	$(GHC) -v0 -Wall -O1 -shared -dynamic -threaded -fPIC -flink-rts -no-hs-main $(AROUND_CC) \
	  -outputdir $(BUILD)/obj/around test/around/Around.hs test/around/boot.c \
	  -o $(BUILD)/obj/around/libaround.so -optl-Wl,-z,defs -optl-Wl,-soname,libaround.so
	mv $(BUILD)/obj/around/libaround.so $@
endif

# The runtime cross-compiled for aarch64, and its unit and conformance tests under qemu-user. It installs what it needs
# and is not part of `make test`. test/emulate.py says how a test runs, test/emulated/aarch64.txt which ones cannot.
# AARCH64_TESTS is what test/run.py gets besides.
AARCH64_TESTS ?= unit conformance

.PHONY: check-aarch64 cross-tests
check-aarch64:
	@sh tools/deps.sh build aarch64
	@$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu- BUILD=build-aarch64 all cross-tests
	@BUILD=build-aarch64 $(PYTHON) test/run.py --emulate aarch64 $(AARCH64_TESTS)

# Plain: the sanitizers' shadow memory does not fit into the emulator's address space.
cross-tests: $(call unit_bins,plain,$(UNIT_NAMES))
