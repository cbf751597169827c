#!/bin/sh
# hs_exit at odd places in a C program that uses a Haskell library: while OpenMP workers are parked, while they run,
# while other masters run, while workers are made; regions, new workers, callers and pauses after it; and the process's
# end by return, exit() in a region and pthread_exit. Then omp_pause_resource(_all) many times and at odd places, in an
# RTS that the runtime has booted. Results are right, nothing is printed and the exit status is the program's. A sampled
# run has a third of the combinations.
# limit: 100
# deep-limit: 1200
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/../host/common.sh"
. "$root/test/sample.sh"
here=$root/test/host
needs_ghc

cat >"$work/Plugin.hs" <<'END'
module Plugin where
import Control.Concurrent (forkIO, threadDelay)
import Control.Monad (forever)
import Foreign.C.Types (CInt (..))
foreign export ccall plugin_call :: CInt -> IO CInt
foreign export ccall plugin_busy :: IO ()
plugin_call :: CInt -> IO CInt
plugin_call n = pure (n + length [1 .. n] `seq` n + 1)
  where length = fromIntegral . Prelude.length
-- Haskell threads that still run when the RTS ends.
plugin_busy :: IO ()
plugin_busy = do
  _ <- forkIO (forever (threadDelay 100))
  _ <- forkIO (mapM_ (\n -> threadDelay 10 >> (sum [1 .. n] `seq` pure ())) (cycle [1 .. 1000 :: Int]))
  pure ()
END
ghc -v0 -dynamic -shared -fPIC -threaded -flink-rts -outputdir "$work/plugin.o" "$work/Plugin.hs" \
    -o "$work/libplugin.so"

cat >"$work/program.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include "probe.h"
static int (*call)(int);
static void (*leave_haskell)(void);
static int gate, arrived;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
            _exit(5);                                                          \
        }                                                                      \
    } while (0)

static void *take(void *library, const char *name)
{
    void *found = dlsym(library, name);
    CHECK(found != NULL);
    return found;
}

static void region(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
#pragma omp barrier
        sum++;
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task
            sched_yield();
    }
    CHECK(sum == threads);
}

static void region_that_calls(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += call(omp_get_thread_num());
    CHECK(sum == threads * (threads + 1) / 2);
}

/* A region whose members run until the gate is open. */
static void *held(void *threads)
{
    int sum = 0;
#pragma omp parallel num_threads((int)(long)threads) reduction(+ : sum)
    {
        __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
        while (!__atomic_load_n(&gate, __ATOMIC_ACQUIRE))
            sched_yield();
#pragma omp barrier
        sum++;
    }
    CHECK(sum == (int)(long)threads);
    region(3);
    return NULL;
}

static void *many(void *rounds)
{
    for (long i = 0; i < (long)rounds; i++)
        region(1 + i % 5);
    return NULL;
}

static int ended;

/* Regions that each need one more worker, until the RTS has ended. */
static void *growing(void *most)
{
    for (int threads = 5; threads < (int)(long)most && !__atomic_load_n(&ended, __ATOMIC_ACQUIRE); threads++) {
        int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum++;
        CHECK(sum == threads);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *mode = argv[2];
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(argc == 3 && library != NULL);
    call = (int (*)(int))take(library, "plugin_call");
    leave_haskell = (void (*)(void))take(library, "hs_exit");
    char name[] = "program", rts[] = "+RTS", n[] = "-N2", end[] = "-RTS", *list[] = {name, rts, n, end, NULL};
    char **hs_argv = list;
    int hs_argc = 4;
    ((void (*)(int *, char ***))take(library, "hs_init"))(&hs_argc, &hs_argv);
    if (strstr(mode, "busy") != NULL)
        ((void (*)(void))take(library, "plugin_busy"))();
    region_that_calls(4);
    CHECK(strcmp(OURS(ghcomp_host_name)(), getenv("EXPECT_HOST")) == 0);
    pthread_t threads[4];
    if (strncmp(mode, "parked", 6) == 0) {
        usleep(20000); /* past the time that workers spin; they may just as well not be parked yet */
        leave_haskell();
    } else if (strncmp(mode, "running", 7) == 0) {
        CHECK(pthread_create(&threads[0], NULL, held, (void *)4l) == 0);
        while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < 4)
            sched_yield();
        leave_haskell();
        __atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
        CHECK(pthread_join(threads[0], NULL) == 0);
    } else if (strncmp(mode, "masters", 7) == 0) {
        for (int i = 0; i < 4; i++)
            CHECK(pthread_create(&threads[i], NULL, many, (void *)300l) == 0);
        many((void *)50l);
        leave_haskell();
        many((void *)50l);
        for (int i = 0; i < 4; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    } else if (strncmp(mode, "growing", 7) == 0) {
        /* The thread that looks for Capabilities has set the watch on the RTS's end before it finds them. */
        while (strcmp(OURS(ghcomp_capability_visibility)(), "finding") == 0)
            usleep(1000);
        CHECK(pthread_create(&threads[0], NULL, growing, (void *)300l) == 0);
        usleep((unsigned)atoi(getenv("EXIT_AFTER_US")));
        leave_haskell();
        __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
        CHECK(pthread_join(threads[0], NULL) == 0);
    } else if (strncmp(mode, "inside", 6) == 0) {
#pragma omp parallel num_threads(3)
        {
#pragma omp barrier
#pragma omp masked
            leave_haskell();
#pragma omp barrier
        }
    } else if (strncmp(mode, "paused", 6) == 0) {
        /* As docs/reference/host.md asks: pause first. */
        CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
        leave_haskell();
    }
    region(3);
    region(4);
    region(9); /* with new workers */
    many((void *)100l);
    CHECK(pthread_create(&threads[0], NULL, many, (void *)20l) == 0);
    CHECK(pthread_join(threads[0], NULL) == 0);
    if (strstr(mode, "pause") != NULL)
        for (int i = 0; i < 20; i++) {
            CHECK(omp_pause_resource_all(i % 2 ? omp_pause_soft : omp_pause_hard) == 0);
            region(1 + i % 6);
        }
    printf("done");
    if (strstr(mode, "exit-in-region") != NULL) {
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() == 1)
            exit(9);
    }
    if (strstr(mode, "pthread") != NULL)
        pthread_exit(NULL); /* the status is 0 then */
    return 9;
}
END
compile -Wno-unused-function "$work/program.c" -o "$work/program"
rounds=3
[ "${GHCOMP_DEEP:-}" = 1 ] && rounds=50
export EXPECT_HOST
sample_group 48
for host in auto posix; do
    EXPECT_HOST=ghc
    [ $host = posix ] && EXPECT_HOST=posix
    for mode in parked running masters inside paused parked-busy running-busy masters-busy parked-pause \
        parked-exit-in-region \
        parked-pthread running-exit-in-region; do
        status_wanted=9
        case $mode in *pthread*) status_wanted=0 ;; esac
        for share in auto all; do
            sampled || continue
            for round in $(seq $rounds); do
                GHCOMP_SHARE=$share GHCOMP_HOST=$host run "$work/program" "$work/libplugin.so" $mode
                [ "$status" -eq $status_wanted ] ||
                    fail "$mode, host $host, workers $share, round $round: $status_wanted expected"
                quiet
                [ "$(cat "$work/out")" = "done" ] || fail "$mode, host $host: what was buffered is lost"
            done
        done
        echo "$mode, host $host"
    done
done

# A worker that makes itself known to the RTS while hs_exit destroys the list of those ends the process, in about one
# of seven of these runs if the runtime does not know of the end.
EXPECT_HOST=ghc
sample_group $((rounds * 20))
for round in $(seq $((rounds * 20))); do
    sampled || continue
    EXIT_AFTER_US=$((round % 20 * 100)) run "$work/program" "$work/libplugin.so" growing
    ended 9
    quiet
done
echo "growing"

# Pauses in an RTS that the runtime has booted, and on POSIX threads.
cat >"$work/pauses.c" <<'END'
#include <pthread.h>
#include "probe.h"
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
            exit(5);                                                           \
        }                                                                      \
    } while (0)
static void region(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum++;
    CHECK(sum == threads);
}
static int odd(int kind)
{
    return kind % 2 ? omp_pause_resource_all(kind % 4 < 2 ? omp_pause_soft : omp_pause_hard)
                    : omp_pause_resource(kind % 4 < 2 ? omp_pause_soft : omp_pause_hard, omp_get_initial_device());
}
static void at_exit(void)
{
    region(3);
    CHECK(odd(1) == 0);
    region(2);
    CHECK(odd(2) == 0);
}
static void key_ends(void *value)
{
    CHECK(odd((int)(long)value) == 0);
    region(2);
}
static void *master(void *kind)
{
    pthread_key_t key;
    CHECK(pthread_key_create(&key, key_ends) == 0);
    pthread_setspecific(key, kind);
    for (int i = 0; i < 30; i++) {
        region(1 + i % 5);
        CHECK(odd(i) == 0);
    }
    return NULL;
}
int main(void)
{
    atexit(at_exit);
    CHECK(odd(0) == 0 && odd(1) == 0); /* before anything else */
    for (int i = 0; i < 200; i++) {
        region(1 + i % 6);
        CHECK(odd(i) == 0 && odd(i + 1) == 0);
    }
    pthread_t threads[4];
    for (int round = 0; round < 10; round++) {
        for (long i = 0; i < 4; i++)
            CHECK(pthread_create(&threads[i], NULL, master, (void *)(i + 1)) == 0);
        for (int i = 0; i < 30; i++)
            CHECK(odd(i) == 0);
        for (int i = 0; i < 4; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    }
    int refused = 0;
#pragma omp parallel num_threads(3) reduction(+ : refused)
    {
        refused += odd(omp_get_thread_num()) != 0;
#pragma omp task
        CHECK(odd(1) != 0);
    }
    CHECK(refused == 3);
#pragma omp target map(tofrom : refused)
    refused += odd(1) != 0;
#pragma omp task if (0)
    (void)odd(1);
    region(5);
    printf("done");
    return 9;
}
END
compile -Wno-unused-function "$work/pauses.c" -o "$work/pauses"
for host in ghc posix; do
    if [ $host = posix ] || [ -e "$dropin/libghcomp_rts.so" ]; then
        for round in $(seq $rounds); do
            GHCOMP_HOST=$host run "$work/pauses"
            ended 9
            quiet
            [ "$(cat "$work/out")" = "done" ] || fail "pauses: what was buffered is lost (round $round)"
        done
        echo "pauses, host $host"
    fi
done
