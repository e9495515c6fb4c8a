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
static double rank(const Comparison *c, double *out) {
    StPairs turned = c->pairs;
    size_t n = turned.n;
    double sign = c->higher ? -1 : 1, scale = 0, *d = mem_alloc(n, sizeof *d);
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
    OWNED double *d = mem_alloc(k * n, sizeof *d), *scale = mem_alloc(k, sizeof *scale);
    for (size_t i = 0; i < k; i++) {
        const Comparison *c = &f->at[i];
        mean[i] = 0;
        if (c->status != ST_OK || c->what.best) continue;
        scale[i] = c->pairs.scale;
        if (ranks)
            scale[i] = rank(c, d + i * n);
        else
            memcpy(d + i * n, c->pairs.d, n * sizeof *d);
        for (size_t s = 0; s < n; s++) mean[i] += d[i * n + s] / (double)n;
    }
    StMaxT out = st_maxT(d, k, n, scale, f->left_out ? 0 : f->alpha, ranks ? f->ranks_key : f->joint_key, rows);
    return out;
}

Decision family_decide(const Family *f, const Comparison *c, double p, double mean) {
    if (c->status != ST_OK || isnan(p)) return DECISION_NOT_TESTABLE;
    if (p < f->alpha && c->inside) return mean < 0 ? DECISION_LOWER_NEGLIGIBLE : DECISION_HIGHER_NEGLIGIBLE;
    if (p < f->alpha) return mean < 0 ? DECISION_LOWER : DECISION_HIGHER;
    if (c->inside) return DECISION_EQUIVALENT;
    return f->floor >= f->alpha ? DECISION_NOT_TESTABLE : DECISION_INCONCLUSIVE;
}

void family_holm(Family *f, double *p) {
    if (st_holm(p, (size_t)f->count, p)) return;
    for (int i = 0; i < f->count; i++) f->at[i].holm = p[i];
}

static void adjust_flips(Family *f) {
    size_t k = (size_t)f->count;
    OWNED double *p = mem_alloc(k, sizeof *p), *adjusted = mem_alloc(k, sizeof *adjusted);
    for (size_t i = 0; i < k; i++) {
        const Comparison *c = &f->at[i];
        p[i] = c->status == ST_OK && c->flip.status == ST_OK ? c->flip.p : (double)NAN;
    }
    if (!st_hochberg(p, k, adjusted))
        for (size_t i = 0; i < k; i++) f->at[i].hochberg = adjusted[i];
    if (!st_bh(p, k, adjusted))
        for (size_t i = 0; i < k; i++) f->at[i].bh = adjusted[i];
    family_holm(f, p);
}

/* The decision repeated on ranks. With a diverged run only a side that both show is decided; for this check ranks are
 * not adjusted, since with distinct ranks other comparisons often reach as large a statistic. */
static void decide_on_ranks(Family *f, StMaxTRow *rows, double *mean) {
    if (joint_test(f, true, rows, mean).status != ST_OK) return;
    for (int i = 0; i < f->count; i++) {
        Comparison *c = &f->at[i];
        if (c->status != ST_OK || c->what.best) continue;
        c->joint_ranks = rows[i].step;
        c->decision_ranks = family_decide(f, c, c->joint_ranks, mean[i]);
        bool agree = rows[i].raw < f->alpha && decision_lower(c->decision) == (mean[i] < 0);
        if (!c->t_decides && decision_apart(c->decision) && !agree) c->decision = DECISION_INCONCLUSIVE;
    }
}

/* TOST's p of one comparison; where all seeds differ by the same, the limit for a vanishing spread. */
static double tost_p(const Comparison *c) {
    if (c->tost.status == ST_OK) return c->tost.p;
    return c->t.status == ST_DEGENERATE ? (fabs(c->t.mean) < c->what.margin ? 0 : 1) : (double)NAN;
}

/* p[count]: of the exact companion, NaN where there is no margin or no pairs to test. */
static void flip_inside(const Family *f, double *p) {
    size_t n = (size_t)f->n, k = 0, at = 0;
    OWNED double *d = mem_alloc((size_t)f->count * n, sizeof *d), *scale = mem_alloc((size_t)f->count, sizeof *scale);
    OWNED double *margin = mem_alloc((size_t)f->count, sizeof *margin), *out = mem_alloc((size_t)f->count, sizeof *out);
    for (int i = 0; i < f->count; i++) {
        const Comparison *c = &f->at[i];
        p[i] = (double)NAN;
        if (isnan(c->what.margin) || c->status != ST_OK || !c->t_decides) continue;
        memcpy(d + k * n, c->pairs.d, n * sizeof *d);
        scale[k] = c->pairs.scale, margin[k++] = c->what.margin;
    }
    bool made = k && !st_maxT_tost(d, k, n, scale, margin, f->left_out ? 0 : f->alpha, f->joint_key, out);
    for (int i = 0; i < f->count && made; i++) {
        const Comparison *c = &f->at[i];
        if (!isnan(c->what.margin) && c->status == ST_OK && c->t_decides) p[i] = out[at++];
    }
}

/* Which differences lie inside their margin. Every comparison with a margin costs the others, made or not. */
static void find_inside(Family *f) {
    if (f->n + f->left_out < ST_EQUAL_SEEDS) return;
    OWNED double *t = mem_alloc((size_t)f->count, sizeof *t), *flips = mem_alloc((size_t)f->count, sizeof *flips);
    size_t m = 0, at = 0;
    for (int i = 0; i < f->count; i++)
        if (!isnan(f->at[i].what.margin)) t[m++] = tost_p(&f->at[i]);
    flip_inside(f, flips);
    bool made = !st_holm(t, m, t);
    for (int i = 0; i < f->count && made; i++) {
        Comparison *c = &f->at[i];
        if (isnan(c->what.margin)) continue;
        double p = t[at++];
        c->inside_p = isnan(p) || isnan(flips[i]) ? (double)NAN : fmax(p, flips[i]);
        c->inside = c->inside_p < f->alpha;
    }
}

/* Beyond these additions and numbers intervals by sign flips would take minutes or gigabytes. */
#define INTERVAL_WORK 1e10
#define INTERVAL_NUMBERS 3e7

/* Intervals, joint and alone, of all comparisons that can be paired and have no diverged run, from the flips of the
 * test. */
static void find_intervals(Family *f) {
    size_t n = (size_t)f->n, count = (size_t)f->count, k = 0;
    double flips = n <= ST_FLIP_MAX ? ldexp(.5, f->n) : (double)f->joint.total, all = flips * (double)count;
    if (all > INTERVAL_NUMBERS || (n > ST_FLIP_MAX && all * (double)n > INTERVAL_WORK)) {
        f->no_interval = "too many seeds and comparisons to count";
        return;
    }
    OWNED double *d = mem_alloc(count * n, sizeof *d), *scale = mem_alloc(count, sizeof *scale);
    OWNED StFlipCi *together = mem_alloc(count, sizeof *together), *alone = mem_alloc(count, sizeof *alone);
    OWNED Comparison **of = mem_alloc(count, sizeof *of);
    for (size_t i = 0; i < count; i++) {
        Comparison *c = &f->at[i];
        if (c->status != ST_OK || !c->t_decides || c->what.best) continue;
        memcpy(d + k * n, c->pairs.d, n * sizeof *d);
        scale[k] = c->pairs.scale, of[k++] = c;
    }
    uint64_t draws = f->joint.total - 1; /* read where flips are drawn */
    StStatus status =
        k ? st_maxT_ci(d, k, n, scale, 1 - f->alpha, draws, f->joint_key, together, alone) : ST_OK;
    for (size_t i = 0; i < k; i++) {
        of[i]->together = together[i], of[i]->alone = alone[i];
        if (status) of[i]->together.status = of[i]->alone.status = status;
    }
}

/* Where flips were drawn, each comparison's own p comes from the family's flips too, so that no adjusted p is below
 * it. */
static void share_flips(const Family *f, const StMaxTRow *rows) {
    if (f->joint.status != ST_OK || f->joint.exact) return;
    for (int i = 0; i < f->count; i++) {
        StSignflip *flip = &f->at[i].flip;
        if (f->at[i].status != ST_OK || flip->status != ST_OK || f->at[i].what.best) continue;
        StCp cp = st_cp(rows[i].raw_count - 1, f->joint.total - 1, .95);
        flip->p = rows[i].raw, flip->count = rows[i].raw_count, flip->total = f->joint.total;
        flip->p_min = flip->p_min_here = f->joint.p_min;
        flip->p_lo = cp.lo, flip->p_hi = cp.hi;
    }
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

/* ---- the verdicts with each seed left out in turn: does one seed decide? ---- */

#define LEAVE_OUT_WORK 3e8 /* additions, about a second */

/* Pairs without one of them; released like the others. */
static StPairs pairs_without(const StPairs *p, size_t seed) {
    StPairs out = *p;
    size_t n = p->n - 1, k = 0;
    out.n = n;
    out.seed = mem_alloc(n * (sizeof *out.seed + 3 * sizeof *out.d + 1), 1);
    out.a = (double *)(out.seed + n), out.b = out.a + n, out.d = out.b + n;
    out.lost = (unsigned char *)(out.d + n);
    out.scale = out.lost_a = out.lost_b = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (i == seed) continue;
        out.seed[k] = p->seed[i], out.a[k] = p->a[i], out.b[k] = p->b[i], out.d[k] = p->d[i];
        out.lost_a += p->lost[i] & 1, out.lost_b += p->lost[i] >> 1;
        out.lost[k++] = p->lost[i];
    }
    out.scale = st_scale(out.a, out.b, n);
    return out;
}

/* What a decision needs of a comparison, without that seed. A run that diverged may be the one left out, unless it is
 * one of several arms on its side, whose pairs do not say which seed it was. */
static Comparison comparison_without(const Family *f, const Comparison *c, size_t seed) {
    Comparison out = {.what = c->what, .status = c->status, .higher = c->higher, .joint_ranks = (double)NAN};
    out.joint = (StMaxTRow){.single = (double)NAN, .step = (double)NAN};
    out.inside_p = (double)NAN;
    if (c->status != ST_OK) return out;
    if (c->what.best) { /* another seed's rates would be chosen anew: not looked at */
        out.status = ST_BAD_ARG;
        return out;
    }
    out.pairs = pairs_without(&c->pairs, seed);
    const StPairs *p = &out.pairs;
    bool known = (size_t)c->diverged_a == c->pairs.lost_a && (size_t)c->diverged_b == c->pairs.lost_b;
    out.t_decides = known ? !p->lost_a && !p->lost_b : c->t_decides;
    out.t = st_tci(p->d, p->n, p->scale, f->conf);
    if (f->tests & PAIRED_TOST) out.tost = st_tost(p->d, p->n, p->scale, -c->what.margin, c->what.margin, f->alpha);
    return out;
}

/* The verdict of every comparison with each seed left out, unless that takes too long or so few seeds cannot decide. */
static void leave_out(Family *f) {
    double n = f->n, flips = f->n - 1 <= ST_FLIP_MAX ? ldexp(1, f->n - 1) : ST_FLIP_DRAWS * n;
    double floor = ldexp(4, -f->n);
    if (f->n < 3 || floor >= f->alpha || 4 * flips * n * f->count > LEAVE_OUT_WORK || f->joint.status != ST_OK) return;
    for (int i = 0; i < f->count; i++) f->at[i].turning = f->at[i].status == ST_OK && !f->at[i].what.best ? 0 : -1;
    for (int seed = 0; seed < f->n; seed++) {
        Family g = {.tests = f->tests & (PAIRED_TOST | PAIRED_RANKS),
                    .alpha = f->alpha,
                    .conf = f->conf,
                    .n = f->n - 1,
                    .left_out = 1,
                    .joint_key = f->joint_key,
                    .ranks_key = f->ranks_key};
        family_begin(&g, f->count);
        for (int i = 0; i < f->count; i++) g.at[i] = comparison_without(f, &f->at[i], (size_t)seed);
        family_together(&g);
        for (int i = 0; i < f->count; i++) {
            Comparison *c = &f->at[i];
            if (c->status != ST_OK || c->what.best || g.at[i].decision == c->decision) continue;
            if (!c->turning++) c->turning_seed = seed, c->turned = g.at[i].decision;
        }
        family_release(&g);
    }
}

void family_together(Family *f) {
    if (!f->count) return;
    if (f->tests & PAIRED_POWER) find_detectable(f);
    OWNED StMaxTRow *rows = mem_alloc((size_t)f->count, sizeof *rows);
    OWNED double *mean = mem_alloc((size_t)f->count, sizeof *mean);
    f->joint = joint_test(f, false, rows, mean);
    if (f->tests & PAIRED_FLIP) {
        share_flips(f, rows);
        adjust_flips(f);
    }
    f->floor = f->joint.status == ST_OK ? f->joint.p_min : 1;
    if (f->tests & PAIRED_TOST) find_inside(f);
    for (int i = 0; i < f->count; i++) {
        Comparison *c = &f->at[i];
        if (c->status == ST_OK && f->joint.status == ST_OK) c->joint = c->what.best ? c->choice : rows[i];
        assert(c->what.best || !(f->tests & PAIRED_FLIP) || !(c->joint.step < c->flip.p - 1e-12));
        c->decision = c->decision_capped = c->decision_ranks = family_decide(f, c, c->joint.step, c->t.mean);
    }
    if (f->tests & PAIRED_RANKS) decide_on_ranks(f, rows, mean);
    if (f->tests & PAIRED_INTERVAL) find_intervals(f);
    if (f->tests & PAIRED_LEAVE) leave_out(f);
}

void family_release(Family *f) {
    for (int i = 0; i < f->count; i++) st_pairs_release(&f->at[i].pairs);
    free(f->anytime);
    free(f->at);
    *f = (Family){0};
}
