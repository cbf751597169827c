/* Access to ICVs for which omp.h has no routine. They belong to the calling task, or never change. Called by
 * OpenMP.Settings and OpenMP.Query. Covered by test/hs/library/SettingsTest.hs. */
#include "abi/abi.h"
#include "core/team/team.h"

GHCOMP_EXPORT void ghcomp_hs_set_proc_bind(int bind);
GHCOMP_EXPORT int ghcomp_hs_wait_policy(void);

/* Sets bind-var of the calling task, an omp_proc_bind_t. The caller has checked that it is false exactly when there are
   no places: team.c and affinity.c rely on that. */
void ghcomp_hs_set_proc_bind(int bind)
{
    ghcomp_icv_own(ghcomp_self()->task)->bind = (uint8_t)bind;
}

/* 0 when OMP_WAIT_POLICY is not set, 1 active, 2 passive. */
int ghcomp_hs_wait_policy(void)
{
    return ghcomp_global.wait_policy;
}
