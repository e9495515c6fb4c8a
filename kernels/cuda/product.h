/* `linear` by a library's matrix products: what a fast precision puts in the place of kernels/cuda/linear.cu's. The
 * library is the device's (cuBLASLt) or, for the shim, a plain loop.
 *
 * A call for each replica. One call for all would be faster where products are small, but a library may choose its
 * order of summation by how many problems a call has, and a run would have other bits alone than among others: its
 * class of arithmetic, which is known before anything is put together, could not say which. */
#ifndef KERNELS_CUDA_PRODUCT_H
#define KERNELS_CUDA_PRODUCT_H

#include "kernels/cuda/enqueue.h"

/* C = A B + beta C in column-major order, as BLAS has it: C is m x n, A m x k (k x m when turned), B k x n (n x k when
 * turned). Along with it one of two things, or neither: bias[m] is added to every column of C, or dbias[n] becomes the
 * sums of B over k. */
typedef struct {
    const float *a, *b;
    float *c;
    int m, n, k, lda, ldb, ldc;
    bool a_turned, b_turned;
    float beta;
    const float *bias;
    float *dbias;
} Product;

/* Of the library's call, whichever library it is. */
#define PRODUCT_NAME "cublasLtMatmul"

/* Replica r of a view. */
static inline float *product_at(View v, int r) {
    return (float *)(void *)((char *)v.at + (size_t)r * v.stride);
}

/* Row-major y = x W^T is column-major y = W^T x with every matrix read as its transpose. */
static inline Product product_forward(const Call *c, int r) {
    int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    return (Product){.a = product_at(c->in[1], r),
                     .b = product_at(c->in[0], r),
                     .c = product_at(c->out, r),
                     .m = out,
                     .n = rows,
                     .k = in,
                     .lda = in,
                     .ldb = in,
                     .ldc = out,
                     .a_turned = true,
                     .bias = c->in_count == 3 ? product_at(c->in[2], r) : NULL};
}

static inline Product product_input(const Call *c, int r) {
    int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    return (Product){.a = product_at(c->in[1], r),
                     .b = product_at(c->dout, r),
                     .c = product_at(c->din[0], r),
                     .m = in,
                     .n = rows,
                     .k = out,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .beta = c->accumulate[0] ? 1 : 0};
}

/* Whether the gradient of the bias is written with the weight's. One that is added to is our own kernel's. */
static inline bool product_has_dbias(const Call *c) {
    return c->in_count == 3 && c->din[2].at && !c->accumulate[2] && c->din[1].at;
}

static inline Product product_weight(const Call *c, int r) {
    int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    return (Product){.a = product_at(c->in[0], r),
                     .b = product_at(c->dout, r),
                     .c = product_at(c->din[1], r),
                     .m = in,
                     .n = out,
                     .k = rows,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .b_turned = true,
                     .beta = c->accumulate[1] || c->continues ? 1 : 0,
                     .dbias = product_has_dbias(c) ? product_at(c->din[2], r) : NULL};
}

/* The kernel of every op of a fast precision: after STAGED_KERNELS(prefix), with prefix##_linear_bias for what the
 * library does not do with the bias and bool prefix##_product(queue, Product), which is false where that is all but C:
 * of every replica then, since replicas stand whole lines of memory apart. */
#define PRODUCT_KERNELS(prefix) \
    static void prefix##_linear_forward(const Call *c) { \
        bool whole = true; \
        for (int r = 0; r < c->replicas; r++) whole = prefix##_product(c->queue, product_forward(c, r)) && whole; \
        if (!whole) enqueue(prefix##_linear_bias.forward, c, prefix##_launch); \
    } \
    static void prefix##_linear_backward(const Call *c) { \
        bool whole = product_has_dbias(c); \
        for (int r = 0; r < c->replicas; r++) { \
            if (c->din[0].at) (void)prefix##_product(c->queue, product_input(c, r)); \
            if (c->din[1].at) whole = prefix##_product(c->queue, product_weight(c, r)) && whole; \
        } \
        if (!whole) enqueue(prefix##_linear_bias.backward, c, prefix##_launch); \
    } \
    static void prefix##_fast_forward(const Call *c) { \
        (c->kind == OP_linear ? prefix##_linear_forward : prefix##_forward)(c); \
    } \
    static void prefix##_fast_backward(const Call *c) { \
        (c->kind == OP_linear ? prefix##_linear_backward : prefix##_backward)(c); \
    } \
    static bool prefix##_fast_fused(const Call *first, const Call *second, bool backward) { \
        return first->kind != OP_linear && prefix##_fused(first, second, backward); \
    } \
    static const Kernel prefix##_fast_kernel = {prefix##_fast_forward, prefix##_fast_backward, prefix##_scratch, \
                                                prefix##_fast_fused};

#endif
