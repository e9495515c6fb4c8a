#include "bench/verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verdict/anytime.h"
#include "bench/verdict/grid.h"
#include "bench/verdict/translations.h"

void contrast_specs(const Contrast *c, const Sample *s, RunSpec spec[CONTRAST_TERMS_MAX]) {
    for (int i = 0; i < c->terms; i++) {
        const Term *t = &c->term[i];
        spec[i] = sample_run(s, t->cell, t->step, t->arm, 0)->record->spec;
    }
}

static uint64_t plan_key(const Sample *s) {
    char head[17];
    snprintf(head, sizeof head, "%.16s", s->x->plan);
    return strtoull(head, NULL, 16);
}

/* Every contrast has its own stream of random numbers, named by what it compares. */
static StKey key_of(const Sample *s, const Contrast *c) {
    LOCAL_TEXT(name);
    text_format(&name, "cell %d step %d %s", c->cell, s->cell[c->cell].step[c->step], metric_info[c->metric].key);
    for (int i = 0; i < c->terms; i++) {
        const Term *t = &c->term[i];
        text_format(&name, " %g %.40s", t->weight, s->x->arm[t->arm].name);
        if (t->cell != c->cell) text_format(&name, " in %d", t->cell);
    }
    if (c->grid) text_format(&name, " %s", grid_info[c->grid].key);
    return (StKey){.plan = plan_key(s), .stream = name_stream(name.at)};
}

/* Copies of what the engine reads of a sample, made anew for each comparison. */
typedef struct {
    uint64_t *seed;
    double *value;            /* [terms][seeds] */
    bool *diverged, *stalled; /* [terms][seeds] */
    const double **block;     /* [terms][seeds] */
    const SampleRun **run;    /* [seeds] */
} Copies;

/* The validation blocks of every run, where all have them: losses only, and no last block that is not whole. */
static void find_blocks(const Sample *s, const Contrast *w, Copies *k, PairedRuns *in) {
    const int at = s->cell[w->cell].step[w->step];
    const RunRecord *any = sample_run(s, w->cell, w->step, w->term[0].arm, 0)->record;
    const Evaluation *first = record_at(any, at);
    long block = (long)any->spec.batch * (long)any->spec.context;
    bool plain = !w->grid && !w->best && !(w->against != 0) && w->terms > 1;
    int blocks = first && plain && w->metric == METRIC_valid_loss ? (int)(first->targets / block) : 0;
    for (int i = 0; i < w->terms; i++)
        for (int seed = 0; seed < s->seeds && blocks; seed++) {
            const Term *t = &w->term[i];
            const Evaluation *v = record_at(sample_run(s, t->cell, t->step, t->arm, seed)->record, at);
            if (!v || v->blocks < blocks) return;
            k->block[i * s->seeds + seed] = v->block;
        }
    in->blocks = blocks;
}

/* Whether a plain difference is one of runs from themselves. */
static bool same_runs(const Sample *s, const Contrast *w) {
    const Term *a = &w->term[0], *b = &w->term[1];
    bool plain = w->terms == 2 && !w->grid && !w->best && !w->predicts && !(w->against != 0);
    if (!plain || a->weight + b->weight != 0 || a->step != b->step) return false;
    for (int seed = 0; seed < s->seeds; seed++)
        if (strcmp(sample_run(s, a->cell, a->step, a->arm, seed)->record->id,
                   sample_run(s, b->cell, b->step, b->arm, seed)->record->id) != 0)
            return false;
    return true;
}

static void gather(const Sample *s, const Contrast *w, Copies *k, PairedRuns *in) {
    const RunRecord *any = sample_run(s, w->cell, w->step, w->term[0].arm, 0)->record;
    StKey key = key_of(s, w);
    *in = (PairedRuns){.n = s->seeds,
                       .seed = k->seed,
                       .arms = w->terms,
                       .against = w->against,
                       .cap = w->grid ? (double)NAN : metric_uniform(w->metric, any),
                       .higher = w->grid ? grid_info[w->grid].better > 0 : metric_info[w->metric].better > 0,
                       .same = same_runs(s, w),
                       .flip = key,
                       .ranks = key,
                       .boot = key,
                       .pigeonhole = key};
    for (int i = 0; i < w->terms; i++) {
        const Term *t = &w->term[i];
        grid_judged(s, w, t, k->run);
        in->one |= s->seeds > 1 && spec_fixed(&sample_run(s, t->cell, t->step, t->arm, 0)->record->spec);
        for (int seed = 0; seed < s->seeds; seed++) {
            const SampleRun *run = k->run[seed];
            k->value[i * s->seeds + seed] = w->predicts ? (double)NAN
                                            : w->grid   ? grid_value(w->grid, s, t, seed)
                                                        : run->value[w->metric];
            k->diverged[i * s->seeds + seed] = run->diverged;
            k->stalled[i * s->seeds + seed] = run->stalled;
        }
        in->arm[i] = (PairedArm){.weight = t->weight,
                                 .value = k->value + i * s->seeds,
                                 .diverged = w->grid ? NULL : k->diverged + i * s->seeds,
                                 .stalled = w->grid ? NULL : k->stalled + i * s->seeds,
                                 .block = k->block + i * s->seeds};
    }
    find_blocks(s, w, k, in);
}

static void compare_all(Family *f, const Sample *s, const Contrast *what, int count) {
    size_t most = (size_t)s->seeds * CONTRAST_TERMS_MAX;
    Copies k = {.seed = mem_alloc((size_t)s->seeds, sizeof *k.seed),
                .value = mem_alloc(most, sizeof *k.value),
                .diverged = mem_alloc(most, sizeof *k.diverged),
                .stalled = mem_alloc(most, sizeof *k.stalled),
                .block = mem_alloc(most, sizeof *k.block),
                .run = mem_alloc((size_t)s->seeds, sizeof *k.run)};
    PairedRuns in;
    for (int seed = 0; seed < s->seeds; seed++) k.seed[seed] = s->x->seed[seed];
    f->n = s->seeds;
    f->joint_key = (StKey){.plan = plan_key(s), .stream = name_stream("family")};
    f->ranks_key = (StKey){.plan = plan_key(s), .stream = name_stream("family ranks")};
    family_begin(f, count);
    for (int i = 0; i < count; i++) {
        f->at[i].what = what[i];
        gather(s, &what[i], &k, &in);
        comparison_make(f, &f->at[i], &in);
    }
    if (s->x->most) {
        anytime_decide(f, s->x->most);
    } else {
        grid_test(f, s);
        translations_cross(f, s);
        family_together(f);
    }
    free(k.seed);
    free(k.value);
    free(k.diverged);
    free(k.stalled);
    free(k.block);
    free(k.run);
}

void family_make(Family *f, const Sample *s, const Contrast *what, int count) {
    *f = (Family){.tests = PAIRED_T | PAIRED_FLIP | PAIRED_BOOT | PAIRED_EFFECT | PAIRED_TOST | PAIRED_DIVERGED |
                           PAIRED_VARIANCE | PAIRED_CROSSED | PAIRED_RANKS | PAIRED_INTERVAL | PAIRED_LEAVE,
                  .alpha = s->x->alpha,
                  .conf = 1 - s->x->alpha};
    if (s->x->most) f->tests = PAIRED_T | PAIRED_EFFECT | PAIRED_DIVERGED;
    compare_all(f, s, what, count);
}

void verdict_tied(const Sample *s, int cell, int step, Metric metric, double alpha, bool *tied) {
    enum { FLIPS_MAX = 1 << 26 };
    int best = -1, better = metric_info[metric].better, pairs = s->arms * (s->arms - 1) / 2, n = 0;
    double top = 0;
    memset(tied, 0, (size_t)s->arms * sizeof *tied);
    for (int arm = 0; arm < s->arms; arm++) {
        SampleArm a = sample_arm(s, cell, step, arm, metric);
        if (a.status != ST_OK) return;
        if (best < 0 || (better < 0 ? a.mean < top : a.mean > top)) best = arm, top = a.mean;
    }
    double flips = pairs * ldexp(1, s->seeds <= ST_FLIP_MAX ? s->seeds : 17);
    if (!better || s->seeds < 2 || s->arms < 2 || flips > FLIPS_MAX || s->x->most) return;
    OWNED Contrast *what = mem_alloc((size_t)pairs, sizeof *what);
    for (int a = 0; a < s->arms; a++)
        for (int b = a + 1; b < s->arms; b++) what[n++] = contrast_pair(cell, step, metric, a, b, 1);
    Family f = {.tests = PAIRED_T, .alpha = alpha, .conf = 1 - alpha};
    compare_all(&f, s, what, pairs);
    if (f.floor < alpha)
        for (int arm = 0; arm < s->arms; arm++) tied[arm] = true;
    for (int i = 0; i < n && tied[best]; i++) {
        int a = what[i].term[0].arm, b = what[i].term[1].arm;
        if (f.at[i].joint.step < alpha && (a == best || b == best)) tied[a == best ? b : a] = false;
    }
    family_release(&f);
}
