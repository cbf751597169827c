# The group `machines`: tests in virtual machines of other sizes than this one (docs/internals/testing.md,
# test/virtual.py). It installs what it needs, is not part of `make test`, and runs a selection in some ten minutes on
# two CPUs. MACHINES is a regular expression over the names of its tests, and all that it names are run, as all are with
# GHCOMP_DEEP=1: make check-machines MACHINES='^machines/8: unit'
MACHINES ?=

.PHONY: check-machines check-all
check-machines:
	@sh tools/deps.sh build haskell aarch64 machines
	@$(PYTHON) tools/machines.py fetch
	@$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu- BUILD=build-aarch64 all cross-tests
	@$(MAKE) --no-print-directory all ghcomp cross-tests
	@BUILD=$(BUILD) $(PYTHON) test/run.py machines $(if $(MACHINES),--filter '$(MACHINES)')

# The group `clang` with other versions of clang, in the chroots that are there (tools/multi-clang.sh); root alone
# enters them.
CLANG_CHROOTS ?= $(wildcard $(HOME)/chroots/clang-*)
.PHONY: check-clang
check-clang:
	@$(if $(CLANG_CHROOTS),tools/multi-clang.sh $(CLANG_CHROOTS),\
	    echo 'no chroot in CLANG_CHROOTS: other versions of clang are left out')

# Everything that needs no days, in one run: all groups with all combinations, and `packages`, `timing` and `machines`.
# It is what a developer runs before an issue ends, and what a release needs.
check-all: test-deps
	@sh tools/deps.sh aarch64 machines packages
	@$(PYTHON) tools/machines.py fetch
	@$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu- BUILD=build-aarch64 all cross-tests
	@$(MAKE) --no-print-directory all ghcomp cross-tests
	@$(MAKE) --no-print-directory check-clang
	@$(MAKE) --no-print-directory check TEST_PART=--all
