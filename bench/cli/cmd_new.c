/* normbench new FILE.yaml: a commented experiment that runs as it is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli/commands.h"

/* What the file sets; it says the other keys of spec.def as comments, so that a new key is in it too. */
static const char *const chosen[][2] = {{"dataset", "synthetic"}, {"layers", "3"},   {"width", "32"},
                                        {"heads", "4"},           {"context", "32"}, {"batch", "8"},
                                        {"lr", "3e-3"},           {"steps", "60"},   {"evaluate_at", "0,30,60"},
                                        {"curve_every", "5"}};
enum { CHOSEN = sizeof chosen / sizeof *chosen };

static const char head[] =
    "# An experiment: arms that differ in where their norms stand, trained with the same seeds and compared.\n"
    "#   normbench run %s       trains what is missing\n"
    "#   normbench table %s     tables and figures of what is stored\n"
    "# `normbench run --help all` says what every key and every column of an arm takes; `normbench list` has all "
    "names.\n"
    "\n"
    "title: My first experiment\n"
    "seeds: 6             # the fewest that can reach p < 0.05\n"
    "\n"
    "# The first arm is the baseline: the others are compared with it. An arm is a variant (normbench list) and the\n"
    "# columns in which it differs; `normbench explain '{base: pre, attn.out: rmsnorm}'` prints and draws one.\n"
    "arms:\n"
    "  pre: {variant: pre, label: Pre-LN}\n"
    "  mine:\n"
    "    base: pre\n"
    "    label: Late RMSNorm\n"
    "    attn.out: {from: 2/3, norm: rmsnorm}   # in the last third of the blocks; `attn.out: rmsnorm` is in all\n"
    "    # mlp.out: [{to: 1/3, norm: layernorm}, {from: 2, norm: rmsnorm}]   # several ranges; block 0 is the first\n"
    "    # embed: layernorm                     # after the embeddings; final: before the head\n"
    "    # gate: learned 0                      # x + g f(x), one learned g per sublayer, starting at 0\n"
    "    # lr: 2e-3                             # any key below, for this arm alone\n"
    "\n"
    "# Model, data and training, the same for all arms. dataset: synthetic is built in; others are tinyshakespeare "
    "and\n"
    "# what `normbench list` names, or text:/path/to/a/file. A list sweeps a key: lr: [1e-3, 3e-3].\n";

static const char tail[] =
    "\n"
    "# What is tested and shown.\n"
    "# baseline: pre                            # another arm than the first\n"
    "# compare: [mine - pre]                    # the pairs that are tested, in one family; default: each - baseline\n"
    "# metric: valid_loss                       # what decides; `normbench list` names the metrics\n"
    "# alpha: 0.05                              # level of the tests\n"
    "# margin: 0.02                             # differences inside +-margin are too small to matter\n"
    "# table: [valid_loss, perplexity]          # rows of the table\n"
    "# summaries: [best, ranking, failures]     # tables over all cells; default: best where lr is swept, or across\n"
    "# panels: [valid_loss, grad_norm]          # curves of the figure\n"
    "# probes: [usual, weight_norm]             # what the runs measure\n"
    "# profiles:                                # sizes of the same experiment: run FILE --profile full\n"
    "#   quick: {seeds: 6}\n"
    "#   full: {seeds: 8, steps: 600, evaluate_at: '0,300,600'}\n";

static const char *value_of(const char *key) {
    for (int i = 0; i < CHOSEN; i++)
        if (!strcmp(key, chosen[i][0])) return chosen[i][1];
    return NULL;
}

static void write_keys(Text *out) {
    for (int set = 1; set >= 0; set--) {
        if (!set) text_format(out, "# The other keys, at their defaults:\n");
        for (int i = 0; i < spec_key_count; i++) {
            const char *key = spec_keys[i], *value = value_of(key);
            char line[80];
            if (!value != !set || spec_said_by_program(key)) continue;
            snprintf(line, sizeof line, "%s%s: %s", set ? "" : "# ", key, set ? value : spec_default(key));
            text_format(out, "%-32s # %s\n", line, spec_help(key));
        }
    }
}

/* The file must not be there yet. */
static Rc write_new(const char *path, const Text *text, Error *e) {
    FILE *f = fopen(path, "wx");
    if (!f && errno == EEXIST) return error_set(e, RC_USAGE, "new: %s is there already and is left as it is", path);
    if (!f) return error_set(e, RC_UNMEASURED, "new: %s: %s", path, strerror(errno));
    bool whole = fwrite(text->at, 1, text->length, f) == text->length;
    whole = !fclose(f) && whole;
    if (whole) return RC_OK;
    remove(path);
    return error_set(e, RC_UNMEASURED, "new: %s: cannot write", path);
}

static void print_next(const char *path) {
    LOCAL_TEXT(line);
    text_shell(&line, program_invocation_name);
    text_format(&line, " run ");
    text_shell(&line, path);
    printf("%s is written. Next: %s\n", path, line.at);
}

Rc command_new(Session *s, Error *e) {
    const Options *o = s->options;
    if (o->operands != 1) return error_set(e, RC_USAGE, "new: name one file, such as mine.yaml");
    const char *path = o->operand[0];
    if (!text_ends(path, ".yaml"))
        return error_set(e, RC_USAGE, "new: '%s' must end in .yaml: `run` takes other names for experiments of its own",
                         path);
    LOCAL_TEXT(text);
    text_format(&text, head, path, path);
    write_keys(&text);
    text_format(&text, "%s", tail);
    Rc rc = write_new(path, &text, e);
    if (!rc) print_next(path);
    return rc;
}
