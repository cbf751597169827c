/* Binding threads to places: which member gets which place (primary, close, spread), and each thread's mask.
 *
 * The place list is made once, from the environment. A member knows its place (member.place, 1-based, 0 = not bound)
 * and its place-partition-var (partition_first, partition_len).
 *
 *   1. The master of a region computes the slot of each member and writes those of workers into their mails. `moved` is
 *      set if the worker is not bound there yet, or if its partition has changed; the master may read the worker's
 *      fields because the worker has joined, or comes from the pool. So a hot team whose places stay costs its workers
 *      nothing.
 *   2. The worker copies its slot and sets its own affinity mask before it runs its part of the region
 *      (ghcomp_affinity_apply), so that what it allocates is near it.
 *   3. A thread's mask is set when its place differs from the place that its mask was last set to
 *      (thread.affinity.bound_place).
 *
 * An initial thread is bound when it opens its first region or queries its place, never at load time: the process's
 * first thread to the first place, as libgomp binds it, others to the place that they run on, so that the program's own
 * threads do not share one. Its place is 0 until then, and again after the region if its own mask is restored: with
 * KMP_AFFINITY=reset, and in a Haskell program, whose regions are opened by threads of GHC's RTS. Such a thread runs
 * other Haskell threads afterwards, and the workers that the RTS makes inherit the mask of the thread that needs them:
 * if it stayed bound, they would all run on its place.
 *
 * Without places the masks of the process are not touched, with one exception: workers follow a master whose mask
 * differs from the one at load. This is checked when workers are taken from the pool, which a program in a steady state
 * does not do.
 *
 * kmp_set_affinity takes its caller off its place (thread.affinity.loose) and sets the calling task's bind-var to
 * false, as libomp does: in the regions of such a task the members stay where they are, and a new worker has all CPUs.
 * In a region of another task a member that is loose stays so while its team has the same size and binding. Without
 * places only the queries of clang's code show it.
 *
 * Called by team.c, team_struct.c, league.c, thread.c, env.c, worker_placement.c, display_affinity.c,
 * abi/omp/omp_affinity.c. Covered by test/unit/places.c (slots),
 * test/conformance/affinity, test/clang/{kmp_affinity_reset,affinity_mask_places}.c.
 */
#include "core/affinity/affinity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/even.h"
#include "core/affinity/display_affinity.h"
#include "core/affinity/hw_subset.h"
#include "core/affinity/kmp_places.h"
#include "core/affinity/slots_of_libomp.h"
#include "core/state/settings.h"
#include "host/host.h"
#include "host/os.h"

/* Bits of mail.moved. */
enum { MOVED = 1, SHOW = 2, SHOW_OUT = 4, FREED = 8 };

/* thread.affinity.loose of a worker that was made for a region without binding: it has all CPUs of the process. */
enum { LOOSE_FROM_START = UINT32_MAX };

struct ghcomp_affinity ghcomp_affinity;

/* --- the place list ------------------------------------------------------------------------------------- */

void ghcomp_affinity_at_load(struct ghcomp_cpus *cpus)
{
    size_t size;
    const cpu_set_t *mask = ghcomp_os_affinity(&size);
    memset(cpus, 0, sizeof *cpus);
    memcpy(cpus, mask, size < sizeof *cpus ? size : sizeof *cpus);
}

static void places_of_threads(const struct ghcomp_topology *topology)
{
    ghcomp_places_parse("threads", topology, &ghcomp_affinity.places);
}

/* Takes the places that the variable gave, or warns. */
static bool take_places(const char *name, const char *text, const char *wrong, struct ghcomp_places *places,
                        const char *instead)
{
    if (wrong != NULL) {
        ghcomp_warn("%s='%s': %s; using %s", name, ghcomp_shown(text).text, wrong, instead);
        return false;
    }
    if (places->dropped > 0)
        ghcomp_warn("%s='%s': %u of its places have no CPU that this process may use; using the other %u", name,
                    ghcomp_shown(text).text, places->dropped, places->count);
    ghcomp_affinity.places = *places;
    return true;
}

/* Takes the places from KMP_AFFINITY. False: it is not valid, and the other variables decide. */
static bool take_kmp_places(const struct ghcomp_topology *topology)
{
    const struct ghcomp_kmp_affinity *wanted = &ghcomp_settings.kmp_affinity;
    struct ghcomp_icvs *icv = &ghcomp_global.initial;
    struct ghcomp_places places = {0};
    const char *wrong =
        wanted->type < GHCOMP_KMP_AFFINITY_COMPACT ? NULL : ghcomp_kmp_places_make(wanted, topology, &places);
    if (wrong != NULL) {
        ghcomp_warn("KMP_AFFINITY='%s': %s; using the default, what OMP_PROC_BIND and OMP_PLACES say",
                    ghcomp_shown(ghcomp_settings.kmp_affinity_text).text, wrong);
        return false;
    }
    if (places.dropped > 0)
        ghcomp_warn("KMP_AFFINITY='%s': %u of its places have no CPU that this process may use; using the other %u",
                    ghcomp_shown(ghcomp_settings.kmp_affinity_text).text, places.dropped, places.count);
    const char *other = ghcomp_global.bind_set                 ? "OMP_PROC_BIND"
                        : ghcomp_settings.places != NULL       ? "OMP_PLACES"
                        : ghcomp_settings.cpu_affinity != NULL ? "GOMP_CPU_AFFINITY"
                                                               : NULL;
    if (other != NULL)
        ghcomp_warn("%s is not used, because KMP_AFFINITY is set, too", other);
    ghcomp_affinity.places = places;
    icv->bind = places.count > 0 ? GHCOMP_BIND_TRUE : GHCOMP_BIND_FALSE;
    icv->bind_rest_len = 0;
    return true;
}

void ghcomp_affinity_env_forget(void)
{
    ghcomp_places_free(&ghcomp_affinity.places);
    ghcomp_affinity_format_set(NULL);
}

void ghcomp_affinity_narrow_to_places(void)
{
    struct ghcomp_cpus usable, kept = {{0}};
    struct ghcomp_topology topology;
    struct ghcomp_places places;
    const char *text = ghcomp_settings.places;
    if (text == NULL || strchr(text, '(') == NULL ||
        ghcomp_settings.kmp_affinity.type != GHCOMP_KMP_AFFINITY_OTHERS)
        return;
    ghcomp_affinity_at_load(&usable);
    ghcomp_topology_read("/sys/devices/system/cpu", &usable, &topology);
    if (ghcomp_places_parse(text, &topology, &places) == NULL) {
        for (uint32_t i = 0; i < topology.count; i++)
            for (uint32_t k = 0; k < places.count; k++)
                if (ghcomp_cpus_has(&places.list[k], topology.cpus[i].cpu))
                    ghcomp_cpus_add(&kept, topology.cpus[i].cpu);
        ghcomp_os_narrow_mask((const cpu_set_t *)&kept, sizeof kept);
        ghcomp_places_free(&places);
    }
    ghcomp_topology_free(&topology);
}

/* The part of the machine that KMP_HW_SUBSET leaves is one place, if there are no others: as in libomp, its threads are
   bound there even if OMP_PROC_BIND or KMP_AFFINITY says that threads are not bound. */
static void set_active(void)
{
    struct ghcomp_places *places = &ghcomp_affinity.places;
    if (ghcomp_hw_subset_narrows && places->count == 0) {
        *places = (struct ghcomp_places){.count = 1, .list = ghcomp_alloc(sizeof *places->list)};
        ghcomp_affinity_at_load(places->list);
        ghcomp_global.initial.bind = GHCOMP_BIND_TRUE;
        ghcomp_global.initial.bind_rest_len = 0;
    }
    ghcomp_affinity.active = places->count > 0 || ghcomp_global.display_affinity;
}

void ghcomp_affinity_env_init(void)
{
    bool by_kmp = ghcomp_settings.kmp_affinity.type != GHCOMP_KMP_AFFINITY_OTHERS;
    uint8_t *bind = &ghcomp_global.initial.bind;
    bool off = ghcomp_global.bind_set && *bind == GHCOMP_BIND_FALSE;
    const char *list = ghcomp_settings.places, *cpus = ghcomp_settings.cpu_affinity;
    if (ghcomp_settings.affinity_format != NULL)
        ghcomp_affinity_format_set(ghcomp_settings.affinity_format);
    if (by_kmp || list != NULL || cpus != NULL || *bind != GHCOMP_BIND_FALSE) {
        struct ghcomp_cpus usable;
        struct ghcomp_topology topology;
        struct ghcomp_places places;
        ghcomp_affinity_at_load(&usable);
        ghcomp_topology_read("/sys/devices/system/cpu", &usable, &topology);
        const char *instead = *bind != GHCOMP_BIND_FALSE ? "one place for each CPU" : "no places";
        bool found = false;
        if (by_kmp && take_kmp_places(&topology)) {
            ghcomp_topology_free(&topology);
            set_active();
            return;
        }
        if (list != NULL)
            found = take_places("OMP_PLACES", list, ghcomp_places_parse(list, &topology, &places), &places,
                                cpus != NULL ? "GOMP_CPU_AFFINITY" : instead);
        if (!found && cpus != NULL)
            found = take_places("GOMP_CPU_AFFINITY", cpus, ghcomp_places_parse_cpus(cpus, &topology, &places),
                                &places, instead);
        if (off)
            ghcomp_places_free(&ghcomp_affinity.places);
        else if (!found && *bind != GHCOMP_BIND_FALSE)
            places_of_threads(&topology);
        else if (found && *bind == GHCOMP_BIND_FALSE)
            *bind = GHCOMP_BIND_TRUE;
        ghcomp_topology_free(&topology);
    }
    set_active();
}

/* --- slots ---------------------------------------------------------------------------------------------- */

/* The place of thread `tid` if there are more threads than places: each place gets a run of consecutive threads, all
   equally long; the remaining threads then go to the places one by one. */
static uint32_t place_of_run(uint32_t tid, uint32_t threads, uint32_t length)
{
    uint32_t run = threads / length;
    return tid < run * length ? tid / run : tid - run * length;
}

struct ghcomp_slot ghcomp_affinity_slot(enum ghcomp_bind bind, uint32_t threads, uint32_t tid,
                                        struct ghcomp_slot master)
{
    struct ghcomp_slot slot = master;
    uint32_t offset = master.place - master.first, length = master.length;
    if (bind == GHCOMP_BIND_PRIMARY)
        return slot;
    if (threads > length) {
        slot.place = master.first + (offset + place_of_run(tid, threads, length)) % length;
        if (bind == GHCOMP_BIND_SPREAD) {
            slot.first = slot.place;
            slot.length = 1;
        }
        return slot;
    }
    if (bind != GHCOMP_BIND_SPREAD) {
        slot.place = master.first + (offset + tid) % length;
        return slot;
    }
    /* The first part starts at the partition's first place. The master has the part that contains its place, and the
       others get the following parts in order. */
    struct ghcomp_even even = ghcomp_even(length, threads);
    uint32_t part = ((uint32_t)ghcomp_even_part_of(even, offset) + tid) % threads;
    slot.first = master.first + (uint32_t)ghcomp_even_first(even, part);
    slot.length = (uint32_t)ghcomp_even_length(even, part);
    if (tid != 0)
        slot.place = slot.first;
    return slot;
}

enum ghcomp_bind ghcomp_affinity_true_of_libomp(void)
{
    const struct ghcomp_settings *set = &ghcomp_settings;
    bool by_list = set->kmp_affinity.type != GHCOMP_KMP_AFFINITY_OTHERS ||
                   (set->cpu_affinity != NULL && set->places == NULL);
    if (!by_list && set->places == NULL && !ghcomp_global.bind_set && ghcomp_hw_subset_narrows)
        return GHCOMP_BIND_FALSE;
    return by_list ? GHCOMP_BIND_TRUE : GHCOMP_BIND_SPREAD;
}

/* --- threads -------------------------------------------------------------------------------------------- */

void ghcomp_affinity_current(struct ghcomp_cpus *cpus)
{
    memset(cpus, 0, sizeof *cpus);
    if (ghcomp_os_mask((cpu_set_t *)cpus, sizeof *cpus) != 0)
        ghcomp_affinity_at_load(cpus);
}

void ghcomp_affinity_worker_mask(const struct ghcomp_thread *worker, struct ghcomp_cpus *mask)
{
    if (worker->placement.mask != NULL)
        *mask = *worker->placement.mask;
    else
        ghcomp_affinity_at_load(mask);
}

/* Prints the binding for KMP_AFFINITY=verbose, in libomp's words. `thread` is the thread's number in its team. */
static __attribute__((cold)) void show_bound(const struct ghcomp_cpus *cpus)
{
    char set[256], line[512];
    if (ghcomp_cpus_print(cpus, GHCOMP_CPUS_RANGE_OF_LIBOMP, set, sizeof set) >= sizeof set)
        memcpy(set + sizeof set - 4, "...", 4);
    int length = snprintf(line, sizeof line,
                          "OMP: Info: KMP_AFFINITY: pid %d tid %d thread %u bound to OS proc set %s\n", (int)getpid(),
                          (int)syscall(SYS_gettid), ghcomp_self_member->tid, set);
    ghcomp_put_text(line, (size_t)length);
}

/* Binds the calling thread to a place, 1-based as in member.place. */
static void bind_self(struct ghcomp_thread *thread, uint32_t place)
{
    if (thread->affinity.bound_place == place)
        return;
    const struct ghcomp_cpus *cpus = &ghcomp_affinity.places.list[place - 1];
    static _Atomic bool said;
    int error = ghcomp_os_bind((const cpu_set_t *)cpus, sizeof *cpus);
    if (error != 0 && !ghcomp_xchg_relaxed(&said, true))
        ghcomp_warn("a thread cannot be bound to place %u (%s); %s", place - 1, strerror(error),
                    error == EINVAL ? "the CPUs of the process have changed"
                                    : "a sandbox denies it: threads run where the system puts them");
    thread->affinity.bound_place = place;
    thread->affinity.loose = 0;
    if (ghcomp_unlikely(ghcomp_settings.kmp_affinity.verbose))
        show_bound(cpus);
}

/* The place that contains the calling thread's present CPU, or the first place. */
static uint32_t nearest_place(void)
{
    int cpu = ghcomp_os_cpu();
    const struct ghcomp_places *places = &ghcomp_affinity.places;
    for (uint32_t i = 0; cpu >= 0 && i < places->count; i++)
        if (ghcomp_cpus_has(&places->list[i], (uint32_t)cpu))
            return i;
    return 0;
}

void ghcomp_affinity_start(struct ghcomp_thread *thread)
{
    thread->self.partition_first = 0;
    thread->self.partition_len = ghcomp_affinity.places.count;
}

static void bind_initial(struct ghcomp_member *self)
{
    uint32_t bound = self->thread->affinity.bound_place; /* not 0: another initial member of the thread (of a target
                                                            region, say) has bound it */
    if (ghcomp_affinity.places.count == 0 || self->place != 0 || self->thread->affinity.loose != 0 ||
        self->task->icv->bind == GHCOMP_BIND_FALSE)
        return;
    self->place = bound != 0 ? bound : 1 + (ghcomp_os_first_thread() ? 0 : nearest_place());
    if (bound == 0) { /* kept even if the thread is to stay bound: the host, once chosen, may change that */
        struct ghcomp_cpus **own = &self->thread->affinity.own;
        if (*own == NULL)
            *own = ghcomp_alloc(sizeof **own);
        ghcomp_affinity_current(*own);
    }
    bind_self(self->thread, self->place);
}

/* Whether initial threads get their own masks back between their regions. */
static bool resets(void)
{
    const struct ghcomp_kmp_affinity *wanted = &ghcomp_settings.kmp_affinity;
    return wanted->reset || (!wanted->noreset && ghcomp_host_of_program());
}

void ghcomp_affinity_settle(struct ghcomp_member *self)
{
    if (!resets())
        bind_initial(self);
}

void ghcomp_affinity_reset(struct ghcomp_member *self)
{
    struct ghcomp_thread_affinity *thread = &self->thread->affinity;
    if (self->team->level != 0 || thread->own == NULL || thread->bound_place == 0 || !resets())
        return;
    ghcomp_os_bind((const cpu_set_t *)thread->own, sizeof *thread->own);
    thread->bound_place = 0;
    self->place = 0;
}

/* Between regions the thread then has no place until its next region. Inside a region it keeps its place, and the
   region's end does not move it. */
void ghcomp_affinity_fork_child(struct ghcomp_member *self)
{
    struct ghcomp_thread_affinity *thread = &self->thread->affinity;
    if (thread->bound_place == 0 || ghcomp_settings.kmp_affinity.noreset)
        return;
    struct ghcomp_cpus now, first;
    ghcomp_affinity_current(&now);
    if (memcmp(&now, &ghcomp_affinity.places.list[thread->bound_place - 1], sizeof now) != 0)
        return;
    ghcomp_affinity_at_load(&first);
    const struct ghcomp_cpus *own = thread->own != NULL ? thread->own : &first;
    if (ghcomp_os_bind((const cpu_set_t *)own, sizeof *own) != 0)
        return;
    thread->bound_place = 0;
    if (self->team->level == 0)
        self->place = 0;
}

struct ghcomp_slot ghcomp_affinity_where(struct ghcomp_member *self)
{
    bind_initial(self);
    struct ghcomp_slot at = {.first = self->partition_first, .length = self->partition_len};
    if (at.length == 0) /* an initial member for which ghcomp_affinity_start was not called: that of a target region */
        at.length = ghcomp_affinity.places.count;
    at.place = self->place != 0 ? self->place - 1 : at.first;
    return at;
}

void ghcomp_affinity_move(struct ghcomp_member *self, const struct ghcomp_slot *slot)
{
    self->partition_first = slot->first;
    self->partition_len = slot->length;
    self->place = slot->place + 1;
    bind_self(self->thread, self->place);
}

void ghcomp_affinity_loosen(struct ghcomp_member *self)
{
    struct ghcomp_icvs *icv = ghcomp_icv_own(self->task);
    struct ghcomp_thread_affinity *thread = &self->thread->affinity;
    thread->loose = self->team->size;
    thread->bound_place = 0;
    self->place = 0;
    self->partition_first = 0;
    self->partition_len = ghcomp_affinity.places.count;
    icv->bind = GHCOMP_BIND_FALSE;
    icv->bind_rest_len = 0;
}

/* --- teams ---------------------------------------------------------------------------------------------- */

/* `keeps`: the worker stays where it is if its mask was set in a team of this size. */
static bool assign_worker(struct ghcomp_member *member, const struct ghcomp_slot *slot, uint32_t keeps)
{
    struct ghcomp_thread *worker = member->thread;
    struct ghcomp_mail *mail = &worker->mail;
    mail->place = slot->place + 1;
    mail->partition_first = slot->first;
    mail->partition_len = slot->length;
    mail->moved = mail->place != member->place || mail->place != worker->affinity.bound_place ||
                  slot->first != member->partition_first || slot->length != member->partition_len
                      ? MOVED
                      : 0;
    if (ghcomp_unlikely(mail->moved) && keeps != 0 && worker->affinity.loose == keeps)
        mail->moved = 0;
    return mail->moved;
}

/* The binding of the team: the clause's, else bind-var's. (Only called if that is not false, so a clause counts.) */
static enum ghcomp_bind bind_of_team(const struct ghcomp_member *self, uint32_t flags)
{
    enum ghcomp_bind bind = flags & 7 ? flags & 7 : self->task->icv->bind;
    bool stands_for_other = (flags & GHCOMP_TEAM_OF_CLANG) && bind == GHCOMP_BIND_TRUE;
    return stands_for_other ? ghcomp_affinity_true_of_libomp() : bind;
}

/* The team of a task whose bind-var kmp_set_affinity has set to false: all stay where they are. A new worker has all
   CPUs, or the place of its number if KMP_AFFINITY or GOMP_CPU_AFFINITY has made the places. */
static __attribute__((cold, noinline)) void leave_places(struct ghcomp_team *team, const struct ghcomp_member *self)
{
    bool by_number = ghcomp_affinity_true_of_libomp() == GHCOMP_BIND_TRUE;
    struct ghcomp_slot slot = {.length = ghcomp_affinity.places.count};
    team->bind = GHCOMP_BIND_FALSE;
    team->master.place = self->place;
    team->master.partition_first = self->partition_first;
    team->master.partition_len = self->partition_len;
    for (uint32_t tid = 1; tid < team->size; tid++) {
        struct ghcomp_thread *worker = team->members[tid]->thread;
        worker->mail.moved = 0;
        if (worker->affinity.bound_place != 0 || worker->affinity.loose != 0)
            continue;
        slot.place = worker->number % slot.length;
        if (by_number) {
            assign_worker(team->members[tid], &slot, 0);
        } else {
            worker->mail.moved = FREED;
            worker->affinity.loose = LOOSE_FROM_START;
        }
    }
}

static bool assign_places(struct ghcomp_team *team, uint32_t flags)
{
    struct ghcomp_member *self = team->parent;
    if (ghcomp_unlikely(self->task->icv->bind == GHCOMP_BIND_FALSE)) {
        leave_places(team, self);
        return false;
    }
    enum ghcomp_bind bind = bind_of_team(self, flags);
    bool moved = false, of_clang = (flags & (GHCOMP_TEAM_OF_CLANG | GHCOMP_TEAM_OF_LEAGUE)) == GHCOMP_TEAM_OF_CLANG;
    struct ghcomp_slot at = ghcomp_affinity_where(self);
    struct ghcomp_slots_of_libomp slots;
    if (of_clang)
        ghcomp_slots_of_libomp_start(&slots, bind, team->size, at);
    uint32_t keeps = team->bind == bind ? team->size : 0;
    team->bind = (uint8_t)bind;

    struct ghcomp_slot slot =
        of_clang ? ghcomp_slots_of_libomp_next(&slots) : ghcomp_affinity_slot(bind, team->size, 0, at);
    team->master.partition_first = slot.first;
    team->master.partition_len = slot.length;
    team->master.place = at.place + 1;
    if (team->master.place != self->thread->affinity.bound_place) {
        bind_self(self->thread, team->master.place);
        moved = true;
    }
    for (uint32_t tid = 1; tid < team->size; tid++) {
        slot = of_clang ? ghcomp_slots_of_libomp_next(&slots) : ghcomp_affinity_slot(bind, team->size, tid, at);
        moved |= assign_worker(team->members[tid], &slot, keeps);
    }
    return moved;
}

/* Whether the team must be displayed again for clang's code, as by libomp: a member's last display was for another
   level or size. The master may access the workers' fields, as in assign_worker. */
static bool shown_otherwise(struct ghcomp_team *team)
{
    bool otherwise = false;
    for (uint32_t tid = 0; tid < team->size; tid++) {
        struct ghcomp_thread_affinity *thread = &team->members[tid]->thread->affinity;
        otherwise |= thread->shown_level != team->level || thread->shown_size != team->size;
        thread->shown_level = team->level;
        thread->shown_size = team->size;
    }
    return otherwise;
}

void ghcomp_affinity_prepare(struct ghcomp_team *team, uint32_t flags)
{
    bool of_clang = flags & GHCOMP_TEAM_OF_CLANG;
    bool moved = ghcomp_affinity.places.count > 0 && assign_places(team, flags);
    if (!ghcomp_global.display_affinity || (flags & GHCOMP_TEAM_OF_LEAGUE))
        return;
    if (!of_clang && team->size == 1) /* as libgomp, which shows inner teams each time, and no team of one */
        return;
    bool otherwise = of_clang ? shown_otherwise(team) : team->level > 1 || team->shown != team->size;
    if (!otherwise && !(moved && team->size > 1))
        return;
    team->shown = team->size;
    for (uint32_t tid = 1; tid < team->size; tid++)
        team->members[tid]->thread->mail.moved |= of_clang ? SHOW_OUT : SHOW;
    ghcomp_affinity_print(&team->master, of_clang ? GHCOMP_AFFINITY_FOR_CLANG : GHCOMP_AFFINITY_FOR_GCC, NULL);
}

void ghcomp_affinity_apply(struct ghcomp_thread *worker)
{
    struct ghcomp_mail *mail = &worker->mail;
    uint16_t moved = mail->moved;
    mail->moved = 0;
    if (moved & MOVED) {
        worker->self.place = mail->place;
        worker->self.partition_first = mail->partition_first;
        worker->self.partition_len = mail->partition_len;
        bind_self(worker, mail->place);
    }
    if (moved & FREED) {
        struct ghcomp_cpus all;
        ghcomp_affinity_at_load(&all);
        ghcomp_os_bind((const cpu_set_t *)&all, sizeof all);
    }
    if (moved & (SHOW | SHOW_OUT))
        ghcomp_affinity_print(&worker->self, moved & SHOW ? GHCOMP_AFFINITY_FOR_GCC : GHCOMP_AFFINITY_FOR_CLANG, NULL);
}

void ghcomp_affinity_inherit(struct ghcomp_thread **workers, uint32_t count)
{
    struct ghcomp_cpus mine;
    if (count == 0 || ghcomp_affinity.places.count > 0)
        return;
    const struct ghcomp_thread *self = ghcomp_self()->thread;
    bool known = self->placement.pinned != 0; /* a worker: worker_placement.c has changed its mask */
    bool differs = known ? self->placement.mask != NULL : ghcomp_os_mask_differs();
    if (differs && known)
        mine = *self->placement.mask;
    else if (differs)
        ghcomp_affinity_current(&mine);
    for (uint32_t i = 0; i < count; i++) {
        struct ghcomp_thread *worker = workers[i];
        struct ghcomp_cpus **has = &worker->placement.mask;
        if (differs ? *has != NULL && memcmp(*has, &mine, sizeof mine) == 0 : *has == NULL)
            continue;
        if (!differs)
            ghcomp_affinity_at_load(&mine);
        pthread_setaffinity_np(worker->handle, sizeof mine, (const cpu_set_t *)&mine);
        if (!differs) {
            free(*has);
            *has = NULL;
            continue;
        }
        if (*has == NULL)
            *has = ghcomp_alloc(sizeof **has);
        **has = mine;
    }
}
