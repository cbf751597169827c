/* Signals that a program takes itself, while regions run: a thread with sigwait and one with signalfd get each signal
   exactly once, and workers get none of them. A mask that the master changes later holds for the workers that it makes
   then.
   hosts: posix ghc
   limit: 60
   deep-limit: 300
   symbols: GOMP_parallel */
#include <sys/signalfd.h>

#include "hostile.h"

static int got_wait, got_file, stop, file;
static sigset_t by_wait, by_file;

static void *waits(void *unused)
{
    (void)unused;
    for (;;) {
        int number = 0;
        CHECK(sigwait(&by_wait, &number) == 0);
        if (look(&stop))
            return NULL;
        CHECK(team(1 + number % 3) == 1 + number % 3); /* it has regions of its own */
        count_up(&got_wait);
    }
}

static void *reads(void *unused)
{
    struct signalfd_siginfo info;
    (void)unused;
    for (;;) {
        CHECK(read(file, &info, sizeof info) == (ssize_t)sizeof info);
        if (look(&stop))
            return NULL;
        count_up(&got_file);
    }
}

static int blocked(int number)
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, number) == 1;
}

int main(void)
{
    pthread_t waiter, reader;
    int often = times(150, 20000);
    exact();
    sigemptyset(&by_wait);
    sigaddset(&by_wait, SIGUSR1);
    sigaddset(&by_wait, SIGTERM);
    sigemptyset(&by_file);
    sigaddset(&by_file, SIGUSR2);
    sigaddset(&by_file, SIGINT);
    CHECK(pthread_sigmask(SIG_BLOCK, &by_wait, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, &by_file, NULL) == 0);
    file = signalfd(-1, &by_file, SFD_CLOEXEC);
    CHECK(file >= 0);
    CHECK(team(4) == 4);
    CHECK(pthread_create(&waiter, NULL, waits, NULL) == 0);
    CHECK(pthread_create(&reader, NULL, reads, NULL) == 0);
    /* One at a time, so that none is merged with another; to the process, so that any thread might take it. */
    for (int i = 0; i < often; i++) {
        CHECK(kill(getpid(), i % 2 == 0 ? SIGUSR1 : SIGTERM) == 0);
        CHECK(kill(getpid(), i % 3 == 0 ? SIGUSR2 : SIGINT) == 0);
        CHECK(team(2 + i % 6) == 2 + i % 6);
        wait_until(&got_wait, i + 1);
        wait_until(&got_file, i + 1);
    }
    CHECK(got_wait == often && got_file == often);

    /* New workers inherit what their creator blocks then. There were at most eight old ones. */
    sigset_t more;
    sigemptyset(&more);
    sigaddset(&more, SIGHUP);
    CHECK(pthread_sigmask(SIG_BLOCK, &more, NULL) == 0);
    int all = 0;
#pragma omp parallel num_threads(12) reduction(+ : all)
    all += blocked(SIGTERM) && blocked(SIGINT) && (omp_get_thread_num() < 9 || blocked(SIGHUP));
    CHECK(all == 12);
    CHECK(blocked(SIGHUP));

    open_gate(&stop);
    CHECK(kill(getpid(), SIGUSR1) == 0 && kill(getpid(), SIGUSR2) == 0);
    CHECK(pthread_join(waiter, NULL) == 0 && pthread_join(reader, NULL) == 0);
    return 0;
}
