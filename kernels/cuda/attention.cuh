/* Memory that stages of attention share: attention.cu's and those of the tensor cores. */
#ifndef KERNELS_CUDA_ATTENTION_CUH
#define KERNELS_CUDA_ATTENTION_CUH

#include "kernels/cuda/heads.cuh"

/* Return a head's largest scores; its 1/sum of exponentials follow n numbers later. */
DEVICE_FN float *save_of(const Call &c, int r, int pair) {
    return at(c.save, r) + (size_t)pair * 2 * c.attr.seq;
}

/* Return a head's sums of P dP in scratch, one number per query. */
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
