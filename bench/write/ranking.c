/* The ranking of arms at their best learning rates, as tables (bench/verdict/ranking.h). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "bench/verdict/ranking.h"
#include "bench/write/summaries.h"

static int last_step(const Table *t) {
    return t->sample.cell[0].step[table_last(t, 0)];
}

static void rates_words(const Ranking *y, Text *out) {
    char rate[SHOWN];
    for (int k = 0; k < y->rates; k++) text_format(out, "%s%s", k ? ", " : "", format_rate(rate, y->rate[k]));
}

static void places_words(const Table *t, const Ranking *y, Text *out) {
    char alpha[40];
    format_real(alpha, t->x->alpha);
    if (y->arms < 2) return;
    if (!y->apart) {
        text_format(out, " Places are open, as %d seeds cannot reach p < %s, so no two arms are shown to differ.",
                    y->seeds, alpha);
        return;
    }
    text_format(out,
                " Places are the ranks that these runs leave possible, by tests of all %d pairs of arms together at "
                "level %s. Where the places of two arms overlap, it is open which of them is better.",
                y->arms * (y->arms - 1) / 2, alpha);
}

static void ranking_words(const Table *t, const Ranking *y, Text *out) {
    text_format(out, "Each arm is taken at its best learning rate of ");
    rates_words(y, out);
    text_format(out, ", after %d steps. Loss is in nats per token; lower is better, rank 1 is the lowest mean.",
                last_step(t));
    if (y->status != ST_OK) {
        text_format(out,
                    " There is no ranking, as there are too few seeds: a rate is chosen on other seeds than the one it "
                    "is judged on, which takes %d seeds or more; there is %d.",
                    (int)RANKING_LEAST_SEEDS, y->seeds);
        return;
    }
    if (y->rates > 1)
        text_format(out, " The rate of a seed is the one with the lowest mean loss over the other seeds, and a rate at "
                         "which one of them diverged or stalled comes last; so no run helps to choose the rate at "
                         "which it is judged. A run that diverged counts as a uniform guess (loss ln V).");
    else
        text_format(
            out, " There is one rate, so none is chosen. A run that diverged counts as a uniform guess (loss ln V).");
    places_words(t, y, out);
}

/* Its intervals and tests. */
static void methods(const Table *t, const Ranking *y, Text *out) {
    text_format(out,
                "Mean rank is the mean of the ranks within each seed. Intervals are %s %% t intervals over %d seeds, "
                "of the arm alone",
                TABLE_CONFIDENCE(t), y->seeds);
    if (y->joint.status == ST_OK)
        text_format(
            out,
            " and of its paired difference to %s; they take the chosen rates as given, and are too narrow where "
            "seeds of an arm got different ones. p_adj is that of %s tests that swap two arms' losses at all rates "
            "within a seed and choose the rates anew, adjusted by max-T over %d comparison%s (the smallest possible is "
            "%s)",
            t->x->arm[t->sample.baseline].label, y->joint.exact ? "exact" : "randomized", (int)y->joint.k,
            y->joint.k == 1 ? "" : "s", SHOW_P(y->joint.p_min));
    text_format(out, ".");
}

static void rate_legend(Text *out) {
    text_format(out,
                "Rates are those chosen for the seeds; where they differ, brackets say for how many seeds. The basin "
                "is the neighbouring rates whose mean loss is within %g nats of the best rate's and at which no run "
                "diverged or stalled; behind it stands how many decades they span. A star marks an end of the grid, "
                "where the best rate may lie outside. Diverged and stalled count the runs at all rates; a run stalled "
                "if it ended less than 0.05 nats below the unigram model, which knows only how often each token "
                "occurs. MFLOP counts a step's matrix products and attention.",
                SENSITIVITY_BASIN);
}

void ranking_rates(const Ranking *y, const RankingRow *row, Text *out) {
    char rate[SHOWN];
    int kinds = 0;
    if (!ranking_trains(row)) { /* whatever was chosen is no advice */
        text_format(out, "no rate trains (%d of %d runs)", row->runs, row->runs);
        return;
    }
    for (int k = 0; k < y->rates; k++) {
        int seeds = 0;
        for (int s = 0; s < y->seeds; s++) seeds += (int)row->chosen[s] == k;
        if (!seeds) continue;
        bool end = y->rates > 1 && (k == 0 || k == y->rates - 1);
        text_format(out, "%s%s%s", kinds++ ? ", " : "", format_rate(rate, y->rate[k]), end ? "*" : "");
        if (seeds < y->seeds) text_format(out, " (%d)", seeds);
    }
}

static void basin(const Ranking *y, const RankingRow *row, Cells *c) {
    char low[SHOWN], high[SHOWN], shown[3 * SHOWN];
    double a = row->best < 0 ? (double)NAN : y->rate[row->low], b = row->best < 0 ? (double)NAN : y->rate[row->high];
    if (row->best < 0)
        snprintf(shown, sizeof shown, "none");
    else if (row->low == row->high)
        snprintf(shown, sizeof shown, "%s", format_rate(low, a));
    else
        snprintf(shown, sizeof shown, "%s to %s, %.1f", format_rate(low, a), format_rate(high, b), log10(b / a));
    cell_interval_shown(c, a, b, shown);
}

void ranking_places(const Ranking *y, const RankingRow *row, Text *out) {
    if (!y->apart)
        text_format(out, "open");
    else if (row->first == row->last)
        text_format(out, "%d", row->first);
    else
        text_format(out, "%d to %d", row->first, row->last);
}

/* Its limits, NaN where it has none, and why. */
static const char *interval_of(const RankingRow *row, bool difference, double *lo, double *hi) {
    const StTci *c = difference ? &row->minus : &row->t;
    bool lost = difference ? c->status == ST_BAD_ARG : row->judged_lost > 0;
    *lo = !lost && c->status == ST_OK ? c->lo : (double)NAN, *hi = c->hi;
    return lost ? "diverged" : st_status_text(c->status);
}

void ranking_interval(const RankingRow *row, Text *out) {
    double lo, hi;
    const char *why = interval_of(row, false, &lo, &hi);
    show_interval(out, lo, hi, RANKING_DIGITS, why);
}

static void interval_cell(const RankingRow *row, bool difference, Cells *c) {
    double lo, hi;
    const char *why = interval_of(row, difference, &lo, &hi);
    cell_interval(c, lo, hi, RANKING_DIGITS, why);
}

/* Rank and arm: what stands first in each of its tables. */
static void first_columns(Cells *c) {
    cells_columns(c, {"rank", "r", "rank"}, {"label", "l", "arm"});
    c->stub = c->columns;
}

/* The rows of every group below its heading. */
static void each_row(const Table *t, const Ranking *y, Cells *c,
                     void (*row)(const Table *, const Ranking *, const RankingRow *, Cells *)) {
    for (int i = 0; i < y->rows; i++) {
        if (i % y->arms == 0) cells_heading(c, y->group[y->row[i].group]);
        row(t, y, &y->row[i], c);
    }
}

static void loss_columns(const Table *t, Cells *c) {
    const char *over = HEAD_MINUS(t);
    first_columns(c);
    cells_columns(c, {"place", "i", "places"}, {"mean_rank", "r", "mean rank"}, {"loss", "r", "loss"},
                  {"loss", "i", "[CI]"}, {"delta", "r", "difference", over}, {"delta", "i", "[CI]", over},
                  {"p_adjusted", "r", "p_adj"});
    cells_data(c, "arm", "seeds", "p", "p_floor", "judged_diverged", "loss_chosen_on_itself", "rates");
    cells_column(c, "basin", 'I', "");
}

static void loss_row(const Table *t, const Ranking *y, const RankingRow *row, Cells *c) {
    LOCAL_TEXT(places);
    ranking_places(y, row, &places);
    cells_row(c);
    cell_integer(c, row->rank);
    cell_text(c, t->x->arm[row->arm].label);
    cell_interval_shown(c, y->apart ? row->first : 1, y->apart ? row->last : y->arms, places.at);
    cell_number(c, row->mean_rank, 1);
    cell_number(c, row->t.mean, RANKING_DIGITS);
    interval_cell(row, false, c);
    if (row->baseline)
        cell_shown(c, (double)NAN, "baseline"), cell_none(c), cell_none(c);
    else {
        cell_signed(c, row->difference, RANKING_DIGITS);
        interval_cell(row, true, c);
        cell_p(c, row->p.step);
    }
    cell_text(c, t->x->arm[row->arm].name);
    cell_integer(c, y->seeds);
    cell_p(c, row->baseline ? (double)NAN : row->p.raw);
    cell_p(c, y->joint.p_min);
    cell_integer(c, row->judged_lost);
    cell_exact(c, row->flattered);
    cell_by(c, ranking_rates, y, row);
    basin(y, row, c);
}

static void losses(const Table *t, const Ranking *y, CellsList *out) {
    Cells *c = cells_add(out, "ranking", "Ranking");
    ranking_words(t, y, &c->caption);
    if (!y->rows) return; /* too few seeds: the caption says so */
    methods(t, y, &c->notes);
    loss_columns(t, c);
    each_row(t, y, c, loss_row);
}

static void rate_row(const Table *t, const Ranking *y, const RankingRow *row, Cells *c) {
    cells_row(c);
    cell_integer(c, row->rank);
    cell_text(c, t->x->arm[row->arm].label);
    cell_by(c, ranking_rates, y, row);
    basin(y, row, c);
    cell_count(c, row->diverged, row->runs);
    cell_count(c, row->stalled, row->runs);
    cell_integer(c, row->parameters);
    cell_shown(c, row->flops, SHOW_TEXT("%.1f", 1e-6 * row->flops));
    cell_text(c, t->x->arm[row->arm].name);
    cell_integer(c, row->runs);
}

static void rates(const Table *t, const Ranking *y, CellsList *out) {
    Cells *c = cells_add(out, "rates", "The arms' learning rates");
    rate_legend(&c->notes);
    first_columns(c);
    cells_columns(c, {"rates", "l", "rate (seeds)"}, {"basin", "i", "basin, decades"}, {"diverged", "r", "diverged"},
                  {"stalled", "r", "stalled"}, {"parameters", "r", "parameters"}, {"flops_per_step", "r", "MFLOP"},
                  {"arm", "X", ""}, {"runs", "X", ""});
    each_row(t, y, c, rate_row);
}

/* The runs that each arm was judged by. */
static void judged(const Table *t, const Ranking *y, CellsList *out) {
    Cells *c = cells_add(out, "judged", "");
    c->data = true;
    cells_data(c, "arm", "seed", "run", "rate", "loss", "diverged");
    for (int i = 0; i < y->rows; i++) {
        const RankingRow *row = &y->row[i];
        if (i % y->arms == 0) cells_heading(c, y->group[row->group]);
        for (int seed = 0; seed < y->seeds; seed++) {
            cells_row(c);
            cell_text(c, t->x->arm[row->arm].name);
            cell_integer(c, (long)t->x->seed[seed]);
            cell_text(c, row->run[seed]->record->id);
            cell_exact(c, y->rate[row->chosen[seed]]);
            cell_exact(c, row->value[seed]);
            cell_integer(c, row->lost[seed]);
        }
    }
}

void ranking_tables(const Table *t, CellsList *out) {
    const Ranking *y = table_ranking(t);
    if (!y) return;
    losses(t, y, out);
    if (!y->rows) return;
    rates(t, y, out);
    judged(t, y, out);
}

/* ---- What is found of arms at their best learning rates, as tables and macros (bench/verdict/best.h) ---- */

static const char *label_of(const Table *t, const RankingRow *row) {
    return t->x->arm[row->arm].label;
}

static void caption(const Table *t, const Best *b, Text *out) {
    char rate[SHOWN];
    const Ranking *y = &b->ranking;
    text_format(out, "Each arm is taken at its best learning rate of ");
    for (int k = 0; k < y->rates; k++) text_format(out, "%s%s", k ? ", " : "", format_rate(rate, y->rate[k]));
    text_format(out,
                ". A seed's rate is the one with the lowest mean loss over the other seeds, so no run helps to "
                "choose the rate at which it is judged. The difference is that of losses in nats, a mean over %d "
                "seeds; below 0 is better.",
                t->x->seeds);
}

/* Why the two columns may disagree, and which arm's grid may be too narrow. */
static void notes(const Table *t, const Best *b, Text *out) {
    char rate[SHOWN];
    const Ranking *y = &b->ranking;
    text_format(out,
                "p_adj decides: its test swaps two arms' losses at all rates within a seed and chooses the rates anew, "
                "adjusted by max-T over %zu comparison%s (the smallest possible is %s). The t interval takes the "
                "chosen rates as given, so it "
                "may exclude 0 where p_adj is not below %s, or include 0 where it is.",
                b->joint.k, b->joint.k == 1 ? "" : "s", SHOW_P(b->joint.p_min), FORMAT_REAL(t->x->alpha));
    for (int i = 0; i < y->rows; i++)
        if (best_at_end(b, &y->row[i])) {
            double at = y->rate[y->row[i].chosen[0]];
            text_format(out, " %s is best at %s, an end of the grid%s%s: a %s rate may be better.",
                        label_of(t, &y->row[i]), format_rate(rate, at), y->group[y->row[i].group][0] ? " where " : "",
                        y->group[y->row[i].group], y->row[i].chosen[0] ? "larger" : "smaller");
        }
}

static void pair_row(const Table *t, const Best *b, const BestPair *p, Cells *c) {
    bool shown = p->minus.status == ST_OK;
    LOCAL_TEXT(words);
    cells_row(c);
    if (t->x->compares)
        cell_format(c, "%s - %s", label_of(t, p->arm), label_of(t, p->against));
    else
        cell_text(c, label_of(t, p->arm));
    int decimals = decimals_for(p->minus.se, RANKING_DIGITS);
    cell_signed(c, p->difference, decimals);
    cell_interval(c, shown ? p->minus.lo : (double)NAN, p->minus.hi, decimals,
                  p->minus.status == ST_BAD_ARG ? "diverged" : st_status_text(p->minus.status));
    cell_p(c, p->p.step);
    best_words(b, p, label_of(t, p->against), &words);
    if (t->exploratory) text_format(&words, t->partial ? " (partial)" : " (exploratory)");
    cell_text(c, words.at);
    cell_text(c, t->x->arm[p->arm->arm].name), cell_text(c, t->x->arm[p->against->arm].name);
    cell_p(c, p->p.raw);
}

static void differences(const Table *t, const Best *b, CellsList *out) {
    Cells *c = cells_add(out, "best", "Arms at their best learning rates");
    caption(t, b, &c->caption);
    notes(t, b, &c->notes);
    cells_column(c, "label", 'l', t->x->compares ? "difference" : HEAD_MINUS(t));
    c->stub = c->columns;
    cells_columns(c, {"difference", "r", "Δ loss, nats"}, {"difference", "i", HEAD_INTERVAL(t)},
                  {"p_adjusted", "r", "p_adj"}, {"verdict", "p", "verdict"}, {"arm", "X", ""}, {"against", "X", ""},
                  {"p", "X", ""});
    for (int i = 0; i < b->pairs; i++) {
        if (!i || b->pair[i].group != b->pair[i - 1].group) cells_heading(c, b->ranking.group[b->pair[i].group]);
        pair_row(t, b, &b->pair[i], c);
    }
}

static void arms(const Table *t, const Best *b, CellsList *out) {
    const Ranking *y = &b->ranking;
    Cells *c = cells_add(out, "best-rates", "The rates that were chosen");
    cells_columns(c, {"rank", "r", "rank"}, {"label", "l", "arm"});
    c->stub = c->columns;
    cells_columns(c, {"rates", "l", "rate (seeds)"}, {"loss", "r", "loss"}, {"sd", "r", "SD"}, {"arm", "X", ""});
    text_format(&c->notes, "A star marks an end of the grid. Rank 1 is the lowest mean loss; brackets behind a rate "
                           "say for how many seeds it was chosen.");
    for (int i = 0; i < y->rows; i++) {
        const RankingRow *row = &y->row[i];
        LOCAL_TEXT(rates);
        if (i % y->arms == 0) cells_heading(c, y->group[row->group]);
        ranking_rates(y, row, &rates);
        cells_row(c);
        cell_integer(c, row->rank), cell_text(c, label_of(t, row)), cell_text(c, rates.at);
        cell_number(c, row->t.mean, RANKING_DIGITS), cell_number(c, row->t.sd, RANKING_DIGITS);
        cell_text(c, t->x->arm[row->arm].name);
    }
}

void best_tables(const Table *t, CellsList *out) {
    const Best *b = table_best(t);
    if (!b) return;
    differences(t, b, out);
    arms(t, b, out);
}

void best_sentence(const Table *t, const Best *b, const BestPair *p, Text *out) {
    int decimals = decimals_for(p->minus.se, RANKING_DIGITS);
    size_t from = out->length;
    table_aside(t, out);
    text_format(out, "with each arm at its best of %d learning rates, ", b->ranking.rates);
    out->at[from] = (char)toupper((unsigned char)out->at[from]);
    text_format(out, "%s ends %s nats %s than %s", label_of(t, p->arm),
                SHOW_NUMBER(fabs(p->difference), decimals), p->difference < 0 ? "lower" : "higher",
                label_of(t, p->against));
    text_format(out, " (");
    if (p->minus.status == ST_OK)
        text_format(out, "%s%% t interval %s to %s, ", TABLE_CONFIDENCE(t), SHOW_NUMBER(p->minus.lo, decimals),
                    SHOW_NUMBER(p->minus.hi, decimals));
    text_format(out, "%d paired seeds, adjusted p %s%s): ", b->ranking.seeds,
                isnan(p->p.step) || p->p.step < .001 ? "" : "= ", SHOW_P(p->p.step));
    best_words(b, p, label_of(t, p->against), out);
    text_format(out, ".");
}
