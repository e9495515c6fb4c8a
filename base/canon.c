#include "base/canon.h"

#include <assert.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

void canon_environment(void) {
#if defined(__x86_64__)
    _mm_setcsr(0x1f80); /* round to nearest, all exceptions masked, flush-to-zero and denormals-are-zero off */
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
#endif
    volatile float least = 0x1p-149f, half = 0x1p-126f * 0.5f;
    assert(least > 0.0f && half == 0x1p-127f && half + least > half);
    (void)least;
    (void)half;
}
