#include "bench/verdict/anytime.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/multiple.h"

enum { CONTINUATIONS = 400 };

/* p's after every seed of every comparison: [count][n]; 1 where there is no test. */
typedef struct {
    double *apart, *inside;
} Paths;

static void paths_make(Paths *p, const Family *f) {
    size_t n = (size_t)f->n;
    for (int i = 0; i < f->count; i++) {
        const Comparison *c = &f->at[i];
        const StPairs *x = &c->pairs;
        double *apart = p->apart + (size_t)i * n, *inside = p->inside + (size_t)i * n;
        bool margin = !isnan(c->what.margin) && c->t_decides;
        bool ok = c->status == ST_OK && !st_anytime_path(x->d, n, x->scale, ST_TWO_SIDED, apart);
        bool in = ok && margin && !st_anytime_inside_path(x->d, n, x->scale, c->what.margin, inside);
        for (size_t k = 0; k < n; k++) {
            if (!ok) apart[k] = 1;
            if (!in || k + 1 < ST_EQUAL_SEEDS) inside[k] = 1;
        }
    }
}

/* Holm's p's after k + 1 seeds. p: [count]. */
static void holm(const Family *f, const double *path, size_t k, double *p) {
    for (int i = 0; i < f->count; i++) p[i] = path[(size_t)i * (size_t)f->n + k];
    st_holm(p, (size_t)f->count, p);
}

static Decision decide(const Family *f, const Anytime *a) {
    bool apart = a->p <= f->alpha, inside = a->inside_p <= f->alpha, lower = a->mean < 0;
    if (apart && inside) return lower ? DECISION_LOWER_NEGLIGIBLE : DECISION_HIGHER_NEGLIGIBLE;
    if (apart) return lower ? DECISION_LOWER : DECISION_HIGHER;
    return inside ? DECISION_EQUIVALENT : DECISION_INCONCLUSIVE;
}

static double mean_of(const double *d, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += d[i];
    return sum / (double)n;
}

void anytime_decisions(const Family *f, Anytime *out) {
    size_t n = (size_t)f->n, all = n * (size_t)f->count;
    Paths paths = {mem_alloc(all, sizeof *paths.apart), mem_alloc(all, sizeof *paths.inside)};
    double *apart = mem_alloc((size_t)f->count, sizeof *apart), *inside = mem_alloc((size_t)f->count, sizeof *inside);
    paths_make(&paths, f);
    for (int i = 0; i < f->count; i++)
        out[i] = (Anytime){.status = f->at[i].status,
                           .mean = (double)NAN,
                           .ci = {f->at[i].status != ST_OK ? f->at[i].status : ST_BAD_ARG, (double)NAN, (double)NAN},
                           .need = {.status = ST_BAD_ARG}};
    for (size_t k = 0; k < n; k++) {
        holm(f, paths.apart, k, apart);
        holm(f, paths.inside, k, inside);
        for (int i = 0; i < f->count; i++) {
            Anytime *a = &out[i];
            a->p = apart[i], a->inside_p = inside[i];
            a->alone_p = paths.apart[(size_t)i * n + k];
            if (!a->at && fmin(a->p, a->inside_p) <= f->alpha) a->at = (int)k + 1;
        }
    }
    for (int i = 0; i < f->count; i++) {
        const Comparison *c = &f->at[i];
        Anytime *a = &out[i];
        if (a->status == ST_OK) a->mean = mean_of(c->pairs.d, c->pairs.n);
        a->decision = a->status == ST_OK ? decide(f, a) : DECISION_NOT_TESTABLE;
        if (isnan(c->what.margin) || !c->t_decides) a->inside_p = (double)NAN;
        if (a->status != ST_OK) a->p = a->alone_p = (double)NAN;
    }
    free(inside);
    free(apart);
    free(paths.inside);
    free(paths.apart);
}

/* The interval and what is still needed, of one that could be paired. */
static void alone(const Family *f, const Comparison *c, int most, Anytime *a) {
    const StPairs *x = &c->pairs;
    double level = f->alpha / f->count, margin = c->t_decides ? c->what.margin : (double)NAN;
    a->ci = st_anytime_ci(x->d, x->n, x->scale, 1 - level);
    if (!a->at) a->need = st_anytime_need(x->d, x->n, x->scale, margin, level, (size_t)most, CONTINUATIONS, c->key);
}

void anytime_make(const Family *f, int most, Anytime *out) {
    anytime_decisions(f, out);
    for (int i = 0; i < f->count; i++)
        if (out[i].status == ST_OK) alone(f, &f->at[i], most, &out[i]);
}

/* What is no longer said of a comparison: p's of counts, which are of a fixed number of runs too. */
static void forget_fixed(Comparison *c) {
    c->mcnemar = c->stall = (StMcnemar){.status = ST_BAD_ARG, .p = (double)NAN, .p_min = (double)NAN};
    c->fisher = (StFisher){.status = ST_BAD_ARG, .p = (double)NAN, .p_min = (double)NAN};
    c->wilcoxon.status = c->boot.status = c->tost.status = c->pitman_morgan.status = c->levene.status =
        c->crossed.status = c->pigeonhole.status = c->joined.status = c->chance.status = c->posterior.status =
            c->power.status = c->seeds_needed.status = c->sd.status = c->together.status = c->alone.status = ST_BAD_ARG;
    c->choice = (StMaxTRow){.single = (double)NAN, .step = (double)NAN};
    c->hochberg = c->bh = c->joint_ranks = (double)NAN;
    c->turning = -1;
}

void anytime_decide(Family *f, int most) {
    f->anytime = mem_alloc((size_t)f->count + 1, sizeof *f->anytime);
    anytime_make(f, most, f->anytime);
    f->joint = (StMaxT){.status = ST_OK};
    f->floor = 0;
    for (int i = 0; i < f->count; i++) {
        const Anytime *a = &f->anytime[i];
        Comparison *c = &f->at[i];
        forget_fixed(c);
        c->t.lo = a->ci.lo, c->t.hi = a->ci.hi, c->t.p = c->t.t = c->t.df = (double)NAN;
        c->t.status = a->status != ST_OK ? a->status : a->ci.status;
        c->flip = (StSignflip){.status = a->status, .p = a->alone_p, .p_min = (double)NAN};
        c->joint = (StMaxTRow){.single = a->p, .step = a->p};
        c->holm = a->p, c->inside_p = a->inside_p, c->inside = a->inside_p <= f->alpha;
        c->decision = c->decision_capped = c->decision_ranks = a->decision;
    }
}
