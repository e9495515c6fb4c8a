#include "models/quantized.h"

#include <assert.h>
#include <stdlib.h>

/* Whether an op multiplies by a matrix of a block: what int8 and fp8 kernels replace. The head, which shares the
 * embeddings' matrix where they are tied, stays as it is, as it does in common practice. */
static bool product_of_block(const Program *p, int op) {
    const Op *o = &p->tape->op[op];
    return o->kind == OP_linear && o->layer >= 0 && p->tape->tensor[p->tape->input[o->in_at + 1]].role == ROLE_PARAM;
}

/* An input's numbers in every replica as float, quantized; *memory is the caller's to free. */
static View quantized(const View *v, int replicas, size_t word, Quantization how, void **memory) {
    size_t n = (size_t)v->rows * (size_t)v->cols;
    float *one = mem_alloc(n, sizeof *one);
    unsigned char *all = mem_alloc(n * (size_t)replicas, word);
    for (int r = 0; r < replicas; r++) {
        const void *from = (const unsigned char *)v->at + (size_t)r * v->stride;
        for (size_t i = 0; i < n; i++)
            one[i] = word == sizeof(double) ? (float)((const double *)from)[i] : ((const float *)from)[i];
        quantize(one, (size_t)v->rows, (size_t)v->cols, how);
        for (size_t i = 0; i < n; i++)
            if (word == sizeof(double))
                ((double *)all)[(size_t)r * n + i] = one[i];
            else
                ((float *)all)[(size_t)r * n + i] = one[i];
    }
    free(one);
    *memory = all;
    return (View){all, n * word, v->rows, v->cols};
}

/* One product from quantized factors; its bias and its sum stay float. */
static void forward_product(Program *p, int op, Quantization how) {
    Call *c = &p->call[op], kept = *c;
    void *x, *w;
    c->in[0] = quantized(&kept.in[0], p->replicas, p->backend->word[ROLE_ACT], how, &x);
    c->in[1] = quantized(&kept.in[1], p->replicas, p->backend->word[ROLE_PARAM], how, &w);
    program_forward_op(p, op);
    *c = kept;
    free(x);
    free(w);
}

void program_forward_op_quantized(Program *p, int op, Quantization how) {
    assert(!p->queue);
    if (product_of_block(p, op))
        forward_product(p, op, how);
    else
        program_forward_op(p, op);
}

void program_forward_quantized(Program *p, Quantization how) {
    program_round_weights(p);
    for (int i = 0; i < p->tape->ops && !program_cancelled(p); i++) program_forward_op_quantized(p, i, how);
}
