#!/bin/sh
# Millions of tasks in little memory (tasks.c), several masters, fork, and random nests of everything that makes tasks
# (tasknest.c), whose results are those of the same program compiled without OpenMP. MEMORY_MB is the bound on the peak
# of the resident memory of each shape, 200 with TEST_TIMING and else none; STRESS_TREES is the number of trees of each
# nest, with new seeds for each run.
# timing-part: the resident memory, which is the kernel's affair, too
. "$(dirname "$0")/common.sh"
memory=${MEMORY_MB:-0}
[ "$memory" -gt 0 ] || [ -z "${TEST_TIMING:-}" ] || memory=200
trees=${STRESS_TREES:-400}
compile tasks
compile tasknest -g
gcc -O2 -Wno-unknown-pragmas "$root/test/stress/tasknest.c" -o "$work/sequential"

# run NAME=VALUE... PROGRAM ARGUMENT...
run() {
    ours 60 OMP_CANCELLATION=true "$@"
}

# shape NAME COUNT: with 1, 2 and 4 threads.
shape() {
    for threads in 1 2 4; do
        sampled || continue
        run GHCOMP_HOST=posix "$work/tasks" "$1" "$2" $threads "$memory"
        echo "$1 $2, $threads threads: $(cat "$work/out")"
    done
}
sample_group 21
shape tree 10000000
shape uneven 2000000
shape loose 10000000
shape ready 4000000
shape inout 1000000
shape handover 1000000
shape loop 2000000
run GHCOMP_HOST=posix OMP_WAIT_POLICY=passive "$work/tasks" tree 1000000 4 "$memory"
run GHCOMP_HOST=ghc "$work/tasks" tree 1000000 4 "$memory"

for host in posix ghc; do
    run GHCOMP_HOST=$host "$work/tasks" masters 20000 8 "$memory"
    run GHCOMP_HOST=$host "$work/tasks" early 200000 8 "$memory"
    run GHCOMP_HOST=$host "$work/tasks" fork 10 3 "$memory"
    echo "masters, early and fork on the $host host"
done

# nest PROGRAM THREADS NAME=VALUE...: the trees of a new seed.
seed=$(($(date +%s) % 100000))
nest() {
    program=$1 threads=$2
    shift 2
    seed=$((seed + 1000003))
    "$work/sequential" $seed "$trees" "$threads" >"$work/expected"
    run "$@" "$work/$program" $seed "$trees" "$threads"
    cmp "$work/expected" "$work/out" || {
        echo "$*: $program $seed $trees $threads: other results than without OpenMP"
        exit 1
    }
    echo "$program $seed, $threads threads, $*"
}
sample_group 9
for threads in 1 2 3 4 8; do
    if sampled; then nest tasknest $threads GHCOMP_HOST=posix; fi
done
if sampled; then nest tasknest 4 GHCOMP_HOST=ghc; fi
if sampled; then nest tasknest 4 GHCOMP_HOST=posix OMP_WAIT_POLICY=passive; fi
if sampled; then nest tasknest 3 GHCOMP_HOST=posix OMP_WAIT_POLICY=active; fi
if sampled; then nest tasknest 4 GHCOMP_HOST=posix OMP_MAX_TASK_PRIORITY=3; fi

# The runtime alone under ThreadSanitizer, not the program.
if tsan_built; then
    compile_tsan tasknest
    trees=20
    nest tasknest.tsan 3
    nest tasknest.tsan 4 OMP_WAIT_POLICY=passive
fi
