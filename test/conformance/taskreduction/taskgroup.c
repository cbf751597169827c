/* taskgroup task_reduction with in_reduction in tasks at any depth: several variables, types and operators, array
   sections, arrays of variable length, nested groups, lexically in the region and in orphaned functions.
   limit: 60
   symbols: GOMP_taskgroup_reduction_register GOMP_taskgroup_reduction_unregister GOMP_task_reduction_remap */
#include <omp.h>

#include "../common.h"
#include "tree.h"

struct pair {
    long low, high;
};
static void combine(struct pair *into, const struct pair *other)
{
    into->low += other->low;
    into->high = into->high > other->high ? into->high : other->high;
}
#pragma omp declare reduction(join : struct pair : combine(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct pair){0, -1})

static void several(int n)
{
    int sum = 5;
    unsigned char bits = 0x80;
    double product = 1;
    long largest = -100;
    struct pair pair = {1, 2};
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(| : bits) task_reduction(* : product) \
    task_reduction(max : largest) task_reduction(join : pair)
    {
        for (int i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(join : pair)
            {
                sum += i;
                pair.low += i;
                pair.high = pair.high > 3 * i ? pair.high : 3 * i;
            }
#pragma omp task in_reduction(| : bits) in_reduction(* : product) if (i % 3)
            {
                bits |= (unsigned char)(1 << i % 4);
                product *= i == 1 ? 8 : 1;
            }
            /* Only the grandchild takes part. */
#pragma omp task shared(largest)
            {
#pragma omp task in_reduction(max : largest)
                largest = largest > i ? largest : i;
            }
        }
    }
    CHECK(sum == 5 + n * (n - 1) / 2 && bits == 0x8f && product == 8 && largest == n - 1);
    CHECK(pair.low == 1 + n * (n - 1) / 2 && pair.high == 3 * (n - 1));
}

static void sections(int n)
{
    int list[20], variable[n];
    long outer = 0, inner = 0, matrix[3][4];
    for (int i = 0; i < 20; i++)
        list[i] = 100;
    memset(variable, 0, sizeof variable);
    memset(matrix, 0, sizeof matrix);
#pragma omp taskgroup task_reduction(+ : list[3 : n], variable, matrix)
    {
        for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : list[3 : n], matrix)
            {
                for (int j = 0; j < n; j++)
                    list[3 + j] += j;
                matrix[i % 3][i % 4]++;
            }
#pragma omp task in_reduction(+ : variable)
            variable[i % n] += 1;
        }
    }
    for (int i = 0; i < 20; i++)
        CHECK(list[i] == 100 + (i >= 3 && i < 3 + n ? 50 * (i - 3) : 0));
    int total = 0;
    for (int i = 0; i < n; i++)
        total += variable[i];
    CHECK(total == 50 && variable[0] == (50 + n - 1) / n);
    CHECK(matrix[0][0] == 5 && matrix[2][3] == 4);

    /* Groups in groups, of which each has its own. */
#pragma omp taskgroup task_reduction(+ : outer)
    {
        tree(6, &outer);
#pragma omp taskgroup task_reduction(+ : inner)
        {
            tree(5, &inner);
#pragma omp task in_reduction(+ : outer, inner)
            {
                outer += 1000;
                inner += 2000;
            }
        }
        CHECK(inner == 2000 + 57);
#pragma omp task in_reduction(+ : outer)
        {
            long own = 0;
#pragma omp taskgroup task_reduction(+ : own)
            tree(4, &own);
            CHECK(own == 26);
            outer += own;
        }
    }
    CHECK(outer == 1026 + 120);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 5; pass++) {
#pragma omp parallel num_threads(threads)
            {
                several(40);
                sections(1 + omp_get_thread_num());
#pragma omp single nowait
                {
                    several(200);
                    sections(11);
                }
#pragma omp task
                several(30);
#pragma omp barrier
                /* Groups in inner teams. */
#pragma omp parallel num_threads(2)
                {
                    several(20);
#pragma omp single
                    sections(5);
                }
            }
        }
    }
    return 0;
}
