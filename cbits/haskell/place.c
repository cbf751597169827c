/* The calling thread's number in its team, for cmm/place.cmm.
 *
 * Unlike omp_get_thread_num, it does not make an unknown thread known to the runtime: it is called in OS threads of GHC
 * that may never open a region. Test: test/hs/library/PrimTest.hs.
 */
#include "core/state/types.h"

__attribute__((visibility("default"))) int64_t ghcomp_hs_thread_number(void);

int64_t ghcomp_hs_thread_number(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL ? (int64_t)self->tid : 0;
}
