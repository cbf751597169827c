/* Finds the process's own RTS, without Rts.h and without linking one. In this order:
 *
 *   1. The table linked with the runtime (the Haskell library), or one that the program exports as `ghcomp_host_table`.
 *   2. The RTS's own functions in the global scope: -dynamic Haskell programs and GHCi.
 *   3. A loaded libHSrts*: the RTS of a Haskell library that was loaded with RTLD_LOCAL.
 *
 * Data without accessor functions is at offsets that depend on the RTS's version (rts_layout.h).
 *
 * A statically linked Haskell program without the package exports nothing: only the names of its threads show that it
 * has an RTS. Then that RTS is not used, and no second one is started. Called by host_select.c. Covered by
 * test/host/{found,layout}.sh.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"
#include "host/rts_layout.h"

/* The results of dlsym. Written under host_select's lock before the table below is published; immutable after that. */
static struct {
    int (*threaded)(void);
    unsigned *all;
    uint32_t *enabled;
    void (*prefer)(int, int);
    void (*done)(void);
    void *(*lock)(void);
    void (*unlock)(void *);
    int (*log_status)(void);
    int64_t (*elapsed)(void);
    void (*stats)(void *);
    void (*arguments)(int *, char ***);
    /* RtsAPI.h's, with void * for the RTS's own types; NULL: there is no such symbol. */
    void *(*make_fun_ptr)(void *, void (*)(void));
    void *(*make_ptr)(void *, void *);
    void *(*apply)(void *, void *, void *);
    void (*evaluate)(void **, void *, void **);
    int (*status)(void *);
    void *(*keep)(void *);
    void *new_foreign_ptr; /* base's; NULL: out of reach */
    /* The public struct of functions of GHC's EventLogWriter.h. */
    const struct {
        void (*start)(void);
        bool (*writeEventLog)(void *, size_t);
        void (*flush)(void);
        void (*stop)(void);
    } *log;
    const struct ghcomp_rts_layout *layout; /* NULL: rts_layout.h has no row for the version */
    char *flags;                            /* RtsFlags; NULL: there is no such symbol */
} rts;

#define rtsSupportsBoundThreads rts.threaded
#define n_capabilities (*rts.all)
#define enabled_capabilities (*rts.enabled)
#define rts_setInCallCapability rts.prefer
#define hs_thread_done rts.done
#define rts_lock rts.lock
#define rts_unlock rts.unlock
#define eventLogStatus rts.log_status
#define getProcessElapsedTime rts.elapsed
#define getRTSStats rts.stats
#define getProgArgv rts.arguments
#define FileEventLogWriter (*rts.log)
#define EVENTLOG_RUNNING 2
#define Capability void
#define HsFunPtr void (*)(void)
#define rts_mkFunPtr rts.make_fun_ptr
#define rts_mkPtr rts.make_ptr
#define rts_apply rts.apply
#define rts_evalIO rts.evaluate
#define rts_getSchedStatus rts.status
#define getStablePtr rts.keep
#define Success 1
typedef void *HaskellObj, *StgPtr;
#include "host/host_rts_table.h"

static char loaded_version[24];
static struct ghcomp_host loaded = GHCOMP_RTS_TABLE("loaded", loaded_version); /* written as `rts` is */

/* The word by which the RTS limits its collector's threads; NULL: not found. Before it is trusted, the symbol's size
   and a number that must be in both places are checked, because writing to it changes the collector. */
static uint32_t *rts_collector_threads(void)
{
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (rts.layout == NULL || rts.layout->flags_size == 0 || rts.flags == NULL ||
        dladdr1(rts.flags, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL ||
        symbol->st_size != rts.layout->flags_size)
        return NULL;
    uint32_t first = *(uint32_t *)(rts.flags + rts.layout->first_capabilities); /* the number at the start: now there
                                                                                   are as many or more */
    return first >= 1 && first <= n_capabilities ? (uint32_t *)(rts.flags + rts.layout->collector_threads) : NULL;
}

/* A symbol as a function pointer: POSIX guarantees that the representations agree; ISO C has no such cast. */
static bool take(void *handle, const char *name, void *pointer)
{
    void *found = dlsym(handle, name);
    memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

static void *find_in_library(const char *prefix, const char *name);

/* Finds base's newForeignPtr, which from GHC 9.10 on another package defines. */
void *ghcomp_find_new_foreign_ptr(void)
{
    static const char *const places[][2] = {
        {"libHSghc-internal-", "ghczminternal_GHCziInternalziForeignziForeignPtrziImp_newForeignPtr_closure"},
        {"libHSbase-4", "base_ForeignziForeignPtrziImp_newForeignPtr_closure"}};
    void *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && found == NULL; i++)
        found = find_in_library(places[i][0], places[i][1]);
    return found;
}

static bool rts_watch_end(void (*ends)(void))
{
    return rts.new_foreign_ptr != NULL && rts_make_finalizer(rts.new_foreign_ptr, ends);
}

/* Finds the functions for rts_make_finalizer: all of them, or new_foreign_ptr stays NULL. */
static void take_finalizer(void *handle)
{
    bool all = take(handle, "rts_mkFunPtr", &rts.make_fun_ptr) && take(handle, "rts_mkPtr", &rts.make_ptr) &&
               take(handle, "rts_apply", &rts.apply) && take(handle, "rts_evalIO", &rts.evaluate) &&
               take(handle, "rts_getSchedStatus", &rts.status) && take(handle, "getStablePtr", &rts.keep);
    rts.new_foreign_ptr = all ? ghcomp_find_new_foreign_ptr() : NULL;
}

static bool take_all(void *handle)
{
    return take(handle, "rtsSupportsBoundThreads", &rts.threaded) && take(handle, "n_capabilities", &rts.all) &&
           take(handle, "enabled_capabilities", &rts.enabled) &&
           take(handle, "rts_setInCallCapability", &rts.prefer) && take(handle, "hs_thread_done", &rts.done) &&
           take(handle, "rts_lock", &rts.lock) && take(handle, "rts_unlock", &rts.unlock) &&
           take(handle, "eventLogStatus", &rts.log_status) && take(handle, "FileEventLogWriter", &rts.log) &&
           take(handle, "getProcessElapsedTime", &rts.elapsed) && take(handle, "getRTSStats", &rts.stats) &&
           take(handle, "getProgArgv", &rts.arguments);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* libHSrts_thr-ghc9.0.2.so, libHSrts-1.0.2_thr-ghc9.6.6.so: the compiler's version is in the file name. */
static void note_version(const char *path)
{
    const char *mark = strstr(base_name(path), "-ghc");
    size_t length = mark != NULL ? strspn(mark + 4, "0123456789.") : 0;
    while (length > 0 && mark[4 + length - 1] == '.')
        length--;
    if (length < sizeof loaded_version) {
        memcpy(loaded_version, length > 0 ? mark + 4 : "", length);
        loaded_version[length] = '\0';
    }
}

static void note_layout(void *handle)
{
    static const struct ghcomp_rts_layout layouts[] = GHCOMP_RTS_LAYOUTS;
    rts.layout = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (strncmp(loaded_version, layouts[i].version, strlen(layouts[i].version)) == 0)
            rts.layout = &layouts[i];
    take(handle, "RtsFlags", &rts.flags);
    loaded.interrupt_offset = rts.layout != NULL ? rts.layout->interrupt_offset : 0;
}

struct object_search {
    const char *prefix;
    char path[PATH_MAX];
};

static int compare_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct object_search *search = data;
    const char *path = info->dlpi_name != NULL ? info->dlpi_name : "";
    if (strncmp(base_name(path), search->prefix, strlen(search->prefix)) != 0 || strlen(path) >= PATH_MAX)
        return 0;
    strcpy(search->path, path);
    return 1;
}

static struct object_search search; /* not on the stack, which may be small. host_select's lock, or its choice is
                                       final */

bool ghcomp_find_object(const char *prefix)
{
    search.prefix = prefix;
    return dl_iterate_phdr(compare_object, &search) != 0;
}

/* lock host_select's. Finds a name in the global scope, or else in the loaded library whose file name starts with
   `prefix`. The handle is never closed, so the library stays in memory. */
static void *find_in_library(const char *prefix, const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found != NULL || !ghcomp_find_object(prefix))
        return found;
    void *handle = dlopen(search.path, RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
    return handle != NULL ? dlsym(handle, name) : NULL;
}

static enum ghcomp_rts_state found_table(const struct ghcomp_host *found, const struct ghcomp_host **table)
{
    if (found->abi != GHCOMP_HOST_ABI)
        return GHCOMP_RTS_FOREIGN;
    enum ghcomp_rts_state state = (enum ghcomp_rts_state)found->state();
    if (state == GHCOMP_RTS_READY)
        *table = found;
    return state;
}

enum ghcomp_rts_state ghcomp_find_rts(const struct ghcomp_host **table)
{
    const struct ghcomp_host *exported = ghcomp_host_linked;
    if (exported == NULL)
        exported = dlsym(RTLD_DEFAULT, "ghcomp_host_table");
    if (exported != NULL)
        return found_table(exported, table);

    search.prefix = "libHSrts";
    search.path[0] = '\0';
    dl_iterate_phdr(compare_object, &search);
    void *handle = RTLD_DEFAULT;
    bool all = take_all(handle);
    if (!all && search.path[0] == '\0')
        return GHCOMP_RTS_NONE;
    if (!all) {
        handle = dlopen(search.path, RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
        /* The handle is never closed: it keeps the RTS in memory as long as the table may be used. */
        if (handle == NULL || !take_all(handle))
            return GHCOMP_RTS_FOREIGN;
    }
    note_version(search.path);
    note_layout(handle);
    take_finalizer(handle);
    return found_table(&loaded, table);
}

static bool is_rts_thread(int tasks, const char *id)
{
    char path[288], name[32];
    snprintf(path, sizeof path, "%s/comm", id);
    int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, name, sizeof name - 1);
    close(file);
    name[length > 0 ? length : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    size_t used = strlen(name);
    /* The timer and the workers; GHC 9.0 names the workers after the program. */
    return strcmp(name, "ghc_ticker") == 0 || strcmp(name, "ghc_worker") == 0 ||
           (used > 2 && strcmp(name + used - 2, ":w") == 0);
}

bool ghcomp_find_rts_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        return false;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(tasks)) != NULL;)
        found = entry->d_name[0] != '.' && is_rts_thread(dirfd(tasks), entry->d_name);
    closedir(tasks);
    return found;
}

static int take_loads(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uint64_t *)data = info->dlpi_adds;
    return 1;
}

uint64_t ghcomp_find_loads(void)
{
    uint64_t loads = 0;
    dl_iterate_phdr(take_loads, &loads);
    return loads;
}
