/* KMP_TEAMS_PROC_BIND=false is primary, as on libomp.
 *
 * ghcomp-only: libomp forms fewer teams on few CPUs
 * env: OMP_PLACES=threads KMP_TEAMS_PROC_BIND=false
 */
#include "leagues_places_primary.c"
