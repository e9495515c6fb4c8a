/* Attention with factors in tf32, for fast.def. */
#include "kernels/cuda/attention_mma.cuh"

MMA_ATTENTION(tf32, Tf32);
