/* `linear` by a library's matrix products: what a fast precision puts in the place of kernels/cuda/linear.cu's. The
 * library is the device's (cuBLASLt) or, for the shim, a plain loop.
 *
 * One call multiplies for all replicas, each by the algorithm that it would have alone: a library that chose by how
 * many products a call has would give a run other bits among others, and its class of arithmetic, which is known before
 * anything is put together, could not say which. */
#ifndef KERNELS_CUDA_PRODUCT_H
#define KERNELS_CUDA_PRODUCT_H

#include "kernels/cuda/enqueue.h"

/* C = A B + beta C in column-major order, as BLAS has it: C is m x n, A m x k (k x m when turned), B k x n (n x k when
 * turned). Along with it one of two things, or neither: bias[m] is added to every column of C, or dbias[n] becomes the
 * sums of B over k. All of it `replicas` times: from one to the next every address goes so many floats on. */
typedef struct {
    const float *a, *b;
    float *c;
    int m, n, k, lda, ldb, ldc;
    bool a_turned, b_turned;
    float beta;
    const float *bias;
    float *dbias;
    int replicas;
    size_t next_a, next_b, next_c, next_bias; /* 0 where there is one replica; next_bias is dbias's too */
} Product;

/* Of the library's call, whichever library it is. */
#define PRODUCT_NAME "cublasLtMatmul"

static inline float *first_of(View v) {
    return (float *)v.at;
}

/* Floats from a replica to the next. */
static inline size_t floats_on(const Call *c, View v) {
    return c->replicas > 1 ? v.stride / sizeof(float) : 0;
}

/* Row-major y = x W^T is column-major y = W^T x with every matrix read as its transpose. */
static inline Product product_forward(const Call *c) {
    const int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    const bool biased = c->in_count == 3;
    return (Product){.a = first_of(c->in[1]),
                     .b = first_of(c->in[0]),
                     .c = first_of(c->out),
                     .m = out,
                     .n = rows,
                     .k = in,
                     .lda = in,
                     .ldb = in,
                     .ldc = out,
                     .a_turned = true,
                     .bias = biased ? first_of(c->in[2]) : NULL,
                     .replicas = c->replicas,
                     .next_a = floats_on(c, c->in[1]),
                     .next_b = floats_on(c, c->in[0]),
                     .next_c = floats_on(c, c->out),
                     .next_bias = biased ? floats_on(c, c->in[2]) : 0};
}

static inline Product product_input(const Call *c) {
    const int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    return (Product){.a = first_of(c->in[1]),
                     .b = first_of(c->dout),
                     .c = first_of(c->din[0]),
                     .m = in,
                     .n = rows,
                     .k = out,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .beta = c->accumulate[0] ? 1 : 0,
                     .replicas = c->replicas,
                     .next_a = floats_on(c, c->in[1]),
                     .next_b = floats_on(c, c->dout),
                     .next_c = floats_on(c, c->din[0])};
}

/* Whether the gradient of the bias is written with the weight's. One that is added to is our own kernel's. */
static inline bool product_has_dbias(const Call *c) {
    return c->in_count == 3 && c->din[2].at && !c->accumulate[2] && c->din[1].at;
}

static inline Product product_weight(const Call *c) {
    const int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    const bool biased = product_has_dbias(c);
    return (Product){.a = first_of(c->in[0]),
                     .b = first_of(c->dout),
                     .c = first_of(c->din[1]),
                     .m = in,
                     .n = out,
                     .k = rows,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .b_turned = true,
                     .beta = c->accumulate[1] || c->continues ? 1 : 0,
                     .dbias = biased ? first_of(c->din[2]) : NULL,
                     .replicas = c->replicas,
                     .next_a = floats_on(c, c->in[0]),
                     .next_b = floats_on(c, c->dout),
                     .next_c = floats_on(c, c->din[1]),
                     .next_bias = biased ? floats_on(c, c->din[2]) : 0};
}

/* Replica r's alone. */
static inline Product product_alone(const Product *p, int r) {
    Product one = *p;
    const size_t to = (size_t)r;
    one.replicas = 1, one.next_a = 0, one.next_b = 0, one.next_c = 0, one.next_bias = 0;
    one.a += to * p->next_a, one.b += to * p->next_b, one.c += to * p->next_c;
    if (p->bias) one.bias += to * p->next_bias;
    if (p->dbias) one.dbias += to * p->next_bias;
    return one;
}

/* The stages of attention where a fast precision has `fast` ones: these, unless none of them takes heads so wide. */
static inline const Stages *attention_stages(const Stages *fast, const Stages *exact, const Call *c) {
    const Stage *s = fast->forward;
    while (s->name && !s->grid(c).x) s++;
    return s->name ? fast : exact;
}

/* The kernel of every op of a fast precision: after STAGED_KERNELS(prefix), with prefix##_linear_bias for what the
 * library does not do with the bias, bool prefix##_product(queue, Product), which is false where that is all but C, and
 * const Stages *prefix##_fast_attention(queue), of fast.def. */
#define PRODUCT_KERNELS(prefix) \
    static void prefix##_linear_forward(const Call *c) { \
        if (!prefix##_product(c->queue, product_forward(c))) \
            enqueue(prefix##_linear_bias.forward, c, prefix##_launch); \
    } \
    static void prefix##_linear_backward(const Call *c) { \
        bool whole = product_has_dbias(c); \
        if (c->din[0].at) (void)prefix##_product(c->queue, product_input(c)); \
        if (c->din[1].at) whole = prefix##_product(c->queue, product_weight(c)) && whole; \
        if (!whole) enqueue(prefix##_linear_bias.backward, c, prefix##_launch); \
    } \
    static const Stages *prefix##_fast_stages_of(const Call *c) { \
        const Stages *exact = prefix##_stages[c->kind]; \
        return c->kind == OP_attention ? attention_stages(prefix##_fast_attention(c->queue), exact, c) : exact; \
    } \
    static void prefix##_fast_forward(const Call *c) { \
        if (c->kind == OP_linear) \
            prefix##_linear_forward(c); \
        else \
            enqueue(prefix##_fast_stages_of(c)->forward, c, prefix##_launch); \
    } \
    static void prefix##_fast_backward(const Call *c) { \
        if (c->kind == OP_linear) \
            prefix##_linear_backward(c); \
        else \
            enqueue(prefix##_fast_stages_of(c)->backward, c, prefix##_launch); \
    } \
    static bool prefix##_fast_fused(const Call *first, const Call *second, bool backward) { \
        return first->kind != OP_linear && prefix##_fused(first, second, backward); \
    } \
    static const Kernel prefix##_fast_kernel = {prefix##_fast_forward, prefix##_fast_backward, prefix##_scratch, \
                                                prefix##_fast_fused};

#endif
