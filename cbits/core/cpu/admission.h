/* Waiting for one's turn: how many regions of different masters run at a time. Protocol in admission.c. */
#pragma once

#include "core/cpu/cpu_account.h"

/* Enters a region of several threads that the calling initial thread is the master of, as soon as it fits beside the
   others; waits for at most 5 ms in which none of them ends. */
void ghcomp_admission_enter(struct ghcomp_thread *self, struct ghcomp_account *account, uint32_t threads);
/* After the calling thread has left a region of the account, which may be an outermost one: lets the first that waits
   look again. */
void ghcomp_admission_moved(struct ghcomp_thread *self, bool outermost);

/* fork(): around it and in the child. */
void ghcomp_admission_fork_prepare(void);
void ghcomp_admission_fork_parent(void);
void ghcomp_admission_fork_child(void);
