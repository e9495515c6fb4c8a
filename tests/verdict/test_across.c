/* Whether a difference holds at other sizes, of made-up runs worked out by hand. */
#include "bench/verdict/across.h"
#include "tests/verdict/made_up.h"

#define HEAD \
    "name: made-up-sizes\ntitle: Made-up sizes\nsteps: 150\nlayers: 4\nevaluate_at: 0,150\nseeds: 6\n" \
    "width: [32, 64]\narms: {pre: {variant: pre, label: Pre-LN}, peri: {variant: peri, label: Peri-LN}}\n"
enum { SEEDS = 6, PRE = 0, PERI = 1 };

MADE_UP_SUMMARY(across, text)

/* Peri-LN minus Pre-LN is effect[width] + .001 (seed - 2.5) at the first width and effect[1] at the second. */
static void make(const char *yaml, double first, double second) {
    made_up_init(yaml, NULL);
    for (int seed = 0; seed < SEEDS; seed++)
        for (int width = 0; width < 2; width++) {
            double base = 2.5 + .01 * seed - .1 * width, more = width ? second : first + .001 * (seed - 2.5);
            made_up_loss(made_up_at(width, PRE, seed), 150, base);
            made_up_loss(made_up_at(width, PERI, seed), 150, base + more);
        }
    OK(made_up_table((TableOptions){0}, &e));
}

static void says(const char *what) {
    OWNED char *text = made_up_write(across_text);
    made_up_unbroken(text);
    cr_expect(strstr(text, what), "not '%s' in: %s", what, text);
}

Test(across, the_change_is_that_of_the_paired_differences) {
    const Compared pair = {PERI, PRE};
    LOCAL(across_release) Across a;
    make(HEAD, .1, .3);
    cr_assert(across_make(&a, &m.table.sample, m.table.metric, &pair, 1) && a.changes.count == 1);
    const Comparison *c = &a.changes.at[0];
    cr_expect_float_eq(c->t.mean, .2, 1e-12); /* .3 - .1, the seeds' .001 (seed - 2.5) cancel in the mean */
    cr_expect_float_eq(c->t.sd, .001 * sqrt(3.5), 1e-9, "of -2.5 to 2.5 thousandths, divisor 5: 17.5 / 5");
    cr_expect_float_eq(c->flip.p, 2. / 64, 1e-12, "all six differences have one sign");
    cr_expect_eq(c->decision, DECISION_HIGHER);
    says("Peri-LN - Pre-LN");
    says("width = 64 minus 32 +0.2");
    says("differs by +0.2 at width = 64, with the same sign at both");
}

Test(across, what_holds_at_both) {
    make(HEAD, .1, .1);
    says("holds at both");
}

Test(across, what_is_shown_at_one_alone) {
    made_up_init(HEAD, NULL);
    for (int seed = 0; seed < SEEDS; seed++) /* +.1 at the first width; -.3 to +.5 at the other, .1 in the mean */
        for (int width = 0; width < 2; width++) {
            made_up_loss(made_up_at(width, PRE, seed), 150, 2.5);
            made_up_loss(made_up_at(width, PERI, seed), 150,
                         2.6 + .001 * seed * !width + (width ? (seed % 2 ? .4 : -.4) : 0));
        }
    OK(made_up_table((TableOptions){0}, &e));
    says("shown at 1 of 2 alone, and no change is shown");
}

Test(across, nothing_is_written_unasked) {
    const Compared pair = {PERI, PRE};
    Across a;
    make(HEAD "summaries: []\n", .1, .1);
    cr_expect_not(across_make(&a, &m.table.sample, m.table.metric, &pair, 1));
    OWNED char *text = made_up_write(across_text);
    cr_expect_str_eq(text, "");
}
