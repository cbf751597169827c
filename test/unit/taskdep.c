/* core/taskdep*.c without the rest of the task engine: the test makes the tasks, and takes the ready ones from the
 * module (the linker's --wrap=ghcomp_task_ready). Random lists of dependences in both of the ABI's forms are checked
 * against a model that compares each pair of siblings: exactly, step by step, on one thread; and on several threads
 * that complete random ready tasks, where the thread sanitizer checks the order of plain variables. Then the memory:
 * bounded by the unfinished tasks, no malloc in a steady state, every block back at the end.
 */
#include "core/task/taskdep.h"

#include <string.h>

#include "base/check.h"
#include "core/sync/lock.h"
#include "core/task/task.h"
#include "core/task/taskdep_node.h"
#include "host/os.h"
#include "process.h"

enum { IN = 1, OUT, INOUT, MUTEX, INOUTSET, KINDS };
enum { ADDRESSES = 6, MOST_ITEMS = 7, MOST_JOBS = 3000 };
enum state { ABSENT, WAITING, READY, RUNNING, DONE };

struct job {
    struct ghcomp_task task;
    /* store_release by ghcomp_task_ready, cas_acquire by its runner: orders only them */
    _Atomic int state;
    bool all;                       /* names omp_all_memory */
    unsigned char kind[ADDRESSES];  /* 0 = does not name it; two kinds are OUT */
    bool result;                    /* plain: written by its run, read by those that wait for it */
    int before_count;
    int *before;                    /* the jobs that it must wait for */
};

static struct job *jobs;
static int created;
static char place[ADDRESSES];       /* the addresses */
static struct ghcomp_task parent;
static struct ghcomp_thread owner_thread, other_thread;
static struct ghcomp_member owner = {.thread = &owner_thread, .task = &parent}, other = {.thread = &other_thread};
static struct ghcomp_team team;

/* Sizes and number of the module's calls of malloc. */
static uint64_t allocations, largest;

void *__real_ghcomp_alloc_zeroed(size_t bytes);
void *__wrap_ghcomp_alloc_zeroed(size_t bytes);
void *__wrap_ghcomp_alloc_zeroed(size_t bytes)
{
    allocations++;
    if (bytes > largest)
        largest = bytes;
    return __real_ghcomp_alloc_zeroed(bytes);
}

void *__real_ghcomp_alloc_lines(size_t bytes);
void *__wrap_ghcomp_alloc_lines(size_t bytes);
void *__wrap_ghcomp_alloc_lines(size_t bytes)
{
    allocations++;
    return __real_ghcomp_alloc_lines(bytes);
}

static struct ghcomp_team *expected_team = &team;

void __wrap_ghcomp_task_ready(struct ghcomp_member *self, struct ghcomp_team *the_team, struct ghcomp_task *task);
void __wrap_ghcomp_task_ready(struct ghcomp_member *self, struct ghcomp_team *the_team, struct ghcomp_task *task)
{
    struct job *job = (struct job *)task;
    CHECK(self == NULL || self->thread == &owner_thread || self->thread == &other_thread);
    CHECK(the_team == expected_team);
    CHECK_EQUAL(WAITING, ghcomp_load_relaxed(&job->state));
    ghcomp_store_release(&job->state, READY);
}

static uint64_t seed;

static uint32_t any(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

struct item {
    void *address;
    int kind;
    bool object;
};

/* The ABI's list of the items; the objects live in `object`. */
static void encode(const struct item *item, int count, bool plain, void **list, void *object[][2])
{
    int at, counts[4] = {0};
    if (plain) {
        at = 2;
        for (int turn = 0; turn < 2; turn++)
            for (int i = 0; i < count; i++)
                if ((item[i].kind == IN) == turn) {
                    list[at++] = item[i].address;
                    counts[turn]++;
                }
        list[0] = (void *)(intptr_t)count;
        list[1] = (void *)(intptr_t)counts[0];
        return;
    }
    at = 5;
    for (int turn = 0; turn < 4; turn++)
        for (int i = 0; i < count; i++) {
            int group = item[i].object || item[i].kind == INOUTSET ? 3
                        : item[i].kind == IN ? 2 : item[i].kind == MUTEX ? 1 : 0;
            if (group != turn)
                continue;
            counts[turn]++;
            if (group < 3) {
                list[at++] = item[i].address;
            } else {
                object[i][0] = item[i].address;
                object[i][1] = (void *)(intptr_t)item[i].kind;
                list[at++] = object[i];
            }
        }
    list[0] = NULL;
    list[1] = (void *)(intptr_t)count;
    for (int i = 0; i < 3; i++)
        list[2 + i] = (void *)(intptr_t)counts[i];
}

static void submit(struct job *job, const struct item *item, int count, bool plain)
{
    void *list[5 + MOST_ITEMS], *object[MOST_ITEMS][2];
    encode(item, count, plain, list, object);
    ghcomp_store_relaxed(&job->state, WAITING);
    ghcomp_depend_register(&owner, &job->task, list);
    if (ghcomp_depend_commit(&owner, &job->task)) {
        CHECK_EQUAL(WAITING, ghcomp_load_relaxed(&job->state));
        ghcomp_store_release(&job->state, READY);
    }
}

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
        if (kind == INOUT)
            kind = OUT;
        job->kind[at] = job->kind[at] == 0 || job->kind[at] == kind ? (unsigned char)kind : OUT;
        plain = plain && kind <= OUT;
    }
    if (mix->all_of != 0 && any((uint32_t)mix->all_of) == 0) {
        job->all = true;
        item[any((uint32_t)count)] = (struct item){NULL, OUT + (int)any(2), any(2) == 0};
    }
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

/* Every block is free: nothing refers to any. */
static void check_heap(void)
{
    struct ghcomp_depend_heap *heap = owner_thread.memory.dependences;
    if (heap == NULL)
        return;
    uint64_t count = 0;
    for (struct ghcomp_block *block = heap->blocks.free; block != NULL; block = block->next)
        count++;
    for (struct ghcomp_block *block = ghcomp_load_acquire(&heap->blocks.returned); block != NULL; block = block->next)
        count++;
    CHECK_EQUAL(heap->blocks.count, count);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&heap->mutex_lock));
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
    ghcomp_depend_complete(self[any(3)], &team, &job->task);
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
    {1, 1, 0, 1 << IN | 1 << OUT},
    {1, 1, 0, 1 << MUTEX | 1 << INOUTSET | 1 << IN | 1 << OUT},
    {3, 2, 0, ~0},
    {3, 4, 25, ~0},
    {6, 3, 0, 1 << IN | 1 << INOUTSET},
    {4, 3, 0, 1 << MUTEX},
    {6, MOST_ITEMS, 0, 1 << MUTEX | 1 << INOUT | 1 << IN},
    {6, MOST_ITEMS, 9, ~0},
    {6, 2, 0, 1 << MUTEX | 1 << INOUTSET},
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
    ghcomp_depend_complete(self, &team, &job->task);
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

static void *work(void *argument)
{
    uint32_t random = (uint32_t)(intptr_t)argument;
    struct ghcomp_member *self = random % 2 ? &other : NULL;
    while (ghcomp_load_acquire(&finished) < total)
        if (!run_some(self, &random))
            ghcomp_os_yield();
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
                ghcomp_os_yield();
    }
    if (any(2) == 0)
        ghcomp_depend_forget(&parent);
    while (ghcomp_load_acquire(&finished) < total)
        if (!run_some(&owner, &random))
            ghcomp_os_yield();
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
    for (int i = 0; i < ADDRESSES; i++)
        CHECK_EQUAL(want[i], sum[i]);
    ghcomp_depend_forget(&parent);
    check_heap();
    clear_jobs();
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void submit_one(struct job *job, void *address, int kind)
{
    submit(job, &(struct item){address, kind, false}, 1, kind <= INOUT);
}

static void complete(struct job *job, struct ghcomp_member *self)
{
    CHECK_EQUAL(READY, ghcomp_load_relaxed(&job->state));
    ghcomp_store_relaxed(&job->state, DONE);
    ghcomp_depend_complete(self, &team, &job->task);
}

static uint64_t blocks(void)
{
    return owner_thread.memory.dependences == NULL ? 0 : owner_thread.memory.dependences->blocks.count;
}

/* At most `unfinished` tasks are unfinished; the oldest is completed by the owner or by another thread. */
static void stream(int count, int unfinished, int kind, bool one_address, struct ghcomp_member *self)
{
    static char space[1 << 20];
    for (int i = 0; i < count; i++) {
        if (i >= unfinished)
            complete(&jobs[i % unfinished], self);
        submit_one(&jobs[i % unfinished], one_address ? space : &space[i & ((1 << 20) - 1)], kind);
    }
    for (int i = count; i < count + unfinished; i++)
        complete(&jobs[i % unfinished], self);
}

static void test_streams(void)
{
    enum { COUNT = 1000000 };
    struct ghcomp_member *who[] = {&owner, &other};
    for (int i = 0; i < 2; i++)
        for (int kind = IN; kind < KINDS; kind++)
            for (int one_address = 0; one_address < 2; one_address++)
                for (int unfinished = 1; unfinished <= 50; unfinished += 49) {
                    ghcomp_depend_forget(&parent);
                    ghcomp_depend_heap_free(&owner_thread);
                    stream(1000, unfinished, kind, one_address, who[i]);
                    uint64_t had = allocations;
                    largest = 0;
                    stream(COUNT / 50, unfinished, kind, one_address, who[i]);
                    CHECK(blocks() <= 1000);
                    CHECK(largest <= 64 * 1024);
                    /* The smallest tables are used again. */
                    CHECK(allocations - had <= (unfinished == 1 ? 0 : COUNT / 50 / 50));
                    ghcomp_depend_forget(&parent);
                    check_heap();
                }
    /* Full length for the three streams that are typical of programs. */
    stream(COUNT, 1, IN, true, &owner);
    stream(COUNT, 2, INOUT, true, &owner);
    stream(COUNT, 1, INOUT, false, &other);
    CHECK(blocks() <= 1000);
    ghcomp_depend_forget(&parent);
    check_heap();
}

/* A chain, a fan and many addresses; nothing is finished before everything is made. */
static void test_many_unfinished(void)
{
    enum { MANY = MOST_JOBS };
    static char space[MANY];
    for (int round = 0; round < 3; round++) {
        struct ghcomp_member *self = round % 2 ? &owner : NULL;
        for (int i = 0; i < MANY; i++)
            submit_one(&jobs[i], space, INOUT);
        CHECK(blocks() <= MANY + 100);
        for (int i = 0; i < MANY; i++) {
            CHECK(i + 1 == MANY || ghcomp_load_relaxed(&jobs[i + 1].state) == WAITING);
            complete(&jobs[i], self);
        }
        ghcomp_depend_forget(&parent);
        check_heap();
    }
    /* Two sets, joined in the middle: as many edges as tasks. */
    int first[] = {IN, INOUTSET, MUTEX, INOUTSET}, then[] = {INOUTSET, IN, IN, OUT};
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < MANY / 2; i++)
            submit_one(&jobs[i], space, first[round]);
        for (int i = MANY / 2; i < MANY; i++)
            submit_one(&jobs[i], space, then[round]);
        CHECK(blocks() <= 3 * MANY);
        for (int i = 0; i < MANY; i++)
            complete(&jobs[i], round % 2 ? &owner : &other);
        ghcomp_depend_forget(&parent);
        check_heap();
    }
    /* Many addresses; when their tasks are complete, the table becomes small again. */
    largest = 0;
    for (int i = 0; i < MANY; i++)
        submit_one(&jobs[i], &space[i], IN);
    CHECK(largest > MANY * 32 && largest < MANY * 512);
    for (int i = 0; i < MANY; i++)
        complete(&jobs[i], &owner);
    largest = 0;
    stream(100000, 1, OUT, false, &owner);
    CHECK(largest < 2048);
    ghcomp_depend_forget(&parent);
    check_heap();
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
    ghcomp_depend_complete(&owner, &team, &jobs[0].task);
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
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < MIXES; i++) {
            seed = (uint64_t)(round * MIXES + i + 1);
            exactly(&mixes[i], 20 + 12 * round);
        }
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < MIXES; i++) {
            seed = (uint64_t)(round * MIXES + i + 1);
            together(&mixes[i], 300 + 200 * round, round % 2 ? 8 : 200);
        }
    test_many_unfinished();
    test_streams();
    ghcomp_depend_heap_free(&owner_thread);
    CHECK(owner_thread.memory.dependences == NULL);
    free(jobs);
    return 0;
}
