/* fork(): the tool goes on in the child, whose threads are new, and is finalized in both processes. A child that was
 * forked inside a region ends that region alone. */
#include <sys/wait.h>
#include <unistd.h>

#include "record.h"

static pid_t parent;

static void at_finalize(void)
{
    CHECK(COUNT(PARALLEL_BEGIN) == COUNT(PARALLEL_END));
    puts(getpid() == parent ? "parent finalized" : "child finalized");
}

static void end_child(void)
{
    fflush(stdout);
    exit(0);
}

static void expect_child(pid_t child)
{
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void region(int threads)
{
#pragma omp parallel num_threads(threads)
    CHECK(get_state(NULL) == ompt_state_work_parallel);
}

int main(void)
{
    parent = getpid();
    region(3);
    pid_t child = fork();
    if (child == 0) {
        region(3);
        region(2);
        CHECK(COUNT(PARALLEL_END) == 3);
        end_child();
    }
    expect_child(child);
    child = -1;
#pragma omp parallel num_threads(3)
#pragma omp masked
    {
        child = fork();
        members_lost = child == 0;
    }
    if (child == 0) {
        region(2);
        end_child();
    }
    expect_child(child);
    region(3);
    return 0;
}
