/* libaround.so: preloaded into a program, makes it a Haskell process before main begins: an RTS with two Capabilities
 * and the threads of Around.hs. Built by ghc (mk/test.mk); test/around.py is the other end.
 *
 * AROUND_REPORT names a file for two lines, which tell the harness that there was Haskell in the process and that the
 * runtime saw it:
 *
 *   booted CAPABILITIES              before main
 *   exit ORIGIN TURNS TURNS          at exit: what ghcomp_host_origin says (`none` without our runtime), and the turns
 *                                    that each Haskell thread has done; not when the program ends by _exit or a signal
 *
 * Options and environment of the program are not read. The RTS runs as in a program of its users, with its timer, but
 * takes no signals: its threads block all of them, as a test may count its own. It is never shut down, so exit() meets
 * running Haskell threads. What the program starts is not preloaded; a child by fork() has no Haskell threads and
 * reports nothing.
 */
#include "Rts.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void around_start(void);

/* Written by Around.hs, each by one thread; read at exit, where an old value does no harm. */
volatile uint64_t around_turns[2];

/* Set before main, immutable after. */
static char report[4096];
static pid_t self;

static void tell(const char *line)
{
    int file = report[0] != '\0' ? open(report, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0)
        return;
    /* A short line is lost, which the harness sees. */
    ssize_t written = write(file, line, strlen(line));
    (void)written;
    close(file);
}

__attribute__((constructor)) static void boot(void)
{
    const char *name = getenv("AROUND_REPORT");
    if (name != NULL && strlen(name) < sizeof report)
        strcpy(report, name);
    unsetenv("AROUND_REPORT");
    unsetenv("LD_PRELOAD");
    self = getpid();

    RtsConfig config = defaultRtsConfig;
    config.rts_opts_enabled = RtsOptsIgnoreAll;
    config.rts_opts = "-N2 --install-signal-handlers=no";
    config.rts_hs_main = HS_BOOL_FALSE;
    char own[] = "around", *list[] = {own, NULL}, **argv = list;
    int argc = 1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    hs_init_ghc(&argc, &argv, config);
    around_start();
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    char line[64];
    snprintf(line, sizeof line, "booted %u\n", (unsigned)enabled_capabilities);
    tell(line);
}

__attribute__((destructor)) static void end(void)
{
    if (getpid() != self)
        return;
    const char *(*origin)(void) = NULL;
    /* By its handle: a library that came with RTLD_LOCAL may have brought it. */
    void *runtime = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *found = runtime != NULL ? dlsym(runtime, "ghcomp_host_origin") : NULL;
    memcpy(&origin, &found, sizeof origin);
    char line[128];
    snprintf(line, sizeof line, "exit %s %llu %llu\n", origin != NULL ? origin() : "none",
             (unsigned long long)around_turns[0], (unsigned long long)around_turns[1]);
    tell(line);
}
