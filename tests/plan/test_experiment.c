/* Experiment files: what they mean, profile by profile, and with --set and --arm. */
#include <dirent.h>

#include "bench/formats/document.h"
#include "bench/plan/experiment.h"
#include "tests/test.h"

#define ARMS "arms: {pre: {variant: pre}, peri: {variant: peri, lr: 2e-3}}\n"

static Experiment x; /* too large for a stack; each test has its own process */

static Rc parse_with(const char *text, const char *profile, int sets, const char *const *set, int arms,
                     const char *const *arm) {
    Overrides o = {.set = set, .sets = sets, .arm = arm, .arms = arms};
    e = (Error){0};
    experiment_release(&x);
    return experiment_parse(&x, "f.yaml", text, profile, &o, &e);
}

static void must(const char *text, const char *profile) {
    cr_assert_eq(parse_with(text, profile, 0, NULL, 0, NULL), RC_OK, "%s\n%s", e.text, text);
}

static void refused(const char *want) {
    cr_assert_eq(e.code, RC_USAGE, "not refused: %s", want);
    cr_expect_str_eq(e.text, want);
}

static const char *const whole =
    "# every construct of a file\n"
    "name: whole\ntitle: \"A whole file: all of it\"\nwriteup: '002'\nbaseline: b\nmetric: perplexity\nalpha: 0.01\n"
    "margin: 5e-2\nlayers: 2\nwidth: 32\nlr: [1e-3, 3e-3]\ntoken_std: [0.02, 1]\nsteps: 20\nseeds: 2\n"
    "arms:\n  a: {variant: pre}\n  b:\n    embed: rms # before its row\n    base: post\n    label: B, second\n"
    "  c: {variant: peri, lr: 0.5, gate: learned 0}\n"
    "profiles:\n  smoke: {seeds: [5, 3], arms: [c, b], lr: 1e-2}\n  full: {token_std: 0.5, heads: [4, 8]}\n  same:\n";

Test(experiment, a_whole_file) {
    char text[256];
    must(whole, NULL);
    cr_assert_str_eq(x.name, "whole");
    cr_assert_str_eq(x.title, "A whole file: all of it");
    cr_assert_str_eq(x.writeup, "002");
    cr_assert_str_eq(x.baseline, "b");
    cr_assert_eq(x.metric, METRIC_perplexity);
    cr_assert_str_eq(x.file, "f.yaml");
    cr_assert_str_eq(x.profile, "");
    cr_assert(x.alpha == 0.01 && x.margin == 0.05 && x.arms == 3 && x.factors == 2 && x.seeds == 2);
    cr_assert(x.seed[0] == 1 && x.seed[1] == 2);
    cr_assert_str_eq(x.arm[0].label, "a");
    cr_assert_str_eq(x.arm[1].label, "B, second");
    cr_assert_str_eq(x.arm[1].spec.variant.name, "post");
    cr_assert_eq(x.arm[1].spec.variant.embed, NORM_rmsnorm);
    cr_assert_eq(x.arm[2].spec.variant.gate.kind, RULE_learned);
    cr_assert_eq(experiment_cells(&x), 4);
    const double lr[] = {1e-3, 1e-3, 3e-3, 3e-3}, std[] = {0.02, 1, 0.02, 1};
    for (int cell = 0; cell < 4; cell++) {
        for (int arm = 0; arm < 3; arm++) {
            char hash[2][SHA256_HEX], own[SHA256_HEX];
            experiment_hashes(&x, cell, arm, hash);
            for (int seed = 0; seed < 2; seed++) {
                RunSpec one = experiment_spec(&x, cell, arm, seed);
                spec_hash(&one, own);
                cr_assert_str_eq(hash[seed], own);
            }
            RunSpec s = experiment_spec(&x, cell, arm, 1);
            cr_assert_eq(s.lr, arm == 2 ? 0.5 : lr[cell], "an arm's own key wins over a factor");
            cr_assert(s.token_std == std[cell] && s.layers == 2 && s.width == 32 && s.steps == 20 && s.seed == 2);
        }
    }
    cr_assert_str_eq(experiment_cell_text(text, &x, 1), "lr = 1e-3, token_std = 1");
    cr_assert_str_eq(experiment_cell_text(text, &x, 2), "lr = 3e-3, token_std = 0.02");
    experiment_release(&x);
    cr_assert_null(x.seed);
}

/* What is shown changes no plan: runs declared before still count. */
Test(experiment, table_and_panels_are_said_by_the_file) {
    static const char *const shown = "table: [bits_per_byte, {metric: spikes, heading: Spikes & co}]\n"
                                     "panels: [train_loss, block_grad_norm, {curve: lr, axis: linear}]\n" ARMS;
    char plan[65];
    must(ARMS, NULL);
    strcpy(plan, x.plan);
    cr_assert(x.rows == 5 && x.row[0].metric == METRIC_valid_loss && x.row[4].metric == METRIC_embedding_norm);
    cr_assert(x.panels == 3 && x.block_panels == 2);
    cr_assert_str_eq(x.panel[1].curve->name, "grad_norm");
    cr_assert(x.panel[1].axis == AXIS_auto && x.block_panel[1].axis == AXIS_log);
    must(shown, NULL);
    cr_assert_str_eq(x.plan, plan);
    cr_assert(x.rows == 2 && x.row[1].metric == METRIC_spikes && !x.row[0].heading[0]);
    cr_assert_str_eq(x.row[1].heading, "Spikes & co");
    cr_assert(x.panels == 2 && x.block_panels == 1 && x.panel[1].axis == AXIS_linear);
    cr_assert_str_eq(x.panel[1].curve->name, "lr");
}

/* A title speaks of the file's own arms: of others it would be untrue. */
Test(experiment, a_changed_plan_is_called_by_its_arms) {
    static const char text[] = "name: toy\ntitle: Every placement\nbaseline: pre\nseeds: 2\narms: {pre: {variant: pre, "
                               "label: Pre-LN}, post: {variant: post, label: Post-LN}, peri: {variant: peri}}\n";
    static const char many[] = "name: toy\ntitle: Every placement\nseeds: 2\narms: {a: {variant: pre}, b: {variant: "
                               "pre}, c: {variant: pre}, d: {variant: pre}, e: {variant: pre}}\n";
    const char *const arm[] = {"{base: peri}", "mine: {base: pre, label: Mine}"}, *const set[] = {"layers=2"};
    must(text, NULL);
    cr_expect_str_eq(x.title, "Every placement");
    OK(parse_with(text, NULL, 1, set, 0, NULL));
    cr_expect_str_eq(x.title, "Post-LN and peri against Pre-LN (from toy)");
    OK(parse_with(text, NULL, 0, NULL, 2, arm));
    cr_expect_str_eq(x.title, "Mine against Peri-LN (from toy)");
    OK(parse_with(text, NULL, 0, NULL, 1, arm + 1));
    cr_expect_str_eq(x.title, "Mine alone (from toy)");
    OK(parse_with(many, NULL, 1, set, 0, NULL));
    cr_expect_str_eq(x.title, "4 arms against a (from toy)");
}

/* A long title ends with a whole character. */
Test(experiment, a_title_is_cut_between_characters) {
#define TEN "éééééééééé"
#define LABEL "label: xx" TEN TEN TEN "}"
    const char *const arm[] = {"a: {base: pre, " LABEL, "b: {base: post, " LABEL, "c: {base: peri, " LABEL};
    OK(parse_with("name: toy\nbaseline: d\n" ARMS, NULL, 0, NULL, 3, arm));
    cr_expect(!strncmp(x.title, "xx" TEN, 22) && !memcmp(x.title + strlen(x.title) - 2, "é", 2), "%s", x.title);
    cr_expect_eq(strlen(x.title), sizeof x.title - 2);
}

Test(experiment, profiles_override_the_file) {
    char text[256];
    must(whole, "smoke");
    cr_assert_str_eq(x.profile, "smoke");
    cr_assert(x.arms == 2 && x.seeds == 2 && x.seed[0] == 3 && x.seed[1] == 5 && x.factors == 1);
    cr_assert_str_eq(x.arm[0].name, "b", "the file's order");
    cr_assert_str_eq(x.arm[1].name, "c");
    cr_assert(experiment_spec(&x, 1, 0, 1).lr == 0.01 && experiment_spec(&x, 1, 1, 1).lr == 0.5);
    must(whole, "full");
    cr_assert(x.factors == 2 && !strcmp(x.factor[1].key, "heads") && x.arms == 3 && x.seeds == 2);
    cr_assert_str_eq(experiment_cell_text(text, &x, 3), "lr = 3e-3, heads = 8");
    must(whole, "same");
    parse_with(whole, "fool", 0, NULL, 0, NULL);
    refused("f.yaml:22: no profile 'fool'; there are: smoke, full, same");
    parse_with(ARMS, "quick", 0, NULL, 0, NULL);
    refused("f.yaml: no profile 'quick'; the file has none ('profiles: {quick: {}}')");
    parse_with("baseline: peri\nprofiles: {q: {arms: [pre]}}\n" ARMS, "q", 0, NULL, 0, NULL);
    refused("f.yaml:1: baseline: there is no arm 'peri'; did you mean 'pre'?");
    must(ARMS, NULL);
    cr_assert_str_eq(x.baseline, "pre");
    cr_assert_str_eq(x.name, "f");
    cr_assert_str_eq(x.title, "f");
    cr_assert(x.seeds == 1 && x.seed[0] == 1 && x.alpha == 0.05 && x.margin == 0.02 && experiment_cells(&x) == 1);
    cr_assert_str_eq(experiment_cell_text(text, &x, 0), "");
}

Test(experiment, set_comes_after_the_profile) {
    const char *const set[] = {"lr=0.25", " token_std = [1e-1, 2] ", "seeds=[7]", "layers=3", "dataset=text:/a, [b]=c"};
    OK(parse_with(whole, "smoke", 5, set, 0, NULL));
    RunSpec s = experiment_spec(&x, 1, 0, 0);
    cr_assert(s.lr == 0.25 && s.token_std == 2 && s.seed == 7 && s.layers == 3 && x.factors == 1);
    cr_assert_str_eq(s.dataset.text, "text:/a, [b]=c");
    const struct {
        const char *set, *error;
    } rows[] = {
        {"layers=8.5", "--set: layers: '8.5' is not a whole number"},
        {"layer=8", "--set: unknown key 'layer'; did you mean 'layers'?"},
        {"seed=8", "--set: unknown key 'seed'; did you mean 'seeds'?"},
        {"lr", "--set: 'lr' is not key=value"},
        {"=3", "--set: '=3' is not key=value"},
        {"lr=", "--set: lr: the value is missing"},
        {"lr=[1, 2", "--set: not yaml: did not find expected ',' or ']' (while parsing a flow sequence from line 1)"},
        {"lr=[1, x]", "--set: lr: 'x' is not a number"},
        {"seeds=x", "--set: seeds: 'x' is not a whole number"},
        {"heads=5", "--set: arm 'a': heads: 5 heads do not divide width 32"},
        {"width=30", "--set: arm 'a': heads: 8 heads do not divide width 30"},
        {"arms=[a]", "--set: arms are given with --arm"},
        {"baseline=a", "--set: 'baseline' belongs at the top level of the file"},
        {"attn.in=rms", "--set: 'attn.in' says where norms stand: it goes inside an arm, arms: {mine: "
                        "{variant: pre}}"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parse_with(whole, NULL, 1, &rows[i].set, 0, NULL);
        refused(rows[i].error);
    }
}

Test(experiment, arm_replaces_the_arms) {
    const char *const arm[] = {"{base: pre, attn.out: rms}", "mine: {base: post, label: My own, lr: 0.5}",
                               "{variant: pre, gate: learned -1, dataset: 'text:/a b'}", "{base: pre}",
                               "{base: none, attn.in: ln, attn.out: rms, mlp.in: ln, mlp.out: rms}"};
    OK(parse_with(whole, NULL, 0, NULL, 5, arm));
    const char *const name[] = {"pre+attn.out=rmsnorm", "mine", "pre+gate=learned_-1+dataset=text__a_b", "pre",
                                "none+attn.in=layernorm+attn.out=rmsnor-8afdca66"};
    const char *const label[] = {"Pre-LN + attn.out rmsnorm", "My own",
                                 "Pre-LN + gate learned -1 + dataset text:/a b", "Pre-LN",
                                 "No norm + attn.in layernorm + attn.out rmsnorm + 2 more"};
    for (int i = 0; i < 5; i++) {
        cr_expect_str_eq(x.arm[i].name, name[i]);
        cr_expect_str_eq(x.arm[i].label, label[i]);
    }
    cr_assert_eq(x.arms, 5);
    cr_assert_str_eq(x.baseline, name[0], "the file's baseline is gone");
    cr_assert(experiment_spec(&x, 3, 1, 0).lr == 0.5 && experiment_spec(&x, 3, 0, 0).lr == 3e-3);
    const struct {
        const char *arm, *error;
    } rows[] = {
        {"{base: prenorm}", "--arm: unknown variant 'prenorm'; did you mean 'pre'?"},
        {"{attn.in: rms}", "--arm: the arm names no variant; for example {variant: pre}"},
        {"pre", "--arm: arm: an arm is a mapping such as {variant: pre}, not a value"},
        {"a b: {base: pre}", "--arm: arm: 'a b' is no name (letters, digits, '-', '_', '.')"},
        {"", "--arm: there is nothing in it"},
        {"{base: pre", "--arm: not yaml: did not find expected ',' or '}' (while parsing a flow mapping from line 1)"},
        {"{base: pre, attn.oot: rms}", "--arm: unknown key 'attn.oot'; did you mean 'attn.out'?"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parse_with(whole, NULL, 0, NULL, 1, &rows[i].arm);
        refused(rows[i].error);
    }
    const char *const twins[] = {"{base: pre}", "{variant: pre}"};
    parse_with(whole, NULL, 0, NULL, 2, twins);
    refused("--arm: two arms are called 'pre'");
}

Test(experiment, plan_is_what_decides) {
    char plan[65];
    must(whole, NULL);
    strcpy(plan, x.plan);
    /* Changes with every new key: change it knowingly. */
    cr_expect_str_eq(plan, "09fd423f46efea3aee7650009086e0d3b3a622882d99d1c58072fa51c59a0973");
    const char *const set[] = {"seeds=3", "lr=1e-3", "steps=21"};
    for (int i = 0; i < 3; i++) {
        OK(parse_with(whole, NULL, 1, &set[i], 0, NULL));
        cr_expect_str_neq(x.plan, plan, "%s", set[i]);
    }
    must(whole, "same");
    cr_expect_str_eq(x.plan, plan);
}

/* The order of a factor's numbers is that of the table's cells, not of the plan; words stand as they are written. */
Test(experiment, numbers_in_another_order_are_the_same_plan) {
    char plan[65];
    must("lr: [3e-4, 1e-3]\nlayers: [2, 4]\narms: {a: {variant: pre}, b: {variant: post}}\n", NULL);
    strcpy(plan, x.plan);
    must("lr: [1e-3, 3e-4]\nlayers: [4, 2]\narms: {a: {variant: pre}, b: {variant: post}}\n", NULL);
    cr_expect_str_eq(x.plan, plan);
    cr_expect_str_eq(x.factor[0].value[0], "0.001", "the cells keep the file's order");
    must("optimizer: [adam, sgd]\narms: {a: {variant: pre}}\n", NULL);
    strcpy(plan, x.plan);
    must("optimizer: [sgd, adam]\narms: {a: {variant: pre}}\n", NULL);
    cr_expect_str_neq(x.plan, plan);
}

/* What runs measure is no part of what they are. */
Test(experiment, probes_change_no_plan) {
    const ProbeChoice usual = probes_usual();
    char plan[65];
    must(whole, NULL);
    strcpy(plan, x.plan);
    cr_expect(probes_same(&x.probes, &usual));
    OK(parse_with(whole, NULL, 1, (const char *const[]){"probes=[usual, weight_norm]"}, 0, NULL));
    cr_expect_str_eq(x.plan, plan);
    cr_expect(x.probes.wanted[PROBE_weight_norm] && x.probes.wanted[PROBE_norm_input] && x.probes.every == 1);
    cr_expect_not(x.probes.wanted[PROBE_block_output]);
    must("probes: {names: [block_output], every: 10}\narms: {a: {variant: pre}}\n", NULL);
    cr_expect(x.probes.wanted[PROBE_block_output] && x.probes.wanted[PROBE_grad_norm] && x.probes.every == 10,
              "names are added to the usual ones");
    must("probes: [growth]\narms: {a: {variant: pre}}\n", NULL);
    cr_expect(x.probes.wanted[PROBE_stream_grad] && x.probes.wanted[PROBE_block_massive] && x.probes.every == 10,
              "a set of probes has a stride of its own");
    cr_expect_not(x.probes.wanted[PROBE_weight_norm]);
    must("probes: {every: 4, names: [growth, weight_norm]}\narms: {a: {variant: pre}}\n", NULL);
    cr_expect(x.probes.wanted[PROBE_grad_wq] && x.probes.wanted[PROBE_weight_norm] && x.probes.every == 4);
    must("probes: {every: 5}\narms: {a: {variant: pre}}\n", NULL);
    cr_expect(probes_same(&x.probes, &usual), "it thins what is added alone");
    must("probes: [weight_norm]\npanels: [weight_norm, block_grad_norm]\narms: {a: {variant: pre}}\n", NULL);
    cr_expect_not(x.hits);
    OK(parse_with(whole, NULL, 1, (const char *const[]){"hits=true"}, 0, NULL));
    cr_expect(x.hits && !strcmp(x.plan, plan));
}

/* Whatever stands in bench/experiments/ is read for each of its profiles. */
Test(experiment, shipped_files_parse_for_each_profile) {
    char path[4096], *bytes;
    size_t length;
    int files = 0, profiles = 0;
    DIR *folder = opendir(SOURCE_ROOT "/bench/experiments");
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *dot = strstr(entry->d_name, ".yaml");
        Document d;
        if (!dot) continue;
        *dot = 0;
        OK(experiment_find(path, sizeof path, SOURCE_ROOT, entry->d_name, &e));
        OK(file_read(path, &bytes, &length, &e));
        OK(document_parse(&d, path, bytes, length, &e));
        for (const Node *n = node_find(d.root, "profiles")->child; n; n = n->next, profiles++) {
            OK(experiment_read(&x, path, n->key, NULL, &e));
            cr_expect_str_eq(x.name, entry->d_name);
            cr_expect_str_eq(x.profile, n->key);
            experiment_release(&x);
        }
        document_release(&d);
        free(bytes);
        files++;
    }
    closedir(folder);
    cr_assert(files >= 3 && profiles >= files);
    experiment_find(path, sizeof path, SOURCE_ROOT, "embedding-norm", &e);
    OK(experiment_read(&x, path, "quick", NULL, &e));
    cr_expect(x.seeds == 8 && experiment_cells(&x) == 1 && x.arms == 4);
    experiment_release(&x);
    OK(experiment_read(&x, path, "full", NULL, &e));
    cr_expect(x.seeds == 8 && experiment_cells(&x) == 2 && x.arms == 4);
    experiment_release(&x);
}

Test(experiment, names_of_files) {
    char path[4096];
    experiment_find(path, sizeof path, SOURCE_ROOT, "embedding-nrm", &e);
    refused("unknown experiment 'embedding-nrm'; did you mean 'embedding-norm'?");
    experiment_find(path, sizeof path, SOURCE_ROOT, "./no such.yaml", &e);
    refused("./no such.yaml: no such file");
    experiment_find(path, sizeof path, "/nowhere", "smoke", &e);
    refused("unknown experiment 'smoke'; /nowhere/bench/experiments holds none");
    experiment_find(path, 8, SOURCE_ROOT, "smoke", &e);
    refused("the path of 'smoke' is too long");
    cr_assert_eq(experiment_read(&x, "no such.yaml", NULL, NULL, &e), RC_USAGE);
}

Test(experiment, pairs_that_are_compared_are_part_of_the_plan) {
    static const char arms[] = "arms: {pre: {variant: pre}, peri: {variant: peri}, mine: {variant: post}}\n"
                               "profiles: {quick: {arms: [pre, mine]}}\n";
    char text[400], plan[65];
    must(arms, NULL);
    cr_expect_eq(x.compares, 0);
    strcpy(plan, x.plan);
    snprintf(text, sizeof text, "compare: [mine - pre, mine  -  peri]\n%s", arms);
    must(text, NULL);
    cr_assert_eq(x.compares, 2);
    cr_expect(x.compare[0].arm == 2 && x.compare[0].against == 0 && x.compare[1].arm == 2 && x.compare[1].against == 1);
    cr_expect(strcmp(plan, x.plan) != 0, "other comparisons are another plan");
    must(text, "quick"); /* a pair with an arm that the profile leaves out is left out */
    cr_assert_eq(x.compares, 1);
    cr_expect(x.compare[0].arm == 1 && x.compare[0].against == 0);
}

Test(experiment, a_swept_rate_is_summed_up_at_its_best) {
    static const struct {
        const char *more;
        bool best;
    } cases[] = {{"lr: [1e-3, 3e-3]\nseeds: 6", true},
                 {"lr: 1e-3\nseeds: 6", false},
                 {"lr: [1e-3, 3e-3]\nseeds: 1", false},
                 {"lr: [1e-3, 3e-3]\nseeds: 6\nsummaries: []", false},
                 {"lr: [1e-3, 3e-3]\nseeds: 6\nsummaries: [ranking]", false},
                 {"lr: [1e-3, 3e-3]\nseeds: 6\nmetric: accuracy", false}};
    char text[400];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%s\narms: {pre: {variant: pre}, peri: {variant: peri}}\n", cases[i].more);
        must(text, NULL);
        cr_expect_eq(x.summary[SUMMARY_best], cases[i].best, "%s", cases[i].more);
    }
}
