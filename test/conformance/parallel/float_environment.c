/* Workers compute with the rounding mode that the master had at the region.
   ghcomp-only: libgomp's workers keep the mode they were created with
   cflags: -frounding-math
   ldflags: -lm
   symbols: GOMP_parallel */
#include <fenv.h>
#include <omp.h>
#include <xmmintrin.h>

#include "../common.h"

int main(void)
{
    static const int modes[] = {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 8; i++) {
        int right = 0;
        fesetround(modes[i % 4]);
        _MM_SET_FLUSH_ZERO_MODE(i & 1 ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
#pragma omp parallel num_threads(4) reduction(+ : right)
        right += fegetround() == modes[i % 4] &&
                 _MM_GET_FLUSH_ZERO_MODE() == (i & 1 ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
        CHECK(right == 4);
    }
    return 0;
}
