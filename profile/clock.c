/* The clock. If the kernel keeps time by the processor's counter, reading the counter costs half as much as reading the
 * time; the length of its ticks is computed at the end, when both have run for as long as the program. */
#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool profile_counter;

static struct {
    uint64_t ticks, ns;            /* at the start, of both clocks */
    double per_tick;
} clock_at = {.per_tick = 1};

uint64_t profile_nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Whether the kernel trusts the counter: then it is the same on all processors, and its rate is constant. */
static bool trusted(void)
{
    char name[32] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, name, sizeof name - 1);
    close(fd);
    return length > 0 && (strcmp(name, "tsc\n") == 0 || strcmp(name, "arch_sys_counter\n") == 0);
}

void profile_clock_start(void)
{
    profile_counter = trusted();
    clock_at.ticks = profile_now();
    clock_at.ns = profile_nanoseconds_now();
}

void profile_clock_measure(void)
{
    uint64_t ticks = profile_now() - clock_at.ticks, ns = profile_nanoseconds_now() - clock_at.ns;
    clock_at.per_tick = !profile_counter || ticks == 0 ? 1 : (double)ns / (double)ticks;
}

uint64_t profile_ns(uint64_t ticks)
{
    return profile_counter ? (uint64_t)((double)ticks * clock_at.per_tick) : ticks;
}

uint64_t profile_ticks(uint64_t ns)
{
    if (!profile_counter)
        return ns;
    uint64_t ticks = profile_now() - clock_at.ticks, since = profile_nanoseconds_now() - clock_at.ns;
    return since == 0 ? 0 : (uint64_t)((double)ns * (double)ticks / (double)since);
}
