#!/bin/sh
# A set-user-ID program takes OMP_* from its caller but not GHCOMP_*: the latter may make the runtime load code.
# limit: 60
set -eu

build=${BUILD:-build}
if [ "$(id -u)" != 0 ]; then
    echo "only root can make a set-user-ID program of another user"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

cat > "$work/show.c" <<'C'
#include <stdio.h>
#include <sys/auxv.h>
extern int omp_get_max_threads(void);
int main(void)
{
    fprintf(stderr, "secure %lu\n", getauxval(AT_SECURE));
    return omp_get_max_threads() < 1;
}
C
# The loader ignores LD_LIBRARY_PATH for such a program, so the runtime is linked in.
gcc "$work/show.c" "$build/plain/libghcomp.a" "$build/obj/default_host_posix.o" -pthread -ldl -lm -o "$work/show"

display() {
    env OMP_DISPLAY_ENV=verbose OMP_THREAD_LIMIT=9 GHCOMP_HOST=posix "$work/show" 2> "$work/err" || exit 1
    grep -qx "  \[host\] OMP_THREAD_LIMIT = '9'" "$work/err"
}

display
grep -qx "  \[host\] GHCOMP_HOST = 'posix'" "$work/err"
grep -qx "secure 0" "$work/err"

chown 65534 "$work/show"
chmod u+s "$work/show"
display
if grep -qx "secure 0" "$work/err"; then
    echo "this file system has no set-user-ID programs"
    exit 77
fi
grep -qx "  \[host\] GHCOMP_HOST = ''" "$work/err"
