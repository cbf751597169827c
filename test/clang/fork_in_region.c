/* The child of a fork() in a region goes on there, and shares out no work to members that it has not: as on libomp, it
 * is a thread of its own. The master's child opens a region, too.
 *
 * limit: 60
 */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmp.h"

enum { THREADS = 3, ITEMS = 9 };

static int count, singles, parts, tasks;

/* Constructs that bind to the region of the caller. */
static void work(void)
{
#pragma omp barrier
#pragma omp for reduction(+ : count)
    for (int i = 0; i < ITEMS; i++)
        count++;
#pragma omp for schedule(dynamic) reduction(+ : count)
    for (int i = 0; i < ITEMS; i++)
        count++;
#pragma omp single
    singles++;
#pragma omp sections
    {
        parts++;
#pragma omp section
        parts++;
    }
    for (int i = 0; i < ITEMS; i++)
#pragma omp task
        tasks++;
#pragma omp barrier
}

static int size_of_two(void)
{
    int size = 0;
#pragma omp parallel num_threads(2) reduction(+ : size)
    size++;
    return size;
}

static void in_child(int forks)
{
    count = singles = parts = tasks = 0;
    CHECK(omp_get_level() == 0 && omp_get_thread_num() == 0 && omp_get_num_threads() == 1);
    work();
    CHECK(count == 2 * ITEMS && singles == 1 && parts == 2 && tasks == ITEMS);
    if (forks == 0)
        CHECK(size_of_two() == 2);
    _exit(0);
}

static void fork_by(int forks)
{
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == forks) {
            int status;
            pid_t child = fork();
            CHECK(child >= 0);
            if (child == 0)
                in_child(forks);
            CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
#pragma omp barrier
    }
}

int main(void)
{
    omp_set_dynamic(0);
    for (int forks = 0; forks < THREADS; forks++)
        fork_by(forks);
    CHECK(size_of_two() == 2);
    return 0;
}
