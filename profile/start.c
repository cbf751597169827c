/* libghcomp_profile.so: the tool of `ghcomp profile`. It measures a program by OpenMP's interface for tools (OMPT), on
 * this runtime or on any other that has it, and reports at the program's end where the time went. This file has its
 * beginning and its end: its start, its settings, fork(), and the files at the end.
 *
 * Files: events.c the runtime's events; sample.c which tasks and regions; threads.c threads, sites, their numbers;
 * spans.c the spans of --trace; clock.c; report.c sums over the threads; where.c and outlined.c source lines; table.c,
 * json.c and trace.c write; text.c builds texts. Memory: a struct thread for each thread at a time, 4,091 sites, and
 * spans up to a bound (spans.c). Covered by test/profile.
 *
 * `ghcomp profile` preloads the library, so that the runtime finds ompt_start_tool as the program's own (OpenMP 5.2,
 * section 19.2.2), and the library is loaded even in a program without OpenMP: the destructor then prints why there is
 * no profile. OMP_TOOL_LIBRARIES finds it as well. A program's own tool has precedence: if it is before this one on the
 * loader's list, this one is not called, else this one declines. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "events.h"
#include "report.h"
#include "settings.h"
#include "spans.h"
#include "threads.h"

struct settings profile_settings;

static struct {
    bool started;                  /* the runtime has started the tool */
    bool refused;                  /* another tool runs */
    bool launched;                 /* this process was started by ghcomp profile */
    bool descends;                 /* it was not, but descends from one that was */
    uint64_t loaded;               /* nanoseconds */
    struct timespec began;         /* of a descendant: when the launched process was loaded; 0: unknown */
} life;

/* --- stderr ------------------------------------------------------------------------------------------------------- */

/* The stderr at load: the program may close 2, which is then the number of a file of its own. `copy` is a duplicate
   that no started program gets, and no child of fork(), -1: none. A program that closes all unknown files may close it,
   too, so the file behind a number is compared before each write. */
static struct {
    bool open;
    int copy;
    dev_t device;
    ino_t inode;
} errors = {false, -1, 0, 0};

/* A number above those that programs use: otherwise the duplicate would change the number of the program's next
   open(). */
enum { HIGH = 1000 };

static void keep_stderr(void)
{
    struct stat status;
    struct rlimit most;
    errors.open = fstat(STDERR_FILENO, &status) == 0;
    if (!errors.open)
        return;
    errors.device = status.st_dev;
    errors.inode = status.st_ino;
    rlim_t limit = getrlimit(RLIMIT_NOFILE, &most) == 0 ? most.rlim_cur : 0;
    errors.copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, limit > HIGH ? HIGH : (int)limit / 2);
}

static bool is_stderr(int fd)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == errors.device && status.st_ino == errors.inode;
}

/* A child of fork() may be a daemon: the reader of stderr must not wait for its end. */
static void in_child_without_copy(void)
{
    if (is_stderr(errors.copy))
        close(errors.copy);
    errors.copy = -1;
}

static void put(struct text *text)
{
    if (!errors.open)
        return;
    if (is_stderr(errors.copy))
        text_write(text, errors.copy);
    else if (is_stderr(STDERR_FILENO))
        text_write(text, STDERR_FILENO);
}

void profile_say(const char *format, ...)
{
    struct text line = {NULL, 0, 0};
    char text[5000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_add(&line, "ghcomp profile: ");
    text_shown(&line, text);
    text_add(&line, "\n");
    put(&line);
    text_free(&line);
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

static const char *setting(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? strdup(value) : NULL;
}

/* The launched process publishes its start time for its descendants, by the clock that files have. */
static void publish_begin(void)
{
    char text[64];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    snprintf(text, sizeof text, "%lld.%09ld", (long long)now.tv_sec, now.tv_nsec);
    setenv("GHCOMP_PROFILE_BEGAN", text, 1);
}

static struct timespec published_begin(void)
{
    const char *text = secure_getenv("GHCOMP_PROFILE_BEGAN");
    long long seconds = 0;
    long nanoseconds = 0;
    if (text == NULL || sscanf(text, "%lld.%ld", &seconds, &nanoseconds) != 2)
        seconds = 0;
    return (struct timespec){seconds, nanoseconds};
}

__attribute__((constructor)) static void load(void)
{
    keep_stderr();
    pthread_atfork(NULL, NULL, in_child_without_copy);
    const char *process = secure_getenv("GHCOMP_PROFILE_PROCESS"), *top = secure_getenv("GHCOMP_PROFILE_TOP");
    profile_clock_start();
    life.loaded = profile_nanoseconds_now();
    life.launched = process != NULL && atol(process) == (long)getpid();
    life.descends = process != NULL && process[0] != '\0' && !life.launched;
    if (life.launched)
        publish_begin();
    else
        life.began = published_begin();
    profile_settings.process = getpid();
    profile_settings.top = top != NULL && atoi(top) > 0 ? (unsigned)atoi(top) : 10;
    profile_settings.json = setting("GHCOMP_PROFILE_JSON");
    profile_settings.trace = setting("GHCOMP_PROFILE_TRACE");
    profile_tracing = profile_settings.trace != NULL;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The file's name with the process's number for %p, and % for %%: what the launcher makes of a % that is not the
   user's %p. */
static char *named(const char *file)
{
    struct text text = {NULL, 0, 0};
    for (; *file != '\0'; file++)
        if (file[0] == '%' && file[1] == 'p')
            text_add(&text, "%d", (int)getpid()), file++;
        else
            text_add(&text, "%c", *file), file += file[0] == '%' && file[1] == '%';
    return text.bytes;
}

/* Whether each process has a file of its own by that name. */
static bool is_for_each(const char *file)
{
    for (; file != NULL && *file != '\0'; file++)
        if (file[0] == '%' && file[1] == 'p')
            return true;
        else
            file += file[0] == '%' && file[1] == '%';
    return false;
}

static void write_json(int fd, const struct report *report, bool *good)
{
    struct text text = {NULL, 0, 0};
    json_make(&text, report);
    *good = text_write(&text, fd);
    text_free(&text);
}

static void write_trace(int fd, const struct report *report, bool *good)
{
    *good = trace_write(fd, report);
}

/* Whether a process of this run has written the file: only for a descendant. The launched program always writes; if it
   has no profile, the first of its descendants that ends writes. */
static bool is_taken(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
           (status.st_mtim.tv_sec > life.began.tv_sec ||
            (status.st_mtim.tv_sec == life.began.tv_sec && status.st_mtim.tv_nsec >= life.began.tv_nsec));
}

/* Opens it for this process alone, since several may end at once. -1: errno has the reason; 0: it is taken. */
static int open_alone(const char *name, bool all)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    bool taken = life.descends && !all && is_taken(fd);
    struct stat status;
    if (!taken && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || ftruncate(fd, 0) == 0))
        return fd;
    int error = taken ? 0 : errno;
    close(fd);
    errno = error;
    return -1;
}

static void write_file(const char *file, const struct report *report,
                       void (*write_it)(int, const struct report *, bool *))
{
    bool child = getpid() != profile_settings.process, good = false, all = is_for_each(file);
    if (file == NULL || (child && !all))
        return; /* a child of fork() does not write over its parent's */
    char *name = named(file);
    int fd = open_alone(name, all);
    if (fd >= 0) {
        write_it(fd, report, &good);
        int error = errno;
        good = close(fd) == 0 && good;
        errno = error;
    }
    if (fd < 0 && errno == 0)
        profile_say("%s is another process's of this run and stays; with %%p in the name each has its own", name);
    else if (!good)
        profile_say("%s cannot be written: %s", name, strerror(errno));
    free(name);
}

/* --- the tool ----------------------------------------------------------------------------------------------------- */

static void before_fork(void)
{
    profile_threads_fork(true);
}

static void after_fork(void)
{
    profile_threads_fork(false);
}

static void in_child(void)
{
    profile_threads_fork(false);
    life.loaded = profile_nanoseconds_now();
    life.launched = false;
    profile_threads_child();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    if (lookup("ompt_set_callback") == NULL)
        return 0;
    pthread_atfork(before_fork, after_fork, in_child);
    profile_set_callbacks(lookup);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    bool child = getpid() != profile_settings.process;
    if (child && !is_for_each(profile_settings.json) && !is_for_each(profile_settings.trace))
        return;
    profile_clock_measure();
    struct report *report = profile_alloc(sizeof *report);
    report_make(report, profile_nanoseconds_now() - life.loaded);
    /* The files first: a reader of stderr may keep the program waiting. */
    write_file(profile_settings.json, report, write_json);
    write_file(profile_settings.trace, report, write_trace);
    if (!child) {
        struct text text = {NULL, 0, 0};
        table_make(&text, report, profile_settings.top);
        put(&text);
        text_free(&text);
    }
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    ompt_start_tool_result_t *(*next)(unsigned, const char *) =
        (ompt_start_tool_result_t * (*)(unsigned, const char *)) dlsym(RTLD_NEXT, "ompt_start_tool");
    ompt_start_tool_result_t *other = next != NULL && next != ompt_start_tool ? next(version, runtime) : NULL;
    if (other != NULL) {
        life.refused = true;
        profile_say("%s: there is no profile", "the program has a tool of its own, which runs");
        return other;
    }
    life.started = true;
    snprintf(profile_settings.runtime, sizeof profile_settings.runtime, "%s", runtime);
    profile_settings.late_joins = strncmp(runtime, "LLVM", 4) == 0 || strncmp(runtime, "Intel", 5) == 0;
    return &result;
}

/* Whether the program itself, and none of its libraries, has the function that the process finds by that name. */
static bool in_program(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    struct link_map *map = NULL;
    Dl_info info;
    return function != NULL && dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL &&
           map->l_name[0] == '\0';
}

__attribute__((destructor)) static void unload(void)
{
    if (!life.launched || life.started || life.refused || getpid() != profile_settings.process)
        return;
    /* A program's own tool has precedence. A runtime in the program has an ompt_start_tool that is no tool. */
    bool own = in_program("ompt_start_tool") && !in_program("omp_get_num_threads");
    profile_say("%s: there is no profile", own ? "the program has a tool of its own, which runs"
                                               : "the program has not called an OpenMP runtime");
}
