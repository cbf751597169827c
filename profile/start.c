/* The tool's beginning and end: how it comes to run, what it is asked for, fork(), and the files at the end.
 *
 * `ghcomp profile` preloads the library, so that the runtime finds ompt_start_tool as the program's own (OpenMP 5.2,
 * section 19.2.2), and the library is in the program even where no OpenMP is: the destructor then says why there is no
 * profile. It is as well found by OMP_TOOL_LIBRARIES. A tool that the program brings with it comes first: if it stands
 * before this one on the loader's list, this one is not asked, else it gives way. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile.h"
#include "report.h"

struct settings profile_settings;

static struct {
    bool started;                  /* the runtime has asked for the tool */
    bool refused;                  /* another tool runs */
    bool launched;                 /* this process was started by ghcomp profile */
    uint64_t loaded;               /* nanoseconds */
} life;

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
    text_write(&line, STDERR_FILENO);
    text_free(&line);
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

static const char *setting(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? strdup(value) : NULL;
}

__attribute__((constructor)) static void load(void)
{
    const char *process = secure_getenv("GHCOMP_PROFILE_PROCESS"), *top = secure_getenv("GHCOMP_PROFILE_TOP");
    profile_clock_start();
    life.loaded = profile_nanoseconds_now();
    life.launched = process != NULL && atol(process) == (long)getpid();
    profile_settings.process = getpid();
    profile_settings.top = top != NULL && atoi(top) > 0 ? (unsigned)atoi(top) : 10;
    profile_settings.json = setting("GHCOMP_PROFILE_JSON");
    profile_settings.trace = setting("GHCOMP_PROFILE_TRACE");
    profile_tracing = profile_settings.trace != NULL;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The file's name with the process's number for %p. */
static char *named(const char *file)
{
    struct text text = {NULL, 0, 0};
    for (; *file != '\0'; file++)
        if (file[0] == '%' && file[1] == 'p')
            text_add(&text, "%d", (int)getpid()), file++;
        else
            text_add(&text, "%c", *file);
    return text.bytes;
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

static void write_file(const char *file, const struct report *report,
                       void (*write_it)(int, const struct report *, bool *))
{
    bool child = getpid() != profile_settings.process, good = false;
    if (file == NULL || (child && strstr(file, "%p") == NULL))
        return; /* a child of fork() does not write over its parent's */
    char *name = named(file);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0) {
        write_it(fd, report, &good);
        int error = errno;
        good = close(fd) == 0 && good;
        errno = error;
    }
    if (!good)
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
    if (child && (profile_settings.json == NULL || strstr(profile_settings.json, "%p") == NULL) &&
        (profile_settings.trace == NULL || strstr(profile_settings.trace, "%p") == NULL))
        return;
    profile_clock_measure();
    struct report *report = profile_alloc(sizeof *report);
    report_make(report, profile_nanoseconds_now() - life.loaded);
    if (!child) {
        struct text text = {NULL, 0, 0};
        table_make(&text, report, profile_settings.top);
        text_write(&text, STDERR_FILENO);
        text_free(&text);
    }
    write_file(profile_settings.json, report, write_json);
    write_file(profile_settings.trace, report, write_trace);
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
    /* A program's own tool is asked first. A runtime in the program brings an ompt_start_tool that is no tool. */
    bool own = in_program("ompt_start_tool") && !in_program("omp_get_num_threads");
    profile_say("%s: there is no profile", own ? "the program has a tool of its own, which runs"
                                               : "the program has not called an OpenMP runtime");
}
