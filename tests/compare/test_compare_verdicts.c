/* compare: which verdict is given, and which must not be. */
#include "tests/compare/compared.h"
#include "tests/stats/test_stats.h"
#include "tests/verdict/made_up.h"

static void make(const char *text, CompareOptions options) {
    compared(text, (CompareColumns){0}, options);
}

static void exits(Rc want) {
    cr_expect_eq(compare_exit(&result), want, "exit %d, not %d", compare_exit(&result), want);
}

/* One ten-thousandth in each of eight seeds, p .0078. */
static const char trifle[] = "seed,base,a\n1,3,3.0001\n2,3.1,3.1001\n3,3.2,3.2001\n4,3,3.0002\n5,3.1,3.1001\n"
                             "6,3,3.0001\n7,3,3.0001\n8,3.1,3.1001\n";

Test(compare_verdicts, a_trifle_is_not_worse) {
    CompareOptions margin = plain;
    margin.margin = .02;
    make(trifle, margin);
    is(0, "worse but negligible");
    cr_expect_eq(result.family.at->joint.step_count, 2);
    exits(RC_OK);
    says(compare_text, "31 % of the runs may stall or diverge", true);
    make(trifle, plain);
    is(0, "worse");
    exits(RC_REGRESSION);
}

/* d = .03 to .07 in eight seeds. */
static const char some[] = "seed,base,a\n1,3,3.03\n2,3,3.04\n3,3,3.05\n4,3,3.06\n5,3,3.07\n6,3,3.05\n7,3,3.04\n"
                           "8,3,3.06\n";

Test(compare_verdicts, a_gate_asks_how_much_worse) {
    static const struct {
        double by;
        Rc code;
        const char *says;
    } gates[] = {{0, RC_REGRESSION, "FAILS, worse by more: a."},
                 {.03, RC_REGRESSION, "FAILS, worse by more: a."},
                 {.05, RC_INCONCLUSIVE, "not decided: a."},
                 {.07, RC_OK, "passes, not worse by more: a."}};
    CompareOptions options = plain;
    options.fail.by = true;
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        options.fail.more = gates[i].by;
        make(some, options);
        is(0, "worse");
        exits(gates[i].code);
        says(compare_notes, gates[i].says, true);
    }
    options.higher = true, options.fail.more = 0; /* then it is better */
    make(some, options);
    exits(RC_OK);
    make("seed,base,a\n1,3,3.5\n2,3,3.6\n3,3,3.7\n", options); /* three seeds have no interval */
    exits(RC_INCONCLUSIVE);
}

/* The issue's: two seeds a hundredth apart, and a spread of nothing. */
Test(compare_verdicts, equality_takes_eight_seeds) {
    CompareOptions margin = plain;
    margin.margin = .02;
    make("seed,base,a\n1,3.38,3.39\n2,3.40,3.41\n", margin);
    is(0, "not testable");
    exits(RC_INCONCLUSIVE);
    says(compare_notes, "Nothing is called the same below 8 seeds.", true);
    static const char alike[] = "seed,base,a\n1,3,3.01\n2,3,3.01\n3,3,3.01\n4,3,3.01\n5,3,3.01\n6,3,3.01\n7,3,3.01\n"
                                "8,3,3.01\n";
    make(alike, margin);
    is(0, "worse but negligible");
    cr_expect_eq(result.family.at->inside_p, 1. / 256, "no spread: by the exact test");
}

/* Seven seeds within .001 and one at .03: t tests would call it the same at a wide margin, sign flips do not. */
Test(compare_verdicts, equality_needs_the_exact_test_too) {
    CompareOptions margin = plain;
    margin.margin = .0195;
    make("seed,base,a\n1,3,3.001\n2,3,3.001\n3,3,2.999\n4,3,3.0005\n5,3,2.9995\n6,3,3.001\n7,3,2.999\n8,3,3.04\n",
         margin);
    const Comparison *c = result.family.at;
    double flips = flip_tost(c->pairs.d, 8, .0195, c->key);
    cr_expect_eq(c->inside_p, fmax(flips, c->tost.p), "%g, %g, %g", c->inside_p, flips, c->tost.p);
    cr_expect_eq(c->inside, c->inside_p < .05);
}

/* The issue's: arm A never finishes, B is near 3, the cap is 1. */
Test(compare_verdicts, divergence_cannot_win) {
    static const char lost[] = "seed,B,A\n1,3.10,nan\n2,3.11,nan\n3,3.12,nan\n4,3.13,nan\n5,3.14,nan\n6,3.15,nan\n"
                               "7,3.16,nan\n8,3.00,nan\n";
    static const double refused[] = {1, 2.9, 3.0};
    CompareOptions options = plain;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        options.cap = refused[i];
        OK(compare_parse(&data, "FILE", (CompareColumns){0}, lost, strlen(lost), &e));
        cr_expect_eq(compare_make(&result, &data, &options, 1, &e), RC_USAGE);
        HOLDS(e.text, "as good as the best that finished (3, seed 8 of arm 'B')");
        compare_data_release(&data);
    }
    options.cap = 3.05; /* the means say better, the ranks worse */
    make(lost, options);
    const Comparison *c = result.family.at;
    cr_expect_str_eq(compare_word(&result, c->decision_capped), "better");
    cr_expect_str_eq(compare_word(&result, c->decision_ranks), "worse");
    is(0, "inconclusive");
    exits(RC_INCONCLUSIVE);
    says(compare_notes, "verdict depends on the cap: A (with the cap better than B", true);
    options.cap = 10.8; /* both agree */
    make(lost, options);
    is(0, "worse");
    exits(RC_REGRESSION);
}

/* Seven seeds in favour, the eighth against by far more: means drown, ranks do not (25 of 128 signs). */
Test(compare_verdicts, ranks_stand_beside_means) {
    make("seed,base,a\n1,3,2.9\n2,3,2.89\n3,3,2.91\n4,3,2.92\n5,3,2.88\n6,3,2.895\n7,3,2.905\n8,3,3.8\n", plain);
    const Comparison *c = result.family.at;
    cr_expect_gt(c->joint.step, .5);
    cr_expect_eq(c->joint_ranks, 50. / 256);
    is(0, "inconclusive");
    says(compare_text, "p on ranks", true);
}

/* Swapping the arms within any seed makes the difference of spreads smaller, also with a seed left out: 2/128. One
 * outlier gives the t form of the test p below 1e-4, and is no spread. */
Test(compare_verdicts, spread_is_judged_without_each_seed) {
    make("seed,base,a\n1,3,2.5\n2,3.01,3.6\n3,2.99,2.4\n4,3,3.5\n5,3.01,2.6\n6,2.99,3.4\n7,3,3.55\n8,3.01,2.45\n",
         plain);
    cr_expect_eq(result.family.at->pitman_morgan.p_left_out, 2. / 128);
    says(compare_notes, "The spread over seeds differs, whichever seed is left out: a (sd 66.33 times", true);
    make("seed,base,a\n1,3,3.01\n2,3.01,3\n3,2.99,3\n4,3,2.99\n5,3.01,3\n6,2.99,2.99\n7,3,3.01\n8,3.01,5\n", plain);
    cr_expect_lt(result.family.at->pitman_morgan.p, 1e-4);
    cr_expect_gt(result.family.at->pitman_morgan.p_left_out, .05);
    says(compare_notes, "The spread", false);
}

/* The interval by sign flips excludes 0 exactly where single-step max-T rejects. */
Test(compare_verdicts, intervals_match_the_test) {
    LOCAL_TEXT(file);
    text_format(&file, "seed,base");
    for (int a = 0; a < 12; a++) text_format(&file, ",a%d", a);
    for (int s = 0; s < 8; s++) {
        text_format(&file, "\n%d,3", s);
        for (int a = 0; a < 12; a++)
            text_format(&file, ",%.4f", 3 + .003 * a + .0004 * ((s * 37 + a * a * 11 + s * a) % 101 - 50));
    }
    make(file.at, plain);
    int apart = 0;
    for (int i = 0; i < result.family.count; i++) {
        const Comparison *c = &result.family.at[i];
        bool out = c->together.lo > 0 || c->together.hi < 0;
        cr_assert_eq(c->together.status, ST_OK);
        cr_expect_eq(out, c->joint.single < .05, "%d: p %g, [%g, %g]", i, c->joint.single, c->together.lo,
                     c->together.hi);
        cr_expect(c->together.lo <= c->alone.lo && c->together.hi >= c->alone.hi, "jointly never narrower");
        apart += out;
    }
    cr_expect(apart > 2 && apart < 12, "%d", apart);
}

/* p is 12/256; without any seed but the one against it is above .05: 12/128 without the first. */
Test(compare_verdicts, one_seed_decides) {
    make("seed,base,a\n1,0,.9\n2,0,.5\n3,0,.6\n4,0,.4\n5,0,.7\n6,0,.3\n7,0,-.5\n8,0,.4\n", plain);
    const Comparison *c = result.family.at;
    is(0, "worse");
    cr_expect_eq(c->joint.step_count, 12);
    cr_expect_eq(c->turning, 7);
    cr_expect_eq(c->turned, DECISION_INCONCLUSIVE);
    says(compare_notes, "ONE SEED DECIDES: a (without seed 1: not decided; 7 seeds do so)", true);
    cr_expect(fabs(c->effect.least + .5) < 1e-12 && fabs(c->effect.most - .9) < 1e-12 && c->effect.skew < 0);
    make(some, plain);
    cr_expect_eq(result.family.at->turning, 0, "all seeds agree");
    make("seed,base,a\n1,0,1\n2,0,1.5\n3,0,2\n4,0,1\n5,0,1.5\n6,0,2\n", plain);
    cr_expect_eq(result.family.at->turning, -1, "five seeds could not decide anything");
    says(compare_notes, "ONE SEED", false);
}

Test(compare_verdicts, stalls_are_counted_and_tested) {
    static const char file[] = "seed,base,a\n1,2.0,3.9\n2,2.1,3.8\n3,2.0,3.9\n4,1.9,diverged\n5,2.0,3.9\n6,2.2,3.9\n"
                               "7,4.0,4.0\n8,2.0,2.1\n";
    CompareOptions options = plain;
    options.cap = 4.2, options.stall = 3.8;
    make(file, options);
    const Comparison *c = result.family.at;
    cr_expect(c->stalled_a == 7 && c->stalled_b == 1 && c->only_stalled_a == 6 && c->only_stalled_b == 0);
    cr_expect_eq(c->stall.p, 2. / 64, "McNemar, 6 against none");
    cr_expect_eq(result.arm[1].stalled.k, 7);
    says(compare_text, " 1 of 8 6 of 8 ", true);
    says(compare_notes, "a 7 of 8 against 1 (p .031, smallest possible .031)", true);
    says(compare_json, "\"only_arm\": 6", true);
    options.stall = NAN;
    make(file, options);
    says(compare_json, "\"status\": \"not known\"", true);
}
