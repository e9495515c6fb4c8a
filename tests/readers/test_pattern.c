/* Patterns of names: what real naming schemes look like, and patterns that are none. */
#include "bench/readers/pattern.h"
#include "tests/test.h"

static void reads(const char *pattern, const char *path, const char *arm, const char *seed, const char *corpus) {
    Captured c;
    cr_assert(pattern_fits_path(pattern, path, &c), "%s: %s", pattern, path);
    cr_expect_str_eq(c.text[PATTERN_arm], arm, "%s: %s", pattern, path);
    const char *label = c.text[PATTERN_seed][0] ? c.text[PATTERN_seed] : c.text[PATTERN_pair];
    cr_expect_str_eq(label, seed, "%s: %s", pattern, path);
    cr_expect_str_eq(c.text[PATTERN_corpus], corpus, "%s: %s", pattern, path);
}

static void fails(const char *pattern, const char *path) {
    Captured c;
    cr_expect(!pattern_fits_path(pattern, path, &c), "%s: %s: arm %s", pattern, path, c.text[PATTERN_arm]);
}

Test(pattern, schemes_of_real_names) {
    reads("s{seed}_{arm}_drop{}", "s33_dual_rotary_drop-1", "dual_rotary", "33", "");
    reads("{arm}/*/{seed}/trainer_state.json", "runs/de/large/2/trainer_state.json", "de", "2", "");
    reads("{arm}_s{seed}.jsonl", "out/k1p5_s7.jsonl", "k1p5", "7", "");
    reads("{arm}_s{seed}", "out/k1p5_s7.jsonl", "k1p5", "7", "");       /* without its ending */
    reads("{arm}_s{seed}", "out/k1p5_s7/metrics.csv", "k1p5", "7", ""); /* or its last part */
    reads("*_125m_{arm}_*_seed{seed}_*/metrics.jsonl", "d/web_125m_muon_10b_seed2024_4k_1/metrics.jsonl", "muon",
          "2024", "");
    reads("{arm}_fold{seed}_seed{seed}", "hpo_width-512_fold2_seed10", "hpo_width-512", "2.10", "");
    reads("{arm}/*/random_seed__{seed}__*", "quad/Adam/lr__0.1/random_seed__42__2019-02-13.json", "Adam", "42", "");
    reads("{corpus}/TD3_*_{seed}.npy", "curves/Hopper/TD3_Hopper-v1_9.npy", "", "9", "Hopper");
    reads("model-{pair}-{arm}/*.json", "r/model-70b-v1.1/model-70b-v1.1_task.json", "v1.1", "70b", "");
    reads("version_{3,7}/{arm}", "logs/version_7/pre", "pre", "", "");
    reads("{arm}/**", "outputs/weighted/checkpoint-177/state.json", "outputs", "", "");
    reads("outputs/{arm}/**", "outputs/weighted/checkpoint-177/state.json", "weighted", "", "");
}

Test(pattern, a_seed_is_all_of_its_digits) {
    fails("{arm}_s{seed}4", "pre_s34"); /* not seed 3 with a 4 behind it */
    fails("{arm}_s{seed}", "pre_s");
    fails("{arm}_s{seed}", "pre_sx");
    fails("version_{3,7}/*", "logs/version_37/metrics.csv");
    fails("{arm}/metrics.csv", "metrics.csv");
    fails("a?c", "a/c");
    fails("{}/x", "a/b/y");
}

Test(pattern, a_pattern_of_many_choices_ends) {
    char text[400];
    memset(text, 'a', sizeof text - 1), text[sizeof text - 1] = 0;
    fails("*a*a*a*a*a*a*a*a*a*a*a*b", text);
}

static void refused(const char *pattern, const char *part) {
    e = (Error){0};
    cr_assert_eq(pattern_check("--name", pattern, &e), RC_USAGE, "%s", pattern);
    cr_expect(strstr(e.text, part), "'%s' does not say '%s'", e.text, part);
}

Test(pattern, patterns_that_are_none) {
    refused("{arm}_s{seed", "a brace does not end");
    refused("{arm}_s{sed}", "'{sed}' is none of {seed}");
    refused("{arm}_s{sed}", "did you mean 'seed'?");
    cr_expect_eq(pattern_check("--name", "{arm}_{}_{a,b}_s{seed}*", &e), RC_OK);
    cr_expect(pattern_has("{a,b}_{seed}", PATTERN_seed) && !pattern_has("{a,b}_{seed}", PATTERN_arm));
}
