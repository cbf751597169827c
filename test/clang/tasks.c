/* Tasks as clang emits them: shareds and firstprivates of many sizes, trees, if(0), final, priority, affinity,
   and taskwait in teams of one and outside of regions. tasks_untied.c has those that yield.
   symbols: __kmpc_omp_task __kmpc_omp_task_alloc __kmpc_omp_task_begin_if0 __kmpc_omp_task_complete_if0
   symbols: __kmpc_omp_reg_task_with_affinity __kmpc_omp_taskwait
   limit: 60 */
#include <omp.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

static int fib(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 6)
    a = fib(n - 1);
#pragma omp task shared(b) final(n < 4)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

struct block {
    long word[40];
};

/* Data of one word, of a block's room and of more than that; each task has its own. */
static void data(void)
{
    long sum = 0;
    for (int i = 0; i < 200; i++) {
        struct block small = {{i}}, large = {{0}};
        char many[3000];
        large.word[39] = i;
        memset(many, i, sizeof many);
#pragma omp task firstprivate(i, small, large, many) shared(sum)
        {
            CHECK(small.word[0] == i && large.word[39] == i);
            for (size_t k = 0; k < sizeof many; k++)
                CHECK(many[k] == (char)i);
            small.word[0]++;
#pragma omp atomic
            sum += small.word[0];
        }
    }
#pragma omp taskwait
    CHECK(sum == 200 * 199 / 2 + 200);
}

static void clauses(void)
{
    int order = 0, hints[4] = {0};
#pragma omp task if (0) shared(order)
    {
#pragma omp task if (0) shared(order)
        CHECK(count_up(&order) == 1);
        CHECK(count_up(&order) == 2);
    }
    CHECK(count_up(&order) == 3);
#pragma omp task final(1) shared(order)
    {
        CHECK(omp_in_final() || omp_get_num_threads() == 1); /* libomp: not there */
#pragma omp task shared(order)
        {
            order++;
        }
        CHECK(order == 4);
    }
#pragma omp taskwait
    for (int i = 0; i < 4; i++)
#pragma omp task priority(i) affinity(hints[i]) shared(hints) mergeable
        hints[i] = i + 1;
#pragma omp taskwait
    CHECK(hints[0] + hints[1] + hints[2] + hints[3] == 10);
}

static void all(void)
{
    CHECK(fib(16) == 987);
    data();
    clauses();
}

int main(void)
{
    all();
    for (int threads = 1; threads <= 5; threads += 2) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            all();
#pragma omp single nowait
            data();
        }
    }
#pragma omp parallel num_threads(3) if (0)
    all();
    return 0;
}
