/* All comparisons together: adjusted p's and decisions. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/verdict/paired.h"
#include "stats/multiple.h"

void family_begin(Family *f, int count) {
    f->count = count;
    f->floor = 1;
    f->at = mem_alloc((size_t)count + 1, sizeof *f->at);
}

/* Ranks of d with a diverged run worse than all others; they want lower to be better, so d is turned where it is not.
 * Returns their size. */
static double rank(const Family *f, const Comparison *c, double *out) {
    StPairs turned = c->pairs;
    size_t n = turned.n;
    double sign = f->higher ? -1 : 1, scale = 0, *d = mem_alloc(n, sizeof *d);
    for (size_t i = 0; i < n; i++) d[i] = sign * c->pairs.d[i];
    turned.d = d;
    memcpy(out, d, n * sizeof *d);
    st_pairs_ranks(&turned, out);
    for (size_t i = 0; i < n; i++) {
        out[i] *= sign;
        scale = fmax(scale, fabs(out[i]));
    }
    free(d);
    return scale;
}

/* d or its ranks of every comparison, a row of zeros where there are none: it costs nothing and is never extreme.
 * mean, rows: [count]. */
static StMaxT joint_test(const Family *f, bool ranks, StMaxTRow *rows, double *mean) {
    size_t n = (size_t)f->n, k = (size_t)f->count;
    double *d = mem_alloc(k * n, sizeof *d), *scale = mem_alloc(k, sizeof *scale);
    for (size_t i = 0; i < k; i++) {
        const Comparison *c = &f->at[i];
        mean[i] = 0;
        if (c->status != ST_OK) continue;
        scale[i] = c->pairs.scale;
        if (ranks)
            scale[i] = rank(f, c, d + i * n);
        else
            memcpy(d + i * n, c->pairs.d, n * sizeof *d);
        for (size_t s = 0; s < n; s++) mean[i] += d[i * n + s] / (double)n;
    }
    StMaxT out = st_maxT(d, k, n, scale, f->alpha, ranks ? f->ranks_key : f->joint_key, rows);
    free(d);
    free(scale);
    return out;
}

/* mean: of the differences or ranks that p is about. */
static Decision decide(const Family *f, const Comparison *c, double p, double mean) {
    if (c->status != ST_OK || isnan(p)) return DECISION_NOT_TESTABLE;
    if (p < f->alpha) return mean < 0 ? DECISION_LOWER : DECISION_HIGHER;
    if (comparison_equivalent(c)) return DECISION_EQUIVALENT;
    return f->floor >= f->alpha ? DECISION_NOT_TESTABLE : DECISION_INCONCLUSIVE;
}

void family_holm(Family *f, double *p) {
    if (st_holm(p, (size_t)f->count, p)) return;
    for (int i = 0; i < f->count; i++) f->at[i].holm = p[i];
}

static void adjust_flips(Family *f) {
    size_t k = (size_t)f->count;
    double *p = mem_alloc(k, sizeof *p), *adjusted = mem_alloc(k, sizeof *adjusted);
    for (size_t i = 0; i < k; i++) {
        const Comparison *c = &f->at[i];
        p[i] = c->status == ST_OK && c->flip.status == ST_OK ? c->flip.p : (double)NAN;
    }
    if (!st_hochberg(p, k, adjusted))
        for (size_t i = 0; i < k; i++) f->at[i].hochberg = adjusted[i];
    if (!st_bh(p, k, adjusted))
        for (size_t i = 0; i < k; i++) f->at[i].bh = adjusted[i];
    family_holm(f, p);
    free(adjusted);
    free(p);
}

/* The decision repeated on ranks, for comparisons with a diverged run. */
static void decide_on_ranks(Family *f, StMaxTRow *rows, double *mean) {
    if (joint_test(f, true, rows, mean).status != ST_OK) return;
    for (int i = 0; i < f->count; i++) {
        Comparison *c = &f->at[i];
        if (c->t_decides || c->status != ST_OK || !c->ranked) continue;
        c->joint_ranks = rows[i].step;
        c->decision_ranks = decide(f, c, c->joint_ranks, f->mean_side ? c->t.mean : mean[i]);
    }
}

/* Where flips were drawn, each comparison's own p comes from the family's flips too, so that no adjusted p is below
 * it. */
static void share_flips(const Family *f, const StMaxTRow *rows) {
    if (f->joint.status != ST_OK || f->joint.exact) return;
    for (int i = 0; i < f->count; i++) {
        StSignflip *flip = &f->at[i].flip;
        if (f->at[i].status != ST_OK || flip->status != ST_OK) continue;
        StCp cp = st_cp(rows[i].raw_count - 1, f->joint.total - 1, .95);
        flip->p = rows[i].raw, flip->count = rows[i].raw_count, flip->total = f->joint.total;
        flip->p_min = flip->p_min_here = f->joint.p_min;
        flip->p_lo = cp.lo, flip->p_hi = cp.hi;
    }
}

bool family_power_by_flips(const Family *f) {
    return f->count <= 20;
}

/* What as many seeds find in 80 % of cases, by one comparison alone: the same for all with a spread. */
static void find_detectable(Family *f) {
    StPower p = {.n = 0};
    for (int i = 0; i < f->count; i++) {
        Comparison *c = &f->at[i];
        if (c->status != ST_OK || c->t.status != ST_OK) continue;
        if (p.n != c->t.n) p = st_flip_mde(c->t.n, 1, PAIRED_POWER_AIM, f->alpha);
        c->detectable = p;
    }
}

void family_together(Family *f) {
    if (!f->count) return;
    if (f->tests & PAIRED_POWER) find_detectable(f);
    StMaxTRow *rows = mem_alloc((size_t)f->count, sizeof *rows);
    double *mean = mem_alloc((size_t)f->count, sizeof *mean);
    bool lost = false;
    f->joint = joint_test(f, false, rows, mean);
    if (f->tests & PAIRED_FLIP) {
        share_flips(f, rows);
        adjust_flips(f);
    }
    f->floor = f->joint.status == ST_OK ? f->joint.p_min : 1;
    for (int i = 0; i < f->count; i++) {
        Comparison *c = &f->at[i];
        if (c->status == ST_OK && f->joint.status == ST_OK) c->joint = rows[i];
        assert(!(f->tests & PAIRED_FLIP) || !(c->joint.step < c->flip.p - 1e-12));
        c->decision = c->decision_ranks = decide(f, c, c->joint.step, c->t.mean);
        lost |= !c->t_decides;
    }
    if (lost && f->tests & PAIRED_RANKS) decide_on_ranks(f, rows, mean);
    free(mean);
    free(rows);
}

void family_release(Family *f) {
    for (int i = 0; i < f->count; i++) st_pairs_release(&f->at[i].pairs);
    free(f->at);
    *f = (Family){0};
}
