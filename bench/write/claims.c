#include "bench/write/claims.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/cells.h"
#include "bench/formats/latex.h"
#include "bench/verdict/translations.h"
#include "bench/write/stat_json.h"
#include "bench/write/summaries.h"

static int test_index(const char *name) {
    const StTest *test = st_test_find(name);
    return test ? (int)(test - st_tests) : -1;
}

void claims_begin(ClaimsTable *x, Cells *c, const char *interval) {
    assert(st_tests_count <= CLAIMS_TESTS_MAX);
    *x = (ClaimsTable){.c = c};
    text_init(&x->intervals);
    cells_columns(c, {"where", "p", "measured in"}, {"n", "r", "n"}, {"reported", "r", "rep."}, {"ours", "r", "ours"},
                  {"ours", "i", interval}, {"p", "r", "p"}, {"floor", "r", "floor"}, {"verdict", "p", "verdict"});
}

/* "maxt: step-down max-T, …, Holm over those tested so." */
static void test_note(const ClaimsTable *x, int i, Text *out) {
    const StTest *test = &st_tests[i];
    text_format(out, "%s%s stands for %s (%s)%s.", out->length ? " " : "", test->name, test->what, test->source,
                x->ratio[i] ? "; the number is the ratio of variances and has no interval, so it is confirmed in "
                              "direction at most"
                            : "");
}

void claims_end(ClaimsTable *x) {
    Text *out = &x->c->notes;
    if (x->reported)
        text_format(out, "%srep. is the effect that follows from the write-up's own numbers at this step.",
                    out->length ? " " : "");
    if (x->intervals.length) text_format(out, "%sThe intervals are: %s.", out->length ? " " : "", x->intervals.at);
    for (int i = 0; i < (int)st_tests_count; i++)
        if (x->named[i]) test_note(x, i, out);
    if (x->unequal) text_format(out, " A claim of equality that is contradicted shows the p of maxt.");
    if (x->inside) text_format(out, " A claim of a difference that lies within the margin shows the p of tost.");
    if (x->anytime)
        text_format(out,
                    "%sanytime stands for test martingales of the signs, which hold whenever one stops adding seeds.",
                    out->length ? " " : "");
    text_format(out,
                "%sp is that of this contrast alone%s; floor is the smallest p that these seeds allow. A row called "
                "estimate does not decide the claim.",
                out->length ? " " : "", x->fixed || !x->anytime ? ", for which max-T is the exact sign-flip test" : "");
    text_release(&x->intervals);
}

/* "002-1  LayerNorm on …": the claim's heading, with its note. */
static void claims_heading(Cells *c, const Claim *claim) {
    LOCAL_TEXT(words);
    text_format(&words, "%s  %s", claim->id, claim->says);
    cells_space(c);
    cells_heading(c, words.at);
    text_clear(&words);
    if (claim->note) text_format(&words, "Note: %s", claim->note), cells_words(c, 2, words.at);
}

void claims_hypothesis(const ClaimTest *test, Text *out) {
    if (!test->terms && !test->predictors) {
        text_format(out, "%s", test->metric_text);
        return;
    }
    table_expectation(test, out);
    if (!isnan(claim_margin(test))) text_format(out, ", margin %s", FORMAT_REAL(claim_margin(test)));
    if (test->test) text_format(out, " (%s)", test->test->name);
}

int claim_decimals(const ClaimTest *t, double se) {
    bool share = t->test->about == ST_ABOUT_divergence || t->test->about == ST_ABOUT_stall;
    return table_ratio(t) || share || t->predictors ? 2 : decimals_for(se, 4);
}

static void effect_cell(Cells *c, const ClaimRow *r, double x, int decimals) {
    char ratio[SHOWN + 8];
    if (!table_ratio(r->test)) {
        cell_signed(c, x, decimals);
        return;
    }
    snprintf(ratio, sizeof ratio, "ratio %s", SHOW_NUMBER(x, 2));
    cell_shown(c, x, ratio);
}

void claims_reported(Cells *c, const ClaimRow *r) {
    if (isnan(r->v->reported))
        cell_none(c);
    else
        effect_cell(c, r, r->v->reported, 4);
}

void claims_ours(Cells *c, const ClaimRow *r) {
    const ClaimVerdict *v = r->v;
    int decimals = claim_decimals(r->test, r->se);
    effect_cell(c, r, v->effect, decimals);
    if (isnan(v->lo))
        cell_interval_shown(c, v->lo, v->hi, "");
    else
        cell_interval(c, v->lo, v->hi, decimals, "");
}

/* ", lower (better), by maxt (exploratory)": what stands behind the word. */
static void behind_word(const ClaimRow *r, Text *out) {
    const ClaimVerdict *v = r->v;
    const char *side = table_side_found(v);
    bool other = v->by[0] && r->test->test && strcmp(v->by, r->test->test->name) != 0 && v->seen != SEEN_nothing;
    text_format(out, "%s%s%s%s%s", side[0] ? ", " : "", side, other ? ", by " : "", other ? v->by : "",
                r->exploratory ? " (exploratory)" : "");
}

void claims_verdict(Cells *c, VerdictWord word, const char *behind) {
    char style[64] = "verdict v-";
    size_t n = strlen(style);
    for (const char *s = verdict_word(word); *s && n + 1 < sizeof style; s++) style[n++] = *s == ' ' ? '-' : *s;
    style[n] = 0;
    LOCAL_TEXT(words);
    text_format(&words, "%s%s", verdict_word(word), behind);
    cell_text(c, words.at);
    cell_style(c, style);
}

/* What the notes must explain of this row. */
static void note(ClaimsTable *x, const ClaimRow *r) {
    const ClaimVerdict *v = r->v;
    const char *planned = r->test->test->name;
    int own = test_index(planned), by = v->by[0] && r->word != WORD_ESTIMATE ? test_index(v->by) : own;
    bool anytime = !strcmp(v->by, "anytime");
    x->anytime |= anytime, x->fixed |= !anytime;
    if (anytime) by = own = -1;
    if (by >= 0) x->named[by] = true;
    if (own >= 0) x->named[own] = true, x->ratio[own] |= st_tests[own].about == ST_ABOUT_variance && isnan(v->lo);
    x->unequal |= by != own && v->seen != SEEN_nothing, x->inside |= by != own && v->seen == SEEN_nothing;
    x->reported |= !isnan(v->reported);
    if (isnan(v->lo) || !r->interval[0]) return;
    size_t n = strlen(r->interval);
    for (const char *at = x->intervals.at; x->intervals.length && (at = strstr(at, r->interval)); at += n)
        if ((at == x->intervals.at || at[-1] == ' ') && (!at[n] || !strncmp(at + n, "; ", 2))) return;
    text_format(&x->intervals, "%s%s", x->intervals.length ? "; " : "", r->interval);
}

void claims_row(ClaimsTable *x, const ClaimRow *r) {
    Cells *c = x->c;
    const ClaimVerdict *v = r->v;
    LOCAL_TEXT(behind);
    cells_row(c);
    cell_text(c, r->where);
    cell_integer(c, r->n);
    claims_reported(c, r);
    claims_ours(c, r);
    bool decides = r->word != WORD_ESTIMATE;
    decides ? cell_p(c, v->p) : cell_none(c);
    decides && v->floor > 0 ? cell_p(c, v->floor) : cell_none(c);
    behind_word(r, &behind);
    claims_verdict(c, r->word, behind.at);
    note(x, r);
}

static void part(Text *out, const char *words) {
    if (words[0]) text_format(out, "%s%s", out->length ? "; " : "", words);
}

void claims_details(Cells *c, const ClaimRow *r, const Table *t) {
    const ClaimVerdict *v = r->v;
    LOCAL_TEXT(all);
    LOCAL_TEXT(words);
    part(&all, v->why), part(&all, v->ends);
    if (v->replication.agrees) part(&all, REPLICATION_AGREES);
    replication_text(v, &words);
    part(&all, words.at);
    text_clear(&words);
    if (t) translations_text(v->c, t->family.conf, &words);
    part(&all, words.at);
    text_clear(&words);
    if (t && v->test->test == st_test_find("mcnemar-targets")) token_hits_text(t, &v->c->what, &words);
    if (all.length) cells_words(c, 4, all.at);
    if (words.length) cells_words(c, 4, words.at);
}

ClaimRow claim_row(const Table *t, const ClaimVerdict *v, const char *where, char interval[CLAIMS_INTERVAL_SIZE]) {
    interval[0] = 0;
    if (v->interval)
        snprintf(interval, CLAIMS_INTERVAL_SIZE, "%s%% %s", TABLE_CONFIDENCE(t), interval_words[v->interval]);
    return (ClaimRow){.test = v->test,
                      .v = v,
                      .where = where,
                      .interval = interval,
                      .n = t->sample.seeds,
                      .se = v->c->t.se,
                      .word = v->word,
                      .exploratory = t->exploratory || v->undeclared};
}

static void title(const Table *t, Text *out) {
    text_format(out, "Claims of write-up %s: ", t->claims->writeup);
    claims_cite(t->claims, out);
    text_format(out, ", tested with experiment %s", t->x->name);
}

static void row(ClaimsTable *x, const Table *t, const ClaimVerdict *v) {
    char cell[256], interval[CLAIMS_INTERVAL_SIZE];
    claim_verdict_cell(cell, t->x, v);
    ClaimRow r = claim_row(
        t, v, SHOW_TEXT("step %d%s%s", t->sample.cell[v->cell].step[v->step], cell[0] ? ", " : "", cell), interval);
    claims_row(x, &r);
    claims_details(x->c, &r, t);
}

void claims_tables(const Table *t, CellsList *out) {
    const ClaimVerdict *before = NULL;
    ClaimsTable x;
    LOCAL_TEXT(words);
    for (int i = 0; i < t->verdicts.count && !before; i++)
        if (t->verdicts.at[i].c) before = &t->verdicts.at[i];
    if (!before) return;
    before = NULL;
    Cells *c = cells_add(out, "claims", "");
    title(t, &c->title);
    text_format(&c->caption, "The reported numbers stand in %s.", t->claims->file);
    claims_begin(&x, c, SHOW_TEXT("[%s%% CI]", TABLE_CONFIDENCE(t)));
    for (int i = 0; i < t->verdicts.count; i++) {
        const ClaimVerdict *v = &t->verdicts.at[i];
        if (!v->c) continue;
        if (!before || v->claim != before->claim) claims_heading(c, v->claim);
        if (!before || v->test != before->test) {
            text_clear(&words);
            claims_hypothesis(v->test, &words);
            cells_words(c, 2, words.at);
        }
        row(&x, t, v);
        before = v;
    }
    claims_end(&x);
}

static bool not_run(const ClaimVerdict *v, const char *why) {
    return v->word == WORD_NOT_TESTED && !strcmp(v->why, why);
}

void claims_not_run(const Table *t, Text *out) {
    const ClaimVerdicts *l = &t->verdicts;
    int reasons = 0;
    for (const ClaimVerdict *v = l->at; v < l->at + l->count; v++) {
        const ClaimVerdict *first = l->at, *before = NULL;
        while (!not_run(first, v->why) && first < v) first++;
        if (v->word != WORD_NOT_TESTED || first < v) continue;
        text_format(out, "%s", reasons++ ? "; " : "Tests of these claims are not made here: ");
        for (const ClaimVerdict *x = v; x < l->at + l->count; x++) {
            if (!not_run(x, v->why) || (before && before->claim == x->claim)) continue;
            text_format(out, "%s%s", before ? ", " : "", x->claim->id), before = x;
        }
        text_format(out, " (%s)", v->why);
    }
    if (reasons) text_format(out, ".");
}

void replication_text(const ClaimVerdict *v, Text *out) {
    const Replication *r = &v->replication;
    if (isnan(v->reported)) return;
    if (isnan(r->lo)) {
        text_format(out, "there is no prediction interval, as our number has no standard error");
        return;
    }
    int decimals = decimals_for((r->hi - r->lo) / 4, 2);
    text_format(out, "prediction interval ");
    show_interval(out, r->lo, r->hi, decimals, "");
    if (isnan(r->se))
        text_format(out, " of our number alone (the write-up's spread is not known)");
    else if (isnan(r->reported_se))
        text_format(out, ", by our standard error %s (the write-up's is not known)",
                    SHOW_NUMBER(r->se, decimals_for(r->se, 4)));
    else
        text_format(out, ", by the standard errors %s (ours) and %s (the write-up's)",
                    SHOW_NUMBER(r->se, decimals_for(r->se, 4)),
                    SHOW_NUMBER(r->reported_se, decimals_for(r->reported_se, 4)));
}

const char *replication_word(const ClaimVerdict *v) {
    return v->replication.agrees ? " (" REPLICATION_AGREES ")" : "";
}

void replication_json(const ClaimVerdict *v, json_t *out) {
    const Replication *r = &v->replication;
    if (isnan(v->reported)) return;
    json_add(out, "replication",
             json_new("se", r->se, "reported_se", r->reported_se, "df", r->df, "lo", r->lo, "hi", r->hi, "inside",
                      r->inside, "agrees", r->agrees));
}

enum { NAMED = ARM_NAME_SIZE + 260 };

/* "layernorm"; of arms in different cells "pre (width = 32)". */
static const char *arm_name(char out[NAMED], const Table *t, const TokenHits *x, int side) {
    const char *name = t->x->arm[x->arm[side]->arm].name;
    char cell[256];
    if (x->arm[0]->cell == x->arm[1]->cell)
        snprintf(out, NAMED, "%s", name);
    else
        snprintf(out, NAMED, "%s (%s)", name, experiment_cell_text(cell, t->x, x->arm[side]->cell));
    return out;
}

static bool above(const TokenHits *x, int side) {
    return x->accuracy[side] > x->frequent;
}

/* "Always the most frequent target would be right 0.1490 of the time: layernorm, 0.2700, is above that, …" */
static void beside_frequent(const Table *t, const TokenHits *x, Text *out) {
    char number[SHOWN], name[NAMED];
    show_number(number, x->frequent, 4);
    text_format(out, "Always naming the most frequent target would be right %s of the time:", number);
    for (int side = 0; side < 2; side++)
        text_format(out, "%s %s, %s, is %sabove that", side ? ";" : "", arm_name(name, t, x, side),
                    show_number(number, x->accuracy[side], 4), above(x, side) ? "" : "not ");
    text_format(out, ".");
}

void token_hits_text(const Table *t, const Contrast *w, Text *out) {
    LOCAL(token_hits_release) TokenHits x = {0};
    char p[SHOWN], name[2][NAMED];
    if (token_hits_make(&x, &t->sample, w)) return;
    text_format(
        out,
        "Of N = %ld targets, b are right in %s alone and c in %s alone. By seed, b, c and the exact McNemar p are:",
        x.targets, arm_name(name[0], t, &x, 0), arm_name(name[1], t, &x, 1));
    for (const TokenHitsSeed *s = x.seed; s < x.seed + x.seeds; s++)
        text_format(out, "%s seed %llu %ld, %ld, %s", s == x.seed ? "" : ";", (unsigned long long)s->seed, s->only_a,
                    s->only_b, show_p(p, s->test.p));
    text_format(out, ". %s ", token_hits_why_seeds);
    beside_frequent(t, &x, out);
}

void token_hits_rows(const Table *t, const Contrast *w, int width, Text *out) {
    LOCAL(token_hits_release) TokenHits x = {0};
    LOCAL(cells_release) Cells c = {0};
    char name[NAMED];
    if (token_hits_make(&x, &t->sample, w)) return;
    cells_init(&c, "targets", "");
    text_format(&c.title, "how many of N = %ld targets are right in one arm alone", x.targets);
    cells_columns(&c, {"seed", "r", "seed"}, {"only_first", "r", arm_name(name, t, &x, 0), "b"},
                  {"only_second", "r", arm_name(name, t, &x, 1), "c"}, {"difference", "r", "(b - c)/N"},
                  {"p", "r", "McNemar p"});
    for (const TokenHitsSeed *s = x.seed; s < x.seed + x.seeds; s++) {
        double d = (double)(s->only_a - s->only_b) / (double)x.targets;
        cells_row(&c);
        cell_integer(&c, (long)s->seed), cell_integer(&c, s->only_a), cell_integer(&c, s->only_b);
        cell_shown(&c, d, SHOW_SIGNED(d, 6)), cell_p(&c, s->test.p);
    }
    text_format(&c.notes, "%s ", token_hits_why_seeds);
    beside_frequent(t, &x, &c.notes);
    text_format(out, "\n");
    cells_text(&c, width, out);
}

json_t *token_hits_json(const Table *t, const Contrast *w) {
    LOCAL(token_hits_release) TokenHits x = {0};
    char name[NAMED];
    if (token_hits_make(&x, &t->sample, w)) return NULL;
    json_t *o = json_object(), *arms = json_array(), *seeds = json_array();
    for (int side = 0; side < 2; side++)
        json_array_append_new(arms, json_new("arm", arm_name(name, t, &x, side), "accuracy", x.accuracy[side],
                                             "above_most_frequent", above(&x, side)));
    for (const TokenHitsSeed *s = x.seed; s < x.seed + x.seeds; s++)
        json_array_append_new(
            seeds, json_new("seed", s->seed, "only_first", s->only_a, "only_second", s->only_b, "p", s->test.p));
    json_add(o, "n", x.targets, "most_frequent", x.frequent, "arms", arms, "seeds", seeds, "note",
             token_hits_why_seeds);
    return o;
}
