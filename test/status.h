/* What the kernel says of the calling process. */
#pragma once

#include <stdio.h>
#include <string.h>

/* The number behind a word of /proc/self/status such as "VmRSS" (kB) or "Threads"; -1: there is none. */
static inline long status_number(const char *word)
{
    char line[256];
    long number = -1;
    size_t length = strlen(word);
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, word, length) == 0 && line[length] == ':')
            sscanf(line + length + 1, "%ld", &number);
    fclose(file);
    return number;
}
