/* Say what this machine lacks for the bf16 instructions; NULL: nothing. An instruction that exists is first tested on a
 * few products against the sums of kernels/cpu/simd/bf16.h: one that sums in another order counts as missing, so a
 * backend's class of bits does not depend on the processor's maker. */
#ifndef KERNELS_BF16_H
#define KERNELS_BF16_H

const char *bf16_dot_missing(void); /* VDPBF16PS of AVX512-BF16 */
const char *bf16_amx_missing(void); /* TDPBF16PS of AMX, and the operating system's permission to use its registers */

#endif
