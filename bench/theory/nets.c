/* Measure networks of moderate depth in the setting of Xiong et al. */
#include <assert.h>
#include <math.h>

#include "bench/theory/net_of.h"
#include "bench/theory/theory.h"

enum { FORWARD_LAYERS = 12, GROWN = 4 };

static const TheoryPlan forward_plan = {.layers = FORWARD_LAYERS, .width = 64, .tokens = 8};

/* Measure Lemma 2 for Post-LN. */
static Rc forward_post(TheoryNotes *n, int seed, int argument, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    (void)argument;
    if (theory_net_of(&net, forward_plan, "post", seed, e)) return e->code;
    theory_net_forward(net);
    for (int l = 0; l < FORWARD_LAYERS; l++) {
        theory_note(n, STATEMENT_lemma2_post, seed, l + 1, 1.5, theory_net_square(net, PLACE_mlp_sum, l));
        theory_note(n, STATEMENT_lemma2_post_attn, seed, l + 1, NAN, theory_net_square(net, PLACE_attn_sum, l));
        double hidden = theory_net_square(net, PLACE_leaving, l);
        theory_note(n, STATEMENT_lemma2_post_hidden, seed, l + 1, 1, hidden);
        theory_note(n, STATEMENT_w003_post_hidden, seed, l + 1, 1.5, hidden);
    }
    return RC_OK;
}

/* Measure Lemma 2 for Pre-LN: bands, and the recursion with this network's c. */
static Rc forward_pre(TheoryNotes *n, int seed, int argument, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    (void)argument;
    if (theory_net_of(&net, forward_plan, "pre", seed, e)) return e->code;
    theory_net_forward(net);
    double sum = 1;
    for (int l = 0; l < FORWARD_LAYERS; l++) {
        double square = theory_net_square(net, PLACE_leaving, l);
        sum += 0.5 + theory_net_shared(net, l);
        theory_note(n, STATEMENT_lemma2_pre, seed, l + 1, NAN, (square - 1) / (l + 1));
        theory_note(n, STATEMENT_w003_pre_band, seed, l + 1, NAN, (square - 1) / (l + 1));
        theory_note(n, STATEMENT_lemma2_pre_recursion, seed, l + 1, 1, square / sum);
        if (l + 1 >= GROWN) theory_note(n, STATEMENT_pre_growth, seed, l + 1, NAN, square);
    }
    return RC_OK;
}

/* Measure Peri-LN, with two outputs of norm sqrt(d) per block, and write-up 004's printed block beside it. */
static Rc forward_peri(TheoryNotes *n, int seed, int argument, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL, *printed = NULL;
    (void)argument;
    if (theory_net_of(&net, forward_plan, "peri", seed, e)) return e->code;
    if (theory_net_of(&printed, forward_plan, "prepost", seed, e)) return e->code;
    theory_net_forward(net);
    theory_net_forward(printed);
    double first = theory_net_square(net, PLACE_leaving, -1);
    for (int l = 0; l < FORWARD_LAYERS; l++) {
        double square = theory_net_square(net, PLACE_leaving, l);
        theory_note(n, STATEMENT_peri_sum, seed, l + 1, 1, square / (first + 2 * (l + 1)));
        theory_note(n, STATEMENT_w004_block, seed, l + 1, 1, theory_net_square(printed, PLACE_leaving, l) / square);
        if (l + 1 >= GROWN) theory_note(n, STATEMENT_peri_growth, seed, l + 1, NAN, square);
    }
    return RC_OK;
}

/* Measure DeepNorm: the hidden state is exactly sqrt(d) long after each norm, the first block's input is not. */
static Rc forward_deepnorm(TheoryNotes *n, int seed, int argument, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    (void)argument;
    if (theory_net_of(&net, forward_plan, "deepnorm", seed, e)) return e->code;
    theory_net_forward(net);
    double alpha2 = sqrt(2.0 * FORWARD_LAYERS), beta2 = pow(theory_net_scale(net, "mlp.c_fc.weight"), 2);
    for (int l = 0; l < FORWARD_LAYERS; l++) {
        double x = theory_net_square(net, PLACE_leaving, l - 1), c = theory_net_shared(net, l);
        double attn = theory_net_square(net, PLACE_attn_sum, l) / (alpha2 * x + beta2 * c);
        double mlp = theory_net_square(net, PLACE_mlp_sum, l) / (alpha2 + beta2 * beta2 / 2);
        theory_note(n, STATEMENT_deepnorm_attn, seed, l + 1, 1, attn);
        theory_note(n, STATEMENT_deepnorm_mlp, seed, l + 1, 1, mlp);
    }
    return RC_OK;
}

/* Statements of a placement at depths 4 to 32; STATEMENT_COUNT: none. */
typedef struct {
    const char *placement;
    StatementId last[2], profile, change, noise;
    int from; /* the profile's first layer */
} Depths;

enum { DEEPEST = 32, DEPTH_SEEDS = 8 };

/* Measure Theorem 1; in the first seeds also the profile over the deepest network's layers, and the output's change by
 * an update and noise. */
static Rc at_depth(TheoryNotes *n, int seed, int layers, const Depths *of, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    TheoryPlan plan = {.layers = layers, .width = 128, .tokens = 32};
    if (theory_net_of(&net, plan, of->placement, seed, e)) return e->code;
    theory_net_gradients(net);
    for (int i = 0; i < 2 && of->last[i] != STATEMENT_COUNT; i++)
        theory_note(n, of->last[i], seed, layers, NAN, theory_net_gradient(net, layers - 1, theory_w2));
    bool all = seed < DEPTH_SEEDS;
    for (int l = of->from; all && l <= layers && layers == DEEPEST && of->profile != STATEMENT_COUNT; l++)
        theory_note(n, of->profile, seed, l, NAN, theory_net_gradient(net, l - 1, theory_w2));
    if (all && of->change != STATEMENT_COUNT) theory_note(n, of->change, seed, layers, NAN, theory_step_change(net));
    if (all && of->noise != STATEMENT_COUNT) theory_note(n, of->noise, seed, layers, NAN, theory_noise_change(net));
    return RC_OK;
}

static Rc depths_post(TheoryNotes *n, int seed, int layers, Error *e) {
    static const Depths of = {"post", {STATEMENT_theorem1_post, STATEMENT_w001_post_depth}, STATEMENT_profile_post,
                              STATEMENT_change_post_32, STATEMENT_amplification_post_32, 1};
    return at_depth(n, seed, layers, &of, e);
}

static Rc depths_pre(TheoryNotes *n, int seed, int layers, Error *e) {
    static const Depths of = {"pre", {STATEMENT_theorem1_pre, STATEMENT_COUNT}, STATEMENT_profile_pre,
                              STATEMENT_COUNT, STATEMENT_amplification_pre_32, DEEPEST / 2};
    return at_depth(n, seed, layers, &of, e);
}

static Rc depths_deepnorm(TheoryNotes *n, int seed, int layers, Error *e) {
    static const Depths of = {"deepnorm", {STATEMENT_COUNT, STATEMENT_COUNT}, STATEMENT_COUNT,
                              STATEMENT_change_deepnorm_32, STATEMENT_COUNT, 1};
    return at_depth(n, seed, layers, &of, e);
}

/* Measure DeepNet's section 3: compare the changes if block l's initialization is scaled by 1 / (L - l + 1). */
static Rc layerwise(TheoryNotes *n, int seed, int argument, Error *e) {
    double ratio[2], change[2];
    (void)argument;
    for (int i = 0; i < 2; i++) {
        LOCAL(theory_net_drop) TheoryNet *net = NULL;
        TheoryPlan plan = {.layers = 18, .width = 64, .tokens = 8};
        double least = INFINITY, most = 0;
        if (theory_net_of(&net, plan, i ? "post-init" : "post", seed, e)) return e->code;
        theory_net_gradients(net);
        for (int l = 0; l < plan.layers; l++) {
            double g = theory_net_gradient(net, l, theory_w2);
            least = fmin(least, g), most = fmax(most, g);
        }
        ratio[i] = log(most / least);
        change[i] = log(theory_step_change(net));
    }
    theory_note(n, STATEMENT_layerwise_ratio, seed, 18, NAN, ratio[1] - ratio[0]);
    theory_note(n, STATEMENT_layerwise_change, seed, 18, NAN, change[1] - change[0]);
    return RC_OK;
}

/* Compare Pre-LN with Pre-RMSNorm whose additions to the stream are centered: they are one function. */
static Rc centered(TheoryNotes *n, int seed, int argument, Error *e) {
    enum { WORDS = 8 * 32 };
    double out[2][WORDS], most = 0;
    (void)argument;
    for (int i = 0; i < 2; i++) {
        LOCAL(theory_net_drop) TheoryNet *net = NULL;
        TheoryPlan plan = {.layers = 8, .width = 32, .tokens = 8};
        if (theory_net_of(&net, plan, i ? "pre-rms" : "pre", seed, e)) return e->code;
        assert(theory_net_words(net) == WORDS);
        theory_net_center(net);
        theory_net_forward(net);
        theory_net_output(net, out[i]);
    }
    for (int i = 0; i < WORDS; i++) most = fmax(most, fabs(out[0][i] - out[1][i]));
    theory_note(n, STATEMENT_pre_is_centered_rms, seed, 0, 0, most);
    return RC_OK;
}

/* Measure ReZero at initialization. */
static Rc rezero(TheoryNotes *n, int seed, int argument, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    TheoryPlan plan = {.layers = 16, .width = 32, .tokens = 4};
    double in[128], out[128], most = 0;
    (void)argument;
    if (theory_net_of(&net, plan, "rezero", seed, e)) return e->code;
    assert(theory_net_words(net) == 128);
    theory_net_gradients(net);
    theory_net_input(net, in);
    theory_net_output(net, out);
    for (int i = 0; i < 128; i++) most = fmax(most, fabs(in[i] - out[i]));
    theory_note(n, STATEMENT_rezero_output, seed, 0, 0, most);
    theory_note(n, STATEMENT_rezero_weights, seed, 0, 0, theory_net_largest_gradient(net));
    for (int l = 0; l < plan.layers; l++)
        theory_note(n, STATEMENT_rezero_gates, seed, l + 1, NAN, theory_net_gradient(net, l, "gate"));
    return RC_OK;
}

/* Compute the singular values of dx_L / dx_0 of one token, descending. */
static Rc spectrum(const char *variant, int seed, double *s, Error *e) {
    enum { D = 32 };
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    TheoryPlan plan = {.layers = 16, .width = D, .tokens = 1, .head = HEAD_direction};
    double jacobian[D * D];
    if (theory_net_of(&net, plan, variant, seed, e)) return e->code;
    for (int i = 0; i < D; i++) {
        double c[D] = {0};
        c[i] = 1;
        theory_net_direction(net, c);
        theory_net_gradients(net);
        theory_net_input_gradient(net, jacobian + i * D);
    }
    return theory_singular(jacobian, D, s, e);
}

static Rc jacobians(TheoryNotes *n, int seed, int argument, Error *e) {
    double s[32];
    (void)argument;
    if (spectrum("rezero", seed, s, e)) return e->code;
    for (int i = 0; i < 32; i++) theory_note(n, STATEMENT_rezero_jacobian, seed, i + 1, 1, s[i]);
    if (spectrum("post", seed, s, e)) return e->code;
    for (int i = 0; i < 16; i++) theory_note(n, STATEMENT_post_jacobian, seed, i + 1, NAN, s[i]);
    return RC_OK;
}

static Rc depths_admin(TheoryNotes *n, int seed, int layers, Error *e) {
    static const Depths of = {"admin", {STATEMENT_COUNT, STATEMENT_COUNT}, STATEMENT_COUNT,
                              STATEMENT_COUNT, STATEMENT_amplification_admin_32, 1};
    return at_depth(n, seed, layers, &of, e);
}

#define DEPTHS(job) DEPTHS_OF(job, DEPTH_SEEDS)
#define DEPTHS_OF(job, seeds) \
    {job, 32, seeds, false}, {job, 16, seeds, false}, {job, 8, seeds, false}, {job, 4, seeds, false}
const TheoryJob theory_nets[] = {
    DEPTHS_OF(depths_post, 32), DEPTHS(depths_pre),         DEPTHS(depths_deepnorm),
    DEPTHS(depths_admin),
    {forward_post, 0, 128, false}, {forward_pre, 0, 128, false}, {forward_peri, 0, 128, false},
    {forward_deepnorm, 0, 128, false}, {layerwise, 0, 8, false}, {centered, 0, 4, false},
    {rezero, 0, 4, false},       {jacobians, 0, 4, false},
};
const int theory_nets_count = sizeof theory_nets / sizeof *theory_nets;
