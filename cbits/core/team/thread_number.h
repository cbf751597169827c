/* Dense numbers for the process's threads, by which clang's code identifies threads. Protocol in thread_number.c. */
#pragma once

#include "core/state/types.h"

/* Gives the thread a number; called by that thread. From then on the process counts as one that runs code for libomp
   (thread.c). */
uint32_t ghcomp_thread_number_take(struct ghcomp_thread *thread) __attribute__((cold));
/* The number of the calling thread, which may be unknown to the runtime: code for libomp asks for it. */
uint32_t ghcomp_thread_number_asked(void) __attribute__((cold));
/* The thread ends: its number may be given to another one. */
void ghcomp_thread_number_give(struct ghcomp_thread *thread);
/* How many threads have a number now; others may come and go meanwhile. Any thread. */
uint32_t ghcomp_thread_numbers_taken(void);
/* In the child of fork(): only the calling thread (NULL: one that has no number) is left. */
void ghcomp_thread_number_fork_child(struct ghcomp_thread *thread);

/* The calling thread's number, from 0; the same until it ends. */
static inline uint32_t ghcomp_thread_number(struct ghcomp_thread *thread)
{
    return ghcomp_likely(thread->dense_number != 0) ? thread->dense_number - 1 : ghcomp_thread_number_take(thread);
}
