#include "bench/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/compare/print.h"
#include "bench/compare/rows.h"
#include "bench/formats/json.h"
#include "bench/write/stat_json.h"

static const RunRecord *record_of(const Sample *s, int cell, int arm, int seed) {
    return sample_run(s, cell, 0, arm, seed)->record;
}

static bool has_curve(const RunRecord *r) {
    for (int row = 0; row < r->curves.rows; row++)
        if (isfinite(curve_at(&r->curves, row, CURVE_valid_loss))) return true;
    return false;
}

static bool all_have_curves(const Sample *s) {
    for (int cell = 0; cell < s->cells; cell++)
        for (int arm = 0; arm < s->arms; arm++)
            for (int seed = 0; seed < s->seeds; seed++)
                if (!has_curve(record_of(s, cell, arm, seed))) return false;
    return true;
}

static void add(CompareRows *rows, CompareRow row, double step, double value) {
    row.block = (int64_t)step, row.value = value;
    compare_row_add(rows, row);
}

/* Every measured point; a run that diverged ends with one that reaches nothing. */
static void add_run(CompareRows *rows, const RunRecord *r, int arm, bool whole) {
    CompareRow row = {.arm = arm, .seed = (int64_t)r->spec.seed, .at = -1};
    double last = -1;
    for (int i = 0; i < r->evaluations && whole; i++)
        add(rows, row, last = r->evaluation[i].step, r->evaluation[i].metric[METRIC_valid_loss]);
    for (int i = 0; i < r->curves.rows && !whole; i++) {
        double value = curve_at(&r->curves, i, CURVE_valid_loss);
        if (isfinite(value)) add(rows, row, last = curve_at(&r->curves, i, CURVE_step), value);
    }
    double end = r->diverged_step > last ? r->diverged_step : last + 1;
    if (r->diverged_step >= 0 || last < 0) add(rows, row, end, (double)NAN);
}

static Rc make_cell(TargetSteps *t, const Sample *s, int cell, int threads, Error *e) {
    CompareRows rows = {.file = s->x->name, .columns = {.steps = true, .target = t->target}, .blocks = true};
    CompareOptions options = {.baseline = s->x->baseline, .margin = (double)NAN, .conf = 1 - s->x->alpha,
                              .cap = (double)NAN, .stall = (double)NAN};
    Rc rc = RC_OK;
    for (int arm = 0; arm < s->arms && !rc; arm++) {
        int at;
        rc = compare_arm(&rows, s->x->name, s->x->arm[arm].name, &at, e);
        for (int seed = 0; seed < s->seeds && !rc; seed++)
            add_run(&rows, record_of(s, cell, arm, seed), at, t->whole);
    }
    if (!rc) rc = compare_gather(&t->data[cell], &rows, e);
    if (!rc) rc = compare_make(&t->of[cell], &t->data[cell], &options, threads, e);
    compare_rows_release(&rows);
    return rc;
}

Rc target_steps_make(TargetSteps *t, const Sample *s, double target, int threads, Error *e) {
    *t = (TargetSteps){.target = target, .whole = !all_have_curves(s), .cells = s->cells};
    t->data = mem_alloc((size_t)s->cells, sizeof *t->data);
    t->of = mem_alloc((size_t)s->cells, sizeof *t->of);
    for (int cell = 0; cell < s->cells; cell++)
        if (make_cell(t, s, cell, threads, e)) {
            target_steps_release(t);
            return error_prefix(e, "--target: ");
        }
    return RC_OK;
}

void target_steps_release(TargetSteps *t) {
    for (int cell = 0; cell < t->cells; cell++) {
        compare_release(&t->of[cell]);
        compare_data_release(&t->data[cell]);
    }
    free(t->of);
    free(t->data);
    *t = (TargetSteps){0};
}

/* What is held to the target. */
static const char *loss_of(const TargetSteps *t) {
    return t->whole ? "whole validation" : "validation loss of the fixed slice";
}

void target_steps_text(const TargetSteps *t, const Experiment *x, Text *out) {
    char where[256];
    text_format(out, "\nSteps until the %s is first at or below %s\n", loss_of(t), FORMAT_REAL(t->target));
    for (int cell = 0; cell < t->cells; cell++) {
        if (experiment_cell_text(where, x, cell)[0]) text_format(out, "\n%s\n", where);
        compare_text(&t->of[cell], out);
    }
}

/* Of an arm, seed by seed; null: never. */
static json_t *steps_json(const CompareData *d, int arm) {
    json_t *o = json_object(), *steps = json_object();
    for (int s = 0; s < d->seeds; s++) {
        char seed[24];
        int at = arm * d->seeds + s;
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)d->seed[at]);
        json_add(steps, seed, d->diverged[at] ? json_null() : json_integer((json_int_t)d->value[at]));
    }
    return json_add(o, "arm", d->arm[arm], "steps", steps);
}

void target_steps_json(const TargetSteps *t, const Experiment *x, Text *out) {
    json_t *o = json_object(), *cells = json_array();
    json_add(o, "target", t->target, "loss", loss_of(t));
    for (int cell = 0; cell < t->cells; cell++) {
        json_t *one = json_object(), *arms = json_array();
        for (int arm = 0; arm < t->data[cell].arms; arm++)
            json_array_append_new(arms, steps_json(&t->data[cell], arm));
        json_add(one, "factors", CELL_WHERE(x, cell), "steps", arms, "compare", compare_object(&t->of[cell]));
        json_array_append_new(cells, one);
    }
    json_add(o, "cells", cells);
    json_print(o, JSON_EXACT, out);
}
