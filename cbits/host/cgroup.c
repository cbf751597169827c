/* The bounds of control groups, versions 1 and 2: the CPU quota, and the number of threads.
 *
 * /proc/self/cgroup names the process's groups, one line for each hierarchy: "0::/path" for version 2,
 * "4:cpu,cpuacct:/path" for version 1. /proc/self/mountinfo has where hierarchies are mounted, and which group the
 * mount's own folder is: a container often sees only its part of the tree, while the path starts at the tree's root. A
 * group is limited by its own quota and by those of all groups above it, so the tightest one counts.
 *
 * A hierarchy may be mounted several times, also with a part of the tree that belongs to another group. If no mount
 * shows the process's group (cgroup namespaces that do not match, a path that begins with "/.."), the group of the
 * mount's own folder is used.
 *
 * The environment's constructor reads the quota (env.c), and os_threads.c the limit of threads before an RTS is booted,
 * on any thread: so this uses neither the heap nor stdio's streams. Covered by test/unit/cgroup.c; in whole programs by
 * test/container/{quota,few}.py.
 */
#include "host/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- small files, line by line ------------------------------------------------------------------------------------ */

struct lines {
    int file;
    size_t at, filled;
    char buffer[1024];
};

static bool open_lines(struct lines *lines, const char *root, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s", root, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    lines->file = open(path, O_RDONLY | O_CLOEXEC);
    lines->at = lines->filled = 0;
    return lines->file >= 0;
}

/* Reads the next character; -1: the end. */
static int next_char(struct lines *lines)
{
    if (lines->at == lines->filled) {
        ssize_t got = read(lines->file, lines->buffer, sizeof lines->buffer);
        if (got <= 0)
            return -1;
        lines->at = 0;
        lines->filled = (size_t)got;
    }
    return (unsigned char)lines->buffer[lines->at++];
}

/* The next line without its newline; when there is none, closes the file and returns false. A line that does not fit is
   cut off; this happens only behind the fields that are used here (in an overlay's list of folders, say). */
static bool next_line(struct lines *lines, char *line, size_t size)
{
    size_t length = 0;
    int c = next_char(lines);
    if (c < 0) {
        close(lines->file);
        return false;
    }
    for (; c >= 0 && c != '\n'; c = next_char(lines))
        if (length < size - 1)
            line[length++] = (char)c;
    line[length] = '\0';
    return true;
}

/* --- what bounds the group of a folder ---------------------------------------------------------------------------- */

/* The first line of the file `name` in the folder. */
static bool read_in(const char *folder, const char *name, char *line, size_t size)
{
    struct lines lines;
    if (!open_lines(&lines, folder, name))
        return false;
    bool found = next_line(&lines, line, size);
    if (found)
        close(lines.file);
    return found;
}

/* "No limit", of every resource. */
#define NO_LIMIT UINT32_MAX

/* CPUs for "quota" microseconds in each "period", rounded up. */
static uint32_t whole_cpus(const char *quota, const char *period)
{
    char *end;
    long long used = strtoll(quota, &end, 10);
    long long each = strtoll(period, NULL, 10);
    if (end == quota || used <= 0 || each <= 0) /* "max", "-1" */
        return NO_LIMIT;
    long long cpus = used / each + (used % each != 0);
    return cpus <= INT_MAX ? (uint32_t)cpus : NO_LIMIT;
}

static uint32_t quota_of_group(const char *folder, bool version2)
{
    char quota[64], period[64];
    if (version2) {
        if (!read_in(folder, "/cpu.max", quota, sizeof quota))
            return NO_LIMIT;
        char *gap = strchr(quota, ' ');
        return gap != NULL ? whole_cpus(quota, gap + 1) : NO_LIMIT;
    }
    return read_in(folder, "/cpu.cfs_quota_us", quota, sizeof quota) &&
                   read_in(folder, "/cpu.cfs_period_us", period, sizeof period)
               ? whole_cpus(quota, period)
               : NO_LIMIT;
}

/* How many more threads the group may have; the files are the same in both versions. */
static uint32_t threads_left_in_group(const char *folder, bool version2)
{
    char most[64], now[64], *end;
    (void)version2;
    if (!read_in(folder, "/pids.max", most, sizeof most) || !read_in(folder, "/pids.current", now, sizeof now))
        return NO_LIMIT;
    long long limit = strtoll(most, &end, 10), used = strtoll(now, NULL, 10);
    if (end == most || limit < 0) /* "max" */
        return NO_LIMIT;
    long long left = limit > used ? limit - used : 0;
    return left < NO_LIMIT ? (uint32_t)left : NO_LIMIT;
}

struct mount {
    char *group, *point; /* the group of the mount's own folder, and that folder */
    bool version2;
};

/* A controller of version 1, whose hierarchy has the limit, and how a group's own limit is read. */
struct resource {
    const char *controller;
    uint32_t (*of_group)(const char *folder, bool version2);
};

static uint32_t tighter(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The tightest limit of the group `path`, "" or "/a/b", below the folder root/point and of the groups above it. */
static uint32_t limit_of_path(const struct resource *resource, const char *root, const struct mount *mount,
                              const char *path)
{
    char folder[PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%s%s%s", root, mount->point, path);
    if (length < 0 || (size_t)length >= sizeof folder)
        return NO_LIMIT;
    size_t base = strlen(root) + strlen(mount->point);
    uint32_t least = NO_LIMIT;
    for (;;) {
        least = tighter(least, resource->of_group(folder, mount->version2));
        char *slash = strrchr(folder + base, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* --- mounts and groups -------------------------------------------------------------------------------------------- */

static bool has(const char *controllers, const char *one)
{
    size_t length = strlen(one);
    for (const char *at = controllers; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, one, length) == 0 && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

/* The process's group in the hierarchy of version 2, or in that of version 1 which has the controller. */
static bool find_group(const char *controller, const char *root, bool version2, char *group, size_t size)
{
    struct lines lines;
    if (!open_lines(&lines, root, "/proc/self/cgroup"))
        return false;
    while (next_line(&lines, group, size)) {
        char *controllers = strchr(group, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL || path[1] != '/')
            continue;
        *path++ = '\0';
        controllers++;
        if (version2 ? *controllers == '\0' : has(controllers, controller)) {
            close(lines.file);
            memmove(group, path, strlen(path) + 1);
            return true;
        }
    }
    return false;
}

/* Decodes a field of mountinfo in place, where a blank is "\040", and other characters that would end a field
   likewise. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' &&
            from[3] >= '0' && from[3] <= '7') {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* Parses a line in place: "36 35 98:0 GROUP POINT options optional... - type source super-options". True: it is the
   mount of a hierarchy that may have limits of that controller. */
static bool parse_mount(const char *controller, char *line, struct mount *mount)
{
    char *rest = NULL, *word = strtok_r(line, " ", &rest);
    for (int field = 0; word != NULL && (field < 6 || strcmp(word, "-") != 0); field++) {
        if (field == 3)
            mount->group = word;
        else if (field == 4)
            mount->point = word;
        word = strtok_r(NULL, " ", &rest);
    }
    const char *type = word != NULL ? strtok_r(NULL, " ", &rest) : NULL;
    const char *source = type != NULL ? strtok_r(NULL, " ", &rest) : NULL;
    const char *options = source != NULL ? strtok_r(NULL, " ", &rest) : NULL;
    if (options == NULL)
        return false;
    mount->version2 = strcmp(type, "cgroup2") == 0;
    if (!mount->version2 && (strcmp(type, "cgroup") != 0 || !has(options, controller)))
        return false;
    unescape(mount->group);
    unescape(mount->point);
    return true;
}

/* The rest of the group's path below the group `top`, "" or "/a/b"; NULL when it is not below. */
static const char *below(const char *top, const char *path)
{
    size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);
    if (strncmp(path, top, length) != 0)
        return NULL;
    const char *rest = path + length;
    if (strcmp(rest, "/") == 0)
        return "";
    bool outside = strncmp(rest, "/..", 3) == 0 && (rest[3] == '\0' || rest[3] == '/');
    return (*rest == '\0' || *rest == '/') && !outside ? rest : NULL;
}

static uint32_t tightest(const struct resource *resource, const char *root)
{
    struct lines mounts;
    char line[PATH_MAX], group[PATH_MAX];
    if (!open_lines(&mounts, root, "/proc/self/mountinfo"))
        return NO_LIMIT;
    /* Indexed by version2. */
    bool is_shown[2] = {false, false};
    uint32_t shown[2] = {NO_LIMIT, NO_LIMIT}, guessed[2] = {NO_LIMIT, NO_LIMIT};
    while (next_line(&mounts, line, sizeof line)) {
        struct mount mount = {NULL, NULL, false};
        if (!parse_mount(resource->controller, line, &mount) ||
            !find_group(resource->controller, root, mount.version2, group, sizeof group))
            continue;
        const char *path = below(mount.group, group);
        uint32_t limit = limit_of_path(resource, root, &mount, path != NULL ? path : "");
        uint32_t *least = path != NULL ? &shown[mount.version2] : &guessed[mount.version2];
        *least = tighter(*least, limit);
        is_shown[mount.version2] |= path != NULL;
    }
    return tighter(is_shown[0] ? shown[0] : guessed[0], is_shown[1] ? shown[1] : guessed[1]);
}

uint32_t ghcomp_cgroup_quota(const char *root)
{
    static const struct resource cpu = {"cpu", quota_of_group};
    uint32_t quota = tightest(&cpu, root);
    return quota != NO_LIMIT ? quota : 0;
}

uint32_t ghcomp_cgroup_threads_left(const char *root)
{
    static const struct resource pids = {"pids", threads_left_in_group};
    return tightest(&pids, root);
}
