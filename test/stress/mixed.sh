#!/bin/sh
# Random mixes of constructs by several masters (mixed.c), under each wait policy, on both hosts, with new seeds for
# each run. STRESS_SECONDS is the time for each configuration.
. "$(dirname "$0")/common.sh"
compile mixed

if tsan_built; then
    compile_tsan mixed -fsanitize=thread
    seeded mixed.tsan 3
    seeded mixed.tsan 2 OMP_WAIT_POLICY=passive
fi

seeded mixed 1 GHCOMP_HOST=posix
seeded mixed 4 GHCOMP_HOST=posix
seeded mixed 16 GHCOMP_HOST=posix
seeded mixed 4 GHCOMP_HOST=ghc
seeded mixed 4 GHCOMP_HOST=posix OMP_WAIT_POLICY=passive
seeded mixed 3 GHCOMP_HOST=posix OMP_WAIT_POLICY=active
seeded mixed 3 GHCOMP_HOST=posix GOMP_SPINCOUNT=100
seeded mixed 2 GHCOMP_HOST=posix OMP_SCHEDULE=guided,2 OMP_DYNAMIC=false
seeded mixed 2 GHCOMP_HOST=posix OMP_PROC_BIND=true
