/* compare --plot: one row per comparison. A dot is a seed's difference, the bar the t interval around their mean, the
 * grey band the margin; a cross is a seed with a diverged run, at the edge. SVG, for light and dark pages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/html.h"
#include "bench/formats/latex.h"
#include "bench/write/compare.h"
#include "bench/write/figure.h"

enum { WIDTH = 920, LEFT = 190, PLOT = 330, RIGHT = LEFT + PLOT + 20, TOP = 58, ROW = 44, TICKS = 6 };
enum { NAME_MOST = 22, WORDS_MOST = 53 }; /* characters: longer ones are cut */

typedef struct {
    double low, high, step;
} PlotAxis;

static bool lost(const CompareResult *r, const Comparison *c, int seed) {
    const CompareData *d = r->data;
    int arm = c->what.term[0].arm;
    return d->diverged[arm * d->seeds + seed] || d->diverged[r->baseline * d->seeds + seed];
}

static bool has_interval(const Comparison *c) {
    return c->t_decides && c->t.status == ST_OK;
}

static void include(PlotAxis *a, double x) {
    if (x < a->low) a->low = x;
    if (x > a->high) a->high = x;
}

static PlotAxis axis_of(const CompareResult *r) {
    PlotAxis a = {0, 0, 1};
    for (int i = 0; i < r->family.count; i++) {
        const Comparison *c = &r->family.at[i];
        for (int s = 0; s < (int)c->pairs.n; s++)
            if (!lost(r, c, s)) include(&a, c->pairs.d[s]);
        if (has_interval(c)) include(&a, c->t.lo), include(&a, c->t.hi);
    }
    if (!isnan(r->options.margin)) include(&a, r->options.margin), include(&a, -r->options.margin);
    if (a.low == a.high) a.low = -1, a.high = 1;
    double room = 0.06 * (a.high - a.low);
    a.low -= room, a.high += room;
    a.step = figure_tick(a.high - a.low, TICKS);
    return a;
}

static double x_of(const PlotAxis *a, double value) {
    return LEFT + PLOT * (value - a->low) / (a->high - a->low);
}

static void text_at(Text *out, double x, double y, const char *class, const char *text) {
    text_format(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    html_text(out, text);
    text_format(out, "</text>\n");
}

static void ticks(const PlotAxis *a, int bottom, Text *out) {
    char shown[SHOWN];
    int digits = a->step >= 1 ? 0 : (int)ceil(-log10(a->step) - 1e-9);
    for (double k = ceil(a->low / a->step); k * a->step <= a->high; k++) {
        double x = x_of(a, k * a->step);
        text_format(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"%s\"/>\n", x, x, TOP - 6, bottom,
                    k == 0 ? "zero" : "tick");
        if (digits > 6 || a->step >= 1e7)
            snprintf(shown, sizeof shown, "%g", k * a->step);
        else
            show_signed(shown, k * a->step, digits);
        text_at(out, x, bottom + 16, "middle", k == 0 ? "0" : shown);
    }
}

enum { CUT_SIZE = 4 * WORDS_MOST + 8 };

/* A text's first characters. */
static char *cut(char out[CUT_SIZE], const char *text, int most) {
    int all = 1 << 20, shown = most;
    (void)show_bytes(text, &all);
    snprintf(out, CUT_SIZE, "%.*s%s", show_bytes(text, &shown), text, all > most ? "\u2026" : "");
    return out;
}

static void row(const CompareResult *r, const Comparison *c, const PlotAxis *a, double y, Text *out) {
    char shown[CUT_SIZE], mean[48];
    Text words;
    text_init(&words);
    text_at(out, LEFT - 14, y + 4, "end", cut(shown, compare_arm_name(r, c), NAME_MOST));
    for (int s = 0; s < (int)c->pairs.n; s++) {
        double x = lost(r, c, s) ? LEFT + PLOT : x_of(a, c->pairs.d[s]), at = y + 9;
        if (lost(r, c, s))
            text_format(out, "<path d=\"M%.1f %.1fl7 7m0 -7l-7 7\" class=\"lost\"/>\n", x - 3.5, at - 3.5);
        else
            text_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" class=\"seed\"/>\n", x, at);
    }
    if (has_interval(c)) {
        text_format(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"bar\"/>\n", x_of(a, c->t.lo),
                    x_of(a, c->t.hi), y - 4, y - 4);
        text_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" class=\"mean\"/>\n", x_of(a, c->t.mean), y - 4);
    }
    text_format(&words, "%s ", compare_number(mean, c->t.mean, c->t.se, true));
    compare_interval(r, c, &words);
    text_at(out, RIGHT, y - 2, "number", words.at);
    text_clear(&words);
    compare_words(r, c, c->decision, &words);
    text_at(out, RIGHT, y + 13, "soft", cut(shown, words.at, WORDS_MOST));
    text_release(&words);
}

static const char style[] =
    "<style>\n"
    "text { font: 13px sans-serif; fill: #1a1a1a } .soft { fill: #666 } .end { text-anchor: end }\n"
    ".middle { text-anchor: middle; font-size: 12px; fill: #666 } .title { font-weight: bold }\n"
    ".number { font-variant-numeric: tabular-nums } .tick { stroke: #ddd } .zero { stroke: #555; stroke-width: 1.5 }\n"
    ".margin { fill: #000; fill-opacity: 0.07 } .bar { stroke: #0072b2; stroke-width: 2.5 } .mean { fill: #0072b2 }\n"
    ".seed { fill: #0072b2; fill-opacity: 0.45 } .lost { stroke: #d55e00; stroke-width: 1.8; fill: none }\n"
    "@media (prefers-color-scheme: dark) { text { fill: #e8e8e8 } .soft, .middle { fill: #a0a0a0 }\n"
    ".tick { stroke: #444 } .zero { stroke: #bbb } .margin { fill: #fff; fill-opacity: 0.1 } .bar { stroke: #56b4e9 }\n"
    ".mean, .seed { fill: #56b4e9 } }\n"
    "</style>\n";

void compare_plot(const CompareResult *r, Text *out) {
    PlotAxis a = axis_of(r);
    int bottom = TOP + ROW * r->family.count, height = bottom + 56;
    char number[40];
    Text words;
    text_init(&words);
    text_format(&words, "Each arm minus %s, ", r->data->arm[r->baseline]);
    compare_counts(r, &words);
    text_format(&words, "; %s is better", r->options.higher ? "higher" : "lower");
    text_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
                WIDTH, height, WIDTH, height);
    text_format(out, "<title>");
    html_text(out, words.at);
    text_format(out, "</title>\n%s", style);
    text_at(out, 14, 26, "title", words.at);
    if (!isnan(r->options.margin))
        text_format(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"margin\"/>\n",
                    x_of(&a, -r->options.margin), TOP - 6, x_of(&a, r->options.margin) - x_of(&a, -r->options.margin),
                    bottom - TOP + 6);
    ticks(&a, bottom, out);
    for (int i = 0; i < r->family.count; i++) row(r, &r->family.at[i], &a, TOP + ROW * i + ROW / 2.0, out);
    text_clear(&words);
    text_format(&words, "%sBar: mean and %s%% %s.", r->data->unpaired ? "" : "Dots: seeds. ",
                format_real(number, round(1e8 * r->options.conf) / 1e6), compare_vocabulary(r)->t);
    if (!isnan(r->options.margin))
        text_format(&words, " Grey: the margin, +-%s.", format_real(number, r->options.margin));
    if (r->data->lost)
        text_format(&words, " Cross: a run of this seed %s; no interval then.",
                    r->data->steps ? "never reached the target" : "diverged");
    text_at(out, 14, height - 12, "soft", words.at);
    text_format(out, "</svg>\n");
    text_release(&words);
}
