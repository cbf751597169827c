# The launcher, build/bin/ghcomp, and the Haskell side's own tests. cabal builds it from the packages that GHC already
# has (tools/cabal.sh); without cabal, GHC alone does, since the launcher needs no generated module (its packages, such
# as ghc-events and optparse-applicative, must be there all the same).

PACKAGE_VERSION := $(shell sed -n 's/^version: *//p' ghc-openmp.cabal)

.PHONY: launcher ghcomp check-hs
launcher ghcomp: $(BUILD)/bin/ghcomp

# Without what it is made of, plain `make` says what to install and builds the rest; a target that needs it ends there.
LAUNCHER_MUST := $(filter-out all lib dropin companion install uninstall,$(or $(MAKECMDGOALS),all))

# FORCE: cabal (or ghc --make) decides what has changed; the copy stays untouched when nothing has.
$(BUILD)/bin/ghcomp: FORCE
	@mkdir -p $(@D)
	@if ! sh tools/deps.sh --check haskell; then \
	  echo 'ghc-openmp: the launcher, $@, is not built: its packages are missing' >&2; \
	  $(if $(LAUNCHER_MUST),exit 1,exit 0); \
	fi; \
	if command -v cabal >/dev/null 2>&1; then \
	  sh tools/cabal.sh build -v1 exe:ghcomp && made=$$(sh tools/cabal.sh list-bin exe:ghcomp); \
	else \
	  made=$(BUILD)/obj/ghcomp/ghcomp; mkdir -p $$(dirname $$made) && \
	  $(GHC) -v1 -O1 -iapp -outputdir $(BUILD)/obj/ghcomp -optP-DGHCOMP_VERSION='"$(PACKAGE_VERSION)"' \
	    -rtsopts=ignoreAll "-with-rtsopts=--install-signal-handlers=no -V0" app/Main.hs app/signals.c \
	    -o $$made; \
	fi && { cmp -s "$$made" $@ || { cp "$$made" $@.new && mv -f $@.new $@; }; }

check-hs: launcher
	BUILD=$(BUILD) test/hs/run.sh
