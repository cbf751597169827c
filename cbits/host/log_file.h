/* The file that GHC's eventlog is written to: log_file.c. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct ghcomp_log_file {
    int descriptor;
    dev_t device;
    ino_t inode;
    off_t size; /* when it was looked at last */
};

/* Looks for the process's eventlog among its open files: the file of that name (NULL: unknown), or one that is called
   like an eventlog. False: there is none. */
bool ghcomp_log_file_find(struct ghcomp_log_file *file, const char *name);
/* Whether it is still the same log's, and open. */
bool ghcomp_log_file_open(struct ghcomp_log_file *file);
