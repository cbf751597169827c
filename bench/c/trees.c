/* Searches of unbalanced trees with a task for each child: shapes on which a scheduler of tasks may collapse. For
 * bench/trees.py; compiled by plain gcc -fopenmp, without our headers, for all runtimes.
 *
 *     trees SHAPE VARIANT SECONDS    searches the tree again and again until the time is up, three times at least, and
 *                                    prints a JSON object: `ns` is the time of a node in the fastest search
 *
 * A node's children follow from its hash, so that every search finds the same number of nodes, which is compared with
 * that of a search without tasks. SHAPE and VARIANT: the tables below. The team is OMP_NUM_THREADS.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 4000 /* children of a node */, CUT = 10 /* the depth at which `if` and `final` cut off */ };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

/* About a tenth of a microsecond, as in a small evaluation of a position. */
static uint64_t child_hash(uint64_t hash, int i)
{
    hash += 0x9e3779b97f4a7c15ULL * (uint64_t)(i + 1);
    for (int k = 0; k < 20; k++)
        hash = mix(hash);
    return hash;
}

/* --- shapes: the number of children of a node --------------------------------------------------------------------- */

/* Geometric (UTS, Olivier et al., LCPC 2006): as many as a geometric distribution of mean 4 gives, to depth 9. */
static int geometric(uint64_t hash, int depth)
{
    int count = 0;
    if (depth >= 9)
        return 0;
    while (count < 24 && (hash = mix(hash + 1)) % 5 != 0)
        count++;
    return depth == 0 ? 24 : count;
}

/* Binomial (UTS): 8 or none, just below the number at which the tree would be infinite; most subtrees are tiny, some
   are huge, and chains go more than a thousand levels deep. */
static int binomial(uint64_t hash, int depth)
{
    return depth == 0 ? 2000 : hash % 8000 < 999 ? 8 : 0;
}

/* The same with two children, and deeper. */
static int binary(uint64_t hash, int depth)
{
    return depth == 0 ? 1000 : hash % 2000 < 999 ? 2 : 0;
}

/* A spine of 5,000 levels: the first child goes on, the three others are leaves. The hash of the spine's nodes below
   the root is odd, that of leaves even (child). */
static int spine(uint64_t hash, int depth)
{
    return depth == 0 || (depth < 5000 && hash % 2 == 1) ? 4 : 0;
}

/* 200 spines, of 500 levels on average. */
static int spines(uint64_t hash, int depth)
{
    return depth == 0 ? 200 : hash % 2 == 1 && (hash >> 1) % 500 != 0 ? 3 : 0;
}

/* A wide and flat one: 4,000 children with 60 leaves each. */
static int flat(uint64_t hash, int depth)
{
    (void)hash;
    return depth == 0 ? MOST : depth == 1 ? 60 : 0;
}

static const struct shape {
    const char *name;
    int (*children)(uint64_t hash, int depth);
    bool marked; /* only the first child's hash is odd, or, below the root, each one's */
} shapes[] = {
    {"geometric", geometric, false}, {"binomial", binomial, false}, {"binary", binary, false},
    {"spine", spine, true},          {"spines", spines, true},      {"flat", flat, false},
};
static const struct shape *shape;

static uint64_t child(uint64_t hash, int depth, int i)
{
    uint64_t found = child_hash(hash, i);
    if (!shape->marked)
        return found;
    return i == 0 || (depth == 0 && shape->children == spines) ? found | 1 : found & ~1ULL;
}

static long without_tasks(uint64_t hash, int depth)
{
    int children = shape->children(hash, depth);
    long nodes = 1;
    for (int i = 0; i < children; i++)
        nodes += without_tasks(child(hash, depth, i), depth + 1);
    return nodes;
}

/* --- variants ----------------------------------------------------------------------------------------------------- */

/* --- variants ---------------------------------------------------------------------------------------------------- */
#define SEARCH(name, TASK, WAIT_BEGIN, WAIT_END, EACH)                                                                 \
    static long name(uint64_t hash, int depth)                                                                         \
    {                                                                                                                  \
        int children = shape->children(hash, depth);                                                                   \
        long nodes = 1, part[children > 0 ? children : 1];                                                             \
        EACH;                                                                                                          \
        WAIT_BEGIN                                                                                                     \
        {                                                                                                              \
            for (int i = 0; i < children; i++) {                                                                       \
                uint64_t next = child(hash, depth, i);                                                                 \
                _Pragma(TASK) part[i] = name(next, depth + 1);                                                         \
            }                                                                                                          \
        }                                                                                                              \
        WAIT_END;                                                                                                      \
        for (int i = 0; i < children; i++)                                                                             \
            nodes += part[i];                                                                                          \
        return nodes;                                                                                                  \
    }
#define TASKWAIT _Pragma("omp taskwait")
#define TASKYIELD _Pragma("omp taskyield")
#define TASKGROUP _Pragma("omp taskgroup")

SEARCH(tied, "omp task firstprivate(i, next) shared(part)", , TASKWAIT, )
SEARCH(untied, "omp task untied firstprivate(i, next) shared(part)", , TASKWAIT, )
SEARCH(with_if, "omp task if(depth < CUT) firstprivate(i, next) shared(part)", , TASKWAIT, )
SEARCH(final, "omp task final(depth >= CUT) firstprivate(i, next) shared(part)", , TASKWAIT, )
SEARCH(yield, "omp task firstprivate(i, next) shared(part)", , TASKWAIT, TASKYIELD)
SEARCH(group, "omp task firstprivate(i, next) shared(part)", TASKGROUP, , )

static const struct {
    const char *name;
    long (*search)(uint64_t hash, int depth);
} variants[] = {
    {"tied", tied}, {"untied", untied}, {"if", with_if}, {"final", final}, {"taskyield", yield}, {"taskgroup", group},
};

/* --- main --------------------------------------------------------------------------------------------------------- */

struct run {
    long (*search)(uint64_t hash, int depth);
    double limit, best;
    long nodes;
    bool wrong;
};

/* On a thread with a large stack: the deepest tree needs it without a runtime's help. */
static void *measure(void *data)
{
    struct run *run = data;
    enum { SEED = 42 };
    run->nodes = without_tasks(SEED, 0);
    double end = now() + run->limit;
    run->best = 1e9;
    for (int i = 0; i < 3 || now() < end; i++) {
        long nodes = 0;
        double began = now();
#pragma omp parallel
#pragma omp single
        nodes = run->search(SEED, 0);
        double took = now() - began;
        run->best = took < run->best ? took : run->best;
        run->wrong |= nodes != run->nodes;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct run run = {.limit = argc > 3 ? atof(argv[3]) : 1};
    for (size_t i = 0; argc > 2 && i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(argv[1], shapes[i].name) == 0)
            shape = &shapes[i];
    for (size_t i = 0; argc > 2 && i < sizeof variants / sizeof variants[0]; i++)
        if (strcmp(argv[2], variants[i].name) == 0)
            run.search = variants[i].search;
    if (shape == NULL || run.search == NULL) {
        fprintf(stderr, "usage: trees SHAPE VARIANT SECONDS\n");
        return 2;
    }
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)256 << 20);
    if (pthread_create(&thread, &attributes, measure, &run) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    if (run.wrong) {
        fprintf(stderr, "trees: wrong number of nodes\n");
        return 1;
    }
    Dl_info served = {.dli_fname = ""};
    dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &served);
    const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    printf("{\"object\": \"%s\", \"host\": \"%s\", \"nodes\": %ld, \"ns\": %.2f}\n", served.dli_fname,
           host != NULL ? host() : "", run.nodes, run.best * 1e9 / (double)run.nodes);
    return 0;
}
