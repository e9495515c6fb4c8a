#include "bench/runs/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/cells.h"
#include "bench/store/provenance.h"
#include "bench/verdict/anytime.h"
#include "bench/verdict/words.h"
#include "bench/write/claims.h"
#include "bench/write/stat_json.h"

static bool is_pair(const Contrast *w, int cell, int step, Metric metric, int arm, int against) {
    bool plain = !w->best && !w->grid && !w->predicts && !(w->against != 0);
    return plain && w->cell == cell && w->step == step && w->metric == metric && w->terms == 2 &&
           w->term[0].arm == arm && w->term[1].arm == against && w->term[0].cell == cell && w->term[1].cell == cell &&
           w->term[0].step == step && w->term[1].step == step && w->term[0].weight >= 1 && w->term[0].weight <= 1 &&
           w->term[1].weight >= -1 && w->term[1].weight <= -1;
}

static const Comparison *find(const Family *f, int cell, int step, Metric metric, int arm, int against) {
    for (int i = 0; i < f->count; i++)
        if (is_pair(&f->at[i].what, cell, step, metric, arm, against)) return &f->at[i];
    return NULL;
}

static void choose(Lineage *l, const Table *t, int cell, int step, Metric metric, int arm, int against) {
    const Family *const families[] = {&t->family, &t->verdicts.family};
    *l = (Lineage){.t = t};
    for (int turned = 0; turned < 2; turned++)
        for (int i = 0; i < 2 && !l->c; i++) {
            l->c = find(families[i], cell, step, metric, turned ? against : arm, turned ? arm : against);
            l->family = families[i], l->of = i ? LINEAGE_CLAIMS : LINEAGE_TABLE, l->turned = turned;
        }
    if (l->c) return;
    Contrast what = contrast_pair(cell, step, metric, arm, against, metric == t->metric ? t->x->margin : (double)NAN);
    family_make(&l->own, &t->sample, &what, 1);
    l->c = &l->own.at[0], l->family = &l->own, l->of = LINEAGE_ALONE, l->turned = false;
}

static bool holds(const Lineage *l, const ClaimVerdict *v) {
    const Contrast *w = &l->c->what;
    return v->c && is_pair(&v->c->what, w->cell, w->step, w->metric, w->term[0].arm, w->term[1].arm);
}

static void look_up(Lineage *l, const char *root) {
    const Table *t = l->t;
    char claims[1024];
    const Claim *before = NULL;
    l->written[l->written_count++] = history_plan(t->x->file, t->x->profile, t->x->plan);
    for (int i = 0; i < t->verdicts.count && l->written_count < LINEAGE_WRITTEN_MAX; i++) {
        const ClaimVerdict *v = &t->verdicts.at[i];
        if (!holds(l, v) || v->claim == before) continue;
        snprintf(claims, sizeof claims, "%.900s/%s", root, t->claims->file);
        l->written[l->written_count++] = history_claim(claims, before = v->claim);
    }
}

void lineage_make(Lineage *l, const Table *t, const char *root, int cell, int step, Metric metric, int arm,
                  int against) {
    choose(l, t, cell, step, metric, arm, against);
    look_up(l, root);
}

void lineage_release(Lineage *l) {
    if (l->of == LINEAGE_ALONE) family_release(&l->own);
    *l = (Lineage){0};
}

static const SampleRun *run_of(const Lineage *l, int side, int seed) {
    const Term *t = &l->c->what.term[side];
    return sample_run(&l->t->sample, t->cell, t->step, t->arm, seed);
}

/* All runs of both arms: out[2 * seeds]. */
static void both(const Lineage *l, const RunRecord **out) {
    for (int seed = 0; seed < l->t->sample.seeds; seed++)
        for (int side = 0; side < 2; side++) out[2 * seed + side] = run_of(l, side, seed)->record;
}

static const char *arm_name(const Lineage *l, int side) {
    return l->t->x->arm[l->c->what.term[side].arm].name;
}

static const char *arm_label(const Lineage *l, int side) {
    return l->t->x->arm[l->c->what.term[side].arm].label;
}

static int step_of(const Lineage *l) {
    return l->t->sample.cell[l->c->what.cell].step[l->c->what.step];
}

static void heading(const Lineage *l, Text *out) {
    const Table *t = l->t;
    const Contrast *w = &l->c->what;
    char where[256];
    LOCAL_TEXT(why);
    text_format(out, "%s%s%s: %s - %s\n%s after %d steps", t->x->name, t->x->profile[0] ? " " : "", t->x->profile,
                arm_label(l, 0), arm_label(l, 1), metric_info[w->metric].heading, step_of(l));
    if (experiment_cell_text(where, t->x, w->cell)[0]) text_format(out, ", %s", where);
    text_format(out, "; plan %.8s, results %.8s\n", t->x->plan, t->results_hash);
    if (l->turned)
        text_format(out, "The difference is shown as %s compare it: %s - %s.\n",
                    l->of == LINEAGE_CLAIMS ? "the write-up's claims" : "the lines of the table", arm_name(l, 0),
                    arm_name(l, 1));
    if (t->classes.length) text_format(out, "The runs were computed in arithmetic class %s.\n", t->classes.at);
    table_exploratory(t, &why);
    if (why.length) text_format(out, "EXPLORATORY: %s.\n", why.at);
}

/* "+0.117345"; where these digits would all be 0 and the difference is not, "+5.1e-09": its sign can flip too. */
static char *show_difference(char out[SHOWN], double d, int decimals) {
    show_signed(out, d, decimals);
    if (!strpbrk(out, "123456789") && fabs(d) > 0) snprintf(out, SHOWN, "%+.1e", d);
    return out;
}

static void columns(const Lineage *l, Cells *c) {
    static const char *const keys[2][5] = {
        {"first_run", "first_value", "first_raw", "first_diverged", "first_records_commit"},
        {"second_run", "second_value", "second_raw", "second_diverged", "second_records_commit"}};
    cells_column(c, "seed", 'r', "seed");
    for (int side = 0; side < 2; side++) {
        cells_columns(c, {NULL, "l", "run", arm_name(l, side)},
                      {keys[side][1], "r", metric_info[l->c->what.metric].key, arm_name(l, side)});
    }
    cells_column(c, "difference", 'r', "difference");
    for (int side = 0; side < 2; side++) {
        cells_column(c, keys[side][0], 'X', "");
        for (int k = 2; k < 5; k++) cells_column(c, keys[side][k], 'X', "");
    }
}

static void seed_row(const Lineage *l, int seed, Cells *c) {
    const SampleRun *run[2] = {run_of(l, 0, seed), run_of(l, 1, seed)};
    Metric m = l->c->what.metric;
    char number[SHOWN];
    int digits = metric_info[m].digits + 2;
    cells_row(c);
    cell_integer(c, (long)l->t->sample.x->seed[seed]);
    for (int side = 0; side < 2; side++) {
        cell_format(c, "%.12s", run[side]->record->id);
        cell_number(c, run[side]->value[m], digits);
        cell_mark(c, run[side]->diverged ? MARK_diverged : 0);
    }
    double d = run[0]->value[m] - run[1]->value[m];
    cell_shown(c, d, show_difference(number, d, digits));
    for (int side = 0; side < 2; side++) {
        cell_text(c, run[side]->record->id);
        run[side]->diverged ? cell_number(c, run[side]->raw[m], digits) : cell_none(c);
        cell_text(c, run[side]->diverged ? "yes" : "no");
        cell_text(c, run[side]->record->provenance.commit);
    }
}

/* A row for each seed. */
static void seeds(const Lineage *l, Cells *c) {
    bool lost = false;
    cells_init(c, "runs", "");
    columns(l, c);
    for (int seed = 0; seed < l->t->sample.seeds; seed++) {
        seed_row(l, seed, c);
        lost |= run_of(l, 0, seed)->diverged || run_of(l, 1, seed)->diverged;
    }
    if (lost)
        text_format(&c->notes, "§ marks a run that diverged by this step; it counts as a uniform guess (loss ln V).");
}

static void mean_row(const Lineage *l, Cells *c) {
    const Contrast *w = &l->c->what;
    char number[SHOWN];
    int digits = metric_info[w->metric].digits + 2;
    cells_row(c);
    cell_text(c, "mean");
    for (int side = 0; side < 2; side++) {
        SampleArm arm = sample_arm(&l->t->sample, w->cell, w->step, w->term[side].arm, w->metric);
        cell_none(c);
        cell_number(c, arm.status == ST_OK ? arm.mean : (double)NAN, digits);
    }
    cell_shown(c, l->c->t.mean, show_difference(number, l->c->t.mean, digits));
}

static json_t *seed_rows_json(const Lineage *l) {
    LOCAL(cells_release) Cells c = {0};
    seeds(l, &c);
    json_t *rows = cells_json(&c);
    return rows;
}

static void rows(const Lineage *l, int width, Text *out) {
    LOCAL(cells_release) Cells c = {0};
    seeds(l, &c);
    mean_row(l, &c);
    text_format(out, "\n");
    cells_text(&c, width, out);
}

/* "+0.1173 [0.1120, 0.1227]": as the table shows it. */
static void interval(const Lineage *l, Text *out) {
    const Comparison *c = l->c;
    int decimals = decimals_for(c->t.se, 4);
    bool shown = c->t_decides && c->t.status == ST_OK;
    text_format(out, "\nmean difference  %s ", SHOW_SIGNED(c->t.mean, decimals));
    show_interval(out, shown ? c->t.lo : (double)NAN, c->t.hi, decimals,
                  c->t_decides ? st_status_text(c->t.status) : "diverged");
    text_format(out, ", %s%% paired %s interval\n", TABLE_CONFIDENCE(l->t), table_interval(l->t));
}

static void share(Text *out, uint64_t count, uint64_t total, double p) {
    text_format(out, "p = %llu/%llu%s%s", (unsigned long long)count, (unsigned long long)total,
                p < 0.001 ? ", " : " = ", SHOW_P(p));
}

/* Of seeds that are added until it is decided. */
static void stops(const Lineage *l, Text *out) {
    const Anytime *a = &l->family->anytime[l->c - l->family->at];
    LOCAL_TEXT(words);
    text_format(&words, "Seeds were added until every comparison was decided: ");
    table_stop(l->t, &words);
    text_format(&words, ". p = %s holds at every stop", SHOW_P(a->p));
    if (l->of == LINEAGE_ALONE)
        text_format(&words, "; no table makes this comparison, so it is adjusted for nothing and is exploratory.");
    else
        text_format(&words, ", adjusted by Holm's method over %d.", l->family->count);
    if (!isnan(a->inside_p))
        text_format(&words, " For the difference to lie within the margin p = %s.", SHOW_P(a->inside_p));
    if (a->at) text_format(&words, " It was decided after %d seeds.", a->at);
    text_format(out, "\n");
    table_wrapped(words.at, 0, out);
}

static void flips(const Lineage *l, Text *out) {
    const Comparison *c = l->c;
    const StSignflip *f = &c->flip;
    static const char *const families[] = {[LINEAGE_TABLE] = "comparisons of the table",
                                           [LINEAGE_CLAIMS] = "contrasts of the write-up's claims measured here",
                                           [LINEAGE_ALONE] = ""};
    LOCAL_TEXT(words);
    if (f->status != ST_OK)
        text_format(&words, "There are no sign flips: %s.", st_status_text(f->status));
    else {
        text_format(&words,
                    "If the arms did not differ, each of the %zu differences could as well have the other sign. ",
                    f->n);
        if (f->exact)
            text_format(&words, "Of all %llu ways to choose the signs, %llu give a mean at least as far from 0: ",
                        (unsigned long long)f->total, (unsigned long long)f->count);
        else
            text_format(&words,
                        "Of %llu choices of the signs (this one, and random ones), %llu give a mean at least as "
                        "far from 0: ",
                        (unsigned long long)f->total, (unsigned long long)f->count);
        share(&words, f->count, f->total, f->p);
        text_format(&words, ".");
    }
    if (l->of == LINEAGE_ALONE)
        text_format(&words, " No table makes this comparison, so it is adjusted for nothing and is exploratory.");
    else if (!isnan(c->joint.step)) {
        text_format(&words,
                    " It is one of %d %s. With the signs of all of them flipped together and the largest "
                    "counted (step-down max-T), %llu are as extreme: adjusted ",
                    l->family->count, families[l->of], (unsigned long long)c->joint.step_count);
        share(&words, c->joint.step_count, l->family->joint.total, c->joint.step);
        text_format(&words, ".");
    }
    text_format(&words, " The smallest p that %d seeds allow is %s.", l->family->n, SHOW_P(l->family->floor));
    text_format(out, "\n");
    table_wrapped(words.at, 0, out);
}

/* What decides: these t tests after Holm, and their exact companion. */
static void margin_verdict(const Lineage *l, Text *words) {
    const Comparison *c = l->c;
    if (isnan(c->inside_p)) {
        text_format(words, " Below %d seeds nothing is called the same.", ST_EQUAL_SEEDS);
        return;
    }
    text_format(
        words,
        " Sign flips of the differences shifted to both margins, adjusted over the family, give p %s: %s at level %s.",
        SHOW_P(c->inside_p), c->inside ? "yes" : "not shown", FORMAT_REAL(l->family->alpha));
    if (c->inside) text_format(words, " "), words_unseen(l->family, "seeds", words);
}

/* The evidence of "the same within 0.02" and of "too small to matter". */
static void margin(const Lineage *l, Text *out) {
    const StTost *x = &l->c->tost;
    char within[40];
    int decimals = decimals_for(x->se, 4);
    LOCAL_TEXT(words);
    if (isnan(l->c->what.margin) || !l->c->t_decides || x->status != ST_OK) return;
    text_format(&words, "Is it inside %s? Two one-sided t tests give p %s%s; the %s%% interval ",
                format_real(within, l->c->what.margin), x->p < 0.001 ? "" : "= ", SHOW_P(x->p),
                FORMAT_REAL(round(1e4 * (1 - 2 * l->family->alpha)) / 100));
    show_interval(&words, x->ci_lo, x->ci_hi, decimals, "");
    text_format(&words, " %s between -%s and +%s.", x->equivalent ? "lies" : "does not lie", within, within);
    margin_verdict(l, &words);
    text_format(out, "\n");
    table_wrapped(words.at, 0, out);
}

/* What a claim says of this difference, and the reported one beside it. */
static void claim(const ClaimVerdict *v, Text *out) {
    LOCAL_TEXT(words);
    const char *side = table_side_found(v);
    table_expectation(v->test, &words);
    text_format(out, "claim %s (%s)  %s%s%s%s%s\n", v->claim->id, words.at, verdict_word(v->word), side[0] ? ", " : "",
                side, replication_word(v), v->seen == SEEN_nothing ? ", too small to matter" : "");
    text_clear(&words);
    if (!isnan(v->reported)) text_format(&words, "reported %s, ", SHOW_SIGNED(v->reported, 4));
    replication_text(v, &words);
    if (words.length) table_wrapped(words.at, 2, out);
}

static void verdict(const Lineage *l, Text *out) {
    LOCAL_TEXT(words);
    if (l->c->status == ST_OK)
        table_decision(l->t, l->c, &words);
    else
        text_format(&words, "not testable (%s)", words_status(l->c));
    text_format(out, "\nverdict  %s, at level %s", words.at, FORMAT_REAL(l->family->alpha));
    if (!isnan(l->c->what.margin)) text_format(out, "; margin %s", FORMAT_REAL(l->c->what.margin));
    text_format(out, "\n");
    for (int i = 0; i < l->t->verdicts.count; i++) {
        const ClaimVerdict *v = &l->t->verdicts.at[i];
        if (holds(l, v)) claim(v, out);
    }
}

static void makers(const Lineage *l, Text *out) {
    int runs = 2 * l->t->sample.seeds;
    OWNED const RunRecord **r = mem_alloc((size_t)runs, sizeof *r);
    MadeBy made[MADE_BY_MAX];
    char from[TIME_SIZE], to[TIME_SIZE];
    both(l, r);
    int commits = records_made_by(made, r, runs);
    text_format(out, "\nThe runs were made by\n");
    int64_t first = 0;
    for (int i = 0; i < commits; i++) {
        text_format(out, "  commit %s: %d run%s", made[i].commit, made[i].runs, made[i].runs == 1 ? "" : "s");
        if (made[i].first)
            text_format(out, ", finished %s to %s", format_time(from, made[i].first), format_time(to, made[i].last));
        if (made[i].first && (!first || made[i].first < first)) first = made[i].first;
        text_format(out, "\n");
    }
    text_format(out, "and these numbers by\n  normbench %s, commit %s\n", NORMBENCH_VERSION, provenance_commit());
    bool changed = provenance_changed(provenance_commit());
    for (int i = 0; i < commits; i++) changed |= provenance_changed(made[i].commit);
    if (changed) text_format(out, "  %s\n", provenance_changes);
    text_format(out, "\nWritten down\n");
    for (int i = 0; i < l->written_count; i++) {
        text_format(out, "  ");
        history_text(&l->written[i], first, out);
        text_format(out, "\n");
    }
    text_format(out, "  %s\n", history_caution);
}

const char *lineage_run(const Lineage *l) {
    return run_of(l, 0, 0)->record->id;
}

void lineage_text(const Lineage *l, int width, Text *out) {
    heading(l, out);
    rows(l, width, out);
    token_hits_rows(l->t, &l->c->what, width, out);
    if (l->c->status == ST_OK) {
        interval(l, out);
        if (l->family->anytime) {
            stops(l, out);
        } else {
            flips(l, out);
            margin(l, out);
        }
    }
    verdict(l, out);
    makers(l, out);
}

/* ---- From a number to its runs, as JSON ---- */

static json_t *claims_of(const Lineage *l) {
    json_t *list = json_array();
    const ClaimVerdicts *all = &l->t->verdicts;
    for (const ClaimVerdict *v = all->at; v < all->at + all->count; v++)
        if (holds(l, v)) json_array_append_new(list, json_verdict(l->t, v));
    return list;
}

json_t *lineage_json(const Lineage *l) {
    static const char *const of[] = {[LINEAGE_TABLE] = "table", [LINEAGE_CLAIMS] = "claims", [LINEAGE_ALONE] = "alone"};
    const Table *t = l->t;
    const Contrast *w = &l->c->what;
    json_t *o = json_begin(LINEAGE_SCHEMA), *arms = json_array(), *written = json_array();
    LOCAL_TEXT(words);
    json_add(o, "experiment", t->x->name, "profile", t->x->profile, "plan", t->x->plan, "results", t->results_hash,
             "exploratory", json_boolean(t->exploratory || l->of == LINEAGE_ALONE), "class",
             t->classes.length ? t->classes.at : NULL);
    json_add(o, "factors", CELL_WHERE(t->x, w->cell), "step", t->sample.cell[w->cell].step[w->step], "metric",
             metric_info[w->metric].key, "of", of[l->of]);
    for (int side = 0; side < 2; side++) {
        const Arm *arm = &t->x->arm[w->term[side].arm];
        json_array_append_new(arms, json_pack("{s:s, s:s}", "arm", arm->name, "label", arm->label));
    }
    json_add(o, "arms", arms, "runs", seed_rows_json(l), "comparison", json_comparison(t, l->family, l->c), "targets",
             token_hits_json(t, w), "comparisons", l->family->count);
    if (!l->family->anytime) json_add(o, "flips", l->family->joint.total, "floor", l->family->floor);
    if (l->c->status == ST_OK) table_decision(t, l->c, &words);
    json_add(o, "verdict", words.length ? words.at : "not testable", "claims", claims_of(l), "records",
             json_records_made_by(t));
    for (int i = 0; i < l->written_count; i++) json_array_append_new(written, history_json(&l->written[i]));
    json_add(o, "written", written);
    return o;
}
