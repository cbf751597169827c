/* A program of two parts that take turns. As it is, each compiler's part brings the runtime of its compiler; both pools
   stay, and the one that waits may spin on the CPUs of the one that works. This file is both parts and the program. */
#include <stdio.h>
#ifdef PART
double PART(double *cell, int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        cell[i] = cell[i] * 0.5 + i;
        sum += (long)cell[i] % 16;
    }
    return sum;
}
#else
double by_gcc(double *cell, int n);
double by_clang(double *cell, int n);

int main(void)
{
    static double cell[20000];
    double sum = 0;
    for (int round = 0; round < 2000; round++)
        sum += by_gcc(cell, 20000) + by_clang(cell, 20000);
    printf("%.0f\n", sum);
    return 0;
}
#endif
