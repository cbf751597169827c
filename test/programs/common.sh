# Sourced by the scripts here: runs a program on libgomp and on the drop-in and compares what they print.
# shellcheck shell=sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dropin=$root/${BUILD:-build}/dropin
. "$root/test/sample.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# needs FILE PACKAGE: the machine must have FILE; without it the test is skipped, and the message names PACKAGE.
needs() {
    for file in $1; do
        [ -e "$file" ] && return 0
    done
    echo "skipped: needs the package $2"
    exit 77
}

# on_ours COMMAND...: with the drop-in; fails when the process does not really run on it.
on_ours() {
    env LD_LIBRARY_PATH="$dropin${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"
}

# loads_ours PROGRAM: the loader takes our libgomp.so.1 for the program or a library of it.
loads_ours() {
    on_ours ldd "$1" | grep -q "libgomp.so.1 => $dropin/libgomp.so.1" || {
        echo "$1 does not load $dropin/libgomp.so.1"
        exit 1
    }
}

# in_scope PROGRAM: a program of the distribution, or a library of its, may be built with more of OpenMP on a newer one.
# If it needs an entry that cbits/abi/abi.tsv has as planned, that is a skip which names it.
in_scope() {
    for object in "$1" $(ldd "$1" | grep -oE '/[^ ]+' | grep -v libgomp); do
        readelf -W --dyn-syms "$object" 2>/dev/null
    done | sed -nE 's/.* UND ((GOMP|omp)_[a-z0-9_]*).*/\1/p' | sort -u >"$work/needed"
    planned=$(awk -F '\t' 'NR == FNR { needed[$1]; next } $5 == "planned" && ($1 in needed) { print $1 }' \
        "$work/needed" "$root/cbits/abi/abi.tsv" | tr '\n' ' ')
    [ -z "$planned" ] || { echo "skipped: $1 needs what is planned: $planned"; exit 77; }
}

# compare NAME COMMAND...: the same output on both, for several team sizes and for both hosts.
compare() {
    name=$1
    shift
    "$@" >"$work/$name.libgomp" 2>"$work/$name.libgomp.err"
    [ -s "$work/$name.libgomp" ] || { echo "$name prints nothing on libgomp"; exit 1; }
    sample_group 6
    for host in posix ghc; do
        for threads in 1 2 5; do
            sampled || continue
            on_ours env GHCOMP_HOST=$host OMP_NUM_THREADS=$threads "$@" >"$work/$name.ours" \
                2>"$work/$name.ours.err" || {
                echo "$name: exit status $? with $threads threads on the $host host"
                cat "$work/$name.ours.err"
                exit 1
            }
            cmp "$work/$name.libgomp" "$work/$name.ours" || {
                echo "$name: output differs with $threads threads on the $host host"
                diff "$work/$name.libgomp" "$work/$name.ours" | head -20
                exit 1
            }
        done
    done
}
