/* Which runs and numbers are picked from logs, and every trap: refused or warned of by name. */
#include "bench/readers/pick.h"
#include "tests/test.h"

static Logs l;
static Pick p;

/* A run of three evaluations: v + 1 at step `last` / 2, v - 0.5 just before the end, v at the end. */
static Log *run(const char *path, double last, double v) {
    Log *log = logs_add(&l, 0, path, "", NULL);
    log_point(log, "val/loss", last / 2, v + 1);
    log_point(log, "val/loss", last - 1, v - .5);
    log_point(log, "val/loss", last, v);
    log_point(log, "train/loss", last, v / 2);
    return log;
}

/* Arms a and b, seeds 1 to 3, 100 steps. */
static void six(void) {
    char path[80];
    logs_release(&l);
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "runs/%c_s%d.jsonl", "ab"[i / 3], i % 3 + 1);
        run(path, 100, 3 + i * .25);
    }
}

static PickQuery usual(void) {
    return (PickQuery){.metric = "val/loss"};
}

static void make(PickQuery q) {
    pick_release(&p);
    logs_settle(&l);
    e = (Error){0};
    OK(pick_make(&p, &l, &q, &e));
}

static void says(const char *part) {
    cr_expect(strstr(p.remarks.at, part), "'%s' is not in:\n%s", part, p.remarks.at);
}

static void refused(PickQuery q, Rc code, const char *part) {
    pick_release(&p);
    logs_settle(&l);
    e = (Error){0};
    cr_expect_eq(pick_make(&p, &l, &q, &e), code, "%s: %s", part, e.text);
    cr_expect(strstr(e.text, part), "'%s' does not say '%s'", e.text, part);
}

Test(pick, the_last_step_and_the_usual_names) {
    six();
    make(usual());
    cr_expect(p.used == 6 && !p.unpaired && p.seeds && p.step == 100);
    cr_expect_str_eq(p.run[4].arm, "b");
    cr_expect(p.run[4].number == 2 && p.run[4].value == 4 && p.run[4].step == 100);
    HOLDS(p.read_as.at, ", 6 runs, 2 arms; val/loss");
    says("--name '{arm}_s{seed}' reads the names");
}

Test(pick, the_last_step_that_all_have) {
    six();
    Log *log = run("runs/b_s3.jsonl", 150, 9); /* steps 75, 149, 150 */
    log->saved = l.log[5].saved = false;
    log_point(log, "val/loss", 100, 7);
    log_fault(&l.log[5], "replaced by this test");
    make(usual());
    cr_expect(p.step == 100 && p.used == 6 && p.run[6].value == 7, "step %g, %d used, %g", p.step, p.used,
              p.run[6].value);
    says("Careful: last steps differ, from 100 (a_s1.jsonl) to 150 (b_s3.jsonl)");
}

Test(pick, the_best_step_is_optimistic_and_a_named_step_is_exact) {
    PickQuery q = usual();
    six();
    q.at = PICK_OWN_BEST;
    make(q);
    cr_expect(p.run[0].value == 2.5 && p.run[0].step == 99);
    says("optimistic");
    six();
    q.at = PICK_STEP, q.step = 50;
    make(q);
    cr_expect(p.run[0].value == 4 && p.used == 6);
    six();
    q.step = 51;
    refused(q, RC_UNMEASURED, "it has no value at step 51 (the nearest: 50)");
}

/* Three runs of three steps. Others' means of a1: 3, 2.25, 1.25, so step 3; of a2: 3, 1.5, 1.75, so step 2; of a3: 3,
 * 1.75, 1.5, so step 3. Own best values 1, 1, 1.5 are lower by 1, 1.5 and 0. Arm b has a NaN, which no mean holds:
 * of b1 5, 4, 6, so step 2; of b2 4.5, 3.5, 4, so step 2; of b3 4.5, 3.5, 2, so step 3. Own best: lower by 1, 0, 2. */
Test(pick, the_best_step_is_chosen_on_other_seeds) {
    static const double value[2][3][3] = {{{3, 1, 2}, {3, 2.5, 1}, {3, 2, 1.5}},
                                          {{4, 3, 2}, {5, 4, (double)NAN}, {5, 4, 6}}};
    static const double step[6] = {3, 2, 3, 2, 2, 3}, want[6] = {2, 2.5, 1.5, 3, 4, 6};
    PickQuery q = usual();
    for (int i = 0; i < 6; i++) {
        char path[40];
        snprintf(path, sizeof path, "runs/%c_s%d.jsonl", "ab"[i / 3], i % 3 + 1);
        Log *log = logs_add(&l, 0, path, "", NULL);
        for (int s = 0; s < 3; s++) log_point(log, "val/loss", s + 1, value[i / 3][i % 3][s]);
    }
    q.at = PICK_BEST;
    make(q);
    for (int i = 0; i < 6; i++)
        cr_expect(p.run[i].step == step[i] && p.run[i].value == want[i], "run %d: %g at step %g", i, p.run[i].value,
                  p.run[i].step);
    says("best on average over the other runs of an arm");
    says("each run's own best is optimistic, on average by 0.833 (a), 1 (b)");
}

Test(pick, no_best_step_without_other_runs_or_shared_steps) {
    PickQuery q = usual();
    q.at = PICK_BEST;
    run("runs/a_s1", 100, 3), run("runs/b_s1", 100, 4), run("runs/b_s2", 100, 4);
    make(q);
    says("arm a has one run, so that no step can be chosen on other seeds");
    says("optimistic");
    six();
    run("runs/b_s4.jsonl", 103, 4), run("runs/a_s4.jsonl", 100, 4);
    refused(q, RC_USAGE, "runs of arm 'b' share 0 of 3 steps");
}

Test(pick, a_crash_takes_its_partners_along) {
    six();
    log_fault(&l.log[1], "State is crashed");
    make(usual());
    cr_expect(p.used == 4 && !strcmp(p.run[4].why, "arm a has no run of its seed that can be used"), "%d: %s", p.used,
              p.run[4].why);
    says("Used 4 of 6 runs. Left out:");
    says("1: State is crashed (a_s2.jsonl)");
    PickQuery q = usual();
    q.unpaired = true;
    six();
    log_fault(&l.log[1], "State is crashed");
    make(q);
    cr_expect(p.used == 5 && p.unpaired);
}

Test(pick, an_arm_without_any_usable_run_is_named) {
    six();
    for (int i = 1; i <= 3; i++) {
        char path[80];
        snprintf(path, sizeof path, "runs/c_s%d.jsonl", i);
        log_fault(logs_add(&l, 0, path, "", NULL), "the event file holds no numbers");
    }
    make(usual());
    cr_expect_eq(p.used, 6);
    says("Careful: arm c is left out: none of its 3 runs can be used.");
}

Test(pick, runs_that_broke_off_are_no_results) {
    six();
    log_point(logs_add(&l, 0, "runs/a_s4.jsonl", "", NULL), "val/loss", 1, 9);
    run("runs/b_s4.jsonl", 100, 3);
    make(usual());
    HOLDS(p.run[6].why, "it ends at step 1, where the middle run ends at 100");
    cr_expect_eq(p.used, 6, "its partner is left out too");
    PickQuery q = usual();
    q.at = PICK_EVERY, q.curves = true;
    run("runs/b_s5.jsonl", 100, 3.75);
    Log *log = logs_add(&l, 0, "runs/a_s5.jsonl", "", NULL);
    log_point(log, "val/loss", 50, 4), log_point(log, "val/loss", 60, 3.5);
    make(q);
    HOLDS(p.run[6].why, "it ends at step 1, where the middle run ends at 100");
    says("Careful: last steps differ, from 60 (a_s5.jsonl) to 100 (a_s1.jsonl)");
    q.at = PICK_LAST; /* steps to a target */
    make(q);
    cr_expect(!p.run[6].why && !strstr(p.remarks.at, "last steps differ"), "%s", p.remarks.at);
}

/* Arms a and b, seeds 1 to 4, steps 10 to 400; seeds 3 and 4 of b diverge at a step and stop there. */
static void diverged_at(double end) {
    logs_release(&l);
    for (int i = 0; i < 8; i++) {
        char path[40];
        bool diverges = i > 5;
        snprintf(path, sizeof path, "runs/%c_s%d.jsonl", "ab"[i / 4], i % 4 + 1);
        Log *log = logs_add(&l, 0, path, "", NULL);
        for (double step = 10; step <= (diverges ? end : 400); step += 10)
            log_point(log, "val/loss", step, diverges && step == end ? (double)NAN : 5 - step / 200 + i * .01);
    }
}

Test(pick, runs_that_diverged_and_stopped_count_at_the_others_step) {
    static const PickAt at[] = {PICK_LAST, PICK_STEP, PICK_BEST};
    for (int early = 0; early < 2; early++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            PickQuery q = usual();
            diverged_at(early ? 20 : 200);
            q.at = at[k], q.step = 400;
            make(q);
            cr_expect_eq(p.used, 8, "--at %zu: %d used:\n%s", k, p.used, p.remarks.at);
            for (int i = 0; i < p.runs; i++)
                cr_expect(p.run[i].step == 400 && (i > 5 ? isnan(p.run[i].value) : p.run[i].value == 3 + i * .01),
                          "--at %zu, run %d: %g at step %g", k, i, p.run[i].value, p.run[i].step);
            cr_expect(!strstr(p.remarks.at, "last steps differ"));
            if (!k) says("Values are of step 400, the last that all runs have but for 2 that diverged before it.");
        }
}

Test(pick, an_own_best_value_of_a_run_that_diverged_is_named) {
    PickQuery q = usual();
    q.at = PICK_OWN_BEST;
    diverged_at(200);
    make(q);
    says("Careful: 2 runs diverged and count with the best value before; --at last counts them as diverged.");
    six();
    make(q);
    cr_expect(!strstr(p.remarks.at, "diverged"));
}

Test(pick, a_step_before_a_run_diverged_or_behind_all_is_no_other) {
    PickQuery q = usual();
    diverged_at(200);
    q.at = PICK_STEP, q.step = 190;
    make(q);
    cr_expect(p.used == 8 && fabs(p.run[7].value - 4.12) < 1e-9);
    diverged_at(200);
    q.step = 410;
    refused(q, RC_UNMEASURED, "it has no value at step 410 (the nearest: 400)");
}

Test(pick, runs_that_all_diverged_are_judged_at_the_latest_end) {
    six();
    for (int i = 0; i < 6; i++) log_point(&l.log[i], "val/loss", 110 + i, (double)NAN);
    make(usual());
    cr_expect_eq(p.used, 6);
    for (int i = 0; i < 6; i++) cr_expect(p.run[i].step == 115 && isnan(p.run[i].value));
}

Test(pick, a_copy_of_a_run_counts_once) {
    six();
    run("runs/a_s4.jsonl", 100, 3);
    run("runs/b_s4.jsonl", 100, 3);
    make(usual());
    HOLDS(p.run[6].why, "its numbers are those of a_s1.jsonl, step by step");
    says("have the same numbers, in arms a and b");
}

Test(pick, seeds_that_are_none) {
    PickQuery q = usual();
    six();
    run("more/a_s2.jsonl", 100, 8);
    refused(q, RC_USAGE, "seed 2 of arm 'a' is there twice: runs/a_s2.jsonl and more/a_s2.jsonl");
    six();
    q.name = "{arm}/checkpoint-{seed}/*";
    refused(q, RC_USAGE, "steps are no seeds");
    six();
    q.name = "{arm}_s{}", q.seed_key = "epoch";
    refused(q, RC_USAGE, "'epoch' counts steps, which are no seeds");
}

Test(pick, equal_seeds_of_unlike_random_states_are_named) {
    six();
    for (int i = 0; i < 6; i++) log_setting(&l.log[i], "rng_seed", i < 3 ? "11" : "22");
    make(usual());
    says("seed 1 has rng_seed 11 in arm a and 22 in arm b: equal numbers, no pairs");
}

Test(pick, arms_by_hand_by_settings_and_mixed) {
    static const char *const hand[] = {"first=a_s{seed}", "second=*_s{seed}"};
    PickQuery q = usual();
    six();
    q.arm = hand, q.arms = 2;
    make(q);
    cr_expect(!strcmp(p.run[0].arm, "first") && !strcmp(p.run[5].arm, "second") && p.run[5].number == 3);
    static const char *const turned[] = {"second=b_s{seed}", "first=a_s1*", "first=a_s{seed}"};
    six();
    q.arm = turned, q.arms = 3;
    make(q);
    cr_expect(p.runs == 6 && !strcmp(p.run[0].arm, "second"), "the arm that is named first is the baseline");
    cr_expect(!strcmp(p.run[3].arm, "first") && !strcmp(p.run[5].arm, "first"));
    q = usual();
    six();
    q.arm_key = "dropout";
    for (int i = 0; i < 6; i++) {
        if (i < 3) log_setting(&l.log[i], "model.dropout", "0.1");
        log_setting(&l.log[i], "lr", i % 3 ? "1" : "2");
    }
    for (int i = 0; i < 2; i++) {
        char path[40];
        snprintf(path, sizeof path, "runs/x%d", i);
        log_setting(run(path, 100, 1 + i), "lr", "1");
    }
    make(q);
    cr_expect(!strcmp(p.run[0].arm, "0.1") && !strcmp(p.run[5].arm, "(none)") && p.unpaired && !p.seeds);
    says("No seeds are known");
    says("Careful: runs of arm (none) differ in lr (2 values)");
    for (int i = 0; i < l.count; i++) log_setting(&l.log[i], "val/acc", i % 2 ? "0.5" : "0.51");
    make(q);
    cr_expect(!strstr(p.remarks.at, "val/acc"), "a result is no setting: %s", p.remarks.at);
    for (int i = 0; i < l.count; i++) log_setting(&l.log[i], "z_loss", i % 2 ? "0" : "1e-4");
    make(q);
    says("differ in z_loss (2 values)");
    six();
    q.arm_key = "drop";
    log_setting(&l.log[0], "dropout", "0.1");
    refused(q, RC_USAGE, "no run has a setting or column 'drop'; did you mean 'dropout'?");
}

/* Rows of a table: arm and seed are columns, and two rates make a seed twice in an arm. */
Test(pick, a_column_called_seed_makes_pairs) {
    for (int rates = 1; rates <= 2; rates++) {
        static const char *const one[] = {"lr=1"};
        PickQuery q = usual();
        logs_release(&l);
        char path[40], seed[8];
        for (int i = 0; i < 6 * rates; i++) {
            snprintf(path, sizeof path, "runs/x%d", i), snprintf(seed, sizeof seed, "%d", i % 3 + 4);
            Log *log = run(path, 100, 1 + i);
            log_setting(log, "norm", i / 3 % 2 ? "post" : "pre");
            log_setting(log, "seed", seed);
            log_setting(log, "lr", i < 6 ? "1" : "2");
        }
        q.arm_key = "norm";
        make(q);
        cr_expect(p.unpaired == (rates == 2) && p.seeds == (rates == 1));
        says(rates == 1 ? "Pairs are made by the setting seed" : "seed 6 of arm post is there twice");
        if (rates == 1) cr_expect(p.run[4].number == 5);
        q.where = one, q.where_count = 1;
        make(q);
        cr_expect(!p.unpaired && p.used == 6, "--where leaves each seed once");
        q.unpaired = true;
        make(q);
        cr_expect(p.unpaired && !p.seeds);
        q.unpaired = false, q.arm_key = NULL; /* a column called arm tells the arms */
        for (int i = 0; i < l.count; i++) log_setting(&l.log[i], "arm", log_setting_of(&l.log[i], "norm"));
        make(q);
        cr_expect(!p.unpaired && p.used == 6 && !strcmp(p.run[4].arm, "post"));
        says("Arm is column arm");
    }
    PickQuery q = usual();
    q.arm_key = "norm";
    for (int i = 0; i < l.count; i++) strcpy(l.log[i].setting[1].key, "Seed");
    while (l.count > 6) log_release(&l.log[--l.count]);
    make(q);
    cr_expect(!p.unpaired && p.run[4].number == 5, "%s", p.remarks.at);
}

Test(pick, no_column_arm_where_no_run_is_of_use) {
    PickQuery q = usual();
    six();
    for (int i = 0; i < 6; i++) log_fault(&l.log[i], "no line holds a number");
    q.list = true;
    make(q);
    cr_expect(!strstr(p.remarks.at, "column arm"), "%s", p.remarks.at);
}

Test(pick, wheres_and_pairs_that_are_no_numbers) {
    static const char *const where[] = {"size=7b"};
    PickQuery q = usual();
    six();
    q.name = "{arm}_{pair}.jsonl";
    make(q);
    says("Pairs: s1 = 1, s2 = 2, s3 = 3.");
    six();
    for (int i = 0; i < 6; i++) log_setting(&l.log[i], "size", i % 3 ? "7b" : "13b");
    q = usual(), q.where = where, q.where_count = 1;
    make(q);
    cr_expect_eq(p.used, 4);
    says("2: --where size=7b: its size is another");
    static const char *const wrong[] = {"siz=7b"};
    six();
    log_setting(&l.log[0], "size", "7b");
    q.where = wrong;
    refused(q, RC_USAGE, "no run has a setting or column 'siz'; did you mean 'size'?");
    static const char *const corpus[] = {"corpus=arc"};
    six();
    for (int i = 0; i < 6; i++) free(l.log[i].corpus), l.log[i].corpus = mem_text(i % 3 ? "arc" : "hs");
    q.where = corpus;
    make(q);
    cr_expect_eq(p.used, 4);
}

Test(pick, metrics_by_their_names) {
    PickQuery q = usual();
    six();
    q.metric = "loss";
    refused(q, RC_USAGE, "'loss' ends the names of 2 metrics; valid: val/loss, train/loss");
    six();
    q.metric = "val_loss";
    refused(q, RC_USAGE, "no run has 'val_loss'; did you mean 'val/loss'?");
    six();
    q.metric = NULL;
    refused(q, RC_USAGE, "--metric must say what is compared; valid: val/loss, train/loss");
    for (int i = 0; i < 2; i++) { /* a seed is no metric */
        logs_release(&l);
        for (int k = 0; k < 4; k++) {
            Log *log = logs_add(&l, 0, (const char *[]){"a_s1", "a_s2", "b_s1", "b_s2"}[k], "", NULL);
            log_point(log, "loss", 0, 3 + k), log_point(log, i ? "Seed" : "seed", 0, k % 2 + 1);
        }
        make(q);
        cr_expect_str_eq(p.metric, "loss");
    }
    six();
    q.metric = "train/loss";
    make(q);
    cr_expect(p.run[0].value == 1.5);
}

Test(pick, seeds_are_equal_as_numbers) {
    logs_release(&l);
    run("a_seed01", 100, 3), run("a_seed02", 100, 4), run("b_seed1", 100, 5), run("b_seed2", 100, 6);
    make(usual());
    cr_expect(p.used == 4 && p.run[0].number == 1 && p.run[2].number == 1);
    logs_release(&l);
    run("a_seed1", 100, 3), run("b_seed2", 100, 5);
    refused(usual(), RC_UNMEASURED, "arm b has no run of its seed that can be used; --name says where");
}

Test(pick, doubtful_steps_of_the_metric_are_named_and_no_others) {
    PickQuery q = usual();
    six();
    log_doubt_series(&l.log[1], "val/loss", "places are counted");
    make(q);
    says("Careful: a_s2.jsonl: places are counted.");
    for (int i = 0; i < l.count; i++) log_doubt_series(&l.log[i], "val/loss", "places are counted");
    make(q);
    says("Careful: all 6 runs: places are counted.");
    q.metric = "train/loss";
    make(q);
    cr_expect(!strstr(p.remarks.at, "places"), "%s", p.remarks.at);
}

Test(pick, a_step_that_is_there_twice_is_named) {
    six();
    log_point(&l.log[2], "val/loss", 50, 9), log_point(&l.log[2], "val/loss", 100, l.log[2].series[0].at[2].value);
    make(usual());
    says("Careful: val/loss is there again at up to 1 step, with another value; the last one is used (a_s3.jsonl).");
}

Test(pick, a_metric_that_holds_text_and_runs_of_no_use) {
    PickQuery q = usual();
    six();
    log_setting(&l.log[0], "acc", "71.5%");
    q.metric = "acc";
    refused(q, RC_USAGE, "'acc' holds '71.5%', which is no number (a column has a sign of percent behind");
    six();
    log_setting(&l.log[0], "acc", "3,28");
    refused(q, RC_USAGE, "decimals take a point");
    six();
    for (int i = 0; i < 6; i++) log_fault(&l.log[i], "a chart of groups");
    refused(q, RC_UNMEASURED, "none of 6 runs can be used; the first: a chart of groups");
    logs_release(&l);
    refused(q, RC_UNMEASURED, "nothing to compare: no run was found; --as READER says what a file is");
}

Test(pick, a_metric_with_and_without_a_sign_of_percent) {
    six();
    for (int i = 0; i < 6; i++) log_percent(&l.log[i], "val/loss"), l.log[i].written = "numbers with decimal commas";
    make(usual());
    HOLDS(p.read_as.at, "; val/loss in percent; numbers with decimal commas");
    six();
    log_percent(&l.log[4], "val/loss");
    refused(usual(), RC_USAGE, "val/loss: b_s2.jsonl is in percent and b_s3.jsonl is not; one unit is needed");
}

Test(pick, names_that_fit_nothing) {
    PickQuery q = usual();
    six();
    q.name = "{arm}-seed{seed}";
    refused(q, RC_USAGE, "fits none of 6 runs; the first is 'a_s1.jsonl'");
    logs_release(&l);
    run("x/deep-forest", 9, 1), run("x/icy-lake", 9, 2);
    q.name = NULL;
    refused(q, RC_USAGE, "nothing says which arm a run is of");
    static const char *const hand[] = {"post"};
    six();
    q.arm = hand, q.arms = 1;
    refused(q, RC_USAGE, "'post' is not NAME=PATTERN");
    static const char *const none[] = {"a=q*"};
    six();
    q.arm = none;
    refused(q, RC_USAGE, "fits none of the runs");
}
