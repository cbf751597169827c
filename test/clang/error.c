/* The error directive at execution time: a warning goes on, a fatal one ends the program.
 *
 * symbols: __kmpc_error
 * ghcomp-only: libomp ends the program by abort()
 * expect-exit: 1
 * expect-stderr: \AOMP: Warning: \S*error\.c:16:\d+: error directive encountered\n
 * expect-stderr: \nOMP: Warning: \S*error\.c:17:\d+: error directive encountered: take care\n
 * expect-stderr: \nOMP: Error: \S*error\.c:18:\d+: error directive encountered: the end\n\Z
 */
#include <omp.h>

#include "kmp.h"

int main(void)
{
#pragma omp error at(execution) severity(warning)
#pragma omp error at(execution) severity(warning) message("take care")
#pragma omp error at(execution) severity(fatal) message("the end")
    return 0;
}
