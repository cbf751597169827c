#!/bin/sh
# No more threads can be created: an exact team ends the program with one line and status 1; with dyn-var the region
# gets a smaller team, with one line, and the program continues.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dropin=$root/${BUILD:-build}/dropin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

cat >"$work/program.c" <<'END'
#include <omp.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int threads = 0;
    (void)argv;
    omp_set_dynamic(argc > 1);
    for (int i = 0; i < 3; i++)
#pragma omp parallel num_threads(40)
    {
#pragma omp single
        threads = omp_get_num_threads();
    }
    printf("%d threads\n", threads);
    return 0;
}
END
# The limit on processes does not apply to root, and counts a user's other processes: pthread_create fails when it has
# made FEW threads.
cat >"$work/few.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument)
{
    static int created;
    if (__atomic_fetch_add(&created, 1, __ATOMIC_RELAXED) >= atoi(getenv("FEW")))
        return EAGAIN;
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return next(handle, attributes, entry, argument);
}
END
gcc -O2 -fopenmp "$work/program.c" -o "$work/program"
gcc -O2 -shared -fPIC "$work/few.c" -o "$work/few.so" -ldl

run() { # FEW [ARGUMENT]
    status=0
    few=$1
    shift
    env FEW="$few" LD_LIBRARY_PATH="$dropin" LD_PRELOAD="$work/few.so" GHCOMP_HOST=posix "$work/program" "$@" \
        >"$work/out" 2>"$work/err" || status=$?
}
fail() {
    echo "$1 (status $status)"
    cat "$work/out" "$work/err"
    exit 1
}
said() { # the one line, blank lines aside, matches
    [ "$(grep -c . "$work/err")" -eq 1 ] && grep -q "$1" "$work/err"
}

run 9
[ "$status" -eq 1 ] || fail "an exact team that cannot be made should end the program with status 1"
said 'Thread creation failed' || fail "an exact team that cannot be made should be explained in one line"

# With dyn-var on a region has no more threads than there are CPUs: on one CPU it needs no thread.
run 0 dynamic
[ "$status" -eq 0 ] || fail "with dyn-var the program should go on"
[ "$(cat "$work/out")" = "1 threads" ] || fail "with dyn-var the team should be the threads that there are"
[ "$(nproc)" -eq 1 ] || said 'a region of [0-9]* threads gets 1: ' ||
    fail "with dyn-var the shortage should be said once, in one line"
