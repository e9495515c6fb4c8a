/* What a plan can decide: floors and the fewest seeds, by hand; power, by the formula where there is one. */
#include "bench/write/prose.h"
#include "tests/test.h"

static Experiment x;
static Outlook o;
static Text text;

static void look(const char *keys) {
    Store nothing = {0};
    LOCAL_TEXT(yaml);
    text_release(&text);
    outlook_release(&o);
    experiment_release(&x);
    text_format(&yaml, "name: t\ndataset: synthetic\nsteps: 20\nevaluate_at: 0,10,20\n%s\n", keys);
    if (!strstr(keys, "arms:"))
        text_format(&yaml, "arms: {a: {variant: pre}, b: {variant: post}, c: {variant: peri}}\n");
    OK(experiment_parse(&x, "f.yaml", yaml.at, "", NULL, &e));
    outlook_make(&o, &x, &nothing, false);
    text_init(&text);
    outlook_text(&o, &x, &text);
}

#define SAYS(what) cr_expect(strstr(text.at, what), "'%s' is not in:\n%s", what, text.at)
#define OMITS(what) cr_expect(!strstr(text.at, what), "'%s' is in:\n%s", what, text.at)

Test(outlook, five_seeds_cannot_and_six_can) {
    look("seeds: 5");
    cr_assert(o.floor == .0625 && o.least == 6 && isnan(o.detectable) && !o.stored);
    SAYS("5 seeds cannot reach p < 0.05: the smallest p of the sign flips is 2/32 = 0.0625. "
         "6 seeds can (2/64 = 0.0312).");
    OMITS("80%");
    look("seeds: 6");
    cr_expect_float_eq(o.detectable, 1.7927, .03); /* Phi(d)^6 = .8: only six equal signs are below .05 */
    SAYS("6 seeds can reach p < 0.05: the smallest p of the sign flips is 2/64 = 0.0312.");
    SAYS("One comparison alone finds a difference of 1.8 SD in 80% of cases, where SD is that of the differences over "
         "seeds");
    SAYS("That an arm is the same, or differs too little to matter, takes 8 seeds.");
    OMITS("stored");
    look("seeds: 8");
    OMITS("takes 8 seeds");
}

Test(outlook, other_levels_and_counts) {
    look("seeds: 6\nalpha: 0.01");
    SAYS("6 seeds cannot reach p < 0.01: the smallest p of the sign flips is 2/64 = 0.0312. "
         "8 seeds can (2/256 = 0.00781).");
    look("seeds: 1");
    SAYS("1 seed cannot reach p < 0.05: one difference alone has no test. 6 seeds can");
    look("seeds: 30");
    cr_expect_float_eq(o.detectable, .5295, .002);
    SAYS("is 1/100001 = 1e-05");
    look("seeds: 30\nalpha: 1e-7");
    SAYS("No number of seeds can.");
}

/* The family is that of `table`: the arms beside the baseline, every cell, the steps that all arms have. */
Test(outlook, the_family_is_the_table_s) {
    look("seeds: 6");
    cr_expect_eq(o.comparisons, 4);
    SAYS("over seeds;\n  4 comparisons (arms, cells, steps) are decided together by max-T: the smallest p stays 2/64 = "
         "0.0312,\n  but the difference has to be ");
    cr_expect(o.among > 1.2 * o.detectable && o.among < 2 * o.detectable, "%g", o.among);
    look("seeds: 5\nlr: [1e-3, 2e-3, 3e-3]");
    cr_expect_eq(o.comparisons, 12);
    look("seeds: 6\ncompare: [b - a, c - a, c - b]");
    cr_expect_eq(o.comparisons, 6);
    SAYS("6 comparisons (pairs, cells, steps) are decided together");
    look("seeds: 6\ncompare: [c - b]");
    cr_expect_eq(o.comparisons, 2);
    look("seeds: 12");
    cr_expect(isnan(o.among), "this takes seconds, or fewer samples");
    SAYS("but the difference has to be larger.");
    look("seeds: 6\narms: {a: {variant: pre}, b: {variant: pre, embed: rmsnorm, evaluate_at: '0,5'}}");
    cr_expect_eq(o.comparisons, 1);
    OMITS("max-T");
    look("seeds: 6\narms: {a: {variant: pre}}");
    cr_expect_str_eq(text.at, "");
}

/* t(.95, 7) = 1.8946: 1.8946 x .05 / sqrt(8) = .0335; t(.95, 18) = 1.7341 x .05 / sqrt(19) = .0199. */
Test(outlook, a_margin_below_what_the_seeds_show) {
    look("seeds: 8");
    OMITS("The margin");
    for (int i = 0; i < 2; i++) {
        o.sd[1] = i ? .02 : .05, o.stored = 8;
        text_clear(&text);
        outlook_text(&o, &x, &text);
        if (i)
            OMITS("The margin");
        else
            SAYS("  The margin of 0.02 is below what 8 seeds can show: by the SD of b its interval reaches +-0.033; 19 "
                 "seeds would be enough.\n");
    }
}
