/* Routines under a second name, with kmpc_ or ompc_.
 *
 * symbols: kmpc_malloc kmpc_calloc kmpc_realloc kmpc_aligned_malloc kmpc_free kmpc_set_blocktime kmpc_set_defaults
 * symbols: kmpc_set_disp_num_buffers kmpc_set_library kmpc_set_stacksize kmpc_set_stacksize_s
 * symbols: kmpc_set_affinity_mask_proc kmpc_unset_affinity_mask_proc kmpc_get_affinity_mask_proc
 * symbols: ompc_set_num_threads ompc_set_dynamic ompc_set_nested ompc_set_max_active_levels ompc_set_schedule
 * symbols: ompc_get_ancestor_thread_num ompc_get_team_size
 * cflags: -D_GNU_SOURCE
 * ghcomp-only: libomp sets the size of stacks before its start alone
 */
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "kmp.h"

void *kmpc_malloc(size_t);
void *kmpc_calloc(size_t, size_t);
void *kmpc_realloc(void *, size_t);
void *kmpc_aligned_malloc(size_t, size_t);
void kmpc_free(void *);
void kmpc_set_blocktime(int);
void kmpc_set_defaults(const char *);
void kmpc_set_disp_num_buffers(int);
void kmpc_set_library(int);
void kmpc_set_stacksize(int);
void kmpc_set_stacksize_s(size_t);
int kmpc_set_affinity_mask_proc(int, void **);
int kmpc_unset_affinity_mask_proc(int, void **);
int kmpc_get_affinity_mask_proc(int, void **);
void ompc_set_num_threads(int);
void ompc_set_dynamic(int);
void ompc_set_nested(int);
void ompc_set_max_active_levels(int);
void ompc_set_schedule(omp_sched_t, int);
int ompc_get_ancestor_thread_num(int);
int ompc_get_team_size(int);

static void memory(void)
{
    char *block = kmpc_calloc(3, 5), *aligned = kmpc_aligned_malloc(100, 256);
    CHECK(block[0] == 0 && block[14] == 0 && (uintptr_t)aligned % 256 == 0);
    strcpy(block, "fourteen bytes");
    block = kmpc_realloc(block, 1000);
    CHECK(strcmp(block, "fourteen bytes") == 0);
    kmpc_free(block);
    kmpc_free(aligned);
    kmpc_free(memset(kmpc_malloc(10), 1, 10));
}

static void settings(void)
{
    kmpc_set_blocktime(3);
    CHECK(kmp_get_blocktime() == 3);
    kmpc_set_stacksize(1 << 20);
    CHECK(kmp_get_stacksize() == 1 << 20);
    kmpc_set_stacksize_s(2 << 20);
    CHECK(kmp_get_stacksize_s() == 2 << 20);
    kmpc_set_library(1);
    CHECK(kmp_get_library() == 1 && omp_get_max_threads() == 1);
    kmpc_set_library(3);
    kmpc_set_disp_num_buffers(3);
    kmpc_set_defaults("OMP_NUM_THREADS=6");
    CHECK(omp_get_max_threads() == 6);
}

static void masks(void)
{
    kmp_affinity_mask_t mask;
    kmp_create_affinity_mask(&mask);
    int proc = sched_getcpu();
    CHECK(kmpc_get_affinity_mask_proc(proc, &mask) == 0 && kmpc_set_affinity_mask_proc(proc, &mask) == 0);
    CHECK(kmpc_get_affinity_mask_proc(proc, &mask) == 1 && kmpc_unset_affinity_mask_proc(proc, &mask) == 0);
    CHECK(kmpc_get_affinity_mask_proc(proc, &mask) == 0);
    kmp_destroy_affinity_mask(&mask);
}

static void icvs(void)
{
    omp_sched_t kind;
    int chunk;
    ompc_set_dynamic(1);
    CHECK(omp_get_dynamic());
    ompc_set_dynamic(0);
    CHECK(!omp_get_dynamic());
    ompc_set_nested(1);
    CHECK(omp_get_max_active_levels() > 1);
    ompc_set_max_active_levels(1);
    CHECK(omp_get_max_active_levels() == 1);
    ompc_set_schedule(omp_sched_guided, 5);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_guided && chunk == 5);
    ompc_set_num_threads(3);
#pragma omp parallel
    {
        CHECK(ompc_get_team_size(1) == 3 && ompc_get_team_size(2) == -1);
        CHECK(ompc_get_ancestor_thread_num(1) == omp_get_thread_num() && ompc_get_ancestor_thread_num(0) == 0);
    }
}

int main(void)
{
    memory();
    settings();
    masks();
    icvs();
    return 0;
}
