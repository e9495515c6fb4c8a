/* The loops over summaries, and the short ones among them. */
#include "bench/write/summaries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/verdict/across.h"
#include "bench/verdict/components.h"
#include "bench/verdict/failures.h"
#include "bench/verdict/ranking.h"

static SummaryMake every_cell_tables, cost_tables;

const SummaryRow summary_rows[] = {
#define SUMMARY(name, make, help) {#name, make, false},
#include "bench/plan/summaries.def"
#undef SUMMARY
    {"cells", every_cell_tables, false},
    {"sensitivity", sensitivity_tables, false},
    {"cost", cost_tables, true},
};
const int summary_count = sizeof summary_rows / sizeof *summary_rows;

const CellsList *table_summary(const Table *t, int kind) {
    TableFound *f = t->found;
    if (!f->summary) {
        f->summaries = summary_count;
        f->summary = mem_alloc((size_t)summary_count, sizeof *f->summary);
        f->made = mem_alloc((size_t)summary_count, sizeof *f->made);
    }
    bool fixed = kind < SUMMARY_COUNT; /* what an experiment asks for has p's of a fixed number of seeds */
    if (!f->made[kind] && !(fixed && t->family.anytime)) summary_rows[kind].make(t, &f->summary[kind]);
    f->made[kind] = true;
    return &f->summary[kind];
}

void summaries_text(const Table *t, bool measured, int width, Text *out) {
    for (int kind = 0; kind < summary_count; kind++)
        if (summary_rows[kind].measured == measured) cells_list_text(table_summary(t, kind), width, out);
}

void summaries_html(const Table *t, Text *out) {
    for (int kind = 0; kind < summary_count; kind++) cells_list_html(table_summary(t, kind), out);
}

json_t *summaries_json(const Table *t) {
    json_t *all = json_object();
    for (int kind = 0; kind < summary_count; kind++) {
        const CellsList *l = table_summary(t, kind);
        if (summary_rows[kind].measured || !l->count) continue;
        json_add(all, summary_rows[kind].name, cells_list_json(l));
    }
    return all;
}

TexLayout table_layout(const Table *t, Text *mark) {
    text_format(mark, "%s%s%s. ", table_mark(t), t->exploratory ? ": " : "", t->x->title);
    return (TexLayout){.siunitx = t->options.siunitx, .mark = mark->at};
}

void summary_tex(const Table *t, int kind, Text *out) {
    const CellsList *l = table_summary(t, kind);
    LOCAL_TEXT(mark);
    if (!l->count) return;
    TexLayout layout = table_layout(t, &mark);
    table_header_comment(t, summary_rows[kind].name, out);
    cells_list_tex(l, &layout, out);
}

void summary_csv(const Table *t, int kind, Text *out) {
    const CellsList *l = table_summary(t, kind);
    if (l->count) cells_csv(&l->at[0], out);
}

/* ---- What each arm costs. Measured times, so not part of what must come out the same ---- */

/* The precision whose cells alone are counted; NULL: all are. */
static const char *counted(const Table *t) {
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int first = table_spec(t, 0, arm)->precision;
        for (int cell = 1; cell < t->sample.cells; cell++)
            if (table_spec(t, cell, arm)->precision != first) return precision_name((PrecisionKind)first);
    }
    return NULL;
}

static void columns(Cells *c, bool ranked) {
    if (ranked) cells_column(c, "rank", 'r', "rank");
    cells_column(c, "arm", 'l', "arm");
    c->stub = c->columns;
    if (ranked) cells_column(c, "loss", 'r', "loss");
    cells_column(c, "parameters", 'r', "parameters");
    if (ranked) cells_column(c, "flops_per_step", 'r', "MFLOP");
    cells_columns(c, {"ratio", "r", "median", "step time / baseline"},
                  {"ratio", "i", "[least, most]", "step time / baseline"}, {"step_ms", "r", "ms per step"},
                  {"memory_mb", "r", "MB"});
}

static bool row(const Table *t, int arm, const RankingRow *r, Cells *c) {
    Cost cost = table_cost(t, arm);
    cells_row(c);
    if (r) cell_integer(c, r->rank);
    cell_format(c, "%.200s%s", t->x->arm[arm].label, cost.unlike ? " *" : "");
    if (r) cell_number(c, r->t.mean, 3);
    cell_integer(c, cost.parameters);
    if (r) cell_shown(c, r->flops, SHOW_TEXT("%.1f", 1e-6 * r->flops));
    cell_number(c, cost.ratio, 3);
    cell_interval(c, cost.least, cost.most, 2, "not timed");
    cell_number(c, 1e3 * cost.step_seconds, 1);
    cell_number(c, cost.memory_mb, 0);
    return cost.unlike;
}

static void cost_tables(const Table *t, CellsList *out) {
    const Ranking *y = table_ranking(t);
    bool ranked = y && y->rows, unlike = false;
    Cells *c = cells_add(out, "cost", "Cost (times are noisy)");
    text_format(&c->caption,
                "Step time / baseline is the median [smallest, largest] of the ratios to %s, paired by seed. These are "
                "wall-clock times, which are noisy on a shared machine. MB is the memory of a run.",
                t->x->arm[t->sample.baseline].label);
    if (ranked) text_format(&c->caption, " MFLOP counts a step's matrix products and attention.");
    if (counted(t)) text_format(&c->caption, " The times are those of the cells of precision %s.", counted(t));
    columns(c, ranked);
    for (int i = 0; ranked && i < y->rows; i++) {
        if (i % y->arms == 0) cells_heading(c, y->group[y->row[i].group]);
        unlike |= row(t, y->row[i].arm, &y->row[i], c);
    }
    for (int arm = 0; !ranked && arm < t->sample.arms; arm++) unlike |= row(t, arm, NULL, c);
    if (unlike)
        text_format(&c->notes, "*: the pairs of some seeds ran on different devices, or in programs of different "
                               "numbers of runs or threads.");
}

/* ---- One row per cell and arm at the last step, as write-ups with a grid of set-ups print them, their numbers
 * beside ours ---- */

/* What is shown of a run; sd: with its standard deviation. */
static const struct {
    Metric metric;
    const char *heading;
    bool sd;
} every_metric[] = {{METRIC_valid_loss, "valid loss", true},
                    {METRIC_bits_per_byte, "BPB", false},
                    {METRIC_grad_norm, "grad norm", false},
                    {METRIC_grad_ratio, "lg last/first", false}};
enum { SHOWN_COLUMNS = sizeof every_metric / sizeof *every_metric };

static void words(const Table *t, bool reported, Text *out) {
    table_sources(t, out);
    if (t->sample.seeds > 1)
        text_format(out,
                    " Each row is one arm in one cell, a combination of the values that vary. Numbers are means over n "
                    "= %d seeds; SD is the standard deviation of the loss over them.",
                    t->sample.seeds);
    else
        text_format(out, " Each row is one arm in one cell, a combination of the values that vary. There is one seed, "
                         "so the table is descriptive.");
    text_format(out,
                " lg last/first is log10 of the last block's gradient norm over the first's, averaged over the steps.");
    if (reported) text_format(out, " Columns with rep. hold the numbers of the write-up.");
}

static void every_cell_columns(const Table *t, bool reported, Cells *c) {
    for (int f = 0; f < t->x->factors; f++) cells_column(c, t->x->factor[f].key, 'r', t->x->factor[f].key);
    cells_column(c, "arm", 'l', "arm");
    c->stub = c->columns;
    for (int k = 0; k < SHOWN_COLUMNS; k++) {
        cells_column(c, metric_info[every_metric[k].metric].key, 'r', every_metric[k].heading);
        if (every_metric[k].sd && t->sample.seeds > 1) cells_column(c, "sd", 'r', "SD");
    }
    if (reported) cells_column(c, "reported_loss", 'r', "rep. loss"), cells_column(c, "reported_bpb", 'r', "rep. BPB");
    cells_column(c, "diverged", 'r', "diverged");
}

static void measured(const Table *t, int cell, int arm, int k, Cells *c) {
    int step = table_last(t, cell), digits = metric_info[every_metric[k].metric].digits;
    SampleArm a = sample_arm(&t->sample, cell, step, arm, every_metric[k].metric);
    bool spread = every_metric[k].sd && t->sample.seeds > 1, ok = a.status == ST_OK;
    int decimals = spread && !a.diverged ? decimals_for(a.sd, digits) : digits;
    cell_number(c, ok ? a.mean : (double)NAN, decimals);
    if (k == 0) cell_strong(c, table_tied(t, cell, step, arm));
    if (!spread) return;
    ok && !a.diverged ? cell_number(c, a.sd, decimals) : cell_none(c);
}

static void reported_number_cell(const Table *t, int cell, int arm, Metric m, Cells *c) {
    const ReportedNumber *n = table_reported_number(t, cell, table_last(t, cell), arm, metric_info[m].key);
    n ? cell_shown(c, n->value, n->text) : cell_none(c);
}

static void every_cell_row(const Table *t, int cell, int arm, bool reported, Cells *c) {
    SampleArm a = sample_arm(&t->sample, cell, table_last(t, cell), arm, METRIC_valid_loss);
    char value[FACTOR_VALUE_SIZE];
    cells_row(c);
    for (int f = 0; f < t->x->factors; f++)
        cell_text(c, factor_text(value, &t->x->factor[f], experiment_level(t->x, cell, f)));
    cell_text(c, t->x->arm[arm].label);
    for (int k = 0; k < SHOWN_COLUMNS; k++) measured(t, cell, arm, k, c);
    if (reported) {
        reported_number_cell(t, cell, arm, METRIC_valid_loss, c);
        reported_number_cell(t, cell, arm, METRIC_bits_per_byte, c);
    }
    cell_count(c, a.diverged, a.n);
    if (a.diverged) cell_emphasize(c);
}

static void every_cell_tables(const Table *t, CellsList *out) {
    bool reported = t->claims && t->claims->tables;
    if (t->sample.cells < 2) return;
    Cells *c = cells_add(out, "cells", "Every cell at its last step");
    words(t, reported, &c->caption);
    every_cell_columns(t, reported, c);
    for (int cell = 0; cell < t->sample.cells; cell++) {
        if (t->sample.arms > 1) cells_space(c);
        for (int arm = 0; arm < t->sample.arms; arm++) every_cell_row(t, cell, arm, reported, c);
    }
}

/* ---- Runs that diverge or stall, as tables (bench/verdict/failures.h) ---- */

static bool same_unigram(const RunRecord *a, const RunRecord *b) {
    return a->unigram == b->unigram || (isnan(a->unigram) && isnan(b->unigram));
}

/* Append " (4.174 nats)", or " (4.174 nats on synthetic, 2.959 on text:mine.txt)" where corpora differ in it; nothing
 * where runs on one corpus do. */
static void unigram_text(const Table *t, Text *out) {
    char dataset[SPEC_TEXT_SIZE];
    const RunRecord *first = t->records, *end = first + t->sample.cells * t->sample.arms * t->sample.seeds;
    bool one = true;
    LOCAL_TEXT(words);
    for (const RunRecord *r = first; r < end && one; r++) one = same_unigram(r, first);
    for (const RunRecord *r = first; r < end; r += t->sample.seeds) {
        const RunRecord *other = first;
        while (other < r && strcmp(other->spec.dataset.text, r->spec.dataset.text) != 0) other += t->sample.seeds;
        if (!same_unigram(other, r)) return;
        if (other < r) continue;
        const char *unit = words.length || isnan(r->unigram) ? "" : " nats";
        text_format(&words, "%s%s%s", words.length ? ", " : "",
                    isnan(r->unigram) ? "not known" : SHOW_NUMBER(r->unigram, 3), unit);
        if (one) break;
        text_format(&words, " on %s", spec_get(dataset, &r->spec, "dataset"));
    }
    text_format(out, " (%s)", words.at);
}

static bool knows_unigram(const Table *t) {
    bool known = false;
    for (int i = 0; i < t->sample.cells * t->sample.arms * t->sample.seeds; i++) known |= !isnan(t->records[i].unigram);
    return known;
}

static void failures_words(const Table *t, const Failures *f, Text *out) {
    text_format(out,
                "The table counts runs of %d seed%s per arm at the last step. A run stalled if it ended, but not 0.05 "
                "nats below the loss of the unigram model, which knows only how often each token occurs",
                f->seeds, f->seeds == 1 ? "" : "s");
    if (knows_unigram(t))
        unigram_text(t, out);
    else
        text_format(out, "; that loss is not known here, so none is counted");
    text_format(out, ". Intervals of shares are 95 %% Clopper-Pearson.");
    if (f->arms > 1)
        text_format(out,
                    " p is that of the exact McNemar test against %s of how often either happens; p_adj is adjusted by "
                    "joint sign flips over all arms, cells and kinds (the smallest possible is %s).",
                    t->x->arm[t->sample.baseline].label, SHOW_P(f->floor));
    text_format(out, " Loss is the median over seeds, where a diverged run counts as a uniform guess (loss ln V).");
}

static void failures_columns(Cells *c) {
    cells_column(c, "arm", 'l', "arm");
    for (int kind = 0; kind < FAILURE_COUNT; kind++)
        cells_columns(c, {failure_names[kind], "r", "runs", failure_names[kind]},
                      {failure_names[kind], "i", "[95% CI]", failure_names[kind]});
    cells_columns(c, {"p", "r", "p"}, {"p_adjusted", "r", "p_adj"}, {"loss", "r", "loss"});
    for (const char *const *name = failure_names; name < failure_names + FAILURE_COUNT; name++)
        cells_data(c, SHOW_TEXT("%s_only_here", *name), SHOW_TEXT("%s_only_baseline", *name), SHOW_TEXT("%s_p", *name),
                   SHOW_TEXT("%s_p_adjusted", *name));
}

static void failures_row(const Table *t, const Failures *f, int cell, int arm, Cells *c) {
    const FailureRow *r = &f->row[cell * f->arms + arm];
    SampleArm a = sample_arm(&t->sample, cell, table_last(t, cell), arm, METRIC_valid_loss);
    bool against = r->against[FAILURE_either].status == ST_OK;
    cells_row(c);
    cell_text(c, t->x->arm[arm].label);
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        const StCp *s = &r->share[kind];
        cell_count(c, (int)s->k, (int)s->n);
        cell_interval(c, s->lo, s->hi, 2, st_status_text(s->status));
    }
    if (against) {
        cell_p(c, r->against[FAILURE_either].p);
        cell_p(c, r->adjusted[FAILURE_either]);
    } else
        cell_none(c), cell_none(c);
    cell_number(c, a.median, 4);
    for (int kind = 0; kind < FAILURE_COUNT; kind++) {
        const StMcnemar *m = &r->against[kind];
        if (m->status != ST_OK) {
            for (int i = 0; i < 4; i++) cell_none(c);
            continue;
        }
        cell_integer(c, (long)m->b), cell_integer(c, (long)m->c);
        cell_p(c, m->p), cell_p(c, r->adjusted[kind]);
    }
}

void failures_tables(const Table *t, CellsList *out) {
    Failures f;
    if (!failures_make(&f, &t->sample)) return;
    Cells *c = cells_add(out, "failures", "Runs that diverge or stall");
    failures_words(t, &f, &c->caption);
    failures_columns(c);
    for (int cell = 0; cell < f.cells; cell++) {
        cells_heading(c, CELL_WHERE(t->x, cell));
        for (int arm = 0; arm < f.arms; arm++) failures_row(t, &f, cell, arm, c);
    }
    failures_release(&f);
}

/* ---- Components of variance, as tables (bench/verdict/components.h) ---- */

enum { DIGITS = 5 };

static void components_words(const Table *t, const Components *c, Text *out) {
    const SampleCell *cell = &t->sample.cell[0];
    text_format(out,
                "SD is the standard deviation over %d seeds of %s after %d steps. What varies follows the run's seed; "
                "the other draws are those of one seed. Intervals are %s %% chi-square intervals for normal values, "
                "that of the sum is Satterthwaite's.",
                c->seeds, metric_info[t->metric].heading, cell->step[cell->steps - 1], TABLE_CONFIDENCE(t));
    text_format(out, " The variance of a source includes its interactions with what is fixed, so the sum can exceed "
                     "the variance found when all vary. Both come from the same draws, and no test compares them. A "
                     "run that diverged counts as a uniform guess (loss ln V).");
}

/* "starting weights, batches" */
static void row_name(const ComponentRow *row, int streams, Text *out) {
    int named = 0;
    text_clear(out);
    if (row->all) text_format(out, "all %d together", streams);
    for (int k = 0; k < COMPONENT_STREAMS && !row->all; k++)
        if (row->varies >> k & 1) text_format(out, "%s%s", named++ ? ", " : "", component_names[k]);
    if (!row->varies) text_format(out, "nothing");
}

/* share NaN, diverged -1: of a sum, which has neither. */
static void line(Cells *c, const char *name, const StSd *sd, double share, int diverged) {
    cells_row(c);
    cell_text(c, name);
    cell_number(c, sd->sd, DIGITS);
    cell_interval(c, sd->status == ST_OK ? sd->lo : (double)NAN, sd->hi, DIGITS, st_status_text(sd->status));
    cell_shown(c, share, isnan(share) ? "" : SHOW_TEXT("%.0f %%", 100 * share));
    diverged < 0 ? cell_none(c) : cell_integer(c, diverged);
    cell_number(c, sd->df, 1);
}

static void arm_rows(const Table *t, const Components *f, const ComponentArm *arm, Cells *c) {
    LOCAL_TEXT(name);
    text_format(&name, "%s%s%s", t->x->arm[arm->arm].label, f->group[arm->group][0] ? ", " : "", f->group[arm->group]);
    cells_heading(c, name.at);
    for (int i = 0; i < arm->rows; i++) {
        const ComponentRow *row = &arm->row[i];
        if (row->all) line(c, "root of the sum of these variances", &arm->sum, (double)NAN, -1);
        row_name(row, f->streams, &name);
        line(c, name.at, &row->sd, component_share(arm, row), row->diverged);
    }
}

void components_tables(const Table *t, CellsList *out) {
    Components f;
    if (!components_make(&f, &t->sample)) return;
    Cells *c = cells_add(out, "components", "Components of variance");
    components_words(t, &f, &c->caption);
    cells_columns(c, {"varies", "l", "what varies"}, {"sd", "r", "SD"}, {"sd", "i", "[interval]"},
                  {"share_of_sum", "r", "of sum"}, {"diverged", "r", "diverged"}, {"df", "X", ""});
    for (int i = 0; i < f.groups * f.arms; i++) arm_rows(t, &f, &f.at[i], c);
    components_release(&f);
}

/* ---- Whether a difference holds across sizes or corpora, as a table (bench/verdict/across.h) ---- */

typedef struct {
    const Table *t;
    const Across *a;
    const Comparison **at; /* [values]: of one pair */
    char (*label)[256];    /* [values] "width = 48" */
} Place;

static const Comparison *find(const Table *t, int cell, Compared pair) {
    for (int i = 0; i < t->family.count; i++) {
        const Contrast *c = &t->family.at[i].what;
        if (c->cell == cell && c->step == table_last(t, cell) && c->term[0].arm == pair.arm &&
            c->term[1].arm == pair.against)
            return &t->family.at[i];
    }
    return NULL;
}

/* The effect at each value, then how it changes from the first. */
static void pair_rows(const Place *p, int pair, Cells *c) {
    const Table *t = p->t;
    char first[FACTOR_VALUE_SIZE];
    LOCAL_TEXT(words);
    cells_heading(
        c, SHOW_TEXT("%s - %s", t->x->arm[p->a->pair[pair].arm].label, t->x->arm[p->a->pair[pair].against].label));
    for (int v = 0; v < p->a->values; v++) {
        cells_row(c);
        cell_text(c, p->label[v]);
        difference_cells(p->at[v], c), cell_p(c, p->at[v]->joint.step);
        cell_by(c, table_decision, t, p->at[v]);
    }
    for (int v = 1; v < p->a->values; v++) {
        cells_row(c);
        cell_format(c, "%s minus %s", p->label[v], factor_text(first, &t->x->factor[0], 0));
        const Comparison *change = &p->a->changes.at[pair * (p->a->values - 1) + v - 1];
        difference_cells(change, c), cell_p(c, change->joint.step);
        text_clear(&words);
        if (v + 1 == p->a->values) across_words(p->a, p->at, pair, p->label, &words);
        cell_text(c, words.at);
    }
}

/* What is found at each value, of all pairs; false, with nothing to release, where no experiment asks for it. */
static bool place_init(Place *p, const Table *t, Across *a) {
    Compared pair[EXPERIMENT_COMPARES_MAX];
    if (!across_make(a, &t->sample, t->metric, pair, experiment_pairs(t->x, pair))) return false;
    *p = (Place){t, a, mem_alloc((size_t)a->values, sizeof *p->at), mem_alloc((size_t)a->values, sizeof *p->label)};
    for (int v = 0; v < a->values; v++) experiment_cell_text(p->label[v], t->x, v);
    return true;
}

static void place_release(Place *p, Across *a) {
    free(p->at);
    free(p->label);
    across_release(a);
}

/* Whether a pair is compared at each value; p->at then has its comparisons. */
static bool at_each(Place *p, int pair) {
    bool all = true;
    for (int v = 0; v < p->a->values; v++) all &= (p->at[v] = find(p->t, v, p->a->pair[pair])) != NULL;
    return all;
}

void across_tables(const Table *t, CellsList *out) {
    Across a;
    Place p;
    if (!place_init(&p, t, &a)) return;
    const Factor *f = &t->x->factor[0];
    Cells *c = cells_add(out, "across", SHOW_TEXT("Differences across %s", f->key));
    text_format(&c->caption,
                "The table has the differences at each %s after the last step, and how they change from the first "
                "value, seed by seed over %d seeds.",
                f->key, t->sample.seeds);
    text_format(&c->notes,
                "p_adj of a change is that of its sign flips, adjusted by max-T over %d (the smallest possible is %s).",
                a.changes.count, SHOW_P(a.changes.floor));
    cells_column(c, "at", 'l', f->key);
    c->stub = 1;
    cells_columns(c, {"difference", "r", HEAD_DIFFERENCE(t)}, {"difference", "i", HEAD_INTERVAL(t)},
                  {"p_adjusted", "r", "p_adj"}, {"verdict", "p", "verdict"});
    for (int i = 0; i < a.pairs; i++)
        if (at_each(&p, i)) pair_rows(&p, i, c);
    place_release(&p, &a);
}

/* "worse than Pre-LN at width = 48 (+0.441, p_adj .031)" */
static void found_at(const Place *p, int v, Text *out) {
    const Comparison *c = p->at[v];
    table_decision(p->t, c, out);
    text_format(out, " at %s (%s, p_adj %s)", p->label[v], SHOW_SIGNED(c->t.mean, decimals_for(c->t.se, 4)),
                isnan(c->joint.step) ? "n/a" : SHOW_P(c->joint.step));
}

bool across_found(const Table *t, Text *out) {
    enum { PAIRS = 4, VALUES = 3 };
    Across a;
    Place p;
    int said = 0;
    if (!place_init(&p, t, &a)) return false;
    text_format(out, "After the last step, %d paired seeds: ", t->sample.seeds);
    for (int i = 0; i < a.pairs; i++) {
        if (!at_each(&p, i)) continue;
        if (said++ == PAIRS) text_format(out, "; more pairs stand in the table");
        if (said > PAIRS) break;
        text_format(out, "%s%s", said > 1 ? "; " : "", t->x->arm[a.pair[i].arm].label);
        if (t->x->compares) text_format(out, " - %s", t->x->arm[a.pair[i].against].label);
        text_format(out, ": ");
        for (int v = 0; v < a.values && a.values <= VALUES; v++) {
            found_at(&p, v, out);
            text_format(out, v + 1 < a.values ? ", " : "; ");
        }
        across_words(&a, p.at, i, p.label, out);
    }
    place_release(&p, &a);
    return said > 0;
}
