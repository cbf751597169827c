/* Worksharing and synchronisation inside target regions, alone and combined, with each kind of clause that moves data.
   symbols: GOMP_target_ext */
#include <omp.h>

#include "../common.h"

enum { N = 1000 };

#pragma omp declare target
static int table[N];
static int twice(int x)
{
    return 2 * x;
}
#pragma omp end declare target

int main(void)
{
    int squares[N], sum = 0;
    for (int i = 0; i < N; i++)
        table[i] = i;
#pragma omp target teams distribute parallel for num_teams(3) map(from : squares)
    for (int i = 0; i < N; i++)
        squares[i] = i * i;
    for (int i = 0; i < N; i++)
        CHECK(squares[i] == i * i);

#pragma omp target parallel for reduction(+ : sum) schedule(dynamic, 7) num_threads(4) map(tofrom : sum)
    for (int i = 0; i < N; i++)
        sum += twice(table[i]);
    CHECK(sum == N * (N - 1));

    /* Loops, single and sections of a target region's own team of one, many times over. */
    for (int round = 0; round < 200; round++) {
        int done = 0, sections = 0, single = 0;
#pragma omp target map(tofrom : done, sections, single)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 10; i++)
                done++;
#pragma omp single
            single++;
#pragma omp sections
            {
#pragma omp section
                sections++;
#pragma omp section
                sections++;
            }
#pragma omp barrier
#pragma omp critical
            done++;
        }
        CHECK(done == 11 && sections == 2 && single == 1);
    }

    /* The orphaned constructs around a target region go on where they were. */
#pragma omp parallel num_threads(3)
    {
        int mine = 0, all = 0;
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < 30; i++) {
            int from = 0;
#pragma omp target map(from : from)
            {
                int count = 0;
#pragma omp for schedule(dynamic, 2)
                for (int k = 0; k < 6; k++)
                    count++;
                from = count;
            }
            CHECK(from == 6);
            mine++;
        }
        static int total;
#pragma omp atomic
        total += mine;
#pragma omp barrier
        all = total;
        CHECK(all == 30);
    }

    /* is_device_ptr, use_device_ptr, if, a device that is the host. */
    int value = 4, *pointer = &value;
#pragma omp target data map(tofrom : value) use_device_ptr(pointer)
    {
#pragma omp target is_device_ptr(pointer)
        *pointer += 1;
    }
#pragma omp target if (0) map(tofrom : value)
    value += 10;
#pragma omp target device(omp_get_initial_device()) map(tofrom : value)
    value += 100;
    CHECK(value == 115);
    return 0;
}
