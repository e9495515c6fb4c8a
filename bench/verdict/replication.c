#include "bench/verdict/replication.h"

#include <math.h>
#include <stdio.h>

#include "stats/replication.h"

/* Variances of the reported effect, one per arm: [terms]; 0: they are not known. */
static size_t reported_variances(const ClaimTest *t, const RunSpec *spec, StVarianceOf part[CLAIM_TERMS_MAX]) {
    char quantity[96];
    int n = t->table->seeds;
    if (n < 2 || t->form == EFFECT_ratio) return 0;
    snprintf(quantity, sizeof quantity, "%.80s_sd", t->of);
    for (int i = 0; i < t->terms; i++) {
        const char *arm = t->term[i].arm.name;
        const ReportedNumber *mean = reported_number(t->table, arm, &spec[i], t->of);
        const ReportedNumber *sd = reported_number(t->table, arm, &spec[i], quantity);
        if (!mean || !sd) return 0;
        double spread = t->form == EFFECT_log_ratio ? sd->value / mean->value : sd->value;
        part[i] = (StVarianceOf){t->term[i].weight * t->term[i].weight * spread * spread / n, n - 1};
    }
    return (size_t)t->terms;
}

static double root_of_sum(const StVarianceOf *part, size_t k) {
    double sum = 0;
    for (size_t i = 0; i < k; i++) sum += part[i].variance;
    return k ? sqrt(sum) : (double)NAN;
}

Replication replication_of(const ClaimTest *t, const RunSpec *spec, double reported, const Reading *r, double conf) {
    double none = (double)NAN;
    Replication out = {.se = none, .reported_se = none, .df = none, .lo = none, .hi = none};
    StVarianceOf part[1 + CLAIM_TERMS_MAX] = {{r->se * r->se, r->df}};
    if (isnan(reported)) return out;
    size_t theirs = reported_variances(t, spec, part + 1);
    out.se = r->se, out.reported_se = root_of_sum(part + 1, theirs);
    StPrediction interval = st_prediction(r->effect, part, 1 + theirs, conf);
    if (interval.status == ST_OK)
        out.df = interval.df, out.lo = interval.lo, out.hi = interval.hi;
    else if (isnan(r->se))
        out.lo = r->lo, out.hi = r->hi;
    out.inside = reported >= out.lo && reported <= out.hi;
    return out;
}
