/* Addresses of the program as source lines. */
#pragma once

#include <stdint.h>

/* What is known of a site's address; NULL and 0 where nothing is. */
struct where {
    const void *address;           /* what the call of the runtime returns to */
    const char *object;            /* the file of the program or library */
    uint64_t offset;               /* of the call in it, as the linker numbered its addresses */
    const char *function, *file;
    unsigned line;
};

/* Fills in the others by `address`. */
void where_find(struct where *where, uint32_t count);
/* "heat.c:41 (step)", or what is known. */
void where_shown(const struct where *where, char *text, unsigned size);
