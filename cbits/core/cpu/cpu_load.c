/* The process's demand for CPUs. Called by wait.c. Covered by test/unit/{wait,cpu_account}.c. */
#include "core/cpu/cpu_load.h"

struct ghcomp_cpu_load ghcomp_cpu_load = {.beside = 1, .cpus = 1};

void ghcomp_cpu_load_fork_child(void)
{
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 0u);
    ghcomp_store_relaxed(&ghcomp_cpu_load.inside, 0u);
    ghcomp_store_relaxed(&ghcomp_cpu_load.beside, 1u);
    ghcomp_store_relaxed(&ghcomp_cpu_load.contended, false);
    ghcomp_store_relaxed(&ghcomp_cpu_load.shared, false);
}
