#include "bench/verdict/claim_verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/declare.h"
#include "bench/verdict/anytime.h"
#include "bench/verdict/grid.h"
#include "bench/verdict/sensitivity.h"
#include "bench/verdict/words.h"
#include "stats/invert.h"
#include "stats/power.h"

static ClaimVerdict *add(ClaimVerdicts *l, const Claim *claim, const ClaimTest *test, int cell, int step) {
    l->at = mem_grow(l->at, (size_t)l->count + 1, sizeof *l->at);
    ClaimVerdict *v = &l->at[l->count++];
    *v = (ClaimVerdict){.claim = claim,
                        .test = test,
                        .cell = cell,
                        .step = step,
                        .word = WORD_NOT_TESTED,
                        .place = -1,
                        .effect = (double)NAN,
                        .lo = (double)NAN,
                        .hi = (double)NAN,
                        .p = (double)NAN,
                        .floor = 0,
                        .reported = (double)NAN};
    return v;
}

/* Why a claim's test cannot be made by any experiment here yet; false: it can be. */
static bool needs_more(const ClaimTest *t, char *why, size_t size) {
    if (t->theories) {
        snprintf(why, size, "`normbench run theory` decides it without training");
        return true;
    }
    if (!t->needs) return false;
    snprintf(why, size, "needs %.180s", t->needs);
    return true;
}

/* The metrics that a test is made of, at most three; returns how many. */
static int metrics_of(const ClaimTest *t, Metric metric[3]) {
    int count = 0;
    if (!t->predictors) metric[count++] = (Metric)t->metric;
    for (int i = 0; i < t->predictors; i++) metric[count++] = t->predictor[i];
    return count;
}

bool claim_refused(const ClaimTest *t, int rates, bool quantize, char *why, size_t size) {
    Metric metric[3];
    if (t->grid && t->grid != GRID_failed && rates < 2) {
        snprintf(why, size, "'%s' cannot vary here, as there is one learning rate", grid_info[t->grid].key);
        return true;
    }
    for (int i = 0, count = metrics_of(t, metric); i < count; i++) {
        if (!metric_quantized(metric[i]) || quantize) continue;
        snprintf(why, size, "'%s' is not measured here; it needs quantize: true", metric_info[metric[i]].key);
        return true;
    }
    return false;
}

/* The experiment does not ask for a probe that a metric of the test is made of. */
static bool lacks_probe(const ClaimTest *t, const Experiment *x, char *why, size_t size) {
    Metric metric[3];
    for (int i = 0, count = metrics_of(t, metric); i < count; i++) {
        ProbeKind kind = curve_asked(metric_info[metric[i]].reads);
        if (kind == PROBE_COUNT || x->probes.wanted[kind]) continue;
        snprintf(why, size, "'%s' is not measured here; it needs probes: [%s]", metric_info[metric[i]].key,
                 probe_info[kind].name);
        return true;
    }
    return false;
}

/* The claim's arms as arms of the experiment; false names the one that is not there. */
static bool find_arms(const ClaimTest *t, const Experiment *x, Contrast *c, char *why, size_t size) {
    int cell[EXPERIMENT_VALUES_MAX];
    if (lacks_probe(t, x, why, size) || claim_refused(t, grid_cells(x, 0, cell), x->quantize, why, size)) return false;
    for (int i = 0; i < t->terms; i++) {
        int arm = 0;
        while (arm < x->arms && strcmp(x->arm[arm].name, t->term[i].arm.name) != 0) arm++;
        if (arm == x->arms) {
            snprintf(why, size, "there is no arm '%.48s' here", t->term[i].arm.name);
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
    c->margin = claim_margin(t);
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
        int of_grid[EXPERIMENT_VALUES_MAX];
        bool same = true;
        for (int f = 0; f < x->factors && same; f++) {
            bool apart = experiment_level(x, i, f) != experiment_level(x, cell, f);
            for (int k = 0; apart && k < named->at_count; k++) apart = strcmp(named->at[k].key, x->factor[f].key) != 0;
            same = !apart;
        }
        if (!same || (grid && grid_cells(x, i, of_grid) && of_grid[0] != i)) continue;
        RunSpec spec = spec_of(x, s, i, arm);
        if (claim_arm_holds(named, &spec)) return i;
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
        int at[SAMPLE_STEPS_MAX], with = 0;
        for (int term = 0; term < c->terms; term++) {
            int n = spec_evaluations(&spec[term], at, SAMPLE_STEPS_MAX), own = t->term[term].arm.step;
            for (int k = 0; k < n; k++) with += at[k] == (own ? own : claim->at[i]);
        }
        if (with == c->terms) return true;
    }
    return false;
}

bool claim_measured_by(const Claim *claim, const ClaimTest *t, const Experiment *x, char *why, size_t size) {
    if (needs_more(t, why, size)) return false;
    snprintf(why, size, "none of the claim's settings is run here");
    for (int cell = 0; cell < experiment_cells(x); cell++) {
        Contrast c = {.cell = cell};
        if (!find_arms(t, x, &c, why, size)) return false;
        RunSpec spec[CONTRAST_TERMS_MAX];
        if (!find_cells(t, x, NULL, &c, spec)) continue;
        if (!claim_holds(claim, spec, c.terms, why, size)) continue;
        if (planned_step(claim, t, &c, spec)) return true;
        snprintf(why, size, "none of the claim's steps is evaluated here");
    }
    return false;
}

/* Whether each of its arms names a step: the claim's are then no matter. */
static bool names_steps(const ClaimTest *t) {
    bool all = t->terms > 0;
    for (int i = 0; i < t->terms; i++) all &= t->term[i].arm.step > 0;
    return all;
}

/* Lists what is to be tested: a verdict per cell and step, its contrast beside it. */
static void plan_test(ClaimVerdicts *l, Contrast **what, const Claim *claim, const ClaimTest *t, const Sample *s) {
    char why[CLAIM_WHY_SIZE] = "";
    int planned = 0, found = 0;
    needs_more(t, why, sizeof why);
    for (int cell = 0; cell < s->cells && !why[0]; cell++) {
        Contrast c = {.cell = cell};
        if (!find_arms(t, s->x, &c, why, sizeof why)) break;
        RunSpec spec[CONTRAST_TERMS_MAX];
        if (!find_cells(t, s->x, s, &c, spec)) continue;
        found++;
        char differs[CLAIM_WHY_SIZE];
        if (!claim_holds(claim, spec, c.terms, differs, sizeof differs)) {
            snprintf(add(l, claim, t, cell, -1)->why, sizeof differs, "%s", differs);
            planned++;
            continue;
        }
        for (int i = 0; i < (names_steps(t) ? 1 : claim->steps); i++) {
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
                 : found ? "none of the claim's steps is evaluated here"
                         : "none of the claim's settings is run here");
}

static void say(ClaimVerdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(ClaimVerdict *v, const char *format, ...) {
    size_t n = strlen(v->why);
    va_list list;
    if (n && n + 3 < sizeof v->why) n += (size_t)snprintf(v->why + n, sizeof v->why - n, "; ");
    va_start(list, format);
    vsnprintf(v->why + n, sizeof v->why - n, format, list);
    va_end(list);
}

/* Every seed's difference is 0, of enough seeds to call that the same. */
static bool all_at_it(const Comparison *c) {
    bool all = c->status == ST_OK && c->pairs.n >= ST_EQUAL_SEEDS && c->t_decides;
    for (size_t i = 0; i < c->pairs.n && all; i++) all = fabs(c->pairs.d[i]) <= st_tol(c->pairs.scale);
    return all;
}

/* A claim that one side is lower or higher, decided by the p of its test. */
static Seen difference_seen(ClaimVerdict *v, const Reading *r, const Family *f) {
    const Comparison *c = v->c;
    bool means = v->test->test->about == ST_ABOUT_difference, stays = f->anytime && decision_apart(c->decision);
    bool lower = stays ? decision_lower(c->decision) : v->effect < r->neutral;
    bool higher = stays ? !lower : v->effect > r->neutral;
    bool right = v->test->expects == EXPECT_change || (v->test->expects == EXPECT_lower ? lower : higher);
    bool inside = means && c->inside, cap = means && c->decision_capped != c->decision;
    if (isnan(v->p)) return SEEN_unclear;
    if (v->p < f->alpha && cap) {
        say(v, "the verdict would depend on what a diverged run counts as");
        return SEEN_unclear;
    }
    if (means && all_at_it(c)) {
        say(v, c->what.against != 0 ? "every seed lies at the threshold" : "no seed shows a difference");
        return SEEN_nothing;
    }
    if (inside) {
        say(v, "the difference lies within %g, which is too small to matter", c->what.margin);
        return SEEN_nothing;
    }
    bool flat = means && c->t_decides && c->t.status == ST_DEGENERATE && fabs(c->t.mean) > st_tol(c->pairs.scale);
    if (flat) say(v, "every seed shows the same difference");
    return !(v->p < f->alpha) ? SEEN_unclear : right ? SEEN_yes : SEEN_no;
}

/* A claim of no difference: shown inside the margin, the opposite when the whole interval is outside of it. */
static Seen equality_seen(ClaimVerdict *v, const Family *f) {
    const Comparison *c = v->c;
    double margin = c->what.margin;
    bool flat = c->t_decides && c->t.status == ST_DEGENERATE; /* every seed differs by the same */
    bool beyond = flat ? fabs(c->t.mean) > margin : v->lo > margin || v->hi < -margin;
    if (c->inside) return SEEN_yes;
    if (!(c->joint.step < f->alpha && beyond)) return SEEN_unclear;
    v->p = c->joint.step, v->floor = f->floor, v->by = f->anytime ? "anytime" : "maxt";
    return SEEN_no;
}

/* At the write-up's own size its number counts as well as its direction, where its spread over seeds is known. */
static Seen number_seen(ClaimVerdict *v, Seen seen) {
    const Replication *r = &v->replication;
    if (!v->own || isnan(v->reported) || isnan(r->reported_se) || isnan(r->lo)) return seen;
    if (seen == SEEN_yes && !r->inside)
        say(v, "the direction alone: the reported number %.3g lies outside the prediction interval", v->reported);
    if (seen == SEEN_nothing && r->inside) {
        say(v, "but the reported number %.3g lies inside the prediction interval", v->reported);
        v->apart = true;
        return SEEN_unclear;
    }
    if (seen != SEEN_unclear || r->inside) return seen;
    say(v, "the prediction interval rules out the reported number %.3g", v->reported);
    v->apart = true;
    return SEEN_no;
}

/* Where Student's interval and the p that decides disagree, the interval that belongs to it: of sign flips. */
static void match_interval(ClaimVerdict *v, const Reading *r, const Family *f) {
    const Comparison *c = v->c;
    double margin = c->what.margin;
    if (isnan(v->lo) || isnan(v->p)) return;
    if (c->inside && (v->seen == SEEN_yes || v->seen == SEEN_nothing)) {
        bool within = v->lo - r->neutral >= -margin && v->hi - r->neutral <= margin;
        if (!within) say(v, "two one-sided tests at level %.3g show that the mean lies inside the margin", f->alpha);
        v->apart |= !within;
        return;
    }
    if (v->test->test->about != ST_ABOUT_difference || f->anytime) return;
    if ((v->lo > r->neutral || v->hi < r->neutral) == (v->p < f->alpha)) return;
    v->apart = true;
    if (v->test->test == st_test_find("choice")) {
        say(v, "p counts the choice of learning rates, the interval takes it as given");
        return;
    }
    StFlipCi ci = st_flip_ci(c->pairs.d, c->pairs.n, c->pairs.scale, f->conf, c->key);
    if (ci.status != ST_OK) return;
    say(v, "the interval is that of the sign flips, which decide; Student's is [%.3g, %.3g]", v->lo, v->hi);
    v->lo = ci.lo + r->neutral, v->hi = ci.hi + r->neutral, v->interval = INTERVAL_flips;
}

/* Of two spreads: seeds at which a correlation of sums and differences as large is found (Fisher's z); Pitman 1939. */
static int seeds_of_spreads(const StVariance *v) {
    if (v->status != ST_OK || !(v->df1 > 0) || isnan(v->stat)) return 0;
    double r = fabs(v->stat) / sqrt(v->df1 + v->stat * v->stat), apart = (1.95996 + 0.84162) / atanh(r);
    double n = ceil(3 + apart * apart);
    return n <= CLAIM_SEEDS_MAX ? (int)n : -1;
}

/* How many seeds would decide with the spread seen: a difference of this size, or that it lies inside the margin. */
static int seeds_wanted(const ClaimVerdict *v, const Family *f) {
    const Comparison *c = v->c;
    StAbout about = v->test->test->about;
    if (about == ST_ABOUT_variance) return seeds_of_spreads(&c->pitman_morgan);
    if (about != ST_ABOUT_difference && about != ST_ABOUT_equality) return 0;
    if (c->t.status == ST_DEGENERATE) return -1;
    if (c->t.status != ST_OK || !c->t_decides) return 0;
    double mean = fabs(c->t.mean), inside = c->what.margin - mean;
    size_t least = 0;
    for (int k = 0; k < 2; k++) {
        double apart = k ? inside : about == ST_ABOUT_equality ? -inside : mean;
        if (!(apart > 0)) continue;
        StPower p = st_nfor(apart / c->t.sd, PAIRED_POWER_AIM, f->alpha);
        bool equal = k || about == ST_ABOUT_equality;
        size_t n = equal && p.n < ST_EQUAL_SEEDS ? ST_EQUAL_SEEDS : p.n;
        if (p.status == ST_OK && (!least || n < least)) least = n;
    }
    if (!least || least > CLAIM_SEEDS_MAX) return -1;
    int floor = (int)st_test_seeds(st_test_find("signflip"), 1, f->alpha);
    return (int)least > floor ? (int)least : floor;
}

static void say_why_open(ClaimVerdict *v, const Reading *r, const Family *f) {
    if (r->why)
        say(v, "%s", r->why);
    else if (isnan(v->p) && !(v->floor >= f->alpha))
        say(v, "these runs give no p");
    else if (v->floor >= f->alpha)
        say(v, "with %d seed%s no p is below %.3g", f->n, f->n == 1 ? "" : "s", v->floor);
    else if (!v->why[0] && v->test->expects == EXPECT_equal)
        say(v, "it is not shown that the difference lies within %s", FORMAT_REAL(v->c->what.margin));
    v->seeds_wanted = seeds_wanted(v, f);
    if (v->seeds_wanted > f->n) say(v, "about %d seeds would decide it", v->seeds_wanted);
    if (v->seeds_wanted < 0) say(v, "no number of seeds up to %d would decide it", CLAIM_SEEDS_MAX);
    if (!r->why && v->seeds_wanted > 0 && v->seeds_wanted <= f->n && v->test->test->about == ST_ABOUT_variance)
        say(v, "the verdict depends on a single seed"), v->seeds_wanted = 0;
    if (v->test->test->about == ST_ABOUT_predictor && !v->why[0] && !r->note[0])
        say(v, "how many seeds would decide it is not known for this test");
}

void claim_judge(ClaimVerdict *v, const Reading *r, const Family *f) {
    StAbout about = v->test->test->about;
    v->why[0] = 0, v->apart = false;
    v->seen = number_seen(v, v->test->expects == EXPECT_equal ? equality_seen(v, f) : difference_seen(v, r, f));
    if (v->seen == SEEN_nothing && v->c->inside) {
        v->p = v->c->inside_p;
        if (!f->anytime) v->by = "tost";
    }
    v->word = v->place < 0 ? WORD_ESTIMATE : claim_word(v->claim->kind, v->own != NULL, v->seen);
    if (v->seen == SEEN_unclear) say_why_open(v, r, f);
    if (v->seen != SEEN_unclear && v->c->turning > 0 && (about == ST_ABOUT_difference || about == ST_ABOUT_equality)) {
        LOCAL_TEXT(without);
        decision_words(f, v->c, v->c->turned, contrast_better(&v->c->what), NULL, &without);
        say(v, "one seed decides (without seed %llu: %.80s)", (unsigned long long)v->c->pairs.seed[v->c->turning_seed],
            without.at);
    }
    if (r->note[0]) say(v, "%s", r->note);
    match_interval(v, r, f);
    v->apart |= v->seen == SEEN_nothing;
}

double claim_reported(const ClaimTest *t, const RunSpec *spec, int terms, int step) {
    char why[CLAIM_WHY_SIZE];
    if (!t->table || t->table->step != step) return (double)NAN;
    for (int i = 0; i < terms; i++)
        if (!setup_holds(t->table->setup, &spec[i], why, sizeof why)) return (double)NAN;
    double effect = reported_effect(t, spec);
    return t->test->about == ST_ABOUT_variance ? effect * effect : effect; /* standard deviations are reported */
}

/* Of the largest of the contrast's runs. */
static RunSize size_of(const Contrast *c, const Sample *s) {
    RunSize out = {.seeds = s->seeds};
    for (const Term *t = c->term; t < c->term + c->terms; t++) {
        const RunRecord *r = sample_run(s, t->cell, t->step, t->arm, 0)->record;
        double tokens = (double)s->cell[t->cell].step[t->step] * r->spec.batch * r->spec.context;
        if (t > c->term && r->parameters < out.parameters) continue;
        out.layers = r->spec.layers, out.width = r->spec.width, out.parameters = r->parameters, out.tokens = tokens;
        out.pair = r->spec.objective == OBJECTIVE_TRANSLATE;
        out.trained = (double)r->spec.steps * r->spec.batch * r->spec.context;
        spec_get(out.corpus, &r->spec, "dataset");
    }
    return out;
}

/* "0.71M" */
static void count_text(double x, Text *out) {
    static const char *const unit[] = {"k", "M", "B"};
    int k = x >= 1e9 ? 2 : x >= 1e5 ? 1 : 0;
    double shown = x / (k == 2 ? 1e9 : k ? 1e6 : 1e3);
    text_format(out, "%.*f%s", shown < 1 ? 2 : shown < 100 ? 1 : 0, shown, unit[k]);
}

void run_size_brief(const RunSize *s, Text *out) {
    if (s->parameters > 0) count_text((double)s->parameters, out), text_format(out, " on ");
    if (s->tokens > 0) count_text(s->tokens, out);
    text_format(out, " of %s, %d seed%s", s->corpus, s->seeds, s->seeds == 1 ? "" : "s");
}

void run_size_text(const RunSize *s, Text *out) {
    if (s->layers && s->pair) text_format(out, "%d + ", s->layers);
    if (s->layers) text_format(out, "%d x %d, ", s->layers, s->width);
    if (s->parameters > 0) count_text((double)s->parameters, out), text_format(out, " parameters, ");
    if (s->tokens > 0) count_text(s->tokens, out), text_format(out, " tokens");
    if (s->corpus[0]) text_format(out, " of %s", s->corpus);
    text_format(out, ", %d seed%s", s->seeds, s->seeds == 1 ? "" : "s");
}

static bool all_declared(const ClaimVerdict *v, const Sample *s) {
    const Contrast *c = &v->c->what;
    bool all = true;
    LOCAL_TEXT(line);
    declare_claim(v->claim, &line);
    for (const Term *t = c->term; t < c->term + c->terms; t++) {
        int cell[EXPERIMENT_VALUES_MAX] = {t->cell};
        int cells = c->grid || c->best ? grid_cells(s->x, t->cell, cell) : 1;
        for (int k = 0; k < cells; k++)
            for (int seed = 0; seed < s->seeds; seed++)
                all &= declared(sample_run(s, cell[k], t->step, t->arm, seed)->record->declared, line.at);
    }
    return all;
}

char *claim_verdict_cell(char out[256], const Experiment *x, const ClaimVerdict *v) {
    bool grid = v->c && (v->c->what.grid || v->c->what.best);
    if (!grid) return experiment_cell_text(out, x, v->cell);
    sensitivity_group(x, v->cell, out);
    return out;
}

/* Each contrast as a family of its own, side by side in one list. */
static void make_alone(Family *f, const Sample *s, const Contrast *what, int count) {
    *f = (Family){.floor = 1, .at = mem_alloc((size_t)count + 1, sizeof *f->at)};
    for (int i = 0; i < count; i++) {
        Family one;
        family_make(&one, s, &what[i], 1);
        Comparison c = one.at[0];
        free(one.at);
        one.at = f->at, one.count = f->count + 1;
        one.floor = i ? fmin(f->floor, one.floor) : one.floor;
        if (i && one.joint.status != ST_OK) one.joint = f->joint;
        if (i && one.choice.status != ST_OK) one.choice = f->choice;
        if (one.anytime) { /* of each contrast as well */
            Anytime own = one.anytime[0];
            free(one.anytime);
            one.anytime = mem_grow(i ? f->anytime : NULL, (size_t)i + 1, sizeof own);
            one.anytime[i] = own;
        }
        *f = one;
        f->at[i] = c;
    }
    if (!count) f->alpha = s->x->alpha, f->conf = 1 - s->x->alpha;
}

void claim_end_text(const ClaimTest *t, int term, const double *chosen, int seeds, const double *rate, int rates,
                    Text *out) {
    const ClaimArm *arm = &t->term[term].arm;
    bool twice = false;
    LOCAL_TEXT(name);
    for (int i = 0; i < t->terms; i++) twice |= i != term && !strcmp(t->term[i].arm.name, arm->name);
    text_format(&name, "%s", arm->name);
    for (int i = 0; twice && i < arm->at_count; i++)
        text_format(&name, "%s%s=%s", i ? "," : "@", arm->at[i].key, arm->at[i].value);
    grid_end_text(name.at, chosen, seeds, rate, rates, out);
}

static void say_ends(ClaimVerdict *v, const Sample *s) {
    LOCAL_TEXT(ends);
    double rate[EXPERIMENT_VALUES_MAX];
    OWNED double *chosen = mem_alloc((size_t)s->seeds, sizeof *chosen);
    for (int i = 0; i < v->test->terms; i++) {
        int rates = grid_rates(s, &v->c->what.term[i], chosen, rate);
        claim_end_text(v->test, i, chosen, s->seeds, rate, rates, &ends);
    }
    snprintf(v->ends, sizeof v->ends, "%s", ends.length ? ends.at : "");
}

static void judge_measured(ClaimVerdict *v, const Family *f, const Sample *s) {
    RunSpec spec[CONTRAST_TERMS_MAX];
    const Contrast *w = &v->c->what;
    Family alone = *f;
    alone.at = f->at + (v->c - f->at), alone.count = 1;
    if (f->anytime) alone.anytime = f->anytime + (v->c - f->at);
    Reading r = reading_of(v->test->test, &(ReadingOf){s, &alone, v->c, v->test->expects == EXPECT_higher});
    int step = s->cell[v->cell].step[v->step];
    contrast_specs(w, s, spec);
    v->undeclared = !all_declared(v, s);
    if (w->best) say_ends(v, s);
    v->reported = claim_reported(v->test, spec, w->terms, step);
    v->by = f->anytime ? "anytime" : v->test->test->name;
    v->effect = r.effect, v->lo = r.lo, v->hi = r.hi, v->interval = r.interval;
    v->p = r.p, v->floor = r.floor;
    v->place = claim_place(v->test, s->x->name, &spec[0], step);
    v->own = claim_own_size(v->claim, spec, w->terms);
    v->size = size_of(w, s);
    v->replication = replication_of(v->test, spec, v->reported, &r, f->conf);
    claim_judge(v, &r, &alone);
    v->replication.agrees = v->replication.inside && !(v->p < f->alpha);
}

void claim_verdicts_make(ClaimVerdicts *l, const ClaimFile *f, const Sample *s) {
    OWNED Contrast *what = NULL;
    *l = (ClaimVerdicts){0};
    for (int i = 0; i < f->claims; i++) {
        const Claim *c = &f->claim[i];
        for (int t = 0; t < c->tests; t++) plan_test(l, &what, c, &c->test[t], s);
        if (!c->tests) snprintf(add(l, c, NULL, -1, -1)->why, CLAIM_WHY_SIZE, "needs %.190s", c->needs);
    }
    int count = l->family.count;
    make_alone(&l->family, s, what, count);
    for (int i = 0, at = 0; i < l->count; i++) {
        ClaimVerdict *v = &l->at[i];
        if (v->step < 0) continue;
        v->c = &l->family.at[at++];
        judge_measured(v, &l->family, s);
    }
}

void claim_verdicts_release(ClaimVerdicts *l) {
    family_release(&l->family);
    free(l->at);
    *l = (ClaimVerdicts){0};
}

static const char *const rows[WORD_COUNT] = {
#define VERDICT(id, words) [WORD_##id] = words,
#include "bench/verdict/verdict_words.def"
#undef VERDICT
};

const char *verdict_word(VerdictWord w) {
    return rows[w];
}

VerdictWord claim_word(ClaimKind kind, bool own, Seen seen) {
    if (seen == SEEN_untested) return WORD_NOT_TESTED;
    if (seen == SEEN_unclear) return WORD_OPEN;
    if (kind == KIND_question) return WORD_ANSWERED;
    if (seen == SEEN_yes) return own ? WORD_REPRODUCED : WORD_SEEN;
    return own ? WORD_CONTRADICTED : WORD_NOT_SEEN;
}

Seen seen_together(Seen a, Seen b) {
    static const Seen first[] = {SEEN_no, SEEN_nothing, SEEN_untested, SEEN_unclear};
    for (int i = 0; i < 4; i++)
        if (a == first[i] || b == first[i]) return first[i];
    return SEEN_yes;
}
