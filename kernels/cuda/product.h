/* `linear` by a library's matrix product: what a fast precision puts in the place of kernels/cuda/linear.cu's products.
 * The library is the device's (cuBLAS) or, for the shim, a plain loop. */
#ifndef KERNELS_CUDA_PRODUCT_H
#define KERNELS_CUDA_PRODUCT_H

#include "kernels/cuda/enqueue.h"

/* C = A B + beta C of `batch` problems in column-major order, as BLAS has it: C is m x n, A m x k (k x m when turned),
 * B k x n (n x k when turned). Strides are words between problems. */
typedef struct {
    const float *a, *b;
    float *c;
    long long stride_a, stride_b, stride_c;
    int m, n, k, lda, ldb, ldc, batch;
    bool a_turned, b_turned;
    float beta;
} Product;

/* Of the library's call, whichever library it is. */
#define PRODUCT_NAME "cublasSgemmStridedBatched"

static inline long long words_apart(View v) {
    return (long long)(v.stride / sizeof(float));
}

/* Row-major y = x W^T is column-major y = W^T x with every matrix read as its transpose. */
static inline Product product_forward(const Call *c) {
    int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    return (Product){.a = c->in[1].at,
                     .b = c->in[0].at,
                     .c = c->out.at,
                     .stride_a = words_apart(c->in[1]),
                     .stride_b = words_apart(c->in[0]),
                     .stride_c = words_apart(c->out),
                     .m = out,
                     .n = rows,
                     .k = in,
                     .lda = in,
                     .ldb = in,
                     .ldc = out,
                     .batch = c->replicas,
                     .a_turned = true};
}

static inline Product product_input(const Call *c) {
    int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    return (Product){.a = c->in[1].at,
                     .b = c->dout.at,
                     .c = c->din[0].at,
                     .stride_a = words_apart(c->in[1]),
                     .stride_b = words_apart(c->dout),
                     .stride_c = words_apart(c->din[0]),
                     .m = in,
                     .n = rows,
                     .k = out,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .batch = c->replicas,
                     .beta = c->accumulate[0] ? 1 : 0};
}

static inline Product product_weight(const Call *c) {
    int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    return (Product){.a = c->in[0].at,
                     .b = c->dout.at,
                     .c = c->din[1].at,
                     .stride_a = words_apart(c->in[0]),
                     .stride_b = words_apart(c->dout),
                     .stride_c = words_apart(c->din[1]),
                     .m = in,
                     .n = out,
                     .k = rows,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .batch = c->replicas,
                     .b_turned = true,
                     .beta = c->accumulate[1] ? 1 : 0};
}

/* The kernel of every op of a fast precision: after STAGED_KERNELS(prefix), with prefix##_product for the library and
 * prefix##_linear_bias for the bias, which the library does not compute. */
#define PRODUCT_KERNELS(prefix) \
    static void prefix##_fast_forward(const Call *c) { \
        Product p = product_forward(c); \
        if (c->kind == OP_linear) prefix##_product(c->queue, &p); \
        enqueue(c->kind == OP_linear ? prefix##_linear_bias.forward : prefix##_stages[c->kind]->forward, c, \
                prefix##_launch); \
    } \
    static void prefix##_fast_backward(const Call *c) { \
        Product input = product_input(c), weight = product_weight(c); \
        bool linear = c->kind == OP_linear; \
        if (linear && c->din[0].at) prefix##_product(c->queue, &input); \
        if (linear && c->din[1].at) prefix##_product(c->queue, &weight); \
        enqueue(linear ? prefix##_linear_bias.backward : prefix##_stages[c->kind]->backward, c, prefix##_launch); \
    } \
    static const Kernel prefix##_fast_kernel = {prefix##_fast_forward, prefix##_fast_backward, prefix##_scratch};

#endif
