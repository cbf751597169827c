#include <ghcomp.h>
#include <omp.h>
#include <stdatomic.h>

int visit_all(ghcomp_callback *visit, intptr_t n);
int visit_dynamic(ghcomp_callback *visit, intptr_t n);
double sum_all(ghcomp_fold_callback *step, intptr_t n);

/* Calls for each i below n, and says whether all went well. */
int visit_all(ghcomp_callback *visit, intptr_t n)
{
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    {
        intptr_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        failed |= ghcomp_callback_range(visit, n * thread / threads, n * (thread + 1) / threads);
    }
    return failed;
}

struct work { _Atomic intptr_t next; intptr_t past; };

static int next(void *state, intptr_t *argument)
{
    struct work *work = state;
    *argument = atomic_fetch_add(&work->next, 1);
    return *argument < work->past;
}

int visit_dynamic(ghcomp_callback *visit, intptr_t n)
{
    struct work work = {0, n};
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    failed |= ghcomp_callback_each(visit, next, &work);
    return failed;
}

double sum_all(ghcomp_fold_callback *step, intptr_t n)
{
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        intptr_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        ghcomp_callback_fold(step, n * thread / threads, n * (thread + 1) / threads, &total);
    }
    return total;
}
