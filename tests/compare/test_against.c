/* Arms against a number: exact sign flips, Student's t and a known deviation, by hand. */
#include "bench/compare/against.h"
#include "tests/compare/one_corpus.h"
#include "tests/test.h"

static CompareData d;
static Against r;

static void read_data(const char *text) {
    CompareColumns columns = {.unpaired = true};
    OK(compare_parse(&d, "f", columns, text, strlen(text), &e));
}

static Rc make(const AgainstOptions *options) {
    against_release(&r);
    return against_make(&r, &d, options, &e);
}

static const AgainstOptions usual = {.number = 3, .sigma = NAN, .conf = .95, .cap = NAN};

/* 2, 2.5, 3.5 less 3: -1, -0.5, 0.5. Of eight sums of signs one is below -1 and two are -1: p = 3/8. The mean is -1/3,
 * the variance 7/12, t = -1/3 / sqrt(7/36) on 2 degrees, whose distribution is 1/2 + t / (2 sqrt(2 + t^2)). */
Test(against, by_hand) {
    read_data("arm,value\na,2\na,2.5\na,3.5\nb,2\nb,2.5\nb,2.75\nb,2.9\nb,2.8\nb,2.7\n");
    OK(make(&usual));
    double t = -1 / 3. / sqrt(7 / 36.);
    cr_expect_eq(r.arm[0].flip.p, 3 / 8.);
    cr_expect_float_eq(r.arm[0].t.t, t, 1e-14);
    cr_expect_float_eq(r.arm[0].t_p, .5 + t / 2 / sqrt(2 + t * t), 1e-14);
    cr_expect_eq(r.arm[1].flip.p, 1 / 64., "six runs, all below");
    cr_expect_eq(r.arm[1].holm, 2 / 64.);
    cr_expect(isnan(r.arm[1].z_p) && r.arm[1].shown && !r.arm[0].shown);
    cr_expect_eq(against_exit(&r), RC_INCONCLUSIVE);
    AgainstOptions other = usual;
    other.higher = true, other.sigma = 2 / 3.;
    OK(make(&other));
    cr_expect_eq(r.arm[0].flip.p, 7 / 8., "the other side, with the two equal sums");
    cr_expect_float_eq(r.arm[0].z, -sqrt(3) / 2, 1e-14);
    cr_expect_float_eq(r.arm[0].z_p, .8067619, 1e-6, "1 - Phi(-0.8660254)");
}

Test(against, few_runs_constants_and_diverged_ones) {
    read_data("arm,value\na,2\nb,2\nb,2\nb,2\nb,2\nb,2\nb,nan\n");
    cr_assert_eq(make(&usual), RC_USAGE);
    HOLDS(e.text, "diverged: --cap VALUE says");
    AgainstOptions capped = usual;
    capped.cap = 0;
    cr_assert_eq(make(&capped), RC_USAGE);
    HOLDS(e.text, "a diverged run would count as good as the best that finished (2, seed 1 of arm 'a')");
    capped.cap = 9;
    OK(make(&capped));
    cr_expect_eq(r.arm[0].flip.p, .5, "one run");
    cr_expect(isnan(r.arm[0].t_p));
    cr_expect_eq(r.arm[1].diverged, 1);
    cr_expect_eq(r.arm[1].flip.p, 33 / 64., "-5 of 6 and five -1: half of the signs, and their own");
}

/* p is 6/120 = .05, which is not below the level, here as without --against. */
Test(against, a_p_at_the_level_is_decided_as_compare_decides_it) {
    read_data("arm,value\nb,1\nb,2\nb,4\nb,8\nb,16\nb,64\nb,128\na,512\na,256\na,32\n");
    OK(make(&usual));
    cr_expect_float_eq(r.before.at[0].joint.step, .05, 1e-12);
    cr_expect_eq(r.before.at[0].decision, DECISION_INCONCLUSIVE);
}

Test(against, says_how_it_read) {
    LOCAL_TEXT(out);
    read_data("arm,value\na,2%\na,2.5%\nb,2%\n");
    OK(make(&usual));
    against_json(&r, &out);
    HOLDS(out.at, "\"read_as\": \"numbers in percent\"");
}

/* (3 - mean) sqrt(n): a 1/3 sqrt(3), b below; and b after a: 9 runs, of which a relabelling of 3 and 6. */
Test(against, a_rule_and_the_arm_before) {
    read_data("arm,value\na,2\na,2.5\na,3.5\nb,1\nb,1.1\nb,1.2\nb,1.3\nb,1.4\nb,1.5\n");
    AgainstOptions ruled = usual;
    ruled.rule = 1 / 3. * sqrt(3);
    OK(make(&ruled));
    cr_expect_float_eq(r.arm[0].lead, 1 / 3. * sqrt(3), 1e-14);
    cr_expect(r.arm[0].holds && r.arm[1].holds, "met but for the last digits");
    cr_assert_eq(r.before.count, 1);
    cr_expect_eq(r.before.at[0].what.term[0].arm, 1);
    cr_expect_float_eq(r.before.at[0].t.mean, 1.25 - 8 / 3., 1e-14);
    cr_expect_float_eq(r.before.at[0].joint.step, 2 / 84., 1e-14, "all of b below all of a: 1 of 84 a side");
    cr_expect_eq(r.before.at[0].decision, DECISION_LOWER);
    ruled.rule = .6;
    OK(make(&ruled));
    cr_expect(!r.arm[0].holds && r.arm[1].holds);
}
