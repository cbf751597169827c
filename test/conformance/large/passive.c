/* The same with threads that sleep whenever they wait.
 *
 * symbols: GOMP_parallel GOMP_barrier
 * env: OMP_NUM_THREADS=64 OMP_WAIT_POLICY=passive
 * hosts: posix ghc
 * limit: 60
 */
#include "team.h"
