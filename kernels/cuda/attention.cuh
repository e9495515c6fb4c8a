/* What the stages of attention leave each other, whichever they are: attention.cu's or those of the tensor cores. */
#ifndef KERNELS_CUDA_ATTENTION_CUH
#define KERNELS_CUDA_ATTENTION_CUH

#include "kernels/cuda/heads.cuh"

/* A head's largest scores; its 1/sum of exponentials n words behind. */
DEVICE_FN float *save_of(const Call &c, int r, int pair) {
    return at(c.save, r) + (size_t)pair * 2 * c.attr.seq;
}

/* A head's sums of P dP in scratch, a number per query. */
DEVICE_FN float *kept(const Call &c, int r, int pair) {
    size_t pairs = (size_t)(c.in[0].rows / c.attr.seq) * c.attr.heads;
    return (float *)c.scratch + ((size_t)r * pairs + pair) * c.attr.seq;
}

static inline unsigned pairs_of(const Call *c) {
    return (unsigned)(c->in[0].rows / c->attr.seq * c->attr.heads);
}

static inline double scratch_bytes(const Call *c) {
    return 4.0 * pairs_of(c) * c->attr.seq;
}

#endif
