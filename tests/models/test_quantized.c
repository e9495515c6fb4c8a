/* A pass in eight bits: each product against double sums of factors quantized here, and the same bits on every path. */
#include "models/quantized.h"
#include "tests/models/toy.h"
#include "tests/test.h"

static Trainer *trained(const char *backend, const char *variant, int replicas, int threads) {
    Trainer *t;
    static Recipe recipe[2];
    static const uint64_t seed[2] = {1, 2};
    ModelShape s = toy_shape();
    uint8_t chain[32] = {0};
    recipe[0] = recipe[1] = toy_recipe();
    OK(trainer_for_gpt(&t, &s, variant_find(variant, &e), NULL, recipe, seed, replicas, backend_find(backend, &e), &e));
    if (threads > 1) OK(trainer_share(t, threads, &e));
    toy_train(t, 2, chain);
    return t;
}

/* s round(x / s) with one scale for each row, in double. */
static void by_rows(double *x, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        double most = 0;
        for (int c = 0; c < cols; c++) most = fmax(most, fabs(x[r * cols + c]));
        for (int c = 0; c < cols; c++) x[r * cols + c] = most > 0 ? rint(x[r * cols + c] * 127 / most) * most / 127 : 0;
    }
}

static double *values(const Program *p, int tensor, int replica) {
    const Tensor *x = &p->tape->tensor[tensor];
    double *out = mem_alloc((size_t)x->rows * (size_t)x->cols, sizeof *out);
    program_values(p, x->role, tensor, replica, out);
    return out;
}

/* The largest difference of what an op has made to the product of factors that are quantized, or not. */
static double product_error(const Program *p, int op, int replica, double *x, bool eight) {
    const Op *o = &p->tape->op[op];
    const int *in = &p->tape->input[o->in_at];
    const Tensor *xt = &p->tape->tensor[in[0]], *wt = &p->tape->tensor[in[1]];
    double *w = values(p, in[1], replica), *bias = o->in_count > 2 ? values(p, in[2], replica) : NULL,
           *y = values(p, o->out, replica), worst = 0;
    if (eight) by_rows(x, xt->rows, xt->cols), by_rows(w, wt->rows, wt->cols);
    for (int r = 0; r < xt->rows; r++)
        for (int c = 0; c < wt->rows; c++) {
            double sum = bias ? bias[c] : 0;
            for (int k = 0; k < wt->cols; k++) sum += x[r * xt->cols + k] * w[c * wt->cols + k];
            worst = fmax(worst, fabs(sum - y[r * wt->rows + c]));
        }
    free(w), free(bias), free(y);
    return worst;
}

Test(quantized, products_of_blocks_alone) {
    LOCAL(trainer_release) Trainer *t = trained("cpu64", "pre", 2, 1);
    Program *p = &t->program;
    int products = 0, heads = 0;
    trainer_forward(t);
    for (int i = 0; i < p->tape->ops; i++) {
        const Op *o = &p->tape->op[i];
        bool linear = o->kind == OP_linear;
        double *x[2] = {NULL, NULL};
        for (int r = 0; r < 2 && linear; r++) x[r] = values(p, p->tape->input[o->in_at], r);
        program_forward_op_quantized(p, i, QUANTIZATION_int8_channel);
        for (int r = 0; r < 2 && linear; r++) {
            double error = product_error(p, i, r, x[r], o->layer >= 0);
            cr_expect_lt(error, 1e-6, "op %d, replica %d: off by %g", i, r, error);
        }
        products += linear && o->layer >= 0, heads += linear && o->layer < 0;
        free(x[0]), free(x[1]);
    }
    cr_expect(products == 2 * 4 && heads == 1, "%d products in blocks, %d outside", products, heads);
}

static double loss_of(Trainer *t, int how) {
    double nll;
    long hits, count;
    if (how < 0)
        trainer_forward(t);
    else
        cr_assert(trainer_forward_quantized(t, (Quantization)how));
    trainer_score(t, 0, 0, 32, &nll, &hits, &count, NULL);
    return nll / (double)count;
}

Test(quantized, same_bits_and_nothing_left_behind) {
    LOCAL(trainer_release) Trainer *plain = trained("readable", "peri", 1, 1), *fast = trained("cpu", "peri", 2, 3);
    double before = loss_of(plain, -1), last = 0;
    for (int q = 0; q < QUANTIZATION_COUNT; q++) {
        double a = loss_of(plain, q), b = loss_of(fast, q);
        cr_expect_eq(a, b, "%s: %.17g and %.17g", quantization_info[q].key, a, b);
        cr_expect(a != before && a != last && fabs(a - before) < 0.2, "%s: %g for %g", quantization_info[q].key, a,
                  before);
        cr_expect_eq(loss_of(plain, -1), before);
        last = a;
    }
}
