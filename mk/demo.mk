# make demo: programs on the runtime and on libgomp, a few for which it makes a difference and a few for which it makes
# none (demo/run.sh). The first ones need gcc alone; GHC and what else is missing is installed meanwhile.
# DEMO_THREADS=n sets the teams' size.

DEMO := $(BUILD)/demo
# What gcc alone builds, and what needs the packages of the groups in demo/run.sh.
DEMO_FIRST := $(DEMO)/teams $(DEMO)/fork
DEMO_PROGRAMS := $(DEMO_FIRST) $(DEMO)/mandelbrot $(DEMO)/mixed $(DEMO)/mixed-libgomp
EXAMPLE_CFLAGS := $(CSTD) -O2 -Wall -Wextra -fopenmp -Iexamples

.PHONY: demo-first demo-rest examples

# run.sh calls make again, so that it sees the compilers that are installed meanwhile. Without a -j it builds on all
# CPUs. A line with another make is run under make -n, too, which is to run nothing.
demo: DEMO_START := $(shell date +%s)
demo:
	@sh tools/deps.sh build
	+@case "$${MAKEFLAGS%%[ -]*}" in *n*) exit 0 ;; esac; \
	  case "$$MAKEFLAGS" in *' -j'*) jobs= ;; *) jobs=-j$$(nproc) ;; esac; \
	  THREADS=$(DEMO_THREADS) DEMO_START=$(DEMO_START) DEMO_MAKE="$(MAKE) --no-print-directory $$jobs" \
	    demo/run.sh $(BUILD)
demo-first: dropin $(DEMO_FIRST)
demo-rest: all ghcomp $(DEMO_PROGRAMS)

examples: $(DEMO_PROGRAMS)

$(DEMO)/where.o: examples/where.c examples/where.h
	@mkdir -p $(@D)
	$(CC) $(EXAMPLE_CFLAGS) -c $< -o $@
$(DEMO)/squares.o: examples/haskell/squares.c
	@mkdir -p $(@D)
	$(CC) $(EXAMPLE_CFLAGS) -c $< -o $@
$(DEMO)/teams: examples/c/teams.c $(DEMO)/where.o
	$(CC) $(EXAMPLE_CFLAGS) $^ -o $@
$(DEMO)/fork: examples/rescues/fork.c
	@mkdir -p $(@D)
	$(CC) $(EXAMPLE_CFLAGS) $< -o $@
$(DEMO)/mandelbrot: examples/fortran/mandelbrot.f90 $(DEMO)/where.o
	gfortran -O2 -Wall -Wextra -fopenmp -J $(DEMO) $^ -o $@

# The same Haskell program twice: linked through the Cabal library, and, for comparison, with libgomp.
# After the launcher: two cabals may not share a build folder. make compiles the library's C files, on all CPUs.
$(DEMO)/mixed: $(BUILD)/bin/ghcomp $(BUILD)/plain/libghcomp.a FORCE
	@mkdir -p $(@D)
	GHCOMP_CABAL_OBJECTS=yes sh tools/cabal.sh build -v1 exe:mixed
	cp "$$(sh tools/cabal.sh list-bin exe:mixed)" $@
$(DEMO)/mixed-libgomp: examples/haskell/Mixed.hs $(DEMO)/squares.o $(DEMO)/where.o
	$(GHC) -v0 -O1 -threaded -rtsopts -with-rtsopts=-N2 -outputdir $(DEMO)/hs-libgomp $^ -lgomp -o $@
