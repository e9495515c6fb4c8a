/* compare --target: curves become the first step at which a run reaches the target. All numbers are worked by hand. */
#include <jansson.h>

#include "tests/compare/compared.h"
#include "tests/compare/json_page.h"
#include "tests/verdict/made_up.h"

static CompareColumns at(double target) {
    return (CompareColumns){.steps = true, .target = target};
}

/* pre reaches 2.5 at 200, 100, 300; post at 200 for seed 2 alone. Lines in any order; the curve may rise again. */
static const char curves[] = "seed,arm,step,value\n1,pre,200,2.4\n1,pre,0,4\n1,pre,100,3\n1,pre,300,2.6\n2,pre,0,4\n"
                             "2,pre,100,2.5\n2,pre,300,2.3\n3,pre,0,4\n3,pre,200,2.6\n3,pre,300,2.5\n"
                             "1,post,0,4\n1,post,200,\n1,post,300,2.9\n2,post,0,4\n2,post,100,3\n2,post,200,2.5\n"
                             "3,post,0,4\n3,post,100,nan\n";

Test(compare_target, first_step_and_censoring) {
    compared(curves, at(2.5), plain);
    static const double want[] = {200, 100, 300};
    for (int i = 0; i < 3; i++) cr_expect_eq(data.value[i], want[i], "%d: %g", i, data.value[i]);
    cr_expect(data.diverged[3] && !data.diverged[4] && data.diverged[5]);
    cr_expect_eq(data.value[4], 200);
    cr_expect(data.last == 300 && data.ended == 100);
    cr_expect_eq(result.options.cap, 301, "behind the last step");
    cr_expect(result.arm[0].all.median == 200 && result.arm[0].all.least == 100 && result.arm[0].all.most == 300);
    cr_expect(isinf(result.arm[1].all.median) && result.arm[1].all.least == 200 && isinf(result.arm[1].all.most));
    const Comparison *c = result.family.at;
    cr_expect_eq(c->pairs.d[0], 101);
    cr_expect_eq(c->pairs.d[1], 100);
    cr_expect_eq(c->chance.wins, 0);
    cr_expect_eq(c->flip.count, 2, "all three later: 2 of 8");
    cr_expect_eq(result.family.floor, .25);
    says(compare_text, " pre 200 100 300 ", true);
    says(compare_text, " post never 200 never 2 of 3 ", true);
    says(compare_text, "withheld (never)", true);
    says(compare_text, "fewer steps are better", true);
    says(compare_text, "95% t interval", true);
    says(compare_notes, "ended at step 100, where others went on to 300", true);
    says(compare_text, "diverged", false);
    compared(curves, at(2.9), plain); /* seed 1 of post reaches it at 300 */
    cr_expect_eq(data.value[3], 300);
    compared(curves, at(9), plain); /* all at their first step */
    cr_expect(data.value[0] == 0 && !data.lost && isinf(data.ended));
    cr_expect_eq(result.arm[1].all.most, 0);
}

/* One and the same curve of both arms, of which post is evaluated every 40 steps and pre every 10; a step at which
 * another run diverged is none. */
Test(compare_target, evaluations_that_are_farther_apart) {
    for (int every = 10; every <= 40; every += 30) {
        LOCAL_TEXT(text);
        text_format(&text, "seed,arm,step,value\n");
        for (int seed = 1; seed <= 8; seed++)
            for (int step = 0; step <= 120; step += 10) {
                text_format(&text, "%d,pre,%d,%g\n", seed, step, 5 - step * .01 - seed * .001);
                if (step % every == 0) text_format(&text, "%d,post,%d,%g\n", seed, step, 5 - step * .01 - seed * .001);
            }
        text_format(&text, "9,pre,0,5\n9,pre,45,nan\n9,post,0,5\n9,post,45,nan\n");
        compared(text.at, at(4.5), plain);
        cr_expect(data.coarse[0] == 0 && data.coarse[1] == (every > 10 ? 40 : 0), "%g %g", data.coarse[0],
                  data.coarse[1]);
        says(compare_notes, "Careful: one arm was evaluated more seldom", every > 10);
        says(compare_notes, "may come of that: post (evaluations of post up to 40 steps apart, a difference of 27)",
             every > 10);
    }
}

/* Eight seeds, each 10 steps earlier; a rise to a score; a column per arm; records. */
Test(compare_target, verdicts_and_forms) {
    LOCAL_TEXT(wide);
    LOCAL_TEXT(records);
    text_format(&wide, "seed,epoch,base,fast\n");
    for (int seed = 1; seed <= 8; seed++)
        for (int step = 0; step <= 100; step += 10) {
            double base = step + seed, fast = step + seed + 10;
            text_format(&wide, "%d,%d,%g,%g\n", seed, step, base, fast);
            text_format(&records, "{\"seed\": %d, \"step\": %d, \"arm\": \"base\", \"value\": %g}\n", seed, step, base);
            text_format(&records, "{\"seed\": %d, \"step\": %d, \"arm\": \"fast\", \"value\": %g}\n", seed, step, fast);
        }
    CompareOptions higher = plain;
    higher.higher = true;
    CompareColumns columns = {.steps = true, .target = 50, .rising = true, .step = "epoch"};
    compared(wide.at, columns, higher);
    cr_expect_eq(data.value[0], 50);
    cr_expect_eq(data.value[8], 40);
    const Comparison *c = result.family.at;
    cr_expect_eq(c->t.mean, -10);
    cr_expect_eq(c->joint.step_count, 2);
    cr_expect_str_eq(compare_word(&result, c->decision), "better", "ten steps fewer");
    cr_expect_eq(compare_exit(&result), RC_OK);
    char hash[SHA256_HEX];
    strcpy(hash, data.hash);
    columns.step = NULL;
    compared(records.at, columns, plain);
    cr_expect_str_eq(data.hash, hash);
    columns.unpaired = true;
    compared(records.at, columns, plain);
    cr_expect_eq(result.family.at->flip.total, 12870);
    cr_expect_str_eq(compare_word(&result, result.family.at->decision), "better");
}

/* The slow arm never gets there in any of eight seeds: ranks and steps agree, so it is worse. */
Test(compare_target, never_in_any_seed_is_worse) {
    LOCAL_TEXT(file);
    text_format(&file, "seed,step,base,slow\n");
    for (int seed = 1; seed <= 8; seed++)
        for (int step = 0; step <= 100; step += 10) text_format(&file, "%d,%d,%d,9\n", seed, step, 10 - step / 10);
    compared(file.at, at(1), plain);
    const Comparison *c = result.family.at;
    cr_expect_str_eq(compare_word(&result, c->decision), "worse");
    cr_expect_eq(c->joint.step_count, 2);
    cr_expect_eq(c->mcnemar.p, 2. / 256);
    cr_expect_eq(compare_exit(&result), RC_REGRESSION);
}

Test(compare_target, json) {
    compared(curves, at(2.5), plain);
    LOCAL_TEXT(out);
    compare_json(&result, &out);
    json_t *root = json_loads(out.at, JSON_REJECT_DUPLICATES, NULL), *target = json_object_get(root, "target");
    cr_assert(target);
    cr_expect_eq(json_real_value(json_object_get(target, "value")), 2.5);
    cr_expect_str_eq(json_string_value(json_object_get(target, "reached")), "at most");
    json_t *arm = json_array_get(json_object_get(root, "arms"), 1), *steps = json_object_get(arm, "steps");
    cr_expect_str_eq(json_string_value(json_object_get(steps, "median")), "never");
    cr_expect_eq(json_real_value(json_object_get(steps, "least")), 200);
    cr_expect_eq(json_integer_value(json_object_get(steps, "never")), 2);
    cr_expect(strstr(out.at, "withheld: a run never reached the target"));
    static const char *const keys[] = {"target", "reached", "last_step", "steps", "median", "never"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) cr_expect(in_json_page(keys[i]), "%s", keys[i]);
    json_decref(root);
}

static void refused(const char *text, CompareColumns columns, const char *what) {
    e = (Error){0};
    Rc rc = compare_parse(&data, "FILE", columns, text, strlen(text), &e);
    if (!rc) rc = compare_make(&result, &data, &plain, 1, &e);
    cr_expect_eq(rc, RC_USAGE, "'%s': exit code %d", text, rc);
    cr_expect(strstr(e.text, what), "'%s' does not say '%s'", e.text, what);
    compare_data_release(&data);
}

Test(compare_target, files_that_are_refused) {
    refused("seed,arm,value\n1,a,2\n1,b,3\n", at(2), "the header has no column 'step'");
    refused("seed,arm,step,value\n1,a,0,2\n1,a,0,3\n", at(2), "FILE:3: seed 1 and step 0 of arm 'a' is there twice");
    refused("seed,arm,step,value\n1,a,0.5,2\n", at(2), "FILE:2:step: '0.5' is not a whole number");
    refused("seed,arm,step,value\n1,a,0,x\n", at(2), "FILE:2:value: 'x' is not a number");
    refused("seed,arm,step,value\n1,a,0,2\n1,b,0,2\n2,a,0,2\n2,b,0,\n", at(2), "missing for arm 'b'");
    refused("seed,arm,step,block,value\n1,a,0,1,2\n", at(2), "unknown column 'block' (seed, arm, value, step");
    refused("{\"arms\": {\"a\": {\"1\": 2}, \"b\": {\"1\": 2}}}", at(2), "has no steps");
    refused("[{\"seed\": 1, \"arm\": \"a\", \"value\": 2}]", at(2),
            "FILE: no record has 'step' (--column step=NAME names it); there are: 'seed', ");
    refused("seed,arm,step,value\n1,a,0,2\n", (CompareColumns){0}, "--target VALUE reads curves");
    refused("seed,step,a,b\n1,0,2,3\n", (CompareColumns){0}, "--target VALUE reads curves");
    CompareOptions stall = plain;
    stall.stall = 3;
    OK(compare_parse(&data, "FILE", at(2.5), curves, strlen(curves), &e));
    cr_expect_eq(compare_make(&result, &data, &stall, 1, &e), RC_USAGE);
    HOLDS(e.text, "--stall is a bound of values");
    compare_data_release(&data);
}
