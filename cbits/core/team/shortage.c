/* A shortage of threads: not all threads of a region can be created.
 *
 * A region of C ends the process then, as on libgomp, or has a smaller team where dyn-var allows it. Regions with
 * Haskell bodies (haskell/region.c) report it to their caller, or run with fewer threads where the program cannot see
 * the difference. The message's advice, which limit to raise, is host/os_threads.c's (ghcomp_os_spawn_advice; its text
 * is tested by test/fault/inject.py and test/container/few.py). Beside such regions GHC's runtime needs a thread of its
 * own now and then, and ends the process when it cannot have one. So they do not keep the last threads that can be
 * made:
 *
 *   FAILS   Workers that were made for the region end before its caller knows. The others go back to the pool.
 *   SPARES  Half of the workers that were taken or made are given up in the same way.
 *
 * An attempt that fails is repeated for a tenth of a second, so that a short lack is not taken for a shortage
 * (ghcomp_os_spawn); by regions of C only after idle inner teams have given their workers. A team that has spared some
 * would make the attempt at each region. So for SPARED_NS such regions take only workers that exist.
 *
 * Called by team.c and team_struct.c. Covered by test/unit/shortage.c, test/fault/threads.sh and
 * test/hs/library/ShortageTest.hs.
 */
#include "core/team/shortage.h"

#include <string.h>

#include "base/check.h"
#include "core/cpu/admission.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "host/os.h"

#define SPARED_NS UINT64_C(10000000000)

/* Clock: until then teams that spare make no workers; 0: never. atomic(relaxed): a hint. */
static _Atomic uint64_t spared_until GHCOMP_ALIGNED_PAIR;

static uint32_t take_and_spare(struct ghcomp_thread **workers, uint32_t wanted, int *error)
{
    uint64_t until = ghcomp_load_relaxed(&spared_until);
    bool makes = until == 0 || ghcomp_os_now() >= until;
    uint32_t got = ghcomp_pool_take_limited(workers, wanted, error, makes);
    if (got == wanted || !makes)
        return got;
    uint32_t keeps = got / 2;
    ghcomp_pool_take_back(workers + keeps, got - keeps);
    ghcomp_store_relaxed(&spared_until, ghcomp_os_now() + SPARED_NS);
    return keeps;
}

uint32_t ghcomp_shortage_take(struct ghcomp_thread **workers, uint32_t wanted, enum ghcomp_shortage shortage,
                              int *error)
{
    if (shortage == GHCOMP_SHORTAGE_SPARES)
        return take_and_spare(workers, wanted, error);
    if (shortage != GHCOMP_SHORTAGE_FAILS)
        return ghcomp_pool_take(workers, wanted, error);
    uint32_t got = ghcomp_pool_take_limited(workers, wanted, error, true);
    if (got < wanted)
        ghcomp_pool_take_back(workers, got);
    return got;
}

bool ghcomp_shortage_goes_on(enum ghcomp_shortage shortage, uint32_t wanted, uint32_t threads, int error)
{
    if (shortage == GHCOMP_SHORTAGE_ENDS)
        ghcomp_fatal_compat("Thread creation failed: %s; %s", strerror(error), ghcomp_os_spawn_advice(error));
    if (shortage == GHCOMP_SHORTAGE_FAILS) {
        ghcomp_self()->thread->shortage = (struct ghcomp_thread_shortage){threads, error};
        return false;
    }
    static _Atomic bool said;
    if (!ghcomp_xchg_relaxed(&said, true))
        ghcomp_warn("a region of %u threads gets %u: no more threads can be created (%s); %s", wanted, threads,
                    strerror(error), ghcomp_os_spawn_advice(error));
    return true;
}

struct ghcomp_team *ghcomp_shortage_undo(struct ghcomp_member *self, struct ghcomp_team *team,
                                         struct ghcomp_account *account, uint32_t taken)
{
    if (taken != 0)
        ghcomp_sub_relaxed(&self->thread->in_group->threads, taken);
    ghcomp_lend_after(team, self, self->task->icv->dynamic);
    if (account->threads != 0 || account->master) {
        bool outermost = account->master; /* leaving clears it */
        ghcomp_cpu_account_leave(account);
        ghcomp_admission_moved(self->thread, outermost);
    }
    return NULL;
}
