/* A tool in awkward places: inquiry functions in signal handlers, at a moment that the program chooses and at any, and
 * in threads that the runtime does not know; callbacks that are taken away and set again between regions;
 * omp_control_tool from each level of nested regions. */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "record.h"

static void at_finalize(void)
{
}

int omp_control_tool(int command, int modifier, void *arg);

/* --- what the inquiry functions answer ---------------------------------------------------------------------------- */

struct answers {
    ompt_data_t *thread, *task, *parallel;
    ompt_frame_t *frame;
    int state, task_found, flags, number, parallel_found, size, target_found, places;
};

static void ask_all(struct answers *is)
{
    ompt_data_t *parallel;
    uint64_t device;
    ompt_id_t target, operation;
    memset(is, 0, sizeof *is);
    is->thread = get_thread_data();
    is->state = get_state(NULL);
    is->task_found = get_task_info(0, &is->flags, &is->task, &is->frame, &is->parallel, &is->number);
    is->parallel_found = get_parallel_info(0, &parallel, &is->size);
    is->target_found = get_target_info(&device, &target, &operation);
    is->places = ((ompt_get_num_places_t)lookup_function("ompt_get_num_places"))();
    CHECK(is->parallel_found == 0 || parallel != NULL);
}

/* --- in a signal handler, at a place that the program knows ------------------------------------------------------- */

static __thread struct answers in_handler;
static _Atomic unsigned handled;

static void handler(int number)
{
    (void)number;
    int before = errno;
    ask_all(&in_handler);
    CHECK(get_unique_id() != 0 && get_num_procs() > 0);
    handled++;
    errno = before;
}

static void expect_same_in_handler(void)
{
    struct answers here;
    ask_all(&here);
    CHECK(raise(SIGUSR1) == 0 && memcmp(&here, &in_handler, sizeof here) == 0);
    CHECK(here.thread != NULL && here.task_found == 2 && here.parallel_found == 2);
    CHECK(of(TASK, here.task)->region == of(REGION, here.parallel));
}

static void at_known_places(void)
{
    handled = 0;
    expect_same_in_handler();
#pragma omp parallel num_threads(3)
    {
        expect_same_in_handler();
        CHECK(in_handler.size == 3 && in_handler.number == omp_get_thread_num());
#pragma omp critical
        expect_same_in_handler();
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task
        {
            expect_same_in_handler();
            CHECK(in_handler.flags & ompt_task_explicit);
        }
    }
    CHECK(handled == 1 + 3 + 3 + 10);
}

/* A worker that has left its last region is in no task, and the region's team may be gone. */
static struct answers of_idle;
static _Atomic bool idle_answered;

static void in_idle_worker(int number)
{
    (void)number;
    ask_all(&of_idle);
    idle_answered = true;
}

static void between_regions(void)
{
    struct sigaction action = {.sa_handler = in_idle_worker};
    pthread_t worker = pthread_self();
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        worker = pthread_self();
    CHECK(!pthread_equal(worker, pthread_self()) && pthread_kill(worker, SIGUSR2) == 0);
    while (!idle_answered)
        continue;
    CHECK(of_idle.thread != NULL && of_idle.state == ompt_state_idle);
    CHECK(of_idle.task_found == 0 && of_idle.parallel_found == 0);
}

/* --- in a signal handler, at any moment --------------------------------------------------------------------------- */

static _Atomic bool over;
static _Atomic unsigned ticks;

static void at_any_moment(int number)
{
    (void)number;
    struct answers is;
    int before = errno;
    ask_all(&is);
    CHECK(is.task_found >= 0 && is.task_found <= 2); /* 1: there is a task, and nothing is known of it yet */
    CHECK(is.task_found < 2 || (is.thread != NULL && is.task != NULL && is.frame != NULL));
    CHECK(is.task_found < 2 || is.task->ptr == NULL || of(TASK, is.task) != NULL);
    ticks++;
    errno = before;
}

static int fibonacci(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void some_work(void)
{
    int result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    result = fibonacci(12);
    CHECK(result == 144);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 20; i++) {
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int j = 0; j < 4; j++)
            if (j < 0)
                abort();
    }
}

/* The signals of the process's CPU time go to whichever thread runs. */
static void at_all_places(void)
{
    enum { TICKS = 100, SIGNAL_US = 500 };
    struct sigaction action = {.sa_handler = at_any_moment, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, SIGNAL_US}, {0, SIGNAL_US}}, off = {{0, 0}, {0, 0}};
    CHECK(sigaction(SIGPROF, &action, NULL) == 0 && setitimer(ITIMER_PROF, &timer, NULL) == 0);
    while (ticks < TICKS)
        some_work();
    CHECK(setitimer(ITIMER_PROF, &off, NULL) == 0);
}

/* --- in threads that the runtime does not know -------------------------------------------------------------------- */

static void *stranger(void *arg)
{
    struct answers is;
    ompt_wait_id_t wait = 5;
    ask_all(&is);
    CHECK(is.thread == NULL && is.task_found == 0 && is.parallel_found == 0 && is.target_found == 0);
    CHECK(get_state(&wait) == 0 && wait == 0);
    CHECK(get_unique_id() != get_unique_id());
    CHECK(((ompt_get_place_num_t)lookup_function("ompt_get_place_num"))() == -1);
    CHECK(((ompt_get_proc_id_t)lookup_function("ompt_get_proc_id"))() == -1);
    CHECK(COUNT(THREAD_INITIAL) == 1); /* asking makes no thread known */
    return arg;
}

static void in_a_stranger(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, stranger, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

/* --- callbacks that come and go ----------------------------------------------------------------------------------- */

static void region(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp critical
        over = false;
    }
}

static void without_callbacks(void)
{
    static const ompt_callbacks_t taken[] = {ompt_callback_sync_region, ompt_callback_sync_region_wait,
                                             ompt_callback_mutex_acquire, ompt_callback_mutex_acquired,
                                             ompt_callback_mutex_released};
    enum { TAKEN = sizeof taken / sizeof taken[0] };
    ompt_callback_t were[TAKEN], none;
    for (int i = 0; i < TAKEN; i++) {
        CHECK(get_callback(taken[i], &were[i]) == 1);
        CHECK(set_callback(taken[i], NULL) == ompt_set_always && get_callback(taken[i], &none) == 0);
    }
    unsigned regions = COUNT(PARALLEL_END), syncs = COUNT(SYNC_BEGIN + ompt_sync_region_barrier_explicit),
             waits = COUNT(WAIT_BEGIN + ompt_sync_region_barrier_explicit),
             mutexes = COUNT(MUTEX_TAKEN + ompt_mutex_critical);
    region();
    CHECK(COUNT(PARALLEL_END) == regions + 1 && COUNT(MUTEX_TAKEN + ompt_mutex_critical) == mutexes);
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_barrier_explicit) == syncs);
    CHECK(COUNT(WAIT_BEGIN + ompt_sync_region_barrier_explicit) == waits);
    for (int i = 0; i < TAKEN; i++)
        CHECK(set_callback(taken[i], were[i]) == ompt_set_always);
    region();
    CHECK(COUNT(SYNC_END + ompt_sync_region_barrier_explicit) == syncs + 2);
    CHECK(COUNT(MUTEX_GIVEN + ompt_mutex_critical) == mutexes + 2);
}

/* --- omp_control_tool, whose answer is the sum of its arguments (record.h) ---------------------------------------- */

static void control_at_each_level(void)
{
    counts[CONTROL] = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        CHECK(omp_control_tool(1, omp_get_level(), NULL) == 2);
#pragma omp parallel num_threads(2)
        {
            CHECK(omp_control_tool(1, omp_get_level(), NULL) == 3);
#pragma omp task
            CHECK(omp_control_tool(1, 10, NULL) == 11);
        }
    }
    CHECK(COUNT(CONTROL) == 2 + 4 + 4);
    omp_set_max_active_levels(1);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(omp_get_num_threads() == 1);
    in_a_stranger();
    at_known_places();
    between_regions();
    in_a_stranger();
    without_callbacks();
    control_at_each_level();
    at_all_places();
    CHECK(COUNT(PARALLEL_BEGIN) == COUNT(PARALLEL_END) && COUNT(TASK_CREATE) == COUNT(TASK_COMPLETE));
    return 0;
}
