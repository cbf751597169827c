/* Admission: how many regions of different masters run at a time. Protocol: admission.c. */
#pragma once

#include "core/cpu/cpu_account.h"

/* Enters a region of several threads, whose master is the calling initial thread, as soon as it fits beside the running
   ones. Enters anyway when their number of threads has reached no new minimum for 5 ms. Regions inside others, also
   those opened in an explicit task or a target region, do not wait: the surrounding region may depend on them. */
void ghcomp_admission_enter(struct ghcomp_thread *self, struct ghcomp_account *account, uint32_t threads);
/* Called after the thread has left a region of the account: may wake the head of the queue. `outermost`: it was not
   inside another region. */
void ghcomp_admission_moved(struct ghcomp_thread *self, bool outermost);

/* Around fork(), and in the child. */
void ghcomp_admission_fork_prepare(void);
void ghcomp_admission_fork_parent(void);
void ghcomp_admission_fork_child(void);
