/* core/task/taskdep*.c without the rest of the task engine (taskdep.h). Random lists of dependences are checked against
 * a model that compares each pair of siblings: exactly, step by step, on one thread; and on several threads that
 * complete random ready tasks, where the thread sanitizer checks the order of plain variables. Every block is back at
 * the end; taskdep_memory.c has the memory.
 */
#include "core/task/taskdep.h"

#include "base/check.h"
#include "core/sync/lock.h"
#include "host/os.h"
#include "process.h"
#include "taskdep.h"

static int created;           /* of the jobs */
static char place[ADDRESSES]; /* the addresses */

/* --- the model ---------------------------------------------------------------------------------------------------- */

static bool ordered(const struct job *a, const struct job *b)
{
    if (a->all || b->all)
        return true;
    for (int i = 0; i < ADDRESSES; i++)
        if (a->kind[i] != 0 && b->kind[i] != 0 && (a->kind[i] != b->kind[i] || a->kind[i] == OUT))
            return true;
    return false;
}

/* What the tasks of a round look like. */
struct mix {
    int addresses, items;
    int all_of;          /* one in this many names omp_all_memory; 0 = none */
    int kinds;           /* bit mask */
    bool in_order;       /* gcc's code: mutexinoutset is inout, and other threads' releases are queued */
};

static struct job *create(const struct mix *mix)
{
    struct job *job = &jobs[created];
    struct item item[MOST_ITEMS];
    int count = 1 + (int)any((uint32_t)mix->items);
    bool plain = true;
    for (int i = 0; i < count; i++) {
        int at = (int)any((uint32_t)mix->addresses), kind;
        do
            kind = 1 + (int)any(KINDS - 1);
        while (!(mix->kinds >> kind & 1));
        item[i] = (struct item){&place[at], kind, any(4) == 0};
        if (kind == INOUT || (kind == MUTEX && mix->in_order))
            kind = OUT;
        job->kind[at] = job->kind[at] == 0 || job->kind[at] == kind ? (unsigned char)kind : OUT;
        plain = plain && kind <= OUT;
    }
    if (mix->all_of != 0 && any((uint32_t)mix->all_of) == 0) {
        job->all = true;
        item[any((uint32_t)count)] = (struct item){NULL, OUT + (int)any(2), any(2) == 0};
    }
    job->task.traits = mix->in_order ? GHCOMP_TASK_DEPENDENT | GHCOMP_TASK_IN_ORDER : GHCOMP_TASK_DEPENDENT;
    job->before = malloc(sizeof *job->before * (size_t)(created + 1));
    for (int i = 0; i < created; i++)
        if (ordered(&jobs[i], job))
            job->before[job->before_count++] = i;
    created++;
    submit(job, item, count, plain && any(2) == 0);
    return job;
}

static void clear_jobs(void)
{
    for (int i = 0; i < created; i++)
        free(jobs[i].before);
    memset(jobs, 0, sizeof *jobs * (size_t)created);
    created = 0;
}

/* --- one thread: exact readiness ---------------------------------------------------------------------------------- */

static bool shares_a_mutex(const struct job *a, const struct job *b)
{
    for (int i = 0; i < ADDRESSES; i++)
        if (a->kind[i] == MUTEX && b->kind[i] == MUTEX)
            return true;
    return false;
}

/* A task is ready exactly when all that it must wait for is done and no ready task excludes it. */
static void check_states(int from)
{
    for (int i = from; i < created; i++) {
        struct job *job = &jobs[i];
        int state = ghcomp_load_relaxed(&job->state);
        if (state == DONE)
            continue;
        bool met = true, excluded = false;
        for (int k = 0; k < job->before_count; k++)
            met = met && ghcomp_load_relaxed(&jobs[job->before[k]].state) == DONE;
        for (int k = from; k < created; k++)
            if (k != i && ghcomp_load_relaxed(&jobs[k].state) == READY && shares_a_mutex(job, &jobs[k]))
                excluded = true;
        if (state == READY)
            CHECK(met && !(excluded && !job->all));
        else
            CHECK(!met || excluded);
    }
}

static void complete_one(int from)
{
    int ready[MOST_JOBS], count = 0;
    for (int i = from; i < created; i++)
        if (ghcomp_load_relaxed(&jobs[i].state) == READY)
            ready[count++] = i;
    CHECK(count > 0);
    struct job *job = &jobs[ready[any((uint32_t)count)]];
    ghcomp_store_relaxed(&job->state, DONE);
    struct ghcomp_member *self[] = {&owner, &other, NULL};
    complete_task(job, self[any(3)], any(2) == 0);
    CHECK(job->task.node == NULL);
}

static void exactly(const struct mix *mix, int count)
{
    int done = 0, from = 0;
    bool forgotten = false;
    while (done < count) {
        /* Bursts of creation, bursts of completion. */
        int burst = 1 + (int)any(12);
        for (int i = 0; i < burst && created < count; i++) {
            create(mix);
            check_states(from);
        }
        if (created == count && !forgotten && any(2) == 0) {
            /* The parent ends before its children. */
            ghcomp_depend_forget(&parent);
            forgotten = true;
        }
        burst = 1 + (int)any(12);
        for (int i = 0; i < burst && done < created; i++) {
            complete_one(from);
            done++;
            check_states(from);
        }
        while (from < created && ghcomp_load_relaxed(&jobs[from].state) == DONE)
            from++;
        if (done == created && any(3) == 0)
            ghcomp_depend_forget(&parent);
    }
    ghcomp_depend_forget(&parent);
    check_heap();
    clear_jobs();
}

static const struct mix mixes[] = {
    {1, 1, 0, 1 << IN | 1 << OUT, false},
    {1, 1, 0, 1 << MUTEX | 1 << INOUTSET | 1 << IN | 1 << OUT, false},
    {3, 2, 0, ~0, false},
    {3, 4, 25, ~0, false},
    {6, 3, 0, 1 << IN | 1 << INOUTSET, false},
    {4, 3, 0, 1 << MUTEX, false},
    {6, MOST_ITEMS, 0, 1 << MUTEX | 1 << INOUT | 1 << IN, false},
    {6, MOST_ITEMS, 9, ~0, false},
    {6, 2, 0, 1 << MUTEX | 1 << INOUTSET, false},
    {1, 1, 0, 1 << IN | 1 << OUT, true},
    {4, 1, 0, 1 << OUT, true},
    {3, 4, 25, ~0, true},
    {6, 2, 0, ~0, true},
    {6, MOST_ITEMS, 0, 1 << MUTEX | 1 << IN, true},
};
enum { MIXES = sizeof mixes / sizeof mixes[0] };

/* --- threads ------------------------------------------------------------------------------------------------------ */

enum { THREADS = 4 };

static _Atomic int published;       /* jobs that exist: store_release by the owner */
static _Atomic int finished;
static int total;
static _Atomic int inside[ADDRESSES]; /* atomic(relaxed): running tasks of a mutexinoutset */
static long sum[ADDRESSES];         /* plain: only what orders or excludes the tasks orders these */

static void run(struct job *job, struct ghcomp_member *self)
{
    int index = (int)(job - jobs);
    for (int k = 0; k < job->before_count; k++)
        CHECK(jobs[job->before[k]].result);
    for (int i = 0; i < ADDRESSES; i++) {
        if (job->kind[i] == MUTEX)
            CHECK_EQUAL(0, ghcomp_add_relaxed(&inside[i], 1));
        if (job->kind[i] == MUTEX || job->kind[i] == OUT)
            sum[i]++;
        else if (job->kind[i] != 0)
            CHECK(sum[i] <= total);
    }
    for (int i = index % 7; i > 0; i--)
        ghcomp_cpu_pause();
    if (index % 5 == 0)
        ghcomp_os_yield();
    for (int i = 0; i < ADDRESSES; i++)
        if (job->kind[i] == MUTEX)
            CHECK_EQUAL(1, ghcomp_sub_relaxed(&inside[i], 1));
    job->result = true;
    ghcomp_store_relaxed(&job->state, DONE);
    complete_task(job, self, index % 3 > 0);
    ghcomp_add_release(&finished, 1);
}

/* Runs a ready job, the first one from a random place on. */
static bool run_some(struct ghcomp_member *self, uint32_t *random)
{
    int count = ghcomp_load_acquire(&published);
    if (count == 0)
        return false;
    *random = *random * 1664525u + 1013904223u;
    int at = (int)((*random >> 8) % (uint32_t)count);
    for (int i = 0; i < count; i++, at = at + 1 == count ? 0 : at + 1) {
        int ready = READY;
        if (ghcomp_load_relaxed(&jobs[at].state) == READY && ghcomp_cas_acquire(&jobs[at].state, &ready, RUNNING)) {
            run(&jobs[at], self);
            return true;
        }
    }
    return false;
}

/* To other threads. The pause is for emulated CPUs that take turns. */
static void let_others(void)
{
    ghcomp_cpu_pause();
    ghcomp_os_yield();
}

static void *work(void *argument)
{
    uint32_t random = (uint32_t)(intptr_t)argument;
    struct ghcomp_member *self = random % 2 ? &other : NULL;
    while (ghcomp_load_acquire(&finished) < total)
        if (!run_some(self, &random))
            let_others();
    return NULL;
}

static void together(const struct mix *mix, int count, int backlog)
{
    pthread_t threads[THREADS];
    long want[ADDRESSES] = {0};
    uint32_t random = any(1000);
    total = count;
    memset(sum, 0, sizeof sum);
    ghcomp_store_relaxed(&published, 0);
    ghcomp_store_relaxed(&finished, 0);
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, work, (void *)(i + 1)));
    while (created < count) {
        struct job *job = create(mix);
        for (int i = 0; i < ADDRESSES; i++)
            want[i] += job->kind[i] == MUTEX || job->kind[i] == OUT;
        ghcomp_store_release(&published, created);
        while (created - ghcomp_load_relaxed(&finished) > backlog)
            if (!run_some(&owner, &random))
                let_others();
    }
    if (any(2) == 0)
        ghcomp_depend_forget(&parent);
    while (ghcomp_load_acquire(&finished) < total)
        if (!run_some(&owner, &random))
            let_others();
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
    for (int i = 0; i < ADDRESSES; i++)
        CHECK_EQUAL(want[i], sum[i]);
    ghcomp_depend_forget(&parent);
    check_heap();
    clear_jobs();
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

static void test_mutexes(void)
{
    struct item x_and_y[] = {{&place[0], MUTEX, false}, {&place[1], MUTEX, true}};
    submit_one(&jobs[0], &place[0], MUTEX);
    submit(&jobs[1], x_and_y, 2, false);
    submit_one(&jobs[2], &place[1], MUTEX);
    /* The second task holds nothing while it waits for x, so the third has y. */
    CHECK_EQUAL(READY, ghcomp_load_relaxed(&jobs[0].state));
    CHECK_EQUAL(WAITING, ghcomp_load_relaxed(&jobs[1].state));
    CHECK_EQUAL(READY, ghcomp_load_relaxed(&jobs[2].state));
    complete(&jobs[0], &owner);
    CHECK_EQUAL(WAITING, ghcomp_load_relaxed(&jobs[1].state));
    submit_one(&jobs[3], &place[0], MUTEX);
    CHECK_EQUAL(READY, ghcomp_load_relaxed(&jobs[3].state));
    complete(&jobs[2], &other);
    CHECK_EQUAL(WAITING, ghcomp_load_relaxed(&jobs[1].state));
    complete(&jobs[3], NULL);
    complete(&jobs[1], &owner);
    ghcomp_depend_forget(&parent);
    check_heap();
}

/* The maker of tasks takes the lock of their mutexes once for each task: here it is held while a task that belongs to
   two sets is registered, which would hang if that took it. */
static void test_joining_takes_no_lock(void)
{
    struct item x_and_y[] = {{&place[0], MUTEX, false}, {&place[1], MUTEX, true}};
    void *list[5 + MOST_ITEMS], *object[MOST_ITEMS][2];
    submit(&jobs[0], x_and_y, 2, false);
    struct ghcomp_depend_heap *heap = owner_thread.memory.dependences;
    encode(x_and_y, 2, false, list, object);
    ghcomp_store_relaxed(&jobs[1].state, WAITING);
    ghcomp_lock_take(&heap->mutex_lock);
    ghcomp_depend_register(&owner, &jobs[1].task, list);
    ghcomp_lock_give(&heap->mutex_lock);
    CHECK(!ghcomp_depend_commit(&owner, &jobs[1].task));
    complete(&jobs[0], &other);
    CHECK_EQUAL(READY, ghcomp_load_relaxed(&jobs[1].state));
    complete(&jobs[1], &owner);
    ghcomp_depend_forget(&parent);
    check_heap();
}

/* Tasks of a set give its mutex before, while and after the table leaves the set; the last one frees it. */
static void test_mutex_outlives_its_table(void)
{
    for (int done = 0; done <= 4; done++) {
        for (int i = 0; i < 4; i++)
            submit_one(&jobs[i], &place[0], MUTEX);
        for (int i = 0; i < done; i++)
            complete(&jobs[i], i % 2 == 0 ? &other : &owner);
        submit_one(&jobs[4], &place[0], OUT);
        CHECK_EQUAL(done == 4 ? READY : WAITING, ghcomp_load_relaxed(&jobs[4].state));
        for (int i = done; i < 5; i++) {
            CHECK_EQUAL(READY, ghcomp_load_relaxed(&jobs[i].state));
            complete(&jobs[i], i % 2 == 0 ? &owner : &other);
        }
        ghcomp_depend_forget(&parent);
        check_heap();
    }
}

static void test_empty_list(void)
{
    void *list[2] = {NULL}; /* no third word: an iterator without iterations */
    ghcomp_depend_register(&owner, &jobs[0].task, list);
    CHECK(ghcomp_depend_commit(&owner, &jobs[0].task));
    complete_task(&jobs[0], &owner, false);
    ghcomp_depend_forget(&parent);
}

/* An omp_depend_t that was never initialised. */
static void test_bad_object(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        void *object[2] = {place, (void *)77}, *list[6] = {NULL, (void *)1, NULL, NULL, NULL, object};
        CHECK(freopen("/dev/null", "w", stderr) != NULL);
        ghcomp_depend_register(&owner, &jobs[0].task, list);
        _exit(0);
    }
    int status = status_of(child);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(1, WEXITSTATUS(status));
}

int main(void)
{
    jobs = calloc(MOST_JOBS, sizeof *jobs);
    test_bad_object();
    test_empty_list();
    test_mutexes();
    test_joining_takes_no_lock();
    test_mutex_outlives_its_table();
    for (int round = 0; round < unit_rounds(20); round++)
        for (int i = 0; i < MIXES; i++) {
            seed = (uint64_t)(round * MIXES + i + 1);
            exactly(&mixes[i], 20 + 12 * round);
        }
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < MIXES; i++) {
            seed = (uint64_t)(round * MIXES + i + 1);
            together(&mixes[i], unit_rounds(300 + 200 * round), round % 2 ? 8 : 200);
        }
    ghcomp_task_queue_free(&team.queue);
    ghcomp_depend_heap_free(&owner_thread);
    CHECK(owner_thread.memory.dependences == NULL);
    free(jobs);
    return 0;
}
