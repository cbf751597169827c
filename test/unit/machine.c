/* What differs between architectures (base/machine.h): the counter against the clock, and on one CPU after another; the
   subtraction in memory; the settings of the floating-point unit, which another thread takes over.
   timing-part: the counter's rate */
#include "unit.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>

#include "base/atomic.h"
#include "host/os.h"

/* Ticks in a microsecond, over 50 ms. */
static uint64_t rate(void)
{
    uint64_t begin = ghcomp_os_now(), ticks = ghcomp_cpu_ticks(), now;
    while ((now = ghcomp_os_now()) - begin < 50000000)
        ghcomp_cpu_pause();
    return (ghcomp_cpu_ticks() - ticks) * 1000 / (now - begin);
}

/* Where ticks have a fixed length, 5 % are for what the thread waits between the two clocks. */
static void counter(void)
{
#if defined(__x86_64__)
    uint64_t least = GHCOMP_TICKS_PER_US / 4, most = 2 * GHCOMP_TICKS_PER_US;
#else
    uint64_t least = GHCOMP_TICKS_PER_US * 95 / 100, most = GHCOMP_TICKS_PER_US * 105 / 100;
#endif
    uint64_t found = 0;
    for (int attempt = 0; attempt < 5; attempt++)
        if ((found = rate()) >= least && found <= most)
            return;
    CHECK_EQUAL(GHCOMP_TICKS_PER_US, found);
}

/* The counter does not go back on its own CPU. */
static void monotonic(void)
{
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE && seen < 4; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        seen++;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
        uint64_t last = ghcomp_cpu_ticks();
        for (int i = 0; i < 10000; i++) {
            uint64_t now = ghcomp_cpu_ticks();
            CHECK(now >= last);
            last = now;
        }
    }
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
}

/* Of a word as many can be taken as there are, and what another thread sees meanwhile becomes less, or is none. */
enum { TAKES = 1000000 };
static _Atomic bool taken;

static void *watch(void *data)
{
    uint64_t *n = data, last = TAKES;
    while (!ghcomp_load_acquire(&taken)) {
        uint64_t now = ghcomp_foreign_load_relaxed(n);
        CHECK(now <= last || now == UINT64_MAX);
        last = now == UINT64_MAX ? 0 : now;
    }
    return NULL;
}

static void takes(void)
{
    uint64_t n = TAKES;
    pthread_t watcher;
    CHECK(pthread_create(&watcher, NULL, watch, &n) == 0);
    for (int i = 0; i < TAKES; i++)
        CHECK(ghcomp_foreign_take(&n));
    for (int i = 0; i < 1000; i++)
        CHECK(!ghcomp_foreign_take(&n) && n == 0);
    ghcomp_store_release(&taken, true);
    CHECK(pthread_join(watcher, NULL) == 0);
}

/* Another thread takes the rounding mode that this one had, and then the usual one again. */
struct settings {
    struct ghcomp_float_control upward, usual;
};

static void *take(void *data)
{
    const struct settings *settings = data;
    CHECK_EQUAL(FE_TONEAREST, fegetround());
    ghcomp_float_control_take(settings->upward);
    CHECK_EQUAL(FE_UPWARD, fegetround());
    volatile double one = 1, tiny = 0x1p-60, sum = one + tiny;
    CHECK(sum > 1);
    ghcomp_float_control_take(settings->upward);
    CHECK_EQUAL(FE_UPWARD, fegetround());
    ghcomp_float_control_take(settings->usual);
    CHECK_EQUAL(FE_TONEAREST, fegetround());
    return NULL;
}

static void float_control(void)
{
    struct settings settings = {.usual = ghcomp_float_control()};
    CHECK(fesetround(FE_UPWARD) == 0);
    settings.upward = ghcomp_float_control();
    ghcomp_float_control_take(settings.usual);
    CHECK_EQUAL(FE_TONEAREST, fegetround());
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, take, &settings) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(void)
{
    if (unit_timing())
        counter();
    monotonic();
    takes();
    float_control();
    return 0;
}
