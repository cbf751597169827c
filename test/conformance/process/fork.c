/* fork() between regions: parent and child both go on with regions, also nested ones and after a second fork; and a
   child of a thread other than main.
   ghcomp-only: libgomp hangs in the child
   symbols: GOMP_parallel */
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

static int count(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
#pragma omp barrier
        sum += 1;
    }
    return sum;
}

static int count_nested(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += count(3);
    return sum;
}

static void check_regions(void)
{
    CHECK(count(4) == 4);
    CHECK(count(7) == 7);
    CHECK(count_nested() == 6);
}

static void in_child(int depth)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        check_regions();
        if (depth > 0)
            in_child(depth - 1);
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *other_thread(void *unused)
{
    (void)unused;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2); /* a new initial thread starts from the environment's values */
    check_regions();
    in_child(0);
    check_regions();
    return NULL;
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    in_child(0); /* before any region */
    check_regions();
    for (int i = 0; i < 5; i++) {
        in_child(1);
        check_regions();
    }
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    check_regions();
    return 0;
}
