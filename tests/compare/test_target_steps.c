/* Steps to a target of made-up runs: first reached, never reached, and which loss is held to it. */
#include "bench/compare/compare.h"
#include "tests/verdict/made_up.h"

#define YAML \
    "name: made-up-target\ntitle: T\nbaseline: pre\nsteps: 150\nevaluate_at: 0,50,100,150\nseeds: 3\n" \
    "arms: {pre: {variant: pre}, post: {variant: post}}\n"

static TargetSteps t;

/* The curve falls from 5 by 1 at `fall`, and rises above 5 at the end. */
static void curve(RunRecord *r, double fall) {
    for (int row = 0; row < r->curves.rows; row++) {
        double *at = &r->curves.value[row * r->curves.columns];
        bool last = row + 1 == r->curves.rows;
        at[CURVE_valid_loss] = at[CURVE_step] >= fall && !last ? 4 : 5;
    }
}

static void make(void) {
    target_steps_release(&t);
    OK(made_up_table((TableOptions){0}, &e));
}

static double first_step(double from) {
    const Curves *c = &m.records[0].curves;
    for (int row = 0; row < c->rows; row++)
        if (curve_at(c, row, CURVE_step) >= from) return curve_at(c, row, CURVE_step);
    return (double)NAN;
}

Test(target_steps, the_first_step_and_never) {
    made_up_init(YAML, NULL);
    for (int seed = 0; seed < 3; seed++) {
        curve(made_up_at(0, 0, seed), 30 + 15 * seed);
        curve(made_up_at(0, 1, seed), seed == 1 ? 1e9 : 75);
    }
    make();
    OK(target_steps_make(&t, &m.table.sample, 4, 2, &e));
    const CompareData *d = &t.data[0];
    cr_assert(t.cells == 1 && !t.whole && d->steps && d->arms == 2 && d->seeds == 3);
    for (int seed = 0; seed < 3; seed++) cr_expect_eq(d->value[seed], first_step(30 + 15 * seed), "%d", seed);
    cr_expect(d->value[3] == first_step(75) && d->diverged[4] && d->value[5] == first_step(75));
    cr_expect_eq(t.of[0].arm[1].all.rate.k, 1, "counted, not dropped");
    cr_expect_eq(t.of[0].baseline, 0);
    LOCAL_TEXT(text);
    LOCAL_TEXT(json);
    target_steps_text(&t, &m.x, &text);
    target_steps_json(&t, &m.x, &json);
    cr_expect(strstr(text.at, "Steps until the validation loss of the fixed slice is first at or below 4\n"));
    cr_expect(strstr(text.at, "1 of 3\n"));
    cr_expect(strstr(json.at, "\"2\": null"));
}

/* One run without the curve: all are held to it by their whole validations. */
Test(target_steps, without_curves_whole_validations_count) {
    made_up_init(YAML, NULL);
    for (int i = 0; i < m.runs; i++) {
        made_up_loss(&m.records[i], 50, 4.5), made_up_loss(&m.records[i], 100, i < 3 ? 4 : 4.2);
        made_up_loss(&m.records[i], 150, 3.5);
    }
    for (int row = 0; row < m.records[0].curves.rows; row++)
        m.records[0].curves.value[row * m.records[0].curves.columns + CURVE_valid_loss] = (double)NAN;
    make();
    OK(target_steps_make(&t, &m.table.sample, 4, 1, &e));
    cr_expect(t.whole && t.data[0].value[0] == 100 && t.data[0].value[3] == 150);
}

/* Diverged at step 40: what it reached before counts, what it did not is never. */
Test(target_steps, a_diverged_run_never_arrives) {
    made_up_init(YAML, NULL);
    for (int i = 0; i < m.runs; i++) curve(&m.records[i], i == 3 ? 15 : 60);
    made_up_diverge(made_up_at(0, 1, 0), 40);
    made_up_diverge(made_up_at(0, 1, 1), 40);
    make();
    OK(target_steps_make(&t, &m.table.sample, 4, 1, &e));
    cr_expect(!t.data[0].diverged[3] && t.data[0].value[3] == first_step(15) && t.data[0].diverged[4]);
}

Test(target_steps, one_arm_is_nothing_to_compare) {
    made_up_init("name: made-up-one\nbaseline: pre\nsteps: 150\nseeds: 3\narms: {pre: {variant: pre}}\n", NULL);
    make();
    cr_expect_eq(target_steps_make(&t, &m.table.sample, 4, 1, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "--target: nothing to compare: 'pre' is the only arm");
    cr_expect(!t.of && !t.cells);
}
