/* atomic on types that no instruction can update (80-bit numbers): GCC takes the runtime's lock for it.
 *
 * symbols: GOMP_atomic_start GOMP_atomic_end
 * limit: 60
 */
#include <stdio.h>

enum { TURNS = 5000, THREADS = 4 };

int main(void)
{
    long double sum = 0, product = 1;
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TURNS; i++) {
#pragma omp atomic
        sum += 1.0L;
#pragma omp atomic
        product *= -1.0L;
    }
    if (sum != THREADS * TURNS || product != 1) {
        printf("%Lg %Lg\n", sum, product);
        return 1;
    }
    return 0;
}
