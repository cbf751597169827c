#!/bin/sh
# Millions of tasks in little memory (tasks.c), several masters, fork, and random nests of everything that makes tasks
# (tasknest.c), whose results are those of the same program compiled without OpenMP. MEMORY_MB is the bound on the peak
# of the resident memory of each shape; STRESS_TREES is the number of trees of each nest, with new seeds for each run.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
memory=${MEMORY_MB:-200}
trees=${STRESS_TREES:-400}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -fopenmp "$root/test/stress/tasks.c" -o "$work/tasks"
gcc -O2 -g -fopenmp "$root/test/stress/tasknest.c" -o "$work/tasknest"
gcc -O2 -Wno-unknown-pragmas "$root/test/stress/tasknest.c" -o "$work/sequential"

# run NAME=VALUE... PROGRAM ARGUMENT...: on ours; a failure ends the script with what was said.
run() {
    status=0
    env LD_LIBRARY_PATH="$build/dropin" OMP_CANCELLATION=true timeout -k 5 60 env "$@" >"$work/out" 2>"$work/err" ||
        status=$?
    if [ "$status" -ne 0 ]; then
        echo "$*: status $status"
        tail -3 "$work/out"
        cat "$work/err"
        exit 1
    fi
}

# shape NAME COUNT: with 1, 2 and 4 threads.
shape() {
    for threads in 1 2 4; do
        run GHCOMP_HOST=posix "$work/tasks" "$1" "$2" $threads "$memory"
        echo "$1 $2, $threads threads: $(cat "$work/out")"
    done
}
shape tree 10000000
shape loose 10000000
shape ready 4000000
shape inout 1000000
shape relay 1000000
shape loop 2000000
run GHCOMP_HOST=posix OMP_WAIT_POLICY=passive "$work/tasks" tree 1000000 4 "$memory"
run GHCOMP_HOST=ghc "$work/tasks" tree 1000000 4 "$memory"

for host in posix ghc; do
    run GHCOMP_HOST=$host "$work/tasks" masters 20000 8 "$memory"
    run GHCOMP_HOST=$host "$work/tasks" early 200000 8 "$memory"
    run GHCOMP_HOST=$host "$work/tasks" fork 10 3 "$memory"
    echo "masters, early and fork on the $host host"
done

# nest THREADS NAME=VALUE...: the trees of a new seed.
seed=$(($(date +%s) % 100000))
nest() {
    threads=$1
    shift
    seed=$((seed + 1000003))
    "$work/sequential" $seed "$trees" "$threads" >"$work/expected"
    run "$@" "$work/tasknest" $seed "$trees" "$threads"
    cmp "$work/expected" "$work/out" || {
        echo "$*: tasknest $seed $trees $threads: other results than without OpenMP"
        exit 1
    }
    echo "tasknest $seed, $threads threads, $*"
}
for threads in 1 2 3 4 8; do
    nest $threads GHCOMP_HOST=posix
done
nest 4 GHCOMP_HOST=ghc
nest 4 GHCOMP_HOST=posix OMP_WAIT_POLICY=passive
nest 3 GHCOMP_HOST=posix OMP_WAIT_POLICY=active
nest 4 GHCOMP_HOST=posix OMP_MAX_TASK_PRIORITY=3

# The runtime under ThreadSanitizer, where the unit tests have built that.
if [ -e "$build/tsan/libghcomp.a" ] && [ -e "$build/obj/default_host_posix.o" ]; then
    gcc -O1 -g -fopenmp -c "$root/test/stress/tasknest.c" -o "$work/tasknest.o"
    gcc -fsanitize=thread -pthread "$work/tasknest.o" "$build/obj/default_host_posix.o" "$build/tsan/libghcomp.a" -ldl \
        -o "$work/tasknest"
    trees=20
    no_aslr=
    if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
        no_aslr="setarch -R" # ThreadSanitizer needs its fixed address ranges free
    fi
    # shellcheck disable=SC2086 # two words or none
    nest 3 TSAN_OPTIONS="halt_on_error=1 exitcode=99" $no_aslr
    # shellcheck disable=SC2086
    nest 4 TSAN_OPTIONS="halt_on_error=1 exitcode=99" OMP_WAIT_POLICY=passive $no_aslr
fi
