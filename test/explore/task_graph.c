/* explore: the counters of a replayed graph (core/task/task_graph_waits.h). Two threads that each have a node arrive at
   the same successors, and the one that is the last has a successor: each runs once in each replay, after its
   predecessors, whose writes it sees, and its counter is as before for the next replay, which another thread may begin.
   mutant: told-early | core/task/task_graph_waits.h | ghcomp_load_acquire\(&node->waits\) == 1 => ghcomp_load_relaxed(&node->waits) <= 2
   mutant: no-rewind | core/task/task_graph_waits.h | ghcomp_store_relaxed\(&node->waits, node->predecessors\); => (void)node;
   mutant: plain-sub | core/task/task_graph_waits.h | ghcomp_sub_acqrel\(&node->waits, 1u\) == 1; => (ghcomp_store_relaxed(&node->waits, ghcomp_load_relaxed(&node->waits) - 1), ghcomp_load_relaxed(&node->waits) == 0); */
#include "explore.h"

#include "core/task/task_graph_waits.h"

/* Two roots; both precede two middle nodes, which precede the last one. */
enum { ROOTS = 2, MIDDLE = 2, NODES = ROOTS + MIDDLE + 1 };

static struct ghcomp_graph_node nodes[NODES], *after_roots[MIDDLE] = {&nodes[2], &nodes[3]};
static struct ghcomp_graph_node *after_middle[] = {&nodes[4]};
static unsigned ran[NODES]; /* plain: ordered by the counters */
static unsigned round_now;

static void run(struct ghcomp_graph_node *node)
{
    unsigned i = (unsigned)(node - nodes);
    ghcomp_graph_rewind(node);
    EXPLORE_EQUAL(round_now, ran[i]);
    if (i >= ROOTS)
        for (unsigned j = 0; j < (i < ROOTS + MIDDLE ? ROOTS : ROOTS + MIDDLE); j++)
            EXPLORE_EQUAL(round_now + 1, ran[j]);
    ran[i]++;
}

/* What a walk does, with its list. */
static void walk(struct ghcomp_graph_node *list)
{
    while (list != NULL) {
        struct ghcomp_graph_node *node = list;
        list = node->next;
        run(node);
        ghcomp_graph_release(node, &list);
    }
}

static void walk_from(void *root)
{
    walk(root);
}

static void set_up(void)
{
    for (unsigned i = 0; i < NODES; i++)
        nodes[i].predecessors = i < ROOTS ? 0 : 2;
    for (unsigned i = 0; i < ROOTS; i++)
        nodes[i].successors = after_roots, nodes[i].count = MIDDLE;
    for (unsigned i = ROOTS; i < ROOTS + MIDDLE; i++)
        nodes[i].successors = after_middle, nodes[i].count = 1;
    for (unsigned i = 0; i < NODES; i++)
        ghcomp_store_relaxed(&nodes[i].waits, nodes[i].predecessors);
    explore_thread(walk_from, &nodes[0]);
    explore_thread(walk_from, &nodes[1]);
}

/* All have run; and once more, by one thread, as the replay after the join. */
static void all_ran(void)
{
    for (unsigned i = 0; i < NODES; i++)
        EXPLORE_EQUAL(1, ran[i]);
    round_now = 1;
    nodes[0].next = &nodes[1];
    nodes[1].next = NULL;
    walk(&nodes[0]);
    for (unsigned i = 0; i < NODES; i++)
        EXPLORE_EQUAL(2, ran[i]);
}

static const struct explore_scenario scenarios[] = {
    {.name = "two walks", .setup = set_up, .finish = all_ran, .full = true},
};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof *scenarios);
}
