/* Members whose code runs on a stack that the program has made (makecontext), as coroutines do: tasks, waits and a
 * nested region on it, a barrier after a switch to the thread's own stack and back; and whole regions from such a
 * stack, which the next ones do not have.
 *
 * hosts: posix ghc
 * limit: 60
 * symbols: GOMP_parallel GOMP_task GOMP_taskwait GOMP_barrier
 */
#include <omp.h>
#include <ucontext.h>

#include "../common.h"
#include "../gate.h"

enum { THREADS = 4, TASKS = 30, STACK = 256 * 1024, ROUNDS = 20 };
static ucontext_t outside[THREADS], inside[THREADS];
static int tasks, finished;

static void make_tasks(void)
{
    int done = 0;
    for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(done)
        {
            count_up(&done);
            count_up(&tasks);
        }
    }
#pragma omp taskwait
    CHECK(look(&done) == TASKS);
}

static void member(int thread)
{
    int sum = 0;
    CHECK(omp_get_thread_num() == thread);
    make_tasks();
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    CHECK(sum >= 1);
    swapcontext(&inside[thread], &outside[thread]);
    CHECK(omp_get_thread_num() == thread);
#pragma omp barrier
    count_up(&finished);
}

static void region(void)
{
    int sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++)
            sum += i;
#pragma omp single
        make_tasks();
    }
    CHECK(sum == 4950);
}

static char *prepare(ucontext_t *context, ucontext_t *back)
{
    char *stack = malloc(STACK);
    CHECK(stack != NULL && getcontext(context) == 0);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = STACK;
    context->uc_link = back;
    return stack;
}

int main(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        int thread = omp_get_thread_num();
        char *stack = prepare(&inside[thread], &outside[thread]);
        makecontext(&inside[thread], (void (*)(void))member, 1, thread);
        swapcontext(&outside[thread], &inside[thread]);
#pragma omp barrier
        swapcontext(&outside[thread], &inside[thread]);
        free(stack);
    }
    CHECK(finished == THREADS && tasks == THREADS * TASKS);
    for (int round = 0; round < ROUNDS; round++) {
        ucontext_t back, context;
        char *stack = prepare(&context, &back);
        makecontext(&context, region, 0);
        swapcontext(&back, &context);
        free(stack);
        region();
    }
    CHECK(tasks == (THREADS + 2 * ROUNDS) * TASKS);
    return 0;
}
