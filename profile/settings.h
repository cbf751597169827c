/* Settings, lines on stderr, and memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/atomic.h"

struct settings {
    const char *json, *trace;      /* files, or NULL; %p is the process's number, %% a % */
    unsigned top;                  /* rows of each table */
    bool late_joins;               /* the runtime reports a region's end to a worker with the next region */
    char runtime[80];
    pid_t process;                 /* the one in which the tool was started */
};
extern struct settings profile_settings GHCOMP_OWN;

/* One line on stderr. */
void profile_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *profile_alloc(size_t bytes); /* zeroed; ends the process when there is no memory */
