/* The entries that GCC 17 emits for plain -fopenmp. Neither today's compilers nor their libgomp have them, so the tests
   declare them, and take them at the version node that a program built by GCC 17 asks for. Comes before every other
   header, because of dlvsym. */
#pragma once

#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>

#include "../common.h"

static inline void *entry(const char *name)
{
    void *address = dlvsym(RTLD_DEFAULT, name, "GOMP_6.0.2");
    CHECK(address != NULL);
    return address;
}

/* The first argument of the barriers. */
enum { OF_PARALLEL, OF_WORKSHARING, OF_DIRECTIVE };

static const int team_sizes[] = {1, 4, 8, 3};
enum { TEAM_SIZES = sizeof team_sizes / sizeof team_sizes[0] };
