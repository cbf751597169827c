#!/bin/sh
# GHCOMP_HOST=ghc where an RTS would fail to boot, or a bad value: one line that says why, and the program runs on POSIX
# threads.
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"

cat >"$work/program.c" <<'END'
#include <string.h>
#include <unistd.h>
#include "probe.h"
int main(int argc, char **argv)
{
    /* "descriptors N": open files until N are left. */
    if (argc > 2 && strcmp(argv[1], "descriptors") == 0) {
        int last = dup(0), limit = (int)sysconf(_SC_OPEN_MAX) - atoi(argv[2]);
        while (last < limit - 1)
            last = dup(0);
    }
    probe("program", 3, NULL);
    probe("program", 6, NULL);
    return 7;
}
END
compile "$work/program.c" -o "$work/program"
posix='program: posix/posix/ 0: -1 -1 -1'

on_posix() {
    ended 7
    printed "$posix"
}

GHCOMP_HOST=bogus run "$work/program"
on_posix
told "GHCOMP_HOST='bogus' is not auto, ghc or posix; using the default, auto$"

GHCOMP_HOST='' run "$work/program"
on_posix
quiet

# Without the companion beside it.
mkdir "$work/alone" "$work/empty" "$work/broken"
cp "$dropin/libgomp.so.1" "$work/alone/"
libraries=$work/alone
GHCOMP_HOST=ghc run "$work/program"
on_posix
told "running on POSIX threads, not in GHC's runtime: $work/alone/libghcomp_rts.so is missing"

# With something else in its place.
cp "$dropin/libgomp.so.1" "$work/empty/"
echo 'int ghcomp_other;' >"$work/other.c"
gcc -shared -fPIC "$work/other.c" -o "$work/empty/libghcomp_rts.so"
libraries=$work/empty
GHCOMP_HOST=ghc run "$work/program"
on_posix
told "$work/empty/libghcomp_rts.so does not fit"

cp "$dropin/libgomp.so.1" "$work/broken/"
echo 'nothing to load' >"$work/broken/libghcomp_rts.so"
libraries=$work/broken
GHCOMP_HOST=ghc run "$work/program"
on_posix
told "not in GHC's runtime: .*libghcomp_rts.so"
libraries=

needs_companion
export GHCOMP_HOST=ghc

run sh -c "ulimit -v 4000000; exec '$work/program'"
on_posix
told 'its address space is limited'

run sh -c "ulimit -n 100; exec '$work/program' descriptors 20"
on_posix
told 'fewer than 32 file descriptors are left'
# One more than needed is enough.
run sh -c "ulimit -n 100; exec '$work/program' descriptors 50"
ended 7
quiet
printed 'program: ghc/companion/.*'

compile -fsanitize=address "$work/program.c" -o "$work/sanitized"
run "$work/sanitized"
on_posix
told 'it runs under a sanitizer'

# ThreadSanitizer needs fixed address ranges, which strong address randomisation may occupy.
compile -fsanitize=thread "$work/program.c" -o "$work/checked"
run $(setarch -R true 2>/dev/null && echo setarch -R) "$work/checked"
on_posix
told "ThreadSanitizer would report races inside GHC's runtime; leave out GHCOMP_HOST"

if command -v valgrind >/dev/null 2>&1; then
    run valgrind -q "$work/program"
    on_posix
    told 'it runs under valgrind'
fi
