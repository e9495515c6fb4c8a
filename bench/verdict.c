#include "bench/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/multiple.h"

const char *decision_name(Decision d) {
    static const char *const names[] = {[DECISION_LOWER] = "lower",
                                        [DECISION_HIGHER] = "higher",
                                        [DECISION_EQUIVALENT] = "equivalent",
                                        [DECISION_INCONCLUSIVE] = "inconclusive",
                                        [DECISION_NOT_TESTABLE] = "not testable"};
    return names[d];
}

Contrast contrast_pair(int cell, int step, Metric metric, int arm, int against, double margin) {
    return (Contrast){.cell = cell,
                      .step = step,
                      .metric = metric,
                      .term = {{arm, 1, cell, step}, {against, -1, cell, step}},
                      .terms = 2,
                      .margin = margin};
}

void contrast_specs(const Contrast *c, const Experiment *x, RunSpec spec[CONTRAST_MOST_TERMS]) {
    for (int i = 0; i < c->terms; i++) spec[i] = experiment_spec(x, c->term[i].cell, c->term[i].arm, 0);
}

/* Every contrast has its own stream of random numbers, named by what it compares. */
static StKey key_of(const Sample *s, const Contrast *c) {
    char name[512], head[17];
    int n = snprintf(name, sizeof name, "cell %d step %d %s", c->cell, s->cell[c->cell].step[c->step],
                     metric_info[c->metric].key);
    for (int i = 0; i < c->terms; i++) {
        const Term *t = &c->term[i];
        n += snprintf(name + n, sizeof name - (size_t)n, " %g %.40s", t->weight, s->x->arm[t->arm].name);
        if (t->cell != c->cell) n += snprintf(name + n, sizeof name - (size_t)n, " in %d", t->cell);
    }
    snprintf(head, sizeof head, "%.16s", s->x->plan);
    return (StKey){.plan = strtoull(head, NULL, 16), .stream = name_stream(name)};
}

/* One side of a contrast for one seed: the weighted sum of the arms on it. A side that is one plain arm keeps its
 * divergence, so that the pairing can rank it. */
static StRun side_run(const Sample *s, const Contrast *c, int seed, bool positive, bool *lost) {
    StRun run = {.seed = s->x->seed[seed], .state = ST_RUN_OK};
    double weight = 0;
    int arms = 0;
    *lost = false;
    for (int i = 0; i < c->terms; i++) {
        const SampleRun *one = sample_run(s, c->term[i].cell, c->term[i].step, c->term[i].arm, seed);
        if ((c->term[i].weight > 0) != positive) continue;
        run.value += fabs(c->term[i].weight) * one->value[c->metric];
        *lost |= one->diverged;
        weight += fabs(c->term[i].weight);
        arms++;
    }
    if (*lost && arms == 1 && weight == 1) run.state = ST_RUN_DIVERGED;
    return run;
}

static void pair(Comparison *c, const Sample *s) {
    StRun *a = mem_alloc((size_t)s->seeds, sizeof *a), *b = mem_alloc((size_t)s->seeds, sizeof *b);
    for (int seed = 0; seed < s->seeds; seed++) {
        bool lost_a, lost_b;
        a[seed] = side_run(s, &c->what, seed, true, &lost_a);
        b[seed] = side_run(s, &c->what, seed, false, &lost_b);
        c->diverged_a += lost_a, c->diverged_b += lost_b;
        c->only_a += lost_a && !lost_b, c->only_b += lost_b && !lost_a;
    }
    const RunRecord *any = sample_run(s, c->what.cell, c->what.step, c->what.term[0].arm, 0)->record;
    c->pairs = st_pair(a, (size_t)s->seeds, b, (size_t)s->seeds, sample_cap(any, c->what.metric));
    c->status = c->pairs.status;
    if (c->pairs.fault == ST_PAIR_NO_CAP) c->status = ST_NONFINITE_INPUT;
    free(a);
    free(b);
}

/* d for each seed and each whole batch of validation windows; a last batch that is not whole is left out. */
static StCrossed cross(const Comparison *c, const Sample *s) {
    const Contrast *w = &c->what;
    const RunRecord *any = sample_run(s, w->cell, w->step, w->term[0].arm, 0)->record;
    const int at = s->cell[w->cell].step[w->step];
    const Evaluation *first = record_at(any, at);
    long block = (long)any->spec.batch * (long)any->spec.context;
    int blocks = first ? (int)(first->targets / block) : 0;
    if (w->metric != METRIC_valid_loss || !c->t_decides || blocks < 1) return (StCrossed){.status = ST_BAD_ARG};
    double *d = mem_alloc((size_t)s->seeds * (size_t)blocks, sizeof *d);
    StCrossed out = {.status = ST_BAD_ARG};
    bool fits = true;
    for (int seed = 0; seed < s->seeds; seed++)
        for (int i = 0; i < w->terms; i++) {
            const Term *t = &w->term[i];
            const Evaluation *v = record_at(sample_run(s, t->cell, t->step, t->arm, seed)->record, at);
            fits &= v && v->blocks >= blocks;
            for (int b = 0; fits && b < blocks; b++) d[seed * blocks + b] += w->term[i].weight * v->block[b];
        }
    if (fits) out = st_crossed(d, (size_t)s->seeds, (size_t)blocks, c->pairs.scale, 1 - s->x->alpha);
    free(d);
    return out;
}

/* Everything that one comparison says alone. */
static void test_alone(Comparison *c, const Sample *s, double alpha) {
    const StPairs *p = &c->pairs;
    StKey key = key_of(s, &c->what);
    double conf = 1 - alpha;
    c->discordant = st_mcnemar((uint64_t)c->only_a, (uint64_t)c->only_b);
    c->t_decides = !c->diverged_a && !c->diverged_b;
    c->joint = (StMaxTRow){.single = (double)NAN, .step = (double)NAN};
    c->holm = c->joint_ranks = (double)NAN;
    if (c->status != ST_OK) {
        c->t.status = c->flip.status = c->boot.status = c->effect.status = c->tost.status = c->variance.status =
            c->status;
        return;
    }
    c->t = st_tci(p->d, p->n, p->scale, conf);
    c->flip = st_signflip(p->d, p->n, p->scale, ST_TWO_SIDED, key);
    c->boot = st_boot(p->d, p->n, p->scale, conf, key);
    c->effect = st_effect(p->a, p->b, p->n);
    c->tost = st_tost(p->d, p->n, p->scale, -c->what.margin, c->what.margin, alpha);
    c->variance = st_pitman_morgan(p->a, p->b, p->n);
    c->crossed = cross(c, s);
}

/* d or its ranks of every comparison, a row of zeros where there are none: it costs nothing and is never extreme. */
static StMaxT joint_test(const Family *f, const Sample *s, bool ranks, StMaxTRow *rows) {
    size_t n = (size_t)s->seeds, k = (size_t)f->count;
    double *d = mem_alloc(k * n, sizeof *d), *scale = mem_alloc(k, sizeof *scale);
    for (size_t i = 0; i < k; i++) {
        const Comparison *c = &f->at[i];
        if (c->status != ST_OK) continue;
        scale[i] = ranks ? 0 : c->pairs.scale;
        if (!ranks || st_pairs_ranks(&c->pairs, d + i * n)) memcpy(d + i * n, c->pairs.d, n * sizeof *d);
        if (ranks && !scale[i])
            for (size_t j = 0; j < n; j++) scale[i] = fmax(scale[i], fabs(d[i * n + j]));
    }
    StKey key = {.plan = key_of(s, &f->at[0].what).plan, .stream = name_stream(ranks ? "family ranks" : "family")};
    StMaxT out = st_maxT(d, k, n, scale, key, rows);
    free(d);
    free(scale);
    return out;
}

static Decision decide(const Comparison *c, double p, double floor, double alpha) {
    if (c->status != ST_OK || isnan(p)) return DECISION_NOT_TESTABLE;
    if (p < alpha) return c->t.mean < 0 ? DECISION_LOWER : DECISION_HIGHER;
    bool same =
        c->t_decides && (c->tost.equivalent || (c->t.status == ST_DEGENERATE && fabs(c->t.mean) < c->what.margin));
    if (same) return DECISION_EQUIVALENT;
    return floor >= alpha ? DECISION_NOT_TESTABLE : DECISION_INCONCLUSIVE;
}

/* Adjusted p's into the comparisons. */
static void test_together(Family *f, const Sample *s) {
    size_t k = (size_t)f->count;
    StMaxTRow *rows = mem_alloc(k, sizeof *rows);
    double *p = mem_alloc(k, sizeof *p);
    bool lost = false;
    f->joint = joint_test(f, s, false, rows);
    for (size_t i = 0; i < k; i++) {
        Comparison *c = &f->at[i];
        p[i] = c->status == ST_OK && c->flip.status == ST_OK ? c->flip.p : (double)NAN;
        if (c->status == ST_OK && f->joint.status == ST_OK) c->joint = rows[i];
        lost |= !c->t_decides;
    }
    if (!st_holm(p, k, p))
        for (size_t i = 0; i < k; i++) f->at[i].holm = p[i];
    f->floor = f->joint.status == ST_OK ? f->joint.p_min : 1;
    StMaxT ranks = {.status = ST_BAD_ARG};
    if (lost) ranks = joint_test(f, s, true, rows);
    for (size_t i = 0; i < k; i++) {
        Comparison *c = &f->at[i];
        c->decision = c->decision_ranks = decide(c, c->joint.step, f->floor, f->alpha);
        if (c->t_decides || c->status != ST_OK || ranks.status != ST_OK || metric_info[c->what.metric].better > 0)
            continue;
        c->joint_ranks = rows[i].step;
        c->decision_ranks = decide(c, c->joint_ranks, f->floor, f->alpha);
    }
    free(rows);
    free(p);
}

void family_make(Family *f, const Sample *s, const Contrast *what, int count) {
    *f = (Family){.alpha = s->x->alpha, .n = s->seeds, .floor = 1, .count = count};
    f->at = mem_alloc((size_t)count + 1, sizeof *f->at);
    for (int i = 0; i < count; i++) {
        f->at[i].what = what[i];
        pair(&f->at[i], s);
        test_alone(&f->at[i], s, f->alpha);
    }
    if (count) test_together(f, s);
}

void family_release(Family *f) {
    for (int i = 0; i < f->count; i++) st_pairs_release(&f->at[i].pairs);
    free(f->at);
    *f = (Family){0};
}

void verdict_tied(const Sample *s, int cell, int step, Metric metric, double alpha, bool *tied) {
    enum { MOST_FLIPS = 1 << 26 };
    int best = -1, better = metric_info[metric].better, pairs = s->arms * (s->arms - 1) / 2, n = 0;
    double top = 0;
    memset(tied, 0, (size_t)s->arms * sizeof *tied);
    for (int arm = 0; arm < s->arms; arm++) {
        SampleArm a = sample_arm(s, cell, step, arm, metric);
        if (a.status != ST_OK) return;
        if (best < 0 || (better < 0 ? a.mean < top : a.mean > top)) best = arm, top = a.mean;
    }
    double flips = pairs * ldexp(1, s->seeds < ST_FLIP_MAX ? s->seeds : 17);
    if (!better || s->seeds < 2 || s->arms < 2 || flips > MOST_FLIPS) return;
    Family f = {.alpha = alpha, .count = pairs, .at = mem_alloc((size_t)pairs, sizeof *f.at)};
    StMaxTRow *rows = mem_alloc((size_t)pairs, sizeof *rows);
    for (int a = 0; a < s->arms; a++)
        for (int b = a + 1; b < s->arms; b++) {
            f.at[n].what = contrast_pair(cell, step, metric, a, b, 1);
            pair(&f.at[n++], s);
        }
    StMaxT joint = joint_test(&f, s, false, rows);
    if (joint.status == ST_OK && joint.p_min < alpha)
        for (int arm = 0; arm < s->arms; arm++) tied[arm] = true;
    for (int i = 0; i < n && tied[best]; i++) {
        int a = f.at[i].what.term[0].arm, b = f.at[i].what.term[1].arm;
        if (rows[i].step < alpha && (a == best || b == best)) tied[a == best ? b : a] = false;
    }
    family_release(&f);
    free(rows);
}
