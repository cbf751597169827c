/* A worker's mailbox: sending work, and waking. The worker waits for the mail's word to change, whether it is free in
 * the pool or kept by a hot team (docs/internals/adr/0001). core/team/pool.c has the ownership of mailboxes.
 *
 * The word: bit 0 is the waiters bit: the worker sleeps on the word or is about to; the rest counts posts. Only a
 * sender changes the count. The worker sets bit 0 and a rouser clears it, for any count.
 *
 *   1. A post. The sender writes the other fields and then exchanges the word for the next count with bit 0 clear
 *      (xchg_acqrel, pairs with the worker's load_acquire in worker.c): the worker sees the mail, and the team, as the
 *      sender left them. If the old word had bit 0, the sender owes a wake-up, which it makes itself or leaves to
 *      workers woken earlier (team.wake: worker.c).
 *   2. A sleep. After spinning, the worker sets bit 0 (cas_seqcst, from the word that it saw last), checks once more,
 *      and sleeps while the word keeps its value. A post before the cas makes it fail; a post after it sees the bit.
 *   3. Rousing. A worker that waits for mail also checks the door of the region that it served last, where it may help
 *      with tasks (task_team.c). A thread that opens the door (cas_seqcst) reads bit 0 after that (load_seqcst); a
 *      worker reads the door (load_seqcst) after it has set bit 0. All are sequentially consistent, so the worker sees
 *      the door open or the opener sees the bit. Then the opener clears it (and_acqrel) and, if it was still set, wakes
 *      the worker.
 *
 * Called by team.c and fork_tree.c (sending), worker.c (waking, and the end of a worker), pool.c (errands) and
 * task_team.c (rousing). The worker's side is wait_for_mail in worker.c. Covered by
 * test/unit/{team,team_sleep,team_wake,fork_tree}.c; rousing by test/unit/{task,task_sleep}.c. Explored with fork and
 * join (test/explore/fork_join.c): no post and no rousing is lost, two or three members, two preemptions, one delayed
 * store.
 */
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
