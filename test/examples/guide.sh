#!/bin/sh
# docs/guide/walkthrough.md: its package, whose first program is built as its reader would; each program prints what the
# guide says.
. "$(dirname "$0")/common.sh"

# A sampled run compiles the programs without optimization, or with it, as its readers do. (The examples have more to
# compute: without optimization they run for minutes.)
optimization=
sample_group 2
if sampled; then optimization=--ghc-option=-O0; fi
if sampled; then optimization=; fi

made=dist-newstyle/packages/guide
# shellcheck disable=SC2086  # one option or none
package guide $made $optimization
shown env "GHCOMP_CABAL_PROJECT=$PWD/examples/guide" \
    sh tools/cabal.sh build -v1 --builddir="$PWD/dist-newstyle" exe:first

bad=0
for expected in examples/guide/*.out; do
    name=$(basename "$expected" .out)
    program=$made/build/$name/$name
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

# What must not compile fails with the message in the guide.
packages=dist-newstyle/packagedb/ghc-$(ghc --numeric-version)
for wrong in examples/guide/wrong/*.hs; do
    if LC_ALL=C.UTF-8 ghc -v0 -XHaskell2010 -fno-code -fdiagnostics-color=never -package-env - \
        -package-db "$packages" -package ghc-openmp "$wrong" >"$build/guide.wrong" 2>&1; then
        echo "$wrong: compiles"
        bad=1
    elif ! grep -qF "$(cat "${wrong%.hs}.err")" "$build/guide.wrong"; then
        echo "$wrong: GHC says something else than ${wrong%.hs}.err"
        cat "$build/guide.wrong"
        bad=1
    fi
done
exit $bad
