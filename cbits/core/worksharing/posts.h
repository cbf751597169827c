/* Posts: the doacross loops of clang's code, whose iterations another loop hands out. Protocol in posts.c. */
#pragma once

#include "core/state/types.h"

struct ghcomp_posts;

/* Enters such a loop of `count` iterations and sets self->posts. Called by every member, in a team of several. The
   first member makes the posts, with a copy of the `bytes` of data, which are the same for all members. */
void ghcomp_posts_enter(struct ghcomp_member *self, uint64_t count, const void *data, size_t bytes);
const void *ghcomp_posts_data(const struct ghcomp_posts *posts, size_t *bytes);
/* Marks an iteration as done, and waits until one is. */
void ghcomp_posts_post(struct ghcomp_posts *posts, uint64_t number);
void ghcomp_posts_wait(struct ghcomp_member *self, uint64_t number);
/* Leaves the loop, if the member is in one. Called before the member enters another one. */
void ghcomp_posts_leave(struct ghcomp_member *self);
/* A member leaves a cancelled region from within the loop. */
void ghcomp_posts_desert(struct ghcomp_posts *posts);
