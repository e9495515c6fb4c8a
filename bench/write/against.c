#include "bench/write/against.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/write/compare.h"
#include "bench/write/stat_json.h"

enum { NAME = 20, COLUMN = 10 };

static const char *side(const Against *r) {
    return r->options.higher ? "above" : "below";
}

static void cell(Text *out, const char *text) {
    text_add(out, " ", 1);
    show_column(out, text, -COLUMN);
}

static void number_cell(Text *out, double x, double uncertainty) {
    char number[48];
    cell(out, compare_number(number, x, uncertainty, false));
}

static void p_cell(Text *out, double p) {
    char number[SHOWN];
    cell(out, show_p(number, p));
}

static void heading(const Against *r, Text *out) {
    static const char *const columns[] = {"runs", "mean", "sd", "p flips", "p_Holm", "p t", "p sigma"};
    text_add(out, "  ", 2);
    show_column(out, "", NAME);
    for (size_t i = 0; i < sizeof columns / sizeof *columns - isnan(r->options.sigma); i++) cell(out, columns[i]);
    text_format(out, "\n");
}

static void arm_line(const Against *r, int i, Text *out) {
    const AgainstArm *a = &r->arm[i];
    char runs[24];
    double sd = a->runs > 1 ? a->t.sd : (double)NAN;
    snprintf(runs, sizeof runs, "%d", a->runs);
    text_add(out, "  ", 2);
    show_column(out, r->data->arm[i], NAME);
    cell(out, runs);
    number_cell(out, r->options.number + a->t.mean, sd / sqrt(a->runs));
    number_cell(out, sd, sd);
    p_cell(out, a->flip.p), p_cell(out, a->holm), p_cell(out, a->t_p);
    if (!isnan(r->options.sigma)) p_cell(out, a->z_p);
    text_format(out, "\n    %s%s %s\n", a->shown ? "" : "not shown to be ", side(r),
                format_real((char[40]){0}, r->options.number));
}

static void notes(const Against *r, Text *out) {
    char number[40];
    Text said;
    int most = 0, lost = 0;
    for (int i = 0; i < r->data->arms; i++) {
        lost += r->arm[i].diverged;
        if (r->arm[i].runs > most) most = r->arm[i].runs;
    }
    text_init(&said);
    text_format(&said,
                "One-sided: is an arm's mean %s %s? p flips: if runs scatter evenly around the number, the sign of "
                "each value less the number is a fair coin; %s, and n runs give 1/2^n at least. p_Holm: adjusted over "
                "the arms; it decides, at %s. p t: Student's.",
                side(r), format_real(number, r->options.number),
                most <= ST_FLIP_MAX ? "all signs are counted" : "signs are drawn at random beyond 20 runs",
                format_real((char[40]){0}, round(1e8 * (1 - r->options.conf)) / 1e8));
    if (!isnan(r->options.sigma))
        text_format(&said, " p sigma: by the normal distribution, a run's standard deviation taken to be %s.",
                    format_real(number, r->options.sigma));
    if (lost)
        text_format(&said, " Diverged: %d, counted as %s.", lost, format_real(number, r->options.cap));
    text_format(out, "\n");
    compare_paragraphs(said.at, out);
    text_release(&said);
}

void against_text(const Against *r, Text *out) {
    heading(r, out);
    for (int i = 0; i < r->data->arms; i++) arm_line(r, i, out);
    notes(r, out);
}

static json_t *arm_json(const Against *r, int i) {
    const AgainstArm *a = &r->arm[i];
    json_t *o = json_object();
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"mean", r->options.number + a->t.mean},
                   {"sd", a->runs > 1 ? a->t.sd : (double)NAN},
                   {"p_flips", a->flip.p},
                   {"p_min", a->flip.p_min},
                   {"p_holm", a->holm},
                   {"t", a->t.t},
                   {"p_t", a->t_p},
                   {"z", a->z},
                   {"p_sigma", a->z_p}};
    json_object_set_new(o, "arm", json_string(r->data->arm[i]));
    json_object_set_new(o, "runs", json_integer(a->runs));
    json_object_set_new(o, "diverged", json_integer(a->diverged));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        double value = numbers[k].value;
        json_object_set_new(o, numbers[k].key, isnan(value) ? json_null() : json_number_of(value));
    }
    json_object_set_new(o, "exact", json_boolean(a->flip.exact));
    json_object_set_new(o, "shown", json_boolean(a->shown));
    return o;
}

void against_json(const Against *r, Text *out) {
    json_t *o = json_object(), *arms = json_array();
    json_object_set_new(o, "schema", json_integer(COMPARE_SCHEMA));
    json_put_made_by(o);
    json_object_set_new(o, "against", json_number_of(r->options.number));
    json_object_set_new(o, "better", json_string(r->options.higher ? "higher" : "lower"));
    json_object_set_new(o, "conf", json_number_of(r->options.conf));
    json_object_set_new(o, "sigma", isnan(r->options.sigma) ? json_null() : json_number_of(r->options.sigma));
    for (int i = 0; i < r->data->arms; i++) json_array_append_new(arms, arm_json(r, i));
    json_object_set_new(o, "arms", arms);
    compare_dump(o, out);
}
