# make install [PREFIX=/usr/local] [DESTDIR=]: the launcher, the header and the shared objects.
#
# The objects share one folder, because they look for the companion beside themselves; libghcomp.so is linked from the
# loader's own folder. libgomp.so.1 is not: a system library is replaced by `ghcomp run` or LD_LIBRARY_PATH, on purpose.

PREFIX  ?= /usr/local
DESTDIR ?=

.PHONY: install uninstall
install: all ghcomp
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/ghc-openmp
	install -m 755 $(BUILD)/bin/ghcomp $(DESTDIR)$(PREFIX)/bin/ghcomp
	install -m 644 cbits/include/ghcomp.h $(DESTDIR)$(PREFIX)/include/ghcomp.h
	install -m 755 $(BUILD)/lib/libghcomp.so $(BUILD)/dropin/libgomp.so.1 $(DESTDIR)$(PREFIX)/lib/ghc-openmp/
	if [ -e $(BUILD)/lib/libghcomp_rts.so ]; then \
	  install -m 755 $(BUILD)/lib/libghcomp_rts.so $(DESTDIR)$(PREFIX)/lib/ghc-openmp/; fi
	ln -sf ghc-openmp/libghcomp.so $(DESTDIR)$(PREFIX)/lib/libghcomp.so

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ghcomp $(DESTDIR)$(PREFIX)/include/ghcomp.h $(DESTDIR)$(PREFIX)/lib/libghcomp.so
	rm -rf $(DESTDIR)$(PREFIX)/lib/ghc-openmp
