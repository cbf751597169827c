# make test: installs what is missing, builds, and runs every test there is. Its last line counts them. TEST_FLAGS goes
# to test/run.py as it is.

.PHONY: test-deps test-run

# A second make, so that it sees the compilers that the first one installed.
test: test-deps
	@$(MAKE) test-run
test-deps:
	@sh tools/deps.sh build haskell fortran test suite
test-run: all ghcomp
	@$(PYTHON) test/run.py $(TEST_FLAGS)
