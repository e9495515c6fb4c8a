/* Every test of stats/tests.def decides a claim that names it. */
#include "bench/verdict/token_hits.h"
#include "bench/write/claims.h"
#include "tests/verdict/made_up.h"

enum { SEEDS = 10 }; /* from which on the bootstrap decides */
static const char two[] = "name: made-up-two\ntitle: Made-up numbers, two arms\nbaseline: baseline\nlayers: 4\n"
                          "steps: 150\n"
                          "evaluate_at: 0,150\nseeds: 10\n"
                          "arms: {baseline: {variant: pre}, other: {variant: pre, embed: layernorm}}\n";

/* What each kind of test is asked, and what the runs are like: how far the losses of `other` lie from the baseline's,
 * how far seeds lie apart in `other` and in the baseline, how many runs of `other` diverge. */
static const struct {
    const char *metric;
    Expect right, wrong; /* EXPECT_COUNT: none */
    double shift, spread[2];
    int lost;
} asked[] = {
    [ST_ABOUT_difference] = {"valid_loss", EXPECT_lower, EXPECT_higher, -0.1, {0.01, 0.01}, 0},
    [ST_ABOUT_equality] = {"valid_loss", EXPECT_equal, EXPECT_COUNT, 0.001, {0.002, 0.002}, 0},
    [ST_ABOUT_variance] = {"valid_loss", EXPECT_lower, EXPECT_higher, 0, {0.01, 0.3}, 0},
    [ST_ABOUT_divergence] = {"valid_loss", EXPECT_higher, EXPECT_lower, 0, {0.01, 0.01}, 8},
    [ST_ABOUT_stall] = {"valid_loss", EXPECT_higher, EXPECT_lower, 0, {0.01, 0.01}, 8},
    [ST_ABOUT_predictor] = {"grad_norm", EXPECT_higher, EXPECT_lower, 0, {0.01, 0.01}, 6},
};

/* A number in [-1, 1] whose order over seeds differs between arms. */
static double place(int arm, int seed) {
    return ((seed * (arm ? 3 : 7) + arm) % SEEDS) / 4.5 - 1;
}

/* Of 100 targets, 36 of which are one and the same, the baseline is right on the first 40 to 42, `other` on all from
 * the eleventh to the 44th or 45th: 10 are right in the baseline alone, 2 to 5 in `other` alone. */
static void set_hits(RunRecord *r, int arm, int seed) {
    int32_t target[100];
    bool hit[100];
    for (int i = 0; i < 100; i++) {
        target[i] = i < 36 ? 0 : i;
        hit[i] = arm ? i >= 10 && i < 45 - seed % 2 : i < 40 + seed % 3;
    }
    hits_begin(&r->hits, 150, 100, 100);
    hits_add(&r->hits, target, hit, 60), hits_add(&r->hits, target + 60, hit + 60, 40);
    hits_end(&r->hits);
    r->evaluation[1].metric[METRIC_accuracy] = (double)r->hits.right / 100;
}

static void set_runs(StAbout about) {
    for (int seed = 0; seed < SEEDS; seed++)
        for (int arm = 0; arm < 2; arm++) {
            RunRecord *r = made_up_at(0, arm, seed);
            bool lost = arm && seed < asked[about].lost;
            double loss = 2 + (arm ? asked[about].shift : 0) + asked[about].spread[!arm] * place(arm, seed);
            made_up_loss(r, 0, 4.18);
            made_up_loss(r, 150, lost ? 9 : loss);
            Evaluation *v = &r->evaluation[1];
            for (int b = 0; b < v->blocks; b++) v->block[b] = loss + 0.01 * place(b % 2, b % SEEDS);
            v->metric[METRIC_spikes] = 0;
            v->metric[METRIC_grad_norm] = 1 + 0.1 * place(arm, seed) + 0.15 * lost;
            r->curves.value[CURVE_grad_norm] = 1 + 0.1 * place(arm, seed) + 0.25 * lost;
            set_hits(r, arm, seed);
        }
}

/* A claims file of `claims` equal claims that name a test; freed by the caller. */
static char *claims_text(const char *metric, const char *expects, const char *test, int claims) {
    const char *at = strcmp(test, "choice") ? "" : "@lr=best"; /* that test is of best rates alone */
    Text text;
    text_init(&text);
    text_format(&text, "writeup: x\ntitle: t\nsource: s\n");
    text_format(&text, "setups: {any: {keys: {layers: 4}, choices: [one]}}\nclaims:\n");
    for (int i = 0; i < claims && !strcmp(test, "predictors"); i++)
        text_format(&text,
                    "- {id: x-%d, source: s, says: t, setup: any, family: f, at: [150], tests: [{metric: failed,\n"
                    "   expects: %s, test: %s, predictors: [grad_norm, train_loss], arms: [other, baseline]}]}\n",
                    i + 1, expects, test);
    for (int i = 0; i < claims && strcmp(test, "predictors"); i++)
        text_format(&text,
                    "- {id: x-%d, source: s, says: t, setup: any, family: f, at: [150], tests: [{metric: %s,\n"
                    "   expects: %s, test: %s, margin: 0.02, contrast: {'other%s': 1, 'baseline%s': -1}}]}\n",
                    i + 1, metric, expects, test, at, at);
    return text.at;
}

static const char *metric_for(const StTest *test) {
    return strcmp(test->name, "mcnemar-targets") ? asked[test->about].metric : "accuracy";
}

/* Verdicts on such claims of runs that are made for tests about something. */
static void ask_of(StAbout runs, const StTest *test, Expect expects, int claims) {
    OWNED char *text = claims_text(metric_for(test), expect_names[expects], test->name, claims);
    made_up_init(two, NULL);
    set_runs(runs);
    made_up_claims(text);
    cr_assert_eq(m.table.verdicts.count, claims);
}

static void ask(const StTest *test, Expect expects, int claims) {
    ask_of(test->about, test, expects, claims);
}

Test(reading, every_test_decides_a_claim) {
    for (const StTest *t = st_tests; t < st_tests + st_tests_count; t++) {
        ask(t, asked[t->about].right, 1);
        const ClaimVerdict *v = m.table.verdicts.at;
        cr_expect_eq(v->seen, SEEN_yes, "%s: %s (%s), p = %g", t->name, verdict_word(v->word), v->why, v->p);
        cr_expect(v->p >= 0 && v->p < 0.05, "%s: p = %g", t->name, v->p);
        cr_expect_str_eq(v->by, t->name);
        cr_expect(v->floor >= 0 && v->floor <= v->p * (1 + 1e-12), "%s: floor %g above %g", t->name, v->floor, v->p);
        cr_expect(isfinite(v->effect) && (isnan(v->lo) || (v->lo <= v->effect && v->effect <= v->hi)), "%s", t->name);
        cr_expect(isnan(v->lo) || v->interval, "%s: an interval of no kind", t->name);
    }
}

/* Only the share of resamples that are not better is one-sided: it is never a p of the other side. */
Test(reading, the_other_side_is_contradicted) {
    for (const StTest *t = st_tests; t < st_tests + st_tests_count; t++) {
        if (asked[t->about].wrong == EXPECT_COUNT) continue;
        ask(t, asked[t->about].wrong, 1);
        const ClaimVerdict *v = m.table.verdicts.at;
        bool one_sided = !strcmp(t->name, "boot-koehn");
        cr_expect_eq(v->seen, one_sided ? SEEN_unclear : SEEN_no, "%s: %s", t->name, verdict_word(v->word));
    }
}

/* A change is shown by either side, with the p of the test as it is. */
Test(reading, either_side_is_a_change) {
    const StTest *maxt = st_test_find("maxt");
    for (int swapped = 0; swapped < 2; swapped++) {
        OWNED char *text = claims_text("accuracy", "change", maxt->name, 1);
        made_up_init(two, NULL);
        set_runs(ST_ABOUT_difference);
        for (int seed = 0; seed < SEEDS; seed++)
            for (int arm = 0; arm < 2; arm++)
                made_up_at(0, arm, seed)->evaluation[1].metric[METRIC_accuracy] =
                    (arm == swapped ? 0.1 : 0.2) + 0.01 * place(arm, seed);
        made_up_claims(text);
        const ClaimVerdict *v = m.table.verdicts.at;
        cr_expect_eq(v->seen, SEEN_yes, "%s", verdict_word(v->word));
        cr_expect_eq(v->p, 2.0 / 1024);
        cr_expect_eq(v->effect > 0, !swapped);
        LOCAL_TEXT(words);
        table_hypothesis(v->test, &words);
        cr_expect_str_eq(words.at, "accuracy: other - baseline != 0");
    }
}

/* A claim's p is of its own contrast: how many others there are changes nothing. */
Test(reading, other_claims_cost_nothing) {
    static const char *const names[] = {"signflip", "t",    "mcnemar", "mcnemar-targets",
                                        "levene",   "maxt", "tost",    "holm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const StTest *t = st_test_find(names[i]);
        double p, floor;
        ask(t, asked[t->about].right, 1);
        p = m.table.verdicts.at->p, floor = m.table.verdicts.at->floor;
        ask(t, asked[t->about].right, 3);
        for (int k = 0; k < 3; k++) {
            cr_expect_eq(m.table.verdicts.at[k].p, p, "%s", t->name);
            cr_expect_eq(m.table.verdicts.at[k].floor, floor, "%s", t->name);
        }
    }
}

/* What the engine or stats/ computes for the same runs is what the claim is decided by. */
Test(reading, numbers_are_the_comparisons) {
    ask(st_test_find("wilcoxon"), EXPECT_lower, 1);
    const Comparison *c = m.table.verdicts.at->c;
    StWilcoxon w = st_wilcoxon(c->pairs.d, c->pairs.n, c->pairs.scale, c->key);
    cr_expect_eq(m.table.verdicts.at->p, w.p);
    cr_expect_eq(m.table.verdicts.at->lo, c->t.lo);
    ask(st_test_find("fisher"), EXPECT_higher, 1);
    c = m.table.verdicts.at->c;
    cr_expect_eq(m.table.verdicts.at->p, st_fisher(8, 2, 0, 10).p);
    cr_expect_float_eq(m.table.verdicts.at->effect, 8.0 / 10, 1e-15);
    cr_expect_eq(c->t_decides, false);
}

/* Counted by hand. The seeds decide: all differ in one direction, 2/2^10. */
Test(reading, targets_that_one_arm_alone_predicts_right) {
    ask(st_test_find("mcnemar-targets"), EXPECT_lower, 1);
    const ClaimVerdict *v = m.table.verdicts.at;
    LOCAL(token_hits_release) TokenHits t;
    cr_assert_null(token_hits_make(&t, &m.table.sample, &v->c->what));
    cr_expect(t.targets == 100 && t.seeds == SEEDS);
    cr_expect_float_eq(t.frequent, .36, 1e-15);
    cr_expect_float_eq(t.accuracy[0], .345, 1e-15, "with weight 1: %g", t.accuracy[0]);
    cr_expect_float_eq(t.accuracy[1], .409, 1e-15);
    for (int seed = 0; seed < SEEDS; seed++) {
        const TokenHitsSeed *one = &t.seed[seed];
        cr_expect(one->only_b == 10 && one->only_a == 5 - seed % 2 - seed % 3, "%ld, %ld", one->only_a, one->only_b);
        cr_expect_float_eq((double)(one->only_a - one->only_b) / 100, v->c->pairs.d[seed], 1e-15);
    }
    cr_expect(v->p >= 2 / 1024. && v->p <= 2 / 1024. && v->seen == SEEN_yes, "%g", v->p);
    LOCAL_TEXT(text);
    token_hits_text(&m.table, &v->c->what, &text);
    HOLDS(text.at, "Of N = 100 targets, b are right in other alone and c in baseline alone");
    HOLDS(text.at, "would be right 0.3600 of the time: other, 0.3450, is not above that; baseline, 0.4090, is above "
                   "that.");
}

/* Why there is no such verdict. */
Test(reading, targets_that_cannot_be_counted) {
    static const char *const why[] = {"a run kept no hits (hits: true of the experiment)",
                                      "hits are kept after the last step alone",
                                      "the runs were evaluated on different targets", "a run diverged"};
    for (int k = 0; k < 4; k++) {
        OWNED char *text = claims_text("accuracy", "lower", "mcnemar-targets", 1);
        made_up_init(two, NULL);
        set_runs(ST_ABOUT_difference);
        RunRecord *r = made_up_at(0, 1, 4);
        if (k == 0) hits_release(&r->hits);
        if (k == 1) r->hits.step = 300;
        if (k == 2) r->hits.targets = 99;
        if (k == 3) made_up_diverge(r, 100), hits_release(&r->hits);
        made_up_claims(text);
        const ClaimVerdict *v = m.table.verdicts.at;
        cr_expect(v->seen == SEEN_unclear && !strncmp(v->why, why[k], strlen(why[k])), "%s: %s", verdict_word(v->word),
                  v->why);
        cr_expect_null(token_hits_json(&m.table, &v->c->what));
    }
    ask_of(ST_ABOUT_difference, st_test_find("maxt"), EXPECT_lower, 1);
    Contrast what = m.table.verdicts.at->c->what;
    TokenHits t;
    cr_expect_str_eq(token_hits_make(&t, &m.table.sample, &what), "targets are right or wrong: the metric is accuracy");
    what.metric = METRIC_accuracy, what.term[1].weight = -.5;
    cr_expect_str_eq(token_hits_make(&t, &m.table.sample, &what), "targets are those of one arm against one other");
}

Test(reading, a_diverged_run_withholds_what_rests_on_means) {
    static const char *const withheld[] = {"t", "boot-pct", "crossed", "levene", "pitman-morgan"};
    static const char *const stands[] = {"signflip", "wilcoxon", "maxt", "holm", "omnibus"};
    for (size_t i = 0; i < 5; i++)
        for (int which = 0; which < 2; which++) {
            const StTest *t = st_test_find(which ? stands[i] : withheld[i]);
            ask_of(ST_ABOUT_divergence, t, EXPECT_higher, 1);
            const ClaimVerdict *v = m.table.verdicts.at;
            cr_expect_eq(isnan(v->p), !which, "%s: %s", t->name, verdict_word(v->word));
            cr_expect_eq(isnan(v->p), !which, "%s", t->name);
            if (!which) cr_expect_str_eq(v->why, "a run diverged", "%s", t->name);
        }
}

Test(reading, a_test_and_its_expectation_must_agree) {
    static const struct {
        const char *expects, *test, *says;
    } bad[] = {{"equal", "maxt", "test: maxt shows a difference, not what is expected here"},
               {"lower", "tost", "test: tost shows equality, not what is expected here"}};
    for (size_t i = 0; i < 2; i++) {
        ClaimFile f;
        OWNED char *text = claims_text("valid_loss", bad[i].expects, bad[i].test, 1);
        cr_assert_eq(claims_parse(&f, "f", text, &e), RC_USAGE);
        HOLDS(e.text, bad[i].says);
    }
}

static const StTest *predictors(void) {
    return st_test_find("predictors");
}

/* What stands beside its p: both deviances, of how many runs; one number splits the runs here. */
Test(reading, predictors_say_what_they_leave) {
    ask(predictors(), EXPECT_higher, 1);
    const ClaimVerdict *v = m.table.verdicts.at;
    cr_expect_eq(v->p, 2.0 / 1024);
    HOLDS(v->why, "deviance 24.4, with grad_norm 0.0, with train_loss ");
    HOLDS(v->why, "; 6 of 20 runs failed; the first splits them without a miss");
    LOCAL_TEXT(words);
    table_hypothesis(v->test, &words);
    cr_expect_str_eq(words.at,
                     "deviance of failed over the runs of other, baseline: with train_loss - with grad_norm > 0");
}

/* Runs none of which failed tell nothing of what explains failure; those whose first update is not there neither. */
Test(reading, predictors_without_failures_decide_nothing) {
    for (int stopped = 0; stopped < 2; stopped++) {
        OWNED char *text = claims_text("", "higher", "predictors", 1);
        made_up_init(two, NULL);
        set_runs(ST_ABOUT_difference);
        if (stopped) made_up_at(0, 1, 2)->curves.value[CURVE_grad_norm] = (double)NAN;
        made_up_claims(text);
        const ClaimVerdict *v = m.table.verdicts.at;
        cr_expect_eq(v->seen, SEEN_unclear, "%s", verdict_word(v->word));
        cr_expect_str_eq(v->why, stopped ? "a run stopped before its first update" : "no run of 20 failed");
    }
}

/* A predictor that the experiment does not measure: the test is not run, and what it takes is said. */
Test(reading, predictors_that_are_not_measured_are_said) {
    static const char text[] =
        "writeup: x\ntitle: t\nsource: s\nsetups: {any: {keys: {layers: 4}, choices: [one]}}\nclaims:\n"
        "- {id: x-1, source: s, says: t, setup: any, family: f, at: [150], tests: [{metric: failed,\n"
        "   expects: lower, test: predictors, predictors: [grad_norm, output_change], arms: [other]}]}\n";
    made_up_init(two, NULL);
    set_runs(ST_ABOUT_difference);
    made_up_claims(text);
    cr_expect_eq(m.table.verdicts.at->word, WORD_NOT_TESTED);
    cr_expect_str_eq(m.table.verdicts.at->why,
                     "'output_change' is not measured here; it needs probes: [output_change]");
}

#define CLAIM \
    "writeup: x\ntitle: t\nsource: s\nsetups: {a: {keys: {layers: [4, 8]}, choices: [one]}}\n" \
    "claims:\n- id: x-1\n  source: s\n  says: t\n  setup: a\n  family: f\n  at: [5]\n  tests:\n  - "
#define PREDICT CLAIM "metric: failed\n    expects: lower\n    test: predictors\n    predictors: "

static const BadClaims bad[] = {
    {PREDICT "[grad_norm, output_chance]\n    arms: [p]",
     "claim x-1: f:16: unknown metric 'output_chance'; did you mean 'output_change'?"},
    {PREDICT "[grad_norm]\n    arms: [p]", "claim x-1: f:16: predictors: two different metrics are wanted"},
    {PREDICT "[grad_norm, grad_norm]\n    arms: [p]", "claim x-1: f:16: predictors: two different metrics are wanted"},
    {PREDICT "[grad_norm, train_loss, spikes]\n    arms: [p]",
     "claim x-1: f:16: predictors: two metrics are wanted, not more"},
    {PREDICT "[grad_norm, perplexity]\n    arms: [p]",
     "claim x-1: f:16: predictors: 'perplexity' is of no curve, so the first update does not give it"},
    {PREDICT "[grad_norm, train_loss]\n    arms: []", "claim x-1: f:17: arms: an empty list"},
    {PREDICT "[grad_norm, train_loss]\n    arms: ['p@lr=best']",
     "claim x-1: f:17: arms: all rates count, and the last step: no lr=best, no step"},
    {PREDICT "[grad_norm, train_loss]\n    contrast: {p: 1}", "claim x-1: f:17: unknown key 'contrast'"},
    {CLAIM "metric: valid_loss\n    expects: lower\n    test: predictors\n"
           "    predictors: [spikes, grad_norm]\n    arms: [p]",
     "claim x-1: f:13: predictors: go with metric: failed and test: predictors"},
    {CLAIM "metric: failed\n    expects: lower\n    test: predictors\n    contrast: {p: 1, q: -1}",
     "claim x-1: f:15: test: predictors wants predictors: [METRIC, METRIC]"},
};

Test(reading, predictors_are_refused_with_their_line) {
    made_up_refused(bad, sizeof bad / sizeof *bad);
}
