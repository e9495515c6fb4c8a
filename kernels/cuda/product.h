/* `linear` by a library's matrix products, which fast precisions use in place of kernels/cuda/linear.cu's. The library
 * is the device's (cuBLASLt) or, for the shim, a plain loop.
 *
 * One call multiplies for all replicas, each by the algorithm that it would have alone: if a library chose by the
 * number of products, a run's bits would depend on the runs beside it, and its class of bits could not say so. */
#ifndef KERNELS_CUDA_PRODUCT_H
#define KERNELS_CUDA_PRODUCT_H

#include "kernels/cuda/enqueue.h"

/* C = A B + beta C in column-major order, as BLAS has it: C is m x n, A m x k (k x m when turned), B k x n (n x k when
 * turned). At most one of two extras: bias[m] is added to every column of C, or dbias[n] becomes the sums of B over k.
 * All of it `replicas` times, at addresses that are next_* numbers apart. */
typedef struct {
    Word word, word_c; /* types of A and B, of C and the bias; the others are floats */
    const void *a, *b;
    void *c;
    int m, n, k, lda, ldb, ldc;
    bool a_turned, b_turned;
    float beta;
    const void *bias;
    float *dbias;
    int replicas;
    size_t next_a, next_b, next_c, next_bias; /* 0 with one replica; next_bias serves dbias too */
} Product;

/* Name of the library's call in timings, for either library. */
#define PRODUCT_NAME "cublasLtMatmul"

/* Return the stride between replicas in numbers of type `word`. */
static inline size_t numbers_on(const Call *c, View v, Word word) {
    return c->replicas > 1 ? v.stride / word_bytes(word) : 0;
}

/* Return true if Build.linear_after rounds products from floats in scratch and adds the bias: fp16, whose counts need
 * numbers before rounding. bf16 has a float's exponents, so the library's stored numbers are counted: none as flushed
 * (that takes 2^-134 at most), and those from 65,408 on that round to 65,536 as over 65,504. If the library does not
 * add the bias, add_bias rounds once more and counts as kernels do; the class of bits tells which, by the version. */
static inline bool product_placed(Word word) {
    return word == WORD_fp16;
}

/* Address of C: the tensor itself or scratch. */
typedef struct {
    void *at;
    size_t next;
    Word word;
} Result;

static inline Result result_of(const Call *c, View v, Word word) {
    const size_t numbers = (size_t)v.rows * (size_t)v.cols;
    if (product_placed(word)) return (Result){c->scratch, c->replicas > 1 ? numbers : 0, WORD_float};
    return (Result){v.at, numbers_on(c, v, word), word};
}

/* Row-major y = x W^T is column-major y = W^T x with every matrix read as its transpose. */
static inline Product product_forward(const Call *c, Word word) {
    const int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    const bool biased = c->in_count == 3 && !product_placed(word);
    const Result y = result_of(c, c->out, word);
    return (Product){.word = word,
                     .word_c = y.word,
                     .a = c->in[1].at,
                     .b = c->in[0].at,
                     .c = y.at,
                     .m = out,
                     .n = rows,
                     .k = in,
                     .lda = in,
                     .ldb = in,
                     .ldc = out,
                     .a_turned = true,
                     .bias = biased ? c->in[2].at : NULL,
                     .replicas = c->replicas,
                     .next_a = numbers_on(c, c->in[1], word),
                     .next_b = numbers_on(c, c->in[0], word),
                     .next_c = y.next,
                     .next_bias = biased ? numbers_on(c, c->in[2], word) : 0};
}

static inline Product product_input(const Call *c, Word word) {
    const int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    const Result dx = result_of(c, (View){c->din[0].at, c->din[0].stride, rows, in}, word);
    return (Product){.word = word,
                     .word_c = dx.word,
                     .a = c->in[1].at,
                     .b = c->dout.at,
                     .c = dx.at,
                     .m = in,
                     .n = rows,
                     .k = out,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .beta = c->accumulate[0] && !product_placed(word) ? 1 : 0,
                     .replicas = c->replicas,
                     .next_a = numbers_on(c, c->in[1], word),
                     .next_b = numbers_on(c, c->dout, word),
                     .next_c = dx.next};
}

/* Return true if the library writes the bias's gradient with the weight's; our kernel adds to an existing one. */
static inline bool product_has_dbias(const Call *c) {
    return c->in_count == 3 && c->din[2].at && !c->accumulate[2] && c->din[1].at;
}

static inline Product product_weight(const Call *c, Word word) {
    const int rows = c->in[0].rows, in = c->in[0].cols, out = c->out.cols;
    const bool biased = product_has_dbias(c);
    return (Product){.word = word,
                     .word_c = WORD_float,
                     .a = c->in[0].at,
                     .b = c->dout.at,
                     .c = c->din[1].at,
                     .m = in,
                     .n = out,
                     .k = rows,
                     .lda = in,
                     .ldb = out,
                     .ldc = in,
                     .b_turned = true,
                     .beta = c->accumulate[1] || c->continues ? 1 : 0,
                     .dbias = biased ? (float *)c->din[2].at : NULL,
                     .replicas = c->replicas,
                     .next_a = numbers_on(c, c->in[0], word),
                     .next_b = numbers_on(c, c->dout, word),
                     .next_c = numbers_on(c, c->din[1], WORD_float),
                     .next_bias = biased ? numbers_on(c, c->din[2], WORD_float) : 0};
}

/* Return the bytes of scratch of an op in a fast precision. */
static inline size_t product_scratch(const Build *of, const Call *c) {
    return stages_scratch(c->kind == OP_linear ? of->linear_after : of->stages[c->kind], c);
}

/* Return the product of replica r alone. */
static inline Product product_alone(const Product *p, int r) {
    Product one = *p;
    const size_t to = (size_t)r;
    one.replicas = 1, one.next_a = 0, one.next_b = 0, one.next_c = 0, one.next_bias = 0;
    one.a = (const char *)p->a + to * p->next_a * word_bytes(p->word);
    one.b = (const char *)p->b + to * p->next_b * word_bytes(p->word);
    one.c = (char *)p->c + to * p->next_c * word_bytes(p->word_c);
    if (p->bias) one.bias = (const char *)p->bias + to * p->next_bias * word_bytes(p->word_c);
    if (p->dbias) one.dbias += to * p->next_bias;
    return one;
}

/* Return the stages of an op in a fast precision: attention on the tensor cores unless its heads are too wide, and the
 * fast gelu if attention is not exact. */
static inline const Stages *fast_stages(const Build *of, AttentionKind kind, const Call *c) {
    const Stages *exact = of->stages[c->kind], *fast = of->attention[kind];
    if (c->kind == OP_gelu && kind != ATTENTION_exact) return of->gelu_fast;
    if (c->kind != OP_attention) return exact;
    const Stage *s = fast->forward;
    while (s->name && !s->grid(c).x) s++;
    return s->name ? fast : exact;
}

/* Return the stage that follows a library's product and also computes the adjacent gelu; NULL: there is none. */
static inline const FusedStage *gelu_after_product(const Build *of, const Two *t, bool backward) {
    return of->linear_gelu ? stage_of_fusion(&of->linear_gelu[backward], t, backward, of->word) : NULL;
}

/* Define the kernel rows of a fast precision, after STAGED_KERNELS(prefix, launch): bool product(queue, Product)
 * returns false if the library computes C alone (Build.linear_bias does the rest); AttentionKind attention_of(queue) */
#define PRODUCT_KERNELS(prefix, launch, product, attention_of) \
    static void prefix##_linear_forward(const Call *c, const Two *t, const FusedStage *with) { \
        const Build *of = &prefix##_build; \
        const bool whole = product(c->queue, product_forward(c, of->word)); \
        if (whole && with) { \
            enqueue_stage(with, t, launch); \
            return; \
        } \
        enqueue((whole ? of->linear_after : of->linear_bias)->forward, c, launch); \
        if (with) enqueue(fast_stages(of, attention_of(c->queue), &t->second)->forward, &t->second, launch); \
    } \
    static void prefix##_linear_backward(const Call *c, const Two *t, const FusedStage *with) { \
        const Build *of = &prefix##_build; \
        bool whole = product_has_dbias(c); \
        if (c->din[0].at) (void)product(c->queue, product_input(c, of->word)); \
        if (with) \
            enqueue_stage(with, t, launch); \
        else \
            enqueue(of->linear_after->backward, c, launch); \
        if (c->din[1].at) whole = product(c->queue, product_weight(c, of->word)) && whole; \
        if (!whole) enqueue(of->linear_bias->backward, c, launch); \
    } \
    static void prefix##_fast_forward(const Call *c) { \
        if (c->kind == OP_linear) \
            prefix##_linear_forward(c, NULL, NULL); \
        else \
            enqueue(fast_stages(&prefix##_build, attention_of(c->queue), c)->forward, c, launch); \
    } \
    static void prefix##_fast_backward(const Call *c) { \
        if (c->kind == OP_linear) \
            prefix##_linear_backward(c, NULL, NULL); \
        else \
            enqueue(fast_stages(&prefix##_build, attention_of(c->queue), c)->backward, c, launch); \
    } \
    static size_t prefix##_fast_scratch(const Call *c) { \
        return product_scratch(&prefix##_build, c); \
    } \
    static bool prefix##_fast_fused(const Call *first, const Call *second, bool backward) { \
        const Two two = {*first, *second}; \
        const FusedStage *with = gelu_after_product(&prefix##_build, &two, backward); \
        if (first->kind != OP_linear) return prefix##_fused(first, second, backward); \
        if (with) (backward ? prefix##_linear_backward : prefix##_linear_forward)(first, &two, with); \
        return with; \
    } \
    static const Kernel prefix##_fast_kernel = {prefix##_fast_forward, prefix##_fast_backward, prefix##_fast_scratch, \
                                                prefix##_fast_fused}; \
    extern const Kernel *const prefix##_fast_kernels[OP_COUNT]; \
    const Kernel *const prefix##_fast_kernels[OP_COUNT] = {[0 ... OP_COUNT - 1] = &prefix##_fast_kernel};

#endif
