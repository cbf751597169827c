/* Teams of 64 threads by default, as many as that on any machine: barriers, worksharing, tasks, nested teams, sizes
 * that change.
 *
 * symbols: GOMP_parallel GOMP_barrier
 * env: OMP_NUM_THREADS=64
 * hosts: posix ghc
 * limit: 60
 */
#include "team.h"
