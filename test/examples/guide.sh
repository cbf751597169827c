#!/bin/sh
# docs/guide.md: its package, built as its reader would, in a folder of its own; each program prints what the guide says.
. "$(dirname "$0")/common.sh"

root=$PWD
mkdir -p "$build/guide"
build=$(realpath "$build")
CABAL_DIR=$build/guide/cabal
export CABAL_DIR
mkdir -p "$CABAL_DIR"
# No list of packages is asked for: all that is needed is in GHC's database.
echo 'active-repositories: :none' >"$CABAL_DIR/config"
cd examples/guide
cabal build -v1 --offline --builddir="$build/guide/dist" exe:first >"$build/guide.log" 2>&1 &&
    cabal build -v1 --offline --builddir="$build/guide/dist" all:exes >>"$build/guide.log" 2>&1 || {
    cat "$build/guide.log"
    exit 1
}
bad=0
for expected in *.out; do
    name=${expected%.out}
    program=$(cabal list-bin --offline --builddir="$build/guide/dist" "exe:$name")
    for options in '' '+RTS -N1' '+RTS -N4'; do
        # shellcheck disable=SC2086  # none or two arguments
        if ! "$program" $options >"$build/guide.$name" 2>"$build/guide.$name.err"; then
            echo "$name $options: fails"
            cat "$build/guide.$name.err"
            bad=1
        elif ! diff "$expected" "$build/guide.$name"; then
            echo "$name $options: prints something else (< examples/guide/$expected)"
            bad=1
        fi
    done
done
cd "$root"
exit $bad
