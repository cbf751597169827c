/* Teams of two with teams of two in them, and teams of four, by turns: four threads at a time, in a control group that
   has no room for a fifth. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    long total = 0;
    omp_set_max_active_levels(2);
    for (int round = 0; round < 300; round++) {
#pragma omp parallel num_threads(2) reduction(+ : total)
        {
#pragma omp parallel for num_threads(2) reduction(+ : total)
            for (int i = 0; i < 1000; i++)
                total += i;
        }
#pragma omp parallel for num_threads(4) reduction(+ : total)
        for (int i = 0; i < 1000; i++)
            total += i;
    }
    printf("%ld\n", total);
    return 0;
}
