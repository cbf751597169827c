/* cbits/host/capabilities.c on a host whose Capabilities are this test's: found one after the other, also by who enters
   Haskell; not where they should be; more of them later; and fork(). ghcomp_sight says which it is. A case is a process
   of its own, because sight that is lost does not come back. */
#include "unit.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/atomic.h"
#include "core/pool.h"
#include "ghcomp.h"
#include "host/capabilities.h"
#include "host/host.h"

/* --- a host ------------------------------------------------------------------------------------------------------- */

enum { MOST = 8 };
struct capability {
    uint64_t head;
    uint32_t number, padding;
    void *_Atomic task; /* atomic(relaxed) */
};
static struct capability all[MOST];
static _Atomic uint32_t count = 3;
static pthread_mutex_t held[MOST]; /* a Capability is held while its lock is */
static char finders_task, other_task;
static enum { GOOD, NO_TASK, OTHER_TASK, WRONG_NUMBER, NOT_GIVEN_BACK } layout;

static uint32_t capabilities(void)
{
    return ghcomp_load_relaxed(&count);
}

static void worker_start(uint32_t number)
{
    (void)number;
}

static void worker_stop(void)
{
}

static int home(uint32_t number)
{
    return (int)(number % capabilities());
}

static int state(void)
{
    return GHCOMP_RTS_READY;
}

static void *hold(uint32_t number)
{
    bool second = number > 0;
    if (layout == WRONG_NUMBER && second)
        return &all[0];
    pthread_mutex_lock(&held[number]);
    void *task = layout == NO_TASK ? NULL : layout == OTHER_TASK && second ? &other_task : &finders_task;
    ghcomp_store_relaxed(&all[number].task, task);
    return &all[number];
}

static void release(void *pointer)
{
    struct capability *capability = pointer;
    if (layout == WRONG_NUMBER)
        return;
    if (layout != NOT_GIVEN_BACK)
        ghcomp_store_relaxed(&capability->task, NULL);
    pthread_mutex_unlock(&held[capability - all]);
}

extern const struct ghcomp_host ghcomp_host_table;
__attribute__((visibility("default"))) const struct ghcomp_host ghcomp_host_table = {
    .abi = GHCOMP_HOST_ABI,
    .name = "ghc",
    .origin = "test",
    .version = "",
    .capabilities = capabilities,
    .worker_start = worker_start,
    .worker_stop = worker_stop,
    .home = home,
    .state = state,
    .number_offset = offsetof(struct capability, number),
    .hold = hold,
    .release = release,
};

/* --- cases -------------------------------------------------------------------------------------------------------- */

static void choose(void)
{
    CHECK(strcmp(ghcomp_sight(), "none") == 0);
    ghcomp_host_select("ghc", 1);
    ghcomp_pool_host();
    CHECK(strcmp(ghcomp_host_name(), "ghc") == 0);
}

/* What it says is never anything else before that. */
static void becomes(const char *sight)
{
    while (strcmp(ghcomp_sight(), sight) != 0) {
        CHECK(strcmp(ghcomp_sight(), "none") != 0);
        ghcomp_capabilities_busy(); /* looks, and has those found that are missing */
        usleep(100);
    }
}

static void busy_becomes(uint32_t busy)
{
    while (ghcomp_capabilities_busy() != busy)
        usleep(100);
}

static void all_found(void)
{
    choose();
    becomes("aware");
    busy_becomes(0);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(ghcomp_capability(i) == &all[i] && !ghcomp_capability_held(&all[i]));
    ghcomp_store_relaxed(&all[1].task, (void *)&other_task);
    CHECK(ghcomp_capability_held(&all[1]));
    busy_becomes(1);
    ghcomp_store_relaxed(&all[1].task, NULL);
    busy_becomes(0);
}

/* Capability 1 is not given back for a time: the finder waits for it, and it counts as busy. */
static void one_is_busy(void)
{
    pthread_mutex_lock(&held[1]);
    choose();
    while (ghcomp_capability(0) == NULL)
        usleep(100);
    busy_becomes(2); /* what comes behind it has not been looked for */
    CHECK(strcmp(ghcomp_sight(), "finding") == 0);
    CHECK(ghcomp_capability(1) == NULL);
    pthread_mutex_unlock(&held[1]);
    becomes("aware");
    busy_becomes(0);
}

static void more_later(void)
{
    choose();
    becomes("aware");
    ghcomp_store_relaxed(&count, 6u);
    CHECK(strcmp(ghcomp_sight(), "finding") == 0);
    becomes("aware");
    CHECK(ghcomp_capability(5) == &all[5]);
    ghcomp_store_relaxed(&count, 2u);
    CHECK(strcmp(ghcomp_sight(), "aware") == 0);
}

static void not_there(void)
{
    choose();
    becomes("unaware");
    CHECK_EQUAL(0, ghcomp_capabilities_busy());
    CHECK(ghcomp_capability(0) == NULL);
    ghcomp_store_relaxed(&count, 6u);
    usleep(1000);
    CHECK(strcmp(ghcomp_sight(), "unaware") == 0);
}

static void no_task(void)
{
    layout = NO_TASK;
    not_there();
}

static void another_task(void)
{
    layout = OTHER_TASK;
    not_there();
}

static void not_given_back(void)
{
    layout = NOT_GIVEN_BACK;
    not_there();
}

/* The RTS gives another one when their number has just become smaller; not for ever. */
static void another_number(void)
{
    layout = WRONG_NUMBER;
    ghcomp_store_relaxed(&all[0].task, (void *)&finders_task);
    choose();
    becomes("unaware");
}

static void forked(void)
{
    choose();
    becomes("aware");
    pid_t child = fork();
    if (child == 0)
        _exit(strcmp(ghcomp_sight(), "none") == 0 && ghcomp_capability(0) == NULL ? 0 : 1);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(0, status);
    CHECK(strcmp(ghcomp_sight(), "aware") == 0);
}

int main(int argc, char **argv)
{
    static void (*const cases[])(void) = {all_found,    one_is_busy,    more_later,     no_task,
                                          another_task, not_given_back, another_number, forked};
    for (uint32_t i = 0; i < MOST; i++) {
        all[i].number = i;
        pthread_mutex_init(&held[i], NULL);
    }
    if (argc > 1) {
        cases[atoi(argv[1])]();
        return 0;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pid_t child = fork();
        if (child == 0) {
            char number[16];
            snprintf(number, sizeof number, "%zu", i);
            execl("/proc/self/exe", argv[0], number, (char *)NULL); /* a forked process gets no RTS */
            _exit(127);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0) {
            fprintf(stderr, "case %zu: status %d\n", i, status);
            return 1;
        }
    }
    return 0;
}
