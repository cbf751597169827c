/* Routines that libgomp 12 does not have, and what newer ones do with omp_initial_device and null pointers.
   ghcomp-only: libgomp 12 lacks the routines
   symbols: omp_get_mapped_ptr omp_target_is_accessible omp_target_memset GOMP_target_map_indirect_ptr */
#include <omp.h>

#include "../common.h"

#pragma weak omp_get_mapped_ptr
#pragma weak omp_target_is_accessible
#pragma weak omp_target_memset
#pragma weak GOMP_target_map_indirect_ptr

void *omp_get_mapped_ptr(const void *, int);
int omp_target_is_accessible(const void *, size_t, int);
void *omp_target_memset(void *, int, size_t, int);
void *GOMP_target_map_indirect_ptr(void *);

enum { NOWHERE = 5, INITIAL = -1, DEFAULT = -5 };

int main(void)
{
    char bytes[10] = "abcdefghi";
    const int hosts[] = {0, INITIAL, DEFAULT};
    for (int i = 0; i < 3; i++) {
        int host = hosts[i];
        CHECK(omp_get_mapped_ptr(bytes + 3, host) == bytes + 3 && omp_get_mapped_ptr(NULL, host) == NULL);
        CHECK(omp_target_is_accessible(bytes, 10, host) && !omp_target_is_accessible(NULL, 10, host));
        CHECK(!omp_target_is_accessible(bytes, 0, host));
        CHECK(omp_target_is_present(bytes, host) && !omp_target_is_present(NULL, host));
        char *memory = omp_target_alloc(10, host);
        CHECK(memory != NULL && omp_target_memcpy(memory, bytes, 10, 0, 0, host, host) == 0);
        CHECK(omp_target_memset(memory + 2, 'x', 3, host) == memory + 2);
        CHECK(memcmp(memory, "abxxxfghi", 10) == 0);
        CHECK(omp_target_memset(memory, 'y', 0, host) == memory && memory[0] == 'a');
        CHECK(omp_target_memset(NULL, 'y', 0, host) == NULL);
        omp_target_free(memory, host);
    }
    CHECK(omp_get_mapped_ptr(bytes, NOWHERE) == NULL && !omp_target_is_accessible(bytes, 10, NOWHERE));
    CHECK(!omp_target_is_present(NULL, NOWHERE) && !omp_target_is_accessible(NULL, 0, -4));
    omp_set_default_device(NOWHERE);
    CHECK(!omp_target_is_present(bytes, DEFAULT) && omp_target_alloc(1, DEFAULT) == NULL);

    CHECK(GOMP_target_map_indirect_ptr(bytes) == bytes && GOMP_target_map_indirect_ptr(NULL) == NULL);
    return 0;
}
