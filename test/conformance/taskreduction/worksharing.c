/* reduction(task, ...) on parallel, for, sections and scope: tasks of the team take part by in_reduction, wherever they
   run; repeated, in nested teams, several variables in one clause.
   limit: 60
   symbols: GOMP_parallel_reductions GOMP_workshare_task_reduction_unregister GOMP_task_reduction_remap GOMP_loop_start
   symbols: GOMP_sections2_start GOMP_scope_start */
#include <omp.h>

#include "../common.h"

static void add(int *sum, int value)
{
#pragma omp task in_reduction(+ : sum[0])
    {
        sum[0] += value;
        if (value > 1) {
#pragma omp task in_reduction(+ : sum[0])
            sum[0] += value / 2;
        }
    }
}

static int region(int threads)
{
    int sum = 1;
    double product = 2;
#pragma omp parallel num_threads(threads) reduction(task, + : sum) reduction(task, * : product)
    {
        sum += 1;
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : product)
            {
                sum += i;
                product *= i == 3 ? 2 : 1;
            }
        }
    }
    CHECK(sum == 1 + threads * 46);
    CHECK(product == 2.0 * (1 << threads));
    return sum;
}

static void loops(int threads)
{
    int a = 0, b = 10, c = 0;
    long list[5] = {0};
#pragma omp parallel num_threads(threads)
    {
        for (int round = 0; round < 5; round++) {
#pragma omp for reduction(task, + : a) schedule(dynamic, 3)
            for (int i = 0; i < 30; i++) {
                a++;
#pragma omp task in_reduction(+ : a)
                a += i;
            }
            CHECK(a == (round + 1) * (30 + 435));
#pragma omp barrier
#pragma omp for reduction(task, + : b) reduction(task, + : list[1 : 3]) schedule(static)
            for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : b, list[1 : 3])
                {
                    b++;
                    list[1 + i % 3] += i;
                }
            }
            CHECK(b == 10 + (round + 1) * 30);
#pragma omp barrier
#pragma omp for reduction(task, + : c) schedule(guided)
            for (unsigned long long i = 0; i < 20; i++)
                c++;
            CHECK(c == 20 * (round + 1));
#pragma omp barrier
#pragma omp for reduction(task, + : c) schedule(runtime)
            for (long i = 0; i < 0; i++)
                c++;
#pragma omp single
            CHECK(c == 20 * (round + 1));
        }
    }
    CHECK(list[0] == 0 && list[4] == 0 && list[1] + list[2] + list[3] == 5 * 435 && list[1] == 5 * 135);
}

static void others(int threads)
{
    int sections = 0, scope = 0, combined = 0;
#pragma omp parallel num_threads(threads)
    {
        for (int round = 0; round < 5; round++) {
#pragma omp sections reduction(task, + : sections)
            {
#pragma omp section
                add(&sections, 10);
#pragma omp section
                {
#pragma omp task in_reduction(+ : sections)
                    sections += 100;
                }
#pragma omp section
                sections += 1000;
            }
            CHECK(sections == (round + 1) * 1115);
#pragma omp barrier
#pragma omp scope reduction(task, + : scope)
            {
                scope++;
#pragma omp task in_reduction(+ : scope)
                scope += 10;
            }
            CHECK(scope == (round + 1) * 11 * threads);
#pragma omp barrier
        }
    }
#pragma omp parallel for num_threads(threads) reduction(task, + : combined) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : combined)
        combined += i;
    }
    CHECK(combined == 780);
    combined = 0;
#pragma omp parallel sections num_threads(threads) reduction(task, + : combined)
    {
#pragma omp section
        add(&combined, 4);
#pragma omp section
        add(&combined, 6);
    }
    CHECK(combined == 15);
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    omp_set_schedule(omp_sched_dynamic, 2);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 10; pass++) {
            region(threads);
            loops(threads);
            others(threads);
        }
        int sum = 0;
#pragma omp parallel num_threads(threads) reduction(task, + : sum)
        {
            int inner = 0;
#pragma omp task in_reduction(+ : sum)
            sum += region(2);
#pragma omp parallel num_threads(2) reduction(task, + : inner)
            {
#pragma omp task in_reduction(+ : inner)
                inner += 1;
            }
            CHECK(inner == 2);
            sum += inner;
#pragma omp task
            region(3);
        }
        CHECK(sum == threads * (93 + 2));
    }
    return 0;
}
