/* The places that KMP_AFFINITY asks for. */
#pragma once

#include "core/affinity/places.h"
#include "core/state/settings.h"

/* Makes them; NULL on success, else the error in a few words. The type is one that binds threads. Thread i of an
   outermost region takes place i, so the list may have the same place several times. */
const char *ghcomp_kmp_places_make(const struct ghcomp_kmp_affinity *affinity, const struct ghcomp_topology *topology,
                                   struct ghcomp_places *places);
