/* Describe experiment files for `normbench run --help all`. */
#include <string.h>

#include "bench/plan/experiment.h"

static const struct {
    const char *name, *help;
} keys[] = {
#define EXPERIMENT_KEY(name, help) {#name, help},
#include "bench/plan/experiment_keys.def"
#undef EXPERIMENT_KEY
};

static const struct {
    const char *name, *help;
} summaries[] = {
#define SUMMARY(name, make, help) {#name, help},
#include "bench/plan/summaries.def"
#undef SUMMARY
};

/* Print columns; those with the same valid values share a line. */
static void print_columns(Text *out) {
    LOCAL_TEXT(valid);
    LOCAL_TEXT(other);
    for (int i = 0; i < variant_key_count; i++) {
        bool earlier = false;
        text_clear(&valid);
        variant_valid(variant_keys[i], &valid);
        for (int j = 0; j < variant_key_count; j++) {
            text_clear(&other);
            variant_valid(variant_keys[j], &other);
            if (strcmp(valid.at, other.at) != 0) continue;
            if (j < i) earlier = true;
            if (!earlier && j >= i) text_format(out, "%s%s", j > i ? ", " : "", variant_keys[j]);
        }
        if (earlier) continue;
        text_format(out, ":\n");
        text_wrapped(out, "    ", valid.at, 4, 112);
    }
}

void experiment_help(Text *out) {
    text_format(out, "\nKeys of --set, of experiment files, of their profiles and of arms:\n");
    spec_print_keys(out);
    text_format(out, "--set takes seeds, probes, hits and quantize too.\n\nOther keys of an experiment file:\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) text_format(out, "%-14s %s\n", keys[i].name, keys[i].help);
    text_format(out, "\nSummaries:\n");
    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
        text_format(out, "%-14s %s\n", summaries[i].name, summaries[i].help);
    text_format(out,
                "\nColumns of an arm, beside variant (or base: a row of `normbench list`), label and the first "
                "keys above.\nA sublayer f (attn, mlp) is x <- post(carry x + gate out(f(depth_scale in(x)))), "
                "with qk and mid inside.\n"
                "A norm N whose in_strength (out_, post_) is s gives s N(x) + (1 - s) x. head_scale multiplies each "
                "head's output,\nhidden_scale what enters the activation. Before a block, with x_0 the embeddings: "
                "x <- block_carry x + x0 x_0;\nbehind it: x <- x - silu(shrink) x. embed_scale multiplies the "
                "embeddings, logit_scale the logits x; logit_cap c\nmakes them c tanh(x / c). `normbench list` has "
                "the formulas of what may stand in a column:\n");
    print_columns(out);
    arm_print_ranges(out);
}
