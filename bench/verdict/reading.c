#include "bench/verdict/reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/verdict/grid.h"
#include "bench/verdict/token_hits.h"
#include "stats/predictors.h"
#include "stats/status.h"

const char *const interval_words[] = {
#define INTERVAL(id, words) [INTERVAL_##id] = words,
#include "bench/verdict/intervals.def"
#undef INTERVAL
};

typedef Reading ReadFunction(const ReadingOf *of, Reading r);

/* The mean difference and its interval: t's, or the one that holds at every stop. */
static Reading mean_difference(const Comparison *c, Reading r) {
    double against = c->what.against;
    r.effect = c->t.mean + against;
    r.neutral = against;
    if (!r.interval) r.interval = INTERVAL_t;
    if (c->t_decides && c->t.status == ST_OK) {
        r.lo = c->t.lo + against, r.hi = c->t.hi + against;
        if (!isnan(c->t.df)) r.se = c->t.se, r.df = c->t.df;
    }
    return r;
}

/* p where the status is fine. withheld: it means nothing once a run diverged. */
static Reading with_p(Reading r, const Comparison *c, StStatus status, double p, bool withheld) {
    r.why = withheld && !c->t_decides ? "a run diverged" : status != ST_OK ? st_status_text(status) : NULL;
    if (!r.why) r.p = p;
    return r;
}

static Reading read_t(const ReadingOf *of, Reading r) {
    const StTci *t = &of->c->t;
    return with_p(mean_difference(of->c, r), of->c, t->status, t->p, true);
}

static Reading read_signflip(const ReadingOf *of, Reading r) {
    const StSignflip *f = &of->c->flip;
    return with_p(mean_difference(of->c, r), of->c, f->status, f->p, false);
}

static Reading read_wilcoxon(const ReadingOf *of, Reading r) {
    const StPairs *p = &of->c->pairs;
    StWilcoxon w = st_wilcoxon(p->d, p->n, p->scale, of->c->key);
    r.floor = w.status == ST_OK ? w.p_min : r.floor;
    return with_p(mean_difference(of->c, r), of->c, w.status, w.p, false);
}

static Reading read_maxt(const ReadingOf *of, Reading r) {
    r.floor = of->family->floor; /* 0 where seeds are added until it is decided */
    return with_p(mean_difference(of->c, r), of->c, of->family->joint.status, of->c->joint.step, false);
}

/* The t interval takes the chosen rates as given. */
static Reading read_choice(const ReadingOf *of, Reading r) {
    r = mean_difference(of->c, r);
    r.interval = INTERVAL_rates_given;
    if (of->family->choice.status == ST_OK) r.floor = of->family->choice.p_min;
    return with_p(r, of->c, of->family->choice.status, of->c->choice.step, false);
}

static Reading read_holm(const ReadingOf *of, Reading r) {
    return with_p(mean_difference(of->c, r), of->c, of->c->flip.status, of->c->holm, false);
}

static Reading read_hochberg(const ReadingOf *of, Reading r) {
    return with_p(mean_difference(of->c, r), of->c, of->c->flip.status, of->c->hochberg, false);
}

static Reading read_bh(const ReadingOf *of, Reading r) {
    return with_p(mean_difference(of->c, r), of->c, of->c->flip.status, of->c->bh, false);
}

static Reading read_omnibus(const ReadingOf *of, Reading r) {
    const Sample *s = of->sample;
    const Contrast *w = &of->c->what;
    size_t k = (size_t)w->terms, n = (size_t)s->seeds;
    OWNED double *x = mem_alloc(k * n, sizeof *x);
    for (size_t i = 0; i < k; i++)
        for (size_t seed = 0; seed < n; seed++) {
            const Term *t = &w->term[i];
            x[i * n + seed] = sample_run(s, t->cell, t->step, t->arm, (int)seed)->value[w->metric];
        }
    StOmnibus o = st_omnibus(x, k, n, of->c->key);
    if (o.status == ST_OK) r.floor = o.p_min;
    return with_p(mean_difference(of->c, r), of->c, o.status, o.p, false);
}

/* Below ST_BOOT_DECIDES seeds the bootstrap finds differences by chance far too often. */
static Reading resampled(const ReadingOf *of, Reading r, double p) {
    const StBoot *b = &of->c->boot;
    r = mean_difference(of->c, r);
    r.lo = r.hi = (double)NAN;
    if (b->status == ST_OK && of->c->t_decides) r.lo = b->percentile.lo, r.hi = b->percentile.hi;
    r.interval = INTERVAL_bootstrap;
    r = with_p(r, of->c, b->status, p, true);
    if (r.why || b->n >= ST_BOOT_DECIDES) return r;
    r.why = "the bootstrap decides nothing below ten seeds";
    r.p = (double)NAN;
    return r;
}

static Reading read_boot_pct(const ReadingOf *of, Reading r) {
    return resampled(of, r, of->c->boot.pct.p);
}

static Reading read_boot_shift(const ReadingOf *of, Reading r) {
    return resampled(of, r, of->c->boot.shift.p);
}

/* One-sided, on the side that the claim expects. */
static Reading read_boot_koehn(const ReadingOf *of, Reading r) {
    double not_lower = of->c->boot.koehn.p;
    return resampled(of, r, of->higher ? 1 - not_lower : not_lower);
}

static Reading read_tost(const ReadingOf *of, Reading r) {
    const Comparison *c = of->c;
    r = with_p(mean_difference(c, r), c, isnan(c->inside_p) ? ST_DEGENERATE : ST_OK, c->inside_p, true);
    if (!r.why || !c->t_decides) return r;
    r.why = of->family->n < ST_EQUAL_SEEDS ? "below 8 seeds nothing is called equal" : st_status_text(c->tost.status);
    return r;
}

static Reading read_crossed(const ReadingOf *of, Reading r) {
    const StCrossed *x = &of->c->crossed;
    r.effect = of->c->t.mean;
    r.interval = INTERVAL_crossed;
    if (of->c->what.metric != METRIC_valid_loss) {
        r.why = "only the validation loss is stored by blocks of text";
        return r;
    }
    if (x->status == ST_OK) r.effect = x->mean, r.lo = x->lo, r.hi = x->hi, r.se = x->se, r.df = x->df;
    return with_p(r, of->c, x->status, x->p, true);
}

/* Difference between the shares of seeds whose run diverged. */
static Reading diverged_share(const ReadingOf *of, Reading r, StStatus status, double p, double floor) {
    r.effect = (double)(of->c->diverged_a - of->c->diverged_b) / of->sample->seeds;
    r.floor = floor;
    return with_p(r, of->c, status, p, false);
}

static Reading read_mcnemar(const ReadingOf *of, Reading r) {
    const StMcnemar *m = &of->c->mcnemar;
    return diverged_share(of, r, m->status, m->p, m->p_min);
}

/* (b - c)/N is the difference of the accuracies, so the flips that decide are those of the comparison; the counts must
 * be there, since whoever names this test is shown them. */
static Reading read_mcnemar_targets(const ReadingOf *of, Reading r) {
    const StSignflip *f = &of->c->flip;
    TokenHits t;
    const char *why = token_hits_make(&t, of->sample, &of->c->what);
    r = mean_difference(of->c, r);
    if (!why) {
        token_hits_release(&t);
        return with_p(r, of->c, f->status, f->p, true);
    }
    r.why = why;
    return r;
}

/* Difference between the shares of seeds whose run stalled or diverged. */
static Reading read_mcnemar_stall(const ReadingOf *of, Reading r) {
    const Comparison *c = of->c;
    r.effect = (double)(c->stalled_a - c->stalled_b) / of->sample->seeds;
    r.floor = c->stall.p_min;
    return with_p(r, c, c->stall.status, c->stall.p, false);
}

static Reading read_fisher(const ReadingOf *of, Reading r) {
    const StFisher *f = &of->c->fisher;
    return diverged_share(of, r, f->status, f->p, f->p_min);
}

static Reading variance_ratio(const ReadingOf *of, Reading r, const StVariance *v) {
    r.neutral = 1;
    if (v->status == ST_OK) r.effect = v->ratio;
    return with_p(r, of->c, v->status, v->p, true);
}

static Reading read_levene(const ReadingOf *of, Reading r) {
    const StPairs *p = &of->c->pairs;
    StVariance v = st_levene(p->a, p->n, p->b, p->n);
    return variance_ratio(of, r, &v);
}

/* By swaps of the arms within seeds, with the seed left out that supports it most: one seed never decides. */
static Reading read_pitman_morgan(const ReadingOf *of, Reading r) {
    StVariance v = of->c->pitman_morgan;
    v.p = v.p_left_out;
    if (v.status == ST_OK) r.floor = v.p_min;
    return variance_ratio(of, r, &v);
}

static const char not_stored[] = "a run's record lacks it: not measured, or stored without its curves";

/* Why a run of the contrast has no number. */
static const char *why_no_number(const ReadingOf *of) {
    const Contrast *w = &of->c->what;
    for (int i = 0; i < w->terms; i++) {
        const Term *t = &w->term[i];
        if (sample_arm(of->sample, t->cell, t->step, t->arm, w->metric).lacking) return not_stored;
    }
    bool diverged = of->c->diverged_a || of->c->diverged_b;
    return diverged ? "a diverged run has no such number" : "a run's record does not have it";
}

/* The runs of a contrast's arms at all their rates, as st_predictors wants them. */
typedef struct {
    double *x[2]; /* [seeds][runs], x[0] own_count all */
    unsigned char *failed;
    size_t runs; /* of a seed */
    bool lacking;
} Explained;

static void explained_make(Explained *k, const ReadingOf *of) {
    const Sample *s = of->sample;
    const Contrast *w = &of->c->what;
    int cell[EXPERIMENT_VALUES_MAX];
    for (int i = 0; i < w->terms; i++) k->runs += (size_t)grid_cells(s->x, w->term[i].cell, cell);
    size_t n = k->runs * (size_t)s->seeds, at = 0;
    k->x[0] = mem_alloc(2 * n, sizeof **k->x), k->x[1] = k->x[0] + n;
    k->failed = mem_alloc(n, sizeof *k->failed);
    for (int seed = 0; seed < s->seeds; seed++)
        for (int i = 0; i < w->terms; i++)
            for (int j = 0, rates = grid_cells(s->x, w->term[i].cell, cell); j < rates; j++, at++) {
                const SampleRun *run = sample_run(s, cell[j], s->cell[cell[j]].steps - 1, w->term[i].arm, seed);
                for (int p = 0; p < 2; p++) {
                    double x = metric_first(w->predictor[p], &run->record->curves);
                    k->lacking |= metric_lacking(w->predictor[p], run->record);
                    k->x[p][at] = x > ST_HUGE ? ST_HUGE : x; /* an output that is not finite changed the most */
                }
                k->failed[at] = run->diverged || run->stalled;
            }
}

static void explained_note(const Contrast *w, const StPredictors *x, Reading *r) {
    if (!x->failed || x->failed == x->runs) {
        snprintf(r->note, sizeof r->note, "%s run of %zu failed", x->failed ? "every" : "no", x->runs);
        return;
    }
    const char *split = x->separated[0] && x->separated[1] ? "; both split them without a miss"
                        : x->separated[0]                  ? "; the first splits them without a miss"
                        : x->separated[1]                  ? "; the second splits them without a miss"
                                                           : "";
    snprintf(r->note, sizeof r->note, "deviance %.1f, with %s %.1f, with %s %.1f; %zu of %zu runs failed%s",
             x->null_deviance, metric_info[w->predictor[0]].key, x->deviance[0], metric_info[w->predictor[1]].key,
             x->deviance[1], x->failed, x->runs, split);
}

/* The effect is the deviance that the second metric leaves less that of the first. */
static Reading read_predictors(const ReadingOf *of, Reading r) {
    Explained k = {0};
    explained_make(&k, of);
    StPredictors x =
        st_predictors(k.x[0], k.x[1], k.failed, (size_t)of->sample->seeds, k.runs, of->family->conf, of->c->key);
    r = with_p(r, of->c, x.status, x.p, false);
    if (x.status == ST_NONFINITE_INPUT) r.why = k.lacking ? not_stored : "a run stopped before its first update";
    if (x.status == ST_OK) {
        r.effect = x.difference, r.floor = x.p_min, explained_note(&of->c->what, &x, &r);
        if (isfinite(x.lo)) r.lo = x.lo, r.hi = x.hi, r.interval = INTERVAL_flips;
    }
    free(k.x[0]);
    free(k.failed);
    return r;
}

/* In the order of st_tests. */
static ReadFunction *const readings[] = {
#define TEST(name, about, what, source, floor, reading) read_##reading,
#include "stats/tests.def"
#undef TEST
};

/* Whether a test is one of those whose p's stand for stopped seeds too (anytime_decide). */
static bool holds_at_stops(const StTest *test) {
    ReadFunction *const those[] = {read_signflip, read_maxt, read_holm, read_tost};
    bool is = false;
    for (size_t i = 0; i < sizeof those / sizeof *those; i++) is |= readings[test - st_tests] == those[i];
    return is;
}

/* Tests of divergence need no number of a diverged run; without pairs the others have nothing to say. */
Reading reading_of(const StTest *test, const ReadingOf *of) {
    size_t n = (size_t)of->family->n, m = (size_t)of->family->count;
    bool divergence =
        test->about == ST_ABOUT_divergence || test->about == ST_ABOUT_stall || test->about == ST_ABOUT_predictor;
    Reading r = {.p = (double)NAN,
                 .floor = test->floor ? test->floor(n, m) : 0,
                 .effect = (double)NAN,
                 .lo = (double)NAN,
                 .hi = (double)NAN,
                 .se = (double)NAN,
                 .df = (double)NAN};
    if (of->family->anytime) r.interval = INTERVAL_anytime, r.floor = 0;
    if (of->family->anytime && !holds_at_stops(test)) {
        r.why = "seeds were added until it was decided, and this test is of a fixed number";
        return r;
    }
    if (of->c->status == ST_OK || divergence) return readings[test - st_tests](of, r);
    r.why = why_no_number(of);
    r.floor = 0;
    return r;
}
