/* Every test of stats/tests.def decides a claim that names it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/verdict/made_up.h"

static MadeUp m; /* too large for a stack; each test has its own process */
static Error e;

TestSuite(reading, .timeout = 120);

enum { SEEDS = 10 }; /* from which on the bootstrap decides */
static const char two[] = "name: made-up-two\ntitle: Made-up numbers, two arms\nbaseline: baseline\nlayers: 4\n"
                          "steps: 150\n"
                          "evaluate_at: 0,150\nseeds: 10\n"
                          "arms: {baseline: {variant: pre}, other: {variant: pre, embed: layernorm}}\n";

/* What each kind of test is asked, and what the runs are like: how far the losses of `other` lie from the baseline's,
 * how far seeds lie apart in `other` and in the baseline, how many runs of `other` diverge, and the spikes of every run
 * of each. */
static const struct {
    const char *metric;
    Expect right, wrong; /* EXPECT_COUNT: none */
    double shift, spread[2];
    int lost, events[2];
} asked[] = {
    [ST_ABOUT_difference] = {"valid_loss", EXPECT_lower, EXPECT_higher, -0.1, {0.01, 0.01}, 0, {0, 0}},
    [ST_ABOUT_equality] = {"valid_loss", EXPECT_equal, EXPECT_COUNT, 0.001, {0.002, 0.002}, 0, {0, 0}},
    [ST_ABOUT_variance] = {"valid_loss", EXPECT_lower, EXPECT_higher, 0, {0.01, 0.3}, 0, {0, 0}},
    [ST_ABOUT_divergence] = {"valid_loss", EXPECT_higher, EXPECT_lower, 0, {0.01, 0.01}, 8, {0, 0}},
    [ST_ABOUT_stall] = {"valid_loss", EXPECT_higher, EXPECT_lower, 0, {0.01, 0.01}, 8, {0, 0}},
    [ST_ABOUT_rate] = {"spikes", EXPECT_lower, EXPECT_higher, 0, {0.01, 0.01}, 0, {0, 3}},
    [ST_ABOUT_predictor] = {"grad_norm", EXPECT_higher, EXPECT_lower, 0, {0.01, 0.01}, 6, {0, 0}},
};

/* A number in [-1, 1] whose order over seeds differs between arms. */
static double place(int arm, int seed) {
    return ((seed * (arm ? 3 : 7) + arm) % SEEDS) / 4.5 - 1;
}

static void set_runs(StAbout about) {
    for (int seed = 0; seed < SEEDS; seed++)
        for (int arm = 0; arm < 2; arm++) {
            RunRecord *r = made_up_at(&m, 0, arm, seed);
            bool lost = arm && seed < asked[about].lost;
            double loss = 2 + (arm ? asked[about].shift : 0) + asked[about].spread[!arm] * place(arm, seed);
            made_up_loss(r, 0, 4.18);
            made_up_loss(r, 150, lost ? 9 : loss);
            Evaluation *v = &r->evaluation[1];
            for (int b = 0; b < v->blocks; b++) v->block[b] = loss + 0.01 * place(b % 2, b % SEEDS);
            v->metric[METRIC_spikes] = asked[about].events[!arm];
            v->metric[METRIC_grad_norm] = 1 + 0.1 * place(arm, seed) + 0.15 * lost;
        }
}

/* A claims file of `claims` equal claims that name a test; freed by the caller. */
static char *claims_text(const char *metric, const char *expects, const char *test, int claims) {
    const char *at = strcmp(test, "choice") ? "" : "@lr=best"; /* that test is of best rates alone */
    Text text;
    text_init(&text);
    text_format(&text, "writeup: x\ntitle: t\nsource: s\n");
    text_format(&text, "setups: {any: {keys: {layers: 4}, choices: [one]}}\nclaims:\n");
    for (int i = 0; i < claims; i++)
        text_format(&text,
                    "- {id: x-%d, source: s, says: t, setup: any, family: f, at: [150], tests: [{metric: %s,\n"
                    "   expects: %s, test: %s, margin: 0.02, contrast: {'other%s': 1, 'baseline%s': -1}}]}\n",
                    i + 1, metric, expects, test, at, at);
    return text.at;
}

/* Verdicts on such claims of runs that are made for tests about something. */
static void ask_of(StAbout runs, const StTest *test, Expect expects, int claims) {
    char *text = claims_text(asked[test->about].metric, expect_names[expects], test->name, claims);
    made_up_init(&m, two, NULL);
    set_runs(runs);
    cr_assert_eq(claims_parse(&m.claims, "f", text, &e), RC_OK, "%s", e.text);
    m.has_claims = true;
    cr_assert_eq(made_up_table(&m, (TableOptions){0}, &e), RC_OK, "%s", e.text);
    cr_assert_eq(m.table.verdicts.count, claims);
    free(text);
}

static void ask(const StTest *test, Expect expects, int claims) {
    ask_of(test->about, test, expects, claims);
}

Test(reading, every_test_decides_a_claim) {
    for (const StTest *t = st_tests; t < st_tests + st_tests_count; t++) {
        ask(t, asked[t->about].right, 1);
        const ClaimVerdict *v = m.table.verdicts.at;
        VerdictWord confirmed = t->about == ST_ABOUT_equality ? WORD_REPRODUCED : WORD_DIRECTION_ONLY;
        cr_expect_eq(v->word, confirmed, "%s: %s (%s), p = %g", t->name, verdict_word(v->word), v->why, v->p);
        cr_expect(v->p >= 0 && v->p < 0.05, "%s: p = %g", t->name, v->p);
        cr_expect_str_eq(v->by, t->name);
        cr_expect(v->floor >= 0 && v->floor <= v->p * (1 + 1e-12), "%s: floor %g above %g", t->name, v->floor, v->p);
        cr_expect(isfinite(v->effect) && (isnan(v->lo) || (v->lo <= v->effect && v->effect <= v->hi)), "%s", t->name);
        cr_expect(isnan(v->lo) || v->interval[0], "%s: an interval of no kind", t->name);
        made_up_release(&m);
    }
}

/* Only the share of resamples that are not better is one-sided: it is never a p of the other side. */
Test(reading, the_other_side_is_contradicted) {
    for (const StTest *t = st_tests; t < st_tests + st_tests_count; t++) {
        if (asked[t->about].wrong == EXPECT_COUNT) continue;
        ask(t, asked[t->about].wrong, 1);
        const ClaimVerdict *v = m.table.verdicts.at;
        bool one_sided = !strcmp(t->name, "boot-koehn");
        cr_expect_eq(v->word, one_sided ? WORD_INCONCLUSIVE : WORD_CONTRADICTED, "%s: %s", t->name,
                     verdict_word(v->word));
        made_up_release(&m);
    }
}

/* Three claims by one test cost three times its p and floor, unless the test counts comparisons itself. */
Test(reading, claims_by_one_test_are_adjusted_together) {
    static const struct {
        const char *name;
        double times;
    } cases[] = {{"signflip", 3}, {"t", 3}, {"mcnemar", 3}, {"levene", 3}, {"maxt", 1}, {"tost", 1}, {"holm", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const StTest *t = st_test_find(cases[i].name);
        double p, floor;
        ask(t, asked[t->about].right, 1);
        p = m.table.verdicts.at->p, floor = m.table.verdicts.at->floor;
        made_up_release(&m);
        ask(t, asked[t->about].right, 3);
        for (int k = 0; k < 3; k++) {
            cr_expect_float_eq(m.table.verdicts.at[k].p, cases[i].times * p, 1e-12 * p, "%s", t->name);
            cr_expect_float_eq(m.table.verdicts.at[k].floor, cases[i].times * floor, 1e-15, "%s", t->name);
        }
        made_up_release(&m);
    }
}

/* What the engine or stats/ computes for the same runs is what the claim is decided by. */
Test(reading, numbers_are_the_comparisons) {
    ask(st_test_find("wilcoxon"), EXPECT_lower, 1);
    const Comparison *c = m.table.verdicts.at->c;
    StWilcoxon w = st_wilcoxon(c->pairs.d, c->pairs.n, c->pairs.scale, ST_TWO_SIDED, c->key);
    cr_expect_eq(m.table.verdicts.at->p, w.p);
    cr_expect_eq(m.table.verdicts.at->lo, c->t.lo);
    made_up_release(&m);
    ask(st_test_find("fisher"), EXPECT_higher, 1);
    c = m.table.verdicts.at->c;
    cr_expect_eq(m.table.verdicts.at->p, st_fisher(8, 2, 0, 10).p);
    cr_expect_float_eq(m.table.verdicts.at->effect, 8.0 / 10, 1e-15);
    cr_expect_eq(c->t_decides, false);
    made_up_release(&m);
}

Test(reading, a_diverged_run_withholds_what_rests_on_means) {
    static const char *const withheld[] = {"t", "boot-pct", "crossed", "levene", "pitman-morgan"};
    static const char *const stands[] = {"signflip", "wilcoxon", "maxt", "holm", "omnibus"};
    for (size_t i = 0; i < 5; i++)
        for (int which = 0; which < 2; which++) {
            const StTest *t = st_test_find(which ? stands[i] : withheld[i]);
            ask_of(ST_ABOUT_divergence, t, EXPECT_higher, 1);
            const ClaimVerdict *v = m.table.verdicts.at;
            cr_expect_eq(v->word == WORD_NOT_TESTABLE, !which, "%s: %s", t->name, verdict_word(v->word));
            cr_expect_eq(isnan(v->p), !which, "%s", t->name);
            if (!which) cr_expect_str_eq(v->why, "a run diverged", "%s", t->name);
            made_up_release(&m);
        }
}

Test(reading, a_test_and_its_expectation_must_agree) {
    static const struct {
        const char *expects, *test, *says;
    } bad[] = {{"equal", "maxt", "test: maxt shows a difference, not what is expected here"},
               {"lower", "tost", "test: tost shows equality, not what is expected here"}};
    for (size_t i = 0; i < 2; i++) {
        ClaimFile f;
        char *text = claims_text("valid_loss", bad[i].expects, bad[i].test, 1);
        cr_assert_eq(claims_parse(&f, "f", text, &e), RC_USAGE);
        cr_expect(strstr(e.text, bad[i].says) != NULL, "%s", e.text);
        free(text);
    }
}
