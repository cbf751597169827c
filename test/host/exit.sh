#!/bin/sh
# The end of a process in which the runtime booted an RTS, at every delay: exit() comes while a thread of the runtime is
# in the RTS (it looks for the Capabilities soon after the first region), and the process lingers after exit() has
# begun. Each time the exit status is the program's, nothing is printed and nothing hangs.
# limit: 120
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"
needs_companion

cat >"$work/program.c" <<'END'
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
    threads++;
    if (argc > 1)
        usleep((useconds_t)atoi(argv[1]));
    return threads == 3 ? 9 : 1;
}
END
compile "$work/program.c" -o "$work/program"

# Functions of the RTS that take longer than usual, where the environment says so, in threads other than the first; and
# a destructor that lingers. The next definition of a function is in the RTS, which only the companion has loaded.
cat >"$work/slow.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    if (strstr(info->dlpi_name, "/libHSrts") == NULL)
        return 0;
    *(const char **)path = info->dlpi_name;
    return 1;
}

static void *next(const char *name)
{
    const char *path = NULL;
    dl_iterate_phdr(find, &path);
    void *library = path != NULL ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL)
        _exit(99);
    return found;
}

static void delay(const char *function)
{
    const char *where = getenv("SLOW");
    if (where != NULL && strcmp(where, function) == 0 && gettid() != getpid()) {
        if (getenv("SLOW_SAYS") != NULL && write(1, "slow\n", 5) != 5)
            _exit(98);
        usleep(20000);
    }
}

void *rts_lock(void)
{
    void *(*function)(void) = (void *(*)(void))next("rts_lock");
    delay("lock");
    return function();
}

void rts_unlock(void *capability)
{
    void (*function)(void *) = (void (*)(void *))next("rts_unlock");
    delay("unlock");
    function(capability);
}

void hs_thread_done(void)
{
    void (*function)(void) = (void (*)(void))next("hs_thread_done");
    delay("done");
    function();
}

static void linger(void)
{
    const char *time = getenv("LINGER");
    if (time != NULL)
        usleep((useconds_t)atoi(time));
}

/* A runtime that stops the RTS at exit() must not have a thread in it then. */
void hs_exit(void)
{
    void (*function)(void) = (void (*)(void))next("hs_exit");
    function();
    linger();
}

void hs_exit_nowait(void)
{
    void (*function)(void) = (void (*)(void))next("hs_exit_nowait");
    function();
    linger();
}

__attribute__((destructor)) static void at_the_end(void)
{
    linger();
}
END
gcc -O1 -shared -fPIC "$work/slow.c" -o "$work/slow.so" -ldl

export GHCOMP_HOST=ghc
# The delays are where they should be: the thread that looks for the Capabilities meets each of them.
for where in lock unlock done; do
    SLOW_SAYS=1 SLOW=$where run env LD_PRELOAD="$work/slow.so" "$work/program" 1000000
    ended 9
    quiet
    printed slow
done
. "$root/test/sample.sh"
sample_group 36
for linger in 0 5000 40000; do
    for where in none lock unlock done; do
        for sleep in 0 1000 15000; do
            sampled || continue
            for _ in 1 2 3; do
                LINGER=$linger SLOW=$where run env LD_PRELOAD="$work/slow.so" "$work/program" $sleep
                ended 9
                quiet
            done
        done
    done
done
