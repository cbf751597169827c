/* Events of GHC's eventlog as bytes: one with a text, and a block of them. Protocol and format: trace_event.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    GHCOMP_TRACE_HEADER_BYTES = 2 + 8 + 4 + 8 + 2, /* a block's: type, time, size, end time, Capability */
    GHCOMP_TRACE_EVENT_BYTES = 2 + 8 + 2,          /* of an event, without its text: type, time, length of the text */
    GHCOMP_TRACE_END_BYTES = GHCOMP_TRACE_EVENT_BYTES + 40, /* the longest end: ghcomp m4294967295 barrier-end */
    GHCOMP_TRACE_LINE_BYTES = 160
};

/* The text of an event. An empty one is {0}. */
struct ghcomp_trace_line {
    size_t length;
    char text[GHCOMP_TRACE_LINE_BYTES];
};

void ghcomp_trace_line_add(struct ghcomp_trace_line *line, const char *text);
/* Appends the key, and the number in decimal digits. */
void ghcomp_trace_line_number(struct ghcomp_trace_line *line, const char *key, uint64_t number);

/* Writes an event with this text; returns its number of bytes. */
size_t ghcomp_trace_event_put(uint8_t *at, uint64_t now, const struct ghcomp_trace_line *line);

/* Writes the header of a block of `used` bytes, the header's own included, whose events are between two times. */
void ghcomp_trace_header_put(uint8_t *at, size_t used, uint64_t first, uint64_t last);

/* Removes from a block of `used` bytes the spans that have ended in it, and all moments. What remains is ends, followed
   by begins. Returns the number of bytes still used. */
size_t ghcomp_trace_drop_over(uint8_t *block, size_t used);
