# The explorer (test/explore): the runtime's files compiled with its atomic operations, threads and clock.
# `make explore` builds the library and the engine, one object; test/explore/run.py compiles the harnesses and their
# mutants, links them with both, and runs them.

FLAGS_explore := -O1 -iquote test/explore/shadow -include test/explore/shadow/thread.h -Wno-shadow
$(eval $(call variant_rule,explore))

EXPLORE_SRC    := $(wildcard test/explore/engine/*.c)
EXPLORE_ENGINE := $(patsubst test/explore/engine/%.c,$(BUILD)/obj/explore-engine/%.o,$(EXPLORE_SRC))
EXPLORE_HDRS   := $(wildcard test/explore/*.h test/explore/*/*.h test/explore/*/*/*.h)

$(call objs,explore): $(EXPLORE_HDRS)
$(BUILD)/obj/explore-engine/%.o: test/explore/engine/%.c $(EXPLORE_HDRS) $(HEADERS) $(BUILD)/flags/explore
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_BASE) $(FLAGS_explore) -O2 $(CFLAGS) -c $< -o $@

# Not an archive: the linker would take from it only what is missing so far.
$(BUILD)/explore/engine.o: $(EXPLORE_ENGINE)
	@mkdir -p $(@D)
	$(CC) -r -nostdlib -o $@ $^

.PHONY: explore
explore: $(BUILD)/explore/libghcomp.a $(BUILD)/explore/engine.o $(BUILD)/obj/default_host_posix.o
