// Tasks and a lock, from C++.
#include <omp.h>

extern "C" int counts_evens(int n);

// How many of 0 to n-1 are even.
int counts_evens(int n)
{
    int found = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(10) shared(found)
    for (int i = 0; i < n; i++)
        if (i % 2 == 0) {
            omp_set_lock(&lock);
            found++;
            omp_unset_lock(&lock);
        }
    omp_destroy_lock(&lock);
    return found;
}
