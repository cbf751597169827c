/* Sections: share.taken counts the sections that were handed out. Each member that finds none left adds one too many,
 * once; a 64-bit counter of 32-bit numbers cannot overflow by that.
 *
 * Called by abi/gomp/gomp_sections.c and abi/kmp/kmp_sections.c. Covered by test/unit/workshare.c,
 * test/conformance/sections, test/conformance/cancel/sections.c, test/clang/sections_abi.c.
 */
#include "core/worksharing/sections.h"

void ghcomp_sections_enter(struct ghcomp_member *self, uint32_t count, void **memory)
{
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share != NULL) {
        ghcomp_loop_join(self, share, memory);
        return;
    }
    struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
    ghcomp_sections_fill(mine, count);
    ghcomp_loop_publish(self, mine, memory);
}

uint32_t ghcomp_sections_next(struct ghcomp_member *self)
{
    struct ghcomp_workshare *share = self->share;
    uint64_t section;
    if (self->team->size == 1) {
        section = ghcomp_load_relaxed(&share->taken);
        ghcomp_store_relaxed(&share->taken, section + 1);
    } else {
        section = ghcomp_add_relaxed(&share->taken, 1u);
    }
    if (section >= share->count || ghcomp_load_relaxed(&share->cancelled)) {
        self->chunk_begin = self->chunk_end = 0;
        return 0;
    }
    self->chunk_begin = section;
    self->chunk_end = section + 1;
    return (uint32_t)section + 1;
}
