/* NAME-ranking.tex, NAME-ranking-cost.tex and the costs for the terminal: tables by rank. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/ranking.h"

enum { ROWS_PER_TABLE = 44, LONGEST_LABEL = 26, LABEL = 22 };

/* A table of a group: what it begins with, and its rows. */
typedef struct {
    const char *columns, *head;
    void (*row)(const Table *t, const Ranking *y, const RankingRow *row, Text *out);
    void (*words)(const Table *t, const Ranking *y, Text *out);
} Kind;

static void number(Text *out, const char *shown) {
    text_format(out, " & ");
    latex_number(out, shown);
}

static void rank_and_label(const Table *t, const RankingRow *row, Text *out) {
    char cut[ARM_LABEL_SIZE + 8];
    int characters = LONGEST_LABEL, bytes = show_bytes(t->x->arm[row->arm].label, &characters);
    const char *label = t->x->arm[row->arm].label;
    snprintf(cut, sizeof cut, "%.*s%s", bytes, label, label[bytes] ? "..." : "");
    text_format(out, "%d & ", row->rank);
    latex_text(out, cut);
}

static void loss_row(const Table *t, const Ranking *y, const RankingRow *row, Text *out) {
    char shown[SHOWN];
    rank_and_label(t, row, out);
    text_format(out, " & ");
    ranking_places(y, row, out);
    text_format(out, " & %.1f", row->mean_rank);
    number(out, show_number(shown, row->t.mean, RANKING_DIGITS));
    text_format(out, " ");
    ranking_interval(row, false, true, out);
    if (row->baseline) {
        text_format(out, " & baseline & ");
        return;
    }
    number(out, show_signed(shown, row->difference, RANKING_DIGITS));
    text_format(out, " ");
    ranking_interval(row, true, true, out);
    number(out, show_p(shown, row->p.step));
}

static void rate_row(const Table *t, const Ranking *y, const RankingRow *row, Text *out) {
    Text words;
    text_init(&words);
    rank_and_label(t, row, out);
    text_format(&words, " & ");
    ranking_rates(y, row, &words);
    text_format(&words, " & ");
    ranking_basin(y, row, &words);
    text_format(out, "%s & %d/%d & %d/%d & %ld & %.1f", words.at, row->diverged, row->runs, row->stalled, row->runs,
                row->parameters, 1e-6 * row->flops);
    text_release(&words);
}

static void cost_row(const Table *t, const Ranking *y, const RankingRow *row, Text *out) {
    char shown[SHOWN];
    Cost c = table_cost(t, row->arm);
    (void)y;
    rank_and_label(t, row, out);
    number(out, show_number(shown, row->t.mean, RANKING_DIGITS));
    text_format(out, " & %ld & %.1f", row->parameters, 1e-6 * row->flops);
    number(out, show_number(shown, c.ratio, 3));
    text_format(out, " ");
    show_interval(out, c.least, c.most, 2, "not timed", true);
    number(out, show_number(shown, 1e3 * c.step_seconds, 1));
    number(out, show_number(shown, c.memory_mb, 0));
}

void ranking_legend(Text *out) {
    text_format(out,
                "Basin: neighbouring rates whose mean loss is within %g nats of the best rate's and at which no run "
                "diverged or stalled, and how many decades they span. *: an end of the grid, so that the best rate may "
                "lie outside. diverged, stalled: of the runs at all rates; stalled: ended less than 0.05 nats below "
                "the unigram model. MFLOP: of a step's matrix products and attention.",
                SENSITIVITY_BASIN);
}

static void loss_words(const Table *t, const Ranking *y, Text *out) {
    ranking_words(t, y, out);
    text_format(out, " ");
    ranking_methods(t, y, out);
}

static void rate_words(const Table *t, const Ranking *y, Text *out) {
    (void)t, (void)y;
    text_format(out, "The rates chosen for the seeds (in brackets: for how many, where they differ). ");
    ranking_legend(out);
}

static void cost_words(const Table *t, const Ranking *y, Text *out) {
    (void)y;
    text_format(
        out,
        "Loss at the best rate and what a step costs. Step time relative to %s: median [least, most] of the "
        "ratios paired by seed; wall-clock times on a shared machine are noisy. MFLOP: of a step's matrix products and "
        "attention.",
        t->x->arm[t->sample.baseline].label);
}

static const Kind loss_table = {"r l l r l l r",
                                "rank & arm & places & mean & loss [CI] & difference [CI] & "
                                "$p_{\\mathrm{adj}}$",
                                loss_row, loss_words};
static const Kind rate_table = {"r l l l r r r r",
                                "rank & arm & rate & basin, decades & div. & stalled & parameters & "
                                "MFLOP",
                                rate_row, rate_words};
static const Kind cost_table = {"r l r r r l r r",
                                "rank & arm & loss & parameters & MFLOP & step time / baseline & ms & "
                                "MB",
                                cost_row, cost_words};

static void begin(const Table *t, const Ranking *y, const Kind *kind, int group, bool more, Text *out) {
    Text words;
    text_init(&words);
    text_format(&words, "%s%s%s%s%s%s. ", table_mark(t), t->exploratory ? ": " : "", t->x->title,
                y->group[group][0] ? ", " : "", y->group[group], more ? ", continued" : "");
    if (!more) kind->words(t, y, &words);
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
    latex_breakable(out, words.at);
    text_format(out, "}\n");
    text_release(&words);
}

static void write_table(const Table *t, const Ranking *y, const Kind *kind, int group, Text *out) {
    for (int i = 0; i < y->arms; i++) {
        if (i % ROWS_PER_TABLE == 0) {
            begin(t, y, kind, group, i > 0, out);
            text_format(out,
                        "\\scriptsize\\setlength{\\tabcolsep}{3pt}\n\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s "
                        "\\\\\n\\midrule\n",
                        kind->columns, kind->head);
        }
        kind->row(t, y, &y->row[group * y->arms + i], out);
        text_format(out, " \\\\\n");
        if (i % ROWS_PER_TABLE == ROWS_PER_TABLE - 1 || i == y->arms - 1)
            text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    }
}

static void write_tables(const Table *t, const char *what, const Kind *const *kind, int kinds, Text *out) {
    const Ranking *y = table_ranking(t);
    if (!y) return;
    table_header_comment(t, what, out);
    for (int group = 0; group < y->groups && y->rows; group++)
        for (int i = 0; i < kinds; i++) write_table(t, y, kind[i], group, out);
    if (!y->rows) { /* too few seeds: what would stand above it says so */
        Text words;
        text_init(&words);
        ranking_words(t, y, &words);
        latex_text(out, words.at);
        text_format(out, "\n");
        text_release(&words);
    }
}

void ranking_tex(const Table *t, Text *out) {
    static const Kind *const kinds[] = {&loss_table, &rate_table};
    write_tables(t, "ranking", kinds, 2, out);
}

void ranking_cost_tex(const Table *t, Text *out) {
    static const Kind *const kinds[] = {&cost_table};
    write_tables(t, "ranking and cost", kinds, 1, out);
}

void ranking_cost_text(const Table *t, Text *out) {
    const Ranking *y = table_ranking(t);
    char loss[SHOWN], ratio[SHOWN], least[SHOWN], most[SHOWN], step[SHOWN], memory[SHOWN];
    if (!y) return;
    for (int i = 0; i < y->rows; i++) {
        const RankingRow *row = &y->row[i];
        Cost c = table_cost(t, row->arm);
        char range[3 * SHOWN];
        if (i % y->arms == 0) {
            text_format(out, "\n  %4s  %-*s %8s %10s %8s %24s %9s %7s\n", "rank", LABEL, "cost (times are noisy)",
                        "loss", "parameters", "MFLOP", "step time / baseline", "ms a step", "MB");
            if (y->group[row->group][0]) text_format(out, "  %s\n", y->group[row->group]);
        }
        snprintf(range, sizeof range, "%s [%s, %s]", show_number(ratio, c.ratio, 3), show_number(least, c.least, 2),
                 show_number(most, c.most, 2));
        text_format(out, "  %4d  ", row->rank);
        show_column(out, t->x->arm[row->arm].label, LABEL);
        text_format(out, " %8s %10ld %8.1f %24s %9s %7s\n", show_number(loss, row->t.mean, RANKING_DIGITS),
                    row->parameters, 1e-6 * row->flops, range, show_number(step, 1e3 * c.step_seconds, 1),
                    show_number(memory, c.memory_mb, 0));
    }
}
