/* OpenMP 6.0's trait part_size, by the number that omp.h of LLVM 20 and later has: parts of interleaved memory lie on
   the nodes in turn, rounded up to pages, and are made larger where a block would have too many.
   ghcomp-only: libomp accepts the trait and places nothing
   symbols: __kmpc_init_allocator __kmpc_alloc __kmpc_free */
#include "../conformance/alloc/nodes.h"

struct trait {
    int key;
    uintptr_t value;
};

uintptr_t __kmpc_init_allocator(int32_t thread, uintptr_t space, int32_t count, const struct trait *traits);
void __kmpc_destroy_allocator(int32_t thread, uintptr_t allocator);
void *__kmpc_alloc(int32_t thread, size_t size, uintptr_t allocator);
void __kmpc_free(int32_t thread, void *block, uintptr_t allocator);

enum { PARTITION = 8, PART_SIZE = 14, NEAREST = 16, INTERLEAVED = 18, PAGE = 4096, LEFT_OVER = 100 };
#define BY_DEFAULT UINTPTR_MAX

/* How many parts such a block has; each but the last one is `part` bytes, if that is not 0. */
static int parts(size_t size, uintptr_t part_size, size_t part)
{
    static const int order[] = {1, 3, 5, 7};
    const struct trait traits[] = {{PART_SIZE, part_size}, {PARTITION, INTERLEAVED}};
    uintptr_t allocator = __kmpc_init_allocator(0, 0, 2, traits);
    CHECK(allocator != 0);
    requested = 0;
    char *block = __kmpc_alloc(0, size, allocator);
    CHECK(block != NULL && requested > 0 && requests[0].memory <= block);
    for (int i = 0; i < requested; i++) {
        const struct request *request = &requests[i], *last = &requests[requested - 1];
        CHECK(request->mode == (requested == 1 && part == 0 ? INTERLEAVE : PREFERRED));
        CHECK(request->nodes == (part == 0 ? node_bits : 1ul << order[i % 4]));
        CHECK(request == last || (request->size == part && request->memory + part == requests[i + 1].memory));
        CHECK(last->memory + last->size >= block + size);
    }
    block[0] = block[size - 1] = 1;
    __kmpc_free(0, block, allocator);
    __kmpc_destroy_allocator(0, allocator);
    return requested;
}

int main(void)
{
    enum { SIZE = 64 * PAGE - LEFT_OVER }; /* with the runtime's own bytes 64 pages */
    CHECK(parts(SIZE, BY_DEFAULT, 0) == 1);
    CHECK(parts(SIZE, 0, 0) == 1);
    CHECK(parts(SIZE, 1, 0) == 1);
    CHECK(parts(SIZE, PAGE, 0) == 1);
    CHECK(parts(SIZE, PAGE + 1, 2 * PAGE) == 32);
    CHECK(parts(SIZE, 2 * PAGE, 2 * PAGE) == 32);
    CHECK(parts(SIZE, 5 * PAGE, 5 * PAGE) == 13);
    CHECK(parts(SIZE, 63 * PAGE, 63 * PAGE) == 2);
    CHECK(parts(SIZE, 64 * PAGE, 64 * PAGE) == 1);
    CHECK(parts(SIZE, BY_DEFAULT - 1, 64 * PAGE) == 1);
    CHECK(parts((size_t)8192 * PAGE - LEFT_OVER, 2 * PAGE, 8 * PAGE) == 1024);
    return 0;
}
