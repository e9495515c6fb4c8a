/* Attention with factors in bf16, for fast.def. */
#include "kernels/cuda/attention_mma.cuh"

MMA_ATTENTION(bf16, Bf16);
