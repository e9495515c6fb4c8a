/* compare --anytime: seeds that were added until it was decided. */
#include "tests/compare/compared.h"
#include "tests/test.h"

static void make(const char *text, double margin, double cap, int most) {
    CompareOptions options = {.margin = margin, .conf = .95, .cap = cap, .stall = NAN, .anytime = most};
    compared(text, (CompareColumns){0}, options);
}

/* What all three forms together say. */
static void say(Text *out) {
    ComparePage p;
    compare_page(&result, &p), compare_show(&p, SENTENCE_TEXT, 110, out);
    compare_json(&result, out);
    compare_page(&result, &p), compare_show(&p, SENTENCE_TEX, 0, out);
}

/* The differences of tests/stats/test_stats_anytime.c, whose p after eight seeds is 1/15.63, beside six of -0.1 and two
 * of -0.2, which decide at the sixth alone, and at the eighth where Holm takes two for one. */
static const char eight[] = "seed,base,slow,fast\n1,3,3.3,2.9\n2,3,3.1,2.9\n3,3,3.25,2.9\n4,3,3.2,2.9\n5,3,2.95,2.9\n"
                            "6,3,3.4,2.9\n7,3,3.15,2.8\n8,3,3.3,2.8\n";

Test(compare_anytime, decides_at_a_seed) {
    make(eight, NAN, NAN, 64);
    const Anytime *slow = &result.family.anytime[0], *fast = &result.family.anytime[1];
    cr_expect(fabs(slow->p - 1 / 15.62920027943824) < 1e-12 && !slow->at, "p %g, the last of Holm's", slow->p);
    cr_expect(fast->at == 8 && fast->decision == DECISION_LOWER, "%d", fast->at);
    cr_expect(fast->ci.hi < 0 && slow->ci.lo < 0 && slow->ci.hi > 0);
    cr_expect(slow->need.median >= 9 && slow->need.median <= 12, "%zu", slow->need.median);
    cr_expect(isnan(slow->inside_p));
    cr_expect_eq(compare_exit(&result), RC_OK);
    make("seed,base,fast\n1,3,2.9\n2,3,2.9\n3,3,2.9\n4,3,2.9\n5,3,2.9\n6,3,2.9\n", NAN, NAN, 6);
    cr_expect_eq(result.family.anytime->at, 6);
    make("seed,base,fast\n1,3,3.1\n2,3,3.1\n3,3,3.1\n4,3,3.1\n5,3,3.1\n", NAN, NAN, 64);
    cr_expect(!result.family.anytime->at && result.family.anytime->ci.status == ST_NOT_REACHABLE);
    cr_expect_eq(result.family.anytime->need.median, 6);
    cr_expect_eq(compare_exit(&result), RC_INCONCLUSIVE);
}

Test(compare_anytime, the_margin) {
    make(eight, .9, NAN, 64);
    cr_expect(result.family.anytime[0].at == 8 && result.family.anytime[0].decision == DECISION_EQUIVALENT);
    cr_expect(result.family.anytime[1].at == 8 && result.family.anytime[1].decision == DECISION_LOWER_NEGLIGIBLE);
    make("seed,a,b\n1,3,3.1\n2,3,3\n3,3,nan\n", .9, 9, 64);
    cr_expect(isnan(result.family.anytime->inside_p) && result.family.anytime->status == ST_OK,
              "a diverged run counts as the cap");
}

/* Seeds that all differ by the same are shown without the digits that rounding left. */
Test(compare_anytime, differences_that_are_all_the_same) {
    make("seed,a,b\n1,3.01,3.01\n2,3.02,3.02\n3,3.03,3.03\n4,3.04,3.04\n5,3.05,3.05\n6,3.06,3.06\n"
         "7,3.07,3.07\n8,3.08,3.08\n", .1, NAN, 64);
    says(compare_text, " 0.000 [0.000, 0.000] ", true);
    make("seed,a,b\n1,3.01,3.11\n2,3.02,3.12\n3,3.03,3.13\n4,3.04,3.14\n5,3.05,3.15\n6,3.06,3.16\n"
         "7,3.07,3.17\n8,3.08,3.18\n", .1, NAN, 64);
    says(compare_text, " +0.1000 [0.1000, 0.1000] ", true);
    says(compare_text, "e-0", false);
}

/* The cap of a diverged run gives no verdict: the signs, with that run the worst, must show the side too. */
Test(compare_anytime, no_cap_decides) {
    static const char nine_of_ten[] = "seed,a,b\n1,3.009,2.899\n2,2.979,2.831\n3,3.09,3.013\n4,2.984,nan\n"
                                      "5,3.014,2.903\n6,3.049,2.943\n7,2.984,2.868\n8,3.023,2.921\n"
                                      "9,3.027,2.915\n10,3.006,2.888\n";
    static const double caps[] = {3.01, 99};
    const Anytime *a;
    for (size_t i = 0; i < 2; i++) {
        make(nine_of_ten, NAN, caps[i], 64);
        a = result.family.anytime;
        cr_expect(!a->at && a->decision == DECISION_INCONCLUSIVE && a->p > .05, "cap %g: %d", caps[i], a->at);
        cr_expect(a->ci.status != ST_OK && a->need.median > 10, "cap %g", caps[i]);
        says(compare_text, "withheld (diverged)", true);
        says(compare_text, "-0.140", false);
    }
    LOCAL_TEXT(json);
    compare_json(&result, &json);
    HOLDS(json.at, "\"status\": \"withheld: a run diverged\"");
}

/* With all signs alike it is decided; a diverged run after that undoes nothing, though the cap turns the mean. */
Test(compare_anytime, a_run_that_diverges_later) {
    const char *lines[] = {"", "9,3,nan\n", "9,3,nan\n10,3,nan\n11,3,nan\n12,3,nan\n"};
    for (size_t i = 0; i < 3; i++) {
        char file[400];
        snprintf(file, sizeof file, "seed,base,fast\n1,3,2.9\n2,3,2.9\n3,3,2.9\n4,3,2.9\n5,3,2.9\n6,3,2.9\n"
                                    "7,3,2.9\n8,3,2.9\n%s", lines[i]);
        make(file, NAN, 99, 64);
        cr_expect(result.family.anytime->at == 6 && result.family.anytime->decision == DECISION_LOWER, "%zu", i);
    }
    make("seed,base,fast\n1,nan,2.9\n2,3,2.9\n3,3,2.9\n4,nan,2.9\n5,3,2.9\n6,3,2.9\n7,nan,nan\n", NAN, 3, 64);
    cr_expect(result.family.anytime->at == 6 && result.family.anytime->decision == DECISION_LOWER);
}

/* No number of a fixed count of seeds stands anywhere. */
Test(compare_anytime, shows_nothing_else) {
    static const char *const not_there[] = {"p_adj",     "sign flips.", "t interval", "bootstrap",
                                            "Bootstrap", "p_signflip",  "power",      "p on ranks"};
    static const char *const there[] = {"decided at", "anytime95", "\"decided_at\": 8", "\\begin{tabular}",
                                        "seeds it needs"};
    LOCAL_TEXT(out);
    make(eight, .02, NAN, 64);
    say(&out);
    for (size_t i = 0; i < sizeof not_there / sizeof *not_there; i++)
        cr_expect_not(strstr(out.at, not_there[i]), "%s: %s", not_there[i], out.at);
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        cr_expect(strstr(out.at, there[i]), "%s: %s", there[i], out.at);
    cr_expect_not(strstr(out.at, "nan"), "%s", out.at);
}

/* How the numbers were read stands in all three forms. */
Test(compare_anytime, says_how_it_read) {
    static const char *const there[] = {"\nRead as numbers in percent.", "\"read_as\": \"numbers in percent\"",
                                        "\n% Read as numbers in percent."};
    LOCAL_TEXT(out);
    make("seed,a,b\n1,3%,4%\n2,3%,5%\n", NAN, NAN, 64);
    say(&out);
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        cr_expect(strstr(out.at, there[i]), "%s: %s", there[i], out.at);
}

/* Later seeds undo nothing: the one that decided stays. */
Test(compare_anytime, a_decision_stays) {
    char file[2000];
    int n = snprintf(file, sizeof file, "seed,base,fast\n");
    for (int seed = 1; seed <= 20; seed++)
        n += snprintf(file + n, sizeof file - (size_t)n, "%d,3,%g\n", seed, seed <= 8 ? 2.9 : seed % 2 ? 3.3 : 2.8);
    make(file, NAN, NAN, 64);
    cr_expect(result.family.anytime->at == 6 && result.family.anytime->p < .05);
    cr_expect(result.family.anytime->decision == DECISION_LOWER, "the mean is above 0 now");
    for (int last = 13; last <= 60; last += 47) { /* one seed turns the mean, and 48 the smallest p as well */
        n = snprintf(file, sizeof file, "seed,base,fast\n");
        for (int seed = 1; seed <= last; seed++)
            n += snprintf(file + n, sizeof file - (size_t)n, "%d,3,%g\n", seed, seed <= 12 ? 2.9 - .001 * seed : 6);
        make(file, NAN, NAN, 64);
        const Anytime *a = result.family.anytime;
        cr_expect(a->at == 6 && a->mean > 0 && a->decision == DECISION_LOWER, "%d: %d", last, (int)a->decision);
    }
}
