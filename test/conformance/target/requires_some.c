/* A `requires` directive has to be in all files with device constructs.
   ghcomp-only: libgomp 12 does not know images with requirements
   symbols: GOMP_offload_register_ver
   expect-exit: 1
   expect-stderr: \A\nlibgomp: OpenMP 'requires' directive with 'unified_shared_memory' specified only in some .*\n\Z */
#include "../common.h"

void GOMP_offload_register_ver(unsigned, const void *, int, const void *);

int main(void)
{
    const void *nothing[4] = {0}, *with[2] = {(void *)0x220, nothing}, *without[2] = {(void *)0x200, nothing};
    GOMP_offload_register_ver(2u << 16, nothing, 5, with);
    GOMP_offload_register_ver(2u << 16, nothing, 5, without);
    return 0;
}
