/* A task that takes part in a reduction which no enclosing construct has ends the program.
   expect-exit: 1
   expect-stderr: ^libgomp: couldn't find matching task_reduction or reduction with task modifier for
   symbols: GOMP_task_reduction_remap */
#include "abi_arrays.h"

int main(void)
{
    long a, b, c;
    uintptr_t array[TWO_ITEMS];
    fill(array, 64, &a, &b);
    GOMP_taskgroup_start();
    GOMP_taskgroup_reduction_register(array);
#pragma omp task shared(c)
    find(&c);
    GOMP_taskgroup_end();
    return 0;
}
