/* lastprivate in loops that hand out chunks at run time: the compiler's code takes the variable from the thread whose
   last chunk ends at the loop's end, so the thread that executes the last chunk must execute no other after it.
   Iterations of very different lengths make threads run out of chunks at different times, in teams of up to 8; each
   iteration once.
   limit: 60 */
#include <omp.h>

#include "../common.h"

enum { MOST = 3000 };
static int hits[MOST];

static int busy(int rounds)
{
    volatile int sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += i;
    return sum;
}

/* Long iterations in the first quarter, in the last, or nowhere. */
static int rounds_of(int i, int count, int shape)
{
    return (shape == 1 && i < count / 4) || (shape == 2 && i >= count - count / 4) ? 300 : 0;
}

#define LOOP(clauses)                                                    \
    do {                                                                 \
        int last = -1, i;                                                \
        memset(hits, 0, sizeof hits);                                    \
        _Pragma(#clauses)                                                \
        for (i = 0; i < count; i++) {                                    \
            last = 7 * i + (busy(rounds_of(i, count, shape)) < 0);       \
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);           \
        }                                                                \
        CHECK(i == count && last == 7 * (count - 1));                    \
        for (int k = 0; k < MOST; k++)                                   \
            CHECK(hits[k] == (k < count));                               \
    } while (0)

int main(void)
{
    for (int threads = 2; threads <= 8; threads += threads < 4 ? 1 : 4)
        for (int count = 1; count <= MOST; count += 1 + count / 2)
            for (int shape = 0; shape < 3; shape++)
                for (int again = 0; again < 5; again++) {
                    omp_set_num_threads(threads);
                    LOOP(omp parallel for schedule(nonmonotonic : dynamic) lastprivate(i, last));
                    LOOP(omp parallel for schedule(nonmonotonic : dynamic, 4) lastprivate(i, last));
                    LOOP(omp parallel for schedule(nonmonotonic : guided) lastprivate(i, last));
                    omp_set_schedule(omp_sched_dynamic, 2);
                    LOOP(omp parallel for schedule(runtime) lastprivate(i, last));
                }
    return 0;
}
