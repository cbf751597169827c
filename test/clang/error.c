/* The error directive at execution time: a warning goes on, a fatal one ends the program.
 *
 * symbols: __kmpc_error
 * ghcomp-only: libomp ends the program by abort()
 * expect-exit: 1
 * expect-stderr: take care
 * expect-stderr: the end
 */
#include <omp.h>

#include "kmp.h"

int main(void)
{
#pragma omp error at(execution) severity(warning) message("take care")
#pragma omp error at(execution) severity(fatal) message("the end")
    return 0;
}
