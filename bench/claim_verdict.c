#include "bench/claim_verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/declare.h"
#include "stats/multiple.h"

const char *verdict_word(VerdictWord w) {
    static const char *const words[] = {[WORD_REPRODUCED] = "reproduced",
                                        [WORD_DIRECTION_ONLY] = "direction only",
                                        [WORD_NOT_REPRODUCED] = "not reproduced",
                                        [WORD_CONTRADICTED] = "contradicted",
                                        [WORD_INCONCLUSIVE] = "inconclusive",
                                        [WORD_NOT_TESTABLE] = "not testable",
                                        [WORD_NOT_RUN] = "not run"};
    return words[w];
}

static ClaimVerdict *add(Ledger *l, const Claim *claim, const ClaimTest *test, int cell, int step) {
    l->at = mem_grow(l->at, (size_t)l->count + 1, sizeof *l->at);
    ClaimVerdict *v = &l->at[l->count++];
    *v = (ClaimVerdict){.claim = claim,
                        .test = test,
                        .cell = cell,
                        .step = step,
                        .word = WORD_NOT_RUN,
                        .effect = (double)NAN,
                        .lo = (double)NAN,
                        .hi = (double)NAN,
                        .p = (double)NAN,
                        .floor = 0,
                        .reported = (double)NAN};
    return v;
}

static bool made_here(const ClaimTest *t) {
    return t->metric >= 0 && t->test &&
           (!strcmp(t->test, "maxt") || !strcmp(t->test, "tost") || !strcmp(t->test, "pitman-morgan"));
}

/* The claim's arms as arms of the experiment; false names the one that is not there. */
static bool find_arms(const ClaimTest *t, const Experiment *x, Contrast *c, char *why, size_t size) {
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
    c->metric = (Metric)t->metric;
    c->margin = t->margin;
    return true;
}

/* The cell that an arm of the claim stands in when the contrast is made at `cell`: the same one, but for the keys that
 * the arm names; -1: the experiment has no such cell. */
static int cell_of(const Experiment *x, const ClaimArm *named, int arm, int cell) {
    for (int i = 0, cells = experiment_cells(x); i < cells; i++) {
        RunSpec spec = experiment_spec(x, i, arm, 0);
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

/* Puts every arm of the contrast into its cell; false when there is none, or when another cell makes the same one. */
static bool find_cells(const ClaimTest *t, const Experiment *x, Contrast *c) {
    for (int i = 0; i < t->terms; i++) {
        c->term[i].cell = cell_of(x, &t->term[i].arm, c->term[i].arm, c->cell);
        if (c->term[i].cell < 0) return false;
    }
    return c->term[0].cell == c->cell;
}

/* Whether all the runs are of the claim's set-up. */
static bool of_setup(const Claim *claim, const Experiment *x, const Contrast *c, char *differs, size_t size) {
    RunSpec spec[CONTRAST_MOST_TERMS];
    contrast_specs(c, x, spec);
    for (int i = 0; i < c->terms; i++)
        if (!setup_holds(claim->setup, &spec[i], differs, size)) return false;
    return true;
}

/* The step of every arm of the contrast; false when some arm is not measured there. */
static bool find_steps(const Sample *s, Contrast *c, int step) {
    for (int i = 0; i < c->terms; i++) {
        c->term[i].step = sample_step(s, c->term[i].cell, step);
        if (c->term[i].step < 0) return false;
    }
    c->step = c->term[0].step;
    return true;
}

/* Whether all the runs of a contrast are evaluated at one of the claim's steps. */
static bool planned_step(const Claim *claim, const Experiment *x, const Contrast *c) {
    RunSpec spec[CONTRAST_MOST_TERMS];
    contrast_specs(c, x, spec);
    for (int i = 0; i < claim->steps; i++) {
        int at[SAMPLE_MOST_STEPS], with = 0;
        for (int term = 0; term < c->terms; term++) {
            int n = spec_evaluations(&spec[term], at, SAMPLE_MOST_STEPS);
            for (int k = 0; k < n; k++) with += at[k] == claim->at[i];
        }
        if (with == c->terms) return true;
    }
    return false;
}

bool claim_measured_by(const Claim *claim, const ClaimTest *t, const Experiment *x, char *why, size_t size) {
    if (!made_here(t) || t->needs) {
        snprintf(why, size, "needs %.180s", t->needs ? t->needs : "another kind of table");
        return false;
    }
    snprintf(why, size, "no cell of the claim is here");
    for (int cell = 0; cell < experiment_cells(x); cell++) {
        Contrast c = {.cell = cell};
        if (!find_arms(t, x, &c, why, size)) return false;
        if (!find_cells(t, x, &c) || !of_setup(claim, x, &c, why, size)) continue;
        if (planned_step(claim, x, &c)) return true;
        snprintf(why, size, "no step of the claim is measured here");
    }
    return false;
}

/* Lists what is to be tested: a verdict per cell and step, its contrast beside it. */
static void plan_test(Ledger *l, Contrast **what, const Claim *claim, const ClaimTest *t, const Sample *s) {
    char why[200] = "";
    int planned = 0, found = 0;
    if (!made_here(t) || t->needs)
        snprintf(why, sizeof why, "needs %.180s", t->needs ? t->needs : "another kind of table");
    for (int cell = 0; cell < s->cells && !why[0]; cell++) {
        Contrast c = {.cell = cell};
        if (!find_arms(t, s->x, &c, why, sizeof why)) break;
        if (!find_cells(t, s->x, &c)) continue;
        found++;
        char differs[200];
        if (!of_setup(claim, s->x, &c, differs, sizeof differs)) {
            snprintf(add(l, claim, t, cell, -1)->why, sizeof differs, "%s", differs);
            planned++;
            continue;
        }
        for (int i = 0; i < claim->steps; i++) {
            if (!find_steps(s, &c, claim->at[i])) continue;
            *what = mem_grow(*what, (size_t)l->family.count + 1, sizeof **what);
            (*what)[l->family.count++] = c;
            add(l, claim, t, cell, c.step);
            planned++;
        }
    }
    if (!planned)
        snprintf(add(l, claim, t, -1, -1)->why, 200, "%s",
                 why[0]  ? why
                 : found ? "no step of the claim is measured here"
                         : "no cell of the claim is here");
}

/* A claim of a difference, decided by the family's adjusted p. */
static void judge_difference(ClaimVerdict *v, const Family *f) {
    const Comparison *c = v->c;
    bool right = v->test->expects == EXPECT_lower ? c->t.mean < 0 : c->t.mean > 0;
    v->p = c->joint.step;
    v->floor = f->floor;
    if (c->decision == DECISION_NOT_TESTABLE)
        v->word = WORD_NOT_TESTABLE;
    else if (v->p < f->alpha && !right)
        v->word = WORD_CONTRADICTED;
    else if (v->p < f->alpha)
        v->word = v->reported >= v->lo && v->reported <= v->hi ? WORD_REPRODUCED : WORD_DIRECTION_ONLY;
    else
        v->word = c->decision == DECISION_EQUIVALENT ? WORD_NOT_REPRODUCED : WORD_INCONCLUSIVE;
    v->small = v->p < f->alpha && c->t_decides && c->tost.status == ST_OK && c->tost.equivalent;
    if (v->small) snprintf(v->why, sizeof v->why, "though within the margin of %g", c->what.margin);
}

/* A claim of no difference: confirmed inside the margin, contradicted when the whole interval is outside of it. */
static void judge_equal(ClaimVerdict *v, const Family *f) {
    const Comparison *c = v->c;
    double margin = c->what.margin;
    bool flat = c->t_decides && c->t.status == ST_DEGENERATE; /* every seed differs by the same */
    bool same = c->t_decides && (c->tost.equivalent || (flat && fabs(c->t.mean) < margin));
    bool beyond = flat ? fabs(c->t.mean) > margin : v->lo > margin || v->hi < -margin;
    v->p = c->t_decides && c->tost.status == ST_OK ? c->tost.p : (double)NAN;
    if (same)
        v->word = WORD_REPRODUCED;
    else if (c->joint.step < f->alpha && beyond)
        v->word = WORD_CONTRADICTED, v->p = c->joint.step, v->floor = f->floor, v->by = "maxt";
    else if (c->tost.status == ST_N_TOO_SMALL)
        v->word = WORD_NOT_TESTABLE;
    else
        v->word = WORD_INCONCLUSIVE;
}

/* A claim about the spread over seeds. There is no interval, so the reported ratio is never confirmed. */
static void judge_spread(ClaimVerdict *v, double alpha) {
    bool right = v->test->expects == EXPECT_lower ? v->effect < 1 : v->effect > 1;
    if (isnan(v->p))
        v->word = WORD_NOT_TESTABLE;
    else
        v->word = v->p >= alpha ? WORD_INCONCLUSIVE : right ? WORD_DIRECTION_ONLY : WORD_CONTRADICTED;
}

static bool about_spread(const ClaimVerdict *v) {
    return v->c && !strcmp(v->test->test, "pitman-morgan");
}

/* Holm over the spreads tested, their p's not being flips of seeds. */
static void adjust_spreads(Ledger *l, double alpha) {
    double *p = mem_alloc((size_t)l->count, sizeof *p);
    size_t k = 0;
    for (int i = 0; i < l->count; i++) {
        const ClaimVerdict *v = &l->at[i];
        if (about_spread(v))
            p[k++] = v->c->t_decides && v->c->status == ST_OK && v->c->variance.status == ST_OK ? v->c->variance.p
                                                                                                : (double)NAN;
    }
    if (st_holm(p, k, p)) k = 0;
    for (int i = 0, at = 0; i < l->count && k; i++) {
        ClaimVerdict *v = &l->at[i];
        if (!about_spread(v)) continue;
        v->p = p[at++];
        v->effect = v->c->variance.status == ST_OK ? v->c->variance.ratio : (double)NAN;
        judge_spread(v, alpha);
    }
    free(p);
}

static void judge(Ledger *l, ClaimVerdict *v, const Sample *s) {
    const ClaimTest *t = v->test;
    const Comparison *c = v->c;
    v->by = t->test;
    if (t->table && t->table->step == s->cell[v->cell].step[v->step]) {
        RunSpec spec[CONTRAST_MOST_TERMS];
        contrast_specs(&c->what, s->x, spec);
        v->reported = reported_effect(t, spec);
        if (!strcmp(t->test, "pitman-morgan")) v->reported *= v->reported; /* of SDs; the test is about variances */
    }
    if (about_spread(v)) return;
    v->effect = c->status == ST_OK ? c->t.mean : (double)NAN;
    if (c->t_decides && c->t.status == ST_OK) v->lo = c->t.lo, v->hi = c->t.hi;
    if (c->status != ST_OK)
        v->word = WORD_NOT_TESTABLE;
    else if (t->expects == EXPECT_equal)
        judge_equal(v, &l->family);
    else
        judge_difference(v, &l->family);
}

static bool all_declared(const ClaimVerdict *v, const Sample *s) {
    const Contrast *c = &v->c->what;
    bool all = true;
    Text line;
    text_init(&line);
    declare_claim(v->claim, &line);
    for (int i = 0; i < c->terms; i++)
        for (int seed = 0; seed < s->seeds; seed++)
            all &= declared(sample_run(s, c->term[i].cell, c->term[i].step, c->term[i].arm, seed)->record, line.at);
    text_release(&line);
    return all;
}

void ledger_make(Ledger *l, const ClaimFile *f, const Sample *s) {
    Contrast *what = NULL;
    *l = (Ledger){0};
    for (int i = 0; i < f->claims; i++) {
        const Claim *c = &f->claim[i];
        for (int t = 0; t < c->tests; t++) plan_test(l, &what, c, &c->test[t], s);
        if (!c->tests) snprintf(add(l, c, NULL, -1, -1)->why, 200, "needs %.190s", c->needs);
    }
    family_make(&l->family, s, what, l->family.count);
    free(what);
    for (int i = 0, at = 0; i < l->count; i++) {
        ClaimVerdict *v = &l->at[i];
        if (v->step < 0) continue;
        v->c = &l->family.at[at++];
        v->undeclared = !all_declared(v, s);
        judge(l, v, s);
    }
    adjust_spreads(l, s->x->alpha);
    for (int i = 0; i < l->count; i++) {
        ClaimVerdict *v = &l->at[i];
        if (v->word != WORD_NOT_TESTABLE) continue;
        if (v->c->status != ST_OK)
            snprintf(v->why, sizeof v->why, "a diverged run has no such number");
        else if (about_spread(v))
            snprintf(v->why, sizeof v->why, "%s",
                     v->c->t_decides ? st_status_text(v->c->variance.status) : "a run diverged");
        else if (v->test->expects == EXPECT_equal)
            snprintf(v->why, sizeof v->why, "%s", st_status_text(v->c->tost.status));
        else
            snprintf(v->why, sizeof v->why, "n = %d: p cannot fall below %.3g", l->family.n, l->family.floor);
    }
}

void ledger_release(Ledger *l) {
    family_release(&l->family);
    free(l->at);
    *l = (Ledger){0};
}
