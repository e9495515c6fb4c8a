/* normbench list [KIND [WORD]]: every kind of row, by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "bench/cli/commands.h"
#include "bench/formats/cells.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/plan/claim.h"
#include "bench/plan/profile.h"
#include "bench/plan/recipes.h"
#include "bench/store/record.h"
#include "bench/tasks/task.h"
#include "bench/theory/theory.h"
#include "bench/write/stat_json.h"
#include "datasets/shards.h"
#include "models/equation.h"
#include "models/norm.h"
#include "stats/tests.h"

/* The rows of one kind, as they come. */
typedef struct {
    const Session *s;
    Cells rows; /* name, what; of variants also source, needed_by, differs */
} List;

static void add(List *l, const char *name, const char *what) {
    cells_row(&l->rows);
    cell_text(&l->rows, name), cell_text(&l->rows, what);
}

/* What a row says beside its name and formula: a cell for programs, and words below it. */
static void more_cell(List *l, const char *text) {
    if (text)
        cell_text(&l->rows, text);
    else
        cell_none(&l->rows);
}

static void more_words(List *l, const char *what, const char *text) {
    LOCAL_TEXT(words);
    if (!text) return;
    text_format(&words, "%s: %s", what, text);
    cells_words(&l->rows, 4, words.at);
}

static void variant_rows(List *l) {
    LOCAL_TEXT(equation);
    for (int i = 0; i < variant_count; i++, text_clear(&equation)) {
        RunSpec usual;
        spec_init(&usual); /* as deep as explain shows it */
        equation_text(&variants[i], variant_depth(&variants[i], (int)usual.layers), "; ", &equation);
        add(l, variants[i].name, equation.at);
        more_cell(l, variants[i].cite), more_cell(l, variants[i].needs), more_cell(l, variants[i].differs);
        more_words(l, "source", variants[i].cite);
        more_words(l, "known differences", variants[i].differs);
        more_words(l, "needed by", variants[i].needs);
    }
    text_clear(&equation);
    text_format(&equation, "columns any variant can take:");
    for (int c = 0; c < variant_key_count; c++) text_format(&equation, " %s", variant_keys[c]);
    cells_words(&l->rows, 0, equation.at);
}

/* Kinds whose rows are a table's. */
#define ROWS_OF(kind, count, name, what) \
    static void kind##_rows(List *l) { \
        for (int i = 0; i < (int)(count); i++) add(l, name, what); \
    }
ROWS_OF(norm, NORM_COUNT, norm_info[i].name, norm_info[i].formula)
ROWS_OF(recipe, model_recipe_count, model_recipes[i].name, model_recipes[i].what)
ROWS_OF(statement, STATEMENT_COUNT, statements[i].name, statements[i].what)
ROWS_OF(metric, METRIC_COUNT, metric_info[i].key, metric_info[i].help)
ROWS_OF(curve, CURVE_FIXED, curve_info[i].name, curve_info[i].help)
ROWS_OF(probe, PROBE_COUNT, probe_info[i].name, probe_info[i].help)
ROWS_OF(profile, PROFILE_COUNT, profile_info[i].name, profile_info[i].what)

static void rule_rows(List *l) {
    for (int i = 0; i < RULE_COUNT; i++) add(l, rule_name((RuleKind)i), rule_formula((Rule){.kind = (RuleKind)i}));
}

static void choice_rows(List *l) {
    for (int c = 0; c < variant_key_count; c++)
        for (int i = 0; i < CHOICE_COUNT; i++) {
            char name[64], what[300];
            Choice usual;
            Error e;
            if (choice_parse(&usual, variant_keys[c], choice_name((ChoiceKind)i), &e) || (int)usual.kind != i) continue;
            snprintf(name, sizeof name, "%s: %s", variant_keys[c], choice_name((ChoiceKind)i));
            snprintf(what, sizeof what, "%s", choice_formula((ChoiceKind)i));
            if (usual.value != 0) {
                size_t n = strlen(what);
                snprintf(what + n, sizeof what - n, " (value: %g unless given)", usual.value);
            }
            add(l, name, what);
        }
}

static void op_rows(List *l) {
#define OP(name, inputs, shape, y, dx, flops, bytes, formula) add(l, #name, formula);
#include "kernels/ops.def"
#undef OP
}

static void optimizer_rows(List *l) {
#define OPTIMIZER(name, moments, keys, formula) add(l, #name, formula);
#include "kernels/optimizers.def"
#undef OPTIMIZER
}

static void schedule_rows(List *l) {
#define SCHEDULE(name, formula) add(l, #name, formula);
#include "models/schedule.def"
#undef SCHEDULE
}

static void experiment_rows(List *l) {
    char path[1024], **names, theory[120];
    snprintf(path, sizeof path, "%s/bench/experiments", l->s->root);
    int count = folder_names(path, ".yaml", &names);
    for (int i = 0; i < count; i++) {
        char file[1400], what[300];
        LOCAL(experiment_release) Experiment x = {0};
        Error e;
        snprintf(file, sizeof file, "%s/%s.yaml", path, names[i]);
        if (experiment_read(&x, file, NULL, NULL, &e)) {
            add(l, names[i], e.text);
            continue;
        }
        snprintf(what, sizeof what, "%s (%d arms)", x.title, x.arms);
        add(l, names[i], what);
    }
    names_free(names, count);
    snprintf(theory, sizeof theory, "%d statements about networks before their first step; trains nothing",
             STATEMENT_COUNT);
    add(l, theory_word, theory);
}

static void claim_rows(List *l) {
    char path[1024], **names;
    snprintf(path, sizeof path, "%s/bench/claims", l->s->root);
    int count = folder_names(path, ".yaml", &names);
    for (int i = 0; i < count; i++) {
        char what[300];
        LOCAL(claims_release) ClaimFile f = {0};
        Error e;
        if (claims_read(&f, l->s->root, names[i], &e)) {
            add(l, names[i], e.text);
            continue;
        }
        LOCAL_TEXT(cite);
        claims_cite(&f, &cite);
        snprintf(what, sizeof what, "%.250s: %d claims", cite.at, f.claims);
        add(l, names[i], what);
    }
    names_free(names, count);
}

static void dataset_rows(List *l) {
    const char *names[MANIFEST_NAMES];
    size_t n = manifest_names(names);
    for (size_t i = 0; i < n; i++) {
        char what[200];
        size_t files;
        const CorpusFile *file = manifest_corpus(names[i], &files);
        if (file) snprintf(what, sizeof what, "%zu bytes, sha256 %.12s, %s", file->bytes, file->sha256, file->licence);
        add(l, names[i], file ? what : manifest_source(names[i])->about);
    }
    size_t count;
    const ShardCorpus *shards = shard_corpora(&count);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "shards:%s", shards[i].name);
        add(l, name, shards[i].about);
    }
}

static void task_rows(List *l) {
    for (int i = 0; i < TASK_COUNT; i++) {
        char what[300];
        size_t files;
        snprintf(what, sizeof what, "%s (%s)", task_info[i].about,
                 manifest_task(task_info[i].name, &files) ? "pinned" : "from your file");
        add(l, task_info[i].name, what);
    }
}

static void tokenizer_rows(List *l) {
    size_t kinds;
    const TokenizerKind *kind = tokenizer_kinds(&kinds);
    for (size_t i = 0; i < kinds; i++) add(l, kind[i].name, kind[i].about);
}

static void backend_rows(List *l) {
    for (int i = 0; i < backend_count; i++) {
        char what[200];
        const Backend *b = backends[i];
        snprintf(what, sizeof what, "%s%s", b->what,
                 b->supported() ? b == l->s->backend ? " (used)" : "" : " (not on this machine)");
        add(l, b->name, what);
    }
}

static void precision_rows(List *l) {
#define PRECISION(name, key, word, scaled, what) add(l, key, what);
#include "kernels/precisions.def"
#undef PRECISION
}

static void grid_rows(List *l) {
    for (int i = GRID_none + 1; i < GRID_COUNT; i++) add(l, grid_info[i].key, grid_info[i].help);
}

static void statistic_rows(List *l) {
    for (size_t i = 0; i < st_tests_count; i++) {
        char what[200];
        snprintf(what, sizeof what, "%s (%s)", st_tests[i].what, st_tests[i].source);
        add(l, st_tests[i].name, what);
    }
}

static void exit_code_rows(List *l) {
    for (int i = 0; i < exit_code_count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", exit_codes[i].number);
        add(l, number, exit_codes[i].what);
    }
}

static const struct {
    const char *kind, *use;
    void (*rows)(List *l);
} kinds[] = {
    {"variants", "normbench explain NAME; 001-5: claim 5 of write-up 001, normbench claims 001", variant_rows},
    {"norms", "columns of an arm: {base: pre, attn.out: NAME}", norm_rows},
    {"rules", "columns of an arm: {base: pre, gate: NAME VALUE [END]}; l: block, from 1; L: blocks; d: width",
     rule_rows},
    {"choices", "columns of an arm: {base: pre, streams: hyper 2}", choice_rows},
    {"ops", "the operations of a model's forward and backward pass", op_rows},
    {"optimizers", "--set optimizer=NAME", optimizer_rows},
    {"schedules", "--set schedule=NAME; after a linear warm-up", schedule_rows},
    {"recipes", "--set recipe=NAME, or of an arm: {base: pre, recipe: NAME}", recipe_rows},
    {"experiments", "normbench run NAME", experiment_rows},
    {"claims", "normbench claims NAME", claim_rows},
    {"statements", "normbench run theory; of claims: theory: [NAME, …]", statement_rows},
    {"profiles", "--profile NAME", profile_rows},
    {"datasets", "--set dataset=NAME", dataset_rows},
    {"tasks", "normbench model score WEIGHTS --tasks NAME,…; the text after | is scored", task_rows},
    {"tokenizers", "--set tokenizer=NAME", tokenizer_rows},
    {"backends", "--backend NAME", backend_rows},
    {"precisions", "--set precision=NAME, of backends that have it", precision_rows},
    {"metrics", "of experiments and claims: metric: NAME, table: [NAME, …]", metric_rows},
    {"curves", "of experiments: panels: [NAME, …]", curve_rows},
    {"probes", "of experiments: probes: [NAME, …], measured besides the usual ones; they can then be panels",
     probe_rows},
    {"grid metrics", "of claims: metric: NAME, of all runs that differ in lr alone", grid_rows},
    {"statistics", "of claims: test: NAME", statistic_rows},
    {"exit codes", "", exit_code_rows},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void fill(List *l, size_t kind) {
    Cells *c = &l->rows;
    cells_init(c, kinds[kind].kind, "");
    cells_columns(c, {"name", "l", ""}, {"what", "p", ""});
    if (kinds[kind].rows == variant_rows)
        cells_column(c, "source", 'X', ""), cells_column(c, "needed_by", 'X', ""), cells_column(c, "differs", 'X', "");
    kinds[kind].rows(l);
}

/* Which kind is named: "variants", "grid metrics" or "grid-metrics". -1: none. */
static int kind_named(const char *name) {
    for (size_t k = 0; k < KINDS; k++) {
        size_t i = 0;
        while (name[i] && (name[i] == kinds[k].kind[i] || (name[i] == '-' && kinds[k].kind[i] == ' '))) i++;
        if (!name[i] && !kinds[k].kind[i]) return (int)k;
    }
    return -1;
}

static Rc unknown_kind(const char *name, Error *e) {
    error_set(e, RC_USAGE, "list: unknown kind '%.60s'", name);
    return name_unknown(e, name, NAMES(kinds, KINDS), "there are");
}

/* Every row, with its kind as a heading above it. */
static void add_kind(const Session *s, size_t k, int width, json_t *all, Text *out) {
    List l = {.s = s};
    LOCAL_TEXT(heading);
    const char *use = kinds[k].use;
    fill(&l, k);
    json_add(all, kinds[k].kind, cells_json(&l.rows));
    text_format(&heading, "%s%s%s%s", kinds[k].kind, use[0] ? " (" : "", use, use[0] ? ")" : "");
    text_wrapped(out, out->length ? "\n" : "", heading.at, 4, width);
    cells_text(&l.rows, width, out);
    cells_release(&l.rows);
}

/* Keeps the rows that hold the word, whatever its case: their first lines and those below them. */
static void keep_rows(Text *out, const char *word) {
    LOCAL_TEXT(kept);
    const char *at = out->at;
    size_t head = strcspn(at, "\n"), found = 0;
    for (at += head + (at[head] == '\n'); *at == ' ' && at[1] == ' ' && at[2] == ' ' && at[3] == ' ';)
        at += strcspn(at, "\n"), at += *at == '\n'; /* the heading's other lines */
    text_add(&kept, out->at, (size_t)(at - out->at));
    while (*at) { /* a row goes on in lines that begins with more than two blanks */
        const char *end = at;
        do end += strcspn(end, "\n"), end += *end == '\n';
        while (end[0] == ' ' && end[1] == ' ' && end[2] == ' ');
        OWNED char *row = mem_alloc((size_t)(end - at) + 1, 1);
        memcpy(row, at, (size_t)(end - at));
        if (strcasestr(row, word)) text_add(&kept, row, strlen(row)), found++;
        at = end;
    }
    text_clear(out);
    if (found) text_add(out, kept.at, kept.length);
}

Rc command_list(Session *s, Error *e) {
    const Options *o = s->options;
    const int one = o->operands ? kind_named(o->operand[0]) : -1;
    if (o->operands && one < 0) return unknown_kind(o->operand[0], e);
    if (o->operands > 2)
        return error_set(e, RC_USAGE, "list: it takes a kind and a word, and '%s' is a third", o->operand[2]);
    json_auto_t *all = json_object();
    LOCAL_TEXT(out);
    for (size_t k = 0; k < KINDS; k++)
        if (one < 0 || (int)k == one) add_kind(s, k, terminal_width(), all, &out);
    if (o->operands == 2) keep_rows(&out, o->operand[1]);
    if (o->times[OPTION_json]) {
        text_clear(&out);
        json_print(json_incref(all), JSON_EXACT, &out);
    }
    Rc rc =
        out.length ? RC_OK : error_set(e, RC_USAGE, "list: of the %s none holds '%.60s'", o->operand[0], o->operand[1]);
    o->times[OPTION_json] ? (void)fputs(out.at, stdout) : terminal_print(out.at);
    return rc;
}
