/* test/clang/reductions.c where the user forces the method.
 *
 * env: KMP_FORCE_REDUCTION=atomic
 * hosts: posix ghc
 */
#include "reductions.c"
