/* Images whose `requires` directives contradict each other are refused.
   ghcomp-only: libgomp 12 does not know images with requirements
   symbols: GOMP_offload_register_ver GOMP_offload_unregister_ver
   expect-exit: 1
   expect-stdout: \Aagreed\n\Z
   expect-stderr: 'requires' directive with non-identical .*: 'unified_address, reverse_offload' vs\. 'self_maps'\n\Z */
#include <stdint.h>

#include "../common.h"

void GOMP_offload_register_ver(unsigned, const void *, int, const void *);
void GOMP_offload_unregister_ver(unsigned, const void *, int, const void *);

enum { ADDRESS = 0x10, REVERSE = 0x80, USED = 0x200, SELF = 0x400 };

static void register_image(uintptr_t requires)
{
    const void *nothing[4] = {0};
    const void *image[2] = {(void *)requires, nothing};
    GOMP_offload_register_ver(4u << 16, nothing, 5, image);
    GOMP_offload_unregister_ver(4u << 16, nothing, 5, image);
}

int main(void)
{
    register_image(0);
    register_image(ADDRESS | REVERSE | USED);
    register_image(ADDRESS | REVERSE | USED);
    register_image(0);
    puts("agreed");
    fflush(stdout);
    register_image(SELF | USED);
    puts("here");
    return 0;
}
