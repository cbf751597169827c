/* Handlers of timers that ask while their thread makes the process's first call. That call decides which environment
   counts, once in the process: the handler must not wait for its own thread. Each child process has a first call, and
   its timer fires a microsecond later than the one of the child before.
   hosts: posix ghc
   limit: 120
   symbols: omp_get_num_threads omp_get_max_threads */
#include <sys/time.h>

#include "hostile.h"

enum { LATEST_US = 120 };

static void handler(int number)
{
    (void)number;
    CHECK(omp_get_num_threads() == 1 && omp_get_max_threads() >= 1);
}

static void first_call(int after_us)
{
    struct itimerval once = {{0, 0}, {0, after_us}};
    CHECK(setitimer(ITIMER_REAL, &once, NULL) == 0);
    CHECK(omp_get_max_threads() >= 1);
    _exit(0);
}

/* Whether the child ended, within some seconds, and by itself. */
static int ended_well(pid_t child)
{
    int status;
    for (int i = 0; i < 5000; i++) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        CHECK(ended >= 0);
        if (ended == child)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    return 0;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    for (int turn = 0; turn < times(2, 50); turn++)
        for (int after = 1; after <= LATEST_US; after++) {
            pid_t child = fork();
            CHECK(child >= 0);
            if (child == 0)
                first_call(after);
            CHECK(ended_well(child));
        }
    return 0;
}
