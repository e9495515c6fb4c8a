/* Which runs and numbers are picked from logs, and every trap: refused or warned of by name. */
#include "bench/readers/pick.h"
#include "tests/test.h"

/* A run of three evaluations: v + 1 at step `last` / 2, v - 0.5 just before the end, v at the end. */
static Log *run(Logs *l, const char *path, double last, double v) {
    Log *log = logs_add(l, 0, path, "", NULL);
    log_point(log, "val/loss", last / 2, v + 1);
    log_point(log, "val/loss", last - 1, v - .5);
    log_point(log, "val/loss", last, v);
    log_point(log, "train/loss", last, v / 2);
    return log;
}

/* Arms a and b, seeds 1 to 3, 100 steps. */
static void six(Logs *l) {
    char path[80];
    *l = (Logs){0};
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "runs/%c_s%d.jsonl", "ab"[i / 3], i % 3 + 1);
        run(l, path, 100, 3 + i * .25);
    }
}

static PickQuery usual(void) {
    return (PickQuery){.metric = "val/loss"};
}

static void make(Pick *p, Logs *l, PickQuery q) {
    logs_settle(l);
    e = (Error){0};
    OK(pick_make(p, l, &q, &e));
}

static void release(Pick *p, Logs *l) {
    pick_release(p);
    logs_release(l);
}

static void says(const Pick *p, const char *part) {
    cr_expect(strstr(p->remarks.at, part), "'%s' is not in:\n%s", part, p->remarks.at);
}

static void refused(Logs *l, PickQuery q, Rc code, const char *part) {
    Pick p;
    logs_settle(l);
    e = (Error){0};
    cr_expect_eq(pick_make(&p, l, &q, &e), code, "%s: %s", part, e.text);
    cr_expect(strstr(e.text, part), "'%s' does not say '%s'", e.text, part);
    release(&p, l);
}

Test(pick, the_last_step_and_the_usual_names) {
    Logs l;
    Pick p;
    six(&l);
    make(&p, &l, usual());
    cr_expect(p.used == 6 && !p.unpaired && p.seeds && p.step == 100);
    cr_expect_str_eq(p.run[4].arm, "b");
    cr_expect(p.run[4].number == 2 && p.run[4].value == 4 && p.run[4].step == 100);
    HOLDS(p.read_as.at, ", 6 runs, 2 arms; val/loss");
    says(&p, "--name '{arm}_s{seed}' reads the names");
    release(&p, &l);
}

Test(pick, the_last_step_that_all_have) {
    Logs l;
    Pick p;
    six(&l);
    Log *log = run(&l, "runs/b_s3.jsonl", 150, 9); /* steps 75, 149, 150 */
    log->saved = l.log[5].saved = false;
    log_point(log, "val/loss", 100, 7);
    log_fault(&l.log[5], "replaced by this test");
    make(&p, &l, usual());
    cr_expect(p.step == 100 && p.used == 6 && p.run[6].value == 7, "step %g, %d used, %g", p.step, p.used,
              p.run[6].value);
    says(&p, "Careful: last steps differ, from 100 (a_s1.jsonl) to 150 (b_s3.jsonl)");
    release(&p, &l);
}

Test(pick, the_best_step_is_optimistic_and_a_named_step_is_exact) {
    Logs l;
    Pick p;
    PickQuery q = usual();
    six(&l);
    q.at = PICK_OWN_BEST;
    make(&p, &l, q);
    cr_expect(p.run[0].value == 2.5 && p.run[0].step == 99);
    says(&p, "optimistic");
    release(&p, &l);
    six(&l);
    q.at = PICK_STEP, q.step = 50;
    make(&p, &l, q);
    cr_expect(p.run[0].value == 4 && p.used == 6);
    release(&p, &l);
    six(&l);
    q.step = 51;
    refused(&l, q, RC_UNMEASURED, "it has no value at step 51 (the nearest: 50)");
}

/* Three runs of three steps. Others' means of a1: 3, 2.25, 1.25, so step 3; of a2: 3, 1.5, 1.75, so step 2; of a3: 3,
 * 1.75, 1.5, so step 3. Own best values 1, 1, 1.5 are lower by 1, 1.5 and 0. Arm b has a NaN, which no mean holds:
 * of b1 5, 4, 6, so step 2; of b2 4.5, 3.5, 4, so step 2; of b3 4.5, 3.5, 2, so step 3. Own best: lower by 1, 0, 2. */
Test(pick, the_best_step_is_chosen_on_other_seeds) {
    static const double value[2][3][3] = {{{3, 1, 2}, {3, 2.5, 1}, {3, 2, 1.5}},
                                          {{4, 3, 2}, {5, 4, (double)NAN}, {5, 4, 6}}};
    static const double step[6] = {3, 2, 3, 2, 2, 3}, want[6] = {2, 2.5, 1.5, 3, 4, 6};
    Logs l = {0};
    Pick p;
    PickQuery q = usual();
    for (int i = 0; i < 6; i++) {
        char path[40];
        snprintf(path, sizeof path, "runs/%c_s%d.jsonl", "ab"[i / 3], i % 3 + 1);
        Log *log = logs_add(&l, 0, path, "", NULL);
        for (int s = 0; s < 3; s++) log_point(log, "val/loss", s + 1, value[i / 3][i % 3][s]);
    }
    q.at = PICK_BEST;
    make(&p, &l, q);
    for (int i = 0; i < 6; i++)
        cr_expect(p.run[i].step == step[i] && p.run[i].value == want[i], "run %d: %g at step %g", i, p.run[i].value,
                  p.run[i].step);
    says(&p, "best on average over the other runs of an arm");
    says(&p, "each run's own best is optimistic, on average by 0.833 (a), 1 (b)");
    release(&p, &l);
}

Test(pick, no_best_step_without_other_runs_or_shared_steps) {
    Logs l = {0};
    Pick p;
    PickQuery q = usual();
    q.at = PICK_BEST;
    run(&l, "runs/a_s1", 100, 3), run(&l, "runs/b_s1", 100, 4), run(&l, "runs/b_s2", 100, 4);
    make(&p, &l, q);
    says(&p, "arm a has one run, so that no step can be chosen on other seeds");
    says(&p, "optimistic");
    release(&p, &l);
    six(&l);
    run(&l, "runs/b_s4.jsonl", 103, 4), run(&l, "runs/a_s4.jsonl", 100, 4);
    refused(&l, q, RC_USAGE, "runs of arm 'b' share 0 of 3 steps");
}

Test(pick, a_crash_takes_its_partners_along) {
    Logs l;
    Pick p;
    six(&l);
    log_fault(&l.log[1], "State is crashed");
    make(&p, &l, usual());
    cr_expect(p.used == 4 && !strcmp(p.run[4].why, "arm a has no run of its seed that can be used"), "%d: %s", p.used,
              p.run[4].why);
    says(&p, "Used 4 of 6 runs. Left out:");
    says(&p, "1: State is crashed (a_s2.jsonl)");
    release(&p, &l);
    PickQuery q = usual();
    q.unpaired = true;
    six(&l);
    log_fault(&l.log[1], "State is crashed");
    make(&p, &l, q);
    cr_expect(p.used == 5 && p.unpaired);
    release(&p, &l);
}

Test(pick, an_arm_without_any_usable_run_is_named) {
    Logs l;
    Pick p;
    six(&l);
    for (int i = 1; i <= 3; i++) {
        char path[80];
        snprintf(path, sizeof path, "runs/c_s%d.jsonl", i);
        log_fault(logs_add(&l, 0, path, "", NULL), "the event file holds no numbers");
    }
    make(&p, &l, usual());
    cr_expect_eq(p.used, 6);
    says(&p, "Careful: arm c is left out: none of its 3 runs can be used.");
    release(&p, &l);
}

Test(pick, runs_that_broke_off_are_no_results) {
    Logs l;
    Pick p;
    six(&l);
    log_point(logs_add(&l, 0, "runs/a_s4.jsonl", "", NULL), "val/loss", 1, 9);
    run(&l, "runs/b_s4.jsonl", 100, 3);
    make(&p, &l, usual());
    HOLDS(p.run[6].why, "it ends at step 1, where the middle run ends at 100");
    cr_expect_eq(p.used, 6, "its partner is left out too");
    release(&p, &l);
}

Test(pick, a_copy_of_a_run_counts_once) {
    Logs l;
    Pick p;
    six(&l);
    run(&l, "runs/a_s4.jsonl", 100, 3);
    run(&l, "runs/b_s4.jsonl", 100, 3);
    make(&p, &l, usual());
    HOLDS(p.run[6].why, "its numbers are those of a_s1.jsonl, step by step");
    says(&p, "have the same numbers, in arms a and b");
    release(&p, &l);
}

Test(pick, seeds_that_are_none) {
    Logs l;
    PickQuery q = usual();
    six(&l);
    run(&l, "more/a_s2.jsonl", 100, 8);
    refused(&l, q, RC_USAGE, "seed 2 of arm 'a' is there twice: runs/a_s2.jsonl and more/a_s2.jsonl");
    six(&l);
    q.name = "{arm}/checkpoint-{seed}/*";
    refused(&l, q, RC_USAGE, "steps are no seeds");
    six(&l);
    q.name = "{arm}_s{}", q.seed_key = "epoch";
    refused(&l, q, RC_USAGE, "'epoch' counts steps, which are no seeds");
}

Test(pick, equal_seeds_of_unlike_random_states_are_named) {
    Logs l;
    Pick p;
    six(&l);
    for (int i = 0; i < 6; i++) log_setting(&l.log[i], "rng_seed", i < 3 ? "11" : "22");
    make(&p, &l, usual());
    says(&p, "seed 1 has rng_seed 11 in arm a and 22 in arm b: equal numbers, no pairs");
    release(&p, &l);
}

Test(pick, arms_by_hand_by_settings_and_mixed) {
    Logs l;
    Pick p;
    static const char *const hand[] = {"first=a_s{seed}", "second=*_s{seed}"};
    PickQuery q = usual();
    six(&l);
    q.arm = hand, q.arms = 2;
    make(&p, &l, q);
    cr_expect(!strcmp(p.run[0].arm, "first") && !strcmp(p.run[5].arm, "second") && p.run[5].number == 3);
    release(&p, &l);
    static const char *const turned[] = {"second=b_s{seed}", "first=a_s1*", "first=a_s{seed}"};
    six(&l);
    q.arm = turned, q.arms = 3;
    make(&p, &l, q);
    cr_expect(p.runs == 6 && !strcmp(p.run[0].arm, "second"), "the arm that is named first is the baseline");
    cr_expect(!strcmp(p.run[3].arm, "first") && !strcmp(p.run[5].arm, "first"));
    release(&p, &l);
    q = usual();
    six(&l);
    q.arm_key = "dropout";
    for (int i = 0; i < 6; i++) {
        if (i < 3) log_setting(&l.log[i], "model.dropout", "0.1");
        log_setting(&l.log[i], "lr", i % 3 ? "1" : "2");
    }
    for (int i = 0; i < 2; i++) {
        char path[40];
        snprintf(path, sizeof path, "runs/x%d", i);
        log_setting(run(&l, path, 100, 1 + i), "lr", "1");
    }
    make(&p, &l, q);
    cr_expect(!strcmp(p.run[0].arm, "0.1") && !strcmp(p.run[5].arm, "(none)") && p.unpaired && !p.seeds);
    says(&p, "No seeds are known");
    says(&p, "Careful: runs of arm (none) differ in lr (2 values)");
    release(&p, &l);
    six(&l);
    q.arm_key = "drop";
    log_setting(&l.log[0], "dropout", "0.1");
    refused(&l, q, RC_USAGE, "no run has a setting or column 'drop'; did you mean 'dropout'?");
}

/* Rows of a table: arm and seed are columns, and two rates make a seed twice in an arm. */
Test(pick, a_column_called_seed_makes_pairs) {
    for (int rates = 1; rates <= 2; rates++) {
        static const char *const one[] = {"lr=1"};
        PickQuery q = usual();
        Logs l = {0};
        Pick p;
        char path[40], seed[8];
        for (int i = 0; i < 6 * rates; i++) {
            snprintf(path, sizeof path, "runs/x%d", i), snprintf(seed, sizeof seed, "%d", i % 3 + 4);
            Log *log = run(&l, path, 100, 1 + i);
            log_setting(log, "norm", i / 3 % 2 ? "post" : "pre");
            log_setting(log, "seed", seed);
            log_setting(log, "lr", i < 6 ? "1" : "2");
        }
        q.arm_key = "norm";
        make(&p, &l, q);
        cr_expect(p.unpaired == (rates == 2) && p.seeds == (rates == 1));
        says(&p, rates == 1 ? "Pairs are made by the setting seed" : "seed 6 of arm post is there twice");
        if (rates == 1) cr_expect(p.run[4].number == 5);
        pick_release(&p);
        q.where = one, q.where_count = 1;
        make(&p, &l, q);
        cr_expect(!p.unpaired && p.used == 6, "--where leaves each seed once");
        pick_release(&p);
        q.unpaired = true;
        make(&p, &l, q);
        cr_expect(p.unpaired && !p.seeds);
        pick_release(&p);
        q.unpaired = false, q.arm_key = NULL; /* a column called arm tells the arms */
        for (int i = 0; i < l.count; i++) log_setting(&l.log[i], "arm", log_setting_of(&l.log[i], "norm"));
        make(&p, &l, q);
        cr_expect(!p.unpaired && p.used == 6 && !strcmp(p.run[4].arm, "post"));
        says(&p, "Arm is column arm");
        release(&p, &l);
    }
}

Test(pick, wheres_and_pairs_that_are_no_numbers) {
    Logs l;
    Pick p;
    static const char *const where[] = {"size=7b"};
    PickQuery q = usual();
    six(&l);
    q.name = "{arm}_{pair}.jsonl";
    make(&p, &l, q);
    says(&p, "Pairs: s1 = 1, s2 = 2, s3 = 3.");
    release(&p, &l);
    six(&l);
    for (int i = 0; i < 6; i++) log_setting(&l.log[i], "size", i % 3 ? "7b" : "13b");
    q = usual(), q.where = where, q.where_count = 1;
    make(&p, &l, q);
    cr_expect_eq(p.used, 4);
    says(&p, "2: --where size=7b: its size is another");
    release(&p, &l);
    static const char *const wrong[] = {"siz=7b"};
    six(&l);
    log_setting(&l.log[0], "size", "7b");
    q.where = wrong;
    refused(&l, q, RC_USAGE, "no run has a setting or column 'siz'; did you mean 'size'?");
}

Test(pick, metrics_by_their_names) {
    Logs l;
    Pick p;
    PickQuery q = usual();
    six(&l);
    q.metric = "loss";
    refused(&l, q, RC_USAGE, "'loss' ends the names of 2 metrics; valid: val/loss, train/loss");
    six(&l);
    q.metric = "val_loss";
    refused(&l, q, RC_USAGE, "no run has 'val_loss'; did you mean 'val/loss'?");
    six(&l);
    q.metric = NULL;
    refused(&l, q, RC_USAGE, "--metric must say what is compared; valid: val/loss, train/loss");
    l = (Logs){0};
    for (int i = 0; i < 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "%c_s%d", "ab"[i / 2], i % 2);
        log_point(logs_add(&l, 0, path, "", NULL), "acc,none", 0, i < 2 ? .5 : 50 + i);
    }
    q.metric = "acc";
    refused(&l, q, RC_USAGE, "arm 'b' is in percent and arm 'a' in fractions");
    six(&l);
    q.metric = "train/loss";
    make(&p, &l, q);
    cr_expect(p.run[0].value == 1.5);
    release(&p, &l);
}

Test(pick, seeds_are_equal_as_numbers) {
    Logs l;
    Pick p;
    l = (Logs){0};
    run(&l, "a_seed01", 100, 3), run(&l, "a_seed02", 100, 4), run(&l, "b_seed1", 100, 5), run(&l, "b_seed2", 100, 6);
    make(&p, &l, usual());
    cr_expect(p.used == 4 && p.run[0].number == 1 && p.run[2].number == 1);
    release(&p, &l);
    l = (Logs){0};
    run(&l, "a_seed1", 100, 3), run(&l, "b_seed2", 100, 5);
    refused(&l, usual(), RC_UNMEASURED, "arm b has no run of its seed that can be used; --name says where");
}

Test(pick, a_step_that_is_there_twice_is_named) {
    Logs l;
    Pick p;
    six(&l);
    log_point(&l.log[2], "val/loss", 50, 9), log_point(&l.log[2], "val/loss", 100, l.log[2].series[0].at[2].value);
    make(&p, &l, usual());
    says(&p,
         "Careful: val/loss is there again at up to 1 step, with another value; the last one is used (a_s3.jsonl).");
    release(&p, &l);
}

Test(pick, a_metric_that_holds_text_and_runs_of_no_use) {
    Logs l;
    PickQuery q = usual();
    six(&l);
    log_setting(&l.log[0], "acc", "71.5%");
    q.metric = "acc";
    refused(&l, q, RC_USAGE, "'acc' holds '71.5%', which is no number (a column has a sign of percent behind");
    six(&l);
    log_setting(&l.log[0], "acc", "3,28");
    refused(&l, q, RC_USAGE, "decimals take a point");
    six(&l);
    for (int i = 0; i < 6; i++) log_fault(&l.log[i], "a chart of groups");
    refused(&l, q, RC_UNMEASURED, "none of 6 runs can be used; the first: a chart of groups");
}

Test(pick, a_metric_with_and_without_a_sign_of_percent) {
    Logs l;
    Pick p;
    six(&l);
    for (int i = 0; i < 6; i++) log_percent(&l.log[i], "val/loss"), l.log[i].written = "numbers with decimal commas";
    make(&p, &l, usual());
    HOLDS(p.read_as.at, "; val/loss in percent; numbers with decimal commas");
    release(&p, &l);
    six(&l);
    log_percent(&l.log[4], "val/loss");
    refused(&l, usual(), RC_USAGE, "val/loss: b_s2.jsonl is in percent and b_s3.jsonl is not; one unit is needed");
}

Test(pick, names_that_fit_nothing) {
    Logs l;
    PickQuery q = usual();
    six(&l);
    q.name = "{arm}-seed{seed}";
    refused(&l, q, RC_USAGE, "fits none of 6 runs; the first is 'a_s1.jsonl'");
    l = (Logs){0};
    run(&l, "x/deep-forest", 9, 1), run(&l, "x/icy-lake", 9, 2);
    q.name = NULL;
    refused(&l, q, RC_USAGE, "nothing says which arm a run is of");
    static const char *const hand[] = {"post"};
    six(&l);
    q.arm = hand, q.arms = 1;
    refused(&l, q, RC_USAGE, "'post' is not NAME=PATTERN");
    static const char *const none[] = {"a=q*"};
    six(&l);
    q.arm = none;
    refused(&l, q, RC_USAGE, "fits none of the runs");
}
