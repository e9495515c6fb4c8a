/* The ranking for the terminal and as CSV, and the words that all its writers share. */
#include "bench/write/ranking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/write/sensitivity.h"

enum { LABEL = 22, INTERVAL = 18 };

static int last_step(const Table *t) {
    return t->sample.cell[0].step[t->sample.cell[0].steps - 1];
}

static void grid_words(const Ranking *y, Text *out) {
    char rate[SHOWN];
    for (int k = 0; k < y->rates; k++) text_format(out, "%s%s", k ? ", " : "", show_rate(rate, y->rate[k]));
}

static void places_words(const Table *t, const Ranking *y, Text *out) {
    char alpha[40];
    format_real(alpha, t->x->alpha);
    if (y->arms < 2) return;
    if (!y->apart) {
        text_format(out, " Places are open: %d seeds cannot reach p < %s, so no two arms are shown to differ.",
                    y->seeds, alpha);
        return;
    }
    text_format(out,
                " Places: the ranks that these runs leave open, by tests of all %d pairs of arms together at level %s. "
                "Two arms whose places overlap count as not apart: which of them is better is open.",
                y->arms * (y->arms - 1) / 2, alpha);
}

void ranking_words(const Table *t, const Ranking *y, Text *out) {
    text_format(out, "Each arm at its best learning rate of ");
    grid_words(y, out);
    text_format(out, ", after %d steps. Loss is in nats per token; lower is better, rank 1 is the lowest mean.",
                last_step(t));
    if (y->status != ST_OK) {
        text_format(
            out,
            " There is no ranking: too few seeds. A rate is chosen on other seeds than the one it is judged on, "
            "which takes %d seeds or more; there is %d.",
            (int)RANKING_LEAST_SEEDS, y->seeds);
        return;
    }
    if (y->rates > 1)
        text_format(
            out, " The rate of a seed is the one with the lowest mean loss over the other seeds, a rate at which one "
                 "of them diverged or stalled coming last; so no run helps to choose the rate at which it is judged. "
                 "A run that diverged counts as the uniform predictor.");
    else
        text_format(out, " There is one rate, so none is chosen. A run that diverged counts as the uniform predictor.");
    places_words(t, y, out);
}

void ranking_methods(const Table *t, const Ranking *y, Text *out) {
    char conf[40], floor[SHOWN];
    if (y->status != ST_OK) return;
    text_format(out, "mean: of the ranks within each seed. Intervals: %s %% t over %d seeds, of the arm alone",
                table_confidence(t, conf), y->seeds);
    if (y->joint.status == ST_OK)
        text_format(
            out,
            " and of its paired difference to %s; they take the chosen rates as given, and are too narrow where "
            "seeds of an arm got different ones. p: %s tests that swap two arms' losses at all rates within a "
            "seed and choose anew, adjusted by max-T over %d comparison%s (smallest possible: %s)",
            t->x->arm[t->sample.baseline].label, y->joint.exact ? "exact" : "randomized", (int)y->joint.k,
            y->joint.k == 1 ? "" : "s", show_p(floor, y->joint.p_min));
    text_format(out, ".");
}

void ranking_rates(const Ranking *y, const RankingRow *row, Text *out) {
    char rate[SHOWN];
    int kinds = 0;
    if (row->diverged + row->stalled == row->runs) { /* whatever was chosen is no advice */
        text_format(out, "no rate trains (%d/%d)", row->runs, row->runs);
        return;
    }
    for (int k = 0; k < y->rates; k++) {
        int seeds = 0;
        for (int s = 0; s < y->seeds; s++) seeds += (int)row->chosen[s] == k;
        if (!seeds) continue;
        bool end = y->rates > 1 && (k == 0 || k == y->rates - 1);
        text_format(out, "%s%s%s", kinds++ ? ", " : "", show_rate(rate, y->rate[k]), end ? "*" : "");
        if (seeds < y->seeds) text_format(out, " (%d)", seeds);
    }
}

void ranking_basin(const Ranking *y, const RankingRow *row, Text *out) {
    char low[SHOWN], high[SHOWN];
    if (row->best < 0)
        text_format(out, "none");
    else if (row->low == row->high)
        text_format(out, "%s", show_rate(low, y->rate[row->low]));
    else
        text_format(out, "%s to %s, %.1f", show_rate(low, y->rate[row->low]), show_rate(high, y->rate[row->high]),
                    log10(y->rate[row->high] / y->rate[row->low]));
}

void ranking_places(const Ranking *y, const RankingRow *row, Text *out) {
    if (!y->apart)
        text_format(out, "open");
    else if (row->first == row->last)
        text_format(out, "%d", row->first);
    else
        text_format(out, "%d to %d", row->first, row->last);
}

void ranking_interval(const RankingRow *row, bool difference, bool latex, Text *out) {
    const StTci *c = difference ? &row->minus : &row->t;
    bool lost = difference ? c->status == ST_BAD_ARG : row->judged_lost > 0, shown = !lost && c->status == ST_OK;
    show_interval(out, shown ? c->lo : (double)NAN, c->hi, RANKING_DIGITS,
                  lost ? "diverged" : st_status_text(c->status), latex);
}

/* "1     1 to 2    1.3  Pre-LN   2.345 [2.31, 2.36]   -0.012 [-0.02, -0.00]  .031" */
static void loss_line(const Table *t, const Ranking *y, const RankingRow *row, Text *out) {
    char mean[SHOWN], p[SHOWN];
    Text words;
    text_init(&words);
    ranking_places(y, row, &words);
    text_format(out, "  %4d  %8s  %5.1f  ", row->rank, words.at, row->mean_rank);
    show_column(out, t->x->arm[row->arm].label, LABEL);
    text_clear(&words);
    ranking_interval(row, false, false, &words);
    text_format(out, " %7s %-*s", show_number(mean, row->t.mean, RANKING_DIGITS), INTERVAL, words.at);
    text_clear(&words);
    if (row->baseline)
        text_format(out, " baseline");
    else {
        ranking_interval(row, true, false, &words);
        text_format(out, " %8s %-20s %5s", show_signed(mean, row->difference, RANKING_DIGITS), words.at,
                    show_p(p, row->p.step));
    }
    while (out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
    text_format(out, "\n");
    text_release(&words);
}

static void rate_line(const Table *t, const Ranking *y, const RankingRow *row, Text *out) {
    Text rates, basin;
    text_init(&rates);
    text_init(&basin);
    ranking_rates(y, row, &rates);
    ranking_basin(y, row, &basin);
    text_format(out, "  %4d  ", row->rank);
    show_column(out, t->x->arm[row->arm].label, LABEL);
    text_format(out, "  %-24s %-20s %4d/%-4d %4d/%-4d %10ld %8.1f\n", rates.at, basin.at, row->diverged, row->runs,
                row->stalled, row->runs, row->parameters, 1e-6 * row->flops);
    text_release(&basin);
    text_release(&rates);
}

static void group_text(const Table *t, const Ranking *y, const RankingRow *row, Text *out) {
    if (y->group[row->group][0]) text_format(out, "\n  %s\n", y->group[row->group]);
    text_format(out, "\n  %4s  %8s  %5s  %-*s %7s %-*s minus ", "rank", "places", "mean", LABEL, "arm", "loss",
                INTERVAL, "[interval]");
    show_column(out, t->x->arm[t->sample.baseline].label, 24);
    text_format(out, "p_adj\n");
    for (int i = 0; i < y->arms; i++) loss_line(t, y, row + i, out);
    text_format(out, "\n  %4s  %-*s  %-24s %-20s %9s %9s %10s %8s\n", "rank", LABEL, "arm", "rate (seeds)",
                "basin, decades", "diverged", "stalled", "parameters", "MFLOP");
    for (int i = 0; i < y->arms; i++) rate_line(t, y, row + i, out);
}

void ranking_text(const Table *t, Text *out) {
    const Ranking *y = table_ranking(t);
    Text words;
    if (!y) return;
    text_init(&words);
    text_format(out, "\nRanking\n");
    ranking_words(t, y, &words);
    table_wrapped(words.at, 0, out);
    for (int group = 0; group < y->groups && y->rows; group++) group_text(t, y, &y->row[group * y->arms], out);
    if (y->rows) {
        text_clear(&words);
        ranking_methods(t, y, &words);
        text_format(&words, " ");
        ranking_legend(&words);
        text_format(out, "\n");
        table_wrapped(words.at, 0, out);
    }
    text_release(&words);
}

static void csv_field(Text *out, double x) {
    text_format(out, ",");
    csv_number(out, x);
}

static void csv_line(const Table *t, const Ranking *y, const RankingRow *row, Text *out) {
    bool alone = !row->judged_lost && row->t.status == ST_OK, paired = !row->baseline && row->minus.status == ST_OK;
    double none = (double)NAN;
    Text rates;
    text_init(&rates);
    ranking_rates(y, row, &rates);
    csv_text(out, y->group[row->group]);
    text_format(out, ",%d,%d,%d,", row->rank, y->apart ? row->first : 1, y->apart ? row->last : y->arms);
    csv_number(out, row->mean_rank);
    text_format(out, ",");
    csv_text(out, t->x->arm[row->arm].name);
    text_format(out, ",");
    csv_text(out, t->x->arm[row->arm].label);
    text_format(out, ",%d", y->seeds);
    csv_field(out, row->t.mean);
    csv_field(out, alone ? row->t.lo : none);
    csv_field(out, alone ? row->t.hi : none);
    csv_field(out, row->baseline ? none : row->difference);
    csv_field(out, paired ? row->minus.lo : none);
    csv_field(out, paired ? row->minus.hi : none);
    csv_field(out, row->baseline ? none : row->p.raw);
    csv_field(out, row->baseline ? none : row->p.step);
    csv_field(out, y->joint.p_min);
    text_format(out, ",");
    csv_text(out, rates.at);
    csv_field(out, row->best < 0 ? none : y->rate[row->low]);
    csv_field(out, row->best < 0 ? none : y->rate[row->high]);
    text_format(out, ",%d,%d,%d,%d,%ld", row->judged_lost, row->diverged, row->stalled, row->runs, row->parameters);
    csv_field(out, row->flops);
    csv_field(out, row->flattered);
    text_format(out, "\n");
    text_release(&rates);
}

void ranking_csv(const Table *t, Text *out) {
    const Ranking *y = table_ranking(t);
    if (!y) return;
    text_format(out, "group,rank,first_place,last_place,mean_rank,arm,label,seeds,loss,loss_lo,loss_hi,delta,delta_lo,"
                     "delta_hi,p,p_adjusted,p_floor,rates,basin_low,basin_high,judged_diverged,"
                     "diverged,stalled,runs,parameters,flops_per_step,loss_chosen_on_itself\n");
    for (int i = 0; i < y->rows; i++) csv_line(t, y, &y->row[i], out);
}
