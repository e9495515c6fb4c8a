/* Experiment files that are refused: with file, line and the nearest name; and none brings the reader down. */
#include "bench/formats/document.h"
#include "bench/plan/experiment.h"
#include "tests/test.h"

#define ARMS "arms: {pre: {variant: pre}, peri: {variant: peri, lr: 2e-3}}\n"

static Experiment x; /* too large for a stack; each test has its own process */

static Rc parse(const char *text) {
    e = (Error){0};
    experiment_release(&x);
    return experiment_parse(&x, "f.yaml", text, NULL, NULL, &e);
}

static void refused(const char *want) {
    cr_assert_eq(e.code, RC_USAGE, "not refused: %s", want);
    cr_expect_str_eq(e.text, want);
}

/* Each text follows a blank line 1, so that what it says stands on line 2; arms come last unless it has its own. */
static const struct {
    const char *text, *error;
} bad[] = {
    {"layers: 8.5", "2: layers: '8.5' is not a whole number"},
    {"layers: '8.5'", "2: layers: '8.5' is not a whole number"},
    {"layers: \"8\\n\\t3\"", "2: layers: '8??3' is not a whole number"},
    {"lr: 3e-4x", "2: lr: '3e-4x' is not a number"},
    {"lr: nan", "2: lr: 'nan' is not a number"},
    {"lr: .nan", "2: lr: '.nan' is not a number"},
    {"lr: 0,5", "2: lr: '0,5' is not a number"},
    {"layers: 010", "2: layers: '010' is not a whole number"},
    {"layers: +3.5", "2: layers: '+3.5' is not a whole number"},
    {"layers: 0x8", "2: layers: '0x8' is not a whole number"},
    {"layers: 8\n 3", "2: layers: '8 3' is not a whole number"},
    {"width: 64\n\nlayers:\n  8_000", "5: layers: '8_000' is not a whole number"},
    {"layers: 3000", "2: layers: 3000 is out of range (1 to 1024)"},
    {"layers: 99999999999999999999", "2: layers: 99999999999999999999 is out of range (1 to 1024)"},
    {"layer: 8", "2: unknown key 'layer'; did you mean 'layers'?"},
    {"titl: a", "2: unknown key 'titl'; did you mean 'title'?"},
    {"zzzzzz: a", "2: unknown key 'zzzzzz'"},
    {"activation: gleu", "2: activation: unknown value 'gleu'; did you mean 'gelu'?"},
    {"bias: maybe", "2: bias: 'maybe' is neither true nor false"},
    {"layers:\nwidth: 8", "2: layers: the value is missing"},
    {"layers: {a: b}", "2: layers: one value is needed, not a mapping"},
    {"layers: []", "2: layers: the list is empty"},
    {"lr: [1e-3,\n nan]", "3: lr: 'nan' is not a number"},
    {"lr: [1, 1.0]", "2: lr: 1 stands in the list twice"},
    {"lr: [1, [2]]", "2: lr: one value is needed, not a list"},
    {"evaluate_at: [0, 5]", "2: evaluate_at: write the steps as one word, '0,150,300'"},
    {"embed: rms", "2: 'embed' says where norms stand: it goes inside an arm, arms: {mine: {variant: pre}}"},
    {"summaries: ranking", "2: summaries: a list is needed, such as [ranking]"},
    {"compare: mine - pre", "2: compare: a list is needed, such as [mine - pre, mine - peri]"},
    {"compare: []", "2: compare: a list is needed, such as [mine - pre, mine - peri]"},
    {"compare: [peri]", "2: compare: 'peri' is no difference of two arms, 'mine - pre'"},
    {"compare: [{a: b}]", "2: compare: '[…]' is no difference of two arms, 'mine - pre'"},
    {"compare: [peri - prr]", "2: compare: there is no arm 'prr'; did you mean 'pre'?"},
    {"compare: [pre - pre]", "2: compare: 'pre - pre' is an arm minus itself"},
    {"compare: [peri - pre, pre - peri]", "2: compare: 'pre - peri' stands in the list twice"},
    {"looks: [8, 12]\nseeds: 1", "2: looks: the last is at 12 seeds, and the plan has 1"},
    {"looks: [8, 12]\nseeds: [40]", "2: looks: the last is at 12 seeds, and the plan has 1"},
    {"summaries: [rankin]", "2: summaries: unknown 'rankin'; did you mean 'ranking'?"},
    {"summaries: [failures, failures]", "2: summaries: 'failures' stands in the list twice"},
    {"summaries: [{a: b}]", "2: summaries: one value is needed, not a mapping"},
    {"summaries: [ranking]", "2: summaries: arm 'peri' sets its own lr; all arms of a ranking have the same rates"},
    {"summaries: [components]", "2: summaries: components need two of init_seed, order_seed, dropout_seed as [0, N]"},
    {"init_seed: [0, 5]\nsummaries: [components]",
     "3: summaries: components need two of init_seed, order_seed, dropout_seed as [0, N]"},
    {"init_seed: [0, 5]\norder_seed: [1, 5]\nsummaries: [components]",
     "4: summaries: components need order_seed: [0, N], where 0 varies and N is fixed"},
    {"summaries: [corpora]",
     "2: summaries: corpora need several, and dataset is one: dataset: [tinyshakespeare, wikitext-2]"},
    {"dataset: synthetic\nsummaries: [corpora]",
     "3: summaries: corpora need several, and dataset is one: dataset: [tinyshakespeare, wikitext-2]"},
    {"metric: grad_norm\ndataset: [synthetic, wikitext-2]\nsummaries: [corpora]",
     "4: summaries: corpora are summed up by valid_loss, perplexity, bits_per_byte or accuracy, and metric is "
     "grad_norm"},
    {"init_seed: -1", "2: init_seed: -1 is out of range (0 to 1000000000)"},
    {"order_seed: 1.5", "2: order_seed: '1.5' is not a whole number"},
    {"dropout_sed: 1", "2: unknown key 'dropout_sed'; did you mean 'dropout_seed'?"},
    {"metric: perplexity\nsummaries: [ranking]", "3: summaries: a ranking is by valid_loss, and metric is perplexity"},
    {"probes: grad_norm", "2: probes: a list of names is needed: [usual, weight_norm]"},
    {"probes: [grad_norms]", "2: unknown probe 'grad_norms'; did you mean 'grad_norm'?"},
    {"probes: [grow]", "2: unknown probe 'grow'; did you mean 'growth'?"},
    {"probes: [[a]]", "2: probes: a name is needed, not a list"},
    {"probes: {name: [usual]}", "2: probes: unknown key 'name'; there are: names, every"},
    {"probes:\n  every: 0", "3: probes: every: a number of steps from 1 on is needed"},
    {"hits: 1", "2: hits: '1' is neither true nor false"},
    {"hits: [true]", "2: hits: '[…]' is neither true nor false"},
    {"seeds: 0", "2: seeds: 0 is out of range (1 to 10000)"},
    {"seeds: 2.5", "2: seeds: '2.5' is not a whole number"},
    {"seeds: [3, 3]", "2: seeds: 3 stands in the list twice"},
    {"seeds: [-1]", "2: seeds: -1 is out of range (0 to 9223372036854775807)"},
    {"seeds: []", "2: seeds: a list of 1 to 10000 seeds is needed"},
    {"alpha: 1", "2: alpha: 1 is out of range (above 0, below 1)"},
    {"margin: x", "2: margin: 'x' is not a number"},
    {"metric: valid_los", "2: unknown metric 'valid_los'; did you mean 'valid_loss'?"},
    {"table: valid_loss", "2: table: a list is needed, such as [valid_loss, perplexity]"},
    {"table: []", "2: table: a list is needed, such as [valid_loss, perplexity]"},
    {"table:\n- valid_loss\n- valid_los", "4: unknown metric 'valid_los'; did you mean 'valid_loss'?"},
    {"table: [valid_loss, {metric: valid_loss, heading: again}]", "2: table: 'valid_loss' stands in the list twice"},
    {"table: [{metric: valid_loss, headng: a}]", "2: table: unknown key 'headng'; did you mean 'heading'?"},
    {"table: [{heading: a}]", "2: table: an entry is a name or {metric: name, heading: …}"},
    {"table: [{metric: valid_loss, heading: abcdefghijklmnopqrstuvwxyz}]",
     "2: heading: 26 bytes are too many (at most 25)"},
    {"panels: [grad_nrm]", "2: unknown curve 'grad_nrm'; did you mean 'grad_norm'?"},
    {"panels: [{curve: grad_norm, axis: lg}]", "2: axis: unknown 'lg'; did you mean 'log'?"},
    {"panels: [lr, weight_norm]", "2: panels: 'weight_norm' is not measured; it is with probes: [weight_norm]"},
    {"probes: [weight_norm]\npanels:\n- lr\n- {curve: block_output, axis: log}",
     "5: panels: 'block_output' is not measured; it is with probes: [block_output]"},
    {"panels: [norm_input]", "2: panels: a curve of the whole model is needed, such as valid_loss"},
    {"panels: [lr, step, spike, train_loss, valid_loss]", "2: panels: more than 4 curves of the whole model"},
    {"profiles: {q: {table: [valid_loss]}}", "2: 'table' belongs at the top level of the file"},
    {"baseline: prf", "2: baseline: there is no arm 'prf'; did you mean 'pre'?"},
    {"name: ../a", "2: name: the name '../a' begins with a '.'"},
    {"name: a/b", "2: name: 'a/b' is no name (letters, digits, '-', '_', '.')"},
    {"writeup: '0123456789abcdef'", "2: writeup: 16 bytes are too many (at most 15)"},
    {"title: \"a\\nb\"", "2: title: the value holds a line break or another control byte"},
    {"title: \"a\\0b\"", "2: a value holds a zero byte"},
    {"heads: 7", "2: arm 'pre': heads: 7 heads do not divide width 128"},
    {"width: 36", "2: arm 'pre': heads: 8 heads do not divide width 36"},
    {"width: [128, 36]", "2: arm 'pre': heads: 8 heads do not divide width 36"},
    {"evaluate_at: 5,4", "2: arm 'pre': evaluate_at: '5,4' is not ascending"},
    {"profiles: {q: {lr: 0,5}}", "2: unknown key '5'; inside {…} quote a value that holds a comma"},
    {"profiles:\n  q: {step: 5}", "3: unknown key 'step'; did you mean 'steps'?"},
    {"profiles: {q: {name: a}}", "2: 'name' belongs at the top level of the file"},
    {"profiles: {q: {arms: [prf]}}", "2: unknown arm 'prf'; did you mean 'pre'?"},
    {"profiles: {q: {arms: pre}}", "2: arms: a profile lists the names of the arms it keeps: [a, b]"},
    {"profiles: {q: {arms: [pre, pre]}}", "2: arms: 'pre' stands in the list twice"},
    {"profiles: {q: 5}", "2: q: a profile is a mapping such as {steps: 150}, not a value"},
    {"profiles: [q]", "2: profiles: a mapping of names is needed, not a list"},
    {"layers: 3\nwidth: 8\nlayers: 4", "4: duplicate key 'layers' (first on line 2)"},
    {"layers: &a 3", "2: anchors (&) and tags (!) are not used here; quote the value"},
    {"layers: *a", "2: aliases (*) are not used here; quote the value"},
    {"layers: !!int 3", "2: anchors (&) and tags (!) are not used here; quote the value"},
    {"lr: &a [3]", "2: anchors (&) and tags (!) are not used here"},
    {"layers: 3\n---\nlayers: 4", "3: a second document ('---') starts here; a file holds one"},
    {"layers: 3\n\twidth: 8", "3: a tab; yaml is indented with spaces"},
    {"? [a]\n: 3", "2: a key must be a word"},
    {"lr: [[[[[[[[[1]]]]]]]]]", "2: nested deeper than 8"},
    {"lr: [1, 2", "2: not yaml: did not find expected ',' or ']' (while parsing a flow sequence from line 2)"},
    {"title: 'a", "3: not yaml: found unexpected end of stream (while scanning a quoted scalar from line 2)"},
    {"lr: 1\n  b: 3", "3: not yaml: mapping values are not allowed in this context"},
    {"\xff\xfe", "2: not a text file in UTF-8: invalid leading UTF-8 octet"},
    {"title: \x01\x02", "2: not a text file in UTF-8: control characters are not allowed"},
    {"arms:", "2: arms: a mapping of names is needed, not a value"},
    {"arms: {}", "2: there are no arms; for example arms: {mine: {variant: pre}}"},
    {"arms: {a: {variants: pre}}", "2: a: unknown key 'variants'; did you mean 'variant'?"},
    {"lr: 1e-3, 3e-3", "2: lr: '1e-3, 3e-3' is not a number; a list stands in brackets: lr: [1e-3, 3e-3]"},
    {"arms: {a: {}}", "2: a: the arm names no variant; for example {variant: pre}"},
    {"arms: {a: pre}", "2: a: an arm is a mapping such as {variant: pre}, not a value"},
    {"arms:\n  a:\n    variant: prenorm", "4: unknown variant 'prenorm'; did you mean 'pre'?"},
    {"arms:\n  a: {variant: pre,\n   embd: rms}", "4: unknown key 'embd'; did you mean 'embed'?"},
    {"arms: {a: {variant: pre, embed: rmsnrm}}",
     "2: embed: unknown norm 'rmsnrm'; did you mean 'rmsnorm'? valid: none, layernorm, rmsnorm, center, crms, "
     "scalenorm, unit, dyt, derf"},
    {"arms: {a: {variant: pre, base: pre}}", "2: 'base' is another name of 'variant' (line 2); one is enough"},
    {"arms: {a: {variant: pre, lr: [1, 2]}}", "2: lr: one value is needed, not a list"},
    {"arms: {a: {variant: pre, seeds: 3}}", "2: 'seeds' belongs at the top level of the file"},
    {"arms: {a: {variant: pre, label: ''}}", "2: label: the value is empty"},
    {"arms: {a+b: {variant: pre}}", "2: arm: 'a+b' is no name (letters, digits, '-', '_', '.')"},
    {"arms: {a: {variant: pre}, a: {variant: post}}", "2: duplicate key 'a' (first on line 2)"},
    {"layers: [1,2,3,4,5,6,7,8,9,10,11]\nbatch: [1,2,3,4,5,6,7,8,9,10]\nsteps: [1,2,3,4,5,6,7,8,9,10]",
     "the lists of values make 1100 cells; more than 1024"},
};

Test(experiment_bad, bad_input_is_refused_with_its_line) {
    char text[512], want[400];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool own = !strncmp(bad[i].text, "arms", 4);
        snprintf(text, sizeof text, "\n%s\n%s", bad[i].text, own ? "" : ARMS);
        if (strstr(bad[i].error, "parsing a flow")) snprintf(text, sizeof text, "\n%s\n", bad[i].text); /* to the end */
        if (!strncmp(bad[i].text, "title: 'a", 9)) snprintf(text, sizeof text, "\n%s\nlr: 3", bad[i].text);
        bool line = bad[i].error[0] >= '0' && bad[i].error[0] <= '9';
        snprintf(want, sizeof want, "f.yaml:%s%s", line ? "" : " ", bad[i].error);
        parse(text);
        refused(want);
    }
}

Test(experiment_bad, texts_that_are_no_mapping) {
    const char *const nothing[] = {"",       "\n\n", "# a remark\n", "---\n",           "~x: [",
                                   "[1, 2]", "word", "\t",           "%YAML 9.9\n---\n"};
    const char *const error[] = {"there is nothing in it",
                                 "there is nothing in it",
                                 "there is nothing in it",
                                 "there is nothing in it",
                                 "not yaml: did not find expected node content (while parsing a flow node from line 1)",
                                 "an experiment is a mapping of keys (layers: 4), not a list",
                                 "an experiment is a mapping of keys (layers: 4), not a value",
                                 "a tab; yaml is indented with spaces",
                                 "not yaml: found incompatible YAML document"};
    char want[200];
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        snprintf(want, sizeof want, "f.yaml:1: %s", error[i]);
        parse(nothing[i]);
        refused(want);
    }
}

static const char *const whole =
    "# every construct of a file\n"
    "name: whole\ntitle: \"A whole file: all of it\"\nwriteup: '002'\nbaseline: b\nmetric: perplexity\nalpha: 0.01\n"
    "margin: 5e-2\nlayers: 2\nwidth: 32\nlr: [1e-3, 3e-3]\ntoken_std: [0.02, 1]\nsteps: 20\nseeds: 2\n"
    "arms:\n  a: {variant: pre}\n  b:\n    embed: rms # before its row\n    base: post\n    label: B, second\n"
    "  c: {variant: peri, lr: 0.5, gate: learned 0}\n"
    "profiles:\n  smoke: {seeds: [5, 3], arms: [c, b], lr: 1e-2}\n  full: {token_std: 0.5, heads: [4, 8]}\n  same:\n";

/* Cut anywhere, or with any one byte changed, a file is read or refused with its name and one line. */
Test(experiment_bad, damaged_files_never_crash) {
    char path[4096], *bytes;
    size_t length;
    static const char junk[] = {0, '\t', '\n', '{', ']', '"', ':', '#', '&', '-', (char)0xc3, 1};
    experiment_find(path, sizeof path, SOURCE_ROOT, "smoke", &e);
    OK(file_read(path, &bytes, &length, &e));
    for (int round = 0; round < 2; round++) {
        const char *text = round ? whole : bytes;
        size_t n = strlen(text);
        for (size_t i = 0; i < n * (sizeof junk + 1); i++) {
            Document d;
            size_t at = i % n, what = i / n, end = what ? n : at;
            OWNED char *copy = memcpy(mem_alloc(n + 1, 1), text, n);
            copy[at] = what ? junk[what - 1] : 0;
            OWNED char *exact = memcpy(mem_alloc(end, 1), copy, end); /* no terminator, zero bytes inside */
            if (what < 2 && !document_parse(&d, "f.yaml", exact, end, &e))
                document_release(&d);
            else if (what < 2)
                cr_assert(!strncmp(e.text, "f.yaml:", 7) && !strchr(e.text, '\n'), "%s", e.text);
            Rc rc = parse(copy);
            cr_assert(rc == RC_OK || (!strncmp(e.text, "f.yaml:", 7) && !strchr(e.text, '\n')), "%s", e.text);
        }
    }
    free(bytes);
    experiment_release(&x);
}

Test(experiment_bad, size_limits) {
    size_t n = (2 << 20) + 1;
    OWNED char *text = mem_alloc(n, 1);
    memset(text, '#', n - 1);
    parse(text);
    refused("f.yaml: 2097152 bytes; larger than the 1 MiB that such a file may have");
    memset(text, 0, n);
    strcpy(text, "seeds: [");
    for (int i = 0; i < 10001; i++) sprintf(text + strlen(text), "%d,", i);
    parse(text);
    refused("f.yaml:1: more than 10000 values");
    memset(text, '[', 500000), text[500000] = 0;
    parse(text);
    cr_assert_eq(e.code, RC_USAGE);
}
