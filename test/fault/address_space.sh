#!/bin/sh
# An address-space limit (ulimit -v): regions whose threads fit run; a stack that does not fit ends with one line.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dropin=$root/${BUILD:-build}/dropin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/program.c" <<'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads += 1;
    printf("%d threads\n", threads);
    return 0;
}
END
gcc -O2 -fopenmp "$work/program.c" -o "$work/program"

run() {
    status=0
    (
        # shellcheck disable=SC3045 # dash and bash both have it
        ulimit -v 300000
        env LD_LIBRARY_PATH="$dropin" "$@" "$work/program" >"$work/out" 2>"$work/err"
    ) || status=$?
}
fail() {
    echo "$1 (status $status)"
    cat "$work/out" "$work/err"
    exit 1
}

for host in auto posix; do
    run GHCOMP_HOST=$host
    [ "$status" -eq 0 ] || fail "the program should run under the limit on the $host host"
    [ "$(cat "$work/out")" = "4 threads" ] || fail "the team should be exact"
    [ ! -s "$work/err" ] || fail "nothing should be said on the $host host"
done

# GHC's runtime system needs a terabyte of address space: POSIX threads serve instead, and one line says so.
run GHCOMP_HOST=ghc
[ "$status" -eq 0 ] || fail "the program should run under the limit on POSIX threads"
[ "$(cat "$work/out")" = "4 threads" ] || fail "the team should be exact"
[ "$(grep -c . "$work/err")" -eq 1 ] || fail "one line should say why there is no RTS"
grep -qi 'address' "$work/err" || fail "the line should name the limit on address space"

run GHCOMP_HOST=posix OMP_STACKSIZE=1G
[ "$status" -eq 1 ] || fail "stacks that do not fit should end the program with status 1"
[ "$(grep -c . "$work/err")" -eq 1 ] || fail "stacks that do not fit should be explained in one line"
grep -q 'Thread creation failed' "$work/err" || fail "the line should say that a thread could not be created"
