/* The trait `partition` on a machine of four NUMA nodes, which nodes.h shows the runtime: what it asks the system for,
   which blocks it places, and that a refusal costs nothing but the placing.
   ghcomp-only: libgomp places memory by libraries of others, if they are there, and not in parts */
#include "nodes.h"

#include <omp.h>
#include <sys/wait.h>

#include "../../status.h"

enum { PAGE = 4096, BLOCKS = 100 };
static const omp_allocator_handle_t plain = omp_default_mem_alloc;

static omp_allocator_handle_t make(omp_uintptr_t partition, omp_uintptr_t pool, omp_uintptr_t fallback,
                                   omp_allocator_handle_t next)
{
    const omp_alloctrait_t traits[] = {{omp_atk_partition, partition},
                                       {omp_atk_pool_size, pool},
                                       {omp_atk_fallback, fallback},
                                       {omp_atk_fb_data, (omp_uintptr_t)next}};
    omp_allocator_handle_t made = omp_init_allocator(omp_default_mem_space, 4, traits);
    CHECK(made != omp_null_allocator);
    requested = 0;
    return made;
}

static omp_allocator_handle_t with(omp_uintptr_t partition)
{
    return make(partition, omp_atv_default, omp_atv_null_fb, omp_null_allocator);
}

static int all_are(const char *block, size_t size, char value)
{
    for (size_t i = 0; i < size; i++)
        if (block[i] != value)
            return 0;
    return 1;
}

/* The requests, which follow each other in memory, are for all of the block. */
static void check_cover(const char *block, size_t size)
{
    CHECK(requested > 0 && requests[0].memory <= block);
    for (int i = 1; i < requested; i++)
        CHECK(requests[i].memory == requests[i - 1].memory + requests[i - 1].size);
    CHECK(requests[requested - 1].memory + requests[requested - 1].size >= block + size);
}

static void interleaved(void)
{
    omp_allocator_handle_t allocator = with(omp_atv_interleaved);
    for (size_t alignment = 8; alignment <= 16 * PAGE; alignment *= 4) {
        requested = 0;
        char *block = omp_aligned_alloc(alignment, 64 * PAGE, allocator);
        CHECK(block != NULL && (uintptr_t)block % alignment == 0);
        check_cover(block, 64 * PAGE);
        CHECK(requested == 1 && requests[0].mode == INTERLEAVE && requests[0].nodes == node_bits);
        CHECK(all_are(block, 64 * PAGE, 0));
        memset(block, 1, 64 * PAGE);
        omp_free(block, allocator);
    }
    omp_destroy_allocator(allocator);
}

static void blocked(void)
{
    static const int order[] = {1, 3, 5, 7};
    omp_allocator_handle_t allocator = with(omp_atv_blocked);
    for (size_t pages = 5; pages < 40; pages++) {
        requested = 0;
        char *block = omp_calloc(pages * PAGE - 100, 1, allocator);
        CHECK(block != NULL && requested == 4);
        check_cover(block, pages * PAGE - 100);
        for (int i = 0; i < 4; i++) {
            CHECK(requests[i].mode == PREFERRED && requests[i].nodes == 1ul << order[i]);
            CHECK(requests[i].size / PAGE == pages / 4 || requests[i].size / PAGE == pages / 4 + 1);
        }
        CHECK(all_are(block, pages * PAGE - 100, 0));
        omp_free(block, allocator);
    }
    omp_destroy_allocator(allocator);
}

static void nearest(void)
{
    omp_allocator_handle_t allocator = with(omp_atv_nearest);
    for (here_cpu = 0; here_cpu < CPUS; here_cpu++) {
        requested = 0;
        char *block = omp_alloc(10 * PAGE, allocator);
        CHECK(block != NULL && requested == 1);
        check_cover(block, 10 * PAGE);
        CHECK(requests[0].mode == PREFERRED && requests[0].nodes == 1ul << NODE(here_cpu));
        memset(block, 1, 10 * PAGE);
        omp_free(block, allocator);
    }
    requested = 0;
    here_cpu = CPUS; /* a CPU that was not the process's, and one that is not known */
    omp_free(omp_alloc(10 * PAGE, allocator), allocator);
    here_cpu = -1;
    omp_free(omp_alloc(10 * PAGE, allocator), allocator);
    CHECK(requested == 0);
    here_cpu = 0;
    omp_destroy_allocator(allocator);
}

/* Without the trait, and in blocks of a few pages, nothing is placed. */
static void elsewhere(void)
{
    const omp_alloctrait_t aligned = {omp_atk_alignment, 64}, pinned[] = {{omp_atk_partition, omp_atv_interleaved},
                                                                          {omp_atk_pinned, omp_atv_true}};
    omp_allocator_handle_t none[] = {with(omp_atv_environment), with(omp_atv_default), plain,
                                     omp_init_allocator(omp_default_mem_space, 1, &aligned),
                                     omp_init_allocator(omp_default_mem_space, 2, pinned)};
    requested = 0;
    for (int i = 0; i < 5; i++) {
        char *block = omp_alloc(100 * PAGE, none[i]);
        CHECK(block != NULL);
        memset(block, 1, 100 * PAGE);
        omp_free(block, none[i]);
        if (none[i] != plain)
            omp_destroy_allocator(none[i]);
    }
    omp_allocator_handle_t allocator = with(omp_atv_interleaved);
    char *small = omp_alloc(3 * PAGE, allocator);
    CHECK(small != NULL && requested == 0);
    omp_free(small, allocator);
    omp_destroy_allocator(allocator);
}

/* A block grows out of malloc's memory and shrinks back into it; in a pool that has no space for both. */
static void resized(void)
{
    omp_allocator_handle_t allocator = make(omp_atv_interleaved, 30 * PAGE, omp_atv_null_fb, omp_null_allocator);
    static const size_t sizes[] = {100, 3 * PAGE, 20 * PAGE, 29 * PAGE, 25 * PAGE, 2 * PAGE, 50};
    size_t before = 1;
    char *block = omp_alloc(before, allocator);
    *block = 1;
    for (int i = 0; i < 7; i++) {
        requested = 0;
        block = omp_realloc(block, sizes[i], allocator, allocator);
        CHECK(block != NULL && all_are(block, before < sizes[i] ? before : sizes[i], (char)(i + 1)));
        CHECK(requested == (sizes[i] >= 4 * PAGE));
        before = sizes[i];
        memset(block, i + 2, before);
    }
    CHECK(omp_realloc(block, 31 * PAGE, allocator, allocator) == NULL && *block == 8);
    CHECK((block = omp_realloc(block, 40 * PAGE, plain, allocator)) != NULL && *block == 8);
    char *other = omp_realloc(NULL, 29 * PAGE, allocator, omp_null_allocator); /* the pool is empty again */
    CHECK(other != NULL);
    memset(other, 3, 29 * PAGE);
    CHECK((other = omp_realloc(other, 29 * PAGE, plain, allocator)) != NULL && all_are(other, 29 * PAGE, 3));
    omp_free(block, plain);
    omp_free(other, plain);
    omp_destroy_allocator(allocator);
}

static void fallback(void)
{
    omp_allocator_handle_t next = with(omp_atv_nearest);
    omp_allocator_handle_t first = make(omp_atv_interleaved, 20 * PAGE, omp_atv_allocator_fb, next);
    char *one = omp_alloc(15 * PAGE, first), *two = omp_alloc(15 * PAGE, first);
    CHECK(one != NULL && two != NULL && requested == 2);
    CHECK(requests[0].mode == INTERLEAVE && requests[1].mode == PREFERRED);
    omp_free(one, first);
    omp_free(two, first);
    omp_destroy_allocator(first);
    omp_destroy_allocator(next);
}

static void given_back(void)
{
    omp_allocator_handle_t allocator = with(omp_atv_interleaved);
    long before = status_number("VmSize"); /* kB */
    CHECK(before > 0);
    for (int i = 0; i < BLOCKS; i++)
        omp_free(omp_alloc((size_t)1 << 26, allocator), allocator);
    CHECK(status_number("VmSize") < before + (BLOCKS / 2 << 16));
    omp_destroy_allocator(allocator);
}

static int denied_with(int error)
{
    static const omp_uintptr_t partitions[] = {omp_atv_nearest, omp_atv_blocked, omp_atv_interleaved};
    denied = error;
    for (int i = 0; i < 3; i++) {
        omp_allocator_handle_t allocator = with(partitions[i]);
        errno = 12345;
        char *block = omp_calloc(10 * PAGE, 1, allocator);
        CHECK(block != NULL && all_are(block, 10 * PAGE, 0) && errno == 12345 && requested == 0);
        memset(block, 1, 10 * PAGE);
        CHECK((block = omp_realloc(block, 20 * PAGE, allocator, allocator)) != NULL && all_are(block, 10 * PAGE, 1));
        omp_free(block, allocator);
        omp_destroy_allocator(allocator);
    }
    denied = 0;
    return requested;
}

static int passes(int (*check)(int), int argument)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(check(argument));
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* How many requests there are for a block of each partition if the process may have memory on these nodes. */
static int requests_on(int nodes)
{
    memory_nodes = (unsigned long)nodes;
    omp_allocator_handle_t allocator = with(omp_atv_blocked);
    omp_free(omp_alloc(100 * PAGE, allocator), allocator);
    return requested;
}

static int two_nodes(int nodes)
{
    return requests_on(nodes) - 2;
}

static char *inherited;
static omp_allocator_handle_t parents;

static int use_inherited(int value)
{
    CHECK(all_are(inherited, 10 * PAGE, (char)value));
    memset(inherited, 1, 10 * PAGE);
    omp_free(inherited, parents);
    omp_free(omp_alloc(10 * PAGE, parents), parents);
    return requested - 1;
}

static void forked(void)
{
    parents = with(omp_atv_interleaved);
    inherited = omp_alloc(10 * PAGE, parents);
    memset(inherited, 7, 10 * PAGE);
    requested = 0;
    CHECK(passes(use_inherited, 7));
    CHECK(all_are(inherited, 10 * PAGE, 7));
    omp_free(inherited, parents);
    omp_destroy_allocator(parents);
}

int main(void)
{
    /* In processes of their own, since the runtime reads the nodes once. */
    CHECK(passes(denied_with, EPERM) && passes(denied_with, ENOSYS));
    CHECK(passes(requests_on, 1 << 3) && passes(requests_on, 1 << 0) && passes(two_nodes, 1 << 3 | 1 << 7 | 1 << 2));
    interleaved();
    blocked();
    nearest();
    elsewhere();
    resized();
    fallback();
    given_back();
    forked();
    CHECK(denied_with(EPERM) == 0 && denied_with(ENOSYS) == 0); /* with the nodes known */
    return 0;
}
