/* Addresses as source lines: the list of the process's objects gives the file of an address, and addr2line (or
 * elfutils' eu-addr2line) reads the line from that file's debugging information. It is started once for each object,
 * with an environment of its own, so that it is not profiled. Without it there are names of functions, if the object
 * exports them, and offsets. */
#include "where.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "settings.h"
#include "text.h"

static const char *copy(const char *string)
{
    char *made = profile_alloc(strlen(string) + 1);
    return strcpy(made, string);
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

struct search {
    struct where *where;
    const void **from;             /* where the part of the object begins that the address is in */
    uint32_t count;
};

static const char *program(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

static int in_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct search *search = data;
    const char *name = NULL;
    for (uint32_t i = 0; i < search->count; i++) {
        struct where *where = &search->where[i];
        uint64_t offset = (uint64_t)(uintptr_t)where->address - 1 - info->dlpi_addr; /* in the call */
        for (int part = 0; part < info->dlpi_phnum && where->address != NULL; part++) {
            const ElfW(Phdr) *header = &info->dlpi_phdr[part];
            if (header->p_type != PT_LOAD || offset - header->p_vaddr >= header->p_memsz)
                continue;
            if (name == NULL)
                name = copy(info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : program());
            where->object = name;
            where->offset = offset;
            search->from[i] = (const void *)(uintptr_t)(info->dlpi_addr + header->p_vaddr);
        }
    }
    return 0;
}

/* --- the reader --------------------------------------------------------------------------------------------------- */

enum { MOST = 1000, DIGITS = 20 };

/* Starts the reader for these addresses of one object; *out reads its output. */
static pid_t start_reader(const char *reader, const struct where *where[], uint32_t count, int *out)
{
    char *arguments[MOST + 6], numbers[MOST][DIGITS], path[4096];
    const char *search = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s", search != NULL ? search : "/usr/bin:/bin");
    char *environment[] = {path, "LC_ALL=C", NULL};
    int at = 0, pipes[2];
    arguments[at++] = (char *)reader;
    arguments[at++] = "-f";
    arguments[at++] = "-C";
    arguments[at++] = "-e";
    arguments[at++] = (char *)where[0]->object;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(numbers[i], DIGITS, "0x%llx", (unsigned long long)where[i]->offset);
        arguments[at++] = numbers[i];
    }
    arguments[at] = NULL;
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    pid_t child = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipes[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (posix_spawnp(&child, reader, &files, &attributes, arguments, environment) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    close(pipes[1]);
    if (child < 0)
        close(pipes[0]);
    *out = pipes[0];
    return child;
}

/* "file:line", perhaps with more text behind it. */
static void take_line(struct where *where, char *line)
{
    char *colon = strrchr(line, ':'), *end;
    if (colon == NULL || line[0] == '?')
        return;
    unsigned long number = strtoul(colon + 1, &end, 10);
    if (end == colon + 1 || number == 0)
        return;
    *colon = '\0';
    where->file = copy(line);
    where->line = (unsigned)number;
}

static bool read_lines(const char *reader, struct where *where[], uint32_t count)
{
    int out;
    pid_t child = start_reader(reader, (const struct where **)where, count, &out);
    if (child < 0)
        return false;
    struct text said = {NULL, 0, 0};
    text_read(&said, out);
    close(out);
    char *rest = said.bytes, *line;
    for (uint32_t i = 0; i < 2 * count && rest != NULL && (line = strsep(&rest, "\n")) != NULL; i++)
        if (i % 2 == 1)
            take_line(where[i / 2], line);
        else if (line[0] != '?' && line[0] != '\0')
            where[i / 2]->function = copy(line);
    text_free(&said);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void find_lines(struct where *where, uint32_t count)
{
    static const char *const readers[] = {"addr2line", "eu-addr2line"};
    struct where **chosen = profile_alloc(MOST * sizeof *chosen);
    bool *done = profile_alloc(count + 1);
    for (uint32_t first = 0; first < count; first++) {
        uint32_t of_object = 0;
        for (uint32_t i = first; i < count && of_object < MOST; i++)
            if (!done[i] && where[i].object != NULL && where[i].object == where[first].object) {
                chosen[of_object++] = &where[i];
                done[i] = true;
            }
        if (of_object != 0 && access(chosen[0]->object, R_OK) == 0)
            for (size_t i = 0; i < sizeof readers / sizeof readers[0] && chosen[0]->function == NULL; i++)
                read_lines(readers[i], chosen, of_object);
    }
    free(chosen);
    free(done);
}

/* The line of the body's function instead of the call's, where gcc has made one (outlined.c). */
enum { CANDIDATES = 24 };

struct candidate {
    uint32_t owner;
    bool near;
};

static uint32_t add_candidates(struct where *all, const void *const *from, uint32_t count, struct candidate *candidates)
{
    uint32_t used = count;
    for (uint32_t i = 0; i < count; i++) {
        const void *found[CANDIDATES];
        uint32_t near;
        if (!all[i].outlines || all[i].object == NULL)
            continue;
        uint64_t base = (uint64_t)(uintptr_t)all[i].address - 1 - all[i].offset;
        uint32_t there = outlined_candidates(all[i].address, from[i], found, CANDIDATES, &near);
        for (uint32_t j = 0; j < there; j++) {
            candidates[used - count] = (struct candidate){i, j < near};
            all[used++] = (struct where){.object = all[i].object, .offset = (uint64_t)(uintptr_t)found[j] - base};
        }
    }
    return used;
}

/* Takes the line of the nearest function that no other call has taken, of the near ones or of the others. */
static void take_candidates(struct where *all, uint32_t count, uint32_t used, struct candidate *candidates, bool near)
{
    for (uint32_t i = count; i < used; i++) {
        struct candidate *candidate = &candidates[i - count];
        struct where *owner = &all[candidate->owner];
        if (!owner->outlines || candidate->near != near || all[i].outlines || all[i].function == NULL ||
            strstr(all[i].function, "_omp_fn.") == NULL || all[i].file == NULL)
            continue;
        owner->file = all[i].file;
        owner->line = all[i].line;
        owner->outlines = false; /* it has one */
        for (uint32_t j = count; j < used; j++)
            all[j].outlines |= all[j].object == all[i].object && all[j].offset == all[i].offset; /* it is taken */
    }
}

void where_find(struct where *where, uint32_t count)
{
    uint32_t most = count * (CANDIDATES + 1) + 1;
    struct where *all = profile_alloc(most * sizeof *all);
    const void **from = profile_alloc(most * sizeof *from);
    struct candidate *candidates = profile_alloc(most * sizeof *candidates);
    if (count != 0)
        memcpy(all, where, count * sizeof *all);
    dl_iterate_phdr(in_object, &(struct search){all, from, count});
    uint32_t used = add_candidates(all, from, count, candidates);
    find_lines(all, used);
    take_candidates(all, count, used, candidates, true);
    take_candidates(all, count, used, candidates, false);
    if (count != 0)
        memcpy(where, all, count * sizeof *all);
    free(all);
    free(from);
    free(candidates);
    for (uint32_t i = 0; i < count; i++) {
        Dl_info info;
        if (where[i].function == NULL && where[i].object != NULL &&
            dladdr((const char *)where[i].address - 1, &info) != 0 && info.dli_sname != NULL)
            where[i].function = copy(info.dli_sname);
    }
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void where_shown(const struct where *where, char *text, unsigned size)
{
    if (where->file != NULL && where->function != NULL)
        snprintf(text, size, "%s:%u (%s)", base(where->file), where->line, where->function);
    else if (where->file != NULL)
        snprintf(text, size, "%s:%u", base(where->file), where->line);
    else if (where->object != NULL)
        snprintf(text, size, "%s+0x%llx%s%s%s", base(where->object), (unsigned long long)where->offset,
                 where->function != NULL ? " (" : "", where->function != NULL ? where->function : "",
                 where->function != NULL ? ")" : "");
    else
        snprintf(text, size, "unknown");
}
