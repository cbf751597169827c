/* A malformed affinity format ends the program with a line that says what is wrong.
 *
 * expect-exit: 1
 * expect-stderr: ^ghc-openmp: the affinity format has a field of the unknown type 'Q';
 */
#include <omp.h>

int main(void)
{
    omp_display_affinity("thread %n %Q");
    return 0;
}
