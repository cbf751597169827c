/* Admission: how many regions of different masters run at a time. Protocol: admission.c. */
#pragma once

#include "core/cpu/cpu_account.h"

/* Enters a region of several threads, whose master is the calling initial thread, as soon as it fits beside the running
   ones. Waits until 5 ms have passed in which none of them ended. */
void ghcomp_admission_enter(struct ghcomp_thread *self, struct ghcomp_account *account, uint32_t threads);
/* The calling thread has left a region of the account, `outermost` or not: may wake the head of the queue. */
void ghcomp_admission_moved(struct ghcomp_thread *self, bool outermost);

/* Around fork(), and in the child. */
void ghcomp_admission_fork_prepare(void);
void ghcomp_admission_fork_parent(void);
void ghcomp_admission_fork_child(void);
