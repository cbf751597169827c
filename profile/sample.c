/* Sampling of tasks and regions, on runtimes that have filters (ghcomp_set_task_filter, ghcomp_set_region_filter).
 *
 * Reading the clock around a task of a hundred nanoseconds takes as long as the task, and measuring a region of two
 * microseconds takes a tenth of it. So the first FULL tasks or regions of a place that a thread completes are measured,
 * and if the mean of their time is below SMALL_NS, of later ones one in 2^e. All are counted: FILTERED are those that
 * are not reported, `credit` of them still to come, from which the runtime subtracts them one by one. A measured one
 * stands for 2^e, and its times count that often (WEIGHT). The gap between two is random, evenly distributed around 2^e
 * - 1, so that the sample does not run in step with the order in which a program makes its tasks. `e` grows from
 * RARE_FIRST to RARE_MOST with the number that the thread has filtered, slowly enough that the sample grows with each
 * doubling of that.
 *
 * A measured one of more than large_ns stands for itself alone: mostly its thread has lost its CPU meanwhile. As the
 * program may have other work by then, the place's next FULL ones are measured again.
 *
 * The threads that complete a place's tasks decide whether these are small, and the threads that make them read it; a
 * thread decides again when it has completed FULL more of them. With --trace all are reported.
 *
 * Covered by test/profile. */
#include "sample.h"
#include "clock.h"
#include "threads.h"

enum { FULL = 256, RARE_FIRST = 4, RARE_MOST = 10 };
_Static_assert(RARE_MOST < (int)SAMPLE_EXPONENTS, "a task's word holds what the task stands for");

/* Below this mean only a sample is measured. */
enum { SMALL_NS = 10000 };
static const uint64_t large_ns[SITE_KINDS] = {[SITE_TASK] = 500000, [SITE_REGION] = 100000};

static _Atomic bool small[SITES];  /* by any thread; relaxed: a hint, on which only the next sample's size depends */
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

static uint32_t exponent_of(uint64_t filtered)
{
    uint32_t exponent = RARE_FIRST;
    while (exponent < RARE_MOST && filtered / FULL >> exponent != 0)
        exponent++;
    return exponent;
}

/* Whether the thread's next one of that place is reported, and its exponent. */
static bool measures(struct thread *thread, enum site_kind kind, const void *address, ghcomp_filter_credit_t *given,
                     uint32_t *exponent)
{
    const struct known *known = profile_site(thread, kind, address, 0);
    struct counts *stat = known->stat;
    uint64_t credit = ghcomp_load_relaxed(&stat->credit), filtered = ghcomp_load_relaxed(&stat->n[FILTERED]);
    if (credit != 0) { /* the runtime has dropped the credit from its table */
        ghcomp_store_relaxed(&stat->credit, credit - 1);
    } else if (ghcomp_load_relaxed(&small[known->site])) {
        *exponent = exponent_of(filtered);
        uint32_t more = gap(thread, *exponent);
        ghcomp_store_relaxed(&stat->n[FILTERED], filtered + more);
        ghcomp_store_release(&stat->credit, more);
    }
    *given = (ghcomp_filter_credit_t){(uint64_t *)&stat->credit}; /* the runtime subtracts from it, relaxed */
    return credit == 0;
}

int profile_task_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *given)
{
    struct thread *thread = data->ptr != NULL ? data->ptr : profile_thread();
    return measures(thread, SITE_TASK, address, given, &thread->exponent);
}

int profile_region_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *given)
{
    struct thread *thread = data->ptr != NULL ? data->ptr : profile_thread();
    return measures(thread, SITE_REGION, address, given, &thread->region_exponent);
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
