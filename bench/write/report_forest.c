/* The forest plot: a table whose second column draws each difference, its interval and the margin on a common axis.
 * In HTML it is a table with strips of SVG, which a narrow screen restacks; in LaTeX a table of pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/write/figure.h" /* an arm looks as in the figures */
#include "bench/write/report.h"

/* The rows that are drawn together and the axis they share. */
typedef struct {
    const Table *t;
    const Comparison **row;
    int rows;
    double least, most, tick;
} Forest;

enum { MOST_TICKS = 5, OPEN_ROWS = 12 };

static bool has_interval(const Comparison *c) {
    return c->t_decides && c->t.status == ST_OK;
}

static void axis(Forest *f) {
    double margin = f->t->x->margin, room;
    f->least = -margin, f->most = margin;
    for (int i = 0; i < f->rows; i++) {
        const Comparison *c = f->row[i];
        if (!isfinite(c->t.mean)) continue;
        f->least = fmin(f->least, has_interval(c) ? c->t.lo : c->t.mean);
        f->most = fmax(f->most, has_interval(c) ? c->t.hi : c->t.mean);
    }
    room = (f->most - f->least) * 0.05;
    if (!(room > 0)) room = 1;
    f->least -= room, f->most += room;
    f->tick = figure_tick(f->most - f->least, MOST_TICKS);
}

/* Where a difference stands on the axis: 0 at its left end, 1 at its right. */
static double place(const Forest *f, double x) {
    return fmin(1, fmax(0, (x - f->least) / (f->most - f->least)));
}

/* Tick i as a number; never -0. */
static char *tick_text(const Forest *f, double i, char out[40]) {
    return format_real(out, i == 0 ? 0 : round(i * f->tick * 1e9) / 1e9);
}

static const Comparison *decided(const Comparison *c) {
    return c && c->status == ST_OK && isfinite(c->t.mean) ? c : NULL;
}

/* all: every step above 0; otherwise each cell's last. */
static void gather(Forest *f, const Table *t, bool all) {
    *f = (Forest){.t = t, .row = mem_alloc((size_t)t->family.count + 1, sizeof *f->row)};
    for (int cell = 0; cell < t->sample.cells; cell++) {
        int last = t->sample.cell[cell].steps - 1;
        for (int step = all ? 0 : last; step <= last; step++)
            for (int arm = 0; arm < t->sample.arms; arm++) {
                const Comparison *c = decided(table_comparison(t, cell, step, arm));
                if (c) f->row[f->rows++] = c;
            }
    }
    axis(f);
}

static bool same_group(const Comparison *a, const Comparison *b) {
    return a->what.cell == b->what.cell && a->what.step == b->what.step;
}

/* "token_std = 1, after 150 steps" of a row's cell; "" when all rows are of one. */
static void group_text(const Forest *f, const Comparison *c, bool all, Text *out) {
    char where[256];
    experiment_cell_text(where, f->t->x, c->what.cell);
    text_format(out, "%s", where);
    if (!all) return;
    text_format(out, "%safter %d steps", where[0] ? ", " : "", f->t->sample.cell[c->what.cell].step[c->what.step]);
}

static void caption(const Forest *f, Text *out) {
    const Table *t = f->t;
    char margin[40], confidence[40];
    int better = metric_info[t->metric].better;
    text_format(out, "%s minus that of %s%s%s. ", metric_info[t->metric].header, t->x->arm[t->sample.baseline].label,
                report_unit(t)[0] ? "," : "", report_unit(t));
    if (better) text_format(out, "%s is better. ", better < 0 ? "Left" : "Right");
    if (t->sample.seeds == 1)
        text_format(out, "Dot: the one seed");
    else
        text_format(out, "Dot: mean over %d seeds; line: %s %% interval", t->sample.seeds,
                    table_confidence(t, confidence));
    if (t->x->margin > 0)
        text_format(out, "; band: within %s, too small to matter", format_real(margin, t->x->margin));
    text_format(out, ".");
}

static const char *const tone_class[] = {[TONE_neutral] = "neutral", [TONE_better] = "better", [TONE_worse] = "worse"};

static void strip_html(const Forest *f, const Comparison *c, Text *out) {
    double margin = f->t->x->margin;
    text_format(out, "<svg style=\"color:%s\" aria-hidden=\"true\" width=\"100%%\" height=\"30\">",
                figure_style(f->t, c->what.term[0].arm).colour);
    if (margin > 0)
        text_format(out, "<rect class=\"band\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"100%%\"/>",
                    100 * place(f, -margin), 100 * (place(f, margin) - place(f, -margin)));
    text_format(out, "<line class=\"zero\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\"/>", 100 * place(f, 0),
                100 * place(f, 0));
    if (has_interval(c))
        text_format(out, "<line class=\"ci\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"50%%\" y2=\"50%%\"/>",
                    100 * place(f, c->t.lo), 100 * place(f, c->t.hi));
    text_format(out, "<circle cx=\"%.2f%%\" cy=\"50%%\" r=\"4.5\"/></svg>", 100 * place(f, c->t.mean));
}

static void row_html(const Forest *f, const Comparison *c, Text *out) {
    Text words;
    int lost = report_diverged(f->t, c);
    text_init(&words);
    text_format(out, "<tr><th scope=\"row\">");
    html_text(out, f->t->x->arm[c->what.term[0].arm].label);
    if (lost) text_format(out, " <small>%d/%d diverged</small>", lost, f->t->sample.seeds);
    text_format(out, "</th><td class=\"strip\">");
    strip_html(f, c, out);
    text_format(out, "</td><td class=\"number\">");
    report_difference(f->t, c, &words);
    html_text(out, words.at);
    text_format(out, "</td><td class=\"p\">p ");
    text_clear(&words);
    report_p(f->t, c, &words);
    html_text(out, words.at);
    text_clear(&words);
    report_verdict(f->t, c, &words);
    text_format(out, "</td><td class=\"decision t-%s\">", tone_class[report_tone(c)]);
    html_text(out, words.at);
    text_format(out, "</td></tr>\n");
    text_release(&words);
}

static void ticks_html(const Forest *f, Text *out) {
    text_format(out, "<tbody aria-hidden=\"true\"><tr class=\"axis\"><td></td><td class=\"strip\"><svg width=\"100%%\" "
                     "height=\"22\">");
    for (double i = ceil(f->least / f->tick); i * f->tick <= f->most; i++) {
        char number[40];
        double at = 100 * place(f, i * f->tick);
        text_format(out, "<line class=\"zero\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"4\"/><text x=\"%.2f%%\" "
                         "y=\"17\" text-anchor=\"%s\">%s</text>",
                    at, at, at, at < 5 ? "start" : at > 95 ? "end" : "middle",
                    tick_text(f, i, number));
    }
    text_format(out, "</svg></td><td></td><td></td><td></td></tr></tbody>\n");
}

static void rows_html(const Forest *f, int first, int last, bool all, Text *out) {
    Text words;
    text_init(&words);
    text_format(out, "<thead><tr><th scope=\"col\">Arm</th><th scope=\"col\" class=\"strip\">Difference</th>"
                     "<th scope=\"col\" class=\"number\">Mean [interval]</th><th scope=\"col\" class=\"p\">p</th>"
                     "<th scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n");
    for (int i = first; i < last; i++) {
        text_clear(&words);
        group_text(f, f->row[i], all, &words);
        if (words.length && (i == first || !same_group(f->row[i], f->row[i - 1]))) {
            text_format(out, "%s<tr class=\"group\"><th colspan=\"5\" scope=\"rowgroup\">",
                        i > first ? "</tbody>\n<tbody>\n" : "");
            html_text(out, words.at);
            text_format(out, "</th></tr>\n");
        }
        row_html(f, f->row[i], out);
    }
    text_format(out, "</tbody>\n");
    ticks_html(f, out);
    text_release(&words);
}

bool report_forest(const Table *t, bool all, Text *out) {
    Forest f;
    Text words;
    gather(&f, t, all);
    if (f.rows) {
        int open = f.rows > OPEN_ROWS && !all ? OPEN_ROWS : f.rows;
        text_init(&words);
        caption(&f, &words);
        text_format(out, "<figure class=\"forest\">\n<table><caption>");
        html_text(out, words.at);
        text_format(out, "</caption>\n");
        rows_html(&f, 0, open, all, out);
        text_format(out, "</table>\n");
        if (open < f.rows) {
            text_format(out, "<details><summary>The other %d differences</summary>\n<table>\n", f.rows - open);
            rows_html(&f, open, f.rows, all, out);
            text_format(out, "</table></details>\n");
        }
        text_format(out, "</figure>\n");
        text_release(&words);
    }
    free(f.row);
    return f.rows > 0;
}

/* In LaTeX, lengths in units of a strip of 1000. */
enum { STRIP = 1000, BAR = 24, HEIGHT = 64 };

static int at_tex(const Forest *f, double x) {
    return (int)lround(STRIP * place(f, x));
}

/* "#0072B2" as "0.000,0.447,0.698". */
static char *colour_tex(const Table *t, int arm, char out[40]) {
    unsigned rgb = 0;
    (void)sscanf(figure_style(t, arm).colour, "#%6x", &rgb);
    snprintf(out, 40, "%.3f,%.3f,%.3f", (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
    return out;
}

static void strip_tex(const Forest *f, const Comparison *c, Text *out) {
    char colour[40];
    double margin = f->t->x->margin;
    int lo = at_tex(f, -margin), hi = at_tex(f, margin), zero = at_tex(f, 0);
    text_format(out, "\\begin{picture}(%d,%d)", STRIP, HEIGHT);
    if (margin > 0)
        text_format(out, "\\put(%d,-22){\\color[gray]{.88}\\rule{%d\\unitlength}{%d\\unitlength}}", lo, hi - lo,
                    HEIGHT + 40);
    text_format(out, "\\put(%d,-22){\\color[gray]{.5}\\rule{.4pt}{%d\\unitlength}}", zero, HEIGHT + 40);
    text_format(out, "\\color[rgb]{%s}", colour_tex(f->t, c->what.term[0].arm, colour));
    if (has_interval(c))
        text_format(out, "\\put(%d,%d){\\rule{%d\\unitlength}{1pt}}", at_tex(f, c->t.lo), HEIGHT / 2 - 8,
                    at_tex(f, c->t.hi) - at_tex(f, c->t.lo));
    text_format(out, "\\put(%d,%d){\\circle*{%d}}\\end{picture}", at_tex(f, c->t.mean), HEIGHT / 2, BAR + 8);
}

/* An arm without a label is called by its columns, which have no blanks: "pre+attn.out=rmsnorm". */
static void label_tex(const char *label, Text *out) {
    char part[ARM_LABEL_SIZE];
    for (const char *s = label; *s;) {
        size_t n = strcspn(s, "+=.") + 1, all = strlen(s);
        n = n < all ? n : all;
        snprintf(part, sizeof part, "%.*s", (int)n, s);
        latex_text(out, part);
        text_format(out, "\\allowbreak{}");
        s += n;
    }
}

static void row_tex(const Forest *f, const Comparison *c, Text *out) {
    Text words;
    int lost = report_diverged(f->t, c);
    text_init(&words);
    label_tex(f->t->x->arm[c->what.term[0].arm].label, out);
    if (lost) text_format(out, " (%d/%d div.)", lost, f->t->sample.seeds);
    text_format(out, " & ");
    strip_tex(f, c, out);
    text_format(out, " & ");
    text_clear(&words);
    report_difference(f->t, c, &words);
    latex_text(out, words.at);
    text_format(out, " & ");
    text_clear(&words);
    report_p(f->t, c, &words);
    latex_text(out, words.at);
    text_format(out, " & ");
    text_clear(&words);
    report_verdict(f->t, c, &words);
    latex_text(out, words.at);
    text_format(out, " \\\\\n");
    text_release(&words);
}

static void ticks_tex(const Forest *f, Text *out) {
    text_format(out, " & \\begin{picture}(%d,%d)", STRIP, HEIGHT);
    for (double i = ceil(f->least / f->tick); i * f->tick <= f->most; i++) {
        char number[40];
        int at = at_tex(f, i * f->tick);
        text_format(out, "\\put(%d,52){\\rule{.4pt}{20\\unitlength}}\\put(%d,0){\\makebox(0,44)[%s]{\\tiny $%s$}}", at,
                    at, at < STRIP / 20 ? "l" : at > STRIP - STRIP / 20 ? "r" : "c",
                    tick_text(f, i, number));
    }
    text_format(out, "\\end{picture} & & & \\\\\n");
}

void report_forest_tex(const Table *t, Text *out) {
    Forest f;
    Text words;
    gather(&f, t, false);
    text_init(&words);
    if (f.rows) {
        caption(&f, &words);
        text_format(out, "{\\footnotesize\\setlength{\\unitlength}{0.00175in}\\raggedright\n"
                         "\\begin{tabular}{@{}>{\\raggedright}p{.95in}@{} c@{\\ } l l "
                         ">{\\raggedright\\arraybackslash}p{1.35in}@{}}\n\\toprule\n & difference & "
                         "mean [interval] & $p$ & verdict \\\\\n\\midrule\n");
        for (int i = 0; i < f.rows && i < 2 * OPEN_ROWS; i++) {
            text_clear(&words);
            group_text(&f, f.row[i], false, &words);
            if (words.length && (!i || !same_group(f.row[i], f.row[i - 1]))) {
                text_format(out, "\\multicolumn{5}{@{}l@{}}{\\itshape ");
                latex_text(out, words.at);
                text_format(out, "} \\\\\n");
            }
            row_tex(&f, f.row[i], out);
        }
        ticks_tex(&f, out);
        text_format(out, "\\bottomrule\n\\end{tabular}\\par\\smallskip\n{\\scriptsize ");
        text_clear(&words);
        caption(&f, &words);
        if (f.rows > 2 * OPEN_ROWS)
            text_format(&words, " The first %d of %d differences; the tables have all.", 2 * OPEN_ROWS, f.rows);
        latex_text(out, words.at);
        text_format(out, "\\par}\\medskip}\n");
    }
    text_release(&words);
    free(f.row);
}
