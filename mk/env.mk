# docs/reference/environment.md, from the table of settings (cbits/core/env/env_table.c).

.PHONY: gen-env
gen: gen-env
gen-env: $(BUILD)/tools/envdoc
	$< > $(BUILD)/tools/environment.md
	cmp -s $(BUILD)/tools/environment.md docs/reference/environment.md || \
	  cp $(BUILD)/tools/environment.md docs/reference/environment.md

$(BUILD)/tools/envdoc: tools/envdoc.c $(HEADERS) $(BUILD)/plain/libghcomp.a $(BUILD)/obj/default_host_posix.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_BASE) $(FLAGS_plain) $(CFLAGS) $< $(BUILD)/plain/libghcomp.a $(BUILD)/obj/default_host_posix.o \
	  -ldl -lm -o $@

# test/scripts/environment.sh compares its output with the committed page.
unit-tests: $(BUILD)/tools/envdoc
