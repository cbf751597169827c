/* Parsers of setting values: pure functions from text to value, no messages, no globals. Each takes the whole text and
 * returns false, with the value untouched, when any part of it does not fit. White space around every word and number
 * is allowed, and case does not matter. See env_parse.c. */
#pragma once

#include "base/atomic.h"
#include "core/memory/alloc.h"

/* A word that a setting accepts, and its value. A list of them ends with a NULL name. */
struct ghcomp_env_word {
    const char *name;
    int value;
};

/* A comma-separated list, in storage of its own (malloc). */
struct ghcomp_env_list {
    uint32_t *items;
    uint32_t length;
};

/* OMP_SCHEDULE. */
struct ghcomp_env_schedule {
    int kind;      /* enum ghcomp_sched, may carry GHCOMP_SCHED_MONOTONIC */
    int chunk;     /* 0 = the schedule's default */
    bool modified; /* the text has a modifier */
};

/* OMP_ALLOCATOR: a predefined allocator, or a memory space and at least one trait. */
struct ghcomp_env_allocator {
    int handle;    /* GHCOMP_ALLOCATOR_NULL when there are traits */
    int space;     /* GHCOMP_SPACE_* of these */
    int count;
    struct ghcomp_trait traits[8]; /* [count]: each kind once */
};

/* [+]digits, in [low, high]. With `clip` a greater value that fits 64 bits counts as `high`. */
bool ghcomp_env_parse_number(const char *text, uint64_t low, uint64_t high, bool clip, uint64_t *value);
/* One of the words. */
bool ghcomp_env_parse_word(const char *text, const struct ghcomp_env_word *words, int *value);
/* Numbers in [low, high], or words, separated by commas: at least one. */
bool ghcomp_env_parse_numbers(const char *text, uint64_t low, uint64_t high, struct ghcomp_env_list *value);
bool ghcomp_env_parse_words(const char *text, const struct ghcomp_env_word *words, struct ghcomp_env_list *value);
/* OMP_THREADS_RESERVE: a number, one of the words `structured` and `free_agent`, or one or both of them with a number
   in parentheses. */
struct ghcomp_threads_reserve;
bool ghcomp_env_parse_reserve(const char *text, struct ghcomp_threads_reserve *value);
/* A size with suffix B, K, M, G or T, or KB and so on (1024 each; none = K), in bytes, at least `low`. */
bool ghcomp_env_parse_size(const char *text, size_t low, size_t *bytes);
/* The same, but a number without a suffix is in bytes. */
bool ghcomp_env_parse_bytes(const char *text, size_t low, size_t *bytes);
/* A count with suffix K, M, G or T (1000 each), or `infinite` or `infinity` (UINT64_MAX; so is -1). */
bool ghcomp_env_parse_count(const char *text, uint64_t *value);
/* OMP_AVAILABLE_DEVICES: enum ghcomp_devices. */
bool ghcomp_env_parse_devices(const char *text, int *value);
/* [monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk], and libomp's kinds trapezoidal and static_steal. */
bool ghcomp_env_parse_schedule(const char *text, struct ghcomp_env_schedule *value);
/* One of the words, which name allocators, or SPACE[:TRAIT=VALUE,...]. An allocator can be created from every accepted
   value. If the text is refused, *wrong is the rest of it that does not fit ("" = a part is missing), or NULL: all
   fits, but no allocator has such an alignment. */
bool ghcomp_env_parse_allocator(const char *text, const struct ghcomp_env_word *words,
                                struct ghcomp_env_allocator *value, const char **wrong);
