#include "bench/verdict/claim_verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/declare.h"
#include "bench/verdict/grid.h"
#include "bench/verdict/sensitivity.h"
#include "bench/verdict/words.h"
#include "stats/multiple.h"

static ClaimVerdict *add(ClaimVerdicts *l, const Claim *claim, const ClaimTest *test, int cell, int step) {
    l->at = mem_grow(l->at, (size_t)l->count + 1, sizeof *l->at);
    ClaimVerdict *v = &l->at[l->count++];
    *v = (ClaimVerdict){.claim = claim,
                        .test = test,
                        .cell = cell,
                        .step = step,
                        .word = WORD_NOT_RUN,
                        .interval = "",
                        .effect = (double)NAN,
                        .lo = (double)NAN,
                        .hi = (double)NAN,
                        .p = (double)NAN,
                        .p_writeup = (double)NAN,
                        .floor = 0,
                        .reported = (double)NAN};
    return v;
}

/* Why a claim's test cannot be made by any experiment here yet; false: it can be. */
static bool needs_more(const ClaimTest *t, char *why, size_t size) {
    if (t->theories) {
        snprintf(why, size, "decided by statements, not by runs: normbench run theory");
        return true;
    }
    if (!t->needs) return false;
    snprintf(why, size, "needs %.180s", t->needs);
    return true;
}

/* A metric of the test is made of a probe that the experiment does not ask for. */
static bool lacks_probe(const ClaimTest *t, const Experiment *x, char *why, size_t size) {
    Metric metric[3] = {(Metric)t->metric, t->predictor[0], t->predictor[1]};
    for (int i = t->predictors ? 1 : 0; i <= t->predictors; i++) {
        ProbeKind kind = curve_asked(metric_info[metric[i]].reads);
        if (kind == PROBE_COUNT || x->probes.wanted[kind]) continue;
        snprintf(why, size, "'%s' is not measured here, which takes probes: [%s]", metric_info[metric[i]].key,
                 probe_info[kind].name);
        return true;
    }
    return false;
}

/* The claim's arms as arms of the experiment; false names the one that is not there. */
static bool find_arms(const ClaimTest *t, const Experiment *x, Contrast *c, char *why, size_t size) {
    if (lacks_probe(t, x, why, size)) return false;
    for (int i = 0; i < t->terms; i++) {
        int arm = 0;
        while (arm < x->arms && strcmp(x->arm[arm].name, t->term[i].arm.name) != 0) arm++;
        if (arm == x->arms) {
            snprintf(why, size, "no arm '%.48s' here", t->term[i].arm.name);
            return false;
        }
        c->term[i] = (Term){.arm = arm, .weight = t->term[i].weight};
    }
    c->terms = t->terms;
    c->predicts = t->predictors;
    for (int i = 0; i < t->predictors; i++) c->predictor[i] = t->predictor[i];
    c->metric = (Metric)t->metric;
    c->grid = t->grid;
    c->best = t->terms && t->term[0].arm.best;
    c->margin = t->margin;
    c->against = isnan(t->against) ? 0 : t->against;
    return true;
}

/* The first seed's spec of a cell and arm: of its record; of the plan where no runs are read (s is NULL). */
static RunSpec spec_of(const Experiment *x, const Sample *s, int cell, int arm) {
    return s ? sample_run(s, cell, 0, arm, 0)->record->spec : experiment_spec(x, cell, arm, 0);
}

/* The cell that an arm of the claim stands in when the contrast is made at `cell`: the same one, but for the keys that
 * the arm names; of a grid the one of its lowest rate; -1: the experiment has no such cell. */
static int cell_of(const Experiment *x, const Sample *s, const ClaimArm *named, int arm, int cell, bool grid) {
    for (int i = 0, cells = experiment_cells(x); i < cells; i++) {
        int of_grid[EXPERIMENT_MOST_VALUES];
        if (grid && grid_cells(x, i, of_grid) && of_grid[0] != i) continue;
        RunSpec spec = spec_of(x, s, i, arm);
        bool same = claim_arm_holds(named, &spec);
        for (int f = 0; f < x->factors && same; f++) {
            bool free = true;
            for (int k = 0; k < named->ats; k++) free &= strcmp(named->at[k].key, x->factor[f].key) != 0;
            same = !free || experiment_level(x, i, f) == experiment_level(x, cell, f);
        }
        if (same) return i;
    }
    return -1;
}

/* Puts every arm of the contrast into its cell, spec[terms] being those of its runs; false when there is no such cell,
 * or when another cell makes the same contrast. */
static bool find_cells(const ClaimTest *t, const Experiment *x, const Sample *s, Contrast *c, RunSpec *spec) {
    for (int i = 0; i < t->terms; i++) {
        c->term[i].cell = cell_of(x, s, &t->term[i].arm, c->term[i].arm, c->cell, c->grid || c->best);
        if (c->term[i].cell < 0) return false;
        spec[i] = spec_of(x, s, c->term[i].cell, c->term[i].arm);
    }
    return c->term[0].cell == c->cell;
}

/* The step of every arm of the contrast; false when some arm is not measured there. */
static bool find_steps(const ClaimTest *t, const Sample *s, Contrast *c, int step) {
    for (int i = 0; i < c->terms; i++) {
        int own = t->term[i].arm.step;
        c->term[i].step = sample_step(s, c->term[i].cell, own ? own : step);
        if (c->term[i].step < 0) return false;
    }
    c->step = c->term[0].step;
    return true;
}

/* Whether all the runs of a contrast are evaluated at one of the claim's steps. */
static bool planned_step(const Claim *claim, const ClaimTest *t, const Contrast *c, const RunSpec *spec) {
    for (int i = 0; i < claim->steps; i++) {
        int at[SAMPLE_MOST_STEPS], with = 0;
        for (int term = 0; term < c->terms; term++) {
            int n = spec_evaluations(&spec[term], at, SAMPLE_MOST_STEPS), own = t->term[term].arm.step;
            for (int k = 0; k < n; k++) with += at[k] == (own ? own : claim->at[i]);
        }
        if (with == c->terms) return true;
    }
    return false;
}

bool claim_measured_by(const Claim *claim, const ClaimTest *t, const Experiment *x, char *why, size_t size) {
    if (needs_more(t, why, size)) return false;
    snprintf(why, size, "no cell of the claim is here");
    for (int cell = 0; cell < experiment_cells(x); cell++) {
        Contrast c = {.cell = cell};
        if (!find_arms(t, x, &c, why, size)) return false;
        RunSpec spec[CONTRAST_MOST_TERMS];
        if (!find_cells(t, x, NULL, &c, spec)) continue;
        if (!claim_holds(claim, spec, c.terms, why, size)) continue;
        if (planned_step(claim, t, &c, spec)) return true;
        snprintf(why, size, "no step of the claim is measured here");
    }
    return false;
}

/* Lists what is to be tested: a verdict per cell and step, its contrast beside it. */
static void plan_test(ClaimVerdicts *l, Contrast **what, const Claim *claim, const ClaimTest *t, const Sample *s) {
    char why[CLAIM_WHY_SIZE] = "";
    int planned = 0, found = 0;
    needs_more(t, why, sizeof why);
    for (int cell = 0; cell < s->cells && !why[0]; cell++) {
        Contrast c = {.cell = cell};
        if (!find_arms(t, s->x, &c, why, sizeof why)) break;
        RunSpec spec[CONTRAST_MOST_TERMS];
        if (!find_cells(t, s->x, s, &c, spec)) continue;
        found++;
        char differs[CLAIM_WHY_SIZE];
        if (!claim_holds(claim, spec, c.terms, differs, sizeof differs)) {
            snprintf(add(l, claim, t, cell, -1)->why, sizeof differs, "%s", differs);
            planned++;
            continue;
        }
        for (int i = 0; i < claim->steps; i++) {
            if (!find_steps(t, s, &c, claim->at[i])) continue;
            *what = mem_grow(*what, (size_t)l->family.count + 1, sizeof **what);
            (*what)[l->family.count++] = c;
            add(l, claim, t, cell, c.step);
            planned++;
        }
    }
    if (!planned)
        snprintf(add(l, claim, t, -1, -1)->why, CLAIM_WHY_SIZE, "%s",
                 why[0]  ? why
                 : found ? "no step of the claim is measured here"
                         : "no cell of the claim is here");
}

/* Nothing was tested: for lack of seeds, or of a number. */
static VerdictWord untested(const ClaimVerdict *v, const Reading *r, double alpha) {
    return r->few || v->floor >= alpha ? WORD_TOO_FEW : WORD_NOT_TESTABLE;
}

/* A claim that one side is lower or higher, decided by the p of its test. */
static void judge_difference(ClaimVerdict *v, const Reading *r, double alpha) {
    const Comparison *c = v->c;
    bool means = v->test->test->about == ST_ABOUT_difference;
    bool lower = v->effect < r->neutral, right = v->test->expects == EXPECT_change ||
                                                (v->test->expects == EXPECT_lower ? lower : v->effect > r->neutral);
    bool cap = means && c->decision_capped != c->decision;
    if (isnan(v->p))
        v->word = untested(v, r, alpha);
    else if (v->p < alpha && cap)
        v->word = WORD_INCONCLUSIVE;
    else if (v->p < alpha && !right)
        v->word = means && c->inside ? WORD_NO_EFFECT : WORD_CONTRADICTED;
    else if (v->p < alpha && !isnan(v->test->against))
        v->word = WORD_REPRODUCED; /* the number is the threshold */
    else if (v->p < alpha && isnan(v->reported))
        v->word = WORD_NO_NUMBER;
    else if (v->p < alpha)
        v->word = v->replication.inside ? WORD_REPRODUCED : WORD_DIRECTION_ONLY;
    else if (means && c->inside)
        v->word = WORD_NOT_REPRODUCED;
    else
        v->word = v->floor >= alpha ? WORD_TOO_FEW : WORD_INCONCLUSIVE;
    if (v->p < alpha && cap) snprintf(v->why, sizeof v->why, "it would rest on what a diverged run counts as");
    v->small = means && v->p < alpha && right && c->inside;
    if (v->small) snprintf(v->why, sizeof v->why, "but within %g: too small to matter", c->what.margin);
}

/* A claim of no difference: confirmed inside the margin, contradicted when the whole interval is outside of it. */
static void judge_equal(ClaimVerdict *v, const Reading *r, const Family *f) {
    const Comparison *c = v->c;
    double margin = c->what.margin;
    bool flat = c->t_decides && c->t.status == ST_DEGENERATE; /* every seed differs by the same */
    bool beyond = flat ? fabs(c->t.mean) > margin : v->lo > margin || v->hi < -margin;
    if (c->inside)
        v->word = WORD_REPRODUCED;
    else if (c->joint.step < f->alpha && beyond)
        v->word = WORD_CONTRADICTED, v->p = c->joint.step, v->floor = f->floor, v->by = "maxt";
    else if (isnan(c->inside_p) || c->status != ST_OK)
        v->word = r->few ? WORD_TOO_FEW : WORD_NOT_TESTABLE;
    else
        v->word = WORD_INCONCLUSIVE;
}

/* What the write-up reports at the verdict's step, as the test counts it. */
static double reported_here(const ClaimVerdict *v, const Sample *s) {
    const ClaimTest *t = v->test;
    RunSpec spec[CONTRAST_MOST_TERMS];
    if (!t->table || t->table->step != s->cell[v->cell].step[v->step]) return (double)NAN;
    contrast_specs(&v->c->what, s, spec);
    char why[CLAIM_WHY_SIZE];
    for (int i = 0; i < v->c->what.terms; i++)
        if (!setup_holds(t->table->setup, &spec[i], why, sizeof why)) return (double)NAN;
    double effect = reported_effect(t, spec);
    return t->test->about == ST_ABOUT_variance ? effect * effect : effect; /* standard deviations are reported */
}

static void replicate(ClaimVerdict *v, const Sample *s, const Reading *r, double conf) {
    RunSpec spec[CONTRAST_MOST_TERMS];
    contrast_specs(&v->c->what, s, spec);
    v->replication = replication_of(v->test, spec, v->reported, r, conf);
}

/* Holm over the verdicts of one test whose p's are of one comparison each. */
static void adjust(ClaimVerdicts *l, const Reading *r, const StTest *test) {
    double *p = mem_alloc((size_t)l->count, sizeof *p);
    size_t k = 0;
    for (int i = 0; i < l->count; i++)
        if (l->at[i].c && l->at[i].test->test == test && !r[i].adjusted) p[k++] = r[i].p;
    if (st_holm(p, k, p)) k = 0;
    for (int i = 0, at = 0; i < l->count && k; i++) {
        ClaimVerdict *v = &l->at[i];
        if (!v->c || v->test->test != test || r[i].adjusted) continue;
        v->p = p[at++];
        v->holm = true;
        v->floor = fmin(1, (double)k * r[i].floor);
    }
    free(p);
}

static void judge(ClaimVerdict *v, const Reading *r, const Family *f) {
    if (v->test->expects == EXPECT_equal)
        judge_equal(v, r, f);
    else
        judge_difference(v, r, f->alpha);
    StAbout about = v->test->test->about;
    if (verdict_made(v->word) && v->c->turning > 0 && (about == ST_ABOUT_difference || about == ST_ABOUT_equality)) {
        Text without;
        text_init(&without);
        decision_words(f, v->c, v->c->turned, contrast_better(&v->c->what), NULL, &without);
        size_t n = strlen(v->why);
        snprintf(v->why + n, sizeof v->why - n, "%sone seed decides (without seed %llu: %.80s)", n ? "; " : "",
                 (unsigned long long)v->c->pairs.seed[v->c->turning_seed], without.at);
        text_release(&without);
    }
    if (v->word != WORD_TOO_FEW && v->word != WORD_NOT_TESTABLE) return;
    if (r->why)
        snprintf(v->why, sizeof v->why, "%s", r->why);
    else
        snprintf(v->why, sizeof v->why, "n = %d: p cannot fall below %.3g", f->n, v->floor);
}

static bool all_declared(const ClaimVerdict *v, const Sample *s) {
    const Contrast *c = &v->c->what;
    bool all = true;
    Text line;
    text_init(&line);
    declare_claim(v->claim, &line);
    for (const Term *t = c->term; t < c->term + c->terms; t++) {
        int cell[EXPERIMENT_MOST_VALUES] = {t->cell};
        int cells = c->grid || c->best ? grid_cells(s->x, t->cell, cell) : 1;
        for (int k = 0; k < cells; k++)
            for (int seed = 0; seed < s->seeds; seed++)
                all &= declared(sample_run(s, cell[k], t->step, t->arm, seed)->record->declared, line.at);
    }
    text_release(&line);
    return all;
}

char *claim_verdict_cell(char out[256], const Experiment *x, const ClaimVerdict *v) {
    bool grid = v->c && (v->c->what.grid || v->c->what.best);
    if (!grid) return experiment_cell_text(out, x, v->cell);
    sensitivity_group(x, v->cell, out);
    return out;
}

void claim_verdicts_make(ClaimVerdicts *l, const ClaimFile *f, const Sample *s) {
    Contrast *what = NULL;
    *l = (ClaimVerdicts){0};
    for (int i = 0; i < f->claims; i++) {
        const Claim *c = &f->claim[i];
        for (int t = 0; t < c->tests; t++) plan_test(l, &what, c, &c->test[t], s);
        if (!c->tests) snprintf(add(l, c, NULL, -1, -1)->why, CLAIM_WHY_SIZE, "needs %.190s", c->needs);
    }
    family_make(&l->family, s, what, l->family.count);
    free(what);
    Reading *r = mem_alloc((size_t)l->count, sizeof *r);
    for (int i = 0, at = 0; i < l->count; i++) {
        ClaimVerdict *v = &l->at[i];
        if (v->step < 0) continue;
        v->c = &l->family.at[at++];
        v->undeclared = !all_declared(v, s);
        v->reported = reported_here(v, s);
        v->by = v->test->test->name;
        r[i] = reading_of(v->test->test, &(ReadingOf){s, &l->family, v->c, v->test->expects == EXPECT_higher});
        v->effect = r[i].effect, v->lo = r[i].lo, v->hi = r[i].hi, v->interval = r[i].interval;
        v->p = r[i].p, v->floor = r[i].floor;
    }
    for (size_t test = 0; test < st_tests_count; test++) adjust(l, r, &st_tests[test]);
    for (int i = 0; i < l->count; i++) {
        if (!l->at[i].c) continue;
        ClaimVerdict *v = &l->at[i];
        replicate(v, s, &r[i], l->family.conf);
        judge(v, &r[i], &l->family);
        size_t n = strlen(v->why);
        if (r[i].note[0]) snprintf(v->why + n, sizeof v->why - n, "%s%s", n ? "; " : "", r[i].note);
        v->replication.agrees = v->replication.inside && !(v->p < l->family.alpha);
    }
    free(r);
}

void claim_verdicts_release(ClaimVerdicts *l) {
    family_release(&l->family);
    free(l->at);
    *l = (ClaimVerdicts){0};
}
