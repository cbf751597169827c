# make wheel: what `pip install` takes, in WHEEL: the POSIX drop-in, and a package that runs Python programs and
# others on it (packaging/wheel). Needs the compiler and Python, no GHC. Tested by test/wheel.

WHEEL ?= $(BUILD)/wheel

.PHONY: wheel
wheel: dropin
	@$(PYTHON) -B packaging/wheel/build.py --cc '$(CC)' --version $(PACKAGE_VERSION) --map $(MAP) \
	  --native $(BUILD)/dropin/libgomp.so.1 --out $(WHEEL) $(call objs,shared) $(BUILD)/obj/default_host_auto.o

# `ghcomp doctor python` takes the package from the drop-in's folder.
dropin: $(BUILD)/dropin/ghc_openmp
$(BUILD)/dropin/ghc_openmp:
	@mkdir -p $(@D)
	ln -sfnr packaging/wheel/ghc_openmp $@

# What the package and the launcher both print (app/texts.tsv).
.PHONY: gen-texts
gen: gen-texts
gen-texts:
	$(PYTHON) tools/texts.py gen
