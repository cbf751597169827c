#!/bin/sh
# Masters that come and go, more threads than CPUs (masters.c), with workers that are lent and with each master's own,
# with turns and without, under each wait policy, with both kinds of barrier, with new seeds for each run. STRESS_SECONDS
# is the time for each configuration.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
seconds=${STRESS_SECONDS:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -fopenmp "$root/test/stress/masters.c" -o "$work/masters"

# run MASTERS NAME=VALUE...: the seed is printed, so that a failure can be repeated.
run() {
    masters=$1
    shift
    seed=$(($(date +%s) % 100000 + masters))
    status=0
    env LD_LIBRARY_PATH="$build/dropin" OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=3 OMP_DYNAMIC=false "$@" \
        timeout -k 5 $((seconds * 20 + 60)) "$work/masters" "$seed" "$masters" "$seconds" $forks \
        >"$work/out" 2>"$work/err" || status=$?
    echo "$* masters $seed $masters: status $status, $(cat "$work/out")"
    if [ "$status" -ne 0 ]; then
        cat "$work/err"
        exit 1
    fi
}

# The same program and the runtime under ThreadSanitizer, where the unit tests have built that. It has no threads in the
# children of processes with threads.
if [ -e "$build/tsan/libghcomp.a" ] && [ -e "$build/obj/default_host_posix.o" ]; then
    gcc -O1 -g -fopenmp -fsanitize=thread -c "$root/test/stress/masters.c" -o "$work/masters.o"
    gcc -fsanitize=thread -pthread "$work/masters.o" "$build/obj/default_host_posix.o" "$build/tsan/libghcomp.a" -ldl \
        -o "$work/masters.tsan"
    mv "$work/masters" "$work/masters.plain"
    cp "$work/masters.tsan" "$work/masters"
    forks=noforks
    run 6 GHCOMP_SHARE=all TSAN_OPTIONS="halt_on_error=1 exitcode=99"
    run 6 GHCOMP_SHARE=all GHCOMP_ADMISSION=off TSAN_OPTIONS="halt_on_error=1 exitcode=99" OMP_WAIT_POLICY=passive
    run 6 GHCOMP_SHARE=all GHCOMP_BARRIER=tree TSAN_OPTIONS="halt_on_error=1 exitcode=99"
    mv "$work/masters.plain" "$work/masters"
fi
forks=

run 4 GHCOMP_HOST=posix GHCOMP_SHARE=all
run 32 GHCOMP_HOST=posix GHCOMP_SHARE=all
run 16 GHCOMP_HOST=posix GHCOMP_SHARE=all GHCOMP_ADMISSION=off
run 16 GHCOMP_HOST=posix GHCOMP_SHARE=sticky
run 16 GHCOMP_HOST=posix GHCOMP_SHARE=all OMP_WAIT_POLICY=passive
run 4 GHCOMP_HOST=posix GHCOMP_SHARE=all OMP_WAIT_POLICY=active
run 8 GHCOMP_HOST=ghc GHCOMP_SHARE=all
run 16 GHCOMP_HOST=posix GHCOMP_SHARE=all GHCOMP_BARRIER=tree
run 8 GHCOMP_HOST=posix GHCOMP_SHARE=all OMP_THREAD_LIMIT=100
