/* Wake-ups of a region's sleepers when the first ones on the wake list need none: they see their mail while the list is
   still being written, read it too early, and pass nothing on. The others must be woken all the same. Runs under
   ASan+UBSan and TSan.
   limit: 60

   team.c is compiled into this test with a send of its own, which stops the master where the order matters; the
   library's team.o is then not linked. */
#include "unit.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sync/mailbox.h"
#include "core/team/pool.h"
#include "core/cpu/wait.h"

static bool held_send(struct ghcomp_thread *worker, const struct ghcomp_fork *fork, uint32_t tid, uint32_t last);
#define ghcomp_mailbox_send(worker, fork, tid, last) held_send(worker, fork, tid, last)
#include "core/team/team.c"
#undef ghcomp_mailbox_send

enum { MOST = 9, EARLY = 2 };

static bool holding;              /* master only */
static uint32_t held;             /* master only: sleepers that this region has sent mail to */
static _Atomic int begun;         /* members in the region's function, without the master */
static _Atomic int os_number[MOST]; /* gettid() of each member */

static void until(_Atomic int *counter, int value)
{
    while (ghcomp_load_acquire(counter) < value)
        ghcomp_os_yield();
}

/* The word's bit says that the worker is about to sleep; this says that it does. */
static bool asleep(int number)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    char *name_end = strrchr(line, ')');
    CHECK(name_end != NULL);
    return name_end[2] == 'S';
}

/* ghcomp_mailbox_send to a worker that sleeps. The first EARLY ones wake up early, as any sleeper may (host/os.h), and
   begin the region while the master is still here: its wake list is not complete before the last send. */
static bool held_send(struct ghcomp_thread *worker, const struct ghcomp_fork *fork, uint32_t tid, uint32_t last)
{
    if (!holding)
        return ghcomp_mailbox_send(worker, fork, tid, last);
    int number = ghcomp_load_relaxed(&os_number[tid]);
    while (!(ghcomp_load_acquire(&worker->mail.word) & 1u) || !asleep(number))
        ghcomp_os_yield();
    CHECK(ghcomp_mailbox_send(worker, fork, tid, last));
    if (++held <= EARLY) {
        ghcomp_os_wake(&worker->mail.word, 1);
        until(&begun, (int)held);
    }
    return true;
}

static void member(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_store_relaxed(&os_number[self->tid], (int)syscall(SYS_gettid));
    if (self->tid != 0)
        ghcomp_add_release(&begun, 1);
}

static void region_of(uint32_t size)
{
    held = 0;
    ghcomp_store_relaxed(&begun, 0);
    ghcomp_team_parallel(member, NULL, size, 0);
    CHECK_EQUAL(size - 1, ghcomp_load_relaxed(&begun));
    CHECK_EQUAL(holding ? size - 1 : 0, held);
}

int main(void)
{
    ghcomp_env_init();
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait_set_limit(kind, 0, 0);
    /* Three sleepers are the fewest with one left over; then an even and an odd number of those left over. */
    static const uint32_t sizes[] = {4, 5, 6, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        holding = false;
        region_of(sizes[i]);
        holding = true;
        for (int round = 0; round < 50; round++)
            region_of(sizes[i]);
    }
    return 0;
}
