#!/bin/sh
# Builds and runs the Haskell tests; the last line counts them: N passed, N failed, N skipped. Called by test/run.py and
# `make check-hs`. A test that this machine cannot run says so in a line `SKIP name: why`.
# limit: 2400
# deep-limit: 7200
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
export BUILD
log=$BUILD/test/hs.log
mkdir -p "$BUILD/test"
passed=0 failed=0 skipped=0
# Seconds for a suite; with GHCOMP_DEEP=1 the library has a long part.
limit=900
[ "${GHCOMP_DEEP:-0}" = 0 ] || limit=3600

give_up() {
    echo "$1"
    echo "$passed passed, $((failed + 1)) failed, $skipped skipped"
    exit 1
}

# Where each suite's and step's failures are kept, to be repeated at the end: a reader of a long log's end finds them
# there.
failures=$BUILD/test/hs-failures.log
: >"$failures"

# took TITLE: what the suite or step of that title has cost, from the last call on, in a line for test/haskell.py:
# `cost: SECONDS CPU-SECONDS TITLE`.
took() {
    times >"$log.times"
    # The last line is user and system time of the processes that have ended: MmS.SSs MmS.SSs
    now="$(date +%s) $(awk 'END { split($0, t, /[ms ]+/); print t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$log.times")"
    [ -z "$1" ] || echo "$before $now $1" | awk '{ printf "cost: %d %.1f", $3 - $1, $4 - $2; $1 = $2 = $3 = $4 = ""
                                                  sub(/ +/, " "); print }'
    before=$now
}
took ''

# failures_of FILE TITLE
failures_of() {
    grep -E -A 12 '(^| )(FAIL|TIMEOUT)( |$)|: (failure in expression|error in)' "$1" |
        sed "s|^|$2: |" >>"$failures" || true
}

# count_tasty FILE TITLE STATUS: adds the counts of a tasty run to ours. A program that crashes or hangs behind its
# counts has another exit status than they say.
count_tasty() {
    skipped=$((skipped + $(grep -c '^SKIP ' "$1" || true)))
    bad=$(sed -n 's/^\([0-9]*\) out of [0-9]* tests failed.*/\1/p' "$1")
    all=$(sed -n 's/^[0-9]* out of \([0-9]*\) tests failed.*/\1/p; s/^All \([0-9]*\) tests passed.*/\1/p' "$1")
    [ -n "$all" ] || give_up "the tests ended without their counts: $1"
    failed=$((failed + ${bad:-0}))
    passed=$((passed + all - ${bad:-0}))
    [ "$3" -eq $((${bad:-0} > 0)) ] || give_up "$2: exit status $3 after its counts"
}

if ! command -v ghc >/dev/null || ! command -v cabal >/dev/null; then
    echo 'SKIP hs: ghc or cabal is not installed'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi

for package in ghc-events optparse-applicative primitive vector QuickCheck tasty tasty-hunit tasty-quickcheck; do
    if [ -z "$(ghc-pkg list --simple-output "$package" 2>/dev/null)" ]; then
        echo "SKIP hs: the Haskell package $package is not installed"
        echo '0 passed, 0 failed, 1 skipped'
        exit 0
    fi
done

if ! make -s BUILD="$BUILD" launcher >"$log" 2>&1; then
    cat "$log"
    give_up 'the launcher does not build'
fi
GHCOMP=$(realpath "$BUILD/bin/ghcomp")
export GHCOMP

# suite NAME TITLE OPTION...: builds a test suite with these options of cabal and runs it.
suite() {
    name=$1 title=$2
    shift 2
    if ! sh tools/cabal.sh build -v1 --enable-tests "$@" "test:$name" >"$log" 2>&1; then
        cat "$log"
        give_up "$title does not build"
    fi
    took "build $title"
    program=$(sh tools/cabal.sh list-bin --enable-tests "$@" "test:$name")
    echo "== $title"
    status=0
    timeout "$limit" "$program" --color never -j1 >"$log" 2>&1 || status=$?
    cat "$log"
    took "$title"
    failures_of "$log" "$title"
    count_tasty "$log" "$title" "$status"
}

. test/sample.sh

suite launcher 'the launcher'
suite library "the library's modules"
suite unthreaded 'the library in a program without -threaded'
# A sampled run has one of the two ways.
sample_group 2
if sampled; then
    suite runtime 'the library in a program, static'
    suite eventlog "the runtime's events in the eventlog, static"
fi
if sampled; then
    # In the same folder: the library is built for both ways, and only the programs are linked anew.
    suite runtime 'the library in a program, -dynamic' --enable-executable-dynamic
    suite eventlog "the runtime's events in the eventlog, -dynamic" --enable-executable-dynamic
fi

# step NAME TITLE: runs a script here, whose last line counts as ours does.
step() {
    echo "== $2"
    BUILD=$BUILD sh "test/hs/$1.sh" >"$log" 2>&1 || true
    cat "$log"
    took "$2"
    failures_of "$log" "$2"
    # shellcheck disable=SC2046  # three numbers
    set -- "$2" $(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$log")
    [ $# -eq 4 ] || give_up "$1 ended without its counts"
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
}

step doctests 'the examples in the documentation'
step haddock 'the documentation'
step loops 'the loops that GHC makes'
step linear-base 'linear arrays beside linear-base'
step linking/run 'linking'
# What builds programs of its own: less in the run of three whose unit tests have ThreadSanitizer, which is the last.
sample_group 3
if sampled; then
    step linking/shared 'a Haskell shared library in a C program'
    step linking/clang 'OpenMP code by clang'
fi
if sampled; then step profiling 'a program with profiling'; fi

[ "$failed" -eq 0 ] || cat "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
