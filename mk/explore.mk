# The explorer (test/explore): the runtime's files compiled with its atomic operations, threads and clock. `make explore`
# builds the library; test/explore/run.py compiles the harnesses and their mutants, and runs them.

FLAGS_explore := -O1 -iquote test/explore/shadow -include test/explore/shadow/thread.h -Wno-shadow
$(eval $(call variant_rule,explore))

EXPLORE_ENGINE := $(patsubst %,$(BUILD)/obj/explore-engine/%.o,explore history os)
EXPLORE_HDRS   := $(wildcard test/explore/*.h test/explore/*/*.h test/explore/*/*/*.h)

$(call objs,explore): $(EXPLORE_HDRS)
$(BUILD)/obj/explore-engine/%.o: test/explore/engine/%.c $(EXPLORE_HDRS) $(HEADERS) $(BUILD)/flags/explore
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_BASE) $(FLAGS_explore) -O2 $(CFLAGS) -c $< -o $@

.PHONY: explore
explore: $(BUILD)/explore/libghcomp.a $(EXPLORE_ENGINE) $(BUILD)/obj/default_host_posix.o
