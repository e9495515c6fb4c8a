/* compare --at every: shared steps, joint bands, the step from which on an arm differs. */
#include "bench/compare/curves.h"
#include "tests/test.h"

typedef struct {
    Logs logs;
    Pick pick;
    CompareCorpora data;
    CompareCurves curves;
} Case;

static const CompareOptions usual = {.conf = .95, .margin = NAN, .cap = NAN, .stall = NAN};

/* Arm b's loss less arm a's at steps 0, 10, 20, 30 with seeds 1 to 6: 0, up and down, then 1 to 6 tenths. */
static double value(int arm, int seed, int step) {
    static const double turn[] = {-1, 20, -1, 1, -20, 1};
    double base = 5 - step * .1 + seed * .01;
    if (!arm || !step) return base;
    return step == 10 ? base + turn[seed - 1] : base + seed * .1;
}

static Rc compared(Case *c, bool unpaired, const CompareOptions *options) {
    logs_settle(&c->logs);
    PickQuery q = {.metric = "loss", .at = PICK_EVERY, .curves = true, .unpaired = unpaired};
    e = (Error){0};
    OK(pick_make(&c->pick, &c->logs, &q, &e));
    OK(compare_logs(&c->data, &c->pick, (CompareColumns){.unpaired = unpaired}, false, &e));
    return compare_curves_make(&c->curves, &c->data, &c->pick, options, &e);
}

/* stop: the last step of run (0, 1); lost: b's seed 3 diverges at step 20. */
static Rc make(Case *c, int stop, bool lost, const CompareOptions *options) {
    *c = (Case){0};
    for (int arm = 0; arm < 2; arm++)
        for (int seed = 1; seed <= 6; seed++) {
            char path[40];
            snprintf(path, sizeof path, "%c_s%d", "ab"[arm], seed);
            Log *log = logs_add(&c->logs, 0, path, "", NULL);
            for (int step = 0; step <= 30; step += 10)
                if (arm || seed > 1 || step <= stop)
                    log_point(log, "loss", step, lost && arm && seed == 3 && step == 20 ? NAN : value(arm, seed, step));
            if (!arm && seed == 1) log_point(log, "loss", 25, 1); /* which no other has */
        }
    return compared(c, false, options);
}

static void release(Case *c) {
    compare_curves_release(&c->curves);
    compare_corpora_release(&c->data);
    pick_release(&c->pick);
    logs_release(&c->logs);
}

/* Nine runs of the baseline, two of the other arm: two are what a p can be made of. */
Test(compare_curves, unpaired_the_smallest_arm_counts) {
    Case c = {0};
    for (int run = 0; run < 11; run++) {
        Log *log = logs_add(&c.logs, 0, SHOW_TEXT("%c_s%d", "ab"[run > 8], run), "", NULL);
        for (int step = 0; step <= 20; step += 10) log_point(log, "loss", step, 3 + run * .1 + step * .01);
    }
    OK(compared(&c, true, &usual));
    cr_expect_eq(c.curves.family.n, 2);
    release(&c);
}

Test(compare_curves, steps_bands_and_where_they_part) {
    Case c;
    OK(make(&c, 30, false, &usual));
    cr_expect(c.curves.steps == 4 && c.curves.shared == 4 && c.curves.step[3] == 30);
    const Comparison *first = compare_curves_at(&c.curves, 0, 0), *turn = compare_curves_at(&c.curves, 0, 1);
    const Comparison *last = compare_curves_at(&c.curves, 0, 3);
    cr_expect_eq(first->t.mean, 0, "the same start");
    cr_expect_float_eq(turn->t.mean, 0, 1e-12);
    cr_expect_float_eq(last->t.mean, .35, 1e-12, "tenths of 1 to 6");
    cr_expect_float_eq(last->joint.step, 2 / 64., 1e-12,
                       "all six are above 0: 2 of 64 signs, and the other steps no more");
    cr_expect(last->decision == DECISION_HIGHER && turn->decision == DECISION_INCONCLUSIVE);
    cr_expect(last->together.lo > 0 && last->together.lo < .1 + 1e-9 && last->together.hi > .6 - 1e-9,
              "[%g, %g]: a joint band of 6 seeds reaches from the least to the most", last->together.lo,
              last->together.hi);
    cr_expect(turn->together.lo < 0 && turn->together.hi > 0);
    cr_expect_eq(compare_curves_from(&c.curves, 0), 2, "from step 20 on");
    cr_expect_eq(compare_curves_exit(&c.curves), RC_REGRESSION, "higher is worse");
    cr_expect_float_eq(c.curves.mean[3], 2.035, 1e-12, "a's mean at step 30");
    release(&c);
    CompareOptions higher = usual;
    higher.higher = true;
    cr_assert_eq(make(&c, 30, false, &higher), RC_OK);
    cr_expect_eq(compare_curves_exit(&c.curves), RC_OK);
    release(&c);
}

Test(compare_curves, a_run_that_stops_early_ends_the_curve) {
    LOCAL(release) Case c;
    OK(make(&c, 10, false, &usual));
    cr_expect(c.curves.steps == 2 && c.curves.step[1] == 10, "%d steps", c.curves.steps);
    cr_expect_eq(compare_curves_from(&c.curves, 0), -1);
    cr_expect_eq(compare_curves_exit(&c.curves), RC_INCONCLUSIVE);
}

Test(compare_curves, a_run_that_diverged_and_stopped_ends_no_curve) {
    LOCAL(release) Case c = {0};
    CompareOptions capped = usual;
    capped.cap = 9;
    for (int run = 0; run < 12; run++) {
        char path[40];
        bool lost = run == 0; /* the first of all, which gave the steps */
        snprintf(path, sizeof path, "%c_s%d", "ab"[run / 6], run % 6 + 1);
        Log *log = logs_add(&c.logs, 0, path, "", NULL);
        for (int step = 0; step <= (lost ? 10 : 30); step += 10)
            log_point(log, "loss", step, lost && step ? NAN : value(run / 6, run % 6 + 1, step));
    }
    logs_settle(&c.logs);
    OK(pick_make(&c.pick, &c.logs, &(PickQuery){.metric = "loss", .at = PICK_EVERY, .curves = true}, &e));
    OK(compare_logs(&c.data, &c.pick, (CompareColumns){0}, false, &e));
    OK(compare_curves_make(&c.curves, &c.data, &c.pick, &capped, &e));
    cr_expect(c.curves.steps == 4 && c.curves.step[3] == 30, "%d steps", c.curves.steps);
    cr_expect(!compare_curves_at(&c.curves, 0, 3)->t_decides, "a run diverged there");
}

static void refused(int stop, bool lost, const CompareOptions *options, const char *part) {
    LOCAL(release) Case c;
    cr_expect_eq(make(&c, stop, lost, options), RC_USAGE, "%s", part);
    cr_expect(strstr(e.text, part), "'%s' does not say '%s'", e.text, part);
}

Test(compare_curves, what_cannot_be_compared) {
    CompareOptions other = usual;
    other.baseline = "c";
    refused(30, false, &other, "--baseline: there is no arm 'c'");
    refused(0, false, &usual, "runs share 1 step; two are needed");
    refused(30, true, &usual, "a run of arm 'b' diverged at step 20: --cap VALUE");
    other = usual, other.cap = 9;
    LOCAL(release) Case c;
    OK(make(&c, 30, true, &other));
    cr_expect(!compare_curves_at(&c.curves, 0, 2)->t_decides, "no interval with a diverged run");
    cr_expect(compare_curves_at(&c.curves, 0, 3)->t_decides);
}
