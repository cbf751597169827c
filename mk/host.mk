# The companion: a GHC RTS in a shared object, for processes that have none (cbits/host/companion.c). Without GHC the
# runtime works the same on POSIX threads, so a missing GHC is reported in a line and is no error.
#
# The runtime looks for it beside itself, in build/lib and in build/dropin.

.PHONY: companion
ifeq ($(strip $(GHC)),)
NO_GHC = $(if $(CROSS),the companion and the launcher are left out when cross-compiling$(comma) for want of a GHC for \
  the target,no GHC found$(comma) so no companion is built)
companion:
	@echo 'ghc-openmp: $(NO_GHC): libghcomp.so and libgomp.so.1 will run on POSIX threads'
else
companion: $(BUILD)/lib/libghcomp_rts.so $(BUILD)/dropin/libghcomp_rts.so

COMPANION_DEPS := $(addprefix cbits/host/,companion.c host.h host_rts_table.h companion.map) cbits/base/atomic.h
COMPANION_CC   := $(patsubst %,-optc%,-std=gnu11 -D_GNU_SOURCE -fvisibility=hidden -O2 -Wall -Wextra)

# Built under another name and moved: a program that has the old one loaded keeps it.
$(BUILD)/lib/libghcomp_rts.so: $(COMPANION_DEPS) $(BUILD)/flags/companion
	@mkdir -p $(@D) $(BUILD)/obj/companion
	$(GHC) -v0 -shared -dynamic -threaded -fPIC -flink-rts -no-hs-main $(COMPANION_CC) -Icbits \
	  -outputdir $(BUILD)/obj/companion cbits/host/companion.c -o $(BUILD)/obj/companion/libghcomp_rts.so \
	  -optl-Wl,-z,defs -optl-Wl,--version-script=cbits/host/companion.map -optl-Wl,-soname,libghcomp_rts.so
	mv $(BUILD)/obj/companion/libghcomp_rts.so $@

$(BUILD)/dropin/libghcomp_rts.so: $(BUILD)/lib/libghcomp_rts.so
	@mkdir -p $(@D)
	ln -sfn ../lib/libghcomp_rts.so $@

$(BUILD)/flags/companion: FORCE
	@mkdir -p $(@D)
	@$(GHC) --info | cmp -s - $@ || $(GHC) --info > $@
endif
