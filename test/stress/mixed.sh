#!/bin/sh
# Random mixes of constructs by several masters (mixed.c), under each wait policy, on both hosts, with new seeds for
# each run. STRESS_SECONDS is the time for each configuration.
. "$(dirname "$0")/common.sh"
compile mixed

# run PROGRAM MASTERS NAME=VALUE..., where this run has it.
run() {
    sampled || return 0
    seeded "$@"
}

if tsan_built; then
    compile_tsan mixed -fsanitize=thread
    seeded mixed.tsan 3
    seeded mixed.tsan 2 OMP_WAIT_POLICY=passive
fi

sample_group 9
run mixed 1 GHCOMP_HOST=posix
run mixed 4 GHCOMP_HOST=posix
run mixed 16 GHCOMP_HOST=posix
run mixed 4 GHCOMP_HOST=ghc
run mixed 4 GHCOMP_HOST=posix OMP_WAIT_POLICY=passive
run mixed 3 GHCOMP_HOST=posix OMP_WAIT_POLICY=active
run mixed 3 GHCOMP_HOST=posix GOMP_SPINCOUNT=100
run mixed 2 GHCOMP_HOST=posix OMP_SCHEDULE=guided,2 OMP_DYNAMIC=false
run mixed 2 GHCOMP_HOST=posix OMP_PROC_BIND=true
