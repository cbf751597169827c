/* Doacross loops: ordered(n) with depend(source) and depend(sink). */
#include "core/doacross.h"

#include <stdlib.h>

void ghcomp_doacross_free(struct ghcomp_workshare *share)
{
    free(share->doacross);
    share->doacross = NULL;
}
