/* compare on the terminal: the arms, one line per comparison, then what must be said beside it. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/latex.h"
#include "bench/run/provenance.h"
#include "bench/write/compare.h"

enum { NAME_WIDTH = 20, INTERVAL_WIDTH = 23, PAGE_WIDTH = 98 };

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
    bool apart = r->data->unpaired, exact = apart ? r->family.joint.exact : r->n <= ST_FLIP_MAX;
    text_format(out, r->n == r->data->seeds ? "n%d" : "n%d-%d", r->n, r->data->seeds);
    text_format(out, "|pair:%s|est:mean-d|ci:%s%s|p:%s-%s|adj:%s(m%d)|div:", apart ? "none" : "seed",
                apart ? "welch" : "t", format_real(number, round(1e8 * o->conf) / 1e6), apart ? "relabel" : "signflip",
                exact ? "exact" : "mc", apart ? "holm" : "maxT-sd", r->family.count);
    if (r->data->lost)
        text_format(out, "cap-%s", format_real(number, o->cap));
    else
        text_format(out, "none");
    if (r->data->steps) text_format(out, "|target:%s", format_real(number, r->data->target));
    if (o->looks) text_format(out, "|look:%d/%d", r->this_look + 1, o->looks);
    text_format(out, "|better:%s|data:%.8s|v%s", o->higher ? "higher" : "lower", r->data->hash, NORMBENCH_VERSION);
}

static int shown_width(const char *s) {
    int characters = INT_MAX;
    (void)show_bytes(s, &characters);
    return characters;
}

static void bounds(double lo, double hi, double error, Text *out, bool latex) {
    char number[48];
    text_format(out, "[");
    for (int side = 0; side < 2; side++) {
        compare_number(number, side ? hi : lo, error, false);
        if (side) text_format(out, ", ");
        if (latex)
            latex_number(out, number);
        else
            text_format(out, "%s", number);
    }
    text_format(out, "]");
}

void compare_interval(const CompareResult *r, const Comparison *c, Text *out, bool latex) {
    if (!c->t_decides)
        text_format(out, "withheld (%s)", compare_lost(r)->did);
    else if (c->t.status != ST_OK)
        text_format(out, "n/a (%s)", st_status_text(c->t.status));
    else
        bounds(c->t.lo, c->t.hi, c->t.se, out, latex);
}

void compare_flip_interval(const CompareResult *r, const Comparison *c, Text *out, bool latex) {
    const Family *f = &r->family;
    if (!c->t_decides)
        text_format(out, "withheld (%s)", compare_lost(r)->did);
    else if (f->no_interval)
        text_format(out, "n/a (too many)");
    else if (c->together.status == ST_NOT_REACHABLE)
        text_format(out, "unbounded");
    else if (c->together.status != ST_OK)
        text_format(out, "n/a (%s)", st_status_text(c->together.status));
    else
        bounds(c->together.lo, c->together.hi, c->t.status == ST_OK ? c->t.se : (double)NAN, out, latex);
}

static void line(const CompareResult *r, const Comparison *c, Text *out) {
    const char *name = compare_arm_name(r, c);
    char number[48], p[SHOWN], ranks[SHOWN];
    Text range, flips, words;
    text_init(&range);
    text_init(&flips);
    text_init(&words);
    compare_interval(r, c, &range, false);
    compare_flip_interval(r, c, &flips, false);
    compare_words(r, c, c->decision, &words);
    text_format(out, "  ");
    if (shown_width(name) > NAME_WIDTH) {
        text_format(out, "%s\n  ", name);
        name = "";
    }
    show_column(out, name, NAME_WIDTH);
    text_format(out, " %11s  %-*s  %-*s %6s %6s\n    %s\n", compare_number(number, c->t.mean, c->t.se, true),
                INTERVAL_WIDTH, range.at, INTERVAL_WIDTH, flips.at, show_p(p, c->joint.step),
                show_p(ranks, c->joint_ranks), words.at);
    text_release(&range);
    text_release(&flips);
    text_release(&words);
}

static const char *step_text(char out[48], double step) {
    if (isinf(step)) return "never";
    snprintf(out, 48, "%.10g", step);
    return out;
}

static void steps(const CompareArm *a, Text *out) {
    char median[48], least[48], most[48];
    text_format(out, " %11s  %s", step_text(median, a->median), step_text(least, a->least));
    if (a->most != a->least) text_format(out, " to %s", step_text(most, a->most));
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
    if (r->data->steps)
        steps(a, out);
    else
        text_format(out, " %11s  %s", compare_number(mean, a->mean, a->sd, false),
                    compare_number(sd, a->sd, a->sd, false));
    if (r->data->unpaired) text_format(out, "   %d run%s", (int)a->rate.n, a->rate.n == 1 ? "" : "s");
    if (a->rate.k) text_format(out, "   %d of %d %s", (int)a->rate.k, (int)a->rate.n, compare_lost(r)->did);
    if (a->stalled.k > a->rate.k)
        text_format(out, "   %d of %d stalled", (int)(a->stalled.k - a->rate.k), (int)a->rate.n);
    text_format(out, "\n");
}

static void arm_lines(const CompareResult *r, Text *out) {
    text_format(out, "\n  %-*s %11s  ", NAME_WIDTH, "", r->data->steps ? "median step" : "mean");
    text_format(out, r->data->steps ? "range over %s\n" : "sd over %s\n", r->data->unpaired ? "runs" : "seeds");
    arm_line(r, r->baseline, out);
    for (int arm = 0; arm < r->data->arms; arm++)
        if (arm != r->baseline) arm_line(r, arm, out);
}

void compare_wrapped(const char *text, Text *out) {
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
    Text words, flips;
    text_init(&words);
    text_init(&flips);
    format_real(conf, round(1e8 * r->options.conf) / 1e6);
    compare_signature(r, out);
    compare_counts(r, &words);
    text_format(&words, ", %d arms", d->arms);
    if (d->blocks) text_format(&words, ", %d block%s", d->blocks, d->blocks == 1 ? "" : "s");
    text_format(&words, "; %s %s better; baseline: %s%s. delta = %s.\n",
                d->steps            ? "fewer steps"
                : r->options.higher ? "higher"
                                    : "lower",
                d->steps ? "are" : "is", d->arm[r->baseline],
                r->options.baseline ? "" : " (the first arm; --baseline names another)",
                d->unpaired ? "mean of the arm - mean of the baseline, unpaired" : "arm - baseline, mean over seeds");
    if (d->steps)
        text_format(&words, "Values are steps: the first at which a run's value is at %s %s.\n",
                    d->rising ? "least" : "most", format_real((char[40]){0}, d->target));
    if (d->columns) text_format(&words, "Read as %s.\n", d->columns);
    text_format(out, "\n");
    compare_wrapped(words.at, out);
    text_clear(&words);
    arm_lines(r, out);
    text_format(&words, "%s%% %s", conf, compare_vocabulary(r)->t);
    text_format(&flips, "%s%% %s", format_real(conf, round(1e8 * (1 - r->family.alpha)) / 1e6),
                compare_vocabulary(r)->flips);
    text_format(out, "\n  %-*s %11s  %-*s  %-*s %6s %6s\n", NAME_WIDTH, "", "delta", INTERVAL_WIDTH, words.at,
                INTERVAL_WIDTH, flips.at, "p_adj", "p_rank");
    for (int i = 0; i < r->family.count; i++) line(r, &r->family.at[i], out);
    text_clear(&words);
    compare_notes(r, &words);
    text_format(out, "\n");
    compare_wrapped(words.at, out);
    text_release(&flips);
    text_release(&words);
}
