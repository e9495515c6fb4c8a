/* Plans whose keys are valid and that cannot mean what they say: each kind is named, and no shipped plan is. */
#include <dirent.h>

#include "bench/plan/doubt.h"
#include "tests/test.h"

static void doubts_of(const char *keys, Text *out) {
    LOCAL(experiment_release) Experiment x;
    LOCAL_TEXT(yaml);
    text_format(&yaml, "name: t\ndataset: synthetic\nwidth: 32\nheads: 4\nsteps: 20\nevaluate_at: 0,10,20\n%s\n", keys);
    if (!strstr(keys, "arms:")) text_format(&yaml, "arms: {a: {variant: pre}, b: {variant: post}}\n");
    cr_assert_eq(experiment_parse(&x, "f.yaml", yaml.at, NULL, NULL, &e), RC_OK, "%s: %s", keys, e.text);
    experiment_doubts(&x, out);
}

#define ARMS(own) "arms: {a: {variant: pre}, b: {variant: pre, " own "}}"

static const struct {
    const char *keys, *says; /* the whole text; "": no doubt */
} rows[] = {
    {"lr: 0", "lr: the learning rate is 0 in every step, so nothing is trained\n"},
    {"lr: 0\nschedule: cosine\nwarmup: 5", "lr: the learning rate is 0 in every step, so nothing is trained\n"},
    {"lr: 0\nschedule: inverse_sqrt\nwarmup: 20", "lr: the learning rate is 0 in every step, so nothing is trained\n"},
    {"lr: [0, 1e-3]", "arm 'a', lr = 0 and 1 more: lr: the learning rate is 0 in every step, so nothing is trained\n"},
    {ARMS("lr: 0"), "arm 'b': lr: the learning rate is 0 in every step, so nothing is trained\n"},
    {"lr: 0\nwarmup: 5\nwarmup_lr: 1e-3\nschedule: linear", "warmup_lr: the warm-up falls, from 1e-3 to lr 0\n"},
    {"lr: 1e-3\nschedule: cosine\nfinal_lr: 1",
     "final_lr: the rate rises from lr 1e-3 to 1 at the end (schedule cosine)\n"},
    {"lr: 1e-3\nschedule: linear\nfinal_lr: 0.002\nwarmup: 5",
     "final_lr: the rate rises from lr 1e-3 to 2e-3 at the end (schedule linear)\n"},
    {"lr: 1e-3\nschedule: cosine\nfinal_lr: 1e-3",
     "final_lr: it equals lr, so the schedule (cosine) changes nothing\n"},
    {"lr: 0.02\nweight_decay: 75",
     "weight_decay: an update multiplies weights by 1 - lr weight_decay = -0.5, not above 0\n"},
    {"lr: 0.02\nweight_decay: 75\noptimizer: sgd", ""},
    {"init_std: 0", "init_std: it is 0, and no gradient reaches matrices of a block that are all 0\n"},
    {"alpha: 0.95", "alpha: 0.95 is above 0.5; it is the level of the tests, 1 minus the confidence\n"},
    {"lr: [1e-2, 3e-2]\n" ARMS("lr: 0.02"),
     "lr: arm b sets its own, so that its rows at 1e-2, 3e-2 are all of runs at 2e-2\n"},
    {ARMS("tokenizer: byte"), "tokenizer: arms a and b differ in it, so their losses are of different tokens\n"},
    {ARMS("out_strength: 0.5"), "arm 'b': out_strength: it changes nothing: no block has a norm that "
                                "it applies to\n"},
    {"lr: 1e-3\nschedule: cosine\nfinal_lr: 1e-4\nwarmup: 5\nwarmup_lr: 1e-5", ""},
    {"schedule: inverse_sqrt\nwarmup: 4", ""},
    {"warmup: 20\nschedule: cosine",
     "warmup: the warm-up ends with the run, after 20 of 20 steps: the schedule (cosine) never begins\n"},
    {"warmup: 19\nschedule: cosine", ""},
    {"warmup: [5, 20]",
     "arm 'a', warmup = 20 and 1 more: warmup: the warm-up ends with the run, after 20 of 20 steps: the "
     "schedule (constant) never begins\n"},
    {"final_lr: 1e-5", "final_lr: it changes nothing: the schedule is neither linear nor cosine\n"},
    {"warmup_lr: 1e-5", "warmup_lr: it changes nothing: there is no warm-up\n"},
    {"momentum: 0.5", "momentum: it changes nothing: the optimizer is not sgd\n"},
    {"momentum: 0.5\noptimizer: [adamw, sgd]", ""},
    {"final_lr: 1e-5\nschedule: constant", ""}, /* a profile may say so of a file with a decay */
    {"dropout_seed: 3", "dropout_seed: it changes nothing: dropout is 0\n"},
    {"dropout_seed: 3\ndropout: 0.1", ""},
    {"long_lines: truncate", "long_lines: it changes nothing: nothing is translated\n"},
    {"metric: bleu", "metric: no run has bleu: nothing is translated\n"},
    {"metric: int8_cost", "metric: no run has int8_cost: it is measured with quantize: true\n"},
    {"metric: int8_cost\nquantize: true", ""},
    {"metric: overflows", "metric: no run has overflows: this precision stores nothing in 16 bits\n"},
    {"metric: overflows\nprecision: fp16", ""},
    {"metric: probe_early", "metric: no run has probe_early: it is measured with probes: [linear_probe]\n"},
    {"metric: probe_early\nprobes: [linear_probe]", ""},
    {"metric: grad_ratio\nlayers: 1", "metric: grad_ratio cannot vary: it compares blocks, and there are too few\n"},
    {"metric: grad_ratio\nlayers: 2", ""},
    {"metric: grad_spread\nlayers: 2", "metric: grad_spread cannot vary: it compares blocks, and there are too few\n"},
    {"metric: spikes", "metric: spikes cannot vary: a spike is counted against the 128 steps before it, and the run "
                       "has no more steps than these\n"},
    {"metric: spikes\narms: {a: {variant: pre, steps: 129}, b: {variant: post, steps: 129}}", ""},
    {"seeds: 3\ninit_seed: 1\norder_seed: 1",
     "seeds: nothing random depends on them (init_seed, order_seed are fixed), so 3 seeds give one run\n"},
    {"seeds: 3\ninit_seed: 1", ""},
    {"summaries: [ranking]", "summaries: a ranking needs several learning rates: lr: [3e-4, 1e-3, 3e-3]\n"},
    {"summaries: [best]", "summaries: best needs several learning rates: lr: [3e-4, 1e-3, 3e-3]\n"},
    {"summaries: [best]\nlr: [1e-3, 2e-3]", ""},
    {"summaries: [across]", "summaries: across needs one factor of several values: layers: [4, 8]\n"},
    {"summaries: [across]\nlayers: [1, 2]", ""},
    {"summaries: [across]\nlayers: [1, 2]\nffn_mult: [2, 4]",
     "summaries: across needs one factor of several values: layers: [4, 8]\n"},
    {"arms: {a: {variant: pre, label: X}, b: {variant: post, label: X}}",
     "label: arms a and b are both called 'X' in tables and figures\n"},
    {ARMS("gate: moves 0.5 0.5"), "arm 'b': gate: it moves from a number to the same one; a number alone says so "
                                  "(moves 0.5 0.5)\n"},
    {ARMS("gate: {from: 1, rule: moves 1 1}"), "arm 'b': gate: it moves from a number to the same one; a number alone "
                                               "says so (1; moves 1 1 from 1)\n"},
    {ARMS("gate: moves 0.5 0.55"), ""},
    {ARMS("gate: moves 1 0"), ""},
    {"summaries: [ranking]\nlr: [1e-3, 2e-3]", ""},
};

Test(doubt, each_kind_is_named) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LOCAL_TEXT(out);
        doubts_of(rows[i].keys, &out);
        cr_expect_str_eq(out.at, rows[i].says, "%s:\n%s", rows[i].keys, out.at);
    }
}

/* A metric of a sweep is none of a run. */
Test(doubt, one_rate_and_a_metric_about_rates) {
    Metric m;
    cr_expect_eq(metric_find(&m, "rate_stable", &e), RC_USAGE);
    cr_expect_str_eq(e.text,
                     "rate_stable: it is made of the runs of a sweep over lr, for claims and summaries; a metric "
                     "is of one run");
}

/* No doubt about a plan that the checkout holds. */
Test(doubt, shipped_plans_are_meant) {
    char path[1024];
    DIR *all = opendir(SOURCE_ROOT "/bench/experiments");
    int plans = 0;
    cr_assert(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        static const char *const profiles[] = {"smoke", "quick", "full"};
        if (!strstr(entry->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, SOURCE_ROOT "/bench/experiments/%.200s", entry->d_name);
        for (int i = 0; i < 3; i++) {
            Experiment x;
            if (experiment_read(&x, path, profiles[i], NULL, &e)) continue;
            LOCAL_TEXT(out);
            experiment_doubts(&x, &out);
            bool one = !i && !strncmp(out.at, "summaries: a ranking", 20); /* smoke has one rate of the sweep */
            cr_expect(!out.length || one, "%s, %s: %s", entry->d_name, profiles[i], out.at);
            experiment_release(&x);
            plans++;
        }
    }
    cr_expect_gt(plans, 40);
    closedir(all);
}
