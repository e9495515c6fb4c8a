/* compare as pages of tables and words, of a fixed number of seeds and of any; and as a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/compare/print.h"
#include "bench/figures/figure.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/formats/terminal.h"
#include "bench/store/provenance.h"
#include "bench/verdict/words.h"
#include "bench/write/summaries.h"
#include "bench/write/table.h"

void compare_signature(const CompareResult *r, Text *out) {
    const CompareOptions *o = &r->options;
    bool apart = r->data->unpaired, any = r->family.anytime != NULL;
    bool exact = apart ? r->family.joint.exact : r->family.n <= ST_FLIP_MAX;
    text_format(out, r->family.n == r->data->seeds ? "n%d" : "n%d-%d", r->family.n, r->data->seeds);
    text_format(out, "|pair:%s|est:mean-d|ci:%s%s|p:%s%s|adj:%s(m%d)|div:", apart ? "none" : "seed",
                any ? "anytime" : apart ? "welch" : "t", FORMAT_PERCENT(compare_confidence(r)),
                any ? "anytime-signs" : apart ? "relabel" : "signflip", any ? "" : exact ? "-exact" : "-mc",
                any || apart ? "holm" : "maxT-sd", r->family.count);
    text_format(out, r->data->lost ? "cap-%s" : "none", FORMAT_REAL(o->cap));
    if (r->data->steps) text_format(out, "|target:%s", FORMAT_REAL(r->data->target));
    if (o->looks) text_format(out, "|look:%d/%d", r->this_look + 1, o->looks);
    text_format(out, "|better:%s|data:%.8s|v%s", o->higher ? "higher" : "lower", r->data->hash, NORMBENCH_VERSION);
}

/* Say [lo, hi] with the digits of its error, or why there is none, and return whether there is one. */
static bool bounds(const CompareResult *r, const Comparison *c, StInterval x, double error, const char *why,
                   Text *out) {
    if (!c->t_decides)
        text_format(out, "withheld (%s)", compare_lost(r)->did);
    else if (why)
        text_format(out, "%s", why);
    else if (x.status != ST_OK)
        text_format(out, "n/a (%s)", st_status_text(x.status));
    else
        text_format(out, "%s", SHOW_BOUNDS(x.lo, x.hi, error));
    return c->t_decides && !why && x.status == ST_OK;
}

static void bounds_cell(const CompareResult *r, const Comparison *c, StInterval x, double error, const char *why,
                        Cells *cells) {
    LOCAL_TEXT(shown);
    bool made = bounds(r, c, x, error, why, &shown);
    cell_interval_shown(cells, made ? x.lo : (double)NAN, made ? x.hi : (double)NAN, shown.at);
}

static StInterval t_of(const Comparison *c) {
    return (StInterval){c->t.status, c->t.lo, c->t.hi};
}

static void step_cell(double step, Cells *cells) {
    cell_shown(cells, step, isinf(step) ? "never" : SHOW_TEXT("%.10g", step));
}

static void arm_row(const CompareResult *r, int arm, Cells *cells) {
    const CompareArm *a = &r->arm[arm];
    cells_row(cells);
    cell_text(cells, r->data->arm[arm]);
    if (r->data->steps) {
        step_cell(a->all.median, cells), step_cell(a->all.least, cells), step_cell(a->all.most, cells);
    } else {
        cell_shown(cells, a->all.mean, SHOW_WITH_ERROR(a->all.mean, a->all.sd, false));
        cell_shown(cells, a->all.sd, SHOW_WITH_ERROR(a->all.sd, a->all.sd, false));
    }
    if (r->data->unpaired) cell_integer(cells, (long)a->all.rate.n);
    if (r->data->lost) cell_count(cells, (int)a->all.rate.k, (int)a->all.rate.n);
    if (!isnan(r->options.stall)) cell_count(cells, (int)(a->stalled.k - a->all.rate.k), (int)a->all.rate.n);
}

/* The baseline first. */
static void arms(const CompareResult *r, CellsList *out) {
    Cells *cells = cells_add(out, "arms", "");
    cells_column(cells, "arm", 'l', "arm");
    if (r->data->steps) {
        cells_columns(cells, {"median", "r", "median step"}, {"least", "r", "least"}, {"most", "r", "most"});
    } else
        cells_column(cells, "mean", 'r', "mean"), cells_column(cells, "sd", 'r', "SD");
    if (r->data->unpaired) cells_column(cells, "runs", 'r', "runs");
    if (r->data->lost) cells_column(cells, "diverged", 'r', compare_lost(r)->did);
    if (!isnan(r->options.stall)) cells_column(cells, "stalled", 'r', "stalled");
    arm_row(r, r->baseline, cells);
    for (int arm = 0; arm < r->data->arms; arm++)
        if (arm != r->baseline) arm_row(r, arm, cells);
}

static void comparison_row(const CompareResult *r, const Comparison *c, Cells *cells) {
    cells_row(cells);
    cell_text(cells, compare_arm_name(r, c));
    cell_shown(cells, c->t.mean, SHOW_WITH_ERROR(c->t.mean, c->t.se, true));
    bounds_cell(r, c, t_of(c), c->t.se, NULL, cells);
    cell_p(cells, c->joint.step);
    cell_by(cells, compare_words, r, c, c->decision);
}

static Cells *minus_table(const CompareResult *r, const char *name, const char *title, CellsList *out) {
    Cells *cells = cells_add(out, name, title);
    cells_column(cells, "arm", 'l', SHOW_TEXT("minus %.250s", r->data->arm[r->baseline]));
    cells->below = true;
    return cells;
}

static void comparisons(const CompareResult *r, CellsList *out) {
    Cells *cells = minus_table(r, "comparisons", "Differences, tests and verdicts", out);
    cells_columns(cells, {"delta", "r", "Δ"},
                  {"delta", "i",
                   SHOW_TEXT("[%s%% %s]", FORMAT_PERCENT(compare_confidence(r)), compare_vocabulary(r)->t)},
                  {"p_adjusted", "r", "p_adj"}, {"verdict", "p", "verdict"});
    for (int i = 0; i < r->family.count; i++) comparison_row(r, &r->family.at[i], cells);
}

/* The same differences by the tests alone. */
static void others(const CompareResult *r, CellsList *out) {
    Cells *cells = minus_table(r, "others", "Other intervals and tests of the differences", out);
    cells_columns(
        cells,
        {"together", "i",
         SHOW_TEXT("[%s%% %s]", FORMAT_PERCENT(compare_confidence(r)), compare_vocabulary(r)->flips)},
        {"p", "r", "p alone"}, {"p_ranks", "r", "p on ranks"});
    for (int i = 0; i < r->family.count; i++) {
        const Comparison *c = &r->family.at[i];
        cells_row(cells);
        cell_text(cells, compare_arm_name(r, c));
        bounds_cell(r, c, (StInterval){c->together.status, c->together.lo, c->together.hi},
                    c->t.status == ST_OK ? c->t.se : (double)NAN,
                    r->family.no_interval                     ? "n/a (too many)"
                    : c->together.status == ST_NOT_REACHABLE ? "unbounded"
                                                             : NULL,
                    cells);
        cell_p(cells, c->flip.status == ST_OK ? c->flip.p : (double)NAN);
        cell_p(cells, c->joint_ranks);
    }
}

/* The arms; the comparisons with their verdicts; their other intervals and p's. */
void compare_cells(const CompareResult *r, CellsList *out) {
    arms(r, out);
    comparisons(r, out);
    others(r, out);
}

void compare_reading(const CompareData *d, Text *out) {
    if (d->columns) text_format(out, "Read as %s.\n", d->columns);
    if (d->remarks) text_format(out, "%s", d->remarks);
}

void compare_reading_json(const CompareData *d, json_t *o) {
    LOCAL_TEXT(all);
    LOCAL_TEXT(line);
    if (d->columns) json_add(o, "read_as", d->columns);
    text_format(&all, "%s", d->remarks ? d->remarks : "");
    compare_absent(d, &all);
    const char *at = all.at;
    if (!all.length) return;
    json_t *list = json_array();
    while (text_line(&at, &line)) json_array_append_new(list, json_string(line.at));
    json_add(o, "remarks", list);
}

/* What was compared, as sentences. */
static void head(const CompareResult *r, Text *out) {
    const CompareData *d = r->data;
    compare_counts(r, out);
    text_format(out, ", %d arms", d->arms);
    if (d->blocks) text_format(out, ", %d block%s", d->blocks, d->blocks == 1 ? "" : "s");
    text_format(out, "; %s %s better; the baseline is %s%s. Δ is %s.",
                d->steps            ? "fewer steps"
                : r->options.higher ? "higher"
                                    : "lower",
                d->steps ? "are" : "is", d->arm[r->baseline],
                r->options.baseline ? "" : " (the first arm; --baseline names another)",
                d->unpaired ? "the mean of the arm minus that of the baseline, unpaired"
                            : "arm minus baseline, a mean over seeds");
    if (d->steps)
        text_format(out, "\nValues are the first steps at which a run's value is at %s %s.",
                    d->rising ? "least" : "most", FORMAT_REAL(d->target));
    text_format(out, "\n");
}

void compare_paragraphs(const char *text, int width, Text *out) {
    LOCAL_TEXT(line);
    while (text_line(&text, &line)) text_wrapped(out, "", line.at, 0, width);
}

static void comments(const char *text, Text *out) {
    LOCAL_TEXT(line);
    while (text_line(&text, &line)) text_format(out, "%% %s\n", line.at);
}

static void show_text_page(const ComparePage *p, int width, Text *out) {
    if (p->line.length) text_format(out, "%s\n", p->line.at);
    compare_paragraphs(p->head.at, width, out);
    compare_paragraphs(p->reading.at, width, out);
    for (int i = 0; i < p->tables.count; i++) {
        if (p->tables.at[i].data) continue;
        if (i || p->head.length) text_format(out, "\n");
        cells_text(&p->tables.at[i], width, out);
    }
    if (p->notes.length) text_format(out, "\n");
    compare_paragraphs(p->notes.at, width, out);
}

static void show_tex_page(const ComparePage *p, Text *out) {
    comments(p->line.at, out);
    comments(p->needs.length ? p->needs.at : p->head.at, out);
    comments(p->reading.at, out);
    comments(p->notes.at, out);
    for (int i = 0; i < p->tables.count; i++) {
        const Cells *c = &p->tables.at[i];
        if (c->data) continue;
        if (p->small) text_format(out, "%s{\\footnotesize\\setlength{\\tabcolsep}{4pt}%%\n", i ? "\n\\medskip\n" : "");
        p->floats ? cells_tex(c, &(TexLayout){0}, out) : cells_tabular(c, &(TexLayout){0}, out);
        if (p->small) text_format(out, "}%%\n");
    }
}

static void show_markdown_page(const ComparePage *p, Text *out) {
    markdown_text(p->head.at, out);
    if (p->head.length) text_format(out, "\n");
    cells_list_markdown(&p->tables, out);
    if (!p->reading.length && !p->notes.length) return;
    text_format(out, "\n");
    markdown_text(p->reading.at, out), markdown_text(p->notes.at, out);
    text_format(out, "\n");
}

void compare_show(ComparePage *p, SentenceForm form, int width, Text *out) {
    switch (form) {
    case SENTENCE_TEXT: show_text_page(p, width, out); break;
    case SENTENCE_TEX: show_tex_page(p, out); break;
    case SENTENCE_MARKDOWN: show_markdown_page(p, out); break;
    }
    text_release(&p->line), text_release(&p->head), text_release(&p->needs);
    text_release(&p->reading), text_release(&p->notes);
    cells_list_release(&p->tables);
}

ComparePage compare_page_new(void) {
    return (ComparePage){
        .line = text_new(), .head = text_new(), .needs = text_new(), .reading = text_new(), .notes = text_new()};
}

/* ---- compare --anytime: comparisons that may be looked at after any seed. No p or interval of a fixed number of
 * seeds ---- */

static void anytime_row(const CompareResult *r, int i, Cells *cells) {
    const Anytime *a = &r->family.anytime[i];
    const Comparison *c = &r->family.at[i];
    cells_row(cells);
    cell_text(cells, compare_arm_name(r, c));
    anytime_cells(a, r->options.anytime, !isnan(r->options.margin), c->t_decides ? NULL : compare_lost(r)->did, cells);
    cell_by(cells, compare_words, r, c, a->at ? a->decision : DECISION_INCONCLUSIVE);
}

static void anytime_table(const CompareResult *r, CellsList *out) {
    Cells *cells = cells_add(out, "anytime", "");
    cells_column(cells, "arm", 'l', SHOW_TEXT("minus %.250s", r->data->arm[r->baseline]));
    anytime_columns(cells, "Δ", r->options.conf, !isnan(r->options.margin));
    cells_column(cells, "verdict", 'l', "verdict");
    for (int i = 0; i < r->family.count; i++) anytime_row(r, i, cells);
}

static void anytime_notes(const CompareResult *r, Text *out) {
    text_format(out,
                "One may stop after any seed, in ascending order, which has to be fixed beforehand: p and interval "
                "hold at every stop (");
    words_anytime(&r->family, out);
    text_format(out, "\n");
    if (!compare_no_margin(r, out))
        text_format(
            out,
            "A difference is too small to matter where it is shown to lie inside +-%s, which takes %d seeds or more.\n",
            FORMAT_REAL(r->options.margin), ST_EQUAL_SEEDS);
    text_format(out,
                "\"seeds it needs\" is how many seeds in all decide half (in brackets nine in ten) of 400 "
                "continuations drawn from these differences, up to %d.\n",
                r->options.anytime);
    if (r->data->lost)
        text_format(out,
                    "%s %s. With one the interval is withheld, the margin is not tested, and p is the larger one of "
                    "the differences and of their signs alone, with that run worse than any other.\n",
                    compare_lost(r)->run, FORMAT_REAL(r->options.cap));
}

void compare_page(const CompareResult *r, ComparePage *p) {
    *p = compare_page_new();
    p->small = !r->family.anytime;
    compare_signature(r, &p->line), head(r, &p->head);
    compare_reading(r->data, &p->reading);
    if (r->family.anytime) {
        text_format(&p->needs, "needs booktabs\n");
        anytime_table(r, &p->tables), anytime_notes(r, &p->notes);
        return;
    }
    text_format(&p->needs, "needs booktabs; %s is better; p: %s; smallest p possible: %s\n",
                r->options.higher ? "higher" : "lower",
                r->data->unpaired ? "relabelling; adjusted: Holm" : "sign-flip; adjusted: step-down max-T",
                SHOW_P(r->family.floor));
    compare_cells(r, &p->tables), compare_notes(r, &p->notes);
}

void compare_text(const CompareResult *r, Text *out) {
    ComparePage p;
    compare_page(r, &p);
    compare_show(&p, SENTENCE_TEXT, PAGE_WIDTH, out);
}

/* ---- The picture of `compare -o FILE.svg`: a row for each arm minus the baseline ---- */

static void compare_row(const CompareResult *r, const Comparison *c, PlotPanel *panel) {
    const CompareData *d = r->data;
    int arm = c->what.term[0].arm;
    LOCAL_TEXT(said);
    text_format(&said, "%s ", SHOW_WITH_ERROR(c->t.mean, c->t.se, true));
    bounds(r, c, t_of(c), c->t.se, NULL, &said);
    bool *lost = mem_alloc((size_t)d->seeds, sizeof *lost);
    for (int s = 0; s < d->seeds; s++)
        lost[s] = d->diverged[arm * d->seeds + s] || d->diverged[r->baseline * d->seeds + s];
    forest_row(panel, &(ForestRow){.family = &r->family,
                                   .c = c,
                                   .better = r->options.higher ? 1 : -1,
                                   .label = compare_arm_name(r, c),
                                   .numbers = said.at,
                                   .style = figure_style(arm, r->baseline),
                                   .of = arm,
                                   .lost = lost,
                                   .lost_at_end = true});
    free(lost);
}

void compare_plot(const CompareResult *r, Plot *p) {
    const char *base = r->data->arm[r->baseline];
    char minus[300];
    LOCAL_TEXT(words);
    plot_init(p, 1, 0);
    text_format(&words, "Each arm minus %s, ", base);
    compare_counts(r, &words);
    text_format(&words, "; %s is better", r->options.higher ? "higher" : "lower");
    plot_text(&p->title, "%s", words.at);
    plot_text(&p->caption, "%s", words.at);
    PlotPanel *panel = plot_panel(p, "", "", "");
    for (int i = 0; i < r->family.count; i++) compare_row(r, &r->family.at[i], panel);
    snprintf(minus, sizeof minus, "%s minus %.200s's", r->data->steps ? "steps" : "value", base);
    forest_axis(panel, minus, r->options.higher ? 1 : -1, r->options.margin);
    text_clear(&words);
    text_format(&words, "%s and %s%% %s.", r->data->unpaired ? "Mean" : "○ is one seed. Below stands the mean",
                FORMAT_PERCENT(compare_confidence(r)), compare_vocabulary(r)->t);
    if (!isnan(r->options.margin)) text_format(&words, " Shaded: within %s.", FORMAT_REAL(r->options.margin));
    if (r->data->lost)
        text_format(&words, " %s %s: no interval.", r->data->unpaired ? "A run" : "× marks a seed of which a run",
                    r->data->steps ? "never reached the target" : "diverged");
    plot_note(p, words.at);
}
