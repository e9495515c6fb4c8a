/* Arms: ranges of blocks in a file and in --arm, names and labels, and what a lone --arm is compared with. */
#include "bench/plan/experiment.h"
#include "models/norm.h"
#include "tests/test.h"

static Experiment x; /* too large for a stack; each test has its own process */

static Rc read_arms(const char *text, int arms, const char *const *arm, bool alone) {
    Overrides o = {.arm = arm, .arms = arms, .alone = alone};
    e = (Error){0};
    experiment_release(&x);
    return experiment_parse(&x, "f.yaml", text, NULL, &o, &e);
}

static const char *column(int arm, const char *key) {
    static char value[VARIANT_TEXT_SIZE];
    return variant_get(value, &x.arm[arm].spec.variant, key);
}

Test(arm, ranges_in_a_file) {
    OK(
        read_arms("layers: 6\narms:\n"
                  "  late: {base: pre, attn.out: {from: 2/3, norm: rmsnorm}}\n"
                  "  two:\n    base: peri\n    mlp.out:\n    - {to: 0, norm: none}\n    - from: 0.5\n      norm: rms\n"
                  "  whole: {base: pre, attn.out: {norm: ln}}\n"
                  "  listed: {base: pre, attn.out: [ln, {from: 2, to: 3, norm: center}]}\n"
                  "  text: {base: pre, attn.out: none; rmsnorm from 2/3}\n",
                  0, NULL, false));
    cr_expect_str_eq(column(0, "attn.out"), "none; rmsnorm from 2/3");
    cr_expect_str_eq(column(1, "mlp.out"), "layernorm; none to 0; rmsnorm from 1/2");
    cr_expect_str_eq(column(2, "attn.out"), "layernorm");
    cr_expect_str_eq(column(3, "attn.out"), "layernorm; center from 2 to 3");
    LOCAL_TEXT(map);
    LOCAL_TEXT(text);
    spec_text_keys(&x.arm[0].spec, &map), spec_text_keys(&x.arm[4].spec, &text);
    cr_expect_str_eq(map.at, text.at, "a map and its text are one arm");
    /* A record's text reads back as the same run. */
    RunSpec again, spec = experiment_spec(&x, 0, 1, 0);
    text_clear(&map), text_clear(&text);
    spec_text(&spec, &map);
    OK(spec_parse(&again, map.at, &e));
    spec_text(&again, &text);
    cr_expect_str_eq(map.at, text.at);
    cr_expect_str_eq(again.variant.name, "custom");
}

/* Rules take ranges as norms do, and of one sublayer. */
Test(arm, ranges_of_rules) {
    OK(read_arms("layers: 6\narms:\n"
                           "  late: {base: pre, gate: {from: 2/3, rule: learned 0}}\n"
                           "  two: {base: pre, attn.gate: [{to: 0, rule: 0.5}, {from: 1/2, rule: ramp 0.3 0.1}]}\n"
                           "  whole: {base: pre, mlp.gate: {rule: learned_row 1}}\n"
                           "  listed: {base: pre, attn.carry: [2, {from: 3, rule: moves 0 1}], carry: 3}\n"
                           "  text: {base: pre, gate: 1; learned 0 from 2/3}\n"
                           "  back: {base: pre, attn.gate: gate, gate: {from: 0, rule: 1}}\n"
                           "  plain: {base: pre}\n",
                           0, NULL, false));
    cr_expect_str_eq(column(0, "gate"), "1; learned 0 from 2/3");
    cr_expect_str_eq(column(0, "attn.gate"), "gate");
    cr_expect_str_eq(column(1, "gate"), "1");
    cr_expect_str_eq(column(1, "attn.gate"), "gate; 0.5 to 0; ramp 0.3 0.1 from 1/2");
    cr_expect_str_eq(column(2, "mlp.gate"), "learned_row 1");
    cr_expect_str_eq(column(3, "attn.carry"), "2; moves 0 1 from 3");
    cr_expect_str_eq(column(3, "carry"), "3");
    static const int same[][2] = {{0, 4}, {5, 6}};
    for (int i = 0; i < 2; i++) {
        LOCAL_TEXT(one);
        LOCAL_TEXT(other);
        spec_text_keys(&x.arm[same[i][0]].spec, &one), spec_text_keys(&x.arm[same[i][1]].spec, &other);
        cr_expect_str_eq(one.at, other.at);
    }
    for (int arm = 0; arm < x.arms; arm++) { /* a record's text reads back as the same run */
        RunSpec again, spec = experiment_spec(&x, 0, arm, 0);
        LOCAL_TEXT(one);
        LOCAL_TEXT(other);
        spec_text(&spec, &one);
        OK(spec_parse(&again, one.at, &e));
        spec_text(&again, &other);
        cr_expect_str_eq(one.at, other.at);
    }
}

Test(arm, bad_ranges) {
    static const struct {
        const char *column, *error;
    } rows[] = {
        {"attn.out: {from: 5/0, norm: rms}",
         "f.yaml:3: attn.out: from: '5/0' is neither a block (0 is the first) nor a "
         "fraction of the depth such as 2/3 or 0.5"},
        {"attn.out: {from: 3/4, to: 1/4, norm: rms}",
         "f.yaml:3: attn.out: 'from 3/4 to 1/4' holds no block: it ends before it begins"},
        {"attn.out: {form: 3/4, norm: rms}", "f.yaml:3: attn.out: unknown key 'form'; a range has norm, from, to"},
        {"attn.out: {from: 3/4}", "f.yaml:3: attn.out: 'norm' is missing; for example {from: 2/3, norm: rmsnorm}"},
        {"attn.out: {from: 1/2, norm: }", "f.yaml:3: attn.out: norm: one word is needed, such as rmsnorm"},
        {"attn.out: {from: [1], norm: rms}", "f.yaml:3: attn.out: from: one word is needed, such as 2/3"},
        {"attn.out: {from: 1/2, norm: rms to 1}", "f.yaml:3: attn.out: norm: one word is needed, such as rmsnorm"},
        {"attn.out: {from: 1/2, norm: rmsnrm}", "f.yaml:3: attn.out: unknown norm 'rmsnrm'; did you mean 'rmsnorm'?"},
        {"attn.out: []", "f.yaml:3: attn.out: the list is empty"},
        {"attn.out: [ln, [rms]]", "f.yaml:3: attn.out: an entry is a norm or {from: 2/3, norm: rmsnorm}"},
        {"embed: {from: 1/2, norm: rms}",
         "f.yaml:3: embed: one value is needed, not a mapping; only norms and rules inside the "
         "blocks take a range (attn.in, gate, …)"},
        {"logit_scale: [1, 2]", "f.yaml:3: logit_scale: one value is needed, not a list; only norms and rules inside "
                                "the blocks take a range (attn.in, gate, …)"},
        {"gate: {from: 1/2, norm: rms}", "f.yaml:3: gate: unknown key 'norm'; a range has rule, from, to"},
        {"gate: {from: 1/2}", "f.yaml:3: gate: 'rule' is missing; for example {from: 2/3, rule: learned 0}"},
        {"gate: {from: 1/2, rule: 1; 2}", "f.yaml:3: gate: rule: a number or a rule is needed, such as learned 0"},
        {"gate: {from: 1/2, rule: lerned 0}",
         "f.yaml:3: gate: 'lerned 0' is neither a number nor a rule; did you mean 'learned'?"},
        {"gate: [0, [1]]", "f.yaml:3: gate: an entry is a rule or {from: 2/3, rule: learned 0}"},
        {"attn.gate: learned_block 0", "f.yaml:3: attn.gate: 'learned_block' is not possible here"},
        {"gate: {from: 4, rule: 0.5}", "f.yaml:3: arm 'a': gate: 0.5 'from 4' needs 5 blocks; layers is 4"},
        {"streams: hyper 2, mlp.carry: {to: 0, rule: 2}",
         "f.yaml:3: arm 'a': mlp.carry: not possible with streams: hyper, whose sublayers end in no sum x + f"},
        {"attn.carry: {to: 0, rule: rest 0.5}",
         "f.yaml:3: arm 'a': attn.carry: rest takes no number, and 0.5 stands behind it"},
        {"attn.out: {from: 4, norm: rms}", "f.yaml:3: arm 'a': attn.out: rmsnorm 'from 4' needs 5 blocks; layers is 4"},
        {"attn.out: {to: 1/5, norm: rms}",
         "f.yaml:3: arm 'a': attn.out: rmsnorm 'to 1/5' holds no block when layers is 4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, "layers: 4\narms:\n  a: {base: pre, %s}\n", rows[i].column);
        cr_expect_eq(read_arms(text, 0, NULL, false), RC_USAGE, "%s", rows[i].column);
        cr_expect(!strncmp(e.text, rows[i].error, strlen(rows[i].error)), "%s\n%s", e.text, rows[i].error);
    }
    cr_expect_eq(read_arms("layers: [4, 8]\narms:\n  a: {base: pre, attn.out: {from: 5, norm: rms}}\n", 0, NULL, false),
                 RC_USAGE, "every depth of a sweep is looked at");
    /* In --arm the depth is the file's. */
    const char *const arm[] = {"{base: pre, attn.out: {from: 9, norm: rms}}"};
    cr_expect_eq(read_arms("width: 8\nlayers: 4\narms: {a: {base: pre}}\n", 1, arm, false), RC_USAGE);
    cr_expect_str_eq(e.text, "f.yaml:2: arm 'pre+attn.out=rmsnorm_from_9': attn.out: rmsnorm 'from 9' needs 10 blocks; "
                             "layers is 4");
}

static const char *const file = "baseline: second\nlayers: 4\nlr: [1e-3, 2e-3]\n"
                                "arms:\n  first: {base: peri}\n  second: {base: post}\n";

/* One --arm alone: its base, as it stands, comes first and is the baseline. */
Test(arm, a_lone_arm_is_compared_with_its_base) {
    static const struct {
        const char *arm, *name[2], *label[2];
    } rows[] = {
        {"{base: pre, attn.out: rmsnorm}", {"pre", "pre+attn.out=rmsnorm"}, {"Pre-LN", "Pre-LN + attn.out rmsnorm"}},
        {"{base: pre, attn.out: {from: 2/3, norm: rms}}",
         {"pre", "pre+attn.out=rmsnorm_from_2_3"},
         {"Pre-LN", "Pre-LN + attn.out rmsnorm from 2/3"}},
        {"mine: {base: post, gate: learned 0}", {"post", "mine"}, {"Post-LN", "mine"}},
        {"post: {base: post, gate: learned 0}", {"base", "post"}, {"Post-LN", "post"}},
        {"second: {base: peri, lr: 0.5}", {"peri", "second"}, {"Peri-LN", "second"}},
        {"{base: pre, lr: 5e-4, label: Slow}", {"pre", "pre+lr=0.0005"}, {"Pre-LN", "Slow"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OK(read_arms(file, 1, &rows[i].arm, false));
        cr_expect(x.compared && x.arms == 2, "%s", rows[i].arm);
        cr_expect_str_eq(x.baseline, rows[i].name[0]);
        for (int arm = 0; arm < 2; arm++) {
            cr_expect_str_eq(x.arm[arm].name, rows[i].name[arm]);
            cr_expect_str_eq(x.arm[arm].label, rows[i].label[arm]);
        }
        RunSpec base = experiment_spec(&x, 1, 0, 0);
        cr_expect(base.layers == 4 && base.lr == 2e-3, "the base has the file's keys");
        /* Its run is the one that the file's own arm of this row would have. */
        char own[SHA256_HEX], alone[SHA256_HEX], text[200];
        Experiment *plain = calloc(1, sizeof *plain);
        snprintf(text, sizeof text, "layers: 4\nlr: [1e-3, 2e-3]\narms: {a: {variant: %s}}\n", base.variant.name);
        OK(experiment_parse(plain, "f.yaml", text, NULL, NULL, &e));
        RunSpec same = experiment_spec(plain, 1, 0, 0);
        spec_hash(&same, own), spec_hash(&base, alone);
        cr_expect_str_eq(own, alone);
        experiment_release(plain), free(plain);
        /* And the arm itself is what it is without its base. */
        RunSpec with = experiment_spec(&x, 0, 1, 0);
        OK(read_arms(file, 1, &rows[i].arm, true));
        cr_expect(!x.compared && x.arms == 1);
        RunSpec without = experiment_spec(&x, 0, 0, 0);
        spec_hash(&with, own), spec_hash(&without, alone);
        cr_expect_str_eq(own, alone);
    }
}

Test(arm, others_are_taken_as_they_are) {
    const char *const two[] = {"{base: pre, attn.out: rms}", "{base: post}"}, *const plain[] = {"{base: pre}"};
    OK(read_arms(file, 2, two, false));
    cr_expect(x.arms == 2 && !x.compared);
    cr_expect_str_eq(x.baseline, "pre+attn.out=rmsnorm");
    OK(read_arms(file, 1, plain, false));
    cr_expect(x.arms == 1 && !x.compared, "a base as it stands is compared with nothing");
    OK(read_arms(file, 0, NULL, false));
    cr_expect(x.arms == 2 && !x.compared && !strcmp(x.baseline, "second"));
}

/* What does not fit into a label is counted, and the label never too long. */
Test(arm, labels_fit) {
    RunSpec base;
    Arm a;
    spec_init(&base);
    OK(arm_option(&a, "{base: pre, attn.out: rms, mlp.out: rms, embed: rms}", &base, NULL, &e));
    cr_expect_str_eq(a.label, "Pre-LN + attn.out rmsnorm + mlp.out rmsnorm + embed rmsnorm");
    OK(arm_option(&a, "{base: pre, attn.out: rms, mlp.out: rms, embed: rms, lr: 1, clip: 2}", &base, NULL,
                            &e));
    cr_expect_str_eq(a.label, "Pre-LN + attn.out rmsnorm + mlp.out rmsnorm + 3 more");
    OK(arm_option(&a, "{base: prepost, evaluate_at: '0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20'}",
                            &base, NULL, &e));
    cr_expect_str_eq(a.label, "Pre+Post-LN + 1 more");
    OK(arm_option(&a, "{base: pre, mlp.out: [{to: 0, norm: ln}, {from: 2, to: 3, norm: rms}], lr: 1}", &base,
                            NULL, &e));
    cr_expect_str_eq(a.label, "Pre-LN + mlp.out by block + lr 1");
}

/* `run --help` has every column, norm, rule and key of a range. */
Test(arm, help_is_whole) {
    LOCAL_TEXT(help);
    experiment_help(&help);
    for (int i = 0; i < variant_key_count; i++) cr_expect(strstr(help.at, variant_keys[i]), "%s", variant_keys[i]);
    for (int i = 0; i < NORM_COUNT; i++) cr_expect(strstr(help.at, norm_info[i].name), "%s", norm_info[i].name);
    for (int i = 0; i < RULE_COUNT; i++) cr_expect(strstr(help.at, rule_name((RuleKind)i)));
    cr_expect(strstr(help.at, "from ") && strstr(help.at, "to ") && strstr(help.at, "{from: 2/3, norm: rmsnorm}"));
}
