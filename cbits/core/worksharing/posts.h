/* Posts: the doacross loops of clang's code, whose iterations another loop hands out. Protocol in posts.c. */
#pragma once

#include "core/state/types.h"

struct ghcomp_posts;

/* Enters such a loop of `count` iterations, and stores it in self->posts: every member of a team of several. The member
   that comes first makes it, with a copy of the `bytes` of data, which are the same for all. */
void ghcomp_posts_enter(struct ghcomp_member *self, uint64_t count, const void *data, size_t bytes);
const void *ghcomp_posts_data(const struct ghcomp_posts *posts, size_t *bytes);
/* Marks an iteration as done, and waits until one is. */
void ghcomp_posts_post(struct ghcomp_posts *posts, uint64_t number);
void ghcomp_posts_wait(struct ghcomp_member *self, uint64_t number);
/* The member is in no such loop any more, if it was in one. Before it enters another one. */
void ghcomp_posts_leave(struct ghcomp_member *self);
