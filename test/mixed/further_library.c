/* The library of further.c. See mixed.sh. */
#include <omp.h>

int library_own;
#pragma omp threadprivate(library_own)

void library_cancelling(int *gate)
{
#pragma omp task depend(out : gate[0])
    {
        *gate = 1;
#pragma omp cancel taskgroup
        *gate = 2;
    }
}

void library_set_nest_lock(void *lock)
{
    omp_set_nest_lock(lock);
}

void library_unset_nest_lock(void *lock)
{
    omp_unset_nest_lock(lock);
}

int library_test_nest_lock(void *lock)
{
    return omp_test_nest_lock(lock);
}

void library_wait(void)
{
#pragma omp taskwait
}

void library_fulfill(omp_event_handle_t event)
{
    omp_fulfill_event(event);
}

/* For the caller's loop. */
void library_in_order(int *next, int number)
{
#pragma omp ordered
    if (*next == number)
        *next = number + 1;
}

/* Loops in the caller's team. */
void library_chain(int count, int *values)
{
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < count; i++) {
#pragma omp ordered depend(sink : i - 1)
        values[i] = i > 0 ? values[i - 1] + 1 : 1;
#pragma omp ordered depend(source)
    }
}

static int begun;

/* Each member ends the loop at its first iteration. */
int library_cancelled_loop(int count)
{
#pragma omp single
    begun = 0;
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < count; i++) {
#pragma omp atomic
        begun++;
#pragma omp cancel for
    }
    int result = begun;
#pragma omp barrier
    return result;
}

static long reduced;

long library_taskloop(int count)
{
#pragma omp single
    {
        reduced = 0;
#pragma omp taskloop reduction(+ : reduced) grainsize(10)
        for (int i = 0; i < count; i++)
            reduced += i;
    }
    long result = reduced;
#pragma omp barrier
    return result;
}

int library_own_now(void)
{
    return library_own;
}

/* In the caller's target region. */
#pragma omp declare target
long library_region_sum(int count)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < count; i++)
        sum += i;
    return sum;
}
#pragma omp end declare target
