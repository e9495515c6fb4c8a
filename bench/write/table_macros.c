/* NAME-macros.tex: numbers for running text, one \newcommand each. Every line ends in %, so that the file may be read
 * anywhere and sets no blank. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/prose.h"
#include "bench/write/summaries.h"

static void macro(const Table *t, const char *place, const char *what, const char *shown, Text *out) {
    text_format(out, "\\newcommand{\\nb");
    latex_macro_name(out, t->label);
    text_format(out, "%s%s}{", place, what);
    latex_number(out, shown);
    text_format(out, "}%%\n");
}

/* An arm's name in letters. Two that say the same in letters, or one that has none, are told apart by their place. */
static void arm_name(const Table *t, int arm, Text *out) {
    LOCAL_TEXT(other);
    bool alone;
    latex_macro_name(out, t->x->arm[arm].name);
    alone = out->length > 0;
    for (int a = 0; a < arm && alone; a++) {
        text_clear(&other);
        latex_macro_name(&other, t->x->arm[a].name);
        alone = strcmp(other.at, out->at) != 0;
    }
    if (!alone) text_format(out, "Arm%c%c", 'A' + arm / 26, 'A' + arm % 26);
}

/* A place from 1 on: "B", "C" … "Z", "AB". */
static void letters(int place, Text *out) {
    for (; place; place /= 26) text_format(out, "%c", 'A' + place % 26);
}

/* Behind an arm's name: "AtOneFiveZero", and "CellB" from the second cell on. */
static void add_place(const Table *t, int cell, int step, Text *out) {
    text_format(out, "At");
    latex_macro_name(out, SHOW_TEXT("%d", t->sample.cell[cell].step[step]));
    if (!cell) return;
    text_format(out, "Cell");
    letters(cell, out);
}

static void at_place(const Table *t, int cell, int step, int arm, Text *out) {
    text_clear(out);
    arm_name(t, arm, out);
    add_place(t, cell, step, out);
}

/* "MineMinusPeriAtOneFiveZero": a pair of `compare`. */
static void pair_name(const Table *t, const Comparison *c, Text *out) {
    LOCAL_TEXT(against);
    text_clear(out);
    arm_name(t, c->what.term[0].arm, out);
    arm_name(t, c->what.term[1].arm, &against);
    text_format(out, "Minus%s", against.at);
    add_place(t, c->what.cell, c->what.step, out);
}

/* "% CellB: lr = 0.003", which its names alone do not say. */
static void say_cell(const Table *t, int cell, Text *out) {
    char where[256];
    if (!experiment_cell_text(where, t->x, cell)[0]) return;
    text_format(out, "%% ");
    if (cell) text_format(out, "Cell");
    letters(cell, out);
    text_format(out, cell ? ": %s\n" : "No Cell in the name: %s\n", where);
}

static void arm_macros(const Table *t, int cell, int step, int arm, const char *place, Text *out) {
    for (const TableRow *row = t->x->row; row < t->x->row + t->x->rows; row++) {
        const MetricInfo *metric = &metric_info[row->metric];
        SampleArm a = sample_arm(&t->sample, cell, step, arm, row->metric);
        char number[SHOWN];
        int decimals = decimals_for(a.sd, metric->digits);
        bool shown = !a.diverged && a.status == ST_OK;
        if (a.diverged)
            snprintf(number, sizeof number, "div. %d/%d", a.diverged, a.n);
        else
            show_number(number, shown ? a.mean : (double)NAN, decimals);
        macro(t, place, metric->macro, number, out);
        macro(t, place, SHOW_TEXT("%sSd", metric->macro),
              show_number(number, shown && a.n > 1 ? a.sd : (double)NAN, decimals), out);
    }
}

/* Words, as a macro. */
static void sentence(const Table *t, const char *place, const char *what, const char *words, Text *out) {
    text_format(out, "\\newcommand{\\nb");
    latex_macro_name(out, t->label);
    text_format(out, "%s%s}{", place, what);
    latex_shown(out, words);
    text_format(out, "}%%\n");
}

/* Their names are those of the arms and steps alone: what is not known this time is n/a. */
static void comparison_macros(const Table *t, const Comparison *c, const char *place, Text *out) {
    const double none = (double)NAN;
    bool ok = c && c->status == ST_OK, interval = ok && c->t_decides && c->t.status == ST_OK;
    double mean = ok ? c->t.mean : none, se = ok ? c->t.se : none;
    int decimals = decimals_for(se, 4);
    macro(t, place, "Delta", SHOW_NUMBER(mean, decimals), out);
    macro(t, place, "DeltaLow", SHOW_NUMBER(interval ? c->t.lo : none, decimals), out);
    macro(t, place, "DeltaHigh", SHOW_NUMBER(interval ? c->t.hi : none, decimals), out);
    if (t->metric == METRIC_valid_loss)
        macro(t, place, "Ratio", SHOW_NUMBER(exp(mean), decimals_for(exp(mean) * se, 3)), out);
    macro(t, place, "PAdj", SHOW_P(ok ? c->joint.step : none), out);
    LOCAL_TEXT(words);
    if (c)
        table_decision(t, c, &words);
    else
        text_format(&words, "not tested at this step");
    sentence(t, place, "Verdict", words.at, out);
    text_clear(&words);
    if (c)
        prose_comparison(t, c, &words);
    else
        text_format(&words, "not tested at this step");
    sentence(t, place, "Sentence", words.at, out);
}

/* At the best rates: of the first group of cells by the arms' names alone, GroupB and so on of the others. */
static void best_macros(const Table *t, const Best *b, const BestPair *p, Text *out) {
    const int decimals = decimals_for(p->minus.se, RANKING_DIGITS);
    const bool ok = p->minus.status == ST_OK;
    LOCAL_TEXT(place);
    LOCAL_TEXT(words);
    if (t->x->compares) {
        arm_name(t, p->against->arm, &words);
        text_format(&place, "Minus%s", words.at);
        text_clear(&words);
    }
    arm_name(t, p->arm->arm, &words);
    text_format(&words, "%sBest", place.at);
    if (p->group) text_format(&words, "Group"), letters(p->group, &words);
    text_clear(&place);
    text_format(&place, "%s", words.at);
    macro(t, place.at, "Delta", SHOW_NUMBER(p->difference, decimals), out);
    macro(t, place.at, "DeltaLow", SHOW_NUMBER(ok ? p->minus.lo : (double)NAN, decimals), out);
    macro(t, place.at, "DeltaHigh", SHOW_NUMBER(ok ? p->minus.hi : (double)NAN, decimals), out);
    macro(t, place.at, "PAdj", SHOW_P(p->p.step), out);
    text_clear(&words), best_words(b, p, t->x->arm[p->against->arm].label, &words);
    sentence(t, place.at, "Verdict", words.at, out);
    text_clear(&words), ranking_rates(&b->ranking, p->arm, &words);
    sentence(t, place.at, "Rate", words.at, out);
    text_clear(&words), best_sentence(t, b, p, &words);
    sentence(t, place.at, "Sentence", words.at, out);
}

void table_macros(const Table *t, Text *out) {
    const Best *b = table_best(t);
    char number[SHOWN];
    LOCAL_TEXT(words);
    LOCAL_TEXT(place);
    table_header_comment(t, "macros", out);
    snprintf(number, sizeof number, "%d", t->sample.seeds);
    macro(t, "", "Seeds", number, out);
    macro(t, "", "PFloor", show_p(number, t->family.anytime ? (double)NAN : t->family.floor), out);
    sentence(t, "", "Status", table_status(t), out);
    table_methods(t, &words);
    sentence(t, "", "Methods", words.at, out);
    for (int cell = 0; cell < t->sample.cells; cell++) {
        say_cell(t, cell, out);
        for (int step = 0; step < t->sample.cell[cell].steps; step++)
            for (int arm = 0; arm < t->sample.arms && t->sample.cell[cell].step[step]; arm++) {
                const Comparison *c = table_comparison(t, cell, step, arm);
                at_place(t, cell, step, arm, &place);
                arm_macros(t, cell, step, arm, place.at, out);
                if (arm != t->sample.baseline) comparison_macros(t, c, place.at, out);
            }
    }
    for (const Comparison *c = t->family.at; t->x->compares && c < t->family.at + t->family.count; c++) {
        pair_name(t, c, &place);
        comparison_macros(t, c, place.at, out);
    }
    for (int i = 0; b && i < b->pairs; i++) {
        const int group = b->pair[i].group;
        if (group && group != b->pair[i - 1].group) {
            text_format(out, "%% Group");
            letters(group, out);
            text_format(out, ": %s\n", b->ranking.group[group]);
        }
        best_macros(t, b, &b->pair[i], out);
    }
}
