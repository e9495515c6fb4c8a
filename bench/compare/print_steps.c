#include "bench/compare/print_steps.h"

#include <stdio.h>

#include "bench/compare/print.h"
#include "bench/formats/json.h"
#include "bench/write/stat_json.h"

/* What is held to the target. */
static const char *loss_of(const TargetSteps *t) {
    return t->whole ? "whole validation" : "validation loss of the fixed slice";
}

void target_steps_text(const TargetSteps *t, const Experiment *x, Text *out) {
    char where[256], number[40];
    text_format(out, "\nSteps until the %s is first at or below %s\n", loss_of(t), format_real(number, t->target));
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
        json_object_set_new(steps, seed, d->diverged[at] ? json_null() : json_integer((json_int_t)d->value[at]));
    }
    json_put_text(o, "arm", d->arm[arm]);
    json_object_set_new(o, "steps", steps);
    return o;
}

void target_steps_json(const TargetSteps *t, const Experiment *x, Text *out) {
    json_t *o = json_object(), *cells = json_array();
    char where[256];
    json_put(o, "target", t->target);
    json_put_text(o, "loss", loss_of(t));
    for (int cell = 0; cell < t->cells; cell++) {
        json_t *one = json_object(), *arms = json_array();
        for (int arm = 0; arm < t->data[cell].arms; arm++)
            json_array_append_new(arms, steps_json(&t->data[cell], arm));
        json_put_text(one, "factors", experiment_cell_text(where, x, cell));
        json_object_set_new(one, "steps", arms);
        json_object_set_new(one, "compare", compare_object(&t->of[cell]));
        json_array_append_new(cells, one);
    }
    json_object_set_new(o, "cells", cells);
    json_print(o, JSON_EXACT, out);
}
