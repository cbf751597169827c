#!/bin/sh
# test/unit/check.c compiled as the library is, without sanitizers, which keep stores that the optimiser takes away: a
# signal handler that interrupts a thread within its message must see that the thread writes.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
make -s BUILD="$build" "$build/plain/test/check" >"$build/optimised.log" 2>&1 || { cat "$build/optimised.log"; exit 1; }
case $build in /*) ;; *) build=./$build ;; esac
"$build/plain/test/check"
