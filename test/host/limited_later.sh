#!/bin/sh
# The address space is limited (RLIMIT_AS) after the RTS was booted, which reserves a terabyte: regions of the existing
# threads go on. A team that needs more threads ends the program with one line and status 1, or is smaller with dyn-var.
# With POSIX threads, where the limit leaves room, the team is made. The limit comes when every other thread sleeps: a
# worker that the RTS has just made has its thread-local data still to get, and without memory for them glibc
# ends the process.
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"

cat >"$work/program.c" <<'END'
#include <omp.h>
#include <sys/resource.h>
#include "../sleepers.h"
static int team(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
        sum++;
#pragma omp barrier
#pragma omp single nowait
        for (int i = 0; i < 100; i++) {
#pragma omp task
            __asm__ volatile("");
        }
    }
    return sum;
}
int main(int argc, char **argv)
{
    struct rlimit limit = {300u << 20, 300u << 20};
    int dynamic = argc > 2;
    omp_set_dynamic(0);
    printf("first %d\n", team(4));
    fflush(stdout);
    wait_until_all_sleep();
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 2;
    printf("same %d\n", team(4));
    fflush(stdout);
    omp_set_dynamic(dynamic);
    for (int i = 0; i < 3; i++) {
        int size = team(atoi(argv[1]));
        printf("%s\n", size >= 1 && size <= atoi(argv[1]) ? "big" : "wrong");
        fflush(stdout);
    }
    omp_set_dynamic(0);
    printf("small %d\n", team(3));
    return 0;
}
END
compile "$work/program.c" -o "$work/program"
export OMP_STACKSIZE=256k

GHCOMP_HOST=posix run "$work/program" 12
ended 0
quiet
printed 'same 4'
printed 'big'
printed 'small 3'

needs_companion
export GHCOMP_HOST=ghc
run "$work/program" 4
ended 0
quiet
printed 'same 4'
printed 'small 3'

run "$work/program" 12
ended 1
printed 'same 4'
[ "$(grep -c . "$work/err")" -eq 1 ] && grep -q 'Thread creation failed' "$work/err" ||
    fail "one line should say that a thread could not be created"

run "$work/program" 12 dynamic
ended 0
printed 'big'
printed 'small 3'
