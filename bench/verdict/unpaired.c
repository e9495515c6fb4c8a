/* What two arms without common seeds say, alone and together. */
#include "bench/verdict/unpaired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/multiple.h"

#define CHANCE_DRAWS 10000

/* Both arms one behind the other. */
typedef struct {
    size_t na, nb;
    double *value; /* [na + nb], a diverged run at the cap */
    double *rank;  /* [na + nb], a diverged run the worst of all */
} Pool;

static void pool_init(Pool *p, const PairedRuns *in) {
    size_t n = 0;
    *p = (Pool){.na = (size_t)in->arm[0].n, .nb = (size_t)in->arm[1].n};
    p->value = mem_alloc(p->na + p->nb, sizeof *p->value);
    p->rank = mem_alloc(p->na + p->nb, sizeof *p->rank);
    OWNED double *scored = mem_alloc(p->na + p->nb, sizeof *scored);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < in->arm[k].n; i++, n++) {
            bool lost = in->arm[k].diverged[i];
            p->value[n] = lost ? in->cap : in->arm[k].value[i];
            scored[n] = !lost ? in->arm[k].value[i] : in->higher ? -(double)INFINITY : (double)INFINITY;
        }
    st_midranks(scored, n, st_tol(st_scale(scored, NULL, n)), p->rank);
}

static void pool_release(Pool *p) {
    free(p->value);
    free(p->rank);
}

/* The relabelling's p at no shift, in the place of the sign flips'. */
static StSignflip as_flip(const StRelabel *r) {
    StShare p = st_relabel_p(r, 0, ST_TWO_SIDED);
    StSignflip out = {.status = r->status,
                      .n = r->na + r->nb,
                      .exact = r->exact,
                      .p = p.p,
                      .count = p.count,
                      .total = p.total,
                      .p_min = r->p_min,
                      .p_min_here = r->p_min,
                      .p_lo = p.p,
                      .p_hi = p.p};
    if (r->status == ST_OK && !r->exact) {
        StCp less = st_cp((p.count - 1) / 2, p.total - 1, .95);
        out.p_lo = fmin(1, 2 * less.lo), out.p_hi = fmin(1, 2 * less.hi);
    }
    return out;
}

static StFlipCi as_interval(const StRelabel *r, double conf) {
    StInterval ci = st_relabel_ci(r, conf);
    return (StFlipCi){ci.status, conf, ci.lo, ci.hi};
}

/* The larger p of the four one-sided tests that put the difference inside the margin, not adjusted. */
static double inside(const Comparison *c, const StRelabel *r) {
    double margin = c->what.margin;
    if (isnan(margin) || !c->t_decides || r->na < ST_EQUAL_SEEDS || r->nb < ST_EQUAL_SEEDS) return (double)NAN;
    double welch = c->tost.status == ST_OK ? c->tost.p : fabs(c->t.mean) < margin ? 0 : 1; /* without any spread */
    double above = st_relabel_p(r, -margin, ST_GREATER).p, below = st_relabel_p(r, margin, ST_LESS).p;
    return fmax(welch, fmax(above, below));
}

static int count(const bool *which, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) k += which[i];
    return k;
}

static StFisher fisher(int a, int na, int b, int nb) {
    return st_fisher((uint64_t)a, (uint64_t)(na - a), (uint64_t)b, (uint64_t)(nb - b));
}

/* Diverged and stalled runs. */
static void count_lost(Comparison *c, const PairedRuns *in) {
    c->diverged_a = count(in->arm[0].diverged, in->arm[0].n), c->diverged_b = count(in->arm[1].diverged, in->arm[1].n);
    c->fisher = fisher(c->diverged_a, in->arm[0].n, c->diverged_b, in->arm[1].n);
    c->t_decides = !c->diverged_a && !c->diverged_b;
    c->stalled_a = c->stalled_b = c->only_stalled_a = c->only_stalled_b = -1;
    if (!in->arm[0].stalled) return;
    c->stalled_a = count(in->arm[0].stalled, in->arm[0].n), c->stalled_b = count(in->arm[1].stalled, in->arm[1].n);
    StFisher f = fisher(c->stalled_a, in->arm[0].n, c->stalled_b, in->arm[1].n);
    c->stall = (StMcnemar){.status = f.status, .p = f.p, .p_min = f.p_min};
}

static double farthest(const double *x, size_t n) {
    double mean = 0, far = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) far = fmax(far, fabs(x[i] - mean));
    return far;
}

/* How far off one more run of either arm would undo an equality. */
static void find_room(Comparison *c, const double *a, size_t na, const double *b, size_t nb, double alpha) {
    double margin = c->what.margin;
    c->room_a = st_welch_tost_room(a, na, b, nb, -margin, margin, alpha);
    c->room_b = st_welch_tost_room(b, nb, a, na, -margin, margin, alpha);
    c->far_a = farthest(a, na), c->far_b = farthest(b, nb);
}

/* What only pairs have. */
static void no_pairs(Comparison *c) {
    c->wilcoxon.status = c->boot.status = c->effect.status = c->posterior.status = c->pitman_morgan.status =
        c->crossed.status = c->joined.status = c->pigeonhole.status = c->sd.status = c->power.status =
            c->seeds_needed.status = c->seeds_least.status = c->seeds_most.status = c->detectable.status = ST_BAD_ARG;
    c->effect.vr = c->effect.skew = c->effect.median = (double)NAN;
    c->joint = (StMaxTRow){.single = (double)NAN, .step = (double)NAN};
    c->holm = c->hochberg = c->bh = c->joint_ranks = (double)NAN;
    c->turning = -1;
}

/* P(better), whose bootstrap needs both arms to have runs on either side. */
static StChance chance(const Pool *p, const PairedRuns *in, double conf) {
    OWNED double *turned = mem_alloc(p->na + p->nb, sizeof *turned);
    for (size_t i = 0; i < p->na + p->nb; i++) turned[i] = in->higher ? -p->rank[i] : p->rank[i];
    StChance out = st_chance_unpaired(turned, p->na, turned + p->na, p->nb, conf, CHANCE_DRAWS, in->boot);
    return out;
}

void unpaired_make(const Family *f, Comparison *c, const PairedRuns *in) {
    Pool p;
    pool_init(&p, in);
    no_pairs(c);
    count_lost(c, in);
    c->higher = in->higher;
    c->key = in->flip;
    c->n_a = in->arm[0].n, c->n_b = in->arm[1].n;
    const double *a = p.value, *b = p.value + p.na;
    double margin = c->what.margin;
    StRelabel r = st_relabel(a, p.na, b, p.nb, in->flip);
    StRelabel ranks = st_relabel(p.rank, p.na, p.rank + p.na, p.nb, in->ranks);
    c->status = r.status;
    c->t = st_welch(a, p.na, b, p.nb, f->conf);
    c->tost = st_welch_tost(a, p.na, b, p.nb, -margin, margin, f->alpha);
    find_room(c, a, p.na, b, p.nb, f->alpha);
    c->levene = st_levene(a, p.na, b, p.nb);
    c->flip = as_flip(&r);
    c->rank_test = as_flip(&ranks);
    c->rank_mean = ranks.mean;
    c->alone = as_interval(&r, 1 - f->alpha);
    c->together = as_interval(&r, 1 - f->alpha / f->count);
    c->inside_p = inside(c, &r);
    c->chance = chance(&p, in, f->conf);
    if (isnan(c->chance.share)) /* too many pairs to resample: of the mean ranks */
        c->chance.share = .5 + (in->higher ? 1 : -1) * ranks.mean / (double)(p.na + p.nb);
    st_relabel_release(&ranks);
    st_relabel_release(&r);
    pool_release(&p);
}

/* Holm over the family, of which of(c) is one comparison's p; NaN where it was not made. p: [count]. */
static void holm(const Family *f, double (*of)(const Comparison *), double *p) {
    for (int i = 0; i < f->count; i++) p[i] = of(&f->at[i]);
    st_holm(p, (size_t)f->count, p);
}

static double p_of_means(const Comparison *c) {
    return c->status == ST_OK ? c->flip.p : (double)NAN;
}

static double p_of_ranks(const Comparison *c) {
    return c->status == ST_OK ? c->rank_test.p : (double)NAN;
}

static double p_of_inside(const Comparison *c) {
    return c->inside_p;
}

/* With a diverged run only a side that the ranks show too. */
static void decide(Family *f, Comparison *c) {
    c->decision = c->decision_capped = family_decide(f, c, c->joint.step, c->t.mean);
    c->decision_ranks = family_decide(f, c, c->joint_ranks, c->rank_mean);
    bool agree = c->rank_test.p < f->alpha && decision_lower(c->decision) == (c->rank_mean < 0);
    if (!c->t_decides && decision_apart(c->decision) && !agree) c->decision = DECISION_INCONCLUSIVE;
}

void unpaired_together(Family *f) {
    size_t k = (size_t)f->count;
    OWNED double *means = mem_alloc(k, sizeof *means), *ranks = mem_alloc(k, sizeof *ranks);
    double *same = mem_alloc(k, sizeof *same), least = 1;
    holm(f, p_of_means, means);
    holm(f, p_of_ranks, ranks);
    holm(f, p_of_inside, same);
    f->joint = (StMaxT){.status = ST_OK, .k = k, .exact = true};
    for (int i = 0; i < f->count; i++) {
        const Comparison *c = &f->at[i];
        if (c->status != ST_OK) continue;
        least = fmin(least, c->flip.p_min);
        f->joint.exact &= c->flip.exact;
    }
    f->floor = f->joint.p_min = fmin(1, (double)f->count * least);
    for (int i = 0; i < f->count; i++) {
        Comparison *c = &f->at[i];
        c->joint.step = c->holm = means[i], c->joint_ranks = ranks[i], c->inside_p = same[i];
        c->inside = c->inside_p < f->alpha;
        decide(f, c);
    }
    free(same);
}
