/* The companion, libghcomp_rts.so: a GHC RTS for a process that has none. Built by ghc (mk/host.mk). Loaded by
 * host_boot.c, its only caller, after checks. Covered by test/host/boot.sh.
 *
 * The RTS must not affect the program. Its options come from here alone (neither GHCRTS nor the command line). It has
 * no signal handlers and no timer (-V0). Its threads take none of the program's signals. The locale that hs_init sets
 * from the environment is restored. A failure inside hs_init ends the process, so host_boot.c first checks for every
 * foreseeable cause.
 *
 * One cause cannot be foreseen: while another thread executes a program (execve), the kernel makes no thread (EAGAIN),
 * and the RTS would end the process with an error before the new program begins. So the RTS is made to report such an
 * error only after a second, within which the kernel ends all threads for the new program (os_threads.c waits for the
 * same reason). It would also read errno, which pthread_create does not set, and report "Success".
 */
#include "Rts.h"
/* Rts.h defines macros with names that the next header uses, too. */
#undef BLOCK_SIZE
#undef MBLOCK_SIZE
#undef BLOCKS_PER_MBLOCK
#include "DerivedConstants.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/host.h"
#define GHCOMP_HAVE_RTS_H
#define RTS_ENDED_BY_US
#include "host/host_rts_table.h"

#define EXPORT __attribute__((visibility("default")))

static const struct ghcomp_host table = GHCOMP_RTS_TABLE("companion", __GLASGOW_HASKELL_FULL_VERSION__);

EXPORT const struct ghcomp_host *ghcomp_rts_boot(uint32_t capabilities);
EXPORT void ghcomp_rts_down(void);

/* The variable that holds the function for such messages, by default rtsSysErrorMsgFn. No header of the RTS declares
   it. */
extern RtsMsgFunction *sysErrorMsgFn;

static void say_unless_executed(const char *format, va_list arguments)
{
    int error = errno != 0 ? errno : EAGAIN;
    if (error == EAGAIN)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    errno = error;
    rtsSysErrorMsgFn(format, arguments);
}

/* Starts the RTS. NULL: other code has started it meanwhile, and a second hs_init would need its own hs_exit. */
const struct ghcomp_host *ghcomp_rts_boot(uint32_t capabilities)
{
    if (n_capabilities != 0)
        return NULL;
    char options[64];
    snprintf(options, sizeof options, "-N%u --install-signal-handlers=no -V0", capabilities);
    RtsConfig config = defaultRtsConfig;
    config.rts_opts_enabled = RtsOptsIgnoreAll;
    config.rts_opts = options;
    config.rts_hs_main = HS_BOOL_FALSE;
    char name[] = "ghcomp", *list[] = {name, NULL}, **argv = list;
    int argc = 1;

    const char *now = setlocale(LC_CTYPE, NULL);
    char *locale = now != NULL ? strdup(now) : NULL;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sysErrorMsgFn = say_unless_executed;
    hs_init_ghc(&argc, &argv, config);
    hs_thread_done(); /* the calling thread may end long before the process */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (locale != NULL) {
        setlocale(LC_CTYPE, locale);
        free(locale);
    }
    return &table;
}

/* Stops the RTS, which waits for its own threads to return from system calls: a thread that returned later would wait
   for a Capability for ever, and keep the process alive. */
void ghcomp_rts_down(void)
{
    hs_exit();
}
