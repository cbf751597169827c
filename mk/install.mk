# make install [PREFIX=/usr/local] [LIBDIR=PREFIX/lib] [DESTDIR=]: the launcher with its man pages and the shells'
# completions, the header, the shared objects, and what pkg-config and CMake read. make uninstall takes the same
# variables and removes what install wrote. Where the launcher is not built, for want of GHC, it is left out with its
# man page and completions, and a line says so. Without DESTDIR root's ldconfig runs at the end, and a line says so when
# the loader does not find the library.
#
# The objects share one folder, because they look for the companion beside themselves; libghcomp.so.0 is linked from
# the loader's own folder. libgomp.so.1 is not: a system library is replaced by `ghcomp run` or LD_LIBRARY_PATH, on
# purpose.
# Tested by test/install/install.sh.

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=

INSTALLED_BIN     = $(DESTDIR)$(PREFIX)/bin
INSTALLED_INCLUDE = $(DESTDIR)$(PREFIX)/include
INSTALLED_LIB     = $(DESTDIR)$(LIBDIR)
INSTALLED_SHARE   = $(DESTDIR)$(PREFIX)/share
ZSH_FOLDER       ?= zsh/site-functions

# The recipes give these names to a shell: at a blank or another character of the shell's, uninstall would remove
# another folder. The brackets make an empty name a word.
ifneq ($(filter install install-dropin uninstall,$(MAKECMDGOALS)),)
INSTALL_NAMES := [$(PREFIX)] [$(LIBDIR)] [$(DESTDIR)] [$(ZSH_FOLDER)]
ifneq ($(words $(INSTALL_NAMES))$(call shell-characters,$(INSTALL_NAMES)),4)
$(error ghc-openmp: PREFIX, LIBDIR, DESTDIR and ZSH_FOLDER must have no blanks and no characters of the shell: \
$(INSTALL_NAMES))
endif
endif

COMPLETIONS       = bash-completion/completions/ghcomp $(ZSH_FOLDER)/_ghcomp fish/vendor_completions.d/ghcomp.fish
FILLED            = sed -e 's|@PREFIX@|$(PREFIX)|g; s|@LIBDIR@|$(LIBDIR)|g; s|@VERSION@|$(PACKAGE_VERSION)|g'

# $(call completion,SHELL,FILE): the launcher prints the script for the path that it will have.
completion = $(BUILD)/bin/ghcomp --$(1)-completion-script $(PREFIX)/bin/ghcomp > $(INSTALLED_SHARE)/$(2)

# What needs no GHC, for recipes of package managers (packaging): the header, the drop-in, the Python package.
.PHONY: install install-dropin uninstall
install-dropin: dropin
	install -d $(INSTALLED_INCLUDE) $(INSTALLED_LIB)/ghc-openmp/ghc_openmp
	install -m 644 cbits/include/ghcomp.h cbits/include/omp-tools.h $(INSTALLED_INCLUDE)/
	install -m 755 $(BUILD)/dropin/libgomp.so.1 $(INSTALLED_LIB)/ghc-openmp/
	for name in $(DROPIN_NAMES); do ln -sf libgomp.so.1 $(INSTALLED_LIB)/ghc-openmp/$$name || exit 1; done
	install -m 644 packaging/wheel/ghc_openmp/*.py $(INSTALLED_LIB)/ghc-openmp/ghc_openmp/

install: all install-dropin
	install -d $(INSTALLED_BIN) $(INSTALLED_INCLUDE) $(INSTALLED_LIB)/ghc-openmp $(INSTALLED_LIB)/pkgconfig \
	  $(INSTALLED_LIB)/cmake/ghcomp $(addprefix $(INSTALLED_SHARE)/,man/man1 man/man7 $(dir $(COMPLETIONS)))
	install -m 755 $(BUILD)/lib/libghcomp.so $(INSTALLED_LIB)/ghc-openmp/$(LIB_SONAME)
	install -m 755 $(BUILD)/lib/libghcomp_profile.so $(INSTALLED_LIB)/ghc-openmp/
	if [ -e $(BUILD)/lib/libghcomp_rts.so ]; then \
	  install -m 755 $(BUILD)/lib/libghcomp_rts.so $(INSTALLED_LIB)/ghc-openmp/; fi
	ln -sf ghc-openmp/$(LIB_SONAME) $(INSTALLED_LIB)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $(INSTALLED_LIB)/libghcomp.so
	$(FILLED) packaging/ghcomp.pc.in > $(INSTALLED_LIB)/pkgconfig/ghcomp.pc
	$(FILLED) packaging/ghcomp-config.cmake.in > $(INSTALLED_LIB)/cmake/ghcomp/ghcomp-config.cmake
	$(FILLED) packaging/ghcomp-config-version.cmake.in > $(INSTALLED_LIB)/cmake/ghcomp/ghcomp-config-version.cmake
	install -m 644 man/ghc-openmp.7 $(INSTALLED_SHARE)/man/man7/ghc-openmp.7
	if [ ! -e $(BUILD)/bin/ghcomp ]; then \
	  echo 'ghc-openmp: installed without the launcher, which needs GHC: sh tools/deps.sh haskell' >&2; else \
	  install -m 755 $(BUILD)/bin/ghcomp $(INSTALLED_BIN)/ghcomp && \
	  install -m 644 man/ghcomp.1 $(INSTALLED_SHARE)/man/man1/ghcomp.1 && \
	  $(call completion,bash,$(word 1,$(COMPLETIONS))) && \
	  $(call completion,zsh,$(word 2,$(COMPLETIONS))) && \
	  $(call completion,fish,$(word 3,$(COMPLETIONS))); fi
	@[ -n '$(DESTDIR)' ] || { $(told-loader); }

# The loader finds libghcomp.so.0 in its cache, which root may write. With DESTDIR that is the package's task. Not all
# systems list /usr/local/lib in /etc/ld.so.conf.
told-loader = PATH="$$PATH:/usr/sbin:/sbin"; if [ "$$(id -u)" = 0 ]; then ldconfig || true; fi; \
	for found in $$(ldconfig -p 2>/dev/null | sed -n 's|^[[:blank:]]*$(LIB_SONAME) .*=> ||p'); do \
	  if [ "$$found" -ef '$(LIBDIR)/$(LIB_SONAME)' ]; then exit 0; fi; done; \
	echo 'ghc-openmp: the loader does not find $(LIBDIR)/$(LIB_SONAME): name $(LIBDIR) in a file of' \
	  '/etc/ld.so.conf.d and run ldconfig, both as root, or set LD_LIBRARY_PATH=$(LIBDIR)' >&2

uninstall:
	rm -f $(INSTALLED_BIN)/ghcomp $(addprefix $(INSTALLED_INCLUDE)/,ghcomp.h omp-tools.h) $(INSTALLED_LIB)/libghcomp.so \
	  $(INSTALLED_LIB)/$(LIB_SONAME) \
	  $(INSTALLED_LIB)/pkgconfig/ghcomp.pc $(INSTALLED_SHARE)/man/man1/ghcomp.1 \
	  $(INSTALLED_SHARE)/man/man7/ghc-openmp.7 $(addprefix $(INSTALLED_SHARE)/,$(COMPLETIONS))
	rm -rf $(INSTALLED_LIB)/ghc-openmp $(INSTALLED_LIB)/cmake/ghcomp
