/* The library of constructs.c: the other half of the program's constructs, which runs in its teams and graphs of tasks.
 * See mixed.sh. */
#include <omp.h>

/* Tasks. */
void library_step(int *value)
{
#pragma omp task depend(inout : value[0])
    *value = (*value * 5 + 2) % 10007;
}

void library_wait(void)
{
#pragma omp taskwait
}

void library_later(int count, int *done)
{
    for (int i = 0; i < count; i++) {
#pragma omp task
#pragma omp atomic
        ++*done;
    }
}

long library_tree(int depth, long (*other)(int))
{
    long left = 0, right = 0;
    if (depth == 0)
        return 1;
#pragma omp taskgroup
    {
#pragma omp task shared(left)
        left = other(depth - 1);
        right = other(depth - 1);
    }
    return left + right;
}

/* Worksharing in the caller's team. */
static long reduced;

long library_reduced(int count)
{
#pragma omp single
    reduced = 0;
#pragma omp for reduction(+ : reduced) schedule(guided)
    for (int i = 0; i < count; i++)
        reduced += i;
    long result = reduced;
#pragma omp barrier
    return result;
}

static long members;

/* single with copyprivate, masked, sections and a critical section: `value` and one for each member. */
long library_kinds(long value)
{
    long copied;
#pragma omp single copyprivate(copied)
    {
        copied = value;
        members = 0;
    }
#pragma omp masked
    {
#pragma omp atomic
        members--;
    }
#pragma omp sections
    {
#pragma omp section
        {
#pragma omp atomic
            members += 5;
        }
#pragma omp section
        {
#pragma omp atomic
            members -= 4;
        }
    }
#pragma omp critical(library)
    members++;
#pragma omp barrier
    copied += members;
#pragma omp barrier
    return copied;
}

/* Locks and atomic operations. */
void library_nested_lock(void *lock, int *depth)
{
    omp_set_nest_lock(lock);
    ++*depth;
    omp_unset_nest_lock(lock);
}

void library_atomic(long *count)
{
#pragma omp atomic
    ++*count;
}

/* Leagues. */
int library_team_number(void)
{
    return omp_get_team_num();
}

int library_league_size(void)
{
    return omp_get_num_teams();
}
