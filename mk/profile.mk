# The profiler, a tool in a shared object of its own (profile/start.c), which `ghcomp profile` loads into programs. It
# knows OpenMP's interface for tools alone and nothing of the runtime, so that it runs on others, too.

PROFILE_SRC := $(wildcard profile/*.c)
PROFILE_OBJ := $(PROFILE_SRC:profile/%.c=$(BUILD)/obj/profile/%.o)

.PHONY: profile
profile: $(BUILD)/lib/libghcomp_profile.so $(BUILD)/dropin/libghcomp_profile.so

$(BUILD)/obj/profile/%.o: profile/%.c $(BUILD)/flags/shared
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_BASE) -O2 -fPIC $(CFLAGS) -MMD -MP -c $< -o $@
-include $(PROFILE_OBJ:.o=.d)

# nodelete: threads still tell their events when the process ends.
$(BUILD)/lib/libghcomp_profile.so: $(PROFILE_OBJ)
	@mkdir -p $(@D)
	$(CC) -o $@ $^ -shared -Wl,-z,nodelete -Wl,-z,defs -Wl,-soname,libghcomp_profile.so -pthread -ldl

# The launcher looks for it beside the drop-in.
$(BUILD)/dropin/libghcomp_profile.so: $(BUILD)/lib/libghcomp_profile.so
	@mkdir -p $(@D)
	ln -sfn ../lib/libghcomp_profile.so $@
