/* Waking a worker that sleeps on its mail; see mailbox.h. */
#include "core/sync/mailbox.h"

#include "host/os.h"

void ghcomp_mailbox_wake(struct ghcomp_thread *worker)
{
    ghcomp_os_wake(&worker->mail.word, 1);
}

void ghcomp_mailbox_rouse(struct ghcomp_thread *worker)
{
    if ((ghcomp_load_seqcst(&worker->mail.word) & 1u) && (ghcomp_and_acqrel(&worker->mail.word, ~1u) & 1u))
        ghcomp_mailbox_wake(worker);
}
