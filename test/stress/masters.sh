#!/bin/sh
# Masters that come and go, more threads than CPUs (masters.c), with workers that are lent and with each master's own,
# with admission and without, under each wait policy, with both kinds of barrier, with new seeds for each run.
# STRESS_SECONDS is the time for each configuration.
. "$(dirname "$0")/common.sh"
compile masters

# each PROGRAM MASTERS NAME=VALUE...
each() {
    program=$1 masters=$2
    shift 2
    seeded "$program" "$masters" OMP_CANCELLATION=true OMP_MAX_ACTIVE_LEVELS=3 OMP_DYNAMIC=false "$@"
}

# run PROGRAM MASTERS NAME=VALUE..., where this run has it.
run() {
    sampled || return 0
    each "$@"
}

# ThreadSanitizer cannot start threads in the child of a process with threads.
if tsan_built; then
    compile_tsan masters -fsanitize=thread
    more=noforks
    each masters.tsan 6 GHCOMP_SHARE=all
    each masters.tsan 6 GHCOMP_SHARE=all GHCOMP_BARRIER=tree
    each masters.tsan 6 GHCOMP_SHARE=all GHCOMP_ADMISSION=off OMP_WAIT_POLICY=passive
    more=
fi

sample_group 9
run masters 4 GHCOMP_HOST=posix GHCOMP_SHARE=all
run masters 32 GHCOMP_HOST=posix GHCOMP_SHARE=all
run masters 16 GHCOMP_HOST=posix GHCOMP_SHARE=all GHCOMP_ADMISSION=off
run masters 16 GHCOMP_HOST=posix GHCOMP_SHARE=sticky
run masters 16 GHCOMP_HOST=posix GHCOMP_SHARE=all OMP_WAIT_POLICY=passive
run masters 4 GHCOMP_HOST=posix GHCOMP_SHARE=all OMP_WAIT_POLICY=active
run masters 8 GHCOMP_HOST=ghc GHCOMP_SHARE=all
run masters 16 GHCOMP_HOST=posix GHCOMP_SHARE=all GHCOMP_BARRIER=tree
run masters 8 GHCOMP_HOST=posix GHCOMP_SHARE=all OMP_THREAD_LIMIT=100
