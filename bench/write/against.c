#include "bench/write/against.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/cells.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/formats/terminal.h"
#include "bench/write/compare.h"
#include "bench/write/stat_json.h"

static const char *side(const Against *r) {
    return r->options.higher ? "above" : "below";
}

static void columns(const Against *r, Cells *c) {
    cells_column(c, "arm", 'l', "arm");
    cells_column(c, "runs", 'r', "runs");
    cells_column(c, "mean", 'r', "mean");
    cells_column(c, "sd", 'r', "SD");
    cells_column(c, "p_flips", 'r', "p flips");
    cells_column(c, "p_holm", 'r', "p_Holm");
    cells_column(c, "p_t", 'r', "p t");
    if (!isnan(r->options.sigma)) cells_column(c, "p_sigma", 'r', "p sigma");
    cells_column(c, "verdict", 'p', "verdict");
    static const char *const data[] = {"diverged", "p_min", "t", "z", "exact", "shown"};
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) cells_column(c, data[i], 'X', "");
}

static void row(const Against *r, int i, Cells *c) {
    const AgainstArm *a = &r->arm[i];
    double sd = a->runs > 1 ? a->t.sd : (double)NAN, mean = r->options.number + a->t.mean;
    char shown[48];
    cells_row(c);
    cell_text(c, r->data->arm[i]);
    cell_integer(c, a->runs);
    cell_shown(c, mean, show_with_error(shown, mean, sd / sqrt(a->runs), false));
    cell_shown(c, sd, show_with_error(shown, sd, sd, false));
    cell_p(c, a->flip.p), cell_p(c, a->holm), cell_p(c, a->t_p);
    if (!isnan(r->options.sigma)) cell_p(c, a->z_p);
    cell_format(c, "%s%s %s", a->shown ? "" : "not shown to be ", side(r), format_real(shown, r->options.number));
    cell_integer(c, a->diverged);
    cell_exact(c, a->flip.p_min), cell_exact(c, a->t.t), cell_exact(c, a->z);
    cell_integer(c, a->flip.exact), cell_integer(c, a->shown);
}

static void notes(const Against *r, Text *said) {
    char number[40];
    int most = 0, lost = 0;
    for (int i = 0; i < r->data->arms; i++) {
        lost += r->arm[i].diverged;
        if (r->arm[i].runs > most) most = r->arm[i].runs;
    }
    text_format(said,
                "One-sided: is an arm's mean %s %s? p flips: if runs scatter evenly around the number, the sign of "
                "each value less the number is a fair coin; %s, and n runs give 1/2^n at least. p_Holm: adjusted over "
                "the arms; it decides, at %s. p t: Student's.",
                side(r), format_real(number, r->options.number),
                most <= ST_FLIP_MAX ? "all signs are counted" : "signs are drawn at random beyond 20 runs",
                format_real((char[40]){0}, round(1e8 * (1 - r->options.conf)) / 1e8));
    if (!isnan(r->options.sigma))
        text_format(said, " p sigma: by the normal distribution, a run's standard deviation taken to be %s.",
                    format_real(number, r->options.sigma));
    if (lost) text_format(said, " Diverged: %d, counted as %s.", lost, format_real(number, r->options.cap));
}

static void fill(const Against *r, Cells *c) {
    cells_init(c, "against", "");
    columns(r, c);
    for (int i = 0; i < r->data->arms; i++) row(r, i, c);
    notes(r, &c->notes);
}

void against_text(const Against *r, Text *out) {
    Cells c;
    fill(r, &c);
    cells_text(&c, terminal_width(), out);
    cells_release(&c);
}

void against_json(const Against *r, Text *out) {
    json_t *o = json_object();
    Cells c;
    fill(r, &c);
    json_object_set_new(o, "schema", json_integer(COMPARE_SCHEMA));
    json_put_made_by(o);
    json_object_set_new(o, "against", json_number_of(r->options.number));
    json_object_set_new(o, "better", json_string(r->options.higher ? "higher" : "lower"));
    json_object_set_new(o, "conf", json_number_of(r->options.conf));
    json_object_set_new(o, "sigma", isnan(r->options.sigma) ? json_null() : json_number_of(r->options.sigma));
    json_object_set_new(o, "arms", cells_json(&c));
    json_print(o, JSON_EXACT, out);
    cells_release(&c);
}
