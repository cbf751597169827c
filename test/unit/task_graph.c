/* core/task/task_graph_build.c against a model that compares each pair of tasks: random clauses of all kinds,
   taskwaits, undeferred tasks. The order of the nodes is the model's, no more and no less, but for mutexinoutset, which
   is an inout. Then threads walk the graphs, several times (task_graph_waits.h): the thread sanitizer checks the order
   of plain variables. A child of fork() has none of the recordings of other threads. */
#include "core/task/task_graph.h"

#include <pthread.h>

#include "core/task/task_graph_waits.h"
#include "core/task/taskdep_clause.h"
#include "host/os.h"
#include "process.h"

enum { MOST = 60, ADDRESSES = 4, MOST_ITEMS = 4, ROUNDS = 300, REPLAYS = 3, WALKERS = 3, WORDS = 5 + 4 * MOST_ITEMS };

static uint64_t seed = 1;

static uint32_t any(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

/* A task, or a taskwait. */
struct step {
    bool wait, undeferred, all, depends;
    unsigned char kind[ADDRESSES]; /* 0: does not name it; two kinds are OUT */
};

static struct step steps[MOST];
static char place[ADDRESSES];
static uint32_t made;
static bool model[MOST][MOST], reached[MOST][MOST];

static bool ordered(const struct step *a, const struct step *b)
{
    if (!a->depends || !b->depends)
        return false;
    if (a->all || b->all)
        return true;
    for (int i = 0; i < ADDRESSES; i++)
        if (a->kind[i] != 0 && b->kind[i] != 0 && (a->kind[i] != b->kind[i] || a->kind[i] == GHCOMP_DEPEND_OUT))
            return true;
    return false;
}

static void make_model(void)
{
    memset(model, 0, sizeof model);
    for (uint32_t j = 0; j < made; j++)
        for (uint32_t i = 0; i < j; i++)
            model[i][j] = steps[i].wait || steps[j].wait || steps[i].undeferred || ordered(&steps[i], &steps[j]);
}

static void close_order(bool order[MOST][MOST])
{
    for (uint32_t k = 0; k < made; k++)
        for (uint32_t i = 0; i < made; i++)
            for (uint32_t j = 0; j < made && order[i][k]; j++)
                order[i][j] |= order[k][j];
}

/* Adds an item to the clause; the second form of the ABI's list has depend objects for all. */
static void add_item(struct step *step, void **object, void **item, bool all)
{
    int at = (int)any(ADDRESSES), kind = 1 + (int)any(5);
    if (all) {
        kind = GHCOMP_DEPEND_INOUT;
        step->all = true;
    } else {
        int counts = kind == GHCOMP_DEPEND_INOUT || kind == GHCOMP_DEPEND_MUTEXINOUTSET ? GHCOMP_DEPEND_OUT : kind;
        step->kind[at] = (unsigned char)(step->kind[at] == 0 || step->kind[at] == counts ? counts : GHCOMP_DEPEND_OUT);
    }
    object[0] = all ? NULL : &place[at];
    object[1] = (void *)(uintptr_t)kind;
    *item = object;
}

static void **make_clause(struct step *step)
{
    uint32_t count = 1 + any(MOST_ITEMS);
    void **words = calloc(WORDS, sizeof *words);
    words[1] = (void *)(uintptr_t)count;
    for (uint32_t i = 0; i < count; i++)
        add_item(step, words + 5 + MOST_ITEMS + 2 * i, words + 5 + i, any(40) == 0);
    step->depends = true;
    return words;
}

static void nothing(void *data)
{
    (void)data;
}

static struct ghcomp_graph *make_graph(void)
{
    struct ghcomp_graph *graph = ghcomp_graph_create();
    made = 1 + any(MOST);
    graph->records = calloc(made, sizeof *graph->records);
    graph->recorded = graph->room = made;
    memset(steps, 0, sizeof steps);
    for (uint32_t i = 0; i < made; i++) {
        struct ghcomp_graph_record *record = &graph->records[i];
        steps[i].wait = any(20) == 0;
        record->kind = steps[i].wait ? GHCOMP_GRAPH_WAIT : GHCOMP_GRAPH_TASK;
        if (steps[i].wait)
            continue;
        steps[i].undeferred = record->undeferred = any(20) == 0;
        record->fn = nothing;
        if (any(8) != 0)
            record->depend = make_clause(&steps[i]);
    }
    ghcomp_graph_build(graph);
    return graph;
}

/* What is reached from the node, by way of joins: the records. */
static void reach(const struct ghcomp_graph *graph, uint32_t from, const struct ghcomp_graph_node *node)
{
    for (uint32_t i = 0; i < node->count; i++) {
        const struct ghcomp_graph_node *to = node->successors[i];
        if (to->fn == NULL)
            reach(graph, from, to);
        else
            reached[from][to->record] = true;
    }
}

/* A taskwait has no node of its own that the model could name: tasks are compared with tasks. */
static void check_order(const struct ghcomp_graph *graph)
{
    uint32_t tasks = 0;
    memset(reached, 0, sizeof reached);
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].fn != NULL)
            reach(graph, graph->nodes[i].record, &graph->nodes[i]);
    make_model();
    close_order(model);
    close_order(reached);
    for (uint32_t i = 0; i < made; i++)
        for (uint32_t j = 0; j < made; j++)
            if (!steps[i].wait && !steps[j].wait)
                CHECK_EQUAL(model[i][j], reached[i][j]);
    for (uint32_t i = 0; i < made; i++)
        tasks += !steps[i].wait;
    CHECK_EQUAL(tasks, graph->tasks);
}

/* --- walks -------------------------------------------------------------------------------------------------------- */

struct walker {
    pthread_t thread;
    struct ghcomp_graph *graph;
    uint32_t number;
};

static unsigned ran[MOST], replay; /* plain: ordered by the counters */

static void run(const struct ghcomp_graph_node *node)
{
    for (uint32_t i = 0; i < made; i++)
        if (model[i][node->record] && !steps[i].wait)
            CHECK_EQUAL(replay + 1, ran[i]);
    CHECK_EQUAL(replay, ran[node->record]);
    ran[node->record]++;
}

/* From every third root on. */
static void *walk(void *argument)
{
    const struct walker *walker = argument;
    struct ghcomp_graph_node *list = NULL;
    for (uint32_t i = 0, roots = 0; i < walker->graph->count; i++) {
        struct ghcomp_graph_node *node = &walker->graph->nodes[i];
        if (node->predecessors != 0 || roots++ % WALKERS != walker->number)
            continue;
        node->next = list;
        list = node;
    }
    while (list != NULL) {
        struct ghcomp_graph_node *node = list;
        list = node->next;
        ghcomp_graph_rewind(node);
        if (node->fn != NULL)
            run(node);
        ghcomp_graph_release(node, &list);
    }
    return NULL;
}

static void replay_all(struct ghcomp_graph *graph)
{
    memset(ran, 0, sizeof ran);
    for (replay = 0; replay < REPLAYS; replay++) {
        struct walker walkers[WALKERS];
        for (uint32_t i = 0; i < WALKERS; i++) {
            walkers[i].graph = graph;
            walkers[i].number = i;
            CHECK_EQUAL(0, pthread_create(&walkers[i].thread, NULL, walk, &walkers[i]));
        }
        for (uint32_t i = 0; i < WALKERS; i++)
            CHECK_EQUAL(0, pthread_join(walkers[i].thread, NULL));
        for (uint32_t i = 0; i < made; i++)
            CHECK_EQUAL(steps[i].wait ? 0 : replay + 1, ran[i]);
    }
}

#ifndef __SANITIZE_THREAD__ /* whose threads a child does not have */
static _Atomic int recording, over;

static void *record(void *graph)
{
    ghcomp_graph_record_begin(ghcomp_self(), graph, false);
    ghcomp_store_release(&recording, 1);
    while (ghcomp_load_acquire(&over) == 0)
        ghcomp_os_yield();
    ghcomp_graph_record_end(ghcomp_self(), graph);
    return NULL;
}

static bool observed(void)
{
    return (ghcomp_observers_now() & GHCOMP_OBSERVE_GRAPH) != 0;
}

static void child_of_recorder(void)
{
    pthread_t thread;
    struct ghcomp_graph *graph = ghcomp_graph_create(), *own = ghcomp_graph_create();
    CHECK_EQUAL(0, pthread_create(&thread, NULL, record, graph));
    while (ghcomp_load_acquire(&recording) == 0)
        ghcomp_os_yield();
    for (int records = 0; records < 2; records++) {
        if (records)
            ghcomp_graph_record_begin(ghcomp_self(), own, false);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            CHECK_EQUAL(records, observed());
            if (!records)
                ghcomp_graph_record_begin(ghcomp_self(), own, false);
            CHECK(observed());
            ghcomp_graph_record_end(ghcomp_self(), own);
            CHECK(!observed());
            _exit(0);
        }
        CHECK_EQUAL(0, status_of(child));
    }
    ghcomp_graph_record_end(ghcomp_self(), own);
    CHECK(observed());
    ghcomp_store_release(&over, 1);
    CHECK_EQUAL(0, pthread_join(thread, NULL));
    CHECK(!observed());
    ghcomp_graph_destroy(graph);
    ghcomp_graph_destroy(own);
}
#endif

int main(void)
{
#ifndef __SANITIZE_THREAD__
    child_of_recorder();
#endif
    for (int round = 0; round < ROUNDS; round++) {
        struct ghcomp_graph *graph = make_graph();
        check_order(graph);
        if (round % 10 == 0)
            replay_all(graph);
        ghcomp_graph_destroy(graph);
    }
    return 0;
}
