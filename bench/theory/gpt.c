/* Measure GPTs with GPT-2's initialization. */
#include <math.h>

#include "bench/theory/net_of.h"
#include "bench/theory/theory.h"

enum { SIZES = 12, GROWN = 4, DEEPEST = 20, OWN_WIDTH = 512 };

static Rc sized_net(TheoryNet **net, const char *placement, int layers, int width, int heads, int seed, Error *e) {
    TheoryPlan plan = {.layers = layers, .width = width, .tokens = 32, .heads = heads, .ffn_mult = 4};
    plan.start = START_gpt;
    return theory_net_of(net, plan, placement, seed, e);
}

static Rc net_of(TheoryNet **net, const char *placement, int layers, int seed, Error *e) {
    if (sized_net(net, placement, layers, 64, 4, seed, e)) return e->code;
    theory_net_gradients(*net);
    return RC_OK;
}

/* Measure Post-LN at the sizes of write-up 000: 4 layers of width 128, 12 of width 512. */
static Rc own_post(TheoryNotes *n, int seed, int layers, Error *e) {
    const bool deep = layers == SIZES;
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    if (sized_net(&net, "post", layers, deep ? OWN_WIDTH : 128, 8, seed, e)) return e->code;
    theory_net_gradients(net);
    for (int l = 1; l <= layers; l++)
        theory_note(n, deep ? STATEMENT_w000_profile_deep : STATEMENT_w000_profile_shallow, seed, l, NAN,
                    theory_net_gradient(net, l - 1, theory_w2));
    const double last = theory_net_gradient(net, layers - 1, theory_w2);
    if (deep) theory_note(n, STATEMENT_w000_own_post_depth, seed, layers, NAN, last);
    return RC_OK;
}

/* Measure the gradient of the last W2 at write-up 000's deep width. */
static Rc own_last(TheoryNotes *n, const char *placement, StatementId depth, int seed, int layers, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    if (sized_net(&net, placement, layers, OWN_WIDTH, 8, seed, e)) return e->code;
    theory_net_gradients_until(net, layers - 1, theory_w2);
    theory_note(n, depth, seed, layers, NAN, theory_net_gradient(net, layers - 1, theory_w2));
    return RC_OK;
}

static Rc own_post_last(TheoryNotes *n, int seed, int layers, Error *e) {
    return own_last(n, "post", STATEMENT_w000_own_post_depth, seed, layers, e);
}

static Rc own_pre_last(TheoryNotes *n, int seed, int layers, Error *e) {
    return own_last(n, "pre", STATEMENT_w000_own_pre_depth, seed, layers, e);
}

static Rc post(TheoryNotes *n, int seed, int layers, Error *e) {
    const StatementId rising = layers == 4    ? STATEMENT_w000_profile_4
                               : layers == 12 ? STATEMENT_w000_profile_12
                                              : STATEMENT_w000_profile_20;
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    if (net_of(&net, "post", layers, seed, e)) return e->code;
    for (int l = 1; l <= layers; l++) {
        double g = theory_net_gradient(net, l - 1, theory_w2);
        theory_note(n, rising, seed, l, NAN, g);
        if (layers == DEEPEST) theory_note(n, STATEMENT_gpt_profile_post, seed, l, NAN, g);
        if (l == layers) theory_note(n, STATEMENT_gpt_theorem1_post, seed, layers, NAN, g);
        if (l == layers) theory_note(n, STATEMENT_w001_gpt_post_depth, seed, layers, NAN, g);
        if (layers != SIZES) continue;
        theory_note(n, STATEMENT_gpt_lemma2_post, seed, l, 1.5, theory_net_square(net, PLACE_mlp_sum, l - 1));
    }
    theory_note(n, STATEMENT_gpt_change_post, seed, layers, NAN, theory_step_change(net));
    return RC_OK;
}

static Rc pre(TheoryNotes *n, int seed, int layers, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    if (net_of(&net, "pre", layers, seed, e)) return e->code;
    double first = theory_net_square(net, PLACE_leaving, -1);
    double last = theory_net_gradient(net, layers - 1, theory_w2);
    theory_note(n, STATEMENT_gpt_theorem1_pre, seed, layers, NAN, last);
    theory_note(n, STATEMENT_w000_pre_depth, seed, layers, NAN, last);
    for (int l = DEEPEST / 2; l <= layers && layers == DEEPEST; l++)
        theory_note(n, STATEMENT_gpt_profile_pre, seed, l, NAN, theory_net_gradient(net, l - 1, theory_w2));
    for (int l = 1; l <= layers && layers == SIZES; l++) {
        double square = theory_net_square(net, PLACE_leaving, l - 1);
        theory_note(n, STATEMENT_gpt_lemma2_pre, seed, l, NAN, (square - first) / l);
        if (l >= GROWN) theory_note(n, STATEMENT_gpt_pre_growth, seed, l, NAN, square);
    }
    theory_note(n, STATEMENT_gpt_change_pre, seed, layers, NAN, theory_step_change(net));
    return RC_OK;
}

static Rc deepnorm(TheoryNotes *n, int seed, int layers, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    if (net_of(&net, "deepnorm", layers, seed, e)) return e->code;
    theory_note(n, STATEMENT_gpt_change_deepnorm, seed, layers, NAN, theory_step_change(net));
    return RC_OK;
}

static Rc peri(TheoryNotes *n, int seed, int layers, Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    if (net_of(&net, "peri", layers, seed, e)) return e->code;
    double first = theory_net_square(net, PLACE_leaving, -1);
    for (int l = 1; l <= layers; l++) {
        double square = theory_net_square(net, PLACE_leaving, l - 1);
        theory_note(n, STATEMENT_gpt_peri_sum, seed, l, 1, square / (first + 2 * l));
    }
    return RC_OK;
}

#define DEPTHS(job) {job, DEEPEST, 8, false}, {job, SIZES, 8, false}, {job, 4, 8, false}
const TheoryJob theory_gpt[] = {DEPTHS(post), DEPTHS(pre), DEPTHS(deepnorm), {peri, SIZES, 8, false},
                                 {own_post, SIZES, 4, true}, {own_post, 4, 8, false},
                                 {own_post_last, 4, 4, true}, {own_pre_last, SIZES, 4, true},
                                 {own_pre_last, 4, 4, true}};
const int theory_gpt_count = sizeof theory_gpt / sizeof *theory_gpt;
