/* KMP_LIBRARY=serial: all regions have one thread, whatever asks for more.
 *
 * env: KMP_LIBRARY=serial OMP_NUM_THREADS=4
 */
#include <omp.h>

#include "kmp.h"

int main(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
    CHECK(count == 1);
    omp_set_num_threads(5);
#pragma omp parallel reduction(+ : count)
    count++;
    CHECK(count == 2);
    return 0;
}
