/* Tasks of which only a sample is measured, on runtimes that ask which ones (ghcomp_set_task_filter).
 *
 * Reading the clock around a task of a hundred nanoseconds takes as long as the task. So the first FULL tasks of a
 * place that a thread completes are measured, and if the mean of their own time is below SMALL_NS, of later ones one in
 * 2^e. Every task is counted: CREATED are those that are told, PASSED the others. A measured one stands for 2^e tasks,
 * and its time counts that often (WEIGHT). Which one it is, is drawn: the gap between two is evenly distributed around
 * 2^e - 1, so that no order in which a program makes its tasks is met in step. `e` grows from RARE_FIRST to RARE_MOST
 * with the number of tasks that the thread has passed, as long as the sample grows with each doubling of that.
 *
 * A measured one of more than LARGE_NS stands for itself alone: mostly its thread has been without a CPU meanwhile. As
 * the program may have come to other work instead, each of the place's next tasks is measured again, FULL of them.
 *
 * Whether a place's tasks are small is seen by the threads that complete them and acted upon by those that make them;
 * each thread that has completed FULL more of them decides again. With --trace every task is told.
 *
 * Covered by test/profile. */
#include "profile.h"

enum { FULL = 256, SMALL_NS = 4000, LARGE_NS = 500000, RARE_FIRST = 4, RARE_MOST = 10 };
_Static_assert(RARE_MOST < (int)SAMPLE_EXPONENTS, "a task's word holds what the task stands for");

static _Atomic bool small[SITES];  /* by any thread; relaxed: a hint, and only the numbers of the next tasks differ */

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

int profile_task_filter(ompt_data_t *data, const void *address, ghcomp_task_pass_t *pass)
{
    struct thread *thread = data->ptr != NULL ? data->ptr : profile_thread();
    const struct known *known = profile_site(thread, SITE_TASK, address, 0);
    struct counts *stat = known->stat;
    counter *n = &stat->n[PASSED];
    uint64_t passed = ghcomp_load_relaxed(n);
    bool tells = passed >= stat->passes_until;
    if (!tells) {
        ghcomp_store_relaxed(n, passed + 1);
    } else if (ghcomp_load_relaxed(&small[known->site])) {
        thread->exponent = exponent_of(passed);
        stat->passes_until = passed + gap(thread, thread->exponent);
    }
    *pass = (ghcomp_task_pass_t){(uint64_t *)n, stat->passes_until}; /* the runtime counts as we do, relaxed */
    return tells;
}

void profile_task_measured(struct thread *thread, uint32_t site, uint64_t ticks, uint32_t exponent)
{
    struct counts *stat = profile_counts(thread, site);
    bool large = exponent != 0 && ticks > profile_ticks(LARGE_NS);
    uint64_t weight = large ? 1 : 1ull << exponent;
    profile_count(stat, ticks, weight);
    profile_add(&stat->n[WEIGHT], weight);
    if (ghcomp_unlikely(large))
        ghcomp_store_relaxed(&small[site], false);
    else if (ghcomp_unlikely(ghcomp_load_relaxed(&stat->n[TIMES]) % FULL == 0))
        ghcomp_store_relaxed(&small[site], ghcomp_load_relaxed(&stat->n[TIME]) / ghcomp_load_relaxed(&stat->n[WEIGHT]) <
                                               profile_ticks(SMALL_NS));
}
