/* How many tasks a taskloop makes and how many iterations each executes: grainsize between the value and twice it,
   num_tasks at most that many and as many as there are iterations; exactly so with strict. Tasks are numbered by what
   GCC passes to them: a firstprivate variable of theirs counts.
   symbols: GOMP_taskloop GOMP_taskloop_ull */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { MOST = 1000 };

/* For each first iteration of a task, how many it executed. */
static int length[MOST], tasks, total, smallest, largest, last_length;

static void begin(void)
{
    memset(length, 0, sizeof length);
    tasks = total = 0;
}

static void end(int n)
{
    smallest = MOST;
    largest = last_length = 0;
    for (int i = 0; i < n; i++) {
        if (length[i] == 0)
            continue;
        tasks++;
        total += length[i];
        smallest = smallest < length[i] ? smallest : length[i];
        largest = largest > length[i] ? largest : length[i];
        last_length = length[i];
    }
    CHECK(total == n);
}

#define LOOP(clauses, type, n)                       \
    do {                                             \
        int first = -1;                              \
        begin();                                     \
        _Pragma(clauses) for (type i = 0; i < (type)(n); i++) \
        {                                            \
            first = first < 0 ? (int)i : first;      \
            __atomic_fetch_add(&length[first], 1, __ATOMIC_RELAXED); \
        }                                            \
        end((int)(n));                               \
    } while (0)

static void sizes(int n)
{
    LOOP("omp taskloop grainsize(10) firstprivate(first)", int, n);
    CHECK(n < 10 ? tasks == 1 : smallest >= 10 && largest < 20);
    LOOP("omp taskloop grainsize(10) firstprivate(first)", unsigned long long, n);
    CHECK(n < 10 ? tasks == 1 : smallest >= 10 && largest < 20);
    LOOP("omp taskloop grainsize(strict : 10) firstprivate(first)", int, n);
    CHECK(tasks == (n + 9) / 10 && (tasks == 1 || largest == 10) && last_length == (n % 10 ? n % 10 : 10));
    LOOP("omp taskloop num_tasks(12) firstprivate(first)", int, n);
    CHECK(tasks == (n < 12 ? n : 12) && largest - smallest <= 1);
    LOOP("omp taskloop num_tasks(12) firstprivate(first)", unsigned long long, n);
    CHECK(tasks == (n < 12 ? n : 12) && largest - smallest <= 1);
    LOOP("omp taskloop num_tasks(strict : 12) firstprivate(first)", unsigned long long, n);
    CHECK(tasks == (n < 12 ? n : 12) || n % 12);
    LOOP("omp taskloop num_tasks(1) firstprivate(first)", int, n);
    CHECK(tasks == 1);
    LOOP("omp taskloop num_tasks(5) if (0) firstprivate(first)", int, n);
    CHECK(tasks == (n < 5 ? n : 5));
    LOOP("omp taskloop num_tasks(5) final(1) firstprivate(first)", int, n);
    CHECK(tasks == (n < 5 ? n : 5));
    LOOP("omp taskloop firstprivate(first)", int, n);
    CHECK(tasks >= 1);
}

static void private_data(int n)
{
    int last = -1, first = 5, shared = 0, both = 3;
    double square = 0;
#pragma omp taskloop lastprivate(last, square) firstprivate(first) shared(shared) num_tasks(7)
    for (int i = 0; i < n; i++) {
        CHECK(first == 5);
        last = i;
        square = (double)i * i;
        __atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED);
    }
    CHECK(last == n - 1 && square == (double)(n - 1) * (n - 1) && shared == n);
#pragma omp taskloop firstprivate(both) lastprivate(both) grainsize(4)
    for (long i = 2L * n; i > 0; i -= 2)
        both = (int)i;
    CHECK(both == 2);
    int j, k;
#pragma omp taskloop lastprivate(j, k) collapse(2)
    for (j = 0; j < n; j++)
        for (k = 0; k < 3; k++)
            ;
    CHECK(j == n && k == 3);
    /* No iterations: the variable keeps its value, without firstprivate it need not. */
    both = 17;
#pragma omp taskloop firstprivate(both) lastprivate(both)
    for (int i = n; i < n; i++)
        both = -1;
    CHECK(both == 17);
}

/* Without nogroup, the end of the construct waits for what its tasks created, too; with it, it does not wait. */
static void groups(int threads)
{
    int deep = 0, open = 0, done = 0, me = omp_get_thread_num();
#pragma omp taskloop num_tasks(4) shared(deep)
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(deep)
        count_up(&deep);
    }
    CHECK(look(&deep) == 20);
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup num_tasks(3) shared(open, done)
        for (int i = 0; i < 12; i++) {
            if (omp_get_thread_num() != me && threads > 1)
                wait_for(&open);
            count_up(&done);
        }
        open_gate(&open);
    }
    CHECK(done == 12);
}

static void in_final(void)
{
    int me = omp_get_thread_num();
#pragma omp taskloop final(1) num_tasks(3)
    for (int i = 0; i < 9; i++) {
        CHECK(omp_in_final());
        int inner = omp_get_thread_num();
#pragma omp task
        CHECK(omp_in_final() && omp_get_thread_num() == inner);
    }
#pragma omp taskloop if (0) num_tasks(3)
    for (int i = 0; i < 9; i++)
        CHECK(!omp_in_final() && omp_get_thread_num() == me);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            for (int n = 1; n <= 500; n += 1 + n / 3)
                sizes(n);
            private_data(1 + 20 * omp_get_thread_num());
            groups(threads);
            in_final();
#pragma omp task
            private_data(100);
        }
    }
    sizes(100);
    private_data(100);
    groups(1);
    return 0;
}
