# make test: installs what is missing, builds, and runs every test that does not judge by time, in a third of its
# combinations (make check). Its last line counts them. TEST_SEED chooses the third; TEST_FLAGS goes to test/run.py as
# it is.

.PHONY: test-deps

# Compilers come through ccache where it is there (by Debian's links): a second clean checkout compiles what is new.
CCACHE := $(filter-out $(subst :, ,$(PATH)),$(wildcard /usr/lib/ccache))
test check check-all: export PATH := $(addsuffix :,$(CCACHE))$(PATH)

# A second make, so that it sees the compilers that the first one installed. Without a -j it builds on all CPUs.
test: test-deps
	@case "$$MAKEFLAGS" in *' -j'*) jobs= ;; *) jobs=-j$$(nproc) ;; esac; \
	  $(MAKE) $$jobs all ghcomp && $(MAKE) $$jobs check
test-deps:
	@sh tools/deps.sh build haskell fortran test suite docs mpi python-r profiling browser
