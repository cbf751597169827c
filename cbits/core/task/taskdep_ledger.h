/* The ledger of a domain (taskdep_domain.c): its structs, and what the two files of the domain need of each other. */
#pragma once

#include "core/task/taskdep_domain.h"

struct ghcomp_depend_scope {
    struct ghcomp_depend_domain *domain;
    struct ghcomp_depend_scope *up;              /* the scope that its task is a child of; NULL for the root */
    struct ghcomp_depend_scope *below;           /* the newest of the scopes below it ... */
    struct ghcomp_depend_scope *beside, *before; /* ... and their list */
    struct ghcomp_depend_place *members;         /* its children in the ledger, the newest first */
    uint64_t number;               /* its task's in `up` */
    uint64_t made;                 /* numbers given so far */
    uint64_t exposed;              /* 0, or when its children were exposed: the domain's `exposures` then */
    uint32_t depth;
    uint32_t references;           /* its task, if that is not complete; members; scopes below */
    bool imports, exports;
    struct ghcomp_depend_table table; /* what its task refers to */
};

struct ghcomp_depend_mention {
    struct ghcomp_depend_place *of;
    struct ghcomp_depend_address *at;
    struct ghcomp_depend_mention *earlier, *later; /* of this address, by position */
    enum ghcomp_depend_kind kind;
};

/* A task, or a join, in the ledger. */
struct ghcomp_depend_place {
    struct ghcomp_depend_node *node;
    struct ghcomp_depend_scope *scope;
    struct ghcomp_depend_scope *own;             /* the scope that it has opened, or NULL */
    uint64_t number;
    uint64_t stamp;                /* `exposures` when it was entered */
    struct ghcomp_depend_place *newer, *older;   /* of its scope */
    struct ghcomp_depend_mention *mentions;      /* [count] */
    size_t count;
};

struct ghcomp_depend_address {
    void *address;
    struct ghcomp_depend_mention *first, *last;
    struct ghcomp_depend_address *next;          /* in its bucket */
};

struct ghcomp_depend_domain {
    struct ghcomp_depend_heap heap;
    _Atomic uint32_t lock;         /* lock.h */
    _Atomic uint32_t references;
    struct ghcomp_task *task;      /* the root's; only its address counts, since it may have ended */
    struct ghcomp_depend_scope *root;
    uint64_t exposures;
    uint32_t mark;                 /* of the last search */
    uint32_t bits;                 /* log2 of the buckets */
    uint32_t addresses;
    struct ghcomp_depend_address **buckets;
    struct ghcomp_depend_address all;            /* of omp_all_memory */
};


/* Whether a's position is before b's, both of one domain; a task's is before those of its descendants. */
bool ghcomp_ledger_precedes(const struct ghcomp_depend_place *a, const struct ghcomp_depend_place *b);
/* Enters an item of the place's clause; the mention is the one for it. Waits for what is earlier. */
void ghcomp_ledger_enter(struct ghcomp_depend_place *place, struct ghcomp_depend_mention *mention, void *address,
                         enum ghcomp_depend_kind kind);
/* Enters a mention, without waiting; NULL is omp_all_memory. */
void ghcomp_ledger_note(struct ghcomp_depend_place *place, struct ghcomp_depend_mention *mention, void *address,
                        enum ghcomp_depend_kind kind);
void ghcomp_ledger_take_out(struct ghcomp_depend_domain *domain, struct ghcomp_depend_mention *mention);
/* The place's task, which has opened a scope, is complete, and its node not closed yet. */
void ghcomp_ledger_expose(struct ghcomp_depend_domain *domain, struct ghcomp_depend_place *place);
