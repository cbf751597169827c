#!/bin/sh
# Set-user-ID copies of programs with hostile variables around them. A program that finds the drop-in by its own search
# path (an absolute DT_RPATH) still gets it: it reads OMP_* and GOMP_*, and no GHCOMP_* variable at all, good or bad; it
# starts no RTS, whatever LD_PRELOAD, LD_LIBRARY_PATH and GHCOMP_HOME say. A program without that path gets the system's
# libgomp, since the loader drops those variables. test/scripts/privileged.sh is about the display.
# limit: 60
set -eu

build=${BUILD:-build}
if [ "$(id -u)" != 0 ]; then
    echo 'only root can make a set-user-ID program of another user'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
# Where the other user may read it.
mkdir "$work/lib" && cp "$build/dropin/libgomp.so.1" "$work/lib"
if [ -e "$build/dropin/libghcomp_rts.so" ]; then cp "$build/dropin/libghcomp_rts.so" "$work/lib"; fi

cat > "$work/evil.c" <<'C'
#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { fputs("evil\n", stderr); }
C
gcc -shared -fPIC "$work/evil.c" -o "$work/evil.so"
cat > "$work/show.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <sys/auxv.h>
int main(void)
{
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    printf("secure %lu members %d host %s limit %d\n", getauxval(AT_SECURE) ? 1 : 0, members, host ? host() : "libgomp",
           omp_get_thread_limit());
    return 0;
}
C
gcc -fopenmp "$work/show.c" -Wl,--disable-new-dtags,-rpath,"$work/lib" -o "$work/found" -ldl
gcc -fopenmp "$work/show.c" -o "$work/plain" -ldl
failures=0

# shows PROGRAM TEXT: runs it with hostile variables; it prints this line and says nothing.
shows() {
    status=0
    timeout -k 2 60 env LD_PRELOAD="$work/evil.so" LD_LIBRARY_PATH="$PWD/$build/dropin" GHCOMP_HOME="$work" \
        GHCOMP_HOST=ghc GHCOMP_BARRIER=bogus GHCOMP_SHARE="$(printf '\033[31m')" GHCOMP_TRACE=x GHCOMP_CPU_QUOTA=x \
        GHCRTS=-Dt OMP_THREAD_LIMIT=9 "$work/$1" > "$work/out" 2> "$work/err" || status=$?
    if [ "$status" != 0 ] || [ "$(cat "$work/out")" != "$2" ] || [ -s "$work/err" ]; then
        echo "$1: status $status, $(cat "$work/out"), stderr: $(cat "$work/err")"
        failures=$((failures + 1))
    fi
}

chown 65534 "$work/found" "$work/plain"
chmod u+s "$work/found" "$work/plain"
"$work/plain" > "$work/out"
if ! grep -q 'secure 1' "$work/out"; then
    echo 'this file system has no set-user-ID programs'
    exit 77
fi
shows found 'secure 1 members 2 host posix limit 9'
shows plain 'secure 1 members 2 host libgomp limit 9'

# The launcher refuses them, in one line, and says what to do.
if [ -x "$build/bin/ghcomp" ]; then
    status=0
    GHCOMP_HOME="$build" "$build/bin/ghcomp" run "$work/plain" > "$work/out" 2> "$work/err" || status=$?
    if [ "$status" != 126 ] || [ "$(wc -l < "$work/err")" != 1 ] || ! grep -q 'setuid' "$work/err"; then
        echo "ghcomp run: status $status, $(cat "$work/err")"
        failures=$((failures + 1))
    fi
fi
[ "$failures" = 0 ]
