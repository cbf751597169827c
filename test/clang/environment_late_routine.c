/* The same where a routine has set the number of threads before.
 * env: OMP_NUM_THREADS=2
 * cflags: -D_GNU_SOURCE
 */
#define ROUTINE_FIRST
#include "environment_late.c"
