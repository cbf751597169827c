/* Traces and failures: the steps of this schedule, and the report when a property does not hold.
 *
 * The report and exit status 3 are what test/explore/run.py looks for. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static const char *const op_names[] = {
    "goes on", "load", "store", "change", "futex sleep", "futex wake", "fence of all", "lock", "unlock", "yield",
    "pause", "is visible:", "asleep", "load of an old value"};

void trace_step(unsigned who, struct pending what, uint64_t value)
{
    if (X->step == STEPS)
        explore_fail("more than %d steps: a livelock?", STEPS);
    X->steps[X->step++] = (struct step){who, what, value};
}

static const char *short_name(const char *file)
{
    const char *slash = strrchr(file != NULL ? file : "?", '/');
    return slash != NULL ? slash + 1 : file != NULL ? file : "?";
}

static void print_schedule(void)
{
    unsigned from = X->step > 400 ? X->step - 400 : 0;
    if (from > 0)
        printf("  ... %u steps\n", from);
    for (unsigned i = from; i < X->step; i++) {
        const struct step *step = &X->steps[i];
        printf("  %4u  thread %u%s: %s", i, step->who % MOST, step->who >= 2 * MOST ? " wakes up by itself" : "",
               op_names[step->what.op]);
        if (step->what.address != 0)
            printf(" %#lx", (unsigned long)step->what.address);
        if ((step->what.op != OP_LOCAL && step->what.op <= OP_CHANGE) || step->what.op == OP_FLUSH ||
            step->what.op == OP_OLD)
            printf(" = %#llx", (unsigned long long)step->value);
        printf("  (%s:%d)\n", short_name(step->what.file), step->what.line);
    }
}

void explore_fail(const char *format, ...)
{
    va_list args;
    X->running = false;
    fflush(stdout);
    printf("%s: ", X->scenario->name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    if (X->mode >= RANDOM)
        printf("\nafter %llu schedules, in the random one with seed %llu%s:\n", X->runs + X->random_runs,
               (unsigned long long)X->seed, X->mode == RANDOM_C11 ? " under C11's orders" : "");
    else
        printf("\nafter %llu schedules, in this one:\n", X->runs);
    print_schedule();
    for (unsigned i = 0; i < X->fibers; i++)
        if (!X->fiber[i].done)
            printf("  thread %u is at: %s (%s:%d)%s\n", i,
                   X->fiber[i].asleep ? "asleep" : op_names[X->fiber[i].pending.op],
                   short_name(X->fiber[i].pending.file), X->fiber[i].pending.line,
                   X->fiber[i].daemon ? ", a daemon" : "");
    fflush(stdout);
    _Exit(3);
}
