/* Work shares: the shared state of one worksharing construct (loop, sections, single, scope), and the chain that links
 * those of a region. Protocol in workshare.c.
 *
 * Entering a construct, for every member of the team, in program order:
 *
 *     struct ghcomp_workshare *share = ghcomp_workshare_next(self);     // another member's, or NULL
 *     bool first = false;
 *     if (share == NULL) {
 *         struct ghcomp_workshare *mine = ghcomp_workshare_new(self);   // reset; the caller's alone
 *         ... fill in mine's construct fields ...
 *         share = ghcomp_workshare_publish(self, mine, &first);         // mine, or that of a faster member
 *     }
 *     ghcomp_workshare_enter(self, share);                              // from here self->share == share
 *
 * A member leaves by entering the next share; there is no call for it.
 */
#pragma once

#include "core/state/types.h"

struct ghcomp_doacross;
struct ghcomp_reductions;

enum { GHCOMP_ORDERED_SLEEP_WORDS = 64 };

/* The ways to a member's next chunk of a loop (loop.h). */
enum ghcomp_loop_way {
    GHCOMP_LOOP_SLOWLY,        /* by share.sched */
    GHCOMP_LOOP_BY_COUNTER,    /* dynamic: by one addition to share.taken */
    GHCOMP_LOOP_BY_RUNS        /* dynamic: the same for several chunks together (loop_run.h) */
};

/* Three pairs of cache lines: fields that are only read while the construct runs, the counters of chunks, and the words
   that ordered regions wait on. For a member that lags behind no share is in its cache. So a plain
   loop, or sections, touch only the first two pairs, and rarely needed data has its own memory. */
struct ghcomp_workshare {
    _Atomic(struct ghcomp_workshare *) next; /* published by cas_acqrel, read by load_acquire */
    /* Construct fields: written before the share is published, immutable after. Loops (loop.c): iterations are numbered
       0 .. count-1; iteration k is start + k * increment in wrapping 64-bit arithmetic. */
    uint64_t count;
    uint64_t chunk;
    uint64_t start, increment, end;
    struct ghcomp_doacross *doacross;  /* construct: doacross.c */
    int sched;                         /* enum ghcomp_sched without the modifier: static, dynamic or guided */
    bool ordered;
    bool careful;                      /* additions past the end could wrap around, so chunks are taken by cas */
    uint8_t way;                       /* enum ghcomp_loop_way */
    _Atomic bool cancelled;            /* loops, sections: no more chunks. Written once if ever: store_release, after
                                          `taken`; load_acquire at cancellation points, elsewhere relaxed */
    _Atomic bool deserted;             /* ordered, doacross: a member has left the region with a chunk (cancel.c);
                                          store_release, load_acquire */
    uint64_t step;                     /* clang's loops only (abi/kmp/kmp_dispatch.c) */
    struct ghcomp_reductions *reductions; /* construct: one reference to it (task_reduction.c) */
    void *memory;                      /* construct: its zeroed memory (ghcomp_workshare_memory) */
    size_t memory_bytes;               /* its size; kept for the next construct that needs as much */
    _Atomic(struct ghcomp_workshare *) link; /* next on the stack or spare list that it is on; atomic(relaxed): a pop
                                                that will fail may read it while its new owner writes it */
    struct ghcomp_workshare *made;     /* next on team.made; the master's between regions, else immutable */
    uint8_t run_part;                  /* loops by runs: a run is at most 1 / 2^run_part of what is left */
    bool unused;                       /* master, between regions: to be freed */
    /* Written while the construct runs. */
    _Atomic uint64_t taken GHCOMP_ALIGNED_PAIR;   /* loops, sections: iterations handed out; atomic(relaxed) */
    _Atomic uint32_t entered;          /* members that have entered; add_acqrel by each, which uses `taken` next */
    /* Used only by ordered loops, which set them before the share is published, and by single copyprivate. */
    _Atomic uint64_t turn GHCOMP_ALIGNED_PAIR;    /* ordered: first iteration of the chunk whose turn it is;
                                                     store_release by the chunk before, load_acquire by its own */
    _Atomic uint32_t *sleep_words;     /* ordered: [GHCOMP_ORDERED_SLEEP_WORDS] words that members sleep on until their
                                          turn (ordered.c), kept for the next ordered loop; old values do no harm */
    void *copied_from;                 /* single copyprivate: the executing member's data (single.c) */
    _Atomic bool turns_slept_for;      /* ordered: a member has slept until its turn, or is about to (sleep_word.h) */
} GHCOMP_ALIGNED_PAIR;
_Static_assert(sizeof(struct ghcomp_workshare) == 3 * GHCOMP_PAD_LINE, "its memory is what members far apart pay for");

/* The share after the one that the member entered last, or NULL when none has been published yet. */
static inline struct ghcomp_workshare *ghcomp_workshare_next(struct ghcomp_member *self)
{
    return ghcomp_load_acquire(&self->share->next);
}

/* A share for the caller to fill in: a free one of the team's, or a new one. No other member sees it. */
struct ghcomp_workshare *ghcomp_workshare_new(struct ghcomp_member *self);
/* Publishes `mine` after the share that the member entered last, if no other member has published one there. Returns
   the share that is there now; *first: it is `mine`. If it is not, the member keeps `mine` for later; what is in it is
   the caller's to free. */
struct ghcomp_workshare *ghcomp_workshare_publish(struct ghcomp_member *self, struct ghcomp_workshare *mine,
                                                  bool *first);
/* The member goes on to this share, the next one. The share that it leaves may be used again when all have left it. */
void ghcomp_workshare_enter(struct ghcomp_member *self, struct ghcomp_workshare *share);

/* Gives the share `bytes` of zeroed memory, aligned to a cache line, which stays until every member has left. Before
   publication; the other members read share->memory. */
void *ghcomp_workshare_memory(struct ghcomp_workshare *share, size_t bytes);

/* Combined parallel constructs, between ghcomp_team_prepare and ghcomp_team_release: the master fills in a share (from
   ghcomp_workshare_new) that every member has entered when the region starts. */
void ghcomp_workshare_start_in(struct ghcomp_team *team, struct ghcomp_workshare *share);

/* Make a team's chain, reset it after each join, and free it. Called by team.c and team_struct.c. */
void ghcomp_workshare_team_init(struct ghcomp_team *team);
void ghcomp_workshare_team_rewind_slow(struct ghcomp_team *team);
void ghcomp_workshare_team_free(struct ghcomp_team *team);
/* Called before a worker that has joined serves another team: leaves its spare shares to the team that made them. */
void ghcomp_workshare_member_leaves(struct ghcomp_team *team, struct ghcomp_member *member);

static inline void ghcomp_workshare_team_rewind(struct ghcomp_team *team)
{
    if (team->oldest != team->root || ghcomp_load_relaxed(&team->root->next) != NULL)
        ghcomp_workshare_team_rewind_slow(team);
}
