/* The places that KMP_AFFINITY asks for. */
#pragma once

#include "core/affinity/places.h"
#include "core/state/settings.h"

/* Makes them, for a type that binds threads. NULL on success, else the error in a few words. Thread i of an outermost
   region takes place i, so the list may contain a place several times. */
const char *ghcomp_kmp_places_make(const struct ghcomp_kmp_affinity *affinity, const struct ghcomp_topology *topology,
                                   struct ghcomp_places *places);
