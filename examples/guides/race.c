#include <stdio.h>

int main(void)
{
    long sum = 0;
    long last = -1;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 1000; i++) {
        sum += i;
        last = i;
    }
    printf("%ld %ld\n", sum, last);
    return 0;
}
