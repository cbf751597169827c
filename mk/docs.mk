# make docs: the documentation site, in $(BUILD)/site/html, made by mkdocs without a network; a warning is an error.
# make docs-serve shows it at http://localhost:8000, as it was built, or on DOCS_PORT.
#
# docs-build is the same without installing anything. The pages and what is made of them: tools/site/stage.py. Their
# settings: docs/site. Tested by test/docs.

DOCS      := $(BUILD)/site
DOCS_PORT ?= 8000
# Debian's mkdocs and pygments are of the system's interpreter, whichever comes first on the path.
DOCS_PYTHON ?= /usr/bin/python3

.PHONY: diagrams docs docs-build docs-serve docs-deps haddock gen-commands gen-ompt gen-tour
docs: docs-deps
	@$(MAKE) docs-build
docs-deps:
	@sh tools/deps.sh build haskell docs
docs-build: $(if $(GHC),haddock)
	$(DOCS_PYTHON) -B tools/site/stage.py $(DOCS) $(if $(GHC),--haddock $(DOCS)/haddock)
	@$(DOCS_PYTHON) -B -m mkdocs build --strict --config-file $(DOCS)/mkdocs.yml >$(DOCS)/mkdocs.log 2>&1 || \
	  { grep -v '^INFO' $(DOCS)/mkdocs.log >&2; exit 1; }
	$(DOCS_PYTHON) -B tools/site/onepage.py $(DOCS)
	@echo 'docs: $(DOCS)/html/index.html'
# docs/diagrams/*.svg from the *.dot beside them, by graphviz; they are committed.
diagrams:
	$(DOCS_PYTHON) -B tools/site/diagrams.py
docs-serve: docs
	cd $(DOCS)/html && exec $(DOCS_PYTHON) -m http.server --bind localhost $(DOCS_PORT)

# Cabal says where it has put Haddock's pages; it makes all anew each time.
haddock: $(DOCS)/haddock.log
$(DOCS)/haddock.log: \
  $(wildcard src/*.hs src/*/*.hs src/*/*/*.hs src/*/*/*/*.hs src/*/*/*/*/*.hs) ghc-openmp.cabal tools/cabal.sh
	@mkdir -p $(DOCS)
	@sh tools/cabal.sh haddock -v1 lib:ghc-openmp >$@.new 2>&1 || { cat $@.new >&2; exit 1; }
	@rm -rf "$(DOCS)/haddock"
	@cp -r "$$(dirname "$$(sed -n '/index\.html$$/ s/^ *//p' $@.new | tail -n 1)")" $(DOCS)/haddock
	@mv $@.new $@

# The tour's index of files, of the files' heads.
gen: gen-tour
gen-tour:
	$(PYTHON) tools/tour.py

# What constructs tell tools, of the table that the tests compare with what programs are told.
gen: gen-ompt
gen-ompt:
	$(PYTHON) test/ompt/coverage.py gen

# The launcher's help as a page and as a man page; without GHC there is no launcher, and the committed ones stay.
ifneq ($(strip $(GHC)),)
gen: gen-commands
gen-commands: $(BUILD)/bin/ghcomp gen-env
	$(PYTHON) tools/commands.py $(BUILD)/bin/ghcomp
endif
