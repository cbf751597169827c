/* Intel's affinity masks: sets of CPUs that a program makes, fills and binds the calling thread with. The program has a
 * pointer to a mask, which the runtime allocates. Setting a mask changes the thread's mask in the kernel, as
 * sched_setaffinity does, and takes the thread off its place (core/affinity/affinity.c), even if the kernel refuses.
 *
 * A mask contains only CPUs that the process had when it started. With KMP_AFFINITY=disabled there are no masks: the
 * routines fail. Tests: test/clang/affinity_mask*.c. */
#include <stdlib.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/state/settings.h"
#include "host/os.h"

enum { UNAVAILABLE = -1, OUT_OF_RANGE = -1, NOT_OF_PROCESS = -2 };

/* The CPUs that the process had when it started. */
static struct ghcomp_cpus all(void)
{
    struct ghcomp_cpus cpus;
    ghcomp_self_of_libomp(); /* starts the library */
    ghcomp_affinity_at_load(&cpus);
    return cpus;
}

static bool disabled(void)
{
    ghcomp_self_of_libomp(); /* starts the library */
    return ghcomp_settings.kmp_affinity.type == GHCOMP_KMP_AFFINITY_DISABLED;
}

/* How many CPUs the machine has, also those that the process may not use, and more than the highest of its CPUs. */
int kmp_get_affinity_max_proc(void)
{
    static _Atomic uint32_t counted; /* atomic(relaxed): the number, which does not change; 0: not counted yet */
    if (disabled())
        return 0;
    uint32_t procs = ghcomp_load_relaxed(&counted);
    if (procs == 0) {
        struct ghcomp_cpus cpus = all();
        procs = ghcomp_os_online_cpus();
        for (uint32_t cpu = 0; (cpu = ghcomp_cpus_next(&cpus, cpu)) < GHCOMP_MAX_CPUS; cpu++)
            procs = cpu < procs ? procs : cpu + 1;
        ghcomp_store_relaxed(&counted, procs);
    }
    return (int)procs;
}

void kmp_create_affinity_mask(void **mask)
{
    *mask = calloc(1, sizeof(struct ghcomp_cpus));
    if (*mask == NULL)
        ghcomp_fatal("kmp_create_affinity_mask: no memory for %zu bytes", sizeof(struct ghcomp_cpus));
}

void kmp_destroy_affinity_mask(void **mask)
{
    free(*mask);
    *mask = NULL;
}

/* 0: `proc` may be in a mask; otherwise the error that the routines return. */
static int refused(int proc)
{
    struct ghcomp_cpus cpus = all();
    if (proc < 0 || proc >= kmp_get_affinity_max_proc())
        return OUT_OF_RANGE;
    return ghcomp_cpus_has(&cpus, (uint32_t)proc) ? 0 : NOT_OF_PROCESS;
}

int kmp_set_affinity_mask_proc(int proc, void **mask)
{
    int error = refused(proc);
    if (error == 0)
        ghcomp_cpus_add(*mask, (uint32_t)proc);
    return error;
}

int kmp_unset_affinity_mask_proc(int proc, void **mask)
{
    int error = refused(proc);
    if (error == 0)
        ((struct ghcomp_cpus *)*mask)->bits[proc / 64] &= ~(UINT64_C(1) << (proc % 64));
    return error;
}

/* 1 when `proc` is in the mask, 0 when it is not. */
int kmp_get_affinity_mask_proc(int proc, void **mask)
{
    int error = refused(proc);
    if (error != 0)
        return error == OUT_OF_RANGE ? OUT_OF_RANGE : 0;
    return ghcomp_cpus_has(*mask, (uint32_t)proc);
}

/* Sets the calling thread's CPUs, which regions of the calling task then leave. Returns 0 or an errno value. */
int kmp_set_affinity(void **mask)
{
    if (disabled())
        return UNAVAILABLE;
    ghcomp_affinity_loosen(ghcomp_self_of_libomp());
    return ghcomp_os_bind((const cpu_set_t *)*mask, sizeof(struct ghcomp_cpus));
}

/* Gives the calling thread all CPUs of the process again, also where places are in use, until it moves to another
   place. oneTBB looks this function up by name. -1 in a thread that the runtime does not know, as on libomp. */
int kmp_set_thread_affinity_mask_initial(void)
{
    if (ghcomp_self_member == NULL || disabled())
        return UNAVAILABLE;
    struct ghcomp_cpus cpus = all();
    return ghcomp_os_bind((const cpu_set_t *)&cpus, sizeof cpus);
}

int kmp_get_affinity(void **mask)
{
    if (disabled())
        return UNAVAILABLE;
    ghcomp_affinity_current(*mask);
    return 0;
}

GHCOMP_ABI_OBJECT(kmp_affinity_mask);
