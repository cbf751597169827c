/* The calling thread's number in its team, for cmm/place.cmm, and the distance of data of different threads, for
 * cmm/line.cmm.
 *
 * Unlike omp_get_thread_num, ghcomp_hs_thread_number does not make an unknown thread known to the runtime: it may be
 * called in OS threads of GHC that never open a region. Test: test/hs/library/PrimTest.hs.
 */
#include "core/state/types.h"

__attribute__((visibility("default"))) int64_t ghcomp_hs_thread_number(void);
__attribute__((visibility("default"))) int64_t ghcomp_hs_cache_line(void);

int64_t ghcomp_hs_thread_number(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL ? (int64_t)self->tid : 0;
}

int64_t ghcomp_hs_cache_line(void)
{
    return GHCOMP_PAD_LINE;
}
