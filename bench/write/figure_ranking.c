/* NAME-ranking: the arms by rank, each at its best learning rate (bench/verdict/ranking.h): a point per seed, the
 * mean with its interval, the places that the tests leave open. A figure per group of cells. */
#include <math.h>
#include <stdio.h>

#include "bench/write/figure_sheet.h"
#include "bench/write/ranking.h"

enum { ROW = 15, NARROW_ROW = 26, LABELS = 160, WORDS = 118 };

static int parts(const Table *t) {
    const Ranking *y = table_ranking(t);
    if (!y) return 0;
    int groups = y->rows ? y->groups : 0;
    return groups;
}

static bool any(const Table *t, int part) {
    (void)part;
    return t->sample.arms > 1;
}

/* The group's first cell, whose other factors the name says. */
static int named_cell(const Table *t, int part) {
    int cell[EXPERIMENT_MOST_VALUES];
    double rate[EXPERIMENT_MOST_VALUES];
    int rates = sensitivity_cells(t->x, part, cell, rate);
    return t->sample.cells > rates ? cell[0] : -1;
}

/* Where a row's marks stand, in rows from the top; in the narrow figure its words stand above them. */
static double mark_at(const RankingRow *row, const RankingRow *first, double below) {
    return (double)(row - first) + 0.5 + below;
}

/* An axis up to four times as far from the best as the middle arm: what lies beyond is said by its number. */
static void range_of(const RankingRow *row, int arms, int seeds, double *least, double *most) {
    double best = row[0].t.mean, cut = best + 4 * (row[arms / 2].t.mean - best);
    *least = best, *most = row[arms / 2].t.mean;
    for (int i = 0; i < arms; i++) {
        bool shown = !row[i].judged_lost && row[i].t.status == ST_OK;
        for (int s = 0; s < seeds; s++) {
            *least = fmin(*least, row[i].value[s]);
            if (row[i].value[s] <= cut) *most = fmax(*most, row[i].value[s]);
        }
        if (shown) *least = fmin(*least, fmax(row[i].t.lo, best - (cut - best)));
        if (shown && row[i].t.hi <= cut) *most = fmax(*most, row[i].t.hi);
    }
    if (!(*least < *most)) *least -= 0.01, *most += 0.01;
}

/* $s: seeds; $x: runs that diverged; $m: means and intervals; by arm. */
static void data(const Table *t, int part, Text *out) {
    const Ranking *y = table_ranking(t);
    if (!y) return;
    const RankingRow *first = &y->row[part * y->arms];
    for (const RankingRow *row = first; row < first + y->arms; row++) {
        double at = -mark_at(row, first, 0);
        bool shown = !row->judged_lost && row->t.status == ST_OK;
        for (int lost = 0; lost < 2; lost++) {
            int found = 0;
            text_format(out, "$%s%d_%d << END\n", lost ? "x" : "s", row->group, row->arm);
            for (int s = 0; s < y->seeds; s++)
                if (row->lost[s] == lost) text_format(out, "%.9g %.9g\n", row->value[s], at), found++;
            text_format(out, found ? "END\n" : "NaN NaN\nEND\n");
        }
        text_format(out, "$m%d_%d << END\n%.9g %.9g %.9g %.9g\nEND\n", row->group, row->arm, row->t.mean, at,
                    shown ? row->t.lo : row->t.mean, shown ? row->t.hi : row->t.mean);
    }
}

static void row_words(const Table *t, const Sheet *s, const Ranking *y, const RankingRow *row, const RankingRow *first,
                      double most, double height, Text *out) {
    char label[SHEET_LINE], name[SHEET_LINE], mean[SHOWN];
    double top = s->head + s->above + height * mark_at(row, first, s->narrow ? -0.28 : 0);
    bool beyond = row->t.mean > most;
    Text words;
    text_init(&words);
    text_format(&words, "%s%s ", beyond ? "→ " : "", show_number(mean, row->t.mean, RANKING_DIGITS));
    if (row->judged_lost)
        text_format(&words, "div. %d/%d", row->judged_lost, y->seeds);
    else
        ranking_interval(row, false, false, &words);
    if (y->apart) {
        text_format(&words, "  ");
        ranking_places(y, row, &words);
    }
    snprintf(name, sizeof name, "%d  %s", row->rank, t->x->arm[row->arm].label);
    double wide = s->narrow ? s->width - 12 - 7 * 0.56 * (double)words.length : s->left - 10;
    sheet_text(s, 4, top, ALIGN_left, 7, false, figure_cut(label, name, sheet_fit(wide, 7)), out);
    sheet_text(s, s->width - 4, top, ALIGN_right, 7, true, words.at, out);
    text_release(&words);
}

static double labels_of(const Table *t) {
    int longest = 8;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        int characters = ARM_LABEL_SIZE;
        show_bytes(t->x->arm[arm].label, &characters);
        longest = characters > longest ? characters : longest;
    }
    return fmin(20 + (longest + 4) * 7 * 0.56, LABELS);
}

static void plot(const Table *t, const Sheet *s, const RankingRow *first, int arms, Text *out) {
    text_format(out, "plot ");
    for (const RankingRow *row = first; row < first + arms; row++) {
        FigureStyle style = figure_style(t, row->arm);
        const char *colour = style.colour;
        int g = row->group, arm = row->arm;
        text_format(out, "%s$s%d_%d using 1:2 with points pt 6 ps %g lw 0.6 lc rgb '%s' notitle, \\\n  ",
                    row == first ? "" : ", \\\n  ", g, arm, 0.3 * s->mark, colour);
        text_format(out, "$x%d_%d using 1:2 with points pt 2 ps %g lw 1.2 lc rgb '%s' notitle, \\\n  ", g, arm,
                    0.45 * s->mark, colour);
        text_format(out, "$m%d_%d using 3:2:($4-$3):(0) with vectors nohead lw 1.2 lc rgb '%s' notitle, \\\n  ", g, arm,
                    colour);
        text_format(out, "$m%d_%d using 1:2 with points pt %d ps %g lc rgb '%s' notitle", g, arm, style.point,
                    0.5 * s->mark, colour);
    }
    text_format(out, "\n");
}

static void draw(const Table *t, int part, Sheet *s, Text *out) {
    const Ranking *y = table_ranking(t);
    char where[400], conf[40];
    double least, most, height = s->narrow ? NARROW_ROW : ROW;
    Text note;
    if (!y) return;
    const RankingRow *first = &y->row[part * y->arms];
    text_init(&note);
    s->left = s->narrow ? 10 : labels_of(t), s->right = s->narrow ? 10 : WORDS + (y->apart ? 34 : 0);
    snprintf(where, sizeof where, "%s%safter %d steps", y->group[part], y->group[part][0] ? ", " : "",
             t->sample.cell[0].step[t->sample.cell[0].steps - 1]);
    sheet_title(s, t, where);
    text_format(&note, "○ One per seed (%d). Filled: mean and %s%% t interval, in brackets on the right", y->seeds,
                table_confidence(t, conf));
    if (y->apart)
        text_format(&note, ", and the places that the runs leave open: where places overlap, arms are not apart");
    text_format(&note, ".");
    text_format(&note, " → Beyond the axis. × Diverged: counts as the uniform predictor.");
    sheet_note(s, note.at);
    sheet_panels(s, 1, 1, y->arms * height, 0);
    sheet_open(s, out);
    sheet_panel(s, 0, "", "", "validation loss, nats per token (lower is better)", out);
    range_of(first, y->arms, y->seeds, &least, &most);
    sheet_bounds(&least, &most, false);
    text_format(out,
                "set border 1\nunset ytics\nunset grid\nset grid x lc rgb '#e6e6e6' lt 1 lw 0.5\nset format x '%%g'\n"
                "set xrange [%.9g:%.9g]\nset yrange [%d:0]\n",
                least, most, -y->arms);
    for (const RankingRow *row = first; row < first + y->arms; row++) row_words(t, s, y, row, first, most, height, out);
    plot(t, s, first, y->arms, out);
    text_format(out, "set border 3\n");
    sheet_close(s, t, out);
    text_release(&note);
}

static void caption(const Table *t, int part, Text *out) {
    char group[256] = "";
    int cell = named_cell(t, part);
    if (cell >= 0) sensitivity_group(t->x, cell, group);
    text_format(
        out,
        "%s%s%s: the arms by rank, each at its best learning rate, which other seeds chose; a point per seed, the "
        "mean with its interval.",
        t->x->title, group[0] ? ", " : "", group);
}

const FigureRow figure_ranking = {"ranking", parts, any, named_cell, "lr", data, draw, caption, NULL};
