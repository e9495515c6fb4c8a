/* Measure norms, an MLP and a chain, without networks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/theory/net_of.h"
#include "bench/theory/theory.h"
#include "models/theory_part.h"
#include "models/transformer.h"

enum { WIDE = 32 };

static double length(const double *x, int d) {
    double sum = 0;
    for (int i = 0; i < d; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static double mean_of(const double *x, int d) {
    double sum = 0;
    for (int i = 0; i < d; i++) sum += x[i];
    return sum / d;
}

/* Return |x - mean|. */
static double spread(const double *x, int d) {
    double y[64], mean = mean_of(x, d);
    for (int i = 0; i < d; i++) y[i] = x[i] - mean;
    return length(y, d);
}

/* Return the largest singular value of each norm's Jacobian at x, by formula, with its initial parameters. */
static double of_identity(const double *x, int d) {
    (void)x, (void)d;
    return 1;
}

static double of_layernorm(const double *x, int d) {
    return sqrt(d) / spread(x, d);
}

static double of_rmsnorm(const double *x, int d) {
    return sqrt(d) / length(x, d);
}

static double of_unit(const double *x, int d) {
    return 1 / length(x, d);
}

/* CRMSNorm: y = x / s, s^2 = q / (d + 1), q = |x|^2 + t^2, t = sum x: J = (I - x (x + t 1)^T / q) / s is a projection
 * along x over s, whose largest singular value equals that of its complement, |x| |x + t 1| / q. */
static double of_crms(const double *x, int d) {
    double t = d * mean_of(x, d), q = length(x, d) * length(x, d) + t * t, moved[64];
    for (int i = 0; i < d; i++) moved[i] = x[i] + t;
    return length(x, d) * length(moved, d) / q / sqrt(q / (d + 1));
}

/* Return the largest element of a diagonal Jacobian. */
static double of_dyt(const double *x, int d) {
    double most = 0;
    for (int i = 0; i < d; i++) most = fmax(most, 0.5 * (1 - tanh(0.5 * x[i]) * tanh(0.5 * x[i])));
    return most;
}

static double of_derf(const double *x, int d) {
    double most = 0;
    for (int i = 0; i < d; i++) most = fmax(most, 0.5 * M_2_SQRTPI * exp(-0.25 * x[i] * x[i]));
    return most;
}

/* Norms with a formula; others are measured without a prediction. */
static const struct {
    const char *norm;
    double (*largest)(const double *x, int d);
} formulas[] = {{"none", of_identity}, {"layernorm", of_layernorm}, {"rmsnorm", of_rmsnorm}, {"center", of_identity},
                {"crms", of_crms},     {"scalenorm", of_rmsnorm},   {"unit", of_unit},       {"dyt", of_dyt},
                {"derf", of_derf}};

static Rc norm_jacobians(TheoryNotes *n, int seed, int argument, Error *e) {
    static const StatementId of[NORM_COUNT] = {
#define NORM(name, ...) [NORM_##name] = STATEMENT_jacobian_##name,
#include "models/norms.def"
#undef NORM
    };
    double x[WIDE], jacobian[WIDE * WIDE], s[WIDE];
    (void)argument;
    theory_normals(x, WIDE, (uint64_t)seed + 1, "theory.norm", 1);
    for (Norm norm = 0; norm < NORM_COUNT; norm++) {
        double formula = NAN;
        for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
            if (!strcmp(formulas[i].norm, norm_info[norm].name)) formula = formulas[i].largest(x, WIDE);
        if (theory_norm_jacobian(norm, x, WIDE, jacobian, e) || theory_singular(jacobian, WIDE, s, e))
            return e->code;
        bool known = !isnan(formula);
        theory_note(n, of[norm], seed, 0, known ? 1 : NAN, known ? s[0] / formula : s[0]);
    }
    return RC_OK;
}

/* Measure Lemma 3 at several widths. */
static Rc lemma3(TheoryNotes *n, int seed, int d, Error *e) {
    OWNED double *x = mem_alloc((size_t)d, sizeof *x), *jacobian = mem_alloc((size_t)d * (size_t)d, sizeof *x);
    OWNED double *s = mem_alloc((size_t)d, sizeof *s);
    theory_normals(x, d, (uint64_t)seed + 1, "theory.norm", 3);
    Rc rc = theory_norm_jacobian(NORM_layernorm, x, d, jacobian, e);
    if (!rc) rc = theory_singular(jacobian, d, s, e);
    if (!rc) theory_note(n, STATEMENT_lemma3, seed, d, 1, s[0] * spread(x, d) / sqrt(d));
    if (!rc) theory_note(n, STATEMENT_w003_layernorm, seed, d, NAN, s[0] * length(x, d));
    return rc;
}

static double farthest(const double *a, const double *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static Rc identities(TheoryNotes *n, int seed, int argument, Error *e) {
    static const Norm once[] = {NORM_layernorm, NORM_layernorm}, crms[] = {NORM_crms};
    double x[WIDE], y[WIDE], z[WIDE], rest = 0;
    (void)argument;
    theory_normals(x, WIDE, (uint64_t)seed + 1, "theory.norm", 2);
    if (theory_norm(once, 1, x, WIDE, y, e) || theory_norm(once, 2, x, WIDE, z, e)) return e->code;
    theory_note(n, STATEMENT_norm_twice, seed, 0, 0, farthest(y, z, WIDE));
    for (int i = 0; i < WIDE - 1; i++) rest += x[i];
    x[WIDE - 1] = -rest;
    if (theory_norm(once, 1, x, WIDE, y, e) || theory_norm(crms, 1, x, WIDE - 1, z, e)) return e->code;
    theory_note(n, STATEMENT_crms_is_layernorm, seed, 0, 0, farthest(y, z, WIDE - 1));
    return RC_OK;
}

static Rc relu(TheoryNotes *n, int seed, int s, Error *e) {
    double square;
    if (theory_relu(32, 64, s, (uint64_t)seed + 1, &square, e)) return e->code;
    theory_note(n, STATEMENT_lemma1, seed, s, s * s / 2.0, square);
    return RC_OK;
}

/* Return the b / a that is farthest from `ratio`, ignoring elements that are zero in both. */
static double ratio_of(const double *a, const double *b, int count, double ratio) {
    double at = ratio;
    for (int i = 0; i < count; i++)
        if ((a[i] != 0 || b[i] != 0) && !(fabs(b[i] / a[i] - ratio) <= fabs(at - ratio))) at = b[i] / a[i];
    return at;
}

/* Note the largest |dL/dW2_ij| over its stated bounds, with gain g = 1. */
static void peri_bounds(TheoryNotes *n, int seed, const double *g, const double *h, const double *a, const double *c) {
    enum { D = WIDE };
    double local = 0, most = 0, all = length(c, D) * 4 * length(h, D) / length(a, D);
    for (int i = 0; i < D * D; i++) {
        double bound = length(c, D) * sqrt(D) * fabs(h[i % D]) / spread(a, D);
        if (bound > 0) local = fmax(local, fabs(g[i]) / bound);
        most = fmax(most, fabs(g[i]));
    }
    theory_note(n, STATEMENT_peri_bound, seed, 0, 1, local);
    theory_note(n, STATEMENT_w004_bound_paper, seed, 0, 1, most / (all * sqrt(D)));
    theory_note(n, STATEMENT_w004_bound, seed, 0, 1, most / (all / sqrt(D)));
}

/* Measure Prop. 3.1 of Kim et al. on one sublayer. */
static Rc peri(TheoryNotes *n, int seed, int argument, Error *e) {
    enum { D = WIDE };
    double g[D * D], wide[D * D], h[D], a[D], c[D];
    uint64_t key = (uint64_t)seed + 1;
    (void)argument;
    if (theory_mlp(NORM_none, D, 1, 1, key, g, h, a, c, e) || theory_mlp(NORM_none, D, 3, 1, key, wide, h, a, c, e))
        return e->code;
    theory_note(n, STATEMENT_peri_pre_w1, seed, 0, 3, ratio_of(g, wide, D * D, 3));
    if (theory_mlp(NORM_layernorm, D, 3, 1, key, wide, h, a, c, e)) return e->code;
    if (theory_mlp(NORM_layernorm, D, 1, 1, key, g, h, a, c, e)) return e->code;
    theory_note(n, STATEMENT_peri_w1, seed, 0, 1, ratio_of(g, wide, D * D, 1));
    peri_bounds(n, seed, g, h, a, c);
    if (theory_mlp(NORM_layernorm, D, 1, 3, key, wide, h, a, c, e)) return e->code;
    theory_note(n, STATEMENT_peri_w2, seed, 0, 1.0 / 3, ratio_of(g, wide, D * D, 1.0 / 3));
    return RC_OK;
}

/* Return the day number of a Gregorian date; years begin in March, so that leap days end them. */
static int day_of(int year, int month, int day) {
    int y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day;
}

static double norm_ops(const char *name) {
    Error e;
    const Variant *variant = variant_find(name, &e);
    const ModelShape shape = {
        .layers = 24, .width = 8, .heads = 2, .context = 4, .vocab = 8, .batch = 1, .ffn_mult = 4};
    LOCAL(tape_release) Tape tape = {0};
    int n = 0;
    transformer_build(&tape, &shape, variant, NULL);
    for (int i = 0; i < tape.ops; i++) n += tape.op[i].kind == OP_layernorm;
    return n;
}

/* Check the write-ups' single numbers and dates. */
static Rc arithmetic(TheoryNotes *n, Error *e) {
    static const Norm layernorm[] = {NORM_layernorm};
    const double x[] = {3.22, 0, -3.22};
    double y[3];
    if (theory_norm(layernorm, 1, x, 3, y, e)) return e->code;
    theory_note(n, STATEMENT_w004_example, 0, 0, 1.37, y[0]);
    theory_note(n, STATEMENT_w004_norm_ops, 0, 0, 1.15, norm_ops("peri") / norm_ops("pre"));
    theory_note(n, STATEMENT_w003_gpt2, 0, 0, NAN, day_of(2019, 2, 14) - day_of(2020, 2, 12));
    return RC_OK;
}

/* Note x_l / (1 + a w)^l; the product is exact, and may overflow before x does, or after. */
static Rc chain(TheoryNotes *n, StatementId id, double a, double w, int from, Error *e) {
    enum { LAYERS = 1000, EACH = 50 };
    double x[LAYERS];
    if (theory_chain(LAYERS, a, w, x, e)) return e->code;
    for (int l = from; l <= LAYERS; l += EACH) theory_note(n, id, 0, l, 1, x[l - 1] / pow(1 + a * w, l));
    return RC_OK;
}

/* Note numbers without randomness, once for all seeds. */
static Rc constants(TheoryNotes *n, int seed, int argument, Error *e) {
    static const int depth[] = {1, 10, 100, 1000};
    (void)seed, (void)argument;
    for (size_t i = 0; i < sizeof depth / sizeof *depth; i++) {
        LOCAL(theory_net_drop) TheoryNet *net = NULL;
        TheoryPlan plan = {.layers = depth[i], .width = 4, .tokens = 1};
        if (theory_net_of(&net, plan, "deepnorm", 0, e)) return e->code;
        double alpha = rule_value(variant_find("deepnorm", e)->carry, (RulePlace){0, depth[i], 4, STACK_ALONE});
        double v = theory_net_scale(net, "mlp.c_fc.weight"), w = theory_net_scale(net, "mlp.c_proj.weight");
        theory_note(n, STATEMENT_deepnorm_constants, 0, depth[i], 1, 2 * depth[i] * (v * v + w * w) / (alpha * alpha));
    }
    if (arithmetic(n, e)) return e->code;
    if (chain(n, STATEMENT_rezero_chain, .125, .125, 50, e)) return e->code;
    return chain(n, STATEMENT_rezero_chain_long, 1.5, 1.5, 100, e);
}

const TheoryJob theory_norms[] = {
    {norm_jacobians, 0, 8, false}, {lemma3, 8, 8, false},     {lemma3, 16, 8, false}, {lemma3, 32, 8, false},
    {lemma3, 64, 8, false},        {identities, 0, 8, false}, {relu, 1, 32, false},   {relu, 2, 32, false},
    {peri, 0, 8, false},           {constants, 0, 1, false},
};
const int theory_norms_count = sizeof theory_norms / sizeof *theory_norms;
