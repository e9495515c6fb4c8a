/* What each op computes, against values worked out by hand or by libm: a gradient check only proves that backward fits
 * forward, not that forward is the formula. On every backend. */

#include "kernels/rope.h"
#include "tests/kernels/op_case.h"
#include "tests/test.h"

static void start(OpCase *c, OpKind op, int rows, int cols, const Backend *b) {
    case_init(c, op, rows, cols, b, 1, 1, true);
}

static void fill(OpCase *c, int input, const double *x) {
    for (size_t i = 0; i < view_count(c->call.in[input]); i++) view_set(c, c->call.in[input], 0, i, x[i]);
}

static void expect(OpCase *c, const char *what, const double *y) {
    case_forward(c);
    for (size_t i = 0; i < view_count(c->call.out); i++) {
        double got = view_get(c, c->call.out, 0, i);
        cr_assert_float_eq(got, y[i], 2e-6 * fmax(1, fabs(y[i])), "%s on %s [%zu]: %.9g, expected %.9g", what,
                           c->backend->name, i, got, y[i]);
    }
    case_release(c);
}

/* One row of n through a norm with gain 2, bias 0.5. */
static void norms(const Backend *b) {
    OpCase c;
    const double x[3] = {3.22, 0, -3.22}, gain[3] = {1, 1, 1}, zero[3] = {0, 0, 0};
    double y[4] = {1.224744871, 0, -1.224744871};
    start(&c, OP_layernorm, 1, 3, b);
    c.call.attr.eps = 0;
    fill(&c, 0, x), fill(&c, 1, gain), fill(&c, 2, zero);
    expect(&c, "LN of (3.22, 0, -3.22)", y);

    /* mean 2, variance 1, eps 3: (x - 2)/2, then 2 h + 0.5 */
    const double p[4] = {1, 3, 1, 3}, two[4] = {2, 2, 2, 2}, half[4] = {0.5, 0.5, 0.5, 0.5};
    const double q[4] = {-0.5, 1.5, -0.5, 1.5};
    start(&c, OP_layernorm, 1, 4, b);
    c.call.attr.eps = 3;
    fill(&c, 0, p), fill(&c, 1, two), fill(&c, 2, half);
    expect(&c, "LN with eps, gain and bias", q);

    /* mean of squares 5, eps 4: x/3 times gain 2 */
    const double s[4] = {2 / 3.0, 2.0, 2 / 3.0, 2.0};
    start(&c, OP_rmsnorm, 1, 4, b);
    c.call.attr.eps = 4;
    fill(&c, 0, p), fill(&c, 1, two);
    expect(&c, "RMS with eps and gain", s);

    /* with -sum = -8 mean of squares 20/5 + 64/5, eps 8.2: x/5 times gain 2 */
    const double u[4] = {.4, 1.2, .4, 1.2};
    start(&c, OP_crms, 1, 4, b);
    c.call.attr.eps = 8.2;
    fill(&c, 0, p), fill(&c, 1, two);
    expect(&c, "CRMS with eps and gain", u);

    /* Without eps, LN of the same numbers and of what makes their sum 0. */
    const double all[5] = {1, 3, 1, 3, -8}, ones[5] = {1, 1, 1, 1, 1}, none[5] = {0};
    double whole[4];
    start(&c, OP_layernorm, 1, 5, b);
    c.call.attr.eps = 0;
    fill(&c, 0, all), fill(&c, 1, ones), fill(&c, 2, none);
    case_forward(&c);
    for (size_t i = 0; i < 4; i++) whole[i] = view_get(&c, c.call.out, 0, i);
    case_release(&c);
    start(&c, OP_crms, 1, 4, b);
    c.call.attr.eps = 0;
    fill(&c, 0, p), fill(&c, 1, ones);
    expect(&c, "CRMS as LN", whole);

    /* |x|^2 = 20, eps 5: x/5 */
    const double v[4] = {.2, .6, .2, .6};
    start(&c, OP_unit, 1, 4, b);
    c.call.attr.eps = 5;
    fill(&c, 0, p);
    expect(&c, "unit length", v);

    const double centered[4] = {-1, 1, -1, 1};
    start(&c, OP_center, 1, 4, b);
    fill(&c, 0, p);
    expect(&c, "centering", centered);
}

/* Two positions, one head of size 1: the first row sees itself, or with the mask `full` both; rows weigh by softmax
 * of q k. */
static void attention(const Backend *b) {
    OpCase c;
    start(&c, OP_attention, 2, 1, b);
    c.call.attr.seq = 2, c.call.attr.heads = 1;
    const double x[6] = {5, 1, 10, /* q k v */ 2, 1.5, 20};
    double w = 1 / (1 + exp(-2 * (1.5 - 1))), y[2] = {10, 10 * (1 - w) + 20 * w};
    fill(&c, 0, x);
    expect(&c, "attention", y);
    start(&c, OP_attention, 2, 1, b);
    c.call.attr.seq = 2, c.call.attr.heads = 1, c.call.attr.full = true;
    double w0 = 1 / (1 + exp(-5 * (1.5 - 1))), all[2] = {10 * (1 - w0) + 20 * w0, y[1]};
    fill(&c, 0, x);
    expect(&c, "attention to all", all);

    /* Head size 4 divides scores by 2. */
    start(&c, OP_attention, 2, 4, b);
    c.call.attr.seq = 2, c.call.attr.heads = 1;
    const double z[24] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 5, 6, 7, 8};
    double v = 1 / (1 + exp(-2.0)), u[8] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) u[4 + i] = (1 + i) + 4 * v;
    fill(&c, 0, z);
    expect(&c, "attention's scale", u);

    /* RMS over the whole width of q and of k, gains 1 and 3; v passes. */
    start(&c, OP_qkrms, 1, 3, b);
    c.call.attr.eps = 0;
    const double qkv[9] = {3, 4, 0, 6, 8, 0, 7, 9, 2}, one[3] = {1, 1, 1}, three[3] = {3, 3, 3};
    double r = sqrt(25 / 3.0), n[9] = {3 / r, 4 / r, 0, 9 / r, 12 / r, 0, 7, 9, 2};
    fill(&c, 0, qkv), fill(&c, 1, one), fill(&c, 2, three);
    expect(&c, "QK norm", n);

    /* RMS of v = (3, 4, 6, 8) in groups of two, gains 1 and 3; q and k pass. */
    start(&c, OP_vrms, 1, 4, b);
    c.call.attr.eps = 0, c.call.attr.group = 2;
    const double values[12] = {5, 1, -2, 7, 0, 9, 8, -3, 3, 4, 6, 8}, gain[2] = {1, 3};
    const double normed[12] = {5,         1,           -2, 7, 0, 9, 8, -3, 3 / sqrt(12.5), 12 / sqrt(12.5),
                               6 / sqrt(50), 24 / sqrt(50)};
    fill(&c, 0, values), fill(&c, 1, gain);
    expect(&c, "norm of v", normed);
}

/* silu(0) = 0, silu(ln 3) = 3/4 ln 3; the gradient of g is -silu'(g) sum(dy x), silu'(0) = 1/2 and
 * silu'(ln 3) = 3/4 (1 + ln 3 / 4). */
static void damping(const Backend *b) {
    const double x[4] = {-2, -0.5, 0.25, 3}, dy[4] = {1, 2, 4, -1}, g[2] = {0, log(3)};
    const double slope[2] = {.5, .75 * (1 + log(3) / 4)};
    for (int i = 0; i < 2; i++) {
        OpCase c;
        double y[4];
        for (int j = 0; j < 4; j++) y[j] = (1 - .75 * g[i]) * x[j];
        start(&c, OP_damp, 1, 4, b);
        fill(&c, 0, x), fill(&c, 1, g + i);
        for (size_t j = 0; j < 4; j++) view_set(&c, c.call.dout, 0, j, dy[j]);
        case_backward(&c, false, 0);
        double got = view_get(&c, c.call.din[1], 0, 0), want = -slope[i] * -5; /* dy x = -2 - 1 + 1 - 3 */
        cr_assert_float_eq(got, want, 1e-6, "damp's g = %g on %s: %.9g, expected %.9g", g[i], b->name, got, want);
        for (size_t j = 0; j < 4; j++)
            cr_assert(view_get(&c, c.call.din[0], 0, j) == dy[j], "damp passes the gradient on %s", b->name);
        expect(&c, "damp", y);
        start(&c, OP_damp, 1, 4, b); /* alpha in the place of g */
        fill(&c, 0, x);
        c.call.in_count = 1, c.call.attr.alpha = g[i], c.call.in[1] = c.call.din[1] = (View){0};
        for (size_t j = 0; j < 4; j++) view_set(&c, c.call.dout, 0, j, dy[j]);
        case_backward(&c, false, 0);
        for (size_t j = 0; j < 4; j++)
            cr_assert(view_get(&c, c.call.din[0], 0, j) == dy[j], "damp by alpha passes the gradient on %s", b->name);
        expect(&c, "damp by alpha", y);
    }
}

/* From 0.75 at the first step to -1.5 at the last. */
static void scheduled(const Backend *b) {
    OpCase c;
    const double x[4] = {-2, -0.5, 0.25, 3}, n[4] = {1, 2, 3, 4}, progress[3] = {0, 1. / 3, 1};
    const double faded[3][4] = {{-1.5, -.375, .1875, 2.25}, {0, 0, 0, 0}, {3, .75, -.375, -4.5}};
    const double blended[3][4] = {{.25, 1.375, 2.3125, 3.75}, {-2, -.5, .25, 3}, {-6.5, -4.25, -3.875, 1.5}};
    for (int i = 0; i < 3; i++) {
        start(&c, OP_fade, 1, 4, b);
        ((Scalars *)(uintptr_t)c.call.scalars)->progress = progress[i];
        fill(&c, 0, x);
        expect(&c, "fade", faded[i]);
        start(&c, OP_blend, 1, 4, b);
        ((Scalars *)(uintptr_t)c.call.scalars)->progress = progress[i];
        fill(&c, 0, x), fill(&c, 1, n);
        expect(&c, "blend", blended[i]);
    }
}

/* Two positions, one head of 4: the first stays; the second turns its first pair by 1, its second by 1/100; not v. */
static void rotation(const Backend *b) {
    OpCase c;
    start(&c, OP_rope, 2, 4, b);
    c.call.attr.seq = 2, c.call.attr.heads = 1;
    const double x[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 0, 0, 1, 3, 4, -2, 5, 9, 10, 11, 12};
    double y[24];
    for (int i = 0; i < 24; i++) y[i] = x[i];
    y[12] = cos(1), y[13] = sin(1), y[14] = -sin(.01), y[15] = cos(.01);
    y[16] = 3 * cos(1) - 4 * sin(1), y[17] = 3 * sin(1) + 4 * cos(1);
    y[18] = -2 * cos(.01) - 5 * sin(.01), y[19] = -2 * sin(.01) + 5 * cos(.01);
    fill(&c, 0, x);
    expect(&c, "rope", y);
}

/* Four columns: sine and cosine of the position, then of a hundredth of it. */
static void places(const Backend *b) {
    OpCase c;
    const double x[8] = {0, 0, 0, 0, 1, 2, 3, 4};
    const double y[8] = {0, 1, 0, 1, 1 + sin(7), 2 + cos(7), 3 + sin(.07), 4 + cos(.07)};
    start(&c, OP_sinusoid, 2, 4, b);
    ((int32_t *)c.call.in[1].at)[0] = 0, ((int32_t *)c.call.in[1].at)[1] = 7;
    fill(&c, 0, x);
    expect(&c, "sinusoid", y);
}

static void elementwise(const Backend *b) {
    OpCase c;
    const double x[4] = {-2, -0.5, 0.25, 3}, f[4] = {1, 2, 3, 4};
    double y[4];
    for (int i = 0; i < 4; i++) y[i] = 0.5 * x[i] * (1 + tanh(sqrt(2 / M_PI) * (x[i] + 0.044715 * x[i] * x[i] * x[i])));
    start(&c, OP_gelu, 1, 4, b);
    fill(&c, 0, x);
    expect(&c, "gelu", y);

    const double rectified[4] = {0, 0, 0.25, 3}, scaled[4] = {-1.5, -0.375, 0.1875, 2.25};
    start(&c, OP_relu, 1, 4, b);
    fill(&c, 0, x);
    expect(&c, "relu", rectified);
    start(&c, OP_scale, 1, 4, b);
    fill(&c, 0, x);
    expect(&c, "scale by 0.75", scaled);

    for (int i = 0; i < 4; i++) y[i] = 2 * tanh(x[i] / 2);
    start(&c, OP_softcap, 1, 4, b);
    c.call.attr.alpha = 2;
    fill(&c, 0, x);
    expect(&c, "cap of 2", y);

    for (int i = 0; i < 4; i++) y[i] = 0.75 * x[i] - 1.5 * f[i];
    start(&c, OP_residual, 1, 4, b);
    fill(&c, 0, x), fill(&c, 1, f);
    expect(&c, "residual", y);

    scheduled(b);

    for (int i = 0; i < 4; i++) y[i] = f[i] * x[i];
    start(&c, OP_gate, 1, 4, b);
    fill(&c, 0, x), fill(&c, 1, f);
    expect(&c, "gate", y);

    const double pairs[8] = {1, 2, 3, 4, 5, 6, 7, 8}, by[2] = {-1, .5}, halves[8] = {-1, -2, -3, -4, 2.5, 3, 3.5, 4};
    start(&c, OP_gate, 1, 8, b);
    fill(&c, 0, pairs), fill(&c, 1, by);
    expect(&c, "gate of two groups", halves);
    damping(b);

    for (int i = 0; i < 4; i++) y[i] = f[i] + x[i];
    start(&c, OP_shift, 1, 4, b);
    fill(&c, 0, x), fill(&c, 1, f);
    expect(&c, "shift", y);
    /* a = (-2, -0.5), b = (0.25, 3) */
    double s[2];
    for (int i = 0; i < 2; i++) s[i] = x[i] / (1 + exp(-x[i])) * x[2 + i];
    start(&c, OP_swiglu, 1, 2, b);
    fill(&c, 0, x);
    expect(&c, "swiglu", s);
    const double third[1] = {-1. / 3}, five[5] = {1, 2, 3, 4, 5}, less[5] = {2. / 3, 5. / 3, 8. / 3, 11. / 3, 14. / 3};
    start(&c, OP_shift, 1, 5, b);
    fill(&c, 0, five), fill(&c, 1, third);
    expect(&c, "shift by one number", less);

    for (int i = 0; i < 4; i++) y[i] = f[i] * tanh(x[i]) - 0.5 * f[i];
    const double bias[4] = {-.5, -1, -1.5, -2};
    start(&c, OP_tanh, 1, 4, b);
    fill(&c, 0, x), fill(&c, 1, f), fill(&c, 2, bias);
    expect(&c, "tanh with gain and bias", y);
    for (int i = 0; i < 4; i++) y[i] = f[i] * erf(x[i]) + bias[i];
    start(&c, OP_erf, 1, 4, b);
    fill(&c, 0, x), fill(&c, 1, f), fill(&c, 2, bias);
    expect(&c, "erf with gain and bias", y);
}

/* Columns side by side, and groups of columns. */
static void streams(const Backend *b) {
    OpCase c;
    const double x0[2] = {1, 2}, x1[8] = {3, 4, 5, 6, 7, 8, 9, 10}, beside[10] = {1, 3, 4, 5, 6, 2, 7, 8, 9, 10};
    start(&c, OP_append, 2, 1, b);
    fill(&c, 0, x0), fill(&c, 1, x1);
    expect(&c, "append", beside);

    /* A tensor beside itself: its gradient is the sum of both halves. */
    const double twice[4] = {1, 1, 2, 2}, dy[4] = {10, 20, 30, 40}, dx[2] = {30, 70};
    start(&c, OP_append, 2, 1, b);
    fill(&c, 0, x0);
    c.call.in[1] = c.call.in[0], c.call.din[1] = c.call.din[0], c.call.out.cols = c.call.dout.cols = 2;
    for (size_t i = 0; i < 4; i++) view_set(&c, c.call.dout, 0, i, dy[i]);
    case_start(&c, false, 0);
    c.call.accumulate[1] = true;
    b->kernel[OP_append]->backward(&c.call);
    for (size_t i = 0; i < 2; i++) cr_assert(view_get(&c, c.call.din[0], 0, i) == dx[i], "%s [%zu]", b->name, i);
    expect(&c, "append to itself", twice);

    /* groups (1, 2) and (10, 20) by rows (1, 2), (-1, 0.5), (0, 3) of the matrix */
    const double groups[4] = {1, 2, 10, 20}, matrix[6] = {1, 2, -1, .5, 0, 3}, mixed[6] = {21, 42, 4, 8, 30, 60};
    start(&c, OP_streams, 1, 2, b);
    fill(&c, 0, groups), fill(&c, 1, matrix);
    expect(&c, "streams", mixed);

    /* The same by a matrix of each row's own: the second row's gives the first group, the sum and twice the second. */
    const double two[8] = {10, 20, 1, 2, 10, 20, 1, 2}, matrices[12] = {1, 2, 3, 4, 5, 6, 1, 0, 1, 1, 0, 2};
    const double apart[12] = {12, 24, 34, 68, 56, 112, 10, 20, 11, 22, 2, 4};
    start(&c, OP_mix, 2, 2, b);
    fill(&c, 0, two), fill(&c, 1, matrices);
    expect(&c, "mix", apart);

    /* exp(x) = (1, 4; 1, 1): a matrix of two rows p, 1 - p has p / (1 - p) = root of 1 x 1 / (4 x 1) = 1/2 */
    const double square[4] = {0, log(4), 0, 0}, doubly[4] = {1 / 3.0, 2 / 3.0, 2 / 3.0, 1 / 3.0};
    start(&c, OP_sinkhorn, 1, 3, b);
    fill(&c, 0, square);
    expect(&c, "sinkhorn", doubly);

    const double logits[3] = {0, log(3), -log(3)}, shares[3] = {1, 1.5, 0.5};
    start(&c, OP_sigmoid, 1, 3, b);
    c.call.attr.alpha = 2;
    fill(&c, 0, logits);
    expect(&c, "sigmoid", shares);

    /* groups (1, 3), (6, 2), (0, 0) with w = (2, 1): mean squares 5, 20, 0 and eps 5 give scores 5/sqrt(10), 14/5, 0 */
    const double layers[6] = {1, 3, 6, 2, 0, 0}, query[2] = {2, 1};
    const double e0 = exp(5 / sqrt(10)), e1 = exp(2.8), all = e0 + e1 + 1;
    const double attended[2] = {(e0 + 6 * e1) / all, (3 * e0 + 2 * e1) / all};
    start(&c, OP_attnres, 1, 2, b);
    c.call.attr.eps = 5;
    fill(&c, 0, layers), fill(&c, 1, query);
    expect(&c, "attention over layers", attended);
}

static void tables(const Backend *b) {
    OpCase c;
    /* 2 sequences of 2, tables of 5 tokens and 2 positions, width 1 */
    start(&c, OP_embed, 4, 1, b);
    c.call.attr.seq = 2;
    c.in[2].rows = c.call.in[2].rows = 2;
    const double token[5] = {10, 20, 30, 40, 50}, position[2] = {1, 2}, y[4] = {51, 12, 31, 32};
    const int32_t id[4] = {4, 0, 2, 2};
    for (int i = 0; i < 4; i++) ((int32_t *)c.call.in[0].at)[i] = id[i];
    fill(&c, 1, token), fill(&c, 2, position);
    expect(&c, "embedding", y);

    /* x = (1, 2), W = ((1, 0), (2, 1), (0, 3), (1, 1), (3, 0), (0, 1)), b = (0, 1, 0, -1, 1, 2) */
    start(&c, OP_linear, 1, 2, b);
    const double x[2] = {1, 2}, w[12] = {1, 0, 2, 1, 0, 3, 1, 1, 3, 0, 0, 1};
    const double bias[6] = {0, 1, 0, -1, 1, 2}, z[6] = {1, 5, 6, 2, 4, 4};
    fill(&c, 0, x), fill(&c, 1, w), fill(&c, 2, bias);
    expect(&c, "linear", z);
}

static void losses(const Backend *b) {
    OpCase c;
    /* logits (ln 1, ln 2, ln 5): probabilities 1/8, 2/8, 5/8; the third row is ignored */
    const double x[9] = {0, log(2), log(5), 0, log(2), log(5), 1, 2, 3}, y[3] = {log(8), log(1.6), 0};
    const int32_t target[3] = {0, 2, -1};
    start(&c, OP_xent, 3, 3, b);
    for (int i = 0; i < 3; i++) ((int32_t *)c.call.in[1].at)[i] = target[i];
    fill(&c, 0, x);
    case_forward(&c);
    const double hits[3] = {0, 1, 0};
    for (size_t i = 0; i < 3; i++) cr_assert(view_get(&c, c.call.save, 0, 2 * i + 1) == hits[i], "hit of row %zu", i);
    expect(&c, "cross-entropy", y);

    /* a fifth of the label spread over three: the first two rows lose 1/5 of the mean logit ln(10)/3 instead */
    const double even = (log(1) + log(2) + log(5)) / 3;
    const double z[3] = {log(8) - 0.2 * even, log(8) - 0.8 * log(5) - 0.2 * even, 0};
    start(&c, OP_xent, 3, 3, b);
    for (int i = 0; i < 3; i++) ((int32_t *)c.call.in[1].at)[i] = target[i];
    ((Scalars *)(uintptr_t)c.call.scalars)->smoothing = 0.2;
    fill(&c, 0, x);
    expect(&c, "cross-entropy of smoothed labels", z);

    Scalars *s;
    const double n[3] = {1, 2, 6}, mean = 4.5;
    start(&c, OP_mean, 3, 1, b);
    s = (Scalars *)(uintptr_t)c.call.scalars;
    s->count = 2;
    fill(&c, 0, n);
    expect(&c, "mean over the device's count", &mean);

    const double v[4] = {3, 4, 0, 12}, length = 13;
    start(&c, OP_rownorm, 1, 4, b);
    fill(&c, 0, v);
    expect(&c, "row norm", &length);
}

TEST_EACH(forward, values, backend_count) {
    const Backend *b = backends[*index];
    if (!case_can_run(b) || case_narrow(b)) return; /* test_stored_words.c */
    norms(b);
    attention(b);
    rotation(b);
    places(b);
    elementwise(b);
    streams(b);
    tables(b);
    losses(b);
}

/* Angles of RoPE at every position that a context may have, for heads of several sizes. */
Test(forward, rope_is_near_libm) {
    const int sizes[] = {2, 6, 8, 64, 100, 256};
    double worst = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int pair = 0; pair < sizes[s] / 2; pair++) {
            uint64_t frequency = rope_frequency(pair, sizes[s]);
            double exact = pow(ROPE_BASE, -2.0 * pair / sizes[s]);
            for (int t = 0; t < 8192; t++) {
                worst = fmax(worst, fabs((double)rope_wave((uint64_t)t * frequency, 1) - cos(t * exact)));
                worst = fmax(worst, fabs((double)rope_wave((uint64_t)t * frequency, 0) - sin(t * exact)));
            }
        }
    cr_log_warn("worst %.3g", worst);
    cr_assert(worst < 1.5e-7, "%.3g", worst);
}

/* Dropout keeps each element with probability 1 - p, scales what it keeps, uses the same mask backward, another mask
 * for another step or stream, and is the identity in evaluation. */
Test(forward, dropout_is_a_mask) {
    const Backend *b = backend_find("cpu", &e);
    LOCAL(case_release) OpCase c;
    start(&c, OP_dropout, 100, 100, b);
    Scalars *s = (Scalars *)(uintptr_t)c.call.scalars;
    *s = (Scalars){.seed = 5, .step = 1, .drop_below = 1u << 30, .drop_scale = 4 / 3.0};
    size_t n = view_count(c.call.out);
    int kept = 0, same = 0;
    for (size_t i = 0; i < n; i++) view_set(&c, c.call.in[0], 0, i, 3), view_set(&c, c.call.dout, 0, i, 1);
    case_forward(&c);
    case_backward(&c, false, 0);
    char first[10000];
    for (size_t i = 0; i < n; i++) {
        double y = view_get(&c, c.call.out, 0, i), dx = view_get(&c, c.call.din[0], 0, i);
        first[i] = y != 0;
        kept += y != 0;
        cr_assert(y == 0 || fabs(y - 4) < 1e-6);
        cr_assert((y != 0) == (dx != 0));
    }
    cr_assert(abs(kept - 7500) < 4 * 44, "%d of 10000 kept at p = 1/4", kept);
    s->step = 2;
    case_forward(&c);
    for (size_t i = 0; i < n; i++) same += first[i] == (view_get(&c, c.call.out, 0, i) != 0);
    cr_assert(abs(same - 6250) < 4 * 49, "masks of two steps agree in %d of 10000 places", same);
    s->drop_below = 0, s->drop_scale = 1;
    case_forward(&c);
    for (size_t i = 0; i < n; i++) cr_assert(view_get(&c, c.call.out, 0, i) == 3);
}
