/* pthread_cancel (deferred) of a thread in every wait of the runtime. The thread opens a region of two and waits; it is
   cancelled while it waits; then the other thread of the region lets it go on. The cancellation acts at the thread's
   next cancellation point after the region, and never inside: the region is complete, and its results are right. Every
   second turn the thread is cancelled before it opens the region. cancel_first.c has the region that sets the runtime
   up, cancel_queue.c the wait for admission.
   hosts: posix ghc
   limit: 60
   deep-limit: 900
   symbols: GOMP_barrier GOMP_taskwait GOMP_taskgroup_end GOMP_critical_start GOMP_single_copy_start */
#include "hostile.h"

static int waiting, let_go, complete, other_left, made;
static pid_t victim_id;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

/* In the thread to be cancelled: from here on it waits. */
static void soon(void)
{
    open_gate(&waiting);
}

/* In the other one: until the first one has waited for a while, cancelled. */
static void late(void)
{
    wait_for(&let_go);
    count_up(&other_left);
}

static int first(void)
{
    return omp_get_thread_num() == 0;
}

static void in_barrier(void)
{
    int seen = 0, given = 0;
#pragma omp parallel num_threads(2) shared(given)
    {
        if (first())
            soon();
        else {
            late();
            given = 5;
        }
#pragma omp barrier
        if (first())
            seen = given;
    }
    complete = seen == 5;
}

static void in_join(void)
{
    int given = 0;
#pragma omp parallel num_threads(2) shared(given)
    {
        if (first())
            soon();
        else {
            late();
            given = 5;
        }
    }
    complete = given == 5;
}

static void in_taskwait(void)
{
    int done = 0, seen = 0, started = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task shared(done, started)
        {
            open_gate(&started);
            late();
            done = 5;
        }
        wait_for(&started); /* by the other thread */
        soon();
#pragma omp taskwait
        seen = done;
    }
    complete = seen == 5;
}

static void in_depend(void)
{
    int done = 0, seen = 0, started = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task shared(done, started) depend(out : done)
        {
            open_gate(&started);
            late();
            done = 5;
        }
        wait_for(&started);
        soon();
#pragma omp task if (0) shared(done, seen) depend(in : done)
        seen = done;
    }
    complete = seen == 5;
}

static void in_taskgroup(void)
{
    int done = 0, seen = 0, started = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp taskgroup
        {
#pragma omp task shared(done, started)
            {
                open_gate(&started);
                late();
                done = 5;
            }
            wait_for(&started);
            soon();
        }
        seen = done;
    }
    complete = seen == 5;
}

/* Takes something that the other thread holds. */
#define TAKES(take, give)                     \
    int held = 0, inside = 0, seen = 0;       \
    _Pragma("omp parallel num_threads(2)")    \
    {                                         \
        if (first()) {                        \
            wait_for(&held);                  \
            soon();                           \
            take;                             \
            seen = inside;                    \
            give;                             \
        } else {                              \
            take;                             \
            open_gate(&held);                 \
            late();                           \
            inside = 5;                       \
            give;                             \
        }                                     \
    }                                         \
    complete = seen == 5

static void in_lock(void)
{
    TAKES(omp_set_lock(&lock), omp_unset_lock(&lock));
}

static void in_nest_lock(void)
{
    TAKES(omp_set_nest_lock(&nest_lock), omp_unset_nest_lock(&nest_lock));
}

static void in_critical(void)
{
    int held = 0, inside = 0, seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (first()) {
            wait_for(&held);
            soon();
        }
#pragma omp critical(cancelled)
        {
            if (first()) {
                seen = inside;
            } else {
                open_gate(&held);
                late();
                inside = 5;
            }
        }
    }
    complete = seen == 5;
}

static void in_ordered(void)
{
    int count = 0;
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 3; i >= 0; i--) {
        if (i == 2)
            late();
        if (i == 1)
            soon();
#pragma omp ordered
        count += count == 3 - i;
    }
    complete = count == 4;
}

static void in_doacross(void)
{
    int chain[5] = {0};
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (int i = 1; i < 5; i++) {
        if (i == 2)
            late();
        if (i == 3)
            soon();
#pragma omp ordered depend(sink : i - 1)
        chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    complete = chain[4] == 4;
}

static void in_copyprivate(void)
{
    int sum = 0, inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int value = 0;
        if (first()) {
            wait_for(&inside);
            soon();
        }
#pragma omp single copyprivate(value)
        {
            open_gate(&inside);
            late();
            value = 5;
        }
        sum += value;
    }
    complete = sum == 10;
}

static void in_single(void)
{
    int seen = 0, value = 0, inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : seen)
    {
        if (first()) {
            wait_for(&inside);
            soon();
        }
#pragma omp single
        {
            open_gate(&inside);
            late();
            value = 5;
        }
        seen += value;
    }
    complete = seen == 10;
}

static void in_nested_join(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp single nowait
        {
            int given = 0;
#pragma omp parallel num_threads(2) shared(given)
            {
                if (first())
                    soon();
                else {
                    late();
                    given = 5;
                }
            }
            sum += given;
        }
    }
    complete = sum == 5;
}

static void in_event(void)
{
    int done = 0;
#pragma omp parallel num_threads(2) shared(done)
    {
        static omp_event_handle_t event;
        if (first()) {
            omp_event_handle_t mine;
#pragma omp task detach(mine) shared(done)
            done += 2;
            event = mine;
            open_gate(&made);
            soon();
#pragma omp taskwait
            done += done == 2 ? 3 : 100;
        } else {
            wait_for(&made);
            late();
            omp_fulfill_event(event);
        }
    }
    complete = done == 5;
}

static void (*body)(void);

static void *victim(void *unused)
{
    int kind;
    (void)unused;
    exact();
    __atomic_store_n(&victim_id, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    body();
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &kind) == 0 && kind == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
    return NULL;
}

/* when: 0 while it waits; 1 before it opens the region. */
static void cancelled(const char *name, void (*function)(void), int when)
{
    pthread_t thread;
    void *result;
    waiting = let_go = complete = other_left = made = 0;
    victim_id = 0;
    body = function;
    CHECK(pthread_create(&thread, NULL, victim, NULL) == 0);
    if (when == 1)
        CHECK(pthread_cancel(thread) == 0);
    wait_for(&waiting);
    if (when == 0) {
        until_asleep(__atomic_load_n(&victim_id, __ATOMIC_ACQUIRE), 0.02);
        CHECK(pthread_cancel(thread) == 0);
    }
    until_asleep(__atomic_load_n(&victim_id, __ATOMIC_ACQUIRE), 0.005);
    usleep(1000);
    open_gate(&let_go);
    CHECK(pthread_join(thread, &result) == 0);
    if (result != PTHREAD_CANCELED || !complete || other_left != 1) {
        fprintf(stderr, "%s: %s, the region is %s, the other thread %s\n", name,
                result == PTHREAD_CANCELED ? "cancelled" : "not cancelled", complete ? "complete" : "not complete",
                other_left == 1 ? "has left" : "is still inside");
        exit(1);
    }
}

int main(void)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } waits[] = {{"doacross", in_doacross},       {"barrier", in_barrier},     {"join", in_join},
                 {"taskwait", in_taskwait},       {"depend", in_depend},       {"taskgroup", in_taskgroup},
                 {"lock", in_lock},               {"nest lock", in_nest_lock}, {"critical", in_critical},
                 {"ordered", in_ordered},         {"single", in_single},       {"copyprivate", in_copyprivate},
                 {"nested join", in_nested_join}, {"event", in_event}};
    int count = sizeof waits / sizeof *waits, turns = times(4, 500);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    for (int turn = 0; turn < turns; turn++)
        for (int i = 0; i < count; i++) {
            cancelled(waits[i].name, waits[i].function, turn % 2);
            exact();
            CHECK(team(3) == 3);
        }
    printf("%d waits, %d times each\n", count, turns);
    return 0;
}
