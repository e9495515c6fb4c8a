/* RunSpec: its keys, what they refuse, and the canonical text that runs are known by. */
#include "base/sha256.h"
#include "bench/plan/spec.h"
#include "datasets/tokenizer.h"
#include "kernels/backend.h"
#include "tests/test.h"

static void refused(const char *want) {
    cr_assert_eq(e.code, RC_USAGE, "not refused: %s", want);
    cr_expect_str_eq(e.text, want);
}

Test(spec, defaults_are_the_table) {
    static const char *const defaults[][2] = {
#define FIELD(name, since, type, least, most, initial, help) {#name, initial},
#include "bench/plan/spec.def"
#undef FIELD
    };
    RunSpec s;
    char value[160];
    double number;
    spec_init(&s);
    cr_assert_eq(spec_key_count, sizeof defaults / sizeof *defaults);
    cr_assert_leq(spec_key_count, 64, "Arm.own and Reader.set have 64 bits");
    for (int i = 0; i < spec_key_count; i++) {
        cr_assert_str_eq(spec_keys[i], defaults[i][0]);
        cr_assert_eq(spec_index(spec_keys[i]), i);
        cr_assert(spec_help(spec_keys[i])[0]);
        spec_get(value, &s, spec_keys[i]);
        if (parse_real(defaults[i][1], &number))
            cr_expect_eq(strtod(value, NULL), number, "%s", spec_keys[i]);
        else
            cr_expect_str_eq(value, defaults[i][1]);
    }
    cr_assert_str_eq(s.variant.name, "pre");
    cr_assert_eq(s.seed, 1);
    cr_assert_not(spec_has("attn.in"));
    cr_assert_null(spec_help("attn.in"));
}

/* A value of its own for every key, so that no two can be mixed up. */
static void distinct(RunSpec *s) {
    static const char *const odd[][2] = {{"dataset", "text:/a b/c = d #e.txt"},
                                         {"ffn_mult", "3"},
                                         {"tokenizer", "byte"},
                                         {"activation", "relu"},
                                         {"bias", "false"},
                                         {"tied", "false"},
                                         {"residual_init", "plain"},
                                         {"optimizer", "radam"},
                                         {"schedule", "inverse_sqrt"},
                                         {"evaluate_at", "0,7,19"},
                                         {"positions", "rope"},
                                         {"objective", "masked"},
                                         {"shared_embeddings", "false"},
                                         {"mended", "true"},
                                         {"long_lines", "truncate"},
                                         {"precision", "bf16"},
                                         {"gate", "learned_row 1e-5"},
                                         {"carry", "deep_carry 1"},
                                         {"attn.qk", "rms"},
                                         {"mlp.post", "center"},
                                         {"embed", "ln"}};
    char value[40];
    spec_init(s);
    for (int i = 0; i < spec_key_count; i++) { /* flags, choices and words refuse a number, or are set below */
        snprintf(value, sizeof value, "0.%d", i + 21);
        if (spec_set(s, spec_keys[i], value, &e)) spec_set(s, spec_keys[i], value + 2, &e);
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        OK(spec_set(s, odd[i][0], odd[i][1], &e));
    s->seed = UINT64_MAX;
}

Test(spec, text_and_back_over_every_key) {
    RunSpec s, pre, back;
    LOCAL_TEXT(text);
    LOCAL_TEXT(again);
    char a[160], b[160];
    distinct(&s);
    spec_init(&pre);
    for (int i = 0; i < spec_key_count; i++)
        cr_expect_str_neq(spec_get(a, &s, spec_keys[i]), spec_get(b, &pre, spec_keys[i]), "%s kept its default",
                          spec_keys[i]);
    spec_text(&s, &text);
    OK(spec_parse(&back, text.at, &e));
    spec_text(&back, &again);
    cr_assert_str_eq(text.at, again.at);
    cr_assert_str_eq(back.variant.name, "custom");
    cr_assert_eq(back.seed, UINT64_MAX);
    for (int i = 0; i < variant_count; i++) {
        pre.variant = variants[i];
        text_clear(&text);
        spec_text(&pre, &text);
        OK(spec_parse(&back, text.at, &e));
        /* The first of the rows that are one network. */
        const char *name = !strcmp(variants[i].name, "sandwich") ? "peri" : variants[i].name;
        cr_assert_str_eq(back.variant.name, name);
    }
}

Test(spec, reals_survive_as_their_shortest_decimal) {
    RunSpec s, back;
    LOCAL_TEXT(text);
    spec_init(&s);
    uint64_t bits = 0x9e3779b97f4a7c15;
    for (int i = 0; i < 3000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        s.lr = ldexp((double)(bits >> 11), (int)(bits % 60) - 90);
        if (s.lr > 1e6) continue;
        text_clear(&text);
        spec_text(&s, &text);
        OK(spec_parse(&back, text.at, &e));
        cr_assert(!memcmp(&back.lr, &s.lr, sizeof s.lr), "%.17g became %.17g", s.lr, back.lr);
    }
    OK(spec_set(&s, "lr", "-0", &e));
    cr_assert_not(signbit(s.lr), "0 has one text");
}

Test(spec, canonical_text_is_stable) {
    RunSpec s;
    LOCAL_TEXT(text);
    char hex[SHA256_HEX];
    spec_init(&s);
    spec_text(&s, &text);
    cr_expect(!strncmp(text.at, "dataset = tinyshakespeare\ntokenizer = char\nlayers = 4\n", 54), "%s", text.at);
    cr_expect(strstr(text.at, "\nlr = 0.0003\n") && strstr(text.at, "\nadam_eps = 1e-08\n"), "%s", text.at);
    HOLDS(text.at, "\ncurve_batches = 2\nattn.in = layernorm\n");
    HOLDS(text.at, "\ndepth_scale = 1\nseed = 1\n");
    /* No new key, column or default may change it: the ids of stored runs hash this text. */
    cr_expect_str_eq(sha256_hex_of(hex, text.at, text.length),
                     "8d00f0c43a3572edbff5b62566305c1e2ef7d4295174d8ee700a4c64439179d4");
}

/* A key that is left out of a stored text means its default for ever. */
Test(spec, defaults_are_frozen) {
    static const struct {
        const char *key;
        int since;
        const char *initial;
    } frozen[] = {
        {"dataset", 1, "tinyshakespeare"},
        {"tokenizer", 1, "char"},
        {"layers", 1, "4"},
        {"width", 1, "128"},
        {"heads", 1, "8"},
        {"context", 1, "128"},
        {"batch", 1, "16"},
        {"ffn_mult", 1, "4"},
        {"activation", 1, "gelu"},
        {"bias", 1, "true"},
        {"tied", 1, "true"},
        {"norm_eps", 1, "1e-5"},
        {"init_std", 1, "0.02"},
        {"token_std", 1, "0.02"},
        {"position_std", 1, "0.02"},
        {"residual_init", 1, "scaled"},
        {"dropout", 1, "0"},
        {"optimizer", 1, "adamw"},
        {"lr", 1, "3e-4"},
        {"schedule", 1, "constant"},
        {"warmup", 1, "0"},
        {"warmup_lr", 1, "0"},
        {"final_lr", 1, "0"},
        {"beta1", 1, "0.9"},
        {"beta2", 1, "0.95"},
        {"adam_eps", 1, "1e-8"},
        {"momentum", 1, "0.9"},
        {"weight_decay", 1, "0.1"},
        {"clip", 1, "1"},
        {"steps", 1, "300"},
        {"evaluate_at", 1, "0,150,300"},
        {"curve_every", 1, "15"},
        {"curve_batches", 1, "2"},
        {"precision", 3, "exact"},
        {"positions", 4, "learned"},
        {"init_seed", 5, "0"},
        {"order_seed", 5, "0"},
        {"dropout_seed", 5, "0"},
        {"objective", 6, "next"},
        {"label_smoothing", 6, "0"},
        {"shared_embeddings", 6, "true"},
        {"long_lines", 6, "drop"},
        {"text_sha256", 7, "any"},
        {"mended", 7, "false"},
        {"attn.in", 1, "none"},
        {"attn.qk", 1, "none"},
        {"attn.mid", 1, "none"},
        {"attn.out", 1, "none"},
        {"attn.post", 1, "none"},
        {"mlp.in", 1, "none"},
        {"mlp.mid", 1, "none"},
        {"mlp.out", 1, "none"},
        {"mlp.post", 1, "none"},
        {"embed", 1, "none"},
        {"final", 1, "none"},
        {"carry", 1, "1"},
        {"gate", 1, "1"},
        {"depth_scale", 1, "1"},
        {"attn.v", 4, "none"},
        {"attn.qk_over", 4, "head"},
        {"in_strength", 4, "1"},
        {"out_strength", 4, "1"},
        {"post_strength", 4, "1"},
        {"head_scale", 4, "1"},
        {"hidden_scale", 4, "1"},
        {"block_carry", 4, "1"},
        {"x0", 4, "0"},
        {"shrink", 4, "0"},
        {"embed_scale", 4, "1"},
        {"logit_scale", 4, "1"},
        {"logit_cap", 4, "0"},
        {"streams", 4, "one"},
        {"init", 4, "recipe"},
        {"after_step", 4, "none"},
        {"attn.carry", 7, "carry"},
        {"mlp.carry", 7, "carry"},
        {"attn.gate", 7, "gate"},
        {"mlp.gate", 7, "gate"},
        {"attn.depth_scale", 7, "depth_scale"},
        {"mlp.depth_scale", 7, "depth_scale"},
        {"attn.in_strength", 7, "in_strength"},
        {"mlp.in_strength", 7, "in_strength"},
        {"attn.out_strength", 7, "out_strength"},
        {"mlp.out_strength", 7, "out_strength"},
        {"attn.post_strength", 7, "post_strength"},
        {"mlp.post_strength", 7, "post_strength"},
    };
    int known = sizeof frozen / sizeof *frozen;
    for (int i = 0; i < known; i++) {
        cr_expect_str_eq(spec_default(frozen[i].key), frozen[i].initial,
                         "the default of '%s' must not change: stored texts that do not name the key mean %s. Give "
                         "experiments the new value in their files, or add a new key",
                         frozen[i].key, frozen[i].initial);
        cr_expect_eq(spec_since(frozen[i].key), frozen[i].since,
                     "since when '%s' exists must not change: it decides whether stored texts name the key",
                     frozen[i].key);
    }
    cr_expect_eq(known, spec_key_count + variant_key_count,
                 "add the new key or column to this list; its `since` is the schema of records that first has it");
}

/* What is hashed once for all seeds gives the hash of each whole text, with what stands behind it. */
Test(spec, seeds_share_their_text) {
    const uint64_t seed[] = {0, 1, 17, UINT64_MAX};
    RunSpec s;
    LOCAL(spec_seeds_release) SpecSeeds seeds;
    char hash[SHA256_HEX], whole[SHA256_HEX];
    distinct(&s);
    spec_seeds_init(&seeds, &s);
    for (int i = 0; i < 4; i++) {
        s.seed = seed[i];
        LOCAL_TEXT(text);
        spec_text(&s, &text);
        spec_seeds_hash(&seeds, s.seed, "", hash);
        cr_expect_str_eq(hash, sha256_hex_of(whole, text.at, text.length));
        spec_hash(&s, hash);
        cr_expect_str_eq(hash, whole);
        text_format(&text, "more = %d\n", i);
        spec_seeds_hash(&seeds, s.seed, strrchr(text.at, 'm'), hash);
        cr_expect_str_eq(hash, sha256_hex_of(whole, text.at, text.length));
    }
}

/* A young key stands in a text only where it is not at its default, so adding it changed no id. */
Test(spec, young_keys_are_left_out_at_their_default) {
    RunSpec s, back;
    LOCAL_TEXT(before);
    LOCAL_TEXT(after);
    char hash[SHA256_HEX], other[SHA256_HEX];
    spec_init(&s);
    spec_text(&s, &before);
    spec_hash(&s, hash);
    cr_expect_null(strstr(before.at, "precision"));
    for (int i = 0; i < spec_key_count; i++) {
        char value[160], line[256];
        snprintf(line, sizeof line, "%s = %s\n", spec_keys[i], spec_get(value, &s, spec_keys[i]));
        cr_expect_eq(spec_left_out(spec_keys[i], value), spec_since(spec_keys[i]) > 1, "%s", spec_keys[i]);
        cr_expect_eq(strstr(before.at, line) == NULL, spec_since(spec_keys[i]) > 1, "%s", spec_keys[i]);
    }
    OK(spec_set(&s, "precision", "bf16", &e));
    spec_text(&s, &after);
    spec_hash(&s, other);
    cr_expect_str_neq(hash, other);
    cr_expect_eq(after.length, before.length + strlen("precision = bf16\n"));
    cr_expect_not_null(strstr(after.at, "curve_batches = 2\nprecision = bf16\nattn.in = "));
    OK(spec_parse(&back, after.at, &e));
    cr_expect_eq(back.precision, PRECISION_bf16);
    OK(spec_parse(&back, before.at, &e));
    cr_expect_eq(back.precision, PRECISION_exact);
    cr_expect_not(spec_left_out("precision", "bf16"));
    cr_expect_not(spec_left_out("positions", "rope"));
    OK(spec_set(&s, "positions", "rope", &e));
    text_clear(&after);
    spec_text(&s, &after);
    cr_expect_not_null(strstr(after.at, "\nprecision = bf16\npositions = rope\nattn.in = "));
    spec_set(&s, "positions", "rop", &e);
    refused("positions: unknown value 'rop'; did you mean 'rope'?");
    cr_expect_not(spec_left_out("attn.in", "none"));
}

Test(spec, parse_refuses_by_line) {
    RunSpec s, before;
    LOCAL_TEXT(text);
    spec_init(&s);
    spec_text(&s, &text);
    memcpy(&before, &s, sizeof s);
    const struct {
        const char *from, *to, *error;
    } rows[] = {
        {"layers = 4", "layers = 8.5", "line 3: layers: '8.5' is not a whole number"},
        {"layers = 4", "layer = 4", "line 3: unknown key 'layer'; did you mean 'layers'?"},
        {"layers = 4", "layers=4", "line 3: 'layers=4' is not 'key = value'"},
        {"layers = 4", "tokenizer = char", "line 3: duplicate key 'tokenizer'"},
        {"seed = 1", "seed = -1", "line 48: seed: '-1' is not a whole number from 0 to 18446744073709551615"},
        {"seed = 1", "seed = 18446744073709551616",
         "line 48: seed: '18446744073709551616' is not a whole number from 0 to 18446744073709551615"},
        {"seed = 1\n", "", "line 48: the text ends without key 'seed'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char copy[4096], *at = strstr(text.at, rows[i].from);
        snprintf(copy, sizeof copy, "%.*s%s%s", (int)(at - text.at), text.at, rows[i].to, at + strlen(rows[i].from));
        spec_parse(&s, copy, &e);
        refused(rows[i].error);
        cr_assert(!memcmp(&before, &s, sizeof s), "a refused text changed the spec");
    }
    for (size_t n = 0; n < text.length - 1; n++) { /* without its last newline it is still whole */
        char copy[4096];
        snprintf(copy, sizeof copy, "%.*s", (int)n, text.at);
        cr_assert_eq(spec_parse(&s, copy, &e), RC_USAGE, "%zu bytes were enough", n);
    }
}

Test(spec, numbers_and_flags_as_others_write_them) {
    const struct {
        const char *key, *value, *text;
    } rows[] = {
        {"lr", ".001", "0.001"},       {"lr", "1.", "1"},        {"lr", "1.E-3", "0.001"},     {"lr", "+2e-2", "0.02"},
        {"lr", "00.5", "0.5"},         {"lr", "0x1p-2", "0.25"}, {"steps", "1e3", "1000"},     {"steps", "50.0", "50"},
        {"layers", "+3", "3"},         {"bias", "False", "false"}, {"tied", "TRUE", "true"},   {"bias", "No", "false"},
        {"shrink", ".5", "0.5"},       {"streams", "dual 2.", "dual 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        RunSpec s;
        char text[SPEC_TEXT_SIZE];
        spec_init(&s);
        OK(spec_set(&s, rows[i].key, rows[i].value, &e));
        cr_expect_str_eq(spec_get(text, &s, rows[i].key), rows[i].text);
    }
}

Test(spec, set_refuses) {
    char long_word[130];
    memset(long_word, 'a', sizeof long_word - 1);
    long_word[129] = 0;
    const struct {
        const char *key, *value, *error;
    } rows[] = {
        {"layers", "", "layers: '' is not a whole number"},
        {"layers", "0", "layers: 0 is out of range (1 to 1024)"},
        {"layers", "-1", "layers: -1 is out of range (1 to 1024)"},
        {"layers", "8 ", "layers: '8 ' is not a whole number"},
        {"steps", "1.5e0", "steps: '1.5e0' is not a whole number"},
        {"steps", "1000000001", "steps: 1000000001 is out of range (1 to 1000000000)"},
        {"lr", "inf", "lr: 'inf' is not a number"},
        {"lr", "1e7", "lr: 1e7 is out of range (0 to 1000000)"},
        {"lr", "-1e-300", "lr: -1e-300 is out of range (0 to 1000000)"},
        {"dropout", "1", "dropout: 1 is out of range (0 to 0.99)"},
        {"tied", "1", "tied: '1' is neither true nor false"},
        {"residual_init", "x", "residual_init: unknown value 'x'; valid: scaled, plain"},
        {"optimizer", "adamW", "optimizer: unknown value 'adamW'; did you mean 'adamw'?"},
        {"dataset", long_word, "dataset: 129 bytes are too many (at most 127)"},
        {"dataset", "a\nlr = 3", "dataset: the value holds a line break or another control byte"},
        {"dataset", " a", "dataset: ' a' begins or ends with a blank"},
        {"dataset", "\xff", "dataset: the value is not UTF-8"},
        {"variant", "prenorm", "unknown variant 'prenorm'; did you mean 'pre'?"},
        {"atn.in", "rms", "unknown key 'atn.in'; did you mean 'attn.in'?"},
        {"varient", "pre", "unknown key 'varient'; did you mean 'variant'?"},
        {"", "pre", "unknown key ''"},
    };
    RunSpec s;
    spec_init(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        e = (Error){0};
        spec_set(&s, rows[i].key, rows[i].value, &e);
        refused(rows[i].error);
    }
}

Test(spec, tokenizers_are_those_there_are) {
    size_t count;
    const TokenizerKind *kind = tokenizer_kinds(&count);
    RunSpec s;
    spec_init(&s);
    for (size_t i = 0; i < count; i++) cr_expect_eq(spec_set(&s, "tokenizer", kind[i].name, &e), RC_OK, "%s", e.text);
}

Test(spec, shape_recipe_evaluations) {
    RunSpec s;
    int at[8];
    distinct(&s);
    spec_set(&s, "layers", "8", &e);
    spec_set(&s, "init_std", "0.02", &e);
    ModelShape shape = spec_shape(&s, 65);
    cr_expect(shape.layers == 8 && shape.width == s.width && shape.heads == s.heads && shape.context == s.context &&
              shape.vocab == 66 && shape.full && shape.batch == s.batch && shape.ffn_mult == s.ffn_mult &&
              !shape.bias && !shape.tied && shape.dropout && shape.activation == ACTIVATION_RELU &&
              shape.norm_eps == s.norm_eps && shape.positions == POSITIONS_ROPE);
    spec_set(&s, "objective", "next", &e);
    shape = spec_shape(&s, 65);
    cr_expect(shape.vocab == 65 && !shape.full, "the mask is a token of masked models alone");
    Recipe r = spec_recipe(&s);
    cr_expect(r.init.residual == 0.02 && r.init.matrix == 0.02 && r.init.token == s.token_std &&
              r.init.position == s.position_std);
    cr_expect(r.optimizer == OPTIMIZER_radam && r.schedule == SCHEDULE_inverse_sqrt && r.steps == s.steps &&
              r.warmup == s.warmup && r.lr == s.lr && r.warmup_lr == s.warmup_lr && r.final_lr == s.final_lr);
    cr_expect(r.beta1 == s.beta1 && r.beta2 == s.beta2 && r.eps == s.adam_eps && r.momentum == s.momentum &&
              r.weight_decay == s.weight_decay && r.clip == s.clip && r.dropout == s.dropout);
    s.residual_init = RESIDUAL_SCALED;
    cr_expect_eq(spec_recipe(&s).init.residual, 0.005, "0.02 / sqrt(16)");
    s.steps = 300;
    spec_set(&s, "evaluate_at", "0,150,300,450", &e);
    cr_assert(spec_evaluations(&s, at, 8) == 3 && at[0] == 0 && at[1] == 150 && at[2] == 300);
    s.steps = 150;
    cr_assert(spec_evaluations(&s, at, 8) == 2 && at[0] == 0 && at[1] == 150);
    s.steps = 200;
    cr_assert(spec_evaluations(&s, at, 2) == 2 && at[0] == 0 && at[1] == 200, "the last step always finds room");
}

Test(spec, check_finds_contradictions) {
    const struct {
        const char *key, *value, *error;
    } rows[] = {
        {"heads", "7", "heads: 7 heads do not divide width 128"},
        {"warmup", "301", "warmup: 301 updates are more than steps (300)"},
        {"evaluate_at", "0,5,5", "evaluate_at: '0,5,5' is not ascending"},
        {"evaluate_at", "0,x", "evaluate_at: '0,x' is not a list of whole numbers such as '0,150,300'"},
        {"evaluate_at", "0,", "evaluate_at: '0,' is not a list of whole numbers such as '0,150,300'"},
        {"evaluate_at", ",0", "evaluate_at: ',0' is not a list of whole numbers such as '0,150,300'"},
        {"evaluate_at", "-1", "evaluate_at: '-1' is not a list of whole numbers such as '0,150,300'"},
        {"evaluate_at", "0 5", "evaluate_at: '0 5' is not a list of whole numbers such as '0,150,300'"},
        {"evaluate_at", "99999999999999999999999999",
         "evaluate_at: '99999999999999999999999999' is not a list of whole numbers such as '0,150,300'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        RunSpec s;
        spec_init(&s);
        OK(spec_check(&s, &e));
        OK(spec_set(&s, rows[i].key, rows[i].value, &e));
        e = (Error){0};
        spec_check(&s, &e);
        refused(rows[i].error);
    }
}
