#!/bin/sh
# GHCOMP_HOST=ghc in a C program: GHC's RTS is really booted, every worker has a home Capability, and the program is as
# it was before (arguments, locale, signals, descriptors, standard output, exit status, fork).
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"
needs_companion

cat >"$work/boot.c" <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "probe.h"

static int count_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* Every thread but the main one and the OpenMP workers blocks what the program may get: SIGINT, SIGTERM, SIGCHLD. */
static int threads_that_take_signals(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        char path[300], line[200];
        unsigned long long wanted = 1ull << (SIGINT - 1) | 1ull << (SIGTERM - 1) | 1ull << (SIGCHLD - 1);
        unsigned long long blocked = ~0ull; /* the file of one that ends is empty */
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = fopen(path, "r");
        if (entry->d_name[0] == '.' || file == NULL)
            continue;
        while (fgets(line, sizeof line, file) != NULL)
            sscanf(line, "SigBlk: %llx", &blocked);
        fclose(file);
        count += (blocked & wanted) != wanted;
    }
    closedir(tasks);
    return count;
}

static void handler(int number)
{
    (void)number;
}

static void signals(struct sigaction *actions, sigset_t *mask)
{
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &actions[number]) != 0)
            memset(&actions[number], 0, sizeof actions[number]);
    sigprocmask(SIG_SETMASK, NULL, mask);
}

static void unchanged(void)
{
    static struct sigaction before[NSIG], after[NSIG];
    static sigset_t mask, mask_after;
    struct sigaction mine = {.sa_handler = handler};
    sigaction(SIGINT, &mine, NULL);
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    sigprocmask(SIG_BLOCK, &some, NULL);
    char *locale = strdup(setlocale(LC_ALL, NULL));
    signals(before, &mask);
    int alone = count_threads();
    probe("unchanged", 3, NULL);
    signals(after, &mask_after);
    int same = 1;
    for (int number = 1; number < NSIG; number++)
        same &= before[number].sa_handler == after[number].sa_handler &&
                before[number].sa_flags == after[number].sa_flags;
    printf("signals %s, mask %s, locale %s, threads before %d, signals reach %d\n", same ? "kept" : "changed",
           memcmp(&mask, &mask_after, sizeof(unsigned long)) == 0 ? "kept" : "changed",
           strcmp(locale, setlocale(LC_ALL, NULL)) == 0 ? "kept" : "changed", alone, threads_that_take_signals());
}

static void forks(void)
{
    probe("parent", 3, NULL);
    if (fork() == 0) {
        probe("child", 3, NULL);
        exit(0);
    }
    int status;
    wait(&status);
    probe("parent after", 4, NULL);
    printf("child ended %d\n", status);
}

static void forks_first(void)
{
    if (fork() == 0) {
        probe("child", 3, NULL);
        exit(0);
    }
    int status;
    wait(&status);
    printf("child ended %d\n", status);
}

/* Eight threads meet their first region at the same moment: one of them boots, all of them have it. */
static pthread_barrier_t gate;

static void *first_region(void *result)
{
    int team = 0;
    pthread_barrier_wait(&gate);
#pragma omp parallel num_threads(3) reduction(+ : team)
    team++;
    *(int *)result = team == 3 && strcmp(OURS(ghcomp_host_origin)(), "companion") == 0;
    return NULL;
}

/* With BUSY the first look at the loaded objects takes six seconds of work: longer than the others would wait for a
   thread that sleeps. */
static int slow;

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
    void *found = dlsym(RTLD_NEXT, "dl_iterate_phdr");
    __typeof__(&dl_iterate_phdr) real;
    memcpy(&real, &found, sizeof real);
    if (__atomic_exchange_n(&slow, 0, __ATOMIC_RELAXED))
        for (time_t end = time(NULL) + 6; time(NULL) < end;)
            continue;
    return real(callback, data);
}

static void race(void)
{
    pthread_t threads[8];
    int good[8], all = 0;
    pthread_barrier_init(&gate, NULL, 8);
    slow = getenv("BUSY") != NULL;
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, first_region, &good[i]);
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        all += good[i];
    }
    printf("race: %d threads\n", all);
}

static void *load_library(void *path)
{
    return dlopen(path, RTLD_NOW);
}

static int load_on_small_stack(char *path)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *library = NULL;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    if (pthread_create(&thread, &attributes, load_library, path) != 0 || pthread_join(thread, &library) != 0)
        return 0;
    return library != NULL;
}

static void late(void)
{
    probe("atexit", 5, NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "unchanged") == 0) {
        unchanged();
    } else if (strcmp(mode, "fork") == 0) {
        forks();
    } else if (strcmp(mode, "fork-first") == 0) {
        forks_first();
    } else if (strcmp(mode, "race") == 0) {
        race();
    } else if (strcmp(mode, "constructor") == 0) {
        return load_library(argv[2]) != NULL ? 0 : 1;
    } else if (strcmp(mode, "constructor-on-small-stack") == 0) {
        return load_on_small_stack(argv[2]) ? 0 : 1;
    } else if (strcmp(mode, "atexit") == 0) {
        atexit(late);
        probe("main", 3, NULL);
    } else if (strcmp(mode, "exit-in-region") == 0) {
        printf("buffered");
        OURS(ghcomp_host_name)();
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() == 2)
            exit(41);
    } else if (strcmp(mode, "serial") == 0) {
        probe("serial", 1, NULL);
    } else {
        probe("plain", 5, NULL);
        printf("arguments %d %s, version %s, workers %d\n", argc, argc > 2 ? argv[2] : "", OURS(ghcomp_version)(),
               OURS(ghcomp_workers_created)());
        return 42;
    }
    return 0;
}
END
compile -rdynamic "$work/boot.c" -o "$work/boot"
export GHCOMP_HOST=ghc GHCOMP_CPU_QUOTA=ignore
cpus=$(nproc)
ghc='ghc/companion/[0-9.]+'

# Workers 1, 2, ... have the homes 1, 2, ..., wrapping around to 0; the initial thread has none.
homes=-1
for worker in 1 2 3 4; do homes="$homes $((worker % cpus))"; done
run "$work/boot" plain +RTS --nonsense -RTS
ended 42
quiet
printed "plain: $ghc $cpus: $homes"
version=$(sed -n 's/^#define GHCOMP_VERSION "\(.*\)"/\1/p' "$root/cbits/include/ghcomp.h")
printed "arguments 5 \\+RTS, version $version, workers 4"

GHCRTS=--nonsense run "$work/boot"
ended 42
quiet

# No more Capabilities than threads that the user wants.
OMP_NUM_THREADS=1 run "$work/boot"
printed "plain: $ghc 1: -1 0 0 0 0"

# The quota or the affinity limits them too.
run taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$work/boot"
printed "plain: $ghc 1: -1 0 0 0 0"

run "$work/boot" unchanged
ended 0
quiet
printed "signals kept, mask kept, locale kept, threads before 1, signals reach 3"

# A program that has no region of more than one thread boots nothing, until it asks for its host.
run "$work/boot" serial
printed "serial: $ghc $cpus: -1"

run "$work/boot" fork
ended 0
quiet
printed "parent: $ghc $cpus: -1 .*"
printed "child: posix/posix/ 0: -1 -1 -1"
printed "parent after: $ghc $cpus: -1 .*"
printed "child ended 0"

# A daemon: it forks before the first region, so the child boots its own RTS.
run "$work/boot" fork-first
ended 0
quiet
printed "child: $ghc $cpus: -1 .*"

run "$work/boot" atexit
ended 0
quiet
printed "atexit: $ghc $cpus: -1 .*"

run "$work/boot" exit-in-region
ended 41
quiet
[ "$(cat "$work/out")" = buffered ] || fail "standard output should be flushed once"

run "$work/boot" race
ended 0
quiet
printed 'race: 8 threads'
run env BUSY=1 "$work/boot" race
ended 0
quiet
printed 'race: 8 threads'

# The first region is in the constructor of a library, while dlopen holds the loader's lock; also where the boot needs a
# larger stack than that of the thread.
cat >"$work/early.c" <<'END'
#include "probe.h"
__attribute__((constructor)) static void early(void)
{
    int team = 0;
#pragma omp parallel num_threads(4) reduction(+ : team)
    team++;
    printf("constructor: %d %s\n", team, OURS(ghcomp_host_origin)());
}
END
compile -shared -fPIC -Wno-unused-function "$work/early.c" -o "$work/libearly.so"
for mode in constructor constructor-on-small-stack; do
    run "$work/boot" $mode "$work/libearly.so"
    ended 0
    quiet
    printed 'constructor: 4 companion'
done

# libghcomp.so boots an RTS by default.
unset GHCOMP_HOST
gcc -O1 -fopenmp -I"$root/cbits/include" -I"$here" -c "$work/boot.c" -o "$work/boot.o"
gcc "$work/boot.o" -L"$build/lib" -lghcomp -ldl -o "$work/linked"
libraries=$build/lib run "$work/linked"
ended 42
quiet
printed "plain: $ghc $cpus: $homes"

# The drop-in does not boot one by default, and with `posix` neither does.
run "$work/boot"
quiet
printed "plain: posix/posix/ 0: -1 -1 -1 -1 -1"
export GHCOMP_HOST=posix
libraries=$build/lib run "$work/linked"
quiet
printed "plain: posix/posix/ 0: -1 -1 -1 -1 -1"
