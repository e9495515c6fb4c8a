#include "bench/verdict/corpora.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/verdict/grouping.h"

/* Where an arm's runs on a corpus begin. */
static size_t place(const CorporaSum *c, int arm, int corpus) {
    return ((size_t)arm * (size_t)c->corpora + (size_t)corpus) * (size_t)c->seeds;
}

/* A score within rounding of zero is zero, as stats/status.h has it. */
static void find_scores(CorporaSum *c, const double *value) {
    c->scale = st_scale(value, NULL, place(c, c->arms, 0));
    double tol = st_tol(c->scale);
    for (int k = 0; k < c->corpora; k++) {
        double base = st_mean(value + place(c, c->baseline, k), (size_t)c->seeds);
        for (int arm = 0; arm < c->arms; arm++)
            for (int s = 0; s < c->seeds; s++) {
                double d = value[place(c, arm, k) + (size_t)s] - base;
                c->score[place(c, arm, k) + (size_t)s] = fabs(d) <= tol ? 0 : d;
            }
    }
}

/* The smallest ranks first: numbers of which more is better are turned. */
static void find_ranks(CorporaSum *c, const double *value) {
    size_t arms = (size_t)c->arms, corpora = (size_t)c->corpora;
    double *x = mem_alloc(arms * corpora, sizeof *x), sign = c->higher ? -1 : 1;
    for (int arm = 0; arm < c->arms; arm++)
        for (int k = 0; k < c->corpora; k++)
            x[(size_t)arm * corpora + (size_t)k] = sign * st_mean(value + place(c, arm, k), (size_t)c->seeds);
    c->ranks = st_friedman(x, arms, corpora, c->alpha, c->key, c->mean_rank, c->pair);
    free(x);
}

void corpora_sum(CorporaSum *c, const CorporaIn *in) {
    size_t arms = (size_t)in->arms, runs = (size_t)in->corpora * (size_t)in->seeds;
    *c = (CorporaSum){.arms = in->arms,
                      .corpora = in->corpora,
                      .seeds = in->seeds,
                      .baseline = in->baseline,
                      .higher = in->higher,
                      .alpha = in->alpha,
                      .key = in->key};
    c->score = mem_alloc(arms * runs, sizeof *c->score);
    c->iqm = mem_alloc(arms, sizeof *c->iqm);
    c->mean_rank = mem_alloc(arms, sizeof *c->mean_rank);
    c->pair = mem_alloc(arms * arms, sizeof *c->pair);
    for (int arm = 0; arm < c->arms; arm++) c->mean_rank[arm] = (double)NAN;
    find_scores(c, in->value);
    for (int arm = 0; arm < c->arms; arm++) {
        const double *base = arm == c->baseline ? NULL : c->score + place(c, c->baseline, 0);
        c->iqm[arm] = st_task_iqm(c->score + place(c, arm, 0), base, (size_t)c->corpora, (size_t)c->seeds,
                                  1 - c->alpha, c->key);
    }
    find_ranks(c, in->value);
}

void corpora_sum_release(CorporaSum *c) {
    free(c->score);
    free(c->iqm);
    free(c->mean_rank);
    free(c->pair);
    *c = (CorporaSum){0};
}

/* Where more is better, scores and taus are turned: at least tau is at most -tau of what is turned. */
void corpora_profile(const CorporaSum *c, int arm, const double *tau, int taus, StBand *band) {
    size_t runs = (size_t)c->corpora * (size_t)c->seeds, n = (size_t)taus;
    double *x = mem_alloc(runs, sizeof *x), *at = mem_alloc(n, sizeof *at), sign = c->higher ? -1 : 1;
    OWNED StBand *found = mem_alloc(n, sizeof *found);
    for (size_t i = 0; i < runs; i++) x[i] = sign * c->score[place(c, arm, 0) + i];
    for (size_t i = 0; i < n; i++) {
        at[i] = sign * tau[c->higher ? n - 1 - i : i];
        found[i] = (StBand){(double)NAN, (double)NAN, (double)NAN};
    }
    (void)st_performance(x, (size_t)c->corpora, (size_t)c->seeds, c->scale, at, n, 1 - c->alpha, c->key, found);
    for (size_t i = 0; i < n; i++) band[i] = found[c->higher ? n - 1 - i : i];
    free(at);
    free(x);
}

/* Of which a token is the unit, and tokens differ between corpora. */
static Metric summed_up(Metric m) {
    return m == METRIC_valid_loss || m == METRIC_perplexity ? METRIC_bits_per_byte : m;
}

static const Factor *datasets_of(const Experiment *x, int *at) {
    for (*at = 0; *at < x->factors; ++*at)
        if (!strcmp(x->factor[*at].key, "dataset")) return &x->factor[*at];
    return NULL;
}

static void fill_group(Corpora *c, const Sample *s, const Grouping *g, int group, int factor) {
    double *value = mem_alloc((size_t)s->arms * (size_t)c->corpora * (size_t)s->seeds, sizeof *value);
    for (int cell = 0; cell < s->cells; cell++) {
        if (grouping_group(g, cell) != group) continue;
        int corpus = experiment_level(s->x, cell, factor);
        grouping_text(g, cell, c->group[group]);
        for (int arm = 0; arm < s->arms; arm++)
            for (int seed = 0; seed < s->seeds; seed++) {
                const SampleRun *run = sample_run(s, cell, s->cell[cell].steps - 1, arm, seed);
                value[(arm * c->corpora + corpus) * s->seeds + seed] = run->value[c->metric];
                c->diverged[group * s->arms + arm] += run->diverged;
            }
    }
    corpora_sum(&c->sum[group], &(CorporaIn){.arms = s->arms,
                                             .corpora = c->corpora,
                                             .seeds = s->seeds,
                                             .baseline = s->baseline,
                                             .higher = metric_info[c->metric].better > 0,
                                             .alpha = s->x->alpha,
                                             .value = value,
                                             .key = {name_stream(s->x->plan), name_stream("corpora")}});
    free(value);
}

bool corpora_make(Corpora *c, const Sample *s) {
    static const char *const within[] = {"dataset"};
    int at;
    const Factor *f = datasets_of(s->x, &at);
    if (!s->x->summary[SUMMARY_corpora] || !f) return false;
    Grouping g = grouping_of(s->x, within, 1);
    *c = (Corpora){.metric = summed_up(s->x->metric), .groups = g.groups, .corpora = f->values};
    c->corpus = mem_alloc((size_t)f->values, sizeof *c->corpus);
    for (int i = 0; i < f->values; i++) c->corpus[i] = f->value[i];
    c->group = mem_alloc((size_t)c->groups, sizeof *c->group);
    c->sum = mem_alloc((size_t)c->groups, sizeof *c->sum);
    c->diverged = mem_alloc((size_t)c->groups * (size_t)s->arms, sizeof *c->diverged);
    for (int group = 0; group < c->groups; group++) fill_group(c, s, &g, group, at);
    return true;
}

void corpora_release(Corpora *c) {
    for (int i = 0; i < c->groups; i++) corpora_sum_release(&c->sum[i]);
    free(c->sum);
    free(c->diverged);
    free(c->group);
    free(c->corpus);
    *c = (Corpora){0};
}
