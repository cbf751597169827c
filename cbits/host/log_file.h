/* The file that GHC's eventlog is written to. Protocol: log_file.c. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct ghcomp_log_file {
    int descriptor;
    dev_t device;
    ino_t inode;
    off_t size; /* at the last check */
};

/* Looks for the eventlog among the process's open files: the file of that name or, if the name is not known (NULL), one
   that is named like an eventlog. False: there is none. */
bool ghcomp_log_file_find(struct ghcomp_log_file *file, const char *name);
/* Whether the file is still open and still contains the same log. */
bool ghcomp_log_file_open(struct ghcomp_log_file *file);
