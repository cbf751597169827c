#!/bin/sh
# docs/guide/walkthrough.md: its package, built as its reader would; each program prints what the guide says.
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

# What must not compile fails with the message in the guide. Compiled from the sources: no package is needed.
for wrong in examples/guide/wrong/*.hs; do
    if LC_ALL=C.UTF-8 ghc -v0 -XHaskell2010 -fno-code -fdiagnostics-color=never -isrc "$wrong" \
        >"$build/guide.wrong" 2>&1; then
        echo "$wrong: compiles"
        bad=1
    elif ! grep -qF "$(cat "${wrong%.hs}.err")" "$build/guide.wrong"; then
        echo "$wrong: GHC says something else than ${wrong%.hs}.err"
        cat "$build/guide.wrong"
        bad=1
    fi
done
exit $bad
