/* Measure networks up to 1,000 layers, d = 64, n = 4, in the setting of Xiong et al. */
#include <math.h>

#include "bench/theory/net_of.h"
#include "bench/theory/theory.h"

/* Note the output's change by one step of gradient descent, then by noise. */
static Rc changes(TheoryNotes *n, int seed, int layers, const char *placement, StatementId step, StatementId noise,
                  Error *e) {
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    TheoryPlan plan = {.layers = layers, .width = 64, .tokens = 4};
    if (theory_net_of(&net, plan, placement, seed, e)) return e->code;
    theory_net_gradients(net);
    theory_note(n, step, seed, layers, NAN, theory_step_change(net));
    if (noise != STATEMENT_COUNT) theory_note(n, noise, seed, layers, NAN, theory_noise_change(net));
    return RC_OK;
}

static Rc post(TheoryNotes *n, int seed, int layers, Error *e) {
    return changes(n, seed, layers, "post", STATEMENT_change_post, STATEMENT_amplification_post, e);
}

static Rc pre(TheoryNotes *n, int seed, int layers, Error *e) {
    return changes(n, seed, layers, "pre", STATEMENT_change_pre, STATEMENT_amplification_pre, e);
}

static Rc deepnorm(TheoryNotes *n, int seed, int layers, Error *e) {
    return changes(n, seed, layers, "deepnorm", STATEMENT_change_deepnorm, STATEMENT_COUNT, e);
}

/* Measure networks without any norm, up to the range of double. */
static Rc none(TheoryNotes *n, int seed, int layers, Error *e) {
    enum { FROM = 50, EACH = 25 };
    LOCAL(theory_net_drop) TheoryNet *net = NULL;
    TheoryPlan plan = {.layers = layers, .width = 64, .tokens = 4};
    if (theory_net_of(&net, plan, "none", seed, e)) return e->code;
    theory_net_forward(net);
    for (int l = FROM; l <= layers; l += EACH)
        theory_note(n, STATEMENT_depth_none, seed, l, NAN, theory_net_square(net, PLACE_leaving, l - 1));
    return RC_OK;
}

/* List depths about half a power of ten apart. */
#define DEPTHS(job) \
    {job, 1000, 8, true}, {job, 316, 8, false}, {job, 100, 8, false}, {job, 32, 8, false}, {job, 10, 8, false}
const TheoryJob theory_deep[] = {DEPTHS(post), DEPTHS(pre), DEPTHS(deepnorm), {none, 1000, 4, true}};
const int theory_deep_count = sizeof theory_deep / sizeof *theory_deep;
