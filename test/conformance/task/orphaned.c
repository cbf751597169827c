/* Task constructs outside the text of any region, recursive; a started task stays with its thread, whatever it does;
   what it does before and after its scheduling points it sees itself.
   symbols: GOMP_task GOMP_taskwait GOMP_taskyield */
#include <omp.h>

#include "../common.h"

static __thread int own_word; /* threadprivate in all but name: GCC refuses such in untied tasks */

__attribute__((noinline)) static int *own(void)
{
    return &own_word;
}

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b) if (n % 3)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static int sum(const int *from, int count)
{
    int left = 0, right = 0;
    if (count == 1)
        return *from;
#pragma omp task shared(left) untied
    left = sum(from, count / 2);
#pragma omp task shared(right) untied
    right = sum(from + count / 2, count - count / 2);
#pragma omp taskwait
    return left + right;
}

static void stays(int depth)
{
#pragma omp task untied
    {
        int me = omp_get_thread_num(), *where = own();
        *where = me;
        if (depth > 0) {
            stays(depth - 1);
            stays(depth - 1);
        }
#pragma omp taskyield
        CHECK(omp_get_thread_num() == me && where == own() && *own() == me);
#pragma omp taskwait
        CHECK(omp_get_thread_num() == me && where == own() && *own() == me);
#pragma omp taskgroup
        {
#pragma omp task
            *own() = omp_get_thread_num();
        }
        CHECK(omp_get_thread_num() == me && where == own() && *own() == me);
    }
}

int main(void)
{
    int numbers[1000], expected = 0;
    for (int i = 0; i < 1000; i++)
        expected += numbers[i] = i * 7 % 31;
    omp_set_dynamic(0);
    CHECK(fib(15) == 610 && sum(numbers, 1000) == expected);
    for (int threads = 1; threads <= 8; threads *= 2) {
        long numbered = 0;
        int total = 0;
#pragma omp parallel num_threads(threads)
        {
#pragma omp single nowait
            numbered = fib(18);
#pragma omp single
            total = sum(numbers, 1000);
            stays(5);
        }
        CHECK(numbered == 2584 && total == expected);
        /* Every member starts trees of its own. */
        numbered = 0;
#pragma omp parallel num_threads(threads) reduction(+ : numbered, total)
        {
            numbered += fib(12);
            total += sum(numbers, 1000);
        }
        CHECK(numbered == 144L * threads && total == (threads + 1) * expected);
    }
    return 0;
}
