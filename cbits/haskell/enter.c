/* Entering Haskell: one in-call for a member's whole part of a region.
 *
 * An in-call makes a Haskell thread, bound to the calling OS thread, which costs 200 to 600 ns. Safe and unsafe calls
 * from that Haskell thread to C run on this OS thread, so the runtime's thread-local state is the member's.
 *
 * The action catches its own exceptions. It can still be ended by an exception that another thread throws after its
 * body, or by the end of the RTS. Neither must end the process (as rts_checkSchedStatus would do), so the status
 * reports it.
 *
 * Which Capability. entrance.home is a worker's home Capability, or the one that the caller of the region has just
 * left. When it is busy, the thread enters by any idle one (capability_claim.c). When none is idle, an entry that
 * cannot be declined waits up to PATIENCE for one, which is longer than a collection usually takes, and then queues for
 * its home, where it is served when the Haskell thread in front has used up its time slice.
 *
 * rts_setInCallCapability also affects the OS thread's later in-calls (callbacks from C), so the former value is
 * restored.
 *
 * Called by callback.c, region.c and task.c. Covered by test/hs/library.
 */
#include "Rts.h"

#include "haskell/enter.h"

#include "core/cpu/wait.h"
#include "haskell/capability_claim.h"
#include "host/host.h"
#include "host/os.h"

enum { PATIENCE_NS = 200000, NAP_NS = 20000 };

struct ghcomp_entrance ghcomp_entrance_of(const struct ghcomp_member *self, int origin)
{
    int wish = ghcomp_host_worker_home(self->thread->number);
    if (self->thread->number != 0 && wish < 0 && enabled_capabilities != 0)
        wish = (int)(self->thread->number % enabled_capabilities); /* POSIX host: chosen, or after fork() */
    return (struct ghcomp_entrance){self->thread->number == 0 ? origin : wish, wish, GHCOMP_CAPABILITY_NONE};
}

void ghcomp_entrance_claim(struct ghcomp_entrance *entrance)
{
    entrance->claimed = ghcomp_capability_claim(entrance->home);
    if (entrance->claimed != GHCOMP_CAPABILITY_NONE)
        return;
    uint64_t begin = ghcomp_os_now();
    do {
        ghcomp_os_nap(NAP_NS);
        entrance->claimed = ghcomp_capability_claim(entrance->home);
    } while (entrance->claimed == GHCOMP_CAPABILITY_NONE && ghcomp_os_now() - begin < PATIENCE_NS);
}

enum ghcomp_entry ghcomp_enter(void *action, void *pointer, intptr_t number, const struct ghcomp_entrance *entrance)
{
    int preferred = entrance->claimed >= 0                         ? entrance->claimed
                    : entrance->claimed == GHCOMP_CAPABILITY_NONE ? entrance->home
                                                                   : -1;
    rts_setInCallCapability(preferred, 0);
    ghcomp_add_relaxed(&ghcomp_cpu_load.inside, 1u);
    Capability *capability = rts_lock();
    ghcomp_capability_entered(capability, entrance->claimed);
    HaskellObj function = (HaskellObj)deRefStablePtr(action), result;
    function = rts_apply(capability, function, rts_mkPtr(capability, pointer));
    function = rts_apply(capability, function, rts_mkInt(capability, number));
    rts_evalIO(&capability, function, &result);
    SchedulerStatus status = rts_getSchedStatus(capability);
    rts_unlock(capability);
    ghcomp_sub_relaxed(&ghcomp_cpu_load.inside, 1u);
    ghcomp_capability_left(capability);
    rts_setInCallCapability(entrance->wish, 0);
    return status == Success ? GHCOMP_ENTRY_DONE : GHCOMP_ENTRY_KILLED;
}
