/* Task reductions over array sections of constant length, of which clang 19 names fewer bytes than its code uses:
 * copies of up to a cache line do not overlap, as on libomp. Beside each other, with the task modifier, and one that
 * fills a line.
 *
 * env: OMP_NUM_THREADS=3
 */
#include "kmp.h"

enum { TASKS = 200 };

static void beside_others(void)
{
    long one = 0, product = 1, array[5] = {0};
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : one, array[1:3]) task_reduction(* : product)
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : array[1:3]) in_reduction(* : product)
        {
            array[1] += i;
            array[3] += 5;
            product *= 2;
        }
#pragma omp task in_reduction(+ : one)
        one++;
    }
    CHECK(one == 10 && product == 1024);
    CHECK(array[0] == 0 && array[1] == 45 && array[2] == 0 && array[3] == 50 && array[4] == 0);
}

static void with_the_modifier(void)
{
    long array[6] = {0}, count = 0;
#pragma omp parallel reduction(task, + : array[1:4], count)
#pragma omp for schedule(static)
    for (int i = 0; i < TASKS; i++) {
#pragma omp task in_reduction(+ : array[1:4], count) firstprivate(i)
        {
            array[1 + i % 4] += i;
            count++;
        }
    }
    CHECK(count == TASKS && array[0] == 0 && array[5] == 0);
    for (int i = 0; i < 4; i++)
        CHECK(array[1 + i] == TASKS / 4 * i + 4 * (TASKS / 4 * (TASKS / 4 - 1) / 2));
}

static void a_whole_line(void)
{
    int array[16] = {0};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : array[0:16])
    for (int i = 0; i < TASKS; i++) {
#pragma omp task in_reduction(+ : array[0:16])
        for (int j = 0; j < 16; j++)
            array[j] += j + 1;
    }
    for (int j = 0; j < 16; j++)
        CHECK(array[j] == TASKS * (j + 1));
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        beside_others();
        with_the_modifier();
        a_whole_line();
    }
    return 0;
}
