/* Tasks and regions of which only a sample is measured, on runtimes that ask which ones (ghcomp_set_task_filter,
 * ghcomp_set_region_filter).
 *
 * Reading the clock around a task of a hundred nanoseconds takes as long as the task, and all that is measured of a
 * region takes a tenth of one of two microseconds. So the first FULL tasks or regions of a place that a thread
 * completes are measured, and if the mean of their time is below SMALL_NS, of later ones one in 2^e. Every one is
 * counted: PASSED are those that are not told, `passes` of them still to come, which the runtime takes one by one. A
 * measured one stands for 2^e, and its times count that often (WEIGHT). Which one it is, is drawn: the gap between two
 * is evenly distributed around 2^e - 1, so that no order in which a program makes its tasks is met in step. `e` grows
 * from RARE_FIRST to RARE_MOST with the number that the thread has passed, as long as the sample grows with each
 * doubling of that.
 *
 * A measured one of more than large_ns stands for itself alone: mostly its thread has been without a CPU meanwhile. As
 * the program may have come to other work instead, each of the place's next ones is measured again, FULL of them.
 *
 * Whether a place's tasks are small is seen by the threads that complete them and acted upon by those that make them;
 * each thread that has completed FULL more of them decides again. With --trace all are told.
 *
 * Covered by test/profile. */
#include "profile.h"

enum { FULL = 256, RARE_FIRST = 4, RARE_MOST = 10 };
_Static_assert(RARE_MOST < (int)SAMPLE_EXPONENTS, "a task's word holds what the task stands for");

/* Below this mean a sample is enough; and what takes longer than this stands for itself alone. */
enum { SMALL_NS = 10000 };
static const uint64_t large_ns[SITE_KINDS] = {[SITE_TASK] = 500000, [SITE_REGION] = 100000};

static _Atomic bool small[SITES];  /* by any thread; relaxed: a hint, and only the numbers of the next ones differ */
static counter large[SITE_KINDS];  /* large_ns in ticks, since the first decision; any thread, as above */

bool profile_is_large(enum site_kind kind, uint64_t ticks)
{
    return ticks > ghcomp_load_relaxed(&large[kind]);
}

/* 0 to 2^(exponent + 1) - 2. */
static uint32_t gap(struct thread *thread, uint32_t exponent)
{
    uint64_t bits = thread->drawn != 0 ? thread->drawn : 0x9e3779b97f4a7c15u + thread->number;
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    thread->drawn = bits;
    return (uint32_t)((bits >> 32) % ((2u << exponent) - 1));
}

static uint32_t exponent_of(uint64_t passed)
{
    uint32_t exponent = RARE_FIRST;
    while (exponent < RARE_MOST && passed / FULL >> exponent != 0)
        exponent++;
    return exponent;
}

/* Whether the thread's next one of that place is told, and what it stands for. */
static bool tells(struct thread *thread, enum site_kind kind, const void *address, ghcomp_filter_credit_t *pass,
                  uint32_t *exponent)
{
    const struct known *known = profile_site(thread, kind, address, 0);
    struct counts *stat = known->stat;
    uint64_t passes = ghcomp_load_relaxed(&stat->passes), passed = ghcomp_load_relaxed(&stat->n[PASSED]);
    if (passes != 0) { /* the runtime had no room for them any more */
        ghcomp_store_relaxed(&stat->passes, passes - 1);
    } else if (ghcomp_load_relaxed(&small[known->site])) {
        *exponent = exponent_of(passed);
        uint32_t more = gap(thread, *exponent);
        ghcomp_store_relaxed(&stat->n[PASSED], passed + more);
        ghcomp_store_release(&stat->passes, more);
    }
    *pass = (ghcomp_filter_credit_t){(uint64_t *)&stat->passes}; /* the runtime takes as we do, relaxed */
    return passes == 0;
}

int profile_task_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *pass)
{
    struct thread *thread = data->ptr != NULL ? data->ptr : profile_thread();
    return tells(thread, SITE_TASK, address, pass, &thread->exponent);
}

int profile_region_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *pass)
{
    struct thread *thread = data->ptr != NULL ? data->ptr : profile_thread();
    return tells(thread, SITE_REGION, address, pass, &thread->region_exponent);
}

uint64_t profile_measured(struct counts *stat, uint32_t site, enum site_kind kind, uint64_t ticks, uint32_t exponent)
{
    bool is_large = exponent != 0 && profile_is_large(kind, ticks);
    uint64_t weight = is_large ? 1 : 1ull << exponent;
    profile_count(stat, ticks, weight);
    profile_add(&stat->n[WEIGHT], weight);
    if (ghcomp_unlikely(is_large)) {
        ghcomp_store_relaxed(&small[site], false);
    } else if (ghcomp_unlikely(ghcomp_load_relaxed(&stat->n[TIMES]) % FULL == 0)) {
        uint64_t mean = ghcomp_load_relaxed(&stat->n[TIME]) / ghcomp_load_relaxed(&stat->n[WEIGHT]);
        ghcomp_store_relaxed(&large[kind], profile_ticks(large_ns[kind]));
        ghcomp_store_relaxed(&small[site], mean < profile_ticks(SMALL_NS));
    }
    return weight;
}
