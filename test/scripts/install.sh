#!/bin/sh
# make install into a folder, and what a user does with it: the launcher runs a program on the installed runtime, and a
# program links -lghcomp with the installed header; both get GHC's RTS from the installed companion.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s install BUILD="${BUILD:-build}" DESTDIR="$work" PREFIX=/usr >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

cat >"$work/program.c" <<'END'
#include <ghcomp.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
    threads += 1;
    printf("%d threads on %s, host %s\n", threads, ghcomp_version()[0] ? "ghc-openmp" : "nothing", ghcomp_host_name());
    return 0;
}
END
gcc -O2 -fopenmp -I"$work/usr/include" -c "$work/program.c" -o "$work/program.o"
gcc "$work/program.o" -L"$work/usr/lib" -lghcomp -Wl,-rpath,"$work/usr/lib" -o "$work/linked"
host=ghc
[ -e "$work/usr/lib/ghc-openmp/libghcomp_rts.so" ] || host=posix
said=$(env -u LD_LIBRARY_PATH "$work/linked" 2>"$work/err")
[ "$said" = "3 threads on ghc-openmp, host $host" ] || { echo "linked: $said"; cat "$work/err"; exit 1; }

cat >"$work/plain.c" <<'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    printf("%d\n", threads);
    return 0;
}
END
gcc -O2 -fopenmp "$work/plain.c" -o "$work/plain"
said=$(env -u GHCOMP_HOME "$work/usr/bin/ghcomp" run --threads 5 -- "$work/plain")
[ "$said" = 5 ] || { echo "ghcomp run: $said"; exit 1; }
"$work/usr/bin/ghcomp" info | grep -q "$work/usr/lib/ghc-openmp/libgomp.so.1" ||
    { "$work/usr/bin/ghcomp" info; exit 1; }

make -s uninstall DESTDIR="$work" PREFIX=/usr
left=$(find "$work/usr" ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
