#!/bin/sh
# A program opens the runtime late, when other libraries have used up the reserve of static thread-local storage: first
# as it is, then as what programs need. Conformance programs, compiled as libraries, are opened by such a process, and
# their main is called. Once more with the reserve left alone: the same programs on the usual way. A sampled run has a
# third of the programs.
# limit: 240
# deep-limit: 900
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/../host/common.sh"
[ "$(uname -m)" = x86_64 ] ||
    skip "the objects of other processors need static thread-local storage (docs/internals/adr/0025)"

cat >"$work/filler.c" <<'END_C'
__thread char filler[SIZE] __attribute__((tls_model("initial-exec")));
char *of_this(void) { return filler; }
END_C
for size in 256 64 16 8 4 1; do
    gcc -O1 -shared -fPIC -DSIZE="$size" "$work/filler.c" -o "$work/filler.so"
    for copy in 1 2 3 4 5 6 7 8; do
        cp "$work/filler.so" "$work/filler-$((1000 - size))-$copy.so"
    done
done

# late FILLER... -- LIBRARY [ARGUMENT...]: the fillers, the largest first, then the library, whose main it calls.
cat >"$work/late.c" <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int i = 1, refused = 0;
    for (; strcmp(argv[i], "--") != 0; i++)
        refused += dlopen(argv[i], RTLD_NOW | RTLD_LOCAL) == NULL;
    if (i > 1 && refused == 0) {
        puts("the reserve was not used up");
        return 2;
    }
    void *library = dlopen(argv[i + 1], RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        puts(dlerror());
        return 3;
    }
    int (*run)(int, char **) = (int (*)(int, char **))dlsym(library, "main");
    if (run != NULL)
        return run(argc - i - 1, argv + i + 1);
    int (*threads)(void) = (int (*)(void))dlsym(library, "omp_get_max_threads");
    return threads() == 3 ? 0 : 4;
}
END_C
gcc -O1 -Wall "$work/late.c" -o "$work/late" -ldl

# Without a limit of its own: that would be wall time, which a busy machine takes for a hang, and the runner would find
# neither the program's stacks nor its process group. The test's limit is the runner's.
late() { # HOST LIBRARY [ARGUMENT...]
    host=$1
    shift
    status=0
    LD_LIBRARY_PATH=$dropin GHCOMP_HOST=$host "$work/late" $fillers -- "$@" >"$work/out" 2>"$work/err" \
        </dev/null || status=$?
}

hosts=posix
[ -e "$dropin/libghcomp_rts.so" ] && hosts="posix ghc"
full=$(echo "$work"/filler-*.so)

for object in "$dropin/libgomp.so.1" "$build/lib/libghcomp.so"; do
    readelf -d "$object" | grep -q STATIC_TLS && echo "$object asks for static thread-local storage" && exit 1
    fillers=$full
    OMP_NUM_THREADS=3 late posix "$object"
    ended 0
done

# What comes by destructors, and by a fork and a thread's end, too.
programs='parallel/old_abi barrier/phases for/every_entry for/nonmonotonic critical/exclusion single/single
    ordered/every_entry sections/sections task/clauses taskwait/children taskloop/ depend/ cancel/ threadprivate/ lock/
    process/fork process/fork_inside process/fork_tasks process/thread_exit process/atexit teams/ taskreduction/'
cd "$root/test/conformance"
. "$root/test/sample.sh"
count=0
sample_group 1000
for program in $programs; do
    for source in "$program"*.c; do
        [ -e "$source" ] || continue
        # Programs that want another setting, or an end of their own, are left out.
        if grep -Eq '^([ *]*|/\*.*)(env|cflags|ldflags|expect-[a-z]*|ulimit):' "$source"; then
            continue
        fi
        count=$((count + 1))
        sampled || continue
        gcc -O2 -fopenmp -shared -fPIC -I"$(dirname "$source")" -I. "$source" -o "$work/program.so" -lm
        for host in $hosts; do
            fillers=$full
            late "$host" "$work/program.so"
            [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || fail "$source on $host, with the reserve used up"
        done
        fillers=
        late posix "$work/program.so"
        [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || fail "$source on posix, opened late"
    done
done
echo "$count programs, or a third of them"
[ "$count" -ge 30 ]

# Handlers that ask the runtime in threads that it knows, while these allocate.
cat >"$work/asks.c" <<'END_C'
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static _Atomic int wrong;
static void asks(int number)
{
    (void)number;
    if (omp_get_thread_num() < 0 || omp_get_thread_num() >= 3)
        wrong = 1;
}
int main(void)
{
    long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum++;
    signal(SIGPROF, asks);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &often, NULL);
    for (int round = 0; round < 3000; round++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        for (int i = 0; i < 200; i++) {
            free(malloc((size_t)(i + 1)));
            sum++;
        }
    }
    return wrong || sum != 3 + 3000L * 3 * 200;
}
END_C
gcc -O2 -fopenmp -shared -fPIC "$work/asks.c" -o "$work/asks.so"
for fillers in "" "$full"; do
    late posix "$work/asks.so"
    ended 0
done
