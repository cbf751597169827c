/* The first thread ends by pthread_exit, in many orders: known to the runtime or not; with regions that run in other
   threads at that moment; with threads that come later and have their first regions then, also when all that the
   runtime knew have ended; with atexit handlers, thread-specific data's destructors and cancellation of the last
   thread. The process ends with status 0 when its last thread ends, or with the status of exit(). Each case is a
   process of its own.
   The last thread to end may be a worker of libgomp's, whose regions in a handler do not work: such cases are left out
   there.
   hosts: posix ghc
   ldflags: -ldl
   limit: 60
   deep-limit: 1200
   symbols: GOMP_parallel */
#include <dlfcn.h>

#include "hostile.h"

static pthread_t first;
static int inside, outside;

static void say(const char *text)
{
    printf("%s\n", text); /* buffered: exit() of the last thread writes it */
}

static void start(void *(*body)(void *))
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
    CHECK(pthread_detach(thread) == 0);
}

static void first_has_ended(void)
{
    static int joining, ended;
    if (count_up(&joining) == 1) { /* one thread may join it */
        CHECK(pthread_join(first, NULL) == 0);
        open_gate(&ended);
    }
    wait_for(&ended);
}

static void *regions(void *unused)
{
    (void)unused;
    exact();
    CHECK(team(4) == 4 && nested(2, 3) == 6);
    say("regions");
    return NULL;
}

static void *regions_after_first(void *unused)
{
    first_has_ended();
    return regions(unused);
}

/* It is in a region while the first thread ends; then it starts a thread, and ends before it. */
static void *inside_while_first_ends(void *unused)
{
    int sum = 0;
    (void)unused;
    exact();
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        count_up(&inside);
        if (omp_get_thread_num() == 1)
            first_has_ended();
#pragma omp barrier
        sum += team(2);
    }
    CHECK(sum == 6);
    start(regions);
    return NULL;
}

static void *chain(void *argument)
{
    int left = (int)(intptr_t)argument;
    pthread_t next;
    exact();
    if (left % 2 == 0)
        CHECK(team(1 + left) == 1 + left);
    if (left == 0)
        say("chain");
    else
        CHECK(pthread_create(&next, NULL, chain, (void *)(intptr_t)(left - 1)) == 0 && pthread_detach(next) == 0);
    return NULL;
}

/* The runtime does not know this thread while all that it knows end; then its regions make workers again. */
static void *late(void *unused)
{
    (void)unused;
    first_has_ended();
    usleep(2000); /* the other thread most probably has ended, too: both orders are right */
    exact();
    CHECK(team(5) == 5);
    CHECK(team(2) == 2);
    say("late");
    return NULL;
}

static void *silent(void *unused)
{
    first_has_ended();
    usleep(1000);
    return unused;
}

static void *exits(void *unused)
{
    (void)unused;
    first_has_ended();
    CHECK(team(3) == 3);
    say("exits");
    exit(7);
}

static void *waits_for_cancellation(void *unused)
{
    (void)unused;
    exact();
    CHECK(team(3) == 3);
    open_gate(&outside);
    for (;;)
        pause();
    return NULL;
}

static pthread_t to_cancel;

static void *cancels(void *unused)
{
    (void)unused;
    first_has_ended();
    wait_for(&outside);
    CHECK(pthread_cancel(to_cancel) == 0);
    CHECK(pthread_join(to_cancel, NULL) == 0);
    say("cancelled");
    return NULL;
}

static pthread_key_t key;
static void at_thread_exit(void *value)
{
    exact();
    CHECK(team(3) == 3);
    say(value);
}

static void *with_key(void *unused)
{
    (void)unused;
    first_has_ended();
    CHECK(team(2) == 2);
    CHECK(pthread_setspecific(key, "key of the last") == 0);
    return NULL;
}

static void handler(void)
{
    exact();
    CHECK(team(4) == 4);
    CHECK(nested(2, 2) == 4);
    say("handler");
}

static void unknown_main(void)
{
    start(regions_after_first);
}

static void known_main(void)
{
    CHECK(team(4) == 4);
    start(regions_after_first);
}

static void nobody_else(void)
{
    CHECK(nested(2, 4) == 8);
    say("nobody else");
}

static void no_region_at_all(void)
{
    start(silent);
}

static void inside_a_region(void)
{
    start(inside_while_first_ends);
    wait_until(&inside, 3);
}

static void known_inside_a_region(void)
{
    CHECK(team(5) == 5);
    inside_a_region();
}

static void long_chain(void)
{
    CHECK(team(2) == 2);
    pthread_t next;
    CHECK(pthread_create(&next, NULL, chain, (void *)(intptr_t)9) == 0 && pthread_detach(next) == 0);
}

static void a_late_one(void)
{
    CHECK(team(4) == 4);
    start(late);
}

static void a_silent_one(void)
{
    CHECK(team(4) == 4);
    start(silent);
}

static void several(void)
{
    for (int i = 0; i < 4; i++)
        start(i % 2 == 0 ? regions_after_first : regions);
    CHECK(team(3) == 3);
}

static void exit_by_another(void)
{
    CHECK(team(3) == 3);
    atexit(handler);
    start(exits);
}

static void handler_of_the_last(void)
{
    atexit(handler);
    known_main();
}

static void handler_alone(void)
{
    atexit(handler);
}

static void last_is_cancelled(void)
{
    CHECK(team(2) == 2);
    CHECK(pthread_create(&to_cancel, NULL, waits_for_cancellation, NULL) == 0);
    start(cancels);
}

static void keys(void)
{
    CHECK(pthread_key_create(&key, at_thread_exit) == 0);
    CHECK(pthread_setspecific(key, "key of the first") == 0);
    CHECK(team(4) == 4);
    start(with_key);
}

/* The key's destructor may run before or after the runtime's own. */
static void key_of_an_unknown_main(void)
{
    CHECK(pthread_key_create(&key, at_thread_exit) == 0);
    CHECK(pthread_setspecific(key, "key of the first") == 0);
}

#define RUN(function)          \
    static void run_##function(void) \
    {                          \
        exact();               \
        first = pthread_self(); \
        function();            \
        pthread_exit(NULL);    \
    }
RUN(unknown_main)
RUN(known_main)
RUN(nobody_else)
RUN(no_region_at_all)
RUN(inside_a_region)
RUN(known_inside_a_region)
RUN(long_chain)
RUN(a_late_one)
RUN(a_silent_one)
RUN(several)
RUN(exit_by_another)
RUN(handler_of_the_last)
RUN(handler_alone)
RUN(last_is_cancelled)
RUN(keys)
RUN(key_of_an_unknown_main)

int main(int argc, char **argv)
{
    static const struct process_case cases[] = {
        {"unknown main", run_unknown_main, 0, "regions\n"},
        {"known main", run_known_main, 0, "regions\n"},
        {"nobody else", run_nobody_else, 0, "nobody else\n"},
        {"no region at all", run_no_region_at_all, 0, ""},
        {"inside a region", run_inside_a_region, 0, "regions\n"},
        {"known inside a region", run_known_inside_a_region, 0, "regions\n"},
        {"long chain", run_long_chain, 0, "chain\n"},
        {"a late one", run_a_late_one, 0, "late\n"},
        {"a silent one", run_a_silent_one, 0, ""},
        {"several", run_several, 0, "regions\nregions\nregions\nregions\n"},
        {"exit by another", run_exit_by_another, 7, "exits\nhandler\n"},
        {"handler alone", run_handler_alone, 0, "handler\n"},
        {"last is cancelled", run_last_is_cancelled, 0, "cancelled\n"},
        {"keys", run_keys, 0, "key of the first\nkey of the last\n"},
        {"key of an unknown main", run_key_of_an_unknown_main, 0, "key of the first\n"},
        {"handler of the last", run_handler_of_the_last, 0, "regions\nhandler\n"}, /* the last: not on libgomp */
    };
    size_t count = sizeof cases / sizeof *cases - (dlsym(RTLD_DEFAULT, "ghcomp_version") == NULL);
    return run_cases(argc, argv, cases, count, times(4, 600));
}
