#include "bench/theory/net_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/singular.h"

const char *const theory_w2 = "mlp.c_proj.weight";

Rc theory_net_of(TheoryNet **net, TheoryPlan plan, const char *placement, int seed, Error *e) {
    static const char *const norms[] = {"attn.in", "mlp.in", "final"};
    bool rms = !strcmp(placement, "pre-rms"); /* not a row's name */
    const Variant *row = variant_find(rms ? "pre" : placement, e);
    if (!row) return e->code;
    plan.variant = *row;
    for (int i = 0; i < 3 && rms; i++)
        if (variant_set(&plan.variant, norms[i], "rmsnorm", e)) return e->code;
    plan.seed = (uint64_t)seed + 1;
    return theory_net_make(net, &plan, e);
}

void theory_net_drop(TheoryNet **net) {
    if (*net) theory_net_free(*net);
}

static double *output_of(const TheoryNet *net) {
    double *x = mem_alloc((size_t)theory_net_words(net), sizeof *x);
    theory_net_output(net, x);
    return x;
}

/* Return the sum of squares of the output's change since `before`; free `before`. */
static double changed(TheoryNet *net, double *before) {
    double sum = 0;
    theory_net_forward(net);
    OWNED double *after = output_of(net);
    for (int i = 0; i < theory_net_words(net); i++) sum += (after[i] - before[i]) * (after[i] - before[i]);
    free(before);
    return sum;
}

/* Take a step of size eta: small enough for the first order, large enough for 10 digits of the difference. */
double theory_step_change(TheoryNet *net) {
    const double eta = 1e-6;
    double *before = output_of(net);
    theory_net_step(net, eta);
    double sum = changed(net, before);
    theory_net_step(net, -eta);
    return sqrt(sum / theory_net_tokens(net)) / eta;
}

double theory_noise_change(TheoryNet *net) {
    const double scale = 1e-6;
    theory_net_forward(net); /* an undone update leaves rounding errors */
    double *before = output_of(net);
    theory_net_noise(net, scale);
    return changed(net, before) / theory_net_words(net) / (scale * scale);
}

Rc theory_singular(const double *a, int d, double *s, Error *e) {
    StStatus status = st_singular(a, (size_t)d, s);
    return status == ST_OK ? RC_OK : error_set(e, RC_UNMEASURED, "singular values: %s", st_status_text(status));
}
