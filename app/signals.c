/* Keeps the launcher transparent for SIGINT: Haskell's start-up code catches it in every program, and exec would turn
   that into the default, even where the caller had it ignored (a background job, nohup). Saved before main, restored by
   Ghcomp.Run just before exec. Tested in test/hs/launcher/RunTest.hs (signal dispositions). */
#include <signal.h>

void ghcomp_launcher_restore_signals(void);

static struct sigaction interrupt;   /* immutable after the constructor */

__attribute__((constructor)) static void save_signals(void)
{
    sigaction(SIGINT, 0, &interrupt);
}

void ghcomp_launcher_restore_signals(void)
{
    sigaction(SIGINT, &interrupt, 0);
}
