/* compare --anytime: comparisons that may be looked at after any seed. No p or interval of a fixed number of seeds. */
#include <math.h>
#include <stdio.h>

#include "bench/compare/print.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/store/provenance.h"
#include "bench/write/anytime.h"
#include "bench/write/stat_json.h"

static void signature(const CompareResult *r, Text *out) {
    char number[40], cap[60] = "none";
    if (r->data->lost) snprintf(cap, sizeof cap, "cap-%s", format_real(number, r->options.cap));
    text_format(out, "n%d|pair:seed|est:mean-d|ci:anytime%s|p:anytime-signs|adj:holm(m%d)|div:%s", r->n,
                format_real(number, round(1e8 * r->options.conf) / 1e6), r->family.count, cap);
    text_format(out, "|better:%s|data:%.8s|v%s", r->options.higher ? "higher" : "lower", r->data->hash,
                NORMBENCH_VERSION);
}

static void row(const CompareResult *r, int i, Cells *cells) {
    const Anytime *a = &r->anytime[i];
    cells_row(cells);
    cell_text(cells, compare_arm_name(r, &r->family.at[i]));
    anytime_cells(a, r->options.anytime, !isnan(r->options.margin), cells);
    cell_by(cells, compare_words, r, &r->family.at[i], a->at ? a->decision : DECISION_INCONCLUSIVE);
}

static void table(const CompareResult *r, CellsList *out) {
    Cells *cells = cells_add(out, "anytime", "");
    cells_column(cells, "arm", 'l', SHOW_TEXT("minus %.250s", r->data->arm[r->baseline]));
    anytime_columns(cells, "Δ", r->options.conf, !isnan(r->options.margin));
    cells_column(cells, "verdict", 'l', "verdict");
    for (int i = 0; i < r->family.count; i++) row(r, i, cells);
}

static void notes(const CompareResult *r, Text *out) {
    text_format(out,
                "One may stop after any seed: p and interval hold at every stop (test martingales of the signs of the "
                "differences; p is adjusted by Holm's method over %d comparison%s, and the intervals cover jointly). "
                "Seeds are taken in ascending order, which has to be fixed beforehand; nothing is decided before 6 of "
                "them. The null hypothesis is that the arms could be swapped within each seed, not that a mean is 0: "
                "skewed differences of mean 0 are decided more often than %s.\n",
                r->family.count, r->family.count == 1 ? "" : "s", FORMAT_REAL(r->family.alpha));
    if (isnan(r->options.margin))
        text_format(out, "Whether a difference is too small to matter is not tested, as no --margin is given.\n");
    else
        text_format(
            out,
            "A difference is too small to matter where it is shown to lie inside +-%s, which takes %d seeds or more.\n",
            FORMAT_REAL(r->options.margin), ST_EQUAL_SEEDS);
    text_format(out,
                "\"seeds it needs\" is how many seeds in all decide half (in brackets nine in ten) of 400 "
                "continuations drawn from these differences, up to %d.\n",
                r->options.anytime);
    if (r->data->lost)
        text_format(out, "A diverged run counts as %s; with one the margin is not tested.\n",
                    FORMAT_REAL(r->options.cap));
}

static void head(const CompareResult *r, Text *out) {
    text_format(out,
                "%d seeds, %d arms; %s is better; the baseline is %s. Δ is arm minus baseline, a mean over seeds.\n",
                r->n, r->data->arms, r->options.higher ? "higher" : "lower", r->data->arm[r->baseline]);
}

void compare_anytime_page(const CompareResult *r, ComparePage *p) {
    *p = compare_page_new();
    signature(r, &p->line), head(r, &p->head), notes(r, &p->notes);
    text_format(&p->needs, "needs booktabs\n");
    compare_reading(r->data, &p->reading);
    table(r, &p->tables);
}

static json_t *comparison(const CompareResult *r, int i) {
    const Anytime *a = &r->anytime[i];
    json_t *o = json_new("arm", compare_arm_name(r, &r->family.at[i]));
    anytime_json(a, r->options.anytime, o);
    return json_add(o, "decision", decision_name(a->decision), "verdict",
                    compare_verdict_name(compare_verdict(r, a->decision)));
}

void compare_anytime_json(const CompareResult *r, Text *out) {
    json_t *o = json_begin(COMPARE_SCHEMA), *list = json_array();
    LOCAL_TEXT(words);
    signature(r, &words);
    json_add(o, "signature", words.at, "data", r->data->hash, "baseline", r->data->arm[r->baseline], "better",
             r->options.higher ? "higher" : "lower", "margin", json_or_null(r->options.margin), "confidence",
             r->options.conf, "alpha", r->alpha, "n", r->n);
    compare_reading_json(r->data, o);
    for (int i = 0; i < r->family.count; i++) json_array_append_new(list, comparison(r, i));
    json_add(o, "most_seeds", r->options.anytime, "seeds", json_wholes(r->data->seed, (size_t)r->n), "anytime", list,
             "exit_code", compare_exit(r));
    json_print(o, JSON_EXACT, out);
}
