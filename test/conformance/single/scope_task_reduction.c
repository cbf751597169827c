/* A scope with a task reduction needs tasks: one clear line instead of a wrong sum.
   ghcomp-only: libgomp has task reductions
   expect-exit: 1
   expect-stderr: reduction with the task modifier on '#pragma omp scope'
   symbols: GOMP_scope_start */
#include <stdint.h>

void GOMP_scope_start(uintptr_t *);

int main(void)
{
    uintptr_t reductions[10] = {1, 8, 8};
    GOMP_scope_start(reductions);
    return 0;
}
