/* The combining tree alone: whatever the order of arrivals, exactly one caller completes it, and it is empty for the
 * next round. With threads: the completing caller sees what the others did before they arrived. Runs under ASan+UBSan
 * and TSan. */
#include "unit.h"

#include <pthread.h>

#include "core/sync/combining_tree.h"

enum { MOST = 300, THREADS = 12, ROUNDS = 200 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

/* [first, size) in a random order. */
static void shuffle(uint32_t *order, uint32_t first, uint32_t size, uint32_t *seed)
{
    for (uint32_t i = first; i < size; i++)
        order[i] = i;
    for (uint32_t i = size - 1; i > first; i--) {
        uint32_t other = first + next_random(seed) % (i - first + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static void check_shape(struct ghcomp_combining_tree *tree, uint32_t size)
{
    CHECK_EQUAL(size, tree->size);
    CHECK(tree->root->up == NULL);
    uint32_t members = 0, workers = 0;
    for (uint32_t i = 0; i < tree->groups; i++) {
        CHECK(tree->nodes[i].members >= 1 && tree->nodes[i].members <= GHCOMP_TREE_FAN_IN);
        members += tree->nodes[i].members;
        workers += tree->nodes[i].workers;
    }
    CHECK_EQUAL(size, members);
    CHECK_EQUAL(size - 1, workers);
    /* Each group but the first is told by exactly one member, of an earlier group. */
    for (uint32_t group = 1; group < tree->groups; group++)
        CHECK((group - 1) / GHCOMP_TREE_FAN_IN < group);
}

static void any_order_completes_it(void)
{
    uint32_t seed = 3, order[MOST];
    struct ghcomp_combining_tree *tree = NULL;
    /* Sizes go up and down, so that the tree grows and shrinks. */
    for (uint32_t i = 2; i <= 2 * MOST - 2; i++) {
        uint32_t size = i <= MOST ? i : 2 * MOST - i;
        tree = ghcomp_combining_tree_fit(tree, size, i);
        check_shape(tree, size);
        CHECK_EQUAL(i, tree->slots[size - 1].episode);
        for (int round = 0; round < 2; round++) {
            shuffle(order, 0, size, &seed);
            CHECK(!ghcomp_combining_tree_full(tree));
            for (uint32_t at = 0; at < size; at++)
                CHECK_EQUAL(at + 1 == size, ghcomp_combining_tree_arrive(tree, order[at]));
            CHECK(ghcomp_combining_tree_full(tree));
            CHECK(ghcomp_combining_tree_empty(tree));
            CHECK(!ghcomp_combining_tree_empty(tree));
            shuffle(order, 1, size, &seed);
            for (uint32_t at = 1; at < size; at++)
                CHECK_EQUAL(at + 1 == size, ghcomp_combining_tree_finish(tree, order[at]));
        }
        /* A member has arrived and left again: reset forgets it. */
        ghcomp_combining_tree_arrive(tree, size / 2);
        ghcomp_combining_tree_reset(tree, i);
    }
    ghcomp_combining_tree_free(tree);
}

static struct ghcomp_combining_tree *shared;
static _Atomic uint32_t round_done;
static uint32_t plain[THREADS];

static void *arrive_often(void *data)
{
    uint32_t tid = (uint32_t)(uintptr_t)data;
    for (uint32_t round = 1, rounds = (uint32_t)unit_rounds(ROUNDS); round <= rounds; round++) {
        plain[tid] = round;
        if (ghcomp_combining_tree_arrive(shared, tid)) {
            for (uint32_t i = 0; i < THREADS; i++)
                CHECK_EQUAL(round, plain[i]);
            CHECK(ghcomp_combining_tree_empty(shared));
            ghcomp_store_release(&round_done, round);
        }
        while (ghcomp_load_acquire(&round_done) != round)
            sched_yield();
    }
    return NULL;
}

static void threads_see_each_other(void)
{
    pthread_t threads[THREADS];
    shared = ghcomp_combining_tree_fit(NULL, THREADS, 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, arrive_often, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    ghcomp_combining_tree_free(shared);
}

int main(void)
{
    any_order_completes_it();
    threads_see_each_other();
    return 0;
}
