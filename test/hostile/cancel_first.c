/* pthread_cancel of a thread that opens the process's first region, at any moment of it: the runtime is set up
   meanwhile, and with GHCOMP_HOST=ghc an RTS is booted. The cancellation acts after the region; other threads, which
   meet their first region at the same time, and main have regions afterwards. Each attempt is a process of its own.
   hosts: posix ghc
   limit: 60
   deep-limit: 900
   symbols: GOMP_parallel */
#include "hostile.h"

static int inside, began, sent, delay_ns;

static void *victim(void *unused)
{
    (void)unused;
    exact();
    open_gate(&began);
    inside = team(3);
    wait_for(&sent);
    pthread_testcancel();
    return NULL;
}

static void *beside(void *unused)
{
    (void)unused;
    exact();
    wait_for(&began);
    CHECK(team(4) == 4);
    return NULL;
}

static void attempt(void)
{
    pthread_t thread, other;
    void *result;
    CHECK(pthread_create(&thread, NULL, victim, NULL) == 0);
    CHECK(pthread_create(&other, NULL, beside, NULL) == 0);
    wait_for(&began);
    for (double begin = now(); now() - begin < delay_ns * 1e-9;)
        ;
    CHECK(pthread_cancel(thread) == 0);
    open_gate(&sent);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(inside == 3);
    CHECK(pthread_join(other, NULL) == 0);
    exact();
    CHECK(team(5) == 5);
    puts("good");
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        alarm(CASE_SECONDS);
        delay_ns = atoi(argv[1]);
        attempt();
        return 0;
    }
    uint64_t state = deep() ? (uint64_t)getpid() : 1;
    for (int turn = 0, turns = times(40, 5000); turn < turns; turn++) {
        char said[100], delay[20];
        /* The set-up takes about 50 us, a boot 4 ms. */
        snprintf(delay, sizeof delay, "%u", draw(&state, turn % 2 == 0 ? 200000 : 8000000));
        int status = run_case(argv, delay, said, sizeof said);
        if (status != 0 || strcmp(said, "good\n") != 0) {
            fprintf(stderr, "cancelled after %s ns: status %d, printed `%s`\n", delay, status, said);
            return 1;
        }
    }
    return 0;
}
