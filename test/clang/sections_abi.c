/* The entries for sections that are asked for one at a time, and for scope regions: each section is executed once, in
 * construct after construct, also where a thread is late or there are more threads than sections.
 *
 * symbols: __kmpc_sections_init __kmpc_next_section __kmpc_end_sections __kmpc_scope __kmpc_end_scope
 */
#include <omp.h>

#include "kmp.h"

int32_t __kmpc_sections_init(place *, int32_t);
int32_t __kmpc_next_section(place *, int32_t, int32_t);
void __kmpc_end_sections(place *, int32_t);
void __kmpc_scope(place *, int32_t, void *);
void __kmpc_end_scope(place *, int32_t, void *);

enum { THREADS = 4, CONSTRUCTS = 50, MOST = 9 };

static int executed[CONSTRUCTS][MOST];

static void sections(int construct, int count)
{
    int32_t thread = thread_number();
    CHECK(__kmpc_sections_init(&here, thread) == 1);
    for (;;) {
        int32_t section = __kmpc_next_section(&here, thread, count);
        if (section < 0 || section >= count)
            break;
#pragma omp atomic
        executed[construct][section]++;
    }
    __kmpc_end_sections(&here, thread);
}

int main(void)
{
    int scopes = 0;
#pragma omp parallel num_threads(THREADS)
    {
        CHECK(omp_get_num_threads() == THREADS);
        for (int construct = 0; construct < CONSTRUCTS; construct++)
            sections(construct, 1 + construct % MOST);
        __kmpc_scope(&here, thread_number(), NULL);
#pragma omp atomic
        scopes++;
        __kmpc_end_scope(&here, thread_number(), NULL);
    }
    CHECK(scopes == THREADS);
    for (int construct = 0; construct < CONSTRUCTS; construct++)
        for (int section = 0; section < MOST; section++)
            CHECK(executed[construct][section] == (section < 1 + construct % MOST));
    return 0;
}
