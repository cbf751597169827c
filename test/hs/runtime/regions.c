/* Regions for the Haskell tests in Main.hs. */
#include <omp.h>

long region_sum(long n, int threads);
int region_calls(int threads, int (*f)(int));
int region_size(int threads);
int region_events(int threads, int n, void (*handle)(omp_event_handle_t));

/* The sum of 0 to n-1 by a loop that a team shares. */
long region_sum(long n, int threads)
{
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum) num_threads(threads) schedule(dynamic, 100)
    for (long i = 0; i < n; i++)
        sum += i;
    return sum;
}

/* Calls f from each thread of a team with its number; the sum of the results. */
int region_calls(int threads, int (*f)(int))
{
    int sum = 0;
    #pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += f(omp_get_thread_num());
    return sum;
}

int region_size(int threads)
{
    int size = 0;
    #pragma omp parallel num_threads(threads)
    {
        #pragma omp masked
        size = omp_get_num_threads();
        #pragma omp barrier
    }
    return size;
}

/* n detached tasks, each of which hands out its event, and n tasks that depend on one of them each: returns how many of
   these ran after the task before them. */
int region_events(int threads, int n, void (*handle)(omp_event_handle_t))
{
    int ran = 0;
    #pragma omp parallel num_threads(threads)
    #pragma omp single
    for (int i = 0; i < n; i++) {
        omp_event_handle_t event;
        int x = 0;
        #pragma omp task detach(event) depend(out : x) firstprivate(handle)
        handle(event);
        #pragma omp task depend(in : x) shared(ran)
        {
            #pragma omp atomic
            ran++;
        }
    }
    return ran;
}
