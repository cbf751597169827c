/* cbits/haskell/slots.c: a thread gets back the slots that it has kept, each once; it keeps a bounded number; other
   threads have slots of their own. */
#include <pthread.h>

#include "haskell/slots.h"
#include "unit.h"

enum { MOST_SLOTS = 1000 };
static char slots[MOST_SLOTS];

static int keep_from(int from)
{
    int kept = 0;
    while (from + kept < MOST_SLOTS && ghcomp_hs_slot_keep(&slots[from + kept]))
        kept++;
    return kept;
}

static void each_is_taken_once(void)
{
    int kept = keep_from(0), taken[MOST_SLOTS] = {0};
    CHECK(kept > 0 && kept < MOST_SLOTS);
    CHECK(!ghcomp_hs_slot_keep(&slots[kept]));
    for (char *slot; (slot = ghcomp_hs_slot_take()) != NULL;)
        taken[slot - slots]++;
    for (int i = 0; i < MOST_SLOTS; i++)
        CHECK_EQUAL(i < kept, taken[i]);
    CHECK(ghcomp_hs_slot_keep(&slots[kept]));
    CHECK(ghcomp_hs_slot_take() == &slots[kept]);
}

static void *another(void *nothing)
{
    (void)nothing;
    CHECK(ghcomp_hs_slot_take() == NULL);
    CHECK(ghcomp_hs_slot_keep(&slots[1]));
    return NULL;
}

static void threads_have_their_own(void)
{
    pthread_t thread;
    CHECK(ghcomp_hs_slot_keep(&slots[0]));
    CHECK_EQUAL(0, pthread_create(&thread, NULL, another, NULL));
    CHECK_EQUAL(0, pthread_join(thread, NULL));
    CHECK(ghcomp_hs_slot_take() == &slots[0]);
}

int main(void)
{
    CHECK(ghcomp_hs_slot_take() == NULL);
    each_is_taken_once();
    threads_have_their_own();
    return 0;
}
