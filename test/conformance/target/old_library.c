/* An image for devices from a compiler that the runtime does not know is refused.
   symbols: GOMP_offload_register_ver
   expect-exit: 1
   expect-stderr: \A\nlibgomp: Library too old for offload \(version \d+ < 99\)\n\Z */
#include "../common.h"

void GOMP_offload_register_ver(unsigned, const void *, int, const void *);

int main(void)
{
    static const void *nothing[4];
    GOMP_offload_register_ver(1u << 16, nothing, 5, nothing);
    GOMP_offload_register_ver(99u << 16, nothing, 5, nothing);
    return 0;
}
