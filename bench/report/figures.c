/* The report's figures: drawn side by side into a folder, then put into the page, a wide and a narrow one of each. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/figures/figure.h"
#include "bench/report/report.h"
#include "bench/verdict/sensitivity.h"

typedef struct {
    const Ledger *b;
    const char *folder;
    int formats;
    Error error; /* one of them */
    atomic_int failed;
} Drawing;

static void draw_one(void *context, int i) {
    Drawing *d = context;
    char folder[1100];
    Error e;
    const bool theory = i == d->b->made_count; /* behind the experiments */
    snprintf(folder, sizeof folder, "%.1000s/%d", d->folder, i);
    Rc rc = folder_make(folder, &e);
    if (!rc && theory) rc = theory_draw(d->b->stated, folder, d->formats, &e);
    if (!rc && !theory) rc = figure_draw(&d->b->made[i]->table, folder, d->formats, &e);
    if (rc && !d->failed++) d->error = e;
}

Rc report_figures(const Ledger *b, const char *folder, int formats, int threads, Error *e) {
    Drawing d = {.b = b, .folder = folder, .formats = formats};
    pool_run(threads, b->made_count + (b->stated != NULL), draw_one, &d);
    if (d.failed) *e = d.error;
    return d.failed ? d.error.code : RC_OK;
}

/* The ids inside a figure, and references to them, get a prefix, so that ids are unique on the page. */
static void add_svg(Text *out, const char *svg, const char *prefix) {
    static const char *const before[] = {"id=\"", "id='", "'#", "\"#", "url(#"};
    for (const char *s = svg; *s;) {
        size_t n = 0;
        for (size_t i = 0; i < sizeof before / sizeof *before && !n; i++)
            if (!strncmp(s, before[i], strlen(before[i]))) n = strlen(before[i]);
        bool colour = n == 2 && strspn(s + n, "0123456789abcdefABCDEF") >= 6; /* "#0072B2" refers to no id */
        text_add(out, s, n ? n : 1);
        if (n && !colour) text_format(out, "%s", prefix);
        s += n ? n : 1;
    }
}

/* One width of a figure. class: which screens show it. */
static bool add_width(const char *folder, const char *name, const char *ending, const char *class, int number,
                      Text *out) {
    char *bytes;
    size_t length;
    Error ignored;
    if (file_read(SHOW_TEXT("%.1100s/%s%s", folder, name, ending), &bytes, &length, &ignored)) return false;
    const char *svg = strstr(bytes, "<svg");
    if (svg) {
        text_format(out, "<div class=\"%s\">", class);
        add_svg(out, svg, SHOW_TEXT("f%d%c-", number, class[0]));
        text_format(out, "</div>\n");
    }
    free(bytes);
    return svg != NULL;
}

void report_figure(const char *folder, const char *name, const char *caption, int *number, Text *out) {
    LOCAL_TEXT(drawn);
    if (add_width(folder, name, ".svg", "desk", *number + 1, &drawn) &&
        add_width(folder, name, "-85mm.svg", "phone", *number + 1, &drawn)) {
        ++*number;
        text_format(out, "<figure class=\"plot\" id=\"figure-%d\" aria-labelledby=\"caption-%d\">\n", *number, *number);
        text_format(out, "%s<figcaption id=\"caption-%d\">Figure %d. ", drawn.at, *number, *number);
        html_text(out, caption);
        text_format(out, "</figcaption></figure>\n");
    }
}

static void add_figure(const Table *t, const Figure *figure, const char *folder, int *number, Text *out) {
    LOCAL_TEXT(caption);
    figure_caption(t, figure, &caption);
    text_format(&caption, " ");
    report_see(t, figure, &caption);
    report_figure(folder, figure->name, caption.at, number, out);
}

void report_section_figures(const Table *t, const char *folder, int *number, Text *out) {
    enum { OPEN = 5 };
    Figure *figure;
    int figures = figure_list(t, &figure), shown = 0;
    for (int first = 1; first >= 0; first--) /* the differences before all others */
        for (int i = 0; i < figures; i++) {
            if ((figure[i].kind == FIGURE_differences) != first) continue;
            if (shown++ == OPEN) text_format(out, "<details><summary>%d more figures</summary>\n", figures - OPEN);
            add_figure(t, &figure[i], folder, number, out);
        }
    if (figures > OPEN) text_format(out, "</details>\n");
    free(figure);
}

/* ---- The sentence under each figure of the report that says what to see in it. ---- */

static SampleArm at_end(const Table *t, int cell, int arm, Metric metric) {
    return sample_arm(&t->sample, cell, table_last(t, cell), arm, metric);
}

static void number(const SampleArm *a, Metric metric, Text *out) {
    text_format(out, "%s", SHOW_NUMBER(a->mean, decimals_for(a->sd, metric_info[metric].digits)));
}

/* "Of 6 intervals 3 lie on the worse side, 1 lies on the better side and 2 cross zero." shown: the cell; -1: all. */
static void differences(const Table *t, int shown, Text *out) {
    int count = 0, low = 0, high = 0, better = metric_info[t->metric].better;
    for (const Comparison *c = t->family.at; c < t->family.at + t->family.count; c++) {
        if (shown >= 0 && c->what.cell != shown) continue;
        if (c->what.step != table_last(t, c->what.cell) || !c->t_decides || c->t.status != ST_OK) continue;
        count++, low += c->t.hi<0, high += c->t.lo> 0;
    }
    if (!count) return;
    const char *below = better < 0 ? "on the better side" : better ? "on the worse side" : "below zero";
    const char *above = better < 0 ? "on the worse side" : better ? "on the better side" : "above zero";
    text_format(out,
                "Look where each interval lies: of %d interval%s %d %s wholly %s, %d %s, and %d reach%s across zero.",
                count, count == 1 ? "" : "s", low, low == 1 ? "lies" : "lie", below, high, above, count - low - high,
                count - low - high == 1 ? "es" : "");
}

/* Which arm ends lowest and highest in a cell, of the first number that the figure shows. */
static void ends(const Table *t, int cell, Text *out) {
    const Metric metric = figure_curves_metric(t);
    int least = -1, most = -1;
    SampleArm low = {0}, high = {0};
    for (int arm = 0; arm < t->sample.arms && metric != METRIC_COUNT; arm++) {
        SampleArm a = at_end(t, cell, arm, metric);
        if (a.status != ST_OK) continue;
        if (least < 0 || a.mean < low.mean) least = arm, low = a;
        if (most < 0 || a.mean > high.mean) most = arm, high = a;
    }
    if (least < 0 || least == most) {
        text_format(out, "Look how far each line goes: where all runs of an arm diverged, it ends early.");
        return;
    }
    text_format(out, "Look at the right end: %s ends lowest in %s (", t->x->arm[least].label,
                metric_info[metric].heading);
    number(&low, metric, out);
    text_format(out, "), %s highest (", t->x->arm[most].label);
    number(&high, metric, out);
    text_format(out, ").");
}

/* The rate at which each arm's mean is best, where the rate is all that varies. */
static void rates(const Table *t, Text *out) {
    const Factor *f = &t->x->factor[0];
    enum { NAMED = 6 };
    char shown[FACTOR_VALUE_SIZE];
    int better = metric_info[t->metric].better, cell[EXPERIMENT_VALUES_MAX];
    double rate[EXPERIMENT_VALUES_MAX];
    if (!better) {
        text_format(out, "Look how each line rises or falls with the rate.");
        return;
    }
    int count = sensitivity_cells(t->x, 0, cell, rate);
    text_format(out,
                "Look for the %s point of each line, and whether it stands at an end of the rates, where the best rate "
                "may lie beyond",
                better > 0 ? "highest" : "lowest");
    for (int arm = 0; arm < t->sample.arms && t->x->factors == 1 && t->sample.arms <= NAMED; arm++) {
        int best = -1;
        for (int k = 0; k < count; k++) {
            SampleArm a = at_end(t, cell[k], arm, t->metric);
            if (a.status != ST_OK || a.diverged) continue;
            if (best < 0 || better * (a.mean - at_end(t, cell[best], arm, t->metric).mean) > 0) best = k;
        }
        if (best < 0) continue;
        bool end = best == 0 || best == count - 1;
        text_format(out, "%s %s at %s%s", arm ? "," : ":", t->x->arm[arm].label, factor_text(shown, f, cell[best]),
                    end ? " (an end)" : "");
    }
    text_format(out, ".");
}

static void seeds(const Table *t, int cell, Text *out) {
    int leave = 0, arms = 0;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int own = 0;
        for (int seed = 0; seed < t->sample.seeds; seed++) own += figure_leaves(t, cell, arm, seed);
        leave += own, arms += own > 0;
    }
    text_format(out, "Look for a line far from those of its colour: %d run%s of %d arm%s leave%s the other seeds.",
                leave, leave == 1 ? "" : "s", arms, arms == 1 ? "" : "s", leave == 1 ? "s" : "");
}

static void ranking(const Table *t, int group, Text *out) {
    const Ranking *y = table_ranking(t);
    if (!y || !y->rows) return;
    const RankingRow *first = &y->row[group * y->arms];
    int tied = 0;
    for (const RankingRow *row = first; row < first + y->arms; row++) tied += row->first == 1;
    if (y->apart)
        text_format(out, "Look at the top: %s ranks first, and %d arm%s cannot be told from the first place.",
                    t->x->arm[first->arm].label, tied, tied == 1 ? "" : "s");
    else
        text_format(out, "Look at the top: %s ranks first, but these seeds tell no two arms apart.",
                    t->x->arm[first->arm].label);
}

void report_see(const Table *t, const Figure *f, Text *out) {
    switch (f->kind) {
    case FIGURE_differences: differences(t, figure_differences.cell(t, f->part), out); break;
    case FIGURE_curves: ends(t, f->part, out); break;
    case FIGURE_rates: rates(t, out); break;
    case FIGURE_seeds: seeds(t, f->part, out); break;
    case FIGURE_ranking: ranking(t, f->part, out); break;
    case FIGURE_ranking_rates:
        text_format(out, "Look how wide the valley of each panel is: a wide one means that the rate matters little.");
        break;
    case FIGURE_corpora:
        text_format(out, "Look for a curve that is above all others everywhere: at every tau more of its runs, of all "
                         "corpora together, are that good.");
        break;
    case FIGURE_budget:
        text_format(out, "Look where lines cross: up to there the one that starts lower is better when few rates can "
                         "be tried.");
        break;
    case FIGURE_spikes:
        text_format(out, "Look at which rate each line leaves zero: from there on training is no longer smooth.");
        break;
    case FIGURE_blocks:
        text_format(out, "Look for a slope: a level line means that all blocks are alike, a rising one that the blocks "
                         "next to the output have larger values.");
        break;
    case FIGURE_growth:
        text_format(out, "Look which law follows the points: the thick one fits best; and how far the largest "
                         "activation stays below fp16's limit.");
        break;
    case FIGURE_KINDS: break;
    }
}
