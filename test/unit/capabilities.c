/* What the runtime sees of Capabilities, on a host whose Capabilities are the test's own: found one after the other,
   also by threads that enter Haskell; laid out wrongly, in each way; one that is busy for long; more and fewer of them;
   how often they are read; collections; forgetting; fork(). ghcomp_capability_visibility names the state. Lost
   visibility never comes back, so each case is a process of its own. Runs under ASan+UBSan and TSan. */
#include "process.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "fake_ghc.h"
#include "ghcomp.h"
#include "host/capabilities.h"
#include "host/os.h"

/* --- Capabilities ------------------------------------------------------------------------------------------------- */

enum { MANY = 8, LOOK_TICKS = GHCOMP_TICKS_PER_US /* capabilities.c: LOOK_EVERY_TICKS */ };

struct capability {
    char public_part[64];
    _Atomic uint32_t number;
    _Atomic(void *) task;
    char between[16];
    _Atomic int interrupt;
};
static struct capability all[MANY];
static _Atomic uint32_t enabled = 3, looks, holds;
static _Atomic uint32_t misdirected; /* this many more calls of hold() give Capability 0, whichever they ask for */
static enum { GOOD, SAME_NUMBER, NO_NUMBER, NO_TASK, NEW_TASKS, NEVER_FREE } fault;
static char my_task[MANY];
static char finder_task; /* only hold()'s: no thread of the test is the Task that has just given a Capability back */

static uint32_t capabilities(void)
{
    ghcomp_add_relaxed(&looks, 1u);
    return ghcomp_load_relaxed(&enabled);
}

static void take(struct capability *capability, void *task)
{
    void *none = NULL;
    while (!ghcomp_cas_acqrel(&capability->task, &none, task)) {
        none = NULL;
        ghcomp_os_yield();
    }
}

static void *hold(uint32_t number)
{
    uint32_t before = ghcomp_load_relaxed(&misdirected);
    ghcomp_add_relaxed(&holds, 1u);
    if (before > 0) {
        ghcomp_store_relaxed(&misdirected, before - 1);
        number = 0;
    }
    struct capability *capability = &all[number];
    if (fault == NO_TASK)
        return capability;
    take(capability, fault == NEW_TASKS ? &my_task[number] : &finder_task);
    return capability;
}

static void release(void *held)
{
    struct capability *capability = held;
    if (fault != NEVER_FREE)
        ghcomp_store_release(&capability->task, NULL);
}

FAKE_GHC(.origin = "test", .capabilities = capabilities, .hold = hold, .release = release,
         .number_offset = offsetof(struct capability, number),
         .interrupt_offset = offsetof(struct capability, interrupt));

/* --- looking ------------------------------------------------------------------------------------------------------ */

static void check_visibility(const char *visibility)
{
    if (strcmp(ghcomp_capability_visibility(), visibility) != 0) {
        fprintf(stderr, "ghcomp_capability_visibility() is %s, not %s\n", ghcomp_capability_visibility(), visibility);
        exit(1);
    }
    CHECK_EQUAL(strcmp(visibility, "none") == 0      ? GHCOMP_VISIBILITY_NONE
                : strcmp(visibility, "unaware") == 0 ? GHCOMP_VISIBILITY_UNAWARE
                                                : GHCOMP_VISIBILITY_AWARE,
                ghcomp_capabilities_visibility());
}

static void number_them(void)
{
    for (uint32_t i = 0; i < MANY; i++)
        ghcomp_store_relaxed(&all[i].number, fault == SAME_NUMBER ? 0u : fault == NO_NUMBER ? 70000u : i);
}

static void begin(void)
{
    number_them();
    check_visibility("none");
    CHECK_EQUAL(0, ghcomp_capabilities_busy());
    CHECK(!ghcomp_capabilities_collecting());
    ghcomp_host_select("auto", 1);
    CHECK(ghcomp_host() == &ghcomp_host_table);
    ghcomp_capabilities_start();
}

/* After more than a microsecond, so that the Capabilities are read anew. */
static uint32_t busy_now(void)
{
    uint64_t since = ghcomp_cpu_ticks();
    while (ghcomp_cpu_ticks() - since <= LOOK_TICKS)
        ghcomp_cpu_pause();
    return ghcomp_capabilities_busy();
}

/* Waits for a visibility; before that it is never "none" again. */
static void becomes(const char *visibility)
{
    while (strcmp(ghcomp_capability_visibility(), visibility) != 0) {
        CHECK(strcmp(ghcomp_capability_visibility(), "none") != 0);
        busy_now(); /* a look starts a finder */
        ghcomp_os_yield();
    }
}

static void wait_until_found(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        while (ghcomp_capability(i) == NULL) {
            busy_now();
            ghcomp_os_yield();
        }
    while (busy_now() != 0) /* until the finder has gone */
        ghcomp_os_yield();
}

static void begin_aware(void)
{
    begin();
    wait_until_found(3);
    check_visibility("aware");
    for (uint32_t i = 0; i < 3; i++)
        CHECK(ghcomp_capability(i) == &all[i]);
    CHECK(ghcomp_capability(3) == NULL);
    CHECK(ghcomp_capability(1u << 20) == NULL);
}

static void begin_unaware(void)
{
    begin();
    becomes("unaware");
    take(&all[5], &my_task[5]);
    ghcomp_store_relaxed(&enabled, 6u);
    CHECK_EQUAL(0, busy_now());
    CHECK(!ghcomp_capabilities_collecting());
    CHECK(ghcomp_capability(0) == NULL);
    ghcomp_capabilities_start(); /* takes effect once only */
    ghcomp_os_nap(1000000);
    check_visibility("unaware");
}

static void counts_those_held(void)
{
    begin_aware();
    take(&all[1], &my_task[1]);
    CHECK_EQUAL(1, busy_now());
    CHECK(ghcomp_capability_held(ghcomp_capability(1)) && !ghcomp_capability_held(ghcomp_capability(0)));
    take(&all[0], &my_task[0]);
    take(&all[2], &my_task[2]);
    CHECK_EQUAL(3, busy_now());
    for (int i = 0; i < 3; i++)
        release(&all[i]);
    CHECK_EQUAL(0, busy_now());
    uint32_t held = ghcomp_load_relaxed(&holds);
    for (int i = 0; i < 100; i++)
        busy_now();
    CHECK_EQUAL(held, ghcomp_load_relaxed(&holds)); /* a Capability that was found is never held again */
}

static void same_numbers_are_noticed(void)
{
    fault = SAME_NUMBER;
    begin_unaware();
}

static void no_number_is_noticed(void)
{
    fault = NO_NUMBER;
    begin_unaware();
}

static void an_empty_word_is_noticed(void)
{
    fault = NO_TASK;
    begin_unaware();
}

static void changing_words_are_noticed(void)
{
    fault = NEW_TASKS;
    begin_unaware();
}

static void a_word_that_stays_is_noticed(void)
{
    fault = NEVER_FREE;
    begin_unaware();
}

static void wrong_capabilities_are_noticed(void)
{
    ghcomp_store_relaxed(&misdirected, 1000u);
    begin_unaware();
}

/* As when the number of Capabilities has just become smaller. */
static void three_wrong_capabilities_are_forgiven(void)
{
    ghcomp_store_relaxed(&misdirected, 3u);
    begin_aware();
}

static void what_is_held_for_long_counts_as_busy(void)
{
    take(&all[1], &my_task[1]);
    begin();
    while (ghcomp_capability(0) == NULL || ghcomp_load_relaxed(&holds) < 2)
        ghcomp_os_yield();
    for (int i = 0; i < 50; i++) {
        CHECK_EQUAL(2, busy_now()); /* the one that is held, and the next one, which is not found yet */
        CHECK(ghcomp_capability(1) == NULL);
        check_visibility("finding");
        ghcomp_os_nap(100000);
    }
    CHECK_EQUAL(2, ghcomp_load_relaxed(&holds)); /* one finder, however many threads look */
    release(&all[1]);
    wait_until_found(3);
    check_visibility("aware");
}

static void numbers_grow_and_shrink(void)
{
    begin_aware();
    take(&all[6], &my_task[6]);
    ghcomp_store_relaxed(&enabled, 7u);
    check_visibility("finding"); /* before any look */
    do {
        CHECK(busy_now() >= 1);
        ghcomp_os_yield();
    } while (ghcomp_capability(5) == NULL);
    CHECK(ghcomp_capability(6) == NULL);
    release(&all[6]);
    wait_until_found(7);
    check_visibility("aware");
    take(&all[0], &my_task[0]);
    take(&all[5], &my_task[5]);
    CHECK_EQUAL(2, busy_now());
    ghcomp_store_relaxed(&enabled, 2u);
    check_visibility("aware");
    CHECK_EQUAL(1, busy_now());
    CHECK(ghcomp_capability(5) == &all[5]); /* neither moved nor freed */
    uint32_t held = ghcomp_load_relaxed(&holds);
    ghcomp_store_relaxed(&enabled, 7u);
    CHECK_EQUAL(2, busy_now());
    CHECK_EQUAL(held, ghcomp_load_relaxed(&holds));
    check_visibility("aware");
}

static void *ask_often(void *nothing)
{
    (void)nothing;
    for (int i = 0; i < 100000; i++)
        CHECK(ghcomp_capabilities_busy() <= 3);
    return NULL;
}

static void reads_are_a_microsecond_apart(void)
{
    begin_aware();
    uint32_t before = ghcomp_load_relaxed(&looks);
    uint64_t since = ghcomp_cpu_ticks();
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, ask_often, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    uint64_t turns = (ghcomp_cpu_ticks() - since) / LOOK_TICKS;
    uint32_t looked = ghcomp_load_relaxed(&looks) - before;
    CHECK(looked >= 1 && looked <= turns + 1);
    /* A question in between gets the last look's answer. */
    for (;;) {
        for (since = ghcomp_cpu_ticks(); ghcomp_cpu_ticks() - since <= LOOK_TICKS;)
            ghcomp_cpu_pause();
        since = ghcomp_cpu_ticks();
        CHECK_EQUAL(0, ghcomp_capabilities_busy()); /* looks, and not before `since` */
        take(&all[2], &my_task[2]);
        uint32_t told = ghcomp_capabilities_busy();
        bool at_once = ghcomp_cpu_ticks() - since < LOOK_TICKS;
        CHECK_EQUAL(1, busy_now());
        release(&all[2]);
        if (!at_once)
            continue;
        CHECK_EQUAL(0, told);
        break;
    }
}

static void collections_are_seen(void)
{
    begin_aware();
    CHECK(!ghcomp_capabilities_collecting());
    take(&all[0], &my_task[0]);
    take(&all[1], &my_task[1]);
    CHECK(!ghcomp_capabilities_collecting());
    take(&all[2], &my_task[0]);
    CHECK(ghcomp_capabilities_collecting()); /* one Task holds two; seen at once, however recent the last look */
    release(&all[2]);
    CHECK(!ghcomp_capabilities_collecting());
    ghcomp_store_relaxed(&all[1].interrupt, 1);
    CHECK(ghcomp_capabilities_collecting());
    release(&all[1]);
    CHECK(!ghcomp_capabilities_collecting()); /* no Capability is left to be stopped */
    ghcomp_store_relaxed(&all[1].interrupt, 0);
    take(&all[4], &my_task[0]);
    CHECK(!ghcomp_capabilities_collecting()); /* this one is disabled */
}

static void looks_for_collections_are_shared(void)
{
    enum { ASK_TICKS = 12000 };
    begin_aware();
    uint64_t now = ghcomp_cpu_ticks();
    CHECK(!ghcomp_capabilities_collecting_lately(now, ASK_TICKS));
    take(&all[0], &my_task[0]);
    take(&all[1], &my_task[0]);
    CHECK(!ghcomp_capabilities_collecting_lately(now + ASK_TICKS, ASK_TICKS));
    CHECK(!ghcomp_capabilities_collecting_lately(now - 10, ASK_TICKS)); /* its clock is before the others' look */
    CHECK(!ghcomp_capabilities_collecting_lately(now - 2 * ASK_TICKS, ASK_TICKS));
    CHECK(ghcomp_capabilities_collecting_lately(now + ASK_TICKS + 1, ASK_TICKS));
    release(&all[1]);
    CHECK(ghcomp_capabilities_collecting_lately(now, ASK_TICKS));
    CHECK(!ghcomp_capabilities_collecting_lately(now + 3 * ASK_TICKS, ASK_TICKS));
    release(&all[0]);
}

/* One look finds short collections, too. */
static void a_collection_by_one_thread_shows_twice(void)
{
    enum { ASK_TICKS = 12000 };
    begin_aware();
    uint64_t now = ghcomp_cpu_ticks();
    CHECK(!ghcomp_capabilities_held_together_lately(now, ASK_TICKS));
    take(&all[0], &my_task[0]);
    take(&all[1], &my_task[1]);
    ghcomp_store_relaxed(&all[1].interrupt, 1);
    CHECK(ghcomp_capabilities_collecting()); /* one waits for the other */
    for (int i = 0; i < 3; i++)
        CHECK(!ghcomp_capabilities_held_together_lately(now += ASK_TICKS + 1, ASK_TICKS));
    ghcomp_store_relaxed(&all[1].interrupt, 0);
    release(&all[1]);
    take(&all[1], &my_task[0]);
    CHECK(!ghcomp_capabilities_held_together_lately(now += ASK_TICKS + 1, ASK_TICKS));
    CHECK(!ghcomp_capabilities_held_together_lately(now, ASK_TICKS)); /* the same look */
    CHECK(ghcomp_capabilities_held_together_lately(now += ASK_TICKS + 1, ASK_TICKS));
    CHECK(ghcomp_capabilities_held_together_lately(now += ASK_TICKS + 1, ASK_TICKS));
    release(&all[1]);
    CHECK(!ghcomp_capabilities_held_together_lately(now += ASK_TICKS + 1, ASK_TICKS));
    take(&all[1], &my_task[0]);
    CHECK(!ghcomp_capabilities_held_together_lately(now += ASK_TICKS + 1, ASK_TICKS));
    release(&all[1]);
    release(&all[0]);
}

static void entering_threads_reveal_capabilities(void)
{
    take(&all[0], &my_task[0]);
    begin(); /* the finder waits */
    void *task = NULL;
    void *mine = &my_task[7];
    take(&all[2], mine);
    ghcomp_capability_learn(&all[2], &task);
    CHECK(task == mine);
    CHECK(ghcomp_capability(2) == &all[2]);
    ghcomp_store_release(&all[2].task, NULL);
    ghcomp_capability_learnt(&all[2], task);
    check_visibility("finding");
    release(&all[0]);
    wait_until_found(3);
    take(&all[1], &my_task[6]);
    ghcomp_capability_learn(&all[1], &task); /* by another Task than before */
    check_visibility("unaware");
}

static void forgotten_capabilities_are_not_read(void)
{
    begin_aware();
    take(&all[0], &my_task[0]);
    CHECK_EQUAL(1, busy_now());
    ghcomp_capabilities_forget();
    memset((void *)&all[0], 0xa5, offsetof(struct capability, number));
    uint32_t before = ghcomp_load_relaxed(&looks);
    CHECK_EQUAL(0, busy_now());
    CHECK(!ghcomp_capabilities_collecting());
    CHECK(ghcomp_capability(0) == NULL);
    check_visibility("none");
    ghcomp_capabilities_start();
    CHECK_EQUAL(0, busy_now());
    CHECK_EQUAL(before, ghcomp_load_relaxed(&looks));
}

static void *flicker(void *data)
{
    struct capability *capability = data;
    for (int i = 0; i < 3000; i++) {
        take(capability, &my_task[capability - all]);
        ghcomp_os_yield();
        release(capability);
    }
    return NULL;
}

static void looks_from_many_threads(void)
{
    begin();
    pthread_t threads[5];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, flicker, &all[i]) == 0);
    for (int i = 3; i < 5; i++)
        CHECK(pthread_create(&threads[i], NULL, ask_often, NULL) == 0);
    for (int i = 0; i < 5; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    wait_until_found(3);
    check_visibility("aware");
}

/* Asking for the host's name chooses the host and finds its Capabilities. */
static void named_hosts_are_looked_at(void)
{
    number_them();
    check_visibility("none");
    ghcomp_host_select("ghc", 1);
    check_visibility("none");
    CHECK(strcmp(ghcomp_host_name(), "ghc") == 0);
    becomes("aware");
    wait_until_found(3);
    take(&all[1], &my_task[1]);
    CHECK_EQUAL(1, busy_now());
}

static void children_see_nothing(void)
{
    if (unit_without("fork"))
        return;
    begin_aware();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        check_visibility("none");
        CHECK(ghcomp_capability(0) == NULL);
        CHECK_EQUAL(0, busy_now());
        _exit(0);
    }
    CHECK_EQUAL(0, status_of(child));
    check_visibility("aware");
}

static void prepare(void)
{
}

static const struct unit_case cases[] = {
    UNIT_CASE(counts_those_held),
    UNIT_CASE(same_numbers_are_noticed),
    UNIT_CASE(no_number_is_noticed),
    UNIT_CASE(an_empty_word_is_noticed),
    UNIT_CASE(changing_words_are_noticed),
    UNIT_CASE(a_word_that_stays_is_noticed),
    UNIT_CASE(wrong_capabilities_are_noticed),
    UNIT_CASE(three_wrong_capabilities_are_forgiven),
    UNIT_CASE(what_is_held_for_long_counts_as_busy),
    UNIT_CASE(numbers_grow_and_shrink),
    UNIT_CASE(reads_are_a_microsecond_apart),
    UNIT_CASE(collections_are_seen),
    UNIT_CASE(looks_for_collections_are_shared),
    UNIT_CASE(a_collection_by_one_thread_shows_twice),
    UNIT_CASE(entering_threads_reveal_capabilities),
    UNIT_CASE(forgotten_capabilities_are_not_read),
    UNIT_CASE(looks_from_many_threads),
    UNIT_CASE(named_hosts_are_looked_at),
    UNIT_CASE(children_see_nothing),
};

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, prepare, cases);
}
