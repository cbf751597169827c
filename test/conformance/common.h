/* What conformance programs share: a check that names the line and ends the program, and the number of OS threads. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

/* Whether GHC's RTS has made the thread of that name: 9.0 appends ":w" to the program's, later ones have one of their
   own. Such a thread has the signals of the thread that made it, which may be one of ours. */
static inline bool is_of_ghc(const char *name)
{
    size_t length = strlen(name);
    return strcmp(name, "ghc_worker") == 0 || (length >= 2 && strcmp(name + length - 2, ":w") == 0);
}

/* The threads that do not block signals now, and whether there are others. */
static inline int count_unblocked_threads(bool *others)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;
    CHECK(folder != NULL);
    while ((entry = readdir(folder)) != NULL) {
        char path[300], line[256], name[64] = "";
        unsigned long long blocked = ~0ull; /* the file of one that ends is empty */
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue; /* it ended meanwhile */
        while (fgets(line, sizeof line, file) != NULL)
            if (sscanf(line, "Name: %63[^\n]", name) != 1)
                sscanf(line, "SigBlk: %llx", &blocked);
        fclose(file);
        bool blocks = (blocked >> (15 - 1) & 1) || is_of_ghc(name); /* SIGTERM */
        count += !blocks;
        *others |= blocks;
    }
    closedir(folder);
    return count;
}

/* OS threads of this process now, without those of a GHC runtime that was started for it: those block all signals, or
   have a name that tells them. A thread that makes another one does so, too, but only for a moment: hence the second
   look. */
static inline int os_threads(void)
{
    bool others = false;
    int first = count_unblocked_threads(&others);
    if (!others)
        return first;
    struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
    int second = count_unblocked_threads(&others);
    return first > second ? first : second;
}

/* Whether they are at most that many, or soon will be: one that GHC's RTS makes has the name of its maker until that
   gives it another one, and one that has ended may be listed for a while. */
static inline bool os_threads_at_most(int most)
{
    struct timespec moment = {0, 10000000};
    for (int look = 0; look < 6000; look++) {
        if (os_threads() <= most)
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}
