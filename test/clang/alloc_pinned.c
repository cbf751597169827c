/* Allocators that pin: in clang's code there is memory beyond the limit on locked memory, too, as on libomp, which
 * locks none.
 *
 * symbols: omp_init_allocator omp_realloc
 * cflags: -D_GNU_SOURCE
 */
#include <errno.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kmp.h"

enum { LARGE = 1 << 20 };

static void all_lengths(omp_allocator_handle_t allocator)
{
    static const size_t lengths[] = {1, 100, 5000, LARGE, 300, LARGE};
    char *block = NULL, *zeros = omp_calloc(3, LARGE, allocator);
    CHECK(zeros != NULL);
    for (size_t i = 0; i < 3 * LARGE; i++)
        CHECK(zeros[i] == 0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        block = omp_realloc(block, lengths[i], allocator, allocator);
        CHECK(block != NULL && (i == 0 || *block == 7));
        memset(block, 7, lengths[i]);
    }
    omp_free(block, allocator);
    omp_free(zeros, allocator);
}

int main(void)
{
    struct rlimit limit;
    omp_alloctrait_t traits[] = {{omp_atk_pinned, omp_atv_true}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
    CHECK(allocator != omp_null_allocator && getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    all_lengths(allocator);
    char *before = omp_alloc(20000, allocator);
    CHECK(before != NULL);
    memset(before, 9, 20000);
    limit.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    if (geteuid() == 0) /* the limit does not apply to root */
        CHECK(setresuid(65534, 65534, 65534) == 0 || errno == EPERM || errno == EINVAL);
    all_lengths(allocator);
    before = omp_realloc(before, LARGE, allocator, allocator);
    CHECK(before != NULL && before[0] == 9 && before[19999] == 9);
    omp_free(before, allocator);
    omp_destroy_allocator(allocator);
    return 0;
}
