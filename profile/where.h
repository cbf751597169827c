/* Addresses of the program as source lines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A site's address as a source line; unknown fields are NULL and 0. */
struct where {
    const void *address;           /* the return address of the call of the runtime */
    bool outlines;                 /* the call has a function as argument that gcc may have made of a body */
    const char *object;            /* the file of the program or library */
    uint64_t offset;               /* of the call in it, as the linker numbered its addresses */
    const char *function, *file;
    unsigned line;
};

/* Fills in the others by `address`. */
void where_find(struct where *where, uint32_t count);
/* Code addresses that are loaded into a register before the call that returns to `address`, the nearest first, and how
   many of them are near; nothing before `from` is read. */
uint32_t outlined_candidates(const void *address, const void *from, const void *found[], uint32_t most, uint32_t *near);
/* "heat.c:41 (step)", or its known parts. */
void where_shown(const struct where *where, char *text, unsigned size);
