/* Events of GHC's eventlog as bytes.
 *
 * Numbers are big-endian. A block has a header with its size, a span of time and a Capability, 0xffff for none; behind
 * it are events, here user messages: a type, a time, a length and a text. The texts are those that trace.c describes.
 *
 * Called by trace.c. Covered by test/unit/trace.c.
 */
#include "core/trace/trace_event.h"

#include <string.h>

#include "base/check.h"

enum {
    EVENT_BLOCK_MARKER = 18, /* GHC's EventLogFormat.h */
    EVENT_USER_MSG = 19,
    NO_CAPABILITY = 0xffff
};

void ghcomp_trace_line_add(struct ghcomp_trace_line *line, const char *text)
{
    size_t length = strlen(text);
    ghcomp_invariant(line->length + length <= GHCOMP_TRACE_LINE_BYTES);
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

void ghcomp_trace_line_number(struct ghcomp_trace_line *line, const char *key, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    ghcomp_trace_line_add(line, key);
    ghcomp_trace_line_add(line, digits + at);
}

static uint8_t *put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + bytes;
}

size_t ghcomp_trace_event_put(uint8_t *at, uint64_t now, const struct ghcomp_trace_line *line)
{
    at = put(at, EVENT_USER_MSG, 2);
    at = put(at, now, 8);
    at = put(at, line->length, 2);
    memcpy(at, line->text, line->length);
    return GHCOMP_TRACE_EVENT_BYTES + line->length;
}

void ghcomp_trace_header_put(uint8_t *at, size_t used, uint64_t first, uint64_t last)
{
    at = put(at, EVENT_BLOCK_MARKER, 2);
    at = put(at, first, 8);
    at = put(at, used, 4);
    at = put(at, last, 8);
    put(at, NO_CAPABILITY, 2);
}

static size_t event_bytes(const uint8_t *event)
{
    const uint8_t *length = event + GHCOMP_TRACE_EVENT_BYTES - 2;
    return GHCOMP_TRACE_EVENT_BYTES + ((size_t)length[0] << 8 | length[1]);
}

/* The event's kind from its text, whose only dash is in KIND-begin or KIND-end: 1 for a begin, -1 for an end, 0 for a
   moment. */
static int event_change(const uint8_t *event)
{
    const uint8_t *dash = memchr(event + GHCOMP_TRACE_EVENT_BYTES, '-', event_bytes(event) - GHCOMP_TRACE_EVENT_BYTES);
    return dash == NULL ? 0 : dash[1] == 'b' ? 1 : -1;
}

size_t ghcomp_trace_drop_over(uint8_t *block, size_t used)
{
    const uint8_t *end = block + used;
    uint8_t *to = block + GHCOMP_TRACE_HEADER_BYTES, *begins = to; /* kept: up to `to`, with the begins at the end */
    size_t size;
    for (const uint8_t *event = to; event < end; event += size) {
        size = event_bytes(event);
        int change = event_change(event);
        if (change < 0 && begins < to) {
            /* The last begin belongs to this end. */
            uint8_t *last = begins;
            while (last + event_bytes(last) < to)
                last += event_bytes(last);
            to = last;
        } else if (change != 0) {
            memmove(to, event, size);
            to += size;
            if (change < 0)
                begins = to;
        }
    }
    return (size_t)(to - block);
}
