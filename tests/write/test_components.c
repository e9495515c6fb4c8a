/* Components of variance of made-up runs, worked out by hand. */
#include "bench/verdict/components.h"
#include "tests/verdict/made_up.h"

#define HEAD \
    "name: made-up-components\ntitle: Made-up draws\nbaseline: pre\nsteps: 150\nevaluate_at: 0,150\n" \
    "dropout: 0.1\nseeds: 5\nsummaries: [components]\n"
#define ARMS "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN}}\n"
#define ALL "init_seed: [0, 9]\norder_seed: [0, 9]\ndropout_seed: [9, 0]\n"

static Components c;

MADE_UP_SUMMARY(components, text)
MADE_UP_SUMMARY(components, tex)

/* Five seeds move the loss by -2 … 2, whose variance is 2.5: starting weights by 0.03 times that, batches by 0.02,
 * dropout by 0.01. The orders leave start and batches uncorrelated. */
static const double start[5] = {-2, -1, 0, 1, 2}, batches[5] = {1, -2, 0, 2, -1}, masks[5] = {0, 1, -2, -1, 2};

static void make(const char *yaml) {
    components_release(&c);
    made_up_init(yaml, NULL);
    for (int cell = 0; cell < experiment_cells(&m.x); cell++)
        for (int arm = 0; arm < m.x.arms; arm++)
            for (int seed = 0; seed < m.x.seeds; seed++) {
                RunRecord *r = made_up_at(cell, arm, seed);
                const RunSpec *s = &r->spec;
                double loss = 2.5;
                if (!s->init_seed) loss += .03 * start[seed];
                if (!s->order_seed) loss += .02 * batches[seed];
                if (!s->dropout_seed) loss += .01 * masks[seed];
                made_up_loss(r, 150, loss);
            }
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(components_make(&c, &m.table.sample));
}

static const ComponentRow *row(int arm, unsigned varies) {
    for (int i = 0; i < c.at[arm].rows; i++)
        if (c.at[arm].row[i].varies == varies) return &c.at[arm].row[i];
    cr_assert_fail("no such row");
    return NULL;
}

/* chi-square with 4 degrees of freedom: quantiles .025 and .975 are 0.484 and 11.143 (tables). */
Test(components, each_source_has_its_spread) {
    make(HEAD ALL ARMS);
    cr_assert(c.groups == 1 && c.arms == 2 && c.streams == 3 && c.at[0].rows == 8);
    double sd = sqrt(2.5);
    cr_expect_float_eq(row(0, 1)->sd.sd, .03 * sd, 1e-12);
    cr_expect_float_eq(row(0, 2)->sd.sd, .02 * sd, 1e-12);
    cr_expect_float_eq(row(1, 4)->sd.sd, .01 * sd, 1e-12);
    cr_expect_float_eq(row(0, 1)->sd.lo, .03 * sd * sqrt(4 / 11.143), 1e-5);
    cr_expect_float_eq(row(0, 1)->sd.hi, .03 * sd * sqrt(4 / 0.4844), 1e-4);
    cr_expect_float_eq(c.at[0].sum.sd, sd * sqrt(.0014), 1e-12);
    cr_expect_float_eq(c.at[0].sum.df, 4 * .0014 * .0014 / (.0009 * .0009 + .0004 * .0004 + .0001 * .0001), 1e-9);
    cr_expect_float_eq(component_share(&c.at[0], row(0, 1)), 9 / 14., 1e-12);
    cr_expect(isnan(component_share(&c.at[0], row(0, 7))) && isnan(component_share(&c.at[0], row(0, 3))));
    cr_expect_float_eq(row(0, 3)->sd.sd, sd * sqrt(.0009 + .0004), 1e-12, "uncorrelated by their making");
    cr_expect(row(0, 0)->sd.status == ST_OK && row(0, 0)->sd.sd == 0 && row(0, 0)->sd.hi == 0);
    cr_expect(c.at[0].row[0].varies == 1 && c.at[0].row[3].all && !c.at[0].row[7].varies, "in this order");
}

Test(components, are_written_whole) {
    make(HEAD ALL "layers: [2, 4]\n" ARMS);
    cr_assert(c.groups == 2 && !strcmp(c.group[1], "layers = 4"));
    WRITES(table_text, "\nComponents of variance\n");
    WRITES(components_tex, "{Pre-LN, layers = 4}} \\\\");
    WRITES(table_json, "\"share_of_sum\"");
}

/* Where nothing follows the seed, all seeds are one run: there is nothing to test. */
Test(components, one_run_is_no_sample) {
    make(HEAD ALL ARMS);
    int tested = 0;
    for (int i = 0; i < m.table.family.count; i++) {
        const Comparison *one = &m.table.family.at[i];
        const RunSpec *s = table_spec(&m.table, one->what.cell, 0);
        bool fixed = s->init_seed && s->order_seed && s->dropout_seed;
        cr_expect_eq(one->status == ST_N_TOO_SMALL, fixed, "cell %d", one->what.cell);
        tested += !fixed;
    }
    cr_expect_eq(tested, 7);
}

Test(components, two_streams_are_enough) {
    make(HEAD "init_seed: [0, 9]\norder_seed: [9, 0]\ndropout_seed: 4\n" ARMS);
    cr_assert(c.streams == 2 && c.at[0].rows == 4 && row(0, 3)->all);
    WRITES(components_text, "all 2 together");
}

Test(components, a_diverged_run_is_said) {
    made_up_init(HEAD ALL ARMS, NULL);
    made_up_diverge(made_up_at(0, 1, 2), 40);
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(components_make(&c, &m.table.sample));
    WRITES(components_text, "together");
    WRITES(table_json, "\"diverged\": 1");
}

Test(components, none_without_being_asked) {
    made_up(made_up_four, "quick", (TableOptions){0});
    cr_expect_not(components_make(&c, &m.table.sample));
    OMITS(components_tex, "a");
    OMITS(table_json, "\"components\"");
}
