#!/usr/bin/env bash
# tools/multi-clang.sh without a chroot: what it refuses and with which message, and what it runs in a place, by a fake
# tools/chroot.sh in a tree of its own, which runs the commands in the folder's srv.

# shellcheck disable=SC2015  # fail ends the script
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/tools" "$work/tree/test/mixed" "$work/bin" "$work/clang-23/srv"
cp tools/multi-clang.sh "$work/tree/tools/"
cd "$work/tree"

fail() { printf 'FAILED: %s\n--- output:\n%s\n--- called:\n%s\n' "$1" "$output" "$(cat "$work/called")" >&2; exit 1; }
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$1"; chmod +x "$1"; }
run() {
    : >"$work/called"
    status=0; output=$(WORK=$work PATH=$work/bin:$PATH bash tools/multi-clang.sh "$@" 2>&1) || status=$?
}
refused() { # refused WORDS WHAT: one line, exit status 1, before anything was made
    [ $status -eq 1 ] && [[ $output == "ghc-openmp: tools/multi-clang.sh: "*"$1"* ]] || fail "$2"
    [ "$(wc -l <<<"$output")" -eq 1 ] && [ ! -s "$work/called" ] || fail "$2: one line and no call"
}
called() { grep -qxF -- "$1" "$work/called" || fail "$2"; }

# shellcheck disable=SC2016  # the fake commands expand it
fake tools/chroot.sh 'cd "$2/srv" && shift 3 && PATH="$WORK/place" exec "$@"'
mkdir "$work/place"
for command in sh bash cat head; do ln -s "$(type -P "$command")" "$work/place/$command"; done
for command in clang-23 clang-19; do fake "$work/place/$command" "echo $command; echo more"; done
fake "$work/bin/clang-19" 'printf "old part: %s\n" "$*" >>"$WORK/called"'
# shellcheck disable=SC2016
fake "$work/place/make" 'printf "make: %s\n" "$*" >>"$WORK/called"'
# shellcheck disable=SC2016
fake test/run.py 'printf "tests: %s\n" "$*" >>"$WORK/called"; echo "5 passed, $(cat failures) failed, 2 skipped"
[ "$(cat failures)" = 0 ]'
# shellcheck disable=SC2016
fake test/mixed/allocators.sh 'printf "allocators: %s\n" "$PARTS" >>"$WORK/called"'
touch test/mixed/allocators_library.c
echo 0 >failures
git init -q
git add tools test failures

run
refused "name a chroot" 'no argument'
run --speed "$work/clang-23"
refused "no option '--speed'" 'an unknown option is named'
run --steps build,sleep "$work/clang-23"
refused "no step 'sleep'" 'an unknown step is named'

run --jobs 3 "$work/clang-23"
[ $status -eq 0 ] || fail 'all steps pass'
called 'make: -j3 lib dropin' 'without a GHC only the libraries are built'
called 'tests: clang --llvm 23 --hosts posix --jobs 3 --filter .' 'the newest clang of the place is tested'
called 'allocators: build/multi-clang-parts' 'the allocators'
grep -q '^old part: .*liballocators-clang-19-of-another-place.so' "$work/called" || fail 'the part by the old clang'
[[ $output == *'clang-23 (clang-23, posix): build ok; clang 5 passed, 0 failed, 2 skipped; allocators ok' ]] ||
    fail 'the table'

echo 1 >failures
git add failures
run --steps clang --filter 'a|b' "$work/clang-23"
[ $status -eq 1 ] &&
    [[ $output == *'clang FAILED (5 passed, 1 failed, 2 skipped, build/multi-clang/clang-23/clang.log)' ]] ||
    fail 'a failure is told'
called 'tests: clang --llvm 23 --hosts posix --jobs 2 --filter a|b' 'the filter'

# shellcheck disable=SC2016
fake tools/llvm-suite.sh 'printf "suite: %s\n" "$*" >>"$WORK/called"; echo "7 passed, 0 failed, 1 skipped"'
git add tools
run --steps suite --tests 22 "$work/clang-23"
[ $status -eq 0 ] && [[ $output == *'suite 7 passed, 0 failed, 1 skipped' ]] || fail "LLVM's own tests"
rest='--hosts posix --parts runtime,ompt,archer --jobs 2 .'
called "suite: --version 23 --tests 22 $rest" "what LLVM's tests are given"
run --steps suite "$work/clang-23"
called "suite: --version 23 --tests 23 $rest" 'the tests are of that version'

rm "$work"/place/clang-*
run "$work/clang-23"
[ $status -eq 1 ] &&
    [[ $output == *"there is no clang in $work/clang-23: install clang-NN and libomp-NN-dev there" ]] ||
    fail 'a place without clang'
echo 'multi-clang: all passed'
