/* 20,000 short regions of the default team, which the row's control group bounds: the CPUs, or the threads. */
#include <stdio.h>

int main(void)
{
    static double cell[4096];
    for (int round = 0; round < 20000; round++) {
#pragma omp parallel for
        for (int i = 0; i < 4096; i++)
            cell[i] = cell[i] * 0.5 + i;
    }
    double sum = 0;
    for (int i = 0; i < 4096; i++)
        sum += cell[i];
    printf("%.6e\n", sum);
    return 0;
}
