/* Clocks that misbehave. The program has a clock_gettime, gettimeofday and time of its own, which the runtime gets,
 * too.
 *
 *   real    CLOCK_REALTIME jumps by hours, back and forth, at each look
 *   still   CLOCK_MONOTONIC stands still as well
 *   back    CLOCK_MONOTONIC goes back by a second at each look
 *   leap    CLOCK_MONOTONIC jumps ahead by an hour at each look
 *
 * Regions, barriers, tasks, ordered loops, locks and masters that wait for their turn end all the same, with right
 * results: the clocks decide how long a thread spins, never whether it goes on. The runtime itself never looks at
 * CLOCK_REALTIME.
 *
 * hosts: posix ghc
 * limit: 60
 * cflags: -D_GNU_SOURCE
 * ldflags: -rdynamic
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "limits_cases.h"

enum mode { REAL, STILL, BACK, LEAP };
static enum mode mode;
static uint64_t looks;
static int real_looks; /* of the runtime's at CLOCK_REALTIME */

/* Whether the address is in the runtime. */
static int in_runtime(void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 && info.dli_fname != NULL && strstr(info.dli_fname, "libgomp.so") != NULL;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    uint64_t look = __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
    if (clock == CLOCK_REALTIME) {
        if (in_runtime(__builtin_return_address(0)))
            __atomic_add_fetch(&real_looks, 1, __ATOMIC_RELAXED);
        now->tv_sec += look % 2 ? 7200 : -7200;
    } else if (clock == CLOCK_MONOTONIC) {
        if (mode == STILL)
            *now = (struct timespec){1000, 1000};
        else if (mode == BACK)
            *now = (struct timespec){(time_t)(1000000000 - look), 1000};
        else if (mode == LEAP)
            now->tv_sec += (time_t)(3600 * look);
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;
    (void)zone;
    if (in_runtime(__builtin_return_address(0)))
        __atomic_add_fetch(&real_looks, 1, __ATOMIC_RELAXED);
    clock_gettime(CLOCK_REALTIME, &time);
    *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result)
{
    struct timespec now;
    if (in_runtime(__builtin_return_address(0)))
        __atomic_add_fetch(&real_looks, 1, __ATOMIC_RELAXED);
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL)
        *result = now.tv_sec;
    return now.tv_sec;
}

static int pieces; /* of work, in all masters */

static void *work(void *argument)
{
    (void)argument;
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int round = 0; round < 20; round++) {
        int sum = 0, next = 0, ran = 0, held = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum) shared(lock, held)
        {
#pragma omp barrier
            sum++;
#pragma omp for ordered schedule(dynamic)
            for (int i = 0; i < 12; i++) {
#pragma omp ordered
                CHECK(next++ == i);
            }
#pragma omp single
            for (int i = 0; i < 20; i++)
#pragma omp task shared(ran)
                __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
            for (int i = 0; i < 10; i++) {
                omp_set_lock(&lock);
                held++;
                omp_unset_lock(&lock);
            }
        }
        CHECK(sum == 4 && next == 12 && ran == 20 && held == 40);
        CHECK(omp_get_wtick() > 0);
        (void)omp_get_wtime();
        __atomic_add_fetch(&pieces, 1, __ATOMIC_RELAXED);
    }
    omp_destroy_lock(&lock);
    return NULL;
}

static void masters(int count)
{
    pthread_t threads[8];
    int before = pieces;
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(pieces == before + 20 * count);
}

static void all(void)
{
    const char *wanted = getenv("HOSTILE_CLOCK");
    static const char *const names[] = {"real", "still", "back", "leap"};
    for (int i = REAL; i <= LEAP; i++)
        if (strcmp(wanted, names[i]) == 0)
            mode = (enum mode)i;
    work(NULL);
    masters(1);
    masters(3);
    CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
    work(NULL);
    CHECK(looks > 0 || !is_ours());
    CHECK(real_looks == 0 || !is_ours());
}

static const struct hostile_case cases[] = {
    {.name = "real", .run = all, .environment = "HOSTILE_CLOCK=real"},
    {.name = "still", .run = all, .environment = "HOSTILE_CLOCK=still"},
    {.name = "back", .run = all, .environment = "HOSTILE_CLOCK=back"},
    {.name = "leap", .run = all, .environment = "HOSTILE_CLOCK=leap"},
    {.name = "still_active", .run = all, .environment = "HOSTILE_CLOCK=still OMP_WAIT_POLICY=active"},
    {.name = "back_shared", .run = all, .environment = "HOSTILE_CLOCK=back GHCOMP_SHARE=all"},
    {.name = "still_shared", .run = all, .environment = "HOSTILE_CLOCK=still GHCOMP_SHARE=all"},
    {.name = "leap_shared", .run = all, .environment = "HOSTILE_CLOCK=leap GHCOMP_SHARE=all OMP_DYNAMIC=false"},
    {.name = "still_passive", .run = all, .environment = "HOSTILE_CLOCK=still OMP_WAIT_POLICY=passive"},
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
