/* A tool for Haskell programs (test/ompt/haskell.sh): checks the events (record.h), says at the end which it saw. */
#include "../record.h"

static void at_finalize(void)
{
    CHECK(COUNT(PARALLEL_BEGIN) == COUNT(PARALLEL_END) && COUNT(IMPLICIT_BEGIN) == COUNT(IMPLICIT_END));
    CHECK(COUNT(TASK_CREATE) == COUNT(TASK_START) && COUNT(TASK_START) == COUNT(TASK_COMPLETE));
    fprintf(stderr, "%s regions, %s tasks, %d with dependences\n", COUNT(PARALLEL_END) > 0 ? "some" : "no",
            COUNT(TASK_COMPLETE) > 0 ? "some" : "no", (int)COUNT(DEPENDENCES));
}
