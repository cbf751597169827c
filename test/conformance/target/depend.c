/* Dependences of target constructs: with nowait they order tasks, without it the encountering task waits for them. The
   data constructs do nothing else here, so they show it best.
   symbols: GOMP_target_ext GOMP_target_update_ext GOMP_target_enter_exit_data */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "../common.h"

static atomic_int slow;

/* Long enough that a thread that does not wait comes first on any machine; correct orders never depend on it. */
static void be_slow(void)
{
    for (int i = 0; i < 200; i++) {
        slow++;
        sched_yield();
    }
}

int main(void)
{
    for (int round = 0; round < 10; round++) {
        int x = 0, y = 0, order[8] = {0}, n = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
        {
#pragma omp task depend(out : x) shared(x, n, order)
            {
                be_slow();
                order[n++] = 1;
                x = 1;
            }
#pragma omp target nowait depend(inout : x) map(tofrom : x, n, order)
            {
                CHECK(x == 1);
                be_slow();
                order[n++] = 2;
                x = 2;
            }
#pragma omp target enter data nowait map(to : x) depend(inout : x)
#pragma omp task depend(in : x) depend(out : y) shared(x, y, n, order)
            {
                CHECK(x == 2);
                be_slow();
                order[n++] = 3;
                y = 3;
            }
            /* Without nowait: this thread waits. */
#pragma omp target depend(inout : y) map(tofrom : y, n, order)
            {
                CHECK(y == 3);
                order[n++] = 4;
                y = 4;
            }
            CHECK(y == 4 && n == 4);

#pragma omp task depend(out : x) shared(x)
            {
                be_slow();
                x = 10;
            }
#pragma omp target update from(x) depend(in : x)
            CHECK(x == 10);
#pragma omp task depend(out : x) shared(x)
            {
                be_slow();
                x = 11;
            }
#pragma omp target exit data map(from : x) depend(in : x)
            CHECK(x == 11);

            /* nowait: an empty task in the middle of a chain. */
#pragma omp task depend(out : x) shared(x)
            {
                be_slow();
                x = 20;
            }
#pragma omp target update from(x) depend(in : x) depend(out : y) nowait
#pragma omp task depend(in : y) shared(x, y)
            {
                CHECK(x == 20);
                y = 21;
            }
        }
        CHECK(y == 21);
        for (int i = 0; i < 4; i++)
            CHECK(order[i] == i + 1);
    }
    CHECK(slow > 0);

    /* Outside every region. */
    int z = 0;
#pragma omp target nowait depend(out : z) map(tofrom : z)
    z++;
#pragma omp target nowait depend(inout : z) map(tofrom : z)
    z *= 10;
#pragma omp taskwait
    CHECK(z == 10);
    return 0;
}
