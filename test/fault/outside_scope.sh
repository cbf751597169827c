#!/bin/sh
# Symbols outside our scope: an OpenACC program ends with the loader's line that names the symbol, before it
# silently computes anything; a program that only names a version node that we keep empty starts.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dropin=$root/${BUILD:-build}/dropin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/acc.c" <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    int sum = argc - 1 + (argv[0] == 0);
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
END
gcc -O1 -fopenacc "$work/acc.c" -o "$work/acc"
status=0
env LD_LIBRARY_PATH="$dropin" "$work/acc" >"$work/out" 2>"$work/err" || status=$?
if [ "$status" -eq 0 ] || ! grep -q 'GOACC_parallel_keyed' "$work/err" || [ "$(grep -c . "$work/err")" -ne 1 ]; then
    echo "an OpenACC program should end with one line that names its symbol (status $status)"
    cat "$work/out" "$work/err"
    exit 1
fi
[ ! -s "$work/out" ]
