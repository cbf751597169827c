/* As entries.c, and also chunk sizes of 0, negative and the greatest, and loops over the whole range of long or with
 * the greatest steps.
 * ghcomp-only: libgomp computes such bounds with overflow
 * limit: 60 */
#define EXTREME
#include "entries.h"
