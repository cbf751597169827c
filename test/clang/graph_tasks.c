/* Tasks of OpenMP 6.0 in recorded graphs, as calls of clang 23's entries. Those with threadset(omp_pool) are recorded,
   and free agents run them in a replay, too. A free agent that records or replays runs the other tasks itself, since
   the team's members may all wait for the graph. A graph with a transparent task is refused.
   ghcomp-only: only ours records tasks
   env: OMP_THREADS_RESERVE=free_agent(2)
   limit: 200 */
#include <sched.h>

#include "task_abi.h"

#include "../conformance/gate.h"
#include "../conformance/graph/graph.h"

enum { POOL = 0x80, TRANSPARENT = 0x100, REPLAYS = 10, CHAIN = 5, WIDE = 40 };

void __kmpc_taskgroup(ident_t *, int32_t);
void __kmpc_end_taskgroup(ident_t *, int32_t);

static int (*is_free_agent)(void);
static int came, last, others, finished, x;

static int self(void)
{
    return __kmpc_global_thread_num(&here);
}

static task_t *new_task(int flags, task_fn fn, long argument)
{
    task_t *task = __kmpc_omp_task_alloc(&here, self(), TIED | flags, sizeof *task, 0, fn);
    task->own[0] = argument;
    return task;
}

static void make(int flags, task_fn fn, long argument)
{
    __kmpc_omp_task(&here, self(), new_task(flags, fn, argument));
}

static void make_after(int flags, task_fn fn, long argument)
{
    depend_t list = {&x, sizeof x, INOUT};
    __kmpc_omp_task_with_deps(&here, self(), new_task(flags, fn, argument), 1, &list, 0, NULL);
}

/* The thread has no task scheduling point meanwhile. */
static void make_and_await(int flags, task_fn fn, long argument)
{
    finished = 0;
    make(flags, fn, argument);
    wait_for(&finished);
    __kmpc_omp_taskwait(&here, self());
}

static int32_t nothing(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    return 0;
}

static void transparent(void)
{
    ghcomp_graph *graph = graphs.create();
    graphs.begin(graph, 0);
    make(TRANSPARENT, nothing, 0);
    CHECK(graphs.end(graph) == GHCOMP_GRAPH_NOT_RECORDED);
    CHECK(strcmp(graphs.reason(graph), "a task has a transparent clause") == 0);
    CHECK(graphs.run(graph) == GHCOMP_GRAPH_NOT_RECORDED);
    graphs.begin(graph, 0);
    make(0, nothing, 0);
    CHECK(graphs.end(graph) == 0);
    graphs.destroy(graph);
}

/* Two that wait for each other, in a team of one. */
static int32_t meet_other(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    meet(&came, 2);
    return 0;
}

static int32_t after_both(int32_t thread, task_t *task)
{
    (void)thread;
    CHECK(look(&came) == 2 && last == task->own[0] && !is_free_agent());
    last++;
    return 0;
}

static void pool(void)
{
    ghcomp_graph *graph = graphs.create();
    for (int i = 0; i < REPLAYS; i++) {
        came = last = 0;
        if (graphs.run(graph) != 0) {
            CHECK(i == 0);
            graphs.begin(graph, 0);
            make(POOL, meet_other, 0);
            make(POOL, meet_other, 0);
            __kmpc_omp_taskwait(&here, self());
            for (int k = 0; k < CHAIN; k++)
                make_after(0, after_both, k);
            CHECK(graphs.end(graph) == 0);
            CHECK(graphs.tasks(graph) == 2 + CHAIN);
        }
        CHECK(came == 2 && last == CHAIN);
    }
    graphs.destroy(graph);
}

/* In a free agent. */
static int32_t in_order(int32_t thread, task_t *task)
{
    (void)thread;
    CHECK(is_free_agent() && last == task->own[0]);
    last++;
    return 0;
}

static int32_t any(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    CHECK(is_free_agent());
    count_up(&others);
    return 0;
}

static void make_body(void)
{
    __kmpc_taskgroup(&here, self());
    for (int i = 0; i < WIDE; i++)
        make(0, any, 0);
    __kmpc_end_taskgroup(&here, self());
    for (int i = 0; i < CHAIN; i++)
        make_after(0, in_order, i);
    for (int i = 0; i < WIDE; i++)
        make(0, any, 0);
}

static int32_t record_and_replay(int32_t thread, task_t *task)
{
    ghcomp_graph *graph = (ghcomp_graph *)task->own[0];
    (void)thread;
    CHECK(is_free_agent());
    for (int i = 0; i < REPLAYS; i++) {
        last = others = 0;
        if (graphs.run(graph) != 0) {
            CHECK(i == 0);
            graphs.begin(graph, 0);
            make_body();
            CHECK(graphs.end(graph) == 0);
        }
        CHECK(last == CHAIN && others == 2 * WIDE);
    }
    open_gate(&finished);
    return 0;
}

/* A graph that a member has recorded, with many tasks that are ready at the same time. */
static int32_t count(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    count_up(&others);
    return 0;
}

static int32_t replay(int32_t thread, task_t *task)
{
    (void)thread;
    CHECK(is_free_agent());
    for (int i = 0; i < REPLAYS; i++)
        CHECK(graphs.run((ghcomp_graph *)task->own[0]) == 0);
    open_gate(&finished);
    return 0;
}

static void in_agents(void)
{
    ghcomp_graph *graph = graphs.create();
    make_and_await(POOL, record_and_replay, (long)graph);
    others = 0;
    graphs.begin(graph, 0);
    for (int i = 0; i < WIDE; i++)
        make(0, count, 0);
    CHECK(graphs.end(graph) == 0);
    make_and_await(POOL, replay, (long)graph);
    CHECK(others == WIDE * (REPLAYS + 1));
    graphs.destroy(graph);
}

int main(void)
{
    *(void **)&is_free_agent = graph_function("omp_is_free_agent");
    transparent();
    pool();
    in_agents();
    came = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        {
            in_agents();
            open_gate(&came);
        }
        wait_for(&came); /* the other member has nothing for an agent to do, and takes no task */
    }
    return 0;
}
