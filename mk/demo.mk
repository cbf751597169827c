# make demo: installs what is missing, builds the runtime and four programs, and runs each on it and on
# libgomp (demo/run.sh). DEMO_THREADS=n sets the teams' size.

DEMO := $(BUILD)/demo
DEMO_PROGRAMS := $(DEMO)/heat $(DEMO)/mandelbrot $(DEMO)/mixed $(DEMO)/mixed-libgomp
EXAMPLE_CFLAGS := $(CSTD) -O2 -Wall -Wextra -fopenmp -Iexamples

.PHONY: demo-deps demo-run examples

# A second make, so that it sees the compilers that the first one installed.
demo: demo-deps
	@$(MAKE) demo-run
demo-deps:
	@sh tools/deps.sh build haskell fortran demo
demo-run: all ghcomp $(DEMO_PROGRAMS)
	@THREADS=$(DEMO_THREADS) demo/run.sh $(BUILD)

examples: $(DEMO_PROGRAMS)

$(DEMO)/where.o: examples/where.c examples/where.h
	@mkdir -p $(@D)
	$(CC) $(EXAMPLE_CFLAGS) -c $< -o $@
$(DEMO)/squares.o: examples/haskell/squares.c
	@mkdir -p $(@D)
	$(CC) $(EXAMPLE_CFLAGS) -c $< -o $@
$(DEMO)/heat: examples/c/heat.c $(DEMO)/where.o
	$(CC) $(EXAMPLE_CFLAGS) $^ -o $@ -lm
$(DEMO)/mandelbrot: examples/fortran/mandelbrot.f90 $(DEMO)/where.o
	gfortran -O2 -Wall -Wextra -fopenmp -J $(DEMO) $^ -o $@

# The same Haskell program twice: linked through the Cabal library, and, for comparison, with libgomp.
# After the launcher: two cabals may not share a build folder.
$(DEMO)/mixed: $(BUILD)/bin/ghcomp FORCE
	@mkdir -p $(@D)
	sh tools/cabal.sh build -v1 exe:mixed
	cp "$$(sh tools/cabal.sh list-bin exe:mixed)" $@
$(DEMO)/mixed-libgomp: examples/haskell/Mixed.hs $(DEMO)/squares.o $(DEMO)/where.o
	$(GHC) -v0 -O1 -threaded -rtsopts -with-rtsopts=-N2 -outputdir $(DEMO)/hs-libgomp $^ -lgomp -o $@
