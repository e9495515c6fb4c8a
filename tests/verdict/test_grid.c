/* Claims of one arm, of grids of learning rates, and of best rates, on numbers made by hand. */
#include "bench/runs/runs.h"
#include "bench/verdict/grid.h"
#include "bench/verdict/translations.h"
#include "bench/verdict/verdict.h"
#include "bench/write/stat_json.h"
#include "stats/choice.h"
#include "tests/verdict/made_up.h"

static void fini(void) {
}

TestSuite(grid, .fini = fini);

enum { RATES = 4, SEEDS = 6 };

/* The losses of a seed at 3e-4, 1e-3, 3e-3 and 1e-2, cells 2, 0, 1 and 3 of the first warm-up. */
static const int cell_of_rate[RATES] = {2, 0, 1, 3};

static void set(int arm, int seed, const double loss[RATES]) {
    for (int k = 0; k < RATES; k++) {
        RunRecord *r = made_up_at(cell_of_rate[k], arm, seed);
        made_up_loss(r, 0, 4);
        if (isinf(loss[k]))
            made_up_diverge(r, 3);
        else
            made_up_loss(r, 150, loss[k]);
    }
}

/* Claims whose tests are `tests`, on losses of our own; other cells keep what they have. */
static void judge(const char *tests) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "writeup: x\ntitle: t\nsource: s\nsetups: {any: {keys: {layers: 4}, choices: [one]}, none: {keys: {layers: 9}, "
        "choices: [one]}}\nclaims:\n- {id: x-1, source: s, says: t, setup: [none, any], family: f, at: [150], tests: "
        "[%s]}\n",
        tests);
    made_up_claims(text);
}

static void start(void) {
    made_up_init(made_up_rates, NULL);
}

/* First loss 4, ln V is above it. Losses 3.0 2.9 2.95 3.25: best 2.9 at 1e-3, within 0.1 of it the first three; the
 * mean over the grid is 3.025. Lost at 3e-3: stable up to 1e-3. Lost at once: one step of the grid below the
 * smallest. */
Test(grid, numbers_of_a_grid_by_hand) {
    const double inf = (double)INFINITY;
    start();
    for (int seed = 0; seed < SEEDS; seed++)
        for (int arm = 0; arm < 2; arm++) set(arm, seed, (const double[]){3.0, 2.9, 2.95, 3.25});
    set(1, 1, (const double[]){3.0, 2.9, inf, 3.0});
    set(1, 2, (const double[]){inf, 2.9, 3.1, 3.0});
    judge("{metric: failed, contrast: {post: 1}, against: 0, expects: higher, test: maxt}");
    const Sample *s = &m.table.sample;
    Term pre = {.arm = 0, .cell = 0}, post = {.arm = 1, .cell = 3};
    cr_expect_float_eq(grid_value(GRID_rate_basin, s, &pre, 0), log2(10), 1e-12);
    cr_expect_float_eq(grid_value(GRID_rate_sensitivity, s, &pre, 0), 0.125, 1e-12);
    cr_expect_float_eq(grid_value(GRID_rate_stable, s, &pre, 0), log2(1e-2), 1e-12);
    cr_expect_eq(grid_value(GRID_failed, s, &pre, 0), 0);
    cr_expect_float_eq(grid_value(GRID_rate_stable, s, &post, 1), log2(1e-3), 1e-12);
    cr_expect_eq(grid_value(GRID_failed, s, &post, 1), 1);
    cr_expect_float_eq(grid_value(GRID_rate_stable, s, &post, 2), log2(3e-4 * 0.3), 1e-12);
    int cell[EXPERIMENT_VALUES_MAX];
    cr_expect_eq(grid_cells(s->x, 3, cell), RATES);
    for (int k = 0; k < RATES; k++) cr_expect_eq(cell[k], cell_of_rate[k]);
    /* One verdict for each warm-up, none for each rate. */
    cr_expect_eq(m.table.verdicts.count, 2);
}

/* A single arm against a number: d is what it is above it, and the effect is told as it was measured. */
Test(grid, one_arm_against_a_number) {
    start();
    for (int seed = 0; seed < SEEDS; seed++) set(0, seed, (const double[]){3.0, 2.90 + 0.01 * seed, 2.95, 3.5});
    judge("{metric: valid_loss, contrast: {'pre@lr=1e-3,warmup=0': 1}, against: 3, expects: lower, test: maxt}, "
          "{metric: valid_loss, contrast: {'pre@lr=1e-3,warmup=0': 1}, against: 2.8, expects: lower, test: maxt}");
    const ClaimVerdict *v = m.table.verdicts.at;
    cr_assert_eq(m.table.verdicts.count, 2);
    cr_expect_float_eq(v[0].effect, 2.925, 1e-12);
    cr_expect_float_eq(v[0].c->t.mean, -0.075, 1e-12);
    cr_expect(v[0].lo > 2.9 && v[0].hi < 2.95);
    cr_expect_eq(v[0].p, 2. / 64);
    cr_expect_eq(v[0].seen, SEEN_yes);
    cr_expect_eq(v[1].seen, SEEN_no);
}

/* The p is that of swaps of whole grids, `against` added to the second arm's; values are those of the chosen rates. */
Test(grid, best_rates_are_tested_by_swaps) {
    double a[RATES * SEEDS], b[RATES * SEEDS];
    unsigned char lost[RATES * SEEDS] = {0};
    start();
    for (int seed = 0; seed < SEEDS; seed++) {
        double pre[RATES] = {3.0, 2.90 + 0.01 * seed, 2.93, 3.5},
               post[RATES] = {3.1, 2.97, 2.96 + 0.02 * (seed % 3), 3.6};
        set(0, seed, pre), set(1, seed, post);
        for (int k = 0; k < RATES; k++) a[k * SEEDS + seed] = pre[k], b[k * SEEDS + seed] = post[k] + 0.03;
    }
    judge("{metric: valid_loss, contrast: {'post@warmup=0,lr=best': -1, 'pre@warmup=0,lr=best': 1}, against: 0.03, "
          "expects: lower, test: choice}");
    StGrid grids[] = {{.value = a, .lost = lost, .settings = RATES, .n = SEEDS},
                      {.value = b, .lost = lost, .settings = RATES, .n = SEEDS}};
    StGridPair pair = {0, 1};
    StMaxTRow row;
    size_t chosen[SEEDS];
    double judged[SEEDS], other[SEEDS], mean = 0;
    cr_assert_eq(st_choice_maxT(grids, &pair, 1, (StKey){0}, &row).status, ST_OK);
    st_judge(&grids[0], chosen, judged), st_judge(&grids[1], chosen, other);
    for (int seed = 0; seed < SEEDS; seed++) mean += (judged[seed] - other[seed]) / SEEDS;
    const ClaimVerdict *v = m.table.verdicts.at;
    cr_assert_eq(m.table.verdicts.count, 1);
    cr_expect_float_eq(v->p, row.step, 1e-15);
    cr_expect_float_eq(v->effect, mean + 0.03, 1e-12);
    cr_expect_str_eq(v->by, "choice");
    char where[256];
    cr_expect_str_eq(claim_verdict_cell(where, &m.x, v), "warmup = 0");
    cr_expect_str_eq(v->ends, "");
    json_t *o = json_comparison(&m.table, &m.table.verdicts.family, v->c);
    const json_t *post = json_array_get(json_object_get(o, "terms"), 0);
    cr_expect_eq(json_array_size(json_object_get(post, "grid")), RATES);
    for (size_t seed = 0; seed < SEEDS; seed++) {
        const RunRecord *r = made_up_at(cell_of_rate[chosen[seed]], 1, (int)seed);
        double rate = json_real_value(json_array_get(json_object_get(post, "rates"), seed));
        cr_expect_str_eq(json_string_value(json_array_get(json_object_get(post, "runs"), seed)), r->id);
        cr_expect_float_eq(rate, r->spec.lr, 1e-15);
    }
    json_decref(o);
}

/* An arm all of whose seeds choose an end of the grid may be better outside of it. */
Test(grid, a_best_rate_at_an_end_is_said) {
    start();
    for (int seed = 0; seed < SEEDS; seed++) {
        set(0, seed, (const double[]){2.9, 3.0, 3.1, 3.2});
        set(1, seed, (const double[]){3.3, 3.2 + 0.01 * seed, 3.1, 3.0});
    }
    judge("{metric: valid_loss, contrast: {'pre@warmup=0,lr=best': 1, 'post@warmup=0,lr=best': -1}, expects: lower, "
          "test: choice}");
    cr_expect_str_eq(m.table.verdicts.at[0].ends,
                     "pre is best at 3e-4, the lowest of its 4 rates: a lower one may be better; post is best at 1e-2, "
                     "the highest of its 4 rates: a higher one may be better");
    OWNED char *text = made_up_write(table_text);
    made_up_unbroken(text);
    HOLDS(text, "pre is best at 3e-4, the lowest of its 4 rates: a lower one may be better");
    LOCAL_TEXT(both);
    LOCAL_TEXT(none);
    const double rate[] = {1e-3, 1e-2};
    grid_end_text("pre", (const double[]){1e-3, 1e-2, 1e-3}, 3, rate, 2, &both);
    grid_end_text("pre", (const double[]){1e-3, 1e-3}, 2, rate, 1, &none);
    cr_expect_str_eq(both.at, "pre is best at 1e-3 or 1e-2, the ends of its 2 rates: one outside may be better");
    cr_expect_eq(none.length, 0, "one rate is no grid");
}

/* The loss chooses the rate; what is judged there may be another metric, which at other rates would say the opposite.
 */
Test(grid, another_metric_is_judged_where_the_loss_chooses) {
    double value[2][RATES * SEEDS], hits[2][RATES * SEEDS], judged[2][SEEDS], mean = 0;
    unsigned char lost[RATES * SEEDS] = {0};
    size_t chosen[SEEDS];
    start();
    for (int arm = 0; arm < 2; arm++)
        for (int seed = 0; seed < SEEDS; seed++) {
            double loss[RATES] = {3.0 + 0.01 * seed, 2.9 + 0.02 * arm, 2.93, 3.5};
            set(arm, seed, loss);
            for (int k = 0; k < RATES; k++) {
                double right = k == 1 + arm ? 0.3 + 0.01 * arm + 0.001 * seed : 0.5 - 0.1 * arm;
                Evaluation *v = (Evaluation *)(uintptr_t)record_at(made_up_at(cell_of_rate[k], arm, seed), 150);
                v->metric[METRIC_accuracy] = hits[arm][k * SEEDS + seed] = right;
                value[arm][k * SEEDS + seed] = loss[k];
            }
        }
    judge("{metric: accuracy, contrast: {'pre@warmup=0,lr=best': 1, 'post@warmup=0,lr=best': -1}, expects: higher, "
          "test: choice}");
    StGrid grids[2];
    for (int arm = 0; arm < 2; arm++) {
        grids[arm] = (StGrid){.value = value[arm], .lost = lost, .settings = RATES, .n = SEEDS, .judged = hits[arm]};
        st_judge(&grids[arm], chosen, judged[arm]);
    }
    StGridPair pair = {0, 1};
    StMaxTRow row;
    cr_assert_eq(st_choice_maxT(grids, &pair, 1, (StKey){0}, &row).status, ST_OK);
    for (int seed = 0; seed < SEEDS; seed++) mean += (judged[0][seed] - judged[1][seed]) / SEEDS;
    const ClaimVerdict *v = m.table.verdicts.at;
    cr_assert_eq(m.table.verdicts.count, 1);
    cr_expect_float_eq(fabs(v->effect), fabs(mean), 1e-12);
    cr_expect_float_eq(v->p, row.step, 1e-15);
    /* `trace` shows the runs of one rate: not a comparison at best rates. */
    LOCAL(lineage_release) Lineage l;
    lineage_make(&l, &m.table, SOURCE_ROOT, v->c->what.cell, v->c->what.step, METRIC_accuracy, 0, 1);
    cr_expect(l.of == LINEAGE_ALONE && !l.c->what.best);
}

/* Three sentences of a run, `shared` bigrams in the second of them, and the BLEU that all three have. */
static double translated(RunRecord *r, int shared) {
    BleuCounts sum = {.matches = {13, 6 + shared, 5, 2}, .totals = {15, 12, 9, 6}, .hypothesis = 15, .reference = 16};
    LOCAL_TEXT(text);
    text_format(&text, "%s5\t5\t4\t3\t2\t1\t5\t4\t3\t2\ts\tr\th\n", translations_heading);
    text_format(&text, "5\t6\t4\t%d\t1\t0\t5\t4\t3\t2\ts\tr\th\n", shared);
    text_format(&text, "5\t5\t5\t3\t2\t1\t5\t4\t3\t2\ts\tr\th\n");
    translations_release(&r->translations);
    r->translations = (Translations){.sentences = 3, .step = 150, .text = mem_text(text.at)};
    return bleu_score(&sum).score;
}

/* Beside the test over seeds stands a bootstrap of seeds and sentences, of the runs at the chosen rates. */
Test(grid, bleu_is_crossed_with_sentences) {
    double mean = 0;
    start();
    m.x.arm[0].spec.objective = OBJECTIVE_TRANSLATE;
    for (int arm = 0; arm < 2; arm++)
        for (int seed = 0; seed < SEEDS; seed++) {
            set(arm, seed, (const double[]){3.0, 2.9, 2.93, 3.5});
            for (int k = 0; k < RATES; k++) {
                RunRecord *r = made_up_at(cell_of_rate[k], arm, seed);
                Evaluation *v = (Evaluation *)(uintptr_t)record_at(r, 150);
                v->metric[METRIC_bleu] = translated(r, k == 1 ? 3 - arm - seed % 2 : 0);
                if (k == 1) mean += (arm ? -1 : 1) * v->metric[METRIC_bleu] / SEEDS;
            }
        }
    judge("{metric: bleu, contrast: {'pre@warmup=0,lr=best': 1, 'post@warmup=0,lr=best': -1}, expects: higher, "
          "test: choice}");
    const ClaimVerdict *v = m.table.verdicts.at;
    cr_assert_eq(m.table.verdicts.count, 1);
    cr_assert(v->c, "%s", v->why);
    const StCorpus *x = &v->c->corpus;
    cr_assert(translations_made(v->c) && x->items == 3);
    cr_expect_float_eq(fabs(v->effect), fabs(mean), 1e-9, "%g, by hand %g", v->effect, mean);
    cr_expect_float_eq(fabs(x->mean), fabs(mean), 1e-9, "%g, by hand %g", x->mean, mean);
    cr_expect(x->lo <= x->sentences.lo + 1e-9 && x->hi >= x->sentences.hi - 1e-9 && x->lo < x->mean && x->mean < x->hi);
    LOCAL_TEXT(said);
    translations_text(v->c, 0.95, &said);
    HOLDS(said.at, "for new seeds and new sentences [");
}

/* A record without a number is not one of a run that diverged. */
Test(grid, a_record_may_lack_a_number) {
    start();
    ((Evaluation *)(uintptr_t)record_at(made_up_at(0, 1, 2), 150))->metric[METRIC_accuracy] = (double)NAN;
    judge(
        "{metric: accuracy, contrast: {'pre@lr=1e-3,warmup=0': 1, 'post@lr=1e-3,warmup=0': -1}, expects: higher, test: "
        "maxt}");
    cr_assert_eq(m.table.verdicts.count, 1);
    cr_expect_eq(m.table.verdicts.at[0].seen, SEEN_unclear);
    cr_expect_str_eq(m.table.verdicts.at[0].why, "a run's record does not have it");
}

/* A run that diverged counts as the cap at its rate, and never leaves the comparison. */
Test(grid, a_lost_run_stays_in_the_grid) {
    const double inf = (double)INFINITY;
    start();
    for (int seed = 0; seed < SEEDS; seed++) {
        set(0, seed, (const double[]){2.9 + 0.01 * seed, 3.0, 3.1, 3.2});
        set(1, seed, (const double[]){inf, inf, inf, inf});
    }
    judge("{metric: valid_loss, contrast: {'pre@warmup=0,lr=best': 1, 'post@warmup=0,lr=best': -1}, expects: lower, "
          "test: "
          "choice}, {metric: failed, contrast: {'pre@warmup=0': 1, 'post@warmup=0': -1}, expects: lower, test: maxt}, "
          "{metric: rate_stable, contrast: {'pre@warmup=0': 1, 'post@warmup=0': -1}, expects: higher, test: maxt}");
    for (int i = 0; i < 3; i++) cr_expect_eq(m.table.verdicts.at[i].p, 2. / 64, "%d", i);
    cr_expect_eq(m.table.verdicts.at[1].effect, -RATES);
    cr_expect_eq(m.table.verdicts.at[1].seen, SEEN_yes);
    cr_expect_eq(m.table.verdicts.at[2].seen, SEEN_yes);
}

Test(grid, mistakes_are_refused) {
    static const struct {
        const char *test, *says;
    } wrong[] = {
        {"{metric: valid_loss, contrast: {pre: 1}, expects: lower, test: maxt}", "must add up to zero"},
        {"{metric: valid_loss, contrast: {pre: 1}, against: x, expects: lower, test: maxt}", "against: a number"},
        {"{metric: valid_loss, contrast: {pre: 1}, against: 1, expects: equal, margin: 1, test: tost}",
         "against: goes"},
        {"{metric: valid_loss, contrast: {'pre@lr=best': 1, post: -1}, expects: lower, test: choice}", "both lr=best"},
        {"{metric: valid_loss, contrast: {'pre@lr=best': 1, 'post@lr=best': -1}, expects: lower, test: maxt}",
         "wants test: choice"},
        {"{metric: valid_loss, contrast: {pre: 1, post: -1}, expects: lower, test: choice}", "both lr=best"},
        {"{metric: failed, contrast: {'pre@lr=best': 1, 'post@lr=best': -1}, expects: lower, test: choice}",
         "is of all rates"},
        {"{metric: valid_loss, contrast: {'pre@step=0': 1, post: -1}, expects: lower, test: maxt}",
         "step: a whole number"},
        {"{metric: failled, contrast: {pre: 1, post: -1}, expects: lower, test: maxt}", "failled"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1200];
        ClaimFile f;
        snprintf(text, sizeof text,
                 "writeup: x\ntitle: t\nsource: s\nsetups: {any: {keys: {layers: 4}, choices: [one]}}\n"
                 "claims:\n- {id: x-1, source: s, says: t, setup: any, family: f, at: [150], tests: [%s]}\n",
                 wrong[i].test);
        cr_expect_eq(claims_parse(&f, "f", text, &e), RC_USAGE, "%zu", i);
        cr_expect(strstr(e.text, wrong[i].says), "%zu: %s", i, e.text);
    }
}

/* Eight arms with names of 40 letters in cells of two digits: more than 512 of them before what tells two apart. */
Test(grid, long_contrasts_have_streams_of_their_own) {
    LOCAL_TEXT(plan);
    LOCAL(sample_release) Sample s = {0};
    LOCAL(family_release) Family f = {0};
    Contrast what[2];
    text_format(&plan, "name: made-up-long\ntitle: Long\nsteps: 5\nlayers: 4\nevaluate_at: 0,5\nseeds: 2\n"
                       "lr: [1e-4, 2e-4, 3e-4, 4e-4, 5e-4, 6e-4, 7e-4, 8e-4, 9e-4, 1e-3, 2e-3, 3e-3]\narms:\n");
    for (int arm = 0; arm < 8; arm++)
        text_format(&plan, "  arm-%036d: {variant: pre, init_seed: %d}\n", arm, arm + 1);
    made_up_init(plan.at, NULL);
    OK(sample_make(&s, &m.x, m.records, &e));
    for (int i = 0; i < 2; i++) {
        what[i] = contrast_pair(11, 1, METRIC_int8_channel_cost, 0, 1, (double)NAN);
        what[i].terms = CONTRAST_TERMS_MAX, what[i].grid = i ? GRID_rate_stable : GRID_failed;
        for (int t = 0; t < CONTRAST_TERMS_MAX; t++)
            what[i].term[t] = (Term){t, t % 2 ? -1.23456e-05 : -1.23457e-05, 10, 1};
        what[i].term[0].weight = 1.23457e-05;
    }
    family_make(&f, &s, what, 2);
    cr_expect_neq(f.at[0].key.stream, f.at[1].key.stream);
}

/* Of twelve arms the pairs of 20 seeds have more than 2^26 flips, those of 8 have not. */
Test(grid, ties_are_looked_for_among_so_many_flips) {
    for (int seeds = 8; seeds <= 20; seeds += 12) {
        LOCAL_TEXT(plan);
        LOCAL(sample_release) Sample s = {0};
        bool tied[12];
        text_format(&plan, "name: made-up-many\ntitle: Many\nsteps: 5\nlayers: 4\nevaluate_at: 0,5\nseeds: %d\narms:\n",
                    seeds);
        for (int arm = 0; arm < 12; arm++) text_format(&plan, "  a%d: {variant: pre, init_seed: %d}\n", arm, arm + 1);
        made_up_init(plan.at, NULL);
        OK(sample_make(&s, &m.x, m.records, &e));
        verdict_tied(&s, 0, 1, METRIC_valid_loss, .05, tied);
        int count = 0;
        for (int arm = 0; arm < 12; arm++) count += tied[arm];
        cr_expect(seeds > 8 ? !count : count > 0, "%d of %d seeds", count, seeds);
    }
}
