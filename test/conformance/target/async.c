/* The asynchronous copies are tasks that dependence objects order, and they copy the description of what to copy.
   ghcomp-only: libgomp 12 lacks the routines
   symbols: omp_target_memcpy_async omp_target_memcpy_rect_async omp_target_memset_async */
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../common.h"

#pragma weak omp_target_memcpy_async
#pragma weak omp_target_memcpy_rect_async
#pragma weak omp_target_memset_async

int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                                 const size_t *, const size_t *, int, int, int, omp_depend_t *);
void *omp_target_memset_async(void *, int, size_t, int, int, omp_depend_t *);

enum { NOWHERE = 5 };

static signed char from[64], to[64]; /* char has no sign on some machines */

static int copy_box(omp_depend_t *objects, int count)
{
    size_t volume[] = {2, 3}, at_to[] = {1, 1}, at_from[] = {0, 2}, to_is[] = {8, 8}, from_is[] = {4, 16};
    int result =
        omp_target_memcpy_rect_async(to, from, 1, 2, volume, at_to, at_from, to_is, from_is, 0, 0, count, objects);
    memset(volume, 0xff, sizeof volume);
    memset(at_to, 0xff, sizeof at_to);
    memset(from_is, 0xff, sizeof from_is);
    return result;
}

static void check_box(void)
{
    for (int i = 0; i < 64; i++) {
        int row = i / 8, column = i % 8, inside = row >= 1 && row < 3 && column >= 1 && column < 4;
        CHECK(to[i] == (inside ? 16 * (row - 1) + 2 + column - 1 : -1));
    }
}

static void prepare(void)
{
    for (int i = 0; i < 64; i++)
        from[i] = (signed char)i;
    memset(to, -1, sizeof to);
}

int main(void)
{
    prepare();
    CHECK(omp_target_memcpy_async(to, from, 5, 2, 10, 0, 0, 0, NULL) == 0);
#pragma omp taskwait
    CHECK(to[1] == -1 && to[2] == 10 && to[6] == 14 && to[7] == -1);
    prepare();
    CHECK(copy_box(NULL, 0) == 0);
#pragma omp taskwait
    check_box();
    CHECK(omp_target_memset_async(to + 1, 7, 4, 0, 0, NULL) == to + 1);
#pragma omp taskwait
    CHECK(to[0] == -1 && to[1] == 7 && to[4] == 7 && to[5] == -1);

    CHECK(omp_target_memcpy_async(to, from, 5, 0, 0, NOWHERE, 0, 0, NULL) == EINVAL);
    CHECK(omp_target_memcpy_async(to, from, 5, 0, 0, 0, NOWHERE, 0, NULL) == EINVAL);
    CHECK(omp_target_memcpy_rect_async(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, NULL) == INT_MAX);
    CHECK(omp_target_memcpy_rect_async(to, from, 1, 1, NULL, NULL, NULL, NULL, NULL, 0, NOWHERE, 0, NULL) == EINVAL);

    /* In order: fill the source, copy it, fill the source again, copy a box of it. */
    static atomic_int open;
    for (int round = 0; round < 20; round++) {
        open = 0;
        memset(from, 0, sizeof from);
        memset(to, 0, sizeof to);
        omp_depend_t source, target;
#pragma omp parallel num_threads(3)
#pragma omp single
        {
#pragma omp depobj(source) depend(inout : from)
#pragma omp depobj(target) depend(inout : to)
            omp_depend_t both[2] = {source, target};
#pragma omp task depend(inout : from)
            {
                while (!open)
                    sched_yield();
                memset(from, 1, sizeof from);
            }
            CHECK(omp_target_memcpy_async(to, from, 64, 0, 0, 0, 0, 2, both) == 0);
            CHECK(omp_target_memset_async(from, 2, 32, 0, 1, &source) == from);
#pragma omp task depend(in : to)
            for (int i = 0; i < 64; i++)
                CHECK(to[i] == 1);
#pragma omp task depend(out : from, to)
            prepare();
            CHECK(copy_box(both, 2) == 0);
            CHECK(from[0] == 0 && to[0] == 0);
            open = 1;
#pragma omp taskwait
            check_box();
#pragma omp depobj(source) destroy
#pragma omp depobj(target) destroy
        }
    }
    return 0;
}
