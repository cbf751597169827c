/* A worker's mailbox: the only place where an idle worker waits, and the only way to give it work. Protocol in
   mailbox.c, fields in struct ghcomp_mail (types.h). */
#pragma once

#include "core/state/types.h"

/* The part of the mail that is the same for all workers of a region. */
struct ghcomp_fork {
    struct ghcomp_team *team;
    void (*fn)(void *);
    void *data;
    uint32_t region;
    int32_t cpu;
    struct ghcomp_float_control float_control;
};

/* The common part of the mails of the team's next region. Called by its master, whose floating-point settings it
   contains. */
static inline struct ghcomp_fork ghcomp_fork_begin(struct ghcomp_team *team, void (*fn)(void *), void *data,
                                                   int32_t cpu)
{
    return (struct ghcomp_fork){team, fn, data, team->region, cpu, ghcomp_float_control()};
}

/* The same from the mail that a worker has received, to pass it on. */
static inline struct ghcomp_fork ghcomp_fork_received(const struct ghcomp_mail *mail)
{
    return (struct ghcomp_fork){mail->team, mail->fn, mail->data, mail->region, mail->cpu, mail->float_control};
}

/* Publishes what the caller has written into the worker's mail. True: the worker may sleep and must be woken
   (ghcomp_mailbox_wake). */
static inline bool ghcomp_mailbox_post(struct ghcomp_thread *worker)
{
    uint32_t word = ghcomp_load_relaxed(&worker->mail.word) & ~1u;
    return ghcomp_xchg_acqrel(&worker->mail.word, word + 2) & 1u;
}

/* Fills the worker's mail for member `tid` of the region, and posts it as above. `last` goes to the mail's last word:
   `until` where the region begins by the fork tree, else a `finished_region` by which the worker counts as
   unfinished. */
static inline bool ghcomp_mailbox_send(struct ghcomp_thread *worker, const struct ghcomp_fork *fork, uint32_t tid,
                                       uint32_t last)
{
    struct ghcomp_mail *mail = &worker->mail;
    mail->tid = tid;
    mail->team = fork->team;
    mail->fn = fork->fn;
    mail->data = fork->data;
    mail->region = fork->region;
    ghcomp_store_relaxed(&mail->finished_region, last);
    mail->cpu = fork->cpu;
    mail->float_control = fork->float_control;
    return ghcomp_mailbox_post(worker);
}

/* Wakes a worker that sleeps on its mail. Called if ghcomp_mailbox_post says so. */
void ghcomp_mailbox_wake(struct ghcomp_thread *worker);
/* Makes a sleeping worker check the door of the region that it served last (task_team.c). */
void ghcomp_mailbox_rouse(struct ghcomp_thread *worker);
