/* Doacross loops: ordered(n) with depend(source) and depend(sink). Protocol in doacross.c. */
#pragma once

#include "core/workshare.h"

/* Frees what ghcomp_doacross_init attached to the share. */
void ghcomp_doacross_free(struct ghcomp_workshare *share);
