#include <stdio.h>

static double work(int n)
{
    double x = 0;
    for (int i = 1; i <= n; i++)
        x += 1.0 / i;
    return x;
}

int main(void)
{
    double sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(static)
    for (int i = 0; i < 2000; i++)
        sum += work(20 * i);
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp for schedule(dynamic, 50)
    for (int i = 0; i < 2000; i++)
        sum += work(20 * i);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 500; i++)
#pragma omp task
    {
        double x = work(20000);
#pragma omp critical
        sum += x;
    }
    printf("%.3f\n", sum);
    return 0;
}
