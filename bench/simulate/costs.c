/* What operations cost: from the file that measure.c writes. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

struct costs costs;

static const struct { const char *name; size_t at; } fields[] = {
#define FIELD(name) {"\"" #name "\":", offsetof(struct costs, name)}
    FIELD(hit), FIELD(change), FIELD(transfer), FIELD(pause), FIELD(clock), FIELD(yield), FIELD(swap), FIELD(wake),
    FIELD(latency), FIELD(sleep), FIELD(nap), FIELD(ask), FIELD(move), FIELD(spawn), FIELD(fence), FIELD(tick),
    FIELD(hot), FIELD(hot_tries), FIELD(far_factor),
};

void costs_read(const char *path)
{
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    size_t read = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (read == 0) {
        fprintf(stderr, "simulate: %s cannot be read; measure the costs first (make simulate-costs)\n", path);
        exit(1);
    }
    fclose(file);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *found = strstr(text, fields[i].name);
        if (found == NULL) {
            fprintf(stderr, "simulate: %s has no %s\n", path, fields[i].name);
            exit(1);
        }
        uint64_t value = strtoull(found + strlen(fields[i].name), NULL, 10);
        memcpy((char *)&costs + fields[i].at, &value, sizeof value);
    }
}
