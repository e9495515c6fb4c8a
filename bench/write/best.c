/* What is found of arms at their best learning rates, as tables and macros (bench/verdict/best.h). */
#include "bench/write/best.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/ranking.h"
#include "bench/write/summaries.h"

static const char *label_of(const Table *t, const RankingRow *row) {
    return t->x->arm[row->arm].label;
}

static void caption(const Table *t, const Best *b, Text *out) {
    char rate[SHOWN];
    const Ranking *y = &b->ranking;
    text_format(out, "Each arm at its best learning rate of ");
    for (int k = 0; k < y->rates; k++) text_format(out, "%s%s", k ? ", " : "", show_rate(rate, y->rate[k]));
    text_format(out, ". A seed's rate is the one with the lowest mean loss over the other seeds, so no run helps to "
                     "choose the rate at which it is judged. Difference: of losses in nats, mean over %d seeds; below "
                     "0 is better.",
                t->x->seeds);
}

/* Why the two columns may disagree, and which arm's grid may be too narrow. */
static void notes(const Table *t, const Best *b, Text *out) {
    char floor[SHOWN], alpha[40], rate[SHOWN];
    const Ranking *y = &b->ranking;
    text_format(out,
                "p decides: it swaps two arms' losses at all rates within a seed and chooses anew, adjusted by max-T "
                "over %zu comparison%s (smallest possible: %s). The t interval takes the chosen rates as given, so it "
                "may exclude 0 where p_adj is not below %s, and the other way.",
                b->joint.k, b->joint.k == 1 ? "" : "s", show_p(floor, b->joint.p_min), format_real(alpha, t->x->alpha));
    for (int i = 0; i < y->rows; i++)
        if (best_at_end(b, &y->row[i])) {
            double at = y->rate[y->row[i].chosen[0]];
            text_format(out, " %s is best at %s, an end of the grid%s%s: a %s rate may be better.",
                        label_of(t, &y->row[i]),
                        show_rate(rate, at), y->group[y->row[i].group][0] ? " where " : "", y->group[y->row[i].group],
                        y->row[i].chosen[0] ? "larger" : "smaller");
        }
}

static void pair_row(const Table *t, const Best *b, const BestPair *p, Cells *c) {
    bool shown = p->minus.status == ST_OK;
    Text words;
    text_init(&words);
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
    text_release(&words);
}

static void differences(const Table *t, const Best *b, CellsList *out) {
    char heading[ARM_LABEL_SIZE + 16], interval[64], conf[40];
    Cells *c = cells_add(out, "best", "Arms at their best learning rates");
    caption(t, b, &c->caption);
    notes(t, b, &c->notes);
    snprintf(heading, sizeof heading, "minus %s", t->x->arm[t->sample.baseline].label);
    snprintf(interval, sizeof interval, "[%s%% t interval]", table_confidence(t, conf));
    cells_column(c, "label", 'l', t->x->compares ? "difference" : heading);
    c->stub = c->columns;
    cells_column(c, "difference", 'r', "Δ loss, nats");
    cells_column(c, "difference", 'i', interval);
    cells_column(c, "p_adjusted", 'r', "p_adj");
    cells_column(c, "verdict", 'p', "verdict");
    cells_column(c, "arm", 'X', ""), cells_column(c, "against", 'X', ""), cells_column(c, "p", 'X', "");
    for (int i = 0; i < b->pairs; i++) {
        if (!i || b->pair[i].group != b->pair[i - 1].group) cells_heading(c, b->ranking.group[b->pair[i].group]);
        pair_row(t, b, &b->pair[i], c);
    }
}

static void arms(const Table *t, const Best *b, CellsList *out) {
    const Ranking *y = &b->ranking;
    Cells *c = cells_add(out, "best-rates", "The rates that were chosen");
    cells_column(c, "rank", 'r', "rank");
    cells_column(c, "label", 'l', "arm");
    c->stub = c->columns;
    cells_column(c, "rates", 'l', "rate (seeds)");
    cells_column(c, "loss", 'r', "loss");
    cells_column(c, "sd", 'r', "SD");
    cells_column(c, "arm", 'X', "");
    text_format(&c->notes, "*: an end of the grid. Rank: of the mean losses; the lowest is 1.");
    for (int i = 0; i < y->rows; i++) {
        const RankingRow *row = &y->row[i];
        Text rates;
        text_init(&rates);
        if (i % y->arms == 0) cells_heading(c, y->group[row->group]);
        ranking_rates(y, row, &rates);
        cells_row(c);
        cell_integer(c, row->rank), cell_text(c, label_of(t, row)), cell_text(c, rates.at);
        cell_number(c, row->t.mean, RANKING_DIGITS), cell_number(c, row->t.sd, RANKING_DIGITS);
        cell_text(c, t->x->arm[row->arm].name);
        text_release(&rates);
    }
}

void best_tables(const Table *t, CellsList *out) {
    const Best *b = table_best(t);
    if (!b) return;
    differences(t, b, out);
    arms(t, b, out);
}

void best_sentence(const Table *t, const Best *b, const BestPair *p, Text *out) {
    char number[SHOWN], conf[40], lo[SHOWN], hi[SHOWN], shown[SHOWN];
    int decimals = decimals_for(p->minus.se, RANKING_DIGITS);
    text_format(out, "%s each arm at its best of %d learning rates, %s ends %s nats %s than %s",
                t->exploratory ? "In an exploratory comparison, with" : "With", b->ranking.rates,
                label_of(t, p->arm), show_number(number, fabs(p->difference), decimals),
                p->difference < 0 ? "lower" : "higher", label_of(t, p->against));
    text_format(out, " (");
    if (p->minus.status == ST_OK)
        text_format(out, "%s%% t interval %s to %s, ", table_confidence(t, conf),
                    show_number(lo, p->minus.lo, decimals),
                    show_number(hi, p->minus.hi, decimals));
    text_format(out, "%d paired seeds, adjusted p %s%s): ", b->ranking.seeds,
                isnan(p->p.step) || p->p.step < .001 ? "" : "= ", show_p(shown, p->p.step));
    best_words(b, p, label_of(t, p->against), out);
    text_format(out, ".");
}
