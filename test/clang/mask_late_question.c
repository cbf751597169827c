/* The same where a question for the number of threads comes first.
 * env: OMP_DYNAMIC=false OMP_THREAD_LIMIT=1000
 * hosts: posix ghc
 * cflags: -D_GNU_SOURCE
 */
#define QUESTION_FIRST
#include "mask_late.c"
