/* Task reductions in clang's code: taskgroups, nested ones, tasks in tasks, arrays, several variables, declared
   reductions with omp_orig, loops of tasks, and reductions with the task modifier of regions, loops and sections.
   cflags: -fopenmp-version=51
   symbols: __kmpc_taskred_init __kmpc_taskred_modifier_init __kmpc_task_reduction_modifier_fini
   symbols: __kmpc_task_reduction_get_th_data
   limit: 60 */
#include <omp.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

typedef struct {
    long sum, least;
} both_t;

static void merge(both_t *into, const both_t *from)
{
    into->sum += from->sum;
    if (from->least < into->least)
        into->least = from->least;
}

static void begin(both_t *copy, const both_t *original)
{
    *copy = (both_t){0, original->least};
}

#pragma omp declare reduction(both : both_t : merge(&omp_out, &omp_in)) \
    initializer(begin(&omp_priv, &omp_orig))

static void tree(int depth, long *sum)
{
#pragma omp taskgroup task_reduction(+ : sum[ : 1])
    {
#pragma omp task in_reduction(+ : sum[ : 1])
        {
            sum[0] += 1;
            if (depth > 0) {
#pragma omp task in_reduction(+ : sum[ : 1])
                sum[0] += 1;
                tree(depth - 1, sum);
            }
        }
    }
}

static void groups(void)
{
    long sum = 100, product = 1, array[200] = {0};
    both_t both = {0, 50};
#pragma omp taskgroup task_reduction(+ : sum, array) task_reduction(* : product) task_reduction(both : both)
    {
        for (int i = 0; i < 100; i++)
#pragma omp task in_reduction(+ : sum, array) in_reduction(both : both) firstprivate(i)
        {
            sum += i;
            array[i] += i;
            array[199] += 1;
            both.sum += i;
            if (100 - i < both.least)
                both.least = 100 - i;
#pragma omp task in_reduction(+ : sum)
            sum += 1;
        }
        for (int i = 1; i <= 10; i++)
#pragma omp task in_reduction(* : product) firstprivate(i)
            product *= i;
    }
    CHECK(sum == 100 + 4950 + 100 && product == 3628800 && both.sum == 4950 && both.least == 1);
    for (int i = 0; i < 100; i++)
        CHECK(array[i] == i);
    CHECK(array[199] == 100);
    long nested = 0;
    tree(5, &nested);
    CHECK(nested == 11);
}

static void loops(void)
{
    long sum = 0, outer = 0;
#pragma omp taskloop reduction(+ : sum) num_tasks(13)
    for (int i = 0; i < 1000; i++)
        sum += i;
    CHECK(sum == 499500);
#pragma omp taskgroup task_reduction(+ : outer)
    {
#pragma omp taskloop in_reduction(+ : outer) nogroup
        for (int i = 0; i < 1000; i++)
            outer += i;
    }
    CHECK(outer == 499500);
}

static void modifiers(int threads)
{
    long sum = 7, loop = 0, sections = 0;
#pragma omp parallel num_threads(threads) reduction(task, + : sum)
    {
        for (int i = 0; i < 50; i++)
#pragma omp task in_reduction(+ : sum)
        {
            sum += 1;
#pragma omp task in_reduction(+ : sum)
            sum += 2;
        }
        sum += 1000;
    }
    CHECK(sum == 7 + threads * (50 * 3 + 1000));
#pragma omp parallel num_threads(threads)
    {
        for (int round = 0; round < 5; round++) {
#pragma omp for reduction(task, + : loop) schedule(dynamic)
            for (int i = 0; i < 40; i++) {
                loop += 1;
#pragma omp task in_reduction(+ : loop)
                loop += i;
            }
#pragma omp sections reduction(task, + : sections)
            {
#pragma omp section
                {
#pragma omp task in_reduction(+ : sections)
                    sections += 3;
                }
#pragma omp section
                sections += 4;
            }
        }
    }
    CHECK(loop == 5 * (40 + 780) && sections == 5 * 7);
}

int main(void)
{
    groups();
    loops();
    for (int threads = 1; threads <= 4; threads++) {
        modifiers(threads);
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            groups();
            loops();
        }
    }
    return 0;
}
