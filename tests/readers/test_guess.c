/* Arm and seed from names, as people write them; what is said where names tell nothing. */
#include "bench/readers/guess.h"
#include "tests/test.h"

Test(guess, names_as_people_write_them) {
    static const struct {
        const char *name, *arm, *seed; /* arm NULL: the name tells nothing */
        bool pairs;
    } cases[] = {{"seed_1234_lr3e-4_preln", "lr3e-4_preln", "1234", true},
                 {"preln/seed=3", "preln", "3", true},
                 {"pre - s1", "pre", "1", true},
                 {"post_seed=1", "post", "1", true},
                 {"norm=post,seed=7", "norm=post", "7", true},
                 {"lr3e-4_seed-2_preln", "lr3e-4_preln", "2", true},
                 {"gpt2.v2-Seed12", "gpt2.v2", "12", true},
                 {"pre_random_seed_42", "pre", "42", true},
                 {"post_run0", "post", "0", false},
                 {"pre/trial 3", "pre", "3", false},
                 {"pre_s1_run2", "pre_run2", "1", true},
                 {"pre_seed1_seed2", NULL, NULL, false},
                 {"seed1", NULL, NULL, false},
                 {"pre_1", NULL, NULL, false},
                 {"posts3", NULL, NULL, false},
                 {"2024-05-01_10-00-00_pre_seed01", "pre", "1", true},
                 {"20240501-101112/post-s10", "post", "10", true},
                 {"pre_20240501_s2", "pre", "2", true},
                 {"version_3", NULL, NULL, false},
                 {"run-20241012_153325-jnyhr7aj", NULL, NULL, false},
                 {"deep-forest-35", NULL, NULL, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Guess g = {.arm = ""};
        cr_expect_eq(guess_name(cases[i].name, &g), cases[i].arm != NULL, "%s: '%s'", cases[i].name, g.arm);
        if (!cases[i].arm) continue;
        cr_expect_str_eq(g.arm, cases[i].arm, "%s: '%s'", cases[i].name, g.arm);
        cr_expect_str_eq(g.seed, cases[i].seed, "%s: '%s'", cases[i].name, g.seed);
        cr_expect_eq(g.pairs, cases[i].pairs, "%s", cases[i].name);
    }
}

static Logs l;
static Pick p;

/* Arms a and b, two runs each; the path is a format of arm and seed. */
static void make(const char *path, bool settings, PickQuery q) {
    pick_release(&p);
    logs_release(&l);
    for (int i = 0; i < 4; i++) {
        char name[100], seed[8];
        snprintf(name, sizeof name, path, 'a' + i / 2, i % 2 + 1);
        snprintf(seed, sizeof seed, "%d", i % 2 + 1);
        Log *log = logs_add(&l, 0, name, "", NULL);
        log_point(log, "acc", 1, i / 8.);
        if (settings) log_setting(log, "norm", i / 2 ? "post" : "pre"), log_setting(log, "seed", seed);
    }
    logs_settle(&l);
    e = (Error){0};
    q.metric = "acc";
    pick_make(&p, &l, &q, &e);
}

Test(guess, paths_by_what_tells_runs_apart) {
    make("runs/%c_seed=%d/lightning_logs/version_0/metrics.csv", false, (PickQuery){.directed = true});
    cr_expect(!e.code && p.used == 4 && !p.unpaired && !strcmp(p.run[3].arm, "b") && p.run[3].number == 2, "%s",
              e.text);
    HOLDS(p.remarks.at, "From the names: 'a_seed=1' is arm 'a', seed 1.");
    cr_expect(!strstr(p.remarks.at, "counts as better"), "%s", p.remarks.at);
    make("runs/%c_run%d.csv", false, (PickQuery){0});
    cr_expect(!e.code && p.used == 4 && p.unpaired, "runs that are only counted are no pairs");
    HOLDS(p.remarks.at, "Careful: acc counts as better where it is lower; --better higher");
}

Test(guess, dates_are_no_seeds_unless_a_pattern_says_so) {
    make("runs/%c/2024050%d/metrics.csv", false, (PickQuery){0});
    cr_expect_eq(e.code, RC_USAGE, "%s", p.remarks.at);
    make("runs/%c/2024050%d/metrics.csv", false, (PickQuery){.name = "{arm}/{seed}/*"});
    cr_expect(!e.code && p.run[3].number == 20240502, "%s", e.text);
    make("runs/%c_s2024050%d/metrics.csv", false, (PickQuery){0});
    cr_expect(!e.code && p.run[3].number == 20240502, "%s", e.text);
}

Test(guess, what_is_said_where_names_tell_nothing) {
    static const struct {
        const char *path, *says;
        bool settings;
    } cases[] = {{"x/%c_%d.csv", "--name '{arm}_{seed}' as a pattern of 'a_1.csv'", false},
                 {"x/%c-%d/metrics.csv", "--name '{arm}-{seed}' as a pattern of", false},
                 {"x/%c/version_%d/metrics.csv", "--name '{arm}/version_*' as a pattern of", false},
                 {"x/%c%d.csv", "--column arm=KEY of its settings (these differ: norm, seed), or --arm", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(cases[i].path, cases[i].settings, (PickQuery){0});
        cr_expect(e.code == RC_USAGE && strstr(e.text, cases[i].says), "%s: %s", cases[i].path, e.text);
    }
}

/* Two readers' files of the same runs, in folders of their own. */
Test(guess, paths_are_read_alike_where_readers_differ) {
    PickQuery q = {.metric = "eval_loss"};
    for (int i = 0; i < 8; i++) {
        char path[100];
        snprintf(path, sizeof path, i < 4 ? "x/%c-s%d/state.json" : "x/%c-s%d/runs/May01_host/events", 'a' + i % 4 / 2,
                 i % 2);
        log_point(logs_add(&l, i / 4, path, "", NULL), i < 4 ? "eval_loss" : "eval/loss", 1, i);
    }
    logs_settle(&l);
    e = (Error){0};
    OK(pick_make(&p, &l, &q, &e));
    cr_expect(p.used == 4 && !strcmp(p.run[0].arm, "a") && !strcmp(p.run[7].arm, "b") && !strcmp(p.run[7].seed, "1"));
}

Test(guess, a_setting_called_seed_makes_pairs_where_it_tells_runs_apart) {
    make("x/%c%d.csv", true, (PickQuery){.arm_key = "norm"});
    cr_expect(!e.code && !p.unpaired && p.seeds && !strcmp(p.run[3].seed, "2"), "%s", e.text);
    HOLDS(p.remarks.at, "Pairs are made by the setting seed");
    make("x/%c%d.csv", true, (PickQuery){.arm_key = "norm", .unpaired = true});
    cr_expect(!e.code && p.unpaired);
    static const char *const all[] = {"all=*"};
    make("x/%c%d.csv", true, (PickQuery){.arm = all, .arms = 1});
    cr_expect(!p.seeds && strstr(p.remarks.at, "of arm all is there twice, so column seed makes no pairs"), "%s",
              p.remarks.at);
}
