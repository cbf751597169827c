/* Workers compute with the rounding mode and the treatment of denormals that the master had at the region.
   ghcomp-only: libgomp's workers keep the mode they were created with
   cflags: -frounding-math
   ldflags: -lm
   symbols: GOMP_parallel */
#include <fenv.h>
#include <omp.h>

#include "../common.h"

/* Whether denormal results become zero. */
#if defined(__x86_64__)
#include <xmmintrin.h>

static void set_flush(int on)
{
    _MM_SET_FLUSH_ZERO_MODE(on ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
}

static int flush(void)
{
    return _MM_GET_FLUSH_ZERO_MODE() == _MM_FLUSH_ZERO_ON;
}
#elif defined(__aarch64__)
enum { FZ = 1 << 24 }; /* a bit of FPCR */

static unsigned long fpcr(void)
{
    unsigned long word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}

static void set_flush(int on)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((fpcr() & ~(unsigned long)FZ) | (on ? FZ : 0)));
}

static int flush(void)
{
    return (fpcr() & FZ) != 0;
}
#endif

int main(void)
{
    static const int modes[] = {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 8; i++) {
        int right = 0;
        fesetround(modes[i % 4]);
        set_flush(i & 1);
#pragma omp parallel num_threads(4) reduction(+ : right)
        right += fegetround() == modes[i % 4] && flush() == (i & 1);
        CHECK(right == 4);
    }
    return 0;
}
