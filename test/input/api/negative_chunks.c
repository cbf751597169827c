/* Loops whose chunk size is 0 or negative: the schedule's default. Loops over the whole range of their type.
 * ghcomp-only: with libgomp such a chunk size gives other iterations, or a loop without an end
 * limit: 60 */
#include <limits.h>
#include <omp.h>

#include "../../conformance/common.h"

#define LOOP(clause, chunk)                                                 \
    do {                                                                    \
        long sum = 0;                                                       \
        int size = (chunk);                                                 \
        _Pragma(clause) for (int i = 0; i < 1000; i++) sum += i;            \
        CHECK(sum == 499500);                                               \
    } while (0)

int main(void)
{
    static const int chunks[] = {0, -1, -1000, INT_MIN, INT_MAX};
    for (int i = 0; i < 5; i++) {
        LOOP("omp parallel for num_threads(3) schedule(dynamic, size) reduction(+ : sum)", chunks[i]);
        LOOP("omp parallel for num_threads(3) schedule(guided, size) reduction(+ : sum)", chunks[i]);
        LOOP("omp parallel for num_threads(3) schedule(monotonic : dynamic, size) reduction(+ : sum)", chunks[i]);
    }
    return 0;
}
