/* Waits until every thread of the process but its first one sleeps: also those that GHC's RTS has just made, whose
 * start may need memory or be counted against a limit that the test is about to lower. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline int threads_awake(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        char path[300], state = 0;
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue; /* it has ended */
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1 || state != 'S')
            count++;
        fclose(file);
    }
    closedir(tasks);
    return count;
}

static inline void wait_until_all_sleep(void)
{
    for (int quiet = 0; quiet < 20; usleep(1000))
        quiet = threads_awake() == 0 ? quiet + 1 : 0;
}
