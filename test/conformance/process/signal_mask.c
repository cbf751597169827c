/* A signal that the program blocked before its first region reaches no worker: sigwait and signalfd get it in the
   thread that asked for it, whether it was pending before the region or came later. Workers inherit the mask of the
   thread that made them.
   hosts: posix ghc
   symbols: GOMP_parallel */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../common.h"

static int team(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
#pragma omp barrier
        sum += 1;
    }
    return sum;
}

static int taken(const sigset_t *set)
{
    int number = 0;
    CHECK(sigwait(set, &number) == 0);
    return number;
}

static int blocked_everywhere(const sigset_t *set)
{
    int blocked = 1;
#pragma omp parallel num_threads(4) reduction(& : blocked)
    {
        sigset_t mine;
        pthread_sigmask(SIG_SETMASK, NULL, &mine);
        for (int number = 1; number <= SIGRTMAX; number++)
            if (sigismember(set, number) == 1)
                blocked &= sigismember(&mine, number) == 1;
    }
    return blocked;
}

int main(void)
{
    sigset_t set, before;
    omp_set_dynamic(0);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
    CHECK(raise(SIGUSR1) == 0); /* pending while the workers are made */
    CHECK(kill(getpid(), SIGRTMIN) == 0);
    CHECK(team(4) == 4);
    CHECK(taken(&set) == SIGUSR1);
    CHECK(taken(&set) == SIGRTMIN);
    CHECK(blocked_everywhere(&set));

    /* To the process, while workers wait for their next region: any thread that does not block it would die of it. */
    for (int i = 0; i < 20; i++) {
        CHECK(kill(getpid(), SIGTERM) == 0);
        CHECK(team(2 + i % 5) == 2 + i % 5);
        CHECK(taken(&set) == SIGTERM);
    }

    int file = signalfd(-1, &set, SFD_CLOEXEC);
    struct signalfd_siginfo info;
    CHECK(file >= 0 && kill(getpid(), SIGTERM) == 0);
    CHECK(read(file, &info, sizeof info) == (ssize_t)sizeof info && info.ssi_signo == SIGTERM);
    CHECK(team(9) == 9);

    /* The region has left the caller's mask as it was. */
    sigset_t now;
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
    for (int number = 1; number <= SIGRTMAX; number++)
        CHECK(sigismember(&now, number) == (sigismember(&set, number) == 1 || sigismember(&before, number) == 1));
    return 0;
}
