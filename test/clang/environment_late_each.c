/* Each variable that main() sets before and behind its first call, on libomp as on ours.
 *
 * expect-stdout: all cases as expected
 */
#include "../conformance/env/late.c"
