/* A C program with OpenMP that uses a Haskell library: a region of its own, and one with a Haskell body. The library's
 * names are all that it knows of Haskell. */
#include <stdio.h>

void hsl_start(void);
int hsl_sum(int n);
int hsl_serves(void);
void hsl_stop(void);

int main(void)
{
    int sum = 0;
    hsl_start();
#pragma omp parallel for num_threads(3) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("C %d, Haskell %d, serves %d\n", sum, hsl_sum(100), hsl_serves());
    hsl_stop();
    return 0;
}
