/* A worker's life: its begin, its mail, its end. Protocol: worker.c, pool.c. */
#pragma once

#include "core/state/types.h"

/* Starts a worker with this number, of the master's kind and for that master. NULL: no thread could be created (errno
   value in *error), at once or, if `patient`, within a tenth of a second (os.h). */
struct ghcomp_thread *ghcomp_worker_create(uint32_t number, const struct ghcomp_thread *master, bool patient,
                                           int *error);
/* Ends a worker, which frees its struct; returns the next one in its list. The owner of its mailbox. */
struct ghcomp_thread *ghcomp_worker_dismiss(struct ghcomp_thread *worker);
/* Ends those of the list, and does not wait for them. */
void ghcomp_worker_dismiss_list(struct ghcomp_thread *worker);
/* The first announces `count` workers that will be dismissed and report their end to the tool; the second waits until
   they have, for two seconds at most. */
void ghcomp_worker_expect_reports(uint32_t count);
void ghcomp_worker_await_reports(void);
/* Wakes the workers on team.wake that no thread has taken yet. Master after the release; woken workers. */
void ghcomp_worker_wake_sleepers(struct ghcomp_team *team);
