/* Cancellation. Protocol: cancel.c. */
#pragma once

#include "core/state/types.h"

/* The kinds of construct that a cancel construct names: the ABI's values. */
enum ghcomp_cancel_kind {
    GHCOMP_CANCEL_PARALLEL = 1,
    GHCOMP_CANCEL_LOOP = 2,
    GHCOMP_CANCEL_SECTIONS = 4,
    GHCOMP_CANCEL_TASKGROUP = 8
};

/* A cancellation point. True: the member must leave the construct. */
bool ghcomp_cancellation_point(struct ghcomp_member *self, int kind);
/* Cancels the innermost construct of that kind. True: the member must leave it; false: cancel-var is off. */
bool ghcomp_cancel(struct ghcomp_member *self, int kind);
/* Reports a cancel construct (`activated`) or a cancellation point to a tool. */
void ghcomp_cancel_report(struct ghcomp_member *self, int kind, bool activated);
/* Cancels the team's region, whatever cancel-var says (Haskell bodies: an exception ends the region). */
void ghcomp_cancel_region(struct ghcomp_team *team);
