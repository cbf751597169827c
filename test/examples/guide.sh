#!/bin/sh
# docs/guide.md: its package, built as its reader would, in a folder of its own; each program prints what the guide says.
. "$(dirname "$0")/common.sh"

build=$(realpath "$build")
GHCOMP_CABAL_PROJECT=$PWD/examples/guide
export GHCOMP_CABAL_PROJECT
made=--builddir=$build/guide
sh tools/cabal.sh build -v1 "$made" all:exes >"$build/guide.log" 2>&1 || {
    cat "$build/guide.log"
    exit 1
}
bad=0
for expected in examples/guide/*.out; do
    name=$(basename "$expected" .out)
    program=$(sh tools/cabal.sh list-bin "$made" "exe:$name")
    for options in '' '+RTS -N1' '+RTS -N4'; do
        # shellcheck disable=SC2086  # none or two arguments
        if ! "$program" $options >"$build/guide.$name" 2>"$build/guide.$name.err"; then
            echo "$name $options: fails"
            cat "$build/guide.$name.err"
            bad=1
        elif ! diff "$expected" "$build/guide.$name"; then
            echo "$name $options: prints something else (< $expected)"
            bad=1
        fi
    done
done
exit $bad
