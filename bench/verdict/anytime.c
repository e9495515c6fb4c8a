#include "bench/verdict/anytime.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/multiple.h"

enum { CONTINUATIONS = 400 };

/* p's after every seed of every comparison: [count][n]; 1 where there is no test. lower: [count][n], the side that the
 * smallest p of `apart` so far shows. */
typedef struct {
    double *apart, *inside;
    bool *lower;
} Paths;

/* The place of the first seed with a diverged run; 0 where a side of several arms does not say which it is. */
static size_t first_diverged(const Comparison *c) {
    const StPairs *x = &c->pairs;
    bool known = (size_t)c->diverged_a == x->lost_a && (size_t)c->diverged_b == x->lost_b;
    size_t at = 0;
    while (known && at < x->n && !x->lost[at]) at++;
    return at;
}

/* Return the sign of a seed's difference, a diverged run being worse than any other; 0: both sides diverged, or are
 * tied. */
static double sign_of(const Comparison *c, size_t i) {
    const StPairs *x = &c->pairs;
    double worse = c->higher ? -1 : 1;
    if (x->lost[i]) return x->lost[i] == 3 ? 0 : x->lost[i] == 1 ? worse : -worse;
    return fabs(x->d[i]) <= st_tol(x->scale) ? 0 : x->d[i] > 0 ? 1 : -1;
}

/* From the first diverged run on take the larger p of the capped differences and of their signs alone, which no cap
 * decides, where both show one side; what the seeds before have shown stays. */
static void require_signs(const Comparison *c, double *apart) {
    size_t n = c->pairs.n, first = first_diverged(c);
    OWNED double *sign = mem_alloc(n, sizeof *sign), *p = mem_alloc(n, sizeof *p);
    double sum = 0, signs = 0, least = 1;
    for (size_t k = 0; k < n; k++) sign[k] = sign_of(c, k);
    st_anytime_path(sign, n, 1, p);
    for (size_t k = 0; k < n; k++) {
        sum += c->pairs.d[k], signs += sign[k];
        bool agree = (sum < 0) == (signs < 0);
        double now = k < first ? apart[k] : agree ? fmax(apart[k], p[k]) : 1;
        apart[k] = least = fmin(least, now);
    }
}

/* Which side the mean was on where p fell to its smallest so far: later seeds turn no decision. */
static void find_sides(const Comparison *c, const double *apart, bool *lower) {
    double sum = 0;
    for (size_t k = 0; k < c->pairs.n; k++) {
        sum += c->pairs.d[k];
        lower[k] = !k || apart[k] < apart[k - 1] ? sum < 0 : lower[k - 1];
    }
}

static void paths_make(Paths *p, const Family *f) {
    size_t n = (size_t)f->n;
    for (int i = 0; i < f->count; i++) {
        const Comparison *c = &f->at[i];
        const StPairs *x = &c->pairs;
        double *apart = p->apart + (size_t)i * n, *inside = p->inside + (size_t)i * n;
        bool margin = !isnan(c->what.margin) && c->t_decides;
        bool ok = c->status == ST_OK && !st_anytime_path(x->d, n, x->scale, apart);
        bool in = ok && margin && !st_anytime_inside_path(x->d, n, x->scale, c->what.margin, inside);
        for (size_t k = 0; k < n; k++) {
            if (!ok) apart[k] = 1;
            if (!in || k + 1 < ST_EQUAL_SEEDS) inside[k] = 1;
        }
        if (ok && !c->t_decides) require_signs(c, apart);
        if (ok) find_sides(c, apart, p->lower + (size_t)i * n);
    }
}

/* Holm's p's after k + 1 seeds. p: [count]. */
static void holm(const Family *f, const double *path, size_t k, double *p) {
    for (int i = 0; i < f->count; i++) p[i] = path[(size_t)i * (size_t)f->n + k];
    st_holm(p, (size_t)f->count, p);
}

static Decision decide(const Family *f, const Anytime *a, bool lower) {
    bool apart = a->p <= f->alpha, inside = a->inside_p <= f->alpha;
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
    Paths paths = {mem_alloc(all, sizeof *paths.apart), mem_alloc(all, sizeof *paths.inside),
                   mem_alloc(all, sizeof *paths.lower)};
    OWNED bool *lower = mem_alloc((size_t)f->count, sizeof *lower);
    double *apart = mem_alloc((size_t)f->count, sizeof *apart), *inside = mem_alloc((size_t)f->count, sizeof *inside);
    paths_make(&paths, f);
    for (int i = 0; i < f->count; i++)
        out[i] = (Anytime){.status = f->at[i].status,
                           .p = 1,
                           .mean = (double)NAN,
                           .ci = {f->at[i].status != ST_OK ? f->at[i].status : ST_BAD_ARG, (double)NAN, (double)NAN},
                           .need = {.status = ST_BAD_ARG}};
    for (size_t k = 0; k < n; k++) {
        holm(f, paths.apart, k, apart);
        holm(f, paths.inside, k, inside);
        for (int i = 0; i < f->count; i++) {
            Anytime *a = &out[i];
            if (!(a->p <= f->alpha)) lower[i] = paths.lower[(size_t)i * n + k];
            a->p = apart[i], a->inside_p = inside[i];
            a->alone_p = paths.apart[(size_t)i * n + k];
            if (!a->at && fmin(a->p, a->inside_p) <= f->alpha) a->at = (int)k + 1;
        }
    }
    for (int i = 0; i < f->count; i++) {
        const Comparison *c = &f->at[i];
        Anytime *a = &out[i];
        if (a->status == ST_OK) a->mean = mean_of(c->pairs.d, c->pairs.n);
        a->decision = a->status == ST_OK ? decide(f, a, lower[i]) : DECISION_NOT_TESTABLE;
        if (isnan(c->what.margin) || !c->t_decides) a->inside_p = (double)NAN;
        if (a->status != ST_OK) a->p = a->alone_p = (double)NAN;
    }
    free(inside);
    free(apart);
    free(paths.lower);
    free(paths.inside);
    free(paths.apart);
}

/* The seeds that the signs take too, where they decide with the differences. */
static void need_signs(const Comparison *c, int most, double level, StAnytimeNeed *need) {
    size_t n = c->pairs.n;
    OWNED double *sign = mem_alloc(n, sizeof *sign);
    for (size_t k = 0; k < n; k++) sign[k] = sign_of(c, k);
    StAnytimeNeed signs = st_anytime_need(sign, n, 1, (double)NAN, level, (size_t)most, CONTINUATIONS, c->key);
    if (signs.median > need->median) need->median = signs.median;
    if (signs.late > need->late) need->late = signs.late;
    need->decided = fmin(need->decided, signs.decided);
}

/* Join ends that rounding alone sets apart: all differences are the same. */
static void join_ends(const Comparison *c, double mean, StInterval *ci) {
    double middle = (ci->lo + ci->hi) / 2;
    if (ci->status != ST_OK || ci->hi - ci->lo > 8 * st_tol(c->pairs.scale)) return;
    ci->lo = ci->hi = mean >= ci->lo && mean <= ci->hi ? mean : middle;
}

/* The interval and what is still needed, of one that could be paired. */
static void alone(const Family *f, const Comparison *c, int most, Anytime *a) {
    const StPairs *x = &c->pairs;
    double level = f->alpha / f->count, margin = c->t_decides ? c->what.margin : (double)NAN;
    if (c->t_decides) a->ci = st_anytime_ci(x->d, x->n, x->scale, 1 - level);
    join_ends(c, a->mean, &a->ci);
    if (a->at) return;
    a->need = st_anytime_need(x->d, x->n, x->scale, margin, level, (size_t)most, CONTINUATIONS, c->key);
    if (!c->t_decides && a->need.status == ST_OK) need_signs(c, most, level, &a->need);
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
    anytime_decisions(f, f->anytime);
    for (int i = 0; i < f->count; i++)
        if (f->anytime[i].status == ST_OK) alone(f, &f->at[i], most, &f->anytime[i]);
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
