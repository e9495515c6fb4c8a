/* compare on the terminal: the arms, one line per comparison, then what must be said beside it. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/compare.h"
#include "bench/formats/latex.h"
#include "bench/run/provenance.h"

enum { NAME_WIDTH = 24, INTERVAL_WIDTH = 26, PAGE_WIDTH = 98, VERDICT_WIDTH = 26 };

/* "%.*e" below and above what reads well with a point. */
char *compare_number(char out[48], double x, double uncertainty, bool with_sign) {
    bool known = isfinite(uncertainty) && uncertainty != 0;
    double size = fabs(x);
    if (!isfinite(x)) return strcpy(out, "n/a");
    int own = size > 0 ? (int)floor(log10(size)) : 0, digits = known ? 0 : own < 2 ? 3 - own : 2;
    if (known) digits = decimals_for(uncertainty, 0);
    if (own > 2 && digits > 8 - own) digits = own > 8 ? 0 : 8 - own; /* an interval keeps to its column */
    bool tiny = known ? uncertainty < 1e-5 : size > 0 && own < -4;
    if (tiny || size >= 1e7) {
        int more = known ? own - (int)floor(log10(uncertainty)) + 1 : 3;
        snprintf(out, 48, with_sign ? "%+.*e" : "%.*e", more < 1 ? 1 : more > 5 ? 5 : more, x);
        return out;
    }
    return with_sign ? show_signed(out, x, digits) : show_number(out, x, digits);
}

void compare_signature(const CompareResult *r, Text *out) {
    char number[40];
    const CompareOptions *o = &r->options;
    text_format(out, "n%d|pair:seed|est:mean-d|ci:t%s|p:signflip-%s|adj:maxT-sd(m%d)|div:", r->n,
                format_real(number, round(1e8 * o->conf) / 1e6), r->n <= ST_FLIP_MAX ? "exact" : "mc", r->family.count);
    if (r->data->lost)
        text_format(out, "cap-%s", format_real(number, o->cap));
    else
        text_format(out, "none");
    if (o->looks) text_format(out, "|look:%d/%d", r->this_look + 1, o->looks);
    text_format(out, "|better:%s|data:%.8s|v%s", o->higher ? "higher" : "lower", r->data->hash, NORMBENCH_VERSION);
}

static int shown_width(const char *s) {
    int characters = INT_MAX;
    (void)show_bytes(s, &characters);
    return characters;
}

void compare_interval(const Comparison *c, Text *out, bool latex) {
    char low[48], high[48];
    if (!c->t_decides)
        text_format(out, "withheld (diverged)");
    else if (c->t.status != ST_OK)
        text_format(out, "n/a (%s)", st_status_text(c->t.status));
    else {
        compare_number(low, c->t.lo, c->t.se, false);
        compare_number(high, c->t.hi, c->t.se, false);
        text_format(out, "[");
        if (latex)
            latex_number(out, low);
        else
            text_format(out, "%s", low);
        text_format(out, ", ");
        if (latex)
            latex_number(out, high);
        else
            text_format(out, "%s", high);
        text_format(out, "]");
    }
}

static void line(const CompareResult *r, const Comparison *c, Text *out) {
    const char *name = compare_arm_name(r, c);
    char number[48], p[SHOWN], floor[SHOWN];
    Text range, words;
    text_init(&range);
    text_init(&words);
    compare_interval(c, &range, false);
    compare_words(r, c, c->decision, &words);
    text_format(out, "  ");
    if (shown_width(name) > NAME_WIDTH) {
        text_format(out, "%s\n  ", name);
        name = "";
    }
    show_column(out, name, NAME_WIDTH);
    text_format(out, " %12s  %-*s %6s %6s", compare_number(number, c->t.mean, c->t.se, true), INTERVAL_WIDTH,
                range.at, show_p(p, c->joint.step), show_p(floor, r->family.floor));
    text_format(out, shown_width(words.at) > VERDICT_WIDTH ? "\n    %s\n" : "  %s\n", words.at);
    text_release(&range);
    text_release(&words);
}

/* Every arm by itself, the baseline first. */
static void arm_line(const CompareResult *r, int arm, Text *out) {
    const CompareArm *a = &r->arm[arm];
    const char *name = r->data->arm[arm];
    char mean[48], sd[48];
    text_format(out, "  ");
    if (shown_width(name) > NAME_WIDTH) {
        text_format(out, "%s\n  ", name);
        name = "";
    }
    show_column(out, name, NAME_WIDTH);
    text_format(out, " %12s  %s", compare_number(mean, a->mean, a->sd, false), compare_number(sd, a->sd, a->sd, false));
    if (a->rate.k) text_format(out, "   %d of %d diverged", (int)a->rate.k, (int)a->rate.n);
    text_format(out, "\n");
}

static void arm_lines(const CompareResult *r, Text *out) {
    text_format(out, "\n  %-*s %12s  sd over seeds\n", NAME_WIDTH, "", "mean");
    arm_line(r, r->baseline, out);
    for (int arm = 0; arm < r->data->arms; arm++)
        if (arm != r->baseline) arm_line(r, arm, out);
}

/* One note after the other, words broken at blanks. */
static void wrapped(const char *text, Text *out) {
    int column = 0;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, " \n");
        char word[400];
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        int width = shown_width(word);
        if (column && column + 1 + width > PAGE_WIDTH) text_format(out, "\n"), column = 0;
        text_format(out, "%s%s", column ? " " : "", word);
        column += width + (column > 0);
        s += n;
        if (*s == '\n') text_format(out, "\n"), column = 0;
        s += *s != 0;
    }
}

void compare_text(const CompareResult *r, Text *out) {
    const CompareData *d = r->data;
    char conf[40];
    Text words;
    text_init(&words);
    format_real(conf, round(1e8 * r->options.conf) / 1e6);
    compare_signature(r, out);
    text_format(&words, "%d seed%s, %d arms", r->n, r->n == 1 ? "" : "s", d->arms);
    if (d->blocks) text_format(&words, ", %d block%s", d->blocks, d->blocks == 1 ? "" : "s");
    text_format(&words, "; %s is better; baseline: %s%s. delta = arm - baseline, mean over seeds.\n",
                r->options.higher ? "higher" : "lower", d->arm[r->baseline],
                r->options.baseline ? "" : " (the first arm; --baseline names another)");
    if (d->columns) text_format(&words, "Read as one run a line: %s.\n", d->columns);
    text_format(out, "\n");
    wrapped(words.at, out);
    text_clear(&words);
    arm_lines(r, out);
    text_format(&words, "%s%% t interval", conf);
    text_format(out, "\n  %-*s %12s  %-*s %6s %6s  %s\n", NAME_WIDTH, "", "delta", INTERVAL_WIDTH, words.at, "p_adj",
                "floor", "verdict");
    for (int i = 0; i < r->family.count; i++) line(r, &r->family.at[i], out);
    text_clear(&words);
    compare_notes(r, &words);
    text_format(out, "\n");
    wrapped(words.at, out);
    text_release(&words);
}
