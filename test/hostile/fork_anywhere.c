/* fork() at any point of other threads' regions: they run loops, barriers, tasks, locks, criticals, ordered and nested
   regions meanwhile, and teams change their size. The thread that forks has no region, has had some, or is inside one
   (as its master or as a worker). The child opens regions, nested ones and tasks, and may fork again; the parent's
   other threads go on and get right results.
   ghcomp-only: libgomp hangs in the child
   hosts: posix ghc
   limit: 60
   deep-limit: 1500
   symbols: GOMP_parallel GOMP_task */
#include "hostile.h"

enum { MASTERS = 2 };

static int stop, rounds[MASTERS];

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static long tasks(int size, int n)
{
    long result = 0;
#pragma omp parallel num_threads(size)
#pragma omp single
    result = fib(n);
    return result;
}

static int loops(int size)
{
    int sum = 0, in_order = 0, in_critical = 0, in_lock = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(size)
    {
#pragma omp for schedule(dynamic, 3) reduction(+ : sum)
        for (int i = 0; i < 100; i++)
            sum += i;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 10; i++) {
#pragma omp ordered
            in_order += in_order == i;
        }
#pragma omp critical
        in_critical++;
        omp_set_lock(&lock);
        in_lock++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return sum == 4950 && in_order == 10 && in_critical == size && in_lock == size;
}

static void *master(void *argument)
{
    int me = (int)(intptr_t)argument;
    uint64_t state = 99 + (uint64_t)me;
    exact();
    while (!look(&stop)) {
        int size = 1 + (int)draw(&state, 5);
        CHECK(loops(size));
        CHECK(tasks(size, 7) == 13);
        CHECK(nested(2, size) == 2 * size);
        count_up(&rounds[me]);
    }
    return NULL;
}

static void in_child(int generations)
{
    alarm(60);
    exact();
    CHECK(team(3) == 3);
    CHECK(loops(4));
    CHECK(nested(2, 3) == 6);
    CHECK(tasks(3, 8) == 21);
    if (generations > 0) {
        pid_t child = fork();
        if (child == 0) {
            in_child(generations - 1);
            _exit(0);
        }
        CHECK(status_of(child) == 0);
        CHECK(team(5) == 5);
    }
}

static void forks(int often, int from_region)
{
    uint64_t state = 7;
    for (int i = 0; i < often; i++) {
        pid_t child = -1;
        int who = (int)draw(&state, 3);
        for (volatile uint32_t spin = draw(&state, 20000); spin > 0; spin--)
            ;
        if (from_region) {
            int children = 0;
#pragma omp parallel num_threads(3)
            if (omp_get_thread_num() == who) {
                child = fork();
                if (child == 0) {
                    in_child(0); /* nested in a region whose other threads do not exist */
                    _exit(0);
                }
                children++;
            }
            CHECK(children == 1);
        } else {
            child = fork();
            if (child == 0) {
                in_child(i % 8 == 0);
                if (i % 2 == 0)
                    exit(0);
                _exit(0);
            }
        }
        CHECK(child > 0);
        CHECK(status_of(child) == 0);
    }
}

int main(void)
{
    int often = times(12, 2500);
    pthread_t masters[MASTERS];
    for (intptr_t i = 0; i < MASTERS; i++)
        CHECK(pthread_create(&masters[i], NULL, master, (void *)i) == 0);
    for (int i = 0; i < MASTERS; i++)
        wait_until(&rounds[i], 2);
    forks(often, 0); /* by a thread that the runtime does not know */
    exact();
    CHECK(nested(2, 3) == 6);
    forks(often, 0);
    forks(often, 1);
    int before = look(&rounds[0]);
    wait_until(&rounds[0], before + 2); /* they still go on */
    open_gate(&stop);
    for (int i = 0; i < MASTERS; i++)
        CHECK(pthread_join(masters[i], NULL) == 0);
    CHECK(nested(3, 2) == 6);
    return 0;
}
