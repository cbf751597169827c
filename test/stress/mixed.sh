#!/bin/sh
# Random mixes of constructs by several masters (mixed.c), under each wait policy, on both hosts, with new seeds for each
# run. STRESS_SECONDS is the time for each configuration.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
seconds=${STRESS_SECONDS:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -fopenmp "$root/test/stress/mixed.c" -o "$work/mixed"

# run NAME=VALUE... masters: the seed is printed, so that a failure can be repeated.
run() {
    masters=$1
    shift
    seed=$(($(date +%s) % 100000 + masters))
    status=0
    env LD_LIBRARY_PATH="$build/dropin" "$@" timeout -k 5 $((seconds * 20 + 40)) "$work/mixed" "$seed" "$masters" "$seconds" \
        >"$work/out" 2>"$work/err" || status=$?
    echo "$* mixed $seed $masters: status $status, $(cat "$work/out")"
    if [ "$status" -ne 0 ]; then
        cat "$work/err"
        exit 1
    fi
}

# The same program and the runtime under ThreadSanitizer, where the unit tests have built that.
if [ -e "$build/tsan/libghcomp.a" ] && [ -e "$build/obj/default_host_posix.o" ]; then
    gcc -O1 -g -fopenmp -fsanitize=thread -c "$root/test/stress/mixed.c" -o "$work/mixed.o"
    gcc -fsanitize=thread -pthread "$work/mixed.o" "$build/obj/default_host_posix.o" "$build/tsan/libghcomp.a" -ldl \
        -o "$work/mixed.tsan"
    mv "$work/mixed" "$work/mixed.plain"
    cp "$work/mixed.tsan" "$work/mixed"
    run 3 TSAN_OPTIONS="halt_on_error=1 exitcode=99"
    run 2 TSAN_OPTIONS="halt_on_error=1 exitcode=99" OMP_WAIT_POLICY=passive
    mv "$work/mixed.plain" "$work/mixed"
fi

run 1 GHCOMP_HOST=posix
run 4 GHCOMP_HOST=posix
run 16 GHCOMP_HOST=posix
run 4 GHCOMP_HOST=ghc
run 4 GHCOMP_HOST=posix OMP_WAIT_POLICY=passive
run 3 GHCOMP_HOST=posix OMP_WAIT_POLICY=active
run 3 GHCOMP_HOST=posix GOMP_SPINCOUNT=100
run 2 GHCOMP_HOST=posix OMP_SCHEDULE=guided,2 OMP_DYNAMIC=false
run 2 GHCOMP_HOST=posix OMP_PROC_BIND=true
