# ghc-openmp: builds the runtime's shared objects, runs the demo, the tests and the measurements.
#
#   make            build/lib/libghcomp.so, build/dropin/libgomp.so.1, build/bin/ghcomp, the profiler and the RTS
#                   companion; without GHC not the launcher and the companion, and a line that says what to install
#   make demo       run five programs on the runtime, and install what is missing meanwhile
#   make test       install what is missing, then run the tests, each in a third of its combinations; the last line
#                   counts them; make check-all runs all, and those that judge by time
#   make install PREFIX=/usr/local
#   make CROSS=aarch64-linux-gnu-   the first two for aarch64, in build-aarch64; make check-aarch64 tests them
#   make wheel      what pip installs, in build/wheel; needs no GHC
#   make rescues    programs in bad situations (forks, quotas), on the system's runtimes and on ours
#   make bench-quick   a short measurement against libgomp and libomp
#   make docs       the documentation site, in build/site/html; make docs-serve shows it
#   make gen        regenerate what abi.tsv and the ICV table generate (committed)
#
# Rules are patterns: a new .c file in a folder below cbits/ is found by itself.

# CROSS=aarch64-linux-gnu- builds the two libraries for another architecture, in a folder of its own.
ifneq ($(CROSS),)
BUILD    ?= build-$(firstword $(subst -, ,$(CROSS)))
CC       := $(CROSS)gcc
AR       := $(CROSS)ar
GHC      :=
ifeq ($(shell command -v $(CC)),)
$(error ghc-openmp: there is no $(CC) here; for aarch64, `sh tools/deps.sh aarch64` installs it)
endif
endif
BUILD    ?= build

# $(call shell-characters,NAMES): those in it that a shell does not take as they are.
shell-characters = $(strip $(foreach c,; & | < > ( ) ' " ` * ? \ $$ \#,$(if $(findstring $(c),$(1)),$(c))))
# `clean` would remove another folder, and rules split it.
ifneq ($(words [$(BUILD)])$(call shell-characters,$(BUILD)),1)
$(error ghc-openmp: BUILD must have no blanks and no characters of the shell: [$(BUILD)])
endif

ifeq ($(origin CC),default)
CC       := gcc
endif
PYTHON   ?= python3
GHC      ?= $(shell command -v ghc 2>/dev/null)

CSTD     := -std=gnu11
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
INCLUDES := -Icbits/include -Icbits
# Entries jump to their copies for observers: docs/internals/adr/0020.
CFLAGS_BASE := $(CSTD) $(WARN) $(INCLUDES) -D_GNU_SOURCE -fvisibility=hidden -ftls-model=initial-exec \
               -foptimize-sibling-calls -pthread -g

CORE_SRC := $(wildcard cbits/base/*.c cbits/core/*/*.c)
ABI_SRC  := $(wildcard cbits/abi/*.c cbits/abi/*/*.c)
# host_ghc.c and companion.c include Rts.h: they belong to the Haskell library and to the companion object.
HOST_SRC := $(filter-out cbits/host/host_ghc.c cbits/host/companion.c,$(wildcard cbits/host/*.c))
RT_SRC   := $(CORE_SRC) $(ABI_SRC) $(HOST_SRC)
HEADERS  := $(wildcard cbits/*/*.h cbits/*/*/*.h)

# GHCOMP_VERSIONED: on x86-64 they need no static thread-local storage, too (docs/internals/adr/0025).
FLAGS_shared := -O2 -fPIC -DGHCOMP_VERSIONED
# -g1: their reports name functions and lines, and no variables.
FLAGS_asan   := -g1 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
FLAGS_tsan   := -g1 -O1 -fno-omit-frame-pointer -fsanitize=thread
# -fPIC: make demo and the tests put them into the Haskell library, too (tools/cabal.sh).
FLAGS_plain  := -g1 -O2 -fPIC

MAP      := cbits/abi/libgomp.map
LDSHARED := -shared -Wl,--version-script=$(MAP) -Wl,-z,nodelete -Wl,-z,now -Wl,-Bsymbolic-functions \
            -Wl,-z,defs -pthread -ldl

.PHONY: all lib dropin companion demo test check bench bench-quick gen clean FORCE
all: lib dropin companion profile $(if $(CROSS),,$(BUILD)/bin/ghcomp)
# Programs are linked with libghcomp.so and look for libghcomp.so.0 when they start.
LIB_SONAME := libghcomp.so.0
lib: $(BUILD)/lib/libghcomp.so $(BUILD)/lib/$(LIB_SONAME)
# The other names under which programs ask for a runtime: links, so that whoever loads two of them loads one object.
DROPIN_NAMES := libomp.so libomp.so.5 libiomp5.so
dropin: $(BUILD)/dropin/libgomp.so.1 $(addprefix $(BUILD)/dropin/,$(DROPIN_NAMES))

# $(call objs,VARIANT) is the list of the runtime's objects of that variant.
objs = $(patsubst cbits/%.c,$(BUILD)/obj/$(1)/%.o,$(RT_SRC))

define variant_rule
$$(BUILD)/obj/$(1)/%.o: cbits/%.c $$(BUILD)/flags/$(1)
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS_BASE) $$(FLAGS_$(1)) $$(CFLAGS) -MMD -MP -c $$< -o $$@
$$(BUILD)/flags/$(1): FORCE
	@mkdir -p $$(@D)
	@echo '$$(CC) $$(CFLAGS_BASE) $$(FLAGS_$(1)) $$(CFLAGS)' | cmp -s - $$@ || \
	  echo '$$(CC) $$(CFLAGS_BASE) $$(FLAGS_$(1)) $$(CFLAGS)' > $$@
$$(BUILD)/$(1)/libghcomp.a: $$(call objs,$(1))
	@mkdir -p $$(@D)
	rm -f $$@ && $$(AR) rcs $$@ $$^
-include $$(patsubst %.o,%.d,$$(call objs,$(1)))
endef
$(foreach v,shared asan tsan plain,$(eval $(call variant_rule,$(v))))
# The compiler makes them with the objects. Without this, make tries all its implicit rules for each of a thousand.
$(BUILD)/obj/%.d: ;

# The two shared objects differ in their name and in which host they take by default.
$(BUILD)/obj/default_host_%.o: cbits/host/default_host.c.in $(BUILD)/flags/shared
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_BASE) $(FLAGS_shared) -DGHCOMP_DEFAULT_HOST='"$*"' -x c -c $< -o $@

$(BUILD)/lib/libghcomp.so: $(call objs,shared) $(BUILD)/obj/default_host_ghc.o $(MAP)
	@mkdir -p $(@D)
	$(CC) -o $@ $(filter %.o,$^) $(LDSHARED) -Wl,-soname,$(LIB_SONAME)

$(BUILD)/lib/$(LIB_SONAME): $(BUILD)/lib/libghcomp.so
	ln -sfn libghcomp.so $@

$(BUILD)/dropin/libgomp.so.1: $(call objs,shared) $(BUILD)/obj/default_host_auto.o $(MAP)
	@mkdir -p $(@D)
	$(CC) -o $@ $(filter %.o,$^) $(LDSHARED) -Wl,-soname,libgomp.so.1

$(addprefix $(BUILD)/dropin/,$(DROPIN_NAMES)): $(BUILD)/dropin/libgomp.so.1
	ln -sfn libgomp.so.1 $@

-include mk/*.mk

clean:
	rm -rf $(BUILD)
FORCE:
