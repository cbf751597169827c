#!/bin/sh
# Our prototypes agree with the compiler's own omp.h: a file that includes both compiles, in C and in C++, and
# types have the sizes that omp.h gives them.
set -eu
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# omp_lock_t and the other types as abi.h has them when it comes alone; the names must not meet omp.h's.
cat > "$tmp/sizes.c" <<'END'
#include "abi/abi.h"
const unsigned own_sizes[] = {sizeof(omp_lock_t), _Alignof(omp_lock_t), sizeof(omp_nest_lock_t),
    _Alignof(omp_nest_lock_t), sizeof(omp_sched_t), sizeof(omp_proc_bind_t), sizeof(omp_pause_resource_t),
    omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto, omp_sched_monotonic,
    omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_primary, omp_proc_bind_close, omp_proc_bind_spread,
    omp_pause_soft, omp_pause_hard, sizeof(omp_memspace_handle_t), sizeof(omp_allocator_handle_t),
    sizeof(omp_alloctrait_t), __builtin_offsetof(omp_alloctrait_t, value), omp_default_mem_space,
    omp_large_cap_mem_space, omp_const_mem_space, omp_high_bw_mem_space, omp_low_lat_mem_space, omp_null_allocator,
    omp_default_mem_alloc,
    omp_large_cap_mem_alloc, omp_const_mem_alloc, omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc,
    omp_pteam_mem_alloc, omp_thread_mem_alloc};
const unsigned own_count = sizeof own_sizes / sizeof own_sizes[0];
END
cat > "$tmp/both.c" <<'END'
#include <omp.h>
#include "abi/abi.h"
#include <stdio.h>
extern const unsigned own_sizes[], own_count;
static const unsigned omp_sizes[] = {sizeof(omp_lock_t), _Alignof(omp_lock_t), sizeof(omp_nest_lock_t),
    _Alignof(omp_nest_lock_t), sizeof(omp_sched_t), sizeof(omp_proc_bind_t), sizeof(omp_pause_resource_t),
    omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto, omp_sched_monotonic,
    omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_master, omp_proc_bind_close, omp_proc_bind_spread,
    omp_pause_soft, omp_pause_hard, sizeof(omp_memspace_handle_t), sizeof(omp_allocator_handle_t),
    sizeof(omp_alloctrait_t), __builtin_offsetof(omp_alloctrait_t, value), omp_default_mem_space,
    omp_large_cap_mem_space, omp_const_mem_space, omp_high_bw_mem_space, omp_low_lat_mem_space, omp_null_allocator,
    omp_default_mem_alloc,
    omp_large_cap_mem_alloc, omp_const_mem_alloc, omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc,
    omp_pteam_mem_alloc, omp_thread_mem_alloc};
int main(void)
{
    int wrong = own_count != sizeof omp_sizes / sizeof omp_sizes[0];
    for (unsigned i = 0; i < own_count; i++)
        if (own_sizes[i] != omp_sizes[i]) {
            fprintf(stderr, "omp_h.sh: entry %u is %u here and %u in omp.h\n", i, own_sizes[i], omp_sizes[i]);
            wrong = 1;
        }
    return wrong;
}
END
gcc -std=gnu11 -Wall -Werror -Wno-deprecated-declarations -Icbits "$tmp/sizes.c" "$tmp/both.c" -o "$tmp/both"
"$tmp/both"
if command -v g++ > /dev/null; then
    printf '#include <omp.h>\n#include "abi/abi.h"\n' > "$tmp/both.cc"
    g++ -Wno-deprecated-declarations -Icbits -fsyntax-only "$tmp/both.cc"
fi

# A prototype that differs from omp.h's must not compile: else the above proves nothing.
sed 's/ omp_get_team_size(int level)/ omp_get_team_size(long level)/' cbits/abi/prototypes.h \
    > "$tmp/prototypes.h"
cmp -s cbits/abi/prototypes.h "$tmp/prototypes.h" && { echo 'omp_h.sh: nothing was changed' >&2; exit 1; }
cat > "$tmp/bad.c" <<'END'
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define GHCOMP_EXPORT
#define GHCOMP_BODY(symbol)
#include <omp.h>
#include "abi/kmp_types.h"
#include "abi/omp_types.h"
#include "prototypes.h"
END
if gcc -Icbits -I"$tmp" -fsyntax-only "$tmp/bad.c" 2> "$tmp/err"; then
    echo 'omp_h.sh: a changed prototype was accepted' >&2
    exit 1
fi
grep -q 'conflicting types.*omp_get_team_size' "$tmp/err"
