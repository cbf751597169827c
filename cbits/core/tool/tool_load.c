/* The tool itself: how it is found, started and stopped (OpenMP 5.2, sections 19.2 and 21.3).
 *
 *   1. When the runtime's object is loaded, ghcomp_tool_prepare checks whether there may be a tool: a function
 *      ompt_start_tool in the process, OMP_TOOL_LIBRARIES, or a ThreadSanitizer, for which the loader searches LLVM's
 *      Archer. If so it adds the observer's bit. Without the bit no further step is taken.
 *   2. The first thread that becomes known starts the tool (ghcomp_tool_start, under pthread_once), before its own
 *      begin is reported. Not earlier, because the tool's own constructors must have run. If no tool is to run, the bit
 *      is removed. If the tool's ompt_start_tool or initializer calls the runtime, the call finds `starting` set.
 *   3. At the process's end, or at the tool's request, the bit is removed and the finalizer is called, once. A hook
 *      that runs on another thread may still report its event.
 *
 * In the child of fork() the tool stays active: with the calling thread's data, and with the new threads of the child.
 *
 * Called by core/team/thread.c and abi/omp/omp_tool.c. Covered by test/ompt/loading.py.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "core/state/settings.h"
#include "core/tool/tool_call.h"
#include "core/tool/tool_filter.h"
#include "core/tsan/races.h"

enum { OPENMP = 202111 }; /* the specification of this interface */

typedef ompt_start_tool_result_t *start_function(unsigned version, const char *runtime);

_Atomic(ompt_callback_t) ghcomp_tool_callbacks[GHCOMP_TOOL_EVENTS];
struct ghcomp_tool_own ghcomp_tool_own;

static struct {
    pthread_once_t once;
    pthread_t starter;             /* valid while `starting` */
    _Atomic bool starting;         /* `starter` is in the tool's code: store_release, load_acquire */
    _Atomic bool active;           /* store_release after the tool's initializer; load_acquire, xchg_acqrel */
    _Atomic bool just_started;     /* store_release with `active`, xchg_acqrel */
    ompt_start_tool_result_t *tool;
    ompt_start_tool_result_t *_Atomic connected; /* libomptarget, or NULL; store_release, xchg_acqrel */
    FILE *log;                     /* OMP_TOOL_VERBOSE_INIT; NULL: nothing is logged */
} load = {.once = PTHREAD_ONCE_INIT};

/* --- finding ------------------------------------------------------------------------------------------------------ */

/* Finds ompt_start_tool in the program or a library loaded with it. NULL: there is only the runtime's own. */
static start_function *in_process(void)
{
    void *own = (void *)ghcomp_tool_own.none;
    void *found = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    if (found == NULL || found == own)
        found = (void *)ghcomp_tool_own.start; /* linked statically: the program's, if it has one */
    if (found == NULL || found == own)
        found = dlsym(RTLD_NEXT, "ompt_start_tool");
    return found == own ? NULL : (start_function *)found;
}

void ghcomp_tool_prepare(void)
{
    if (ghcomp_settings.tool == GHCOMP_TOOL_DISABLED || ghcomp_tool_own.lookup == NULL)
        return;
    const char *libraries = ghcomp_settings.tool_libraries, *verbose = ghcomp_settings.tool_verbose;
    bool logs = verbose != NULL && strcasecmp(verbose, "disabled") != 0;
    if ((libraries != NULL && libraries[0] != '\0') || logs || in_process() != NULL ||
        ghcomp_races_possible())
        ghcomp_observers_add(GHCOMP_OBSERVE_TOOL);
}

/* --- starting ----------------------------------------------------------------------------------------------------- */

#define LOG(...)                                                                                               \
    do {                                                                                                       \
        if (load.log != NULL)                                                                                  \
            fprintf(load.log, __VA_ARGS__);                                                                    \
    } while (0)

static void open_log(void)
{
    const char *to = ghcomp_settings.tool_verbose;
    if (to == NULL || strcasecmp(to, "disabled") == 0)
        return;
    if (strcasecmp(to, "stdout") == 0)
        load.log = stdout;
    else if (strcasecmp(to, "stderr") == 0)
        load.log = stderr;
    else if ((load.log = fopen(to, "we")) == NULL)
        ghcomp_warn("OMP_TOOL_VERBOSE_INIT: %s cannot be written (%s); nothing is logged", ghcomp_shown(to).text,
                    strerror(errno));
    LOG("----- START LOGGING OF TOOL REGISTRATION -----\n");
}

static void close_log(void)
{
    LOG("----- END LOGGING OF TOOL REGISTRATION -----\n");
    if (load.log != NULL && (load.log == stdout || load.log == stderr))
        fflush(load.log);
    else if (load.log != NULL)
        fclose(load.log);
    load.log = NULL;
}

static ompt_start_tool_result_t *ask(start_function *start)
{
    return start(OPENMP, ghcomp_tool_own.name);
}

static ompt_start_tool_result_t *from_process(void)
{
    LOG("Search for OMP tool in current address space... ");
    start_function *start = in_process();
    ompt_start_tool_result_t *tool = start != NULL ? ask(start) : NULL;
    LOG(tool != NULL ? "Success.\n" : "Failed.\n");
    return tool;
}

/* Why the first unusable library could not be used: the text of a warning if no tool is found. */
struct failure {
    char text[2 * GHCOMP_SHOWN];
};

static void note_failure(struct failure *failure, const char *why)
{
    if (failure->text[0] == '\0')
        snprintf(failure->text, sizeof failure->text, "%s", ghcomp_shown(why).text);
}

static ompt_start_tool_result_t *from_library(const char *path, struct failure *failure, const char *after)
{
    LOG("Opening %s... ", path);
    void *handle = dlopen(path, RTLD_LAZY);
    if (handle == NULL) {
        const char *why = dlerror();
        LOG("Failed: %s\n", why);
        note_failure(failure, why);
        return NULL;
    }
    LOG("Success. \n");
    LOG("Searching for ompt_start_tool in %s... ", path);
    dlerror();
    start_function *start = (start_function *)dlsym(handle, "ompt_start_tool");
    if (start == NULL || (void *)start == (void *)ghcomp_tool_own.none) {
        const char *why = dlerror();
        LOG("Failed: %s\n", why != NULL ? why : "the library defines none");
        note_failure(failure, why != NULL ? why : path);
    } else {
        ompt_start_tool_result_t *tool = ask(start);
        if (tool != NULL) {
            LOG("Success. \n");
            return tool;
        }
        LOG("Found but not using the OMPT interface.\n%s", after);
    }
    dlclose(handle);
    return NULL;
}

static ompt_start_tool_result_t *from_libraries(void)
{
    const char *list = ghcomp_settings.tool_libraries;
    if (list == NULL || list[0] == '\0') {
        LOG("No OMP_TOOL_LIBRARIES defined.\n");
        return NULL;
    }
    LOG("Searching tool libraries...\nOMP_TOOL_LIBRARIES = %s\n", list);
    size_t size = strlen(list) + 1;
    char *copy = memcpy(ghcomp_alloc(size), list, size), *rest = copy;
    struct failure failure = {""};
    ompt_start_tool_result_t *tool = NULL;
    for (const char *path; tool == NULL && (path = strsep(&rest, ":")) != NULL;)
        if (path[0] != '\0')
            tool = from_library(path, &failure, "Continuing search...\n");
    free(copy);
    if (tool == NULL && failure.text[0] != '\0')
        ghcomp_warn("OMP_TOOL_LIBRARIES: no tool runs (%s)", failure.text);
    return tool;
}

/* Tries Archer's library, as libomp does, last. It declines in a process without ThreadSanitizer. */
static ompt_start_tool_result_t *archer(void)
{
    struct failure ignored = {""};
    LOG("...searching tool libraries failed. Using archer tool.\n");
    return from_library("libarcher.so", &ignored, "");
}

static void forget_callbacks(void)
{
    for (int event = 0; event < GHCOMP_TOOL_EVENTS; event++)
        ghcomp_store_release(&ghcomp_tool_callbacks[event], NULL);
    ghcomp_store_release(&ghcomp_tool_filter, NULL);
}

static void start(void)
{
    load.starter = pthread_self();
    ghcomp_store_release(&load.starting, true);
    open_log();
    ompt_start_tool_result_t *tool = from_process();
    if (tool == NULL && (tool = from_libraries()) == NULL)
        tool = archer();
    LOG(tool != NULL ? "Tool was started and is using the OMPT interface.\n" : "No OMP tool loaded.\n");
    close_log();
    load.tool = tool;
    bool wanted = tool != NULL && tool->initialize(ghcomp_tool_own.lookup, ghcomp_tool_own.device, &tool->tool_data);
    ghcomp_store_release(&load.starting, false);
    ghcomp_store_release(&load.active, wanted);
    ghcomp_store_release(&load.just_started, wanted);
    if (!wanted) {
        ghcomp_observers_remove(GHCOMP_OBSERVE_TOOL);
        forget_callbacks();
    }
}

bool ghcomp_tool_start(void)
{
    if (ghcomp_load_acquire(&load.starting) && pthread_equal(load.starter, pthread_self()))
        return false;
    pthread_once(&load.once, start);
    return ghcomp_xchg_acqrel(&load.just_started, false);
}

bool ghcomp_tool_active(void)
{
    return ghcomp_load_acquire(&load.active);
}

void ghcomp_tool_connect(ompt_start_tool_result_t *library)
{
    ghcomp_store_release(&load.connected, library);
}

void ghcomp_tool_stop(void)
{
    bool active = ghcomp_xchg_acqrel(&load.active, false);
    ompt_start_tool_result_t *connected = ghcomp_xchg_acqrel(&load.connected, NULL);
    if (!active)
        return;
    if (connected != NULL && connected->finalize != NULL)
        connected->finalize(&connected->tool_data);
    /* GHCOMP_OBSERVE_TOOL stays: each member of an open region reads it at its own time to learn whether the region has
       a barrier for the tool (team.c). */
    forget_callbacks();
    if (load.tool->finalize != NULL)
        load.tool->finalize(&load.tool->tool_data);
}

bool ghcomp_tool_set_callback(int event, ompt_callback_t callback)
{
    if (event < 1 || event >= GHCOMP_TOOL_EVENTS)
        return false;
    ghcomp_store_release(&ghcomp_tool_callbacks[event], callback);
    return true;
}

bool ghcomp_tool_set_filter(ghcomp_task_filter_t filter)
{
    if (!ghcomp_load_acquire(&load.starting))
        return false;
    ghcomp_store_release(&ghcomp_tool_filter, filter);
    bool races = ghcomp_races_on(ghcomp_observers_now()); /* ThreadSanitizer was searched for before */
    if (filter != NULL)
        ghcomp_observers_add(GHCOMP_TOOL_FILTERS | (races ? 0u : GHCOMP_TOOL_ALONE));
    else
        ghcomp_observers_remove(GHCOMP_TOOL_FILTERS | GHCOMP_TOOL_ALONE);
    return true;
}

bool ghcomp_tool_set_region_filter(ghcomp_task_filter_t filter)
{
    if (!ghcomp_load_acquire(&load.starting))
        return false;
    ghcomp_store_release(&ghcomp_tool_region_filter, filter);
    return true;
}

ompt_callback_t ghcomp_tool_callback(int event)
{
    return event >= 1 && event < GHCOMP_TOOL_EVENTS ? ghcomp_load_acquire(&ghcomp_tool_callbacks[event]) : NULL;
}
