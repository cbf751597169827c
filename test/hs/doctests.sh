#!/bin/sh
# Runs the examples in the library's documentation with doctest, on the library as it is built, and checks that every
# export has one (examples.py). The last line counts: N passed, N failed, N skipped.
#
# Called by test/hs/run.sh. GHCi evaluates each line of an example in a new Haskell thread, which is not bound to an
# operating system thread and has one Capability: an example may not rely on main's thread, nor on its last line's.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
sources=$BUILD/doctest
log=$BUILD/test/doctest.log
mkdir -p "$BUILD/test"

# The last line of a log that counts, as the variables passed, failed and skipped.
counts=$(python3 test/hs/examples.py check) || true
echo "$counts" | sed '$d'
# shellcheck disable=SC2046  # three numbers
set -- $(echo "$counts" | sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed, .*/\1 \2/p')
[ $# -eq 2 ] || { echo "$counts"; exit 1; }
passed=$1 failed=$2

if ! command -v doctest >/dev/null; then
    echo 'SKIP doctest: doctest is not installed'
    echo "$passed passed, $failed failed, 1 skipped"
    exit $((failed > 0))
fi

rm -rf "$sources"
files=$(python3 test/hs/examples.py write "$sources")
sh tools/cabal.sh build -v1 lib:ghc-openmp >"$log" 2>&1 || { cat "$log"; exit 1; }
# Without OpenMP's own variables: examples show what the library does by itself. Doctest's exit status is 1 when an
# example fails; its summary says how many.
for name in $(env | sed -n 's/^\(G\{0,1\}OMP_[A-Z_]*\|GHCOMP_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
status=0
# shellcheck disable=SC2086  # a list of paths
timeout 300 doctest "-package-db=$PWD/dist-newstyle/packagedb/ghc-$(ghc --numeric-version)" -package ghc-openmp \
    $files >"$log" 2>&1 || status=$?
sed "s|$sources/Examples|src|" "$log"
# shellcheck disable=SC2046  # four numbers
set -- $(sed -n '/^Examples: [0-9]/s/[^0-9]\{1,\}/ /gp' "$log")
[ $# -eq 4 ] || { echo 'doctest ended without its counts'; exit 1; }
bad=$(($1 - $2 + $3 + $4))
[ "$status" -eq $((bad > 0)) ] || { echo "doctest: exit status $status after its counts"; exit 1; }
passed=$((passed + $1 - bad)) failed=$((failed + bad))
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
