/* Attention with factors in fp16, for fast.def. */
#include "kernels/cuda/attention_mma.cuh"

MMA_ATTENTION(fp16, Fp16);
