/* The library of the mixed programs: what a program calls in code by the other compiler. See mixed.sh. */
#include <omp.h>

int library_threads, library_value = 3;
#pragma omp threadprivate(library_value)

/* A reduction over a region of its own; at any depth of the caller's. */
long library_sum(int count, int threads)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads) schedule(dynamic, 5)
    for (int i = 0; i < count; i++)
        sum += i;
    return sum;
}

/* The calling thread's place in the caller's region, as this compiler's code sees it. */
int library_thread(void)
{
    return omp_get_thread_num();
}

int library_team(void)
{
    return omp_get_num_threads();
}

int library_level(void)
{
    return omp_get_level();
}

/* Worksharing and synchronisation in the caller's region. */
void library_loop(int count, int *hits)
{
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++)
        hits[i]++;
#pragma omp single
    library_threads = omp_get_num_threads();
}

void library_locked(void *lock, long *count)
{
    omp_set_lock(lock);
    ++*count;
    omp_unset_lock(lock);
}

void library_set(int value)
{
    library_value = value;
}

int library_get(void)
{
    return library_value;
}

/* Runs a callback of the caller's in every member of a region. */
void library_region(int threads, void (*each)(void *), void *data)
{
#pragma omp parallel num_threads(threads)
    each(data);
}
