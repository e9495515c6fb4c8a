/* The sentence under each figure of the report that says what to see in it. */
#include <math.h>
#include <string.h>

#include "bench/figures/figure.h"
#include "bench/report/report.h"

static int last_step(const Table *t, int cell) {
    return t->sample.cell[cell].steps - 1;
}

static SampleArm at_end(const Table *t, int cell, int arm) {
    return sample_arm(&t->sample, cell, last_step(t, cell), arm, t->metric);
}

static void number(const Table *t, double x, double sd, Text *out) {
    text_format(out, "%s", SHOW_NUMBER(x, decimals_for(sd, metric_info[t->metric].digits)));
}

/* "Of 6 intervals 3 lie on the worse side, 1 lies on the better side and 2 cross zero." */
static void differences(const Table *t, Text *out) {
    int count = 0, low = 0, high = 0, better = metric_info[t->metric].better;
    for (const Comparison *c = t->family.at; c < t->family.at + t->family.count; c++) {
        if (c->what.step != last_step(t, c->what.cell) || !c->t_decides || c->t.status != ST_OK) continue;
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

/* Which arm ends lowest and highest in a cell. */
static void ends(const Table *t, int cell, Text *out) {
    int least = -1, most = -1;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        SampleArm a = at_end(t, cell, arm);
        if (a.status != ST_OK) continue;
        if (least < 0 || a.mean < at_end(t, cell, least).mean) least = arm;
        if (most < 0 || a.mean > at_end(t, cell, most).mean) most = arm;
    }
    if (least < 0 || least == most) {
        text_format(out, "Look how far each line goes: where all runs of an arm diverged, it ends early.");
        return;
    }
    text_format(out, "Look at the right end: %s ends lowest in %s (", t->x->arm[least].label,
                metric_info[t->metric].heading);
    number(t, at_end(t, cell, least).mean, at_end(t, cell, least).sd, out);
    text_format(out, "), %s highest (", t->x->arm[most].label);
    number(t, at_end(t, cell, most).mean, at_end(t, cell, most).sd, out);
    text_format(out, ").");
}

/* The rate at which each arm's mean is best, where the rate is all that varies. */
static void rates(const Table *t, Text *out) {
    const Factor *f = &t->x->factor[0];
    enum { NAMED = 6 };
    int better = metric_info[t->metric].better > 0 ? 1 : -1;
    text_format(out, "Look for the lowest point of each line, and whether it stands at an end of the rates, where the "
                     "best rate may lie beyond");
    for (int arm = 0; arm < t->sample.arms && t->x->factors == 1 && t->sample.arms <= NAMED; arm++) {
        int best = -1;
        for (int cell = 0; cell < t->sample.cells; cell++) {
            SampleArm a = at_end(t, cell, arm);
            if (a.status != ST_OK || a.diverged) continue;
            if (best < 0 || better * (a.mean - at_end(t, best, arm).mean) > 0) best = cell;
        }
        if (best < 0) continue;
        bool end = best == 0 || best == t->sample.cells - 1;
        text_format(out, "%s %s at %s%s", arm ? "," : ":", t->x->arm[arm].label, f->value[best],
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

static void ranking(const Table *t, Text *out) {
    const Ranking *y = table_ranking(t);
    if (!y || !y->rows) return;
    const RankingRow *first = &y->row[0];
    int tied = 0;
    for (int i = 0; i < y->rows && y->row[i].group == first->group; i++) tied += y->row[i].first == 1;
    if (y->apart)
        text_format(out, "Look at the top: %s ranks first, and %d arm%s cannot be told from the first place.",
                    t->x->arm[first->arm].label, tied, tied == 1 ? "" : "s");
    else
        text_format(out, "Look at the top: %s ranks first, but these seeds tell no two arms apart.",
                    t->x->arm[first->arm].label);
}

void report_see(const Table *t, const Figure *f, Text *out) {
    switch (f->kind) {
    case FIGURE_differences: differences(t, out); break;
    case FIGURE_curves: ends(t, f->part, out); break;
    case FIGURE_rates: rates(t, out); break;
    case FIGURE_seeds: seeds(t, f->part, out); break;
    case FIGURE_ranking: ranking(t, out); break;
    case FIGURE_ranking_rates:
        text_format(out, "Look how wide the valley of each panel is: a wide one means that the rate matters little.");
        break;
    case FIGURE_corpora:
        text_format(out, "Look for a curve that is above all others everywhere: that arm is better on every corpus.");
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
