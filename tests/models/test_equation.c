/* Ranges of blocks, and the equation that a variant's columns make. */
#include "models/equation.h"
#include "models/norm.h"
#include "models/transformer.h"
#include "tests/models/changed.h"

static const char *const column_of[CHOICE_COUNT] = {
#define CHOICE(column, ...) #column,
#include "models/choices.def"
#undef CHOICE
};

/* Which blocks of a stack a range holds: "..##". */
static const char *held(const char *words, int depth) {
    static char out[RANGE_MAX + 1];
    BlockRange r;
    e = (Error){0};
    cr_assert_eq(range_parse(&r, words, &e), RC_OK, "%s: %s", words, e.text);
    for (int i = 0; i < depth; i++) out[i] = range_holds(r, i, depth) ? '#' : '.';
    out[depth] = 0;
    return out;
}

Test(equation, a_range_holds_its_blocks) {
    static const struct {
        const char *words, *blocks;
    } rows[] = {
        {"", "####"},         {"from 0", "####"},      {"from 1", ".###"},           {"to 0", "#..."},
        {"to 1", "##.."},     {"from 1 to 2", ".##."}, {"to 2 from 1", ".##."},      {"from 3", "...#"},
        {"from 2/3", "..##"}, {"to 2/3", "##.."},      {"from 0.5", "..##"},         {"to 0.5", "##.."},
        {"from 0.0", "####"}, {"to 1.0", "####"},      {"from 1/4 to 3", ".###"},    {"from 1 to 1/2", ".#.."},
        {"from 1/3", ".###"}, {"to 1/3", "#..."},      {"from 0.25 to 3/4", ".##."}, {"from 3/4 to 1/1", "...#"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(held(rows[i].words, 4), rows[i].blocks, "%s", rows[i].words);
    cr_expect_str_eq(held("from 2/3", 12), "........####");
    cr_expect_str_eq(held("from 2/3", 1), "#");
}

/* At every depth, "to a/b" and "from a/b" share no block and leave none out. */
Test(equation, a_fraction_parts_a_stack) {
    for (int of = 1; of <= 9; of++)
        for (int n = 1; n < of; n++)
            for (int depth = 1; depth <= 24; depth++) {
                char to[32], from[32], before[64];
                snprintf(to, sizeof to, "to %d/%d", n, of), snprintf(from, sizeof from, "from %d/%d", n, of);
                snprintf(before, sizeof before, "%s", held(to, depth));
                const char *after = held(from, depth);
                for (int l = 0; l < depth; l++) cr_assert_neq(before[l], after[l], "%s at %d blocks", from, depth);
                cr_assert_eq(strspn(before, "#"), (size_t)(n * depth / of));
            }
}

Test(equation, a_range_has_one_text) {
    static const char *const rows[][2] = {
        {"to 2 from 1", "from 1 to 2"},     {"from 4/6", "from 2/3"},  {"from 0.5", "from 1/2"},
        {"from 0 to 1/2", "to 1/2"},        {"from 0/7", ""},          {"to 1.0", ""},
        {"from 0.25 to 1.000", "from 1/4"}, {"  from   3 ", "from 3"}, {"to 0", "to 0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        BlockRange r, again;
        char text[RANGE_TEXT_SIZE], twice[RANGE_TEXT_SIZE];
        OK(range_parse(&r, rows[i][0], &e));
        cr_expect_str_eq(range_text(text, r), rows[i][1]);
        OK(range_parse(&again, text, &e));
        cr_expect_str_eq(range_text(twice, again), text);
        cr_expect_eq(range_whole(r), !rows[i][1][0]);
    }
}

Test(equation, a_bad_range_is_refused) {
    static const char place[] = " is neither a block (0 is the first) nor a fraction of the depth such as 2/3 or 0.5";
    static const struct {
        const char *words, *error;
    } rows[] = {
        {"from 3 to 2", "'from 3 to 2' holds no block: it ends before it begins"},
        {"from 3/4 to 1/4", "'from 3/4 to 1/4' holds no block: it ends before it begins"},
        {"from 1/2 to 1/2", "'from 1/2 to 1/2' holds no block: it ends before it begins"},
        {"from 1.0", "'from 1/1' holds no block: it ends before it begins"},
        {"to 0.0", "'to 0/1' holds no block: it ends before it begins"},
        {"form 1", "'form' is neither 'from' nor 'to'"},
        {"from 1 from 2", "'from' is given twice"},
        {"from", "from: the place is missing"},
    };
    static const char *const places[] = {"5/0",  "0/0",    "3/2",  "-1",   "-1/2",         "1.5", "0.1234",
                                         "1024", "1/2000", "2/3x", "/3",   "2/",           ".5",  "0.",
                                         "x",    "1e3",    "01",   "1//2", "99999999999/3"};
    BlockRange r;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(range_parse(&r, rows[i].words, &e), RC_USAGE, "%s", rows[i].words);
        cr_expect_str_eq(e.text, rows[i].error);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char words[64], want[200];
        snprintf(words, sizeof words, "to %s", places[i]);
        snprintf(want, sizeof want, "to: '%s'%s", places[i], place);
        cr_expect_eq(range_parse(&r, words, &e), RC_USAGE, "%s", words);
        cr_expect_str_eq(e.text, want);
    }
}

/* What no depth can mend is known with the depth. */
Test(equation, a_range_must_hold_a_block_of_the_model) {
    static const struct {
        const char *value, *error;
        int depth, smallest;
    } rows[] = {
        {"rms from 4", "attn.out: rmsnorm 'from 4' needs 5 blocks; layers is 4", 4, 5},
        {"rms from 1 to 7", "attn.out: rmsnorm 'from 1 to 7' needs 8 blocks; layers is 4", 4, 8},
        {"ln; rms from 1/3 to 2/5", "attn.out: rmsnorm 'from 1/3 to 2/5' holds no block when layers is 4", 4, 5},
        {"rms to 1/8", "attn.out: rmsnorm 'to 1/8' holds no block when layers is 7", 7, 8},
        {"rms from 3 to 0.5", "attn.out: rmsnorm 'from 3 to 1/2' holds no block when layers is 4", 4, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed("pre", "");
        OK(variant_set(&v, "attn.out", rows[i].value, &e));
        cr_expect_eq(variant_check(&v, rows[i].depth, &e), RC_USAGE, "%s", rows[i].value);
        cr_expect_str_eq(e.text, rows[i].error);
        cr_expect_eq(variant_depth(&v, 2), rows[i].smallest, "%s", rows[i].value);
        cr_expect_eq(variant_check(&v, rows[i].smallest, &e), RC_OK);
    }
    cr_expect_eq(variant_depth(variant_find("mixln", &e), 2), 4, "a quarter of the blocks is one of four");
}

/* The text of a variant without ranges is what it was before there were any: ids hang on it. */
Test(equation, canonical_text_without_ranges) {
    LOCAL_TEXT(text);
    Variant v = changed("pre", "gate=learned 0");
    variant_text(&v, &text);
    cr_expect_str_eq(text.at,
                     "attn.in = layernorm\nattn.qk = none\nattn.mid = none\nattn.out = none\nattn.post = none\n"
                     "mlp.in = layernorm\nmlp.mid = none\nmlp.out = none\nmlp.post = none\nembed = none\n"
                     "final = layernorm\ncarry = 1\ngate = learned 0\ndepth_scale = 1\n");
}

Test(equation, columns_with_ranges_read_back) {
    static const char *const rows[][2] = {
        {"rms from 2/3", "none; rmsnorm from 2/3"},
        {"ln; rms from 4/6; center to 0", "layernorm; rmsnorm from 2/3; center to 0"},
        {"center to 1; rms", "rmsnorm"},
        {"rms from 0", "rmsnorm"},
        {"  ln;rms   to 0.5 ", "layernorm; rmsnorm to 1/2"},
    };
    char value[VARIANT_TEXT_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed("pre", ""), again = changed("post", "");
        OK(variant_set(&v, "attn.out", rows[i][0], &e));
        cr_expect_str_eq(variant_get(value, &v, "attn.out"), rows[i][1]);
        cr_expect_str_eq(variant_get(value, &v, "mlp.out"), "none", "of one column only");
        OK(variant_set(&again, "attn.out", variant_get(value, &v, "attn.out"), &e));
        cr_expect_str_eq(variant_get(value, &again, "attn.out"), rows[i][1]);
    }
    Variant v = changed("pre", "attn.out=rms from 2/3,mlp.out=ln to 0,attn.out=center to 1/2");
    cr_expect_str_eq(variant_get(value, &v, "attn.out"), "none; rmsnorm from 2/3; center to 1/2", "a range adds");
    cr_expect_str_eq(variant_change(value, &v, variant_find("pre", &e), "attn.out"), "rmsnorm from 2/3; center to 1/2");
    OK(variant_set(&v, "attn.out", "ln", &e));
    cr_expect_str_eq(variant_get(value, &v, "attn.out"), "layernorm", "a plain value takes the ranges away");
    cr_expect_str_eq(variant_get(value, &v, "mlp.out"), "none; layernorm to 0");
    /* Refused, and then nothing has changed. */
    static const char *const bad[][3] = {
        {"attn.out", "rms from 1/2; rmz", "attn.out: unknown norm 'rmz'"},
        {"attn.out", "rms from 5/0", "attn.out: from: '5/0' is neither a block"},
        {"attn.qk", "ln from 1/2", "attn.qk: 'ln' is not possible here; valid: none, rmsnorm"},
        {"embed", "ln from 1/2", "embed: unknown norm 'ln from 1/2'"},
        {"attn.in", "ln to 0; rms to 1; ln to 2; rms to 3; ln to 4", "attn.in: more than 4 ranges"},
        {"depth_scale", "learned 1",
         "depth_scale: 'learned' is not possible here; valid: a number, or constant, layer_root, deep_carry, "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char before[VARIANT_TEXT_SIZE];
        variant_get(before, &v, bad[i][0]);
        cr_expect_eq(variant_set(&v, bad[i][0], bad[i][1], &e), RC_USAGE, "%s", bad[i][1]);
        cr_expect(!strncmp(e.text, bad[i][2], strlen(bad[i][2])), "%s", e.text);
        cr_expect_str_eq(variant_get(value, &v, bad[i][0]), before);
    }
}

/* The fullest column there can be fits. */
Test(equation, the_longest_text_fits) {
    Variant v = changed("pre", "");
    char value[VARIANT_TEXT_SIZE];
    for (int i = 0; i < VARIANT_RANGES_MAX; i++)
        OK(variant_set(&v, "mlp.mid", "layernorm from 1021/1024 to 1023/1024", &e));
    cr_assert_eq(variant_set(&v, "mlp.mid", "layernorm to 1", &e), RC_USAGE);
    cr_expect(strlen(variant_get(value, &v, "mlp.mid")) > 150);
    cr_expect_eq(variant_set(&v, "mlp.mid", value, &e), RC_OK, "%s", e.text);
}

/* So does the fullest column of rules. */
Test(equation, the_longest_rules_fit) {
    static const char long_rule[] = "learned_ramp -1.2345678901234567e-05 -9.8765432109876543e-05";
    Variant v = changed("pre", "");
    char value[VARIANT_TEXT_SIZE], range[120];
    snprintf(range, sizeof range, "%s from 1021/1024 to 1023/1024", long_rule);
    OK(variant_set(&v, "attn.gate", long_rule, &e));
    for (int i = 0; i < VARIANT_RANGES_MAX; i++)
        OK(variant_set(&v, "attn.gate", range, &e));
    cr_assert_eq(variant_set(&v, "attn.gate", range, &e), RC_USAGE);
    cr_expect(strlen(variant_get(value, &v, "attn.gate")) > 350);
    cr_expect_eq(variant_set(&v, "attn.gate", value, &e), RC_OK, "%s", e.text);
    Rule rule[VARIANT_RULES_MAX];
    cr_expect_eq(variant_rules(&v, "attn.gate", rule), VARIANT_RULES_MAX);
    cr_expect_eq(variant_rules(&v, "mlp.gate", rule), 0);
    cr_expect_eq(variant_rules(&v, "attn.in", rule), 0);
}

/* What is said of one sublayer wins over what is said of the block, whichever was said last; a later range over an
 * earlier one. */
Test(equation, rules_at_a_sublayer) {
    static const struct {
        const char *changes;
        double gates[2][6];
    } rows[] = {
        {"gate=0.5 from 2/3", {{1, 1, 1, 1, .5, .5}, {1, 1, 1, 1, .5, .5}}},
        {"gate=0.5 from 2/3; 2 to 4", {{2, 2, 2, 2, 2, .5}, {2, 2, 2, 2, 2, .5}}},
        {"attn.gate=0.5,gate=2", {{.5, .5, .5, .5, .5, .5}, {2, 2, 2, 2, 2, 2}}},
        {"mlp.gate=0.5 to 1/2; 3 to 0,gate=2 from 1", {{1, 2, 2, 2, 2, 2}, {3, .5, .5, 2, 2, 2}}},
        {"attn.gate=4; 0.5 from 5", {{4, 4, 4, 4, 4, .5}, {1, 1, 1, 1, 1, 1}}},
        {"attn.gate=4,attn.gate=gate", {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed("pre", rows[i].changes);
        for (int layer = 0; layer < 6; layer++)
            for (Sub sub = SUB_ATTN; sub <= SUB_MLP; sub++) {
                Variant here = variant_at(&v, sub, layer, 6);
                cr_expect(rule_is(here.gate, rows[i].gates[sub][layer]), "%s: %d %d", rows[i].changes, layer, sub);
                cr_expect_eq(here.span[0].column, 0);
            }
        cr_expect(rule_is(variant_at(&v, SUB_CROSS, 2, 6).gate, rows[i].gates[SUB_ATTN][2]), "a decoder's too");
    }
}

/* A built-in row may have spans: the same representation, and the same text as an arm's. */
Test(equation, a_row_may_have_spans) {
    Variant v = changed("pre", ""), arm = changed("pre", "attn.in=none to 1/4,attn.post=ln to 1/4");
    v.span[0] = (Span){.column = COLUMN(attn.in), .norm = NORM_none, .range = {.to = AT_PART(1, 4)}};
    v.span[1] = (Span){.column = COLUMN(attn.post), .norm = NORM_layernorm, .range = {.to = AT_PART(1, 4)}};
    LOCAL_TEXT(mine);
    LOCAL_TEXT(theirs);
    variant_text(&v, &mine), variant_text(&arm, &theirs);
    cr_expect_str_eq(mine.at, theirs.at);
    for (int layer = 0; layer < 8; layer++) {
        Site a = variant_site(&v, SUB_ATTN, layer, 8), m = variant_site(&v, SUB_MLP, layer, 8);
        cr_expect_eq(a.in, layer < 2 ? NORM_none : NORM_layernorm);
        cr_expect_eq(a.post, layer < 2 ? NORM_layernorm : NORM_none);
        cr_expect(m.in == NORM_layernorm && m.post == NORM_none && a.out == NORM_none, "block %d", layer);
    }
}

/* The tape has the norm's parameters in these blocks and in no other. */
Test(equation, the_tape_has_the_ranges) {
    static const struct {
        const char *changes, *stem;
        const char *blocks;
    } rows[] = {
        {"attn.out=rms from 2/3", "ln_1_out.weight", "000011"},
        {"mlp.out=ln to 1", "ln_2_out.bias", "110000"},
        {"attn.in=none from 1 to 2", "ln_1.weight", "100111"},
        {"attn.qk=rms to 1/2", "attn.q_norm.weight", "111000"},
        {"mlp.mid=rms from 5", "mlp.ln_mid.weight", "000001"},
        {"mlp.post=rms from 1/6 to 2", "ln_2_post.weight", "011000"},
        {"gate=learned 0 from 2/3", "attn.gate", "000011"},
        {"gate=learned 0 from 2/3", "mlp.gate", "000011"},
        {"attn.gate=learned 0 from 2/3", "mlp.gate", "000000"},
        {"attn.gate=learned 0", "attn.gate", "111111"},
        {"gate=learned_block 0 to 1", "gate", "110000"},
        {"mlp.carry=learned_row 1 from 5", "mlp.carry", "000001"},
        {"block_carry=learned 1 from 5", "block_carry", "000001"},
        {"x0=learned 0.1 to 0", "x0", "100000"},
        {"shrink=learned 0 from 1/2", "shrink", "000111"},
        {"head_scale=learned_row 1 to 0", "attn.head_scale", "100000"},
        {"hidden_scale=learned_row 1 from 1 to 2", "mlp.hidden_scale", "011000"},
    };
    ModelShape shape = {.layers = 6,
                        .width = 8,
                        .heads = 2,
                        .context = 4,
                        .vocab = 5,
                        .batch = 1,
                        .ffn_mult = 2,
                        .bias = true,
                        .tied = true,
                        .norm_eps = 1e-5};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LOCAL(tape_release) Tape t;
        Variant v = changed("pre", rows[i].changes);
        transformer_build(&t, &shape, &v, NULL);
        for (int layer = 0; layer < shape.layers; layer++) {
            char name[64];
            snprintf(name, sizeof name, "h.%d.%s", layer, rows[i].stem);
            cr_expect_eq(tape_find(&t, name) >= 0, rows[i].blocks[layer] == '1', "%s: %s", rows[i].changes, name);
        }
    }
}

/* Equations, derived; those of all rows are in tests/golden/explain.txt. The first five are what the rows' own
 * equations said before they were derived. */
Test(equation, equations) {
    static const struct {
        const char *row, *changes, *equation;
    } rows[] = {
        {"none", "", "x <- x + f(x); no norm before the head"},
        {"pre", "", "x <- x + f(LN(x)); LN before the head"},
        {"post", "", "x <- LN(x + f(x)); no norm before the head"},
        {"peri", "", "x <- x + LN(f(LN(x))); LN before the head"},
        {"prepost", "", "x <- LN(x + f(LN(x))); no norm before the head"},
        {"pre", "attn.out=rms", "attention: x <- x + RMS(A(LN(x))); MLP: x <- x + F(LN(x)); LN before the head"},
        {"pre", "attn.out=rms,mlp.out=rms,embed=center",
         "x <- x + RMS(f(LN(x))); center after the embeddings; LN before the head"},
        {"pre", "attn.out=rms from 2/3",
         "blocks 0 to 3: x <- x + f(LN(x)); blocks 4 to 5, attention: x <- x + RMS(A(LN(x))); "
         "blocks 4 to 5, MLP: x <- x + F(LN(x)); LN before the head"},
        {"post", "attn.in=ln to 0,mlp.in=ln to 0",
         "block 0: x <- LN(x + f(LN(x))); blocks 1 to 5: x <- LN(x + f(x)); no norm before the head"},
        {"post", "carry=deep_carry 1", "x <- LN(c x + f(x)); c = (2L)^(1/4); no norm before the head"},
        {"post", "carry=deep_carry 0.5", "x <- LN(c x + f(x)); c = 0.5 (2L)^(1/4); no norm before the head"},
        {"pre", "depth_scale=layer_root 1",
         "x <- x + f(s LN(x)); s = 1 / sqrt(l), l = 1 in block 0; LN before the head"},
        {"none", "gate=learned 0",
         "x <- x + g f(x); g = one learned number per sublayer, starting at 0; no norm before the head"},
        {"post", "carry=rest 1,gate=0.1", "x <- LN((1 - 0.1) x + 0.1 f(x)); no norm before the head"},
        {"pre", "logit_cap=width_root 3",
         "x <- x + f(LN(x)); logits x become b tanh(x / b); b = 3 sqrt(d); LN before the head"},
        {"pre", "embed_scale=ramp 2 3",
         "x <- x + f(LN(x)); embeddings times m; m goes from 2 in the first block to 3 in the last, in a straight "
         "line; here the first; LN before the head"},
        {"pre", "gate=learned 0 from 2/3",
         "blocks 0 to 3: x <- x + f(LN(x)); blocks 4 to 5: x <- x + g f(LN(x)); "
         "blocks 4 to 5: g = one learned number per sublayer, starting at 0; LN before the head"},
        {"pre", "attn.gate=learned 0",
         "attention: x <- x + g A(LN(x)); MLP: x <- x + F(LN(x)); "
         "attention: g = one learned number per sublayer, starting at 0; LN before the head"},
        {"pre", "mlp.gate=0.5 from 5,gate=layer_root 1",
         "blocks 0 to 4: x <- x + g f(LN(x)); block 5, attention: x <- x + g A(LN(x)); "
         "block 5, MLP: x <- x + 0.5 F(LN(x)); attention: g = 1 / sqrt(l), l = 1 in block 0; "
         "blocks 0 to 4, MLP: g = 1 / sqrt(l), l = 1 in block 0; LN before the head"},
        {"pre", "in_strength=0.5 from 1 to 2",
         "block 0: x <- x + f(LN(x)); blocks 1 to 2: x <- x + f(LN[i](x)); blocks 3 to 5: x <- x + f(LN(x)); "
         "N[i](x) = i N(x) + (1 - i) x; blocks 1 to 2: i = 0.5; LN before the head"},
        {"pre", "x0=0.1 from 5,block_carry=learned 1 to 0,shrink=learned 0 to 0,x0=1 to 0",
         "x <- x + f(LN(x)); block 0: before each block: x <- e x + x_0; "
         "block 0: e = one learned number per block, starting at 1; "
         "block 0: after each block: x <- x - silu(k) stop_gradient(x); "
         "block 0: k = one learned number per block, starting at 0; "
         "block 5: before each block: x <- x + 0.1 x_0; LN before the head"},
        {"none", "head_scale=learned_row 1 to 0",
         "block 0, attention: x <- x + A(x); block 0, MLP: x <- x + F(x); block 0: A(x) = W h heads(q, k, v); "
         "blocks 1 to 5: x <- x + f(x); block 0: h = one learned vector per sublayer, starting at 1; "
         "no norm before the head"},
        {"pre", "in_strength=0.5", "x <- x + f(LN[i](x)); N[i](x) = i N(x) + (1 - i) x, i = 0.5; LN before the head"},
        {"pre", "streams=attnres_block 3",
         "x = sum_i a_i v_i, v <- v + f(LN(x)); streams: as attnres, but over the embedding and, of groups of "
         "sublayers (2L / 3 of them each, rounded up), the sums of the outputs; LN before the head"},
        {"pre", "gate=0.5,carry=2", "x <- 2 x + 0.5 f(LN(x)); LN before the head"},
        {"pre", "attn.qk=rms",
         "attention: x <- x + A(LN(x)); MLP: x <- x + F(LN(x)); A(x) = W heads(RMS(q), RMS(k), v); "
         "LN before the head"},
        {"pre", "attn.mid=ln,mlp.mid=ln",
         "attention: x <- x + A(LN(x)); MLP: x <- x + F(LN(x)); A(x) = W LN(heads(q, k, v)); F(x) = W' LN(act(W x)); "
         "LN before the head"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed(rows[i].row, rows[i].changes);
        LOCAL_TEXT(text);
        equation_text(&v, 6, "; ", &text);
        cr_expect_str_eq(text.at, rows[i].equation, "%s %s\n%s", rows[i].row, rows[i].changes, text.at);
    }
}

/* A value of the column that is not its default: a norm, the second of its choices, a number. */
static const char *change_of(const char *key) {
    for (int i = 1; i < CHOICE_COUNT; i++) {
        const char *dot = strrchr(key, '.');
        if (!strcmp(column_of[i], dot ? dot + 1 : key) &&
            strcmp(choice_name((ChoiceKind)i), variant_default(key)) != 0)
            return choice_name((ChoiceKind)i);
    }
    return variant_normed(key) ? "rmsnorm" : "0.5";
}

/* Two variants with one text have one equation, and a change of any column of norms changes it. */
Test(equation, no_column_is_forgotten) {
    LOCAL_TEXT(plain);
    LOCAL_TEXT(other);
    for (int i = 0; i < variant_key_count; i++) {
        const char *key = variant_keys[i];
        Variant base = changed("none", ""), v;
        if (!strcmp(key, "attn.qk_over")) base = changed("none", "attn.qk=rms");
        v = base;
        const char *value = change_of(key);
        OK(variant_set(&v, key, value, &e));
        text_clear(&plain), text_clear(&other);
        equation_text(&base, 4, "; ", &plain), equation_text(&v, 4, "; ", &other);
        cr_expect_str_neq(plain.at, other.at, "%s", key);
        text_clear(&other);
        equation_changes(&v, &base, &other);
        char want[80], old[VARIANT_TEXT_SIZE], new[VARIANT_TEXT_SIZE];
        snprintf(want, sizeof want, "%s %.24s -> %.24s", key, variant_get(old, &base, key), variant_get(new, &v, key));
        cr_expect_str_eq(other.at, want);
        text_clear(&other);
        equation_changes(&base, &base, &other);
        cr_expect_str_eq(other.at, "");
    }
}

/* A stored arm has lost its base's name: the nearest row is as good. */
Test(equation, the_base_of_a_stored_arm) {
    static const char *const rows[][2] = {
        {"pre", "attn.out=rms from 2/3"}, {"post", "gate=learned 0"}, {"peri", "embed=ln"}, {"none", "attn.qk=rms"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Variant v = changed(rows[i][0], rows[i][1]);
        cr_expect_str_eq(equation_base(&v)->name, rows[i][0]);
        v.name = "custom";
        cr_expect_str_eq(equation_base(&v)->name, rows[i][0]);
    }
}
