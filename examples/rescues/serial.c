/* Regions with serial phases between them, in which the rest of the team has nothing to do. */
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 300, SERIAL_NS = 2000000 };

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(void)
{
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double part = 0;
#pragma omp parallel for reduction(+ : part)
        for (int i = 0; i < 20000; i++)
            part += i % 5;
        sum += part;
        for (long end = now_ns() + SERIAL_NS; now_ns() < end;)
            ;
    }
    printf("%.0f\n", sum);
    return 0;
}
