/* The second program of the mixed pairs: constructs that begin in one compiler's code and go on in the other's. A graph
 * of tasks, a taskgroup, a team or a league of the program has its other half in constructs_library. See mixed.sh. */
#include <omp.h>

#include "../conformance/common.h"

void library_step(int *value), library_wait(void), library_later(int count, int *done);
long library_tree(int depth, long (*other)(int));
long library_reduced(int count), library_kinds(long value);
void library_nested_lock(void *lock, int *depth), library_atomic(long *count);
int library_team_number(void), library_league_size(void);

enum { THREADS = 3, COUNT = 300, TURNS = 100, DEPTH = 6, LIMIT = 10007 };

/* The tasks of both depend on each other: another order gives another value. */
static void dependences(void)
{
    int value = 1, expected = 1;
    for (int turn = 0; turn < TURNS; turn++)
        expected = ((expected * 3 + 1) % LIMIT * 5 + 2) % LIMIT;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int turn = 0; turn < TURNS; turn++) {
#pragma omp task depend(inout : value) shared(value)
            value = (value * 3 + 1) % LIMIT;
            library_step(&value);
        }
        library_wait();
        CHECK(value == expected);
    }
}

/* The two parts' functions call each other in tasks. */
static long tree(int depth)
{
    long left = 0, right = 0;
    if (depth == 0)
        return 1;
#pragma omp task shared(left)
    left = library_tree(depth - 1, tree);
#pragma omp task shared(right)
    right = library_tree(depth - 1, tree);
#pragma omp taskwait
    return left + right;
}

static void task_trees(void)
{
    long leaves = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    leaves = tree(DEPTH);
    CHECK(leaves == 1L << DEPTH);
}

static void taskgroups(void)
{
    int done = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
#pragma omp taskgroup
        library_later(COUNT, &done);
        CHECK(done == COUNT);
    }
}

static void worksharing(void)
{
#pragma omp parallel num_threads(THREADS)
    for (int turn = 0; turn < TURNS; turn++) {
        CHECK(library_reduced(COUNT) == (long)COUNT * (COUNT - 1) / 2);
        CHECK(library_kinds(turn) == turn + THREADS);
    }
}

static void locks(void)
{
    omp_nest_lock_t lock;
    int depth = 0;
    long count = 0;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    for (int turn = 0; turn < TURNS; turn++) {
        omp_set_nest_lock(&lock);
        library_nested_lock(&lock, &depth);
        CHECK(depth == 1);
        depth = 0;
        omp_unset_nest_lock(&lock);
#pragma omp atomic
        count++;
        library_atomic(&count);
    }
    omp_destroy_nest_lock(&lock);
    CHECK(count == 2L * THREADS * TURNS);
}

static void leagues(void)
{
    int teams = 0;
#pragma omp teams num_teams(2) reduction(+ : teams)
    teams += library_league_size() == 2 && library_team_number() == omp_get_team_num();
    CHECK(teams == 2);
}

int main(void)
{
    dependences();
    task_trees();
    taskgroups();
    worksharing();
    locks();
    leagues();
    return 0;
}
