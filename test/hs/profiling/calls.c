/* The C side of Main.hs: teams that call Haskell, by an object of ghcomp.h and by a function pointer. */
#include <ghcomp.h>
#include <omp.h>

int sum_by_object(ghcomp_fold_callback *f, long n, double *sum);
double sum_by_pointer(double (*f)(long), long n);

int sum_by_object(ghcomp_fold_callback *f, long n, double *sum)
{
    double total = 0;
    int failed = 0;
#pragma omp parallel num_threads(3) reduction(+ : total) reduction(| : failed)
    {
        long me = omp_get_thread_num(), team = omp_get_num_threads();
        failed = ghcomp_callback_fold(f, n * me / team, n * (me + 1) / team, &total);
    }
    *sum = total;
    return failed;
}

double sum_by_pointer(double (*f)(long), long n)
{
    double sum = 0;
#pragma omp parallel for num_threads(3) schedule(static) reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += f(i);
    return sum;
}
