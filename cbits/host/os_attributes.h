/* The attributes that new threads inherit: scheduling, credentials, sandbox, namespaces. Contract as in os.h: any
 * thread, keeps errno. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The kernel's struct sched_attr, in its first version. */
struct ghcomp_os_scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; /* of SCHED_DEADLINE; else 0, since the kernel reports values that it chose
                                           itself */
};

/* Compared as bytes: the whole struct is cleared first. Values that the kernel does not report are 0. */
struct ghcomp_os_attributes {
    struct ghcomp_os_scheduling scheduling;
    uint32_t no_new_privs;
    uint32_t seccomp, filters;         /* mode of seccomp, and its number of filters if that was queried */
    uint32_t groups;                   /* a hash of the supplementary groups ... */
    uint32_t ids[8];                   /* real, effective, saved and file system user; the same of groups */
    uint32_t capabilities[6];          /* effective, permitted, inheritable: twice 32 each */
    uint64_t namespaces[5];            /* inodes */
    uint32_t own_fs;                   /* 1: its working directory, root and umask are not those of the first thread */
    uint32_t sandboxed;                /* 1: it has no_new_privs or seccomp filters that the process did not have at
                                          load, or a call was denied that worked at load */
};

/* Reads the calling thread's attributes. `before`: the result of an earlier call by the same thread, whose namespaces
   are copied instead of queried, which would cost ten times as much as the rest; NULL: all are queried. */
void ghcomp_os_attributes(struct ghcomp_os_attributes *is, const struct ghcomp_os_attributes *before);

/* The scheduling of the thread with that number (ghcomp_os_thread_id; 0: the calling one). All 0 if it is unknown. */
struct ghcomp_os_scheduling ghcomp_os_scheduling(int thread);
/* Whether that thread has the calling thread's working directory, root and umask. True if the kernel does not report
   it. */
bool ghcomp_os_same_fs(int thread);
