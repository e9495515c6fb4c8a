/* export and import: what a stored run's weights are at every step, and that they come back with the same bits. */
#include <fcntl.h>
#include <jansson.h>
#include <unistd.h>

#include "bench/cli/commands.h"
#include "bench/run/execute.h"
#include "bench/store/weights.h"
#include "datasets/masking.h"
#include "tests/test.h"

static char folder[64], text[96], runs[96], file[96], printed[96];
static Session session;
static Options options;

/* A text of one's own, so that a run takes milliseconds and every spec is one of `text:PATH`. */
static void enter(void) {
    char all[6000];
    for (size_t i = 0; i < sizeof all; i++) all[i] = (char)('a' + i * i % 23 + (i % 7 == 0));
    strcpy(folder, "/tmp/normbench-export-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(text, sizeof text, "%s/text", folder);
    snprintf(runs, sizeof runs, "%s/runs", folder);
    snprintf(file, sizeof file, "%s/weights", folder);
    snprintf(printed, sizeof printed, "%s/printed", folder);
    OK(file_write(text, all, sizeof all, &e));
    setenv("NORMBENCH_ROOT", SOURCE_ROOT, 1);
}

static void leave(void) {
    session_release(&session);
    char words[160];
    snprintf(words, sizeof words, "rm -r '%s'", folder);
    cr_assert_eq(system(words), 0);
}

TestSuite(export, .init = enter, .fini = leave);

/* Runs `normbench NAME words…`, its stdout into `printed`. */
static Rc command(const char *name, Rc (*run)(Session *, Error *), const char *const *words) {
    char *argv[16] = {(char *)(uintptr_t) "--results", folder};
    int argc = 2;
    while (*words) argv[argc++] = (char *)(uintptr_t)*words++;
    e = (Error){0};
    session_release(&session);
    options_release(&options);
    OK(options_parse(&options, name, argc, argv, &e));
    OK(session_init(&session, &options, &e));
    fflush(stdout);
    int old = dup(STDOUT_FILENO), new = open(printed, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    cr_assert(old >= 0 && new >= 0 && dup2(new, STDOUT_FILENO) >= 0);
    Rc rc = run(&session, &e);
    fflush(stdout);
    dup2(old, STDOUT_FILENO);
    close(old);
    close(new);
    return rc;
}

#define EXPORT(...) command("export", command_export, (const char *const[]){__VA_ARGS__, NULL})
#define IMPORT(...) command("import", command_import, (const char *const[]){__VA_ARGS__, NULL})

/* A member of what import --format json printed. */
static json_t *import_says(const char *key) {
    static json_t *root;
    json_decref(root);
    root = json_load_file(printed, 0, NULL);
    cr_assert(root, "import printed no JSON");
    return json_object_get(root, key);
}

static void refused(Rc rc, Rc want, const char *what) {
    cr_assert_eq(rc, want, "%d instead of %d: %s", rc, want, e.text);
    cr_expect(strstr(e.text, what), "'%s' in '%s'", what, e.text);
}

static RunSpec small(const char *const (*more)[2]) {
    static const char *const keys[][2] = {
        {"layers", "1"}, {"width", "16"},        {"heads", "2"},       {"context", "8"}, {"batch", "4"},
        {"steps", "6"},  {"evaluate_at", "0,4"}, {"curve_every", "3"}, {"lr", "1e-2"},   {"dropout", "0.1"}};
    RunSpec s;
    char dataset[128];
    spec_init(&s);
    snprintf(dataset, sizeof dataset, "text:%s", text);
    OK(spec_set(&s, "dataset", dataset, &e));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) spec_set(&s, keys[i][0], keys[i][1], &e);
    for (; more && (*more)[0]; more++) OK(spec_set(&s, (*more)[0], (*more)[1], &e));
    return s;
}

/* Trains and stores a run; *r is its record. */
static void stored(RunRecord *r, const RunSpec *s) {
    LOCAL(dataset_release) Dataset d;
    DataPlaces places = {.offline = true};
    char id[SHA256_HEX], arithmetic[SHA256_HEX];
    const Backend *b = backend_find("cpu", &e);
    OK(dataset_open(&d, s->dataset.text, "char", &places, &e));
    OK(arithmetic_hash(arithmetic, s, b, &e));
    run_id(id, s, &d, backend_class(b), arithmetic);
    ExecutedRun run = {s, id, arithmetic};
    Execution x = {.run = &run, .runs = 1, .data = &d, .backend = b, .folder = runs};
    x.checkpoint_seconds = x.file_bytes = 1e9;
    OK(run_execute(&x, r, &e));
    OK(record_write(r, runs, &e));
}

/* Every step of a run, by its own name: hashes where the record has one, evaluations bit for bit where it has some. */
Test(export, every_step_comes_back) {
    RunSpec s = small(NULL);
    LOCAL(record_release) RunRecord r;
    char prefix[13], step[8];
    stored(&r, &s);
    snprintf(prefix, sizeof prefix, "%.12s", r.id);
    for (int i = 0; i <= 6; i++) {
        snprintf(step, sizeof step, "%d", i);
        OK(EXPORT(prefix, "--at", step, "-o", file));
        OK(IMPORT(file, "--format", "json"));
        bool evaluated = i == 0 || i == 4 || i == 6;
        cr_expect_str_eq(json_string_value(import_says("record")), evaluated ? "equal" : "none", "step %d", i);
        cr_expect_eq(json_integer_value(import_says("step")), i);
        if (evaluated)
            cr_expect_eq(json_real_value(import_says("valid_loss")), record_at(&r, i)->metric[METRIC_valid_loss]);
    }
    OK(EXPORT(r.id, "-o", file));
    LOCAL(weights_release) Weights w;
    OK(weights_open(&w, file, &e));
    cr_assert_str_eq(w.origin.parameters_hash, r.parameters_hash);
    cr_assert_eq(w.origin.step, 6);
    cr_assert_eq(safe_find(&w.file, "h.0.attn.c_attn.weight")->shape[0], 48);
    cr_assert_eq(safe_find(&w.file, "h.0.attn.c_attn.weight")->shape[1], 16);
    cr_assert_eq(safe_find(&w.file, "ln_f.weight")->rank, 1);
}

/* 6,000 bytes have 600 for validation: 74 windows of 8 and 8 tokens behind them, of which their masks choose some. */
Test(export, a_masked_run_drops_masked_targets) {
    static const char *const masked[][2] = {{"objective", "masked"}, {NULL, NULL}};
    RunSpec s = small(masked);
    LOCAL(record_release) RunRecord r;
    stored(&r, &s);
    cr_expect_eq(r.evaluation[0].dropped, masking_window_targets(74, 8));
    cr_expect_lt(r.evaluation[0].dropped, 7, "as many as of next tokens");
    OK(EXPORT(r.id, "-o", file));
    OK(IMPORT(file, "--format", "json"));
    cr_expect_str_eq(json_string_value(import_says("record")), "equal");
    cr_expect_eq(json_integer_value(import_says("dropped_targets")), r.evaluation[0].dropped);
    /* As an older build stored it. */
    char path[200];
    snprintf(path, sizeof path, "%s/%s", runs, r.id);
    folder_remove(path);
    long counted = r.evaluation[0].dropped;
    for (int i = 0; i < r.evaluations; i++) r.evaluation[i].dropped = 7;
    OK(record_write(&r, runs, &e));
    OK(IMPORT(file, "--format", "json"));
    cr_expect_str_eq(json_string_value(import_says("record")), "equal");
    cr_expect_eq(json_integer_value(import_says("dropped_targets")), counted, "import counts anew");
}

/* The last step of a diverged run is the one whose update did not happen. */
Test(export, a_diverged_run) {
    static const char *const wild[][2] = {
        {"optimizer", "sgd"}, {"lr", "1e6"}, {"clip", "0"}, {"steps", "60"}, {NULL, NULL}};
    RunSpec s = small(wild);
    LOCAL(record_release) RunRecord r;
    stored(&r, &s);
    cr_assert_str_eq(r.status, "diverged");
    OK(EXPORT(r.id, "--at", "final", "-o", file));
    refused(EXPORT(r.id, "--at", "60", "-o", file), RC_USAGE, "a step of this run (0 to ");
}

Test(export, batches_are_the_crops) {
    RunSpec s = small(NULL);
    LOCAL(record_release) RunRecord r;
    LOCAL(weights_release) Weights w;
    const Dataset *d;
    uint64_t starts[4];
    int64_t exported[6][4];
    stored(&r, &s);
    OK(EXPORT(r.id, "--at", "0", "--batches", "-o", file));
    OK(weights_open(&w, file, &e));
    const SafeTensor *b = safe_find(&w.file, "batches");
    cr_assert(b && !strcmp(b->dtype, "I64") && b->rank == 2 && b->shape[0] == 6 && b->shape[1] == 4);
    memcpy(exported, b->data, sizeof exported);
    OK(session_dataset(&session, s.dataset.text, "char", &d, &e));
    for (int step = 0; step < 6; step++) {
        dataset_batch_starts(d, s.seed, (uint64_t)step, 4, 8, starts);
        for (int i = 0; i < 4; i++) cr_assert_eq((uint64_t)exported[step][i], starts[i]);
    }
    OK(IMPORT(file));
    /* Other crops are not this run's. */
    exported[5][3]++;
    ((SafeTensor *)(uintptr_t)b)->data = exported;
    OK(safe_write(&w.file, file, &e));
    refused(IMPORT(file), RC_INTEGRITY, "'batches': step 5");
}

Test(export, unknown_and_ambiguous_runs) {
    RunSpec s = small(NULL);
    LOCAL(record_release) RunRecord r;
    char other[200], prefix[9] = {0};
    refused(EXPORT("3f2a", "-o", file), RC_USAGE, "no run is stored");
    stored(&r, &s);
    memcpy(prefix, r.id, 8);
    refused(EXPORT("ffff0000ffff", "-o", file), RC_USAGE, "no stored run begins with 'ffff0000ffff'");
    cr_expect(strstr(e.text, prefix), "the nearest is not named: %s", e.text);
    refused(EXPORT("not-hex", "-o", file), RC_USAGE, "no stored run has arm=not-hex (of 1); there is: pre");
    refused(EXPORT("pre/steps=7", "-o", file), RC_USAGE, "no stored run has steps=7 (of 1); there is: 6");
    OK(EXPORT("pre/steps=6/seed=1", "-o", file));
    refused(EXPORT("", "-o", file), RC_USAGE, "name one run");
    refused(EXPORT(prefix), RC_USAGE, "-o FILE");
    refused(EXPORT(prefix, "-o", file, "--at", "7"), RC_USAGE, "0 to 6");
    refused(EXPORT(prefix, "-o", file, "--at", "-1"), RC_USAGE, "0 to 6");
    refused(EXPORT(prefix, "-o", file, "--at", "last"), RC_USAGE, "neither `final`");
    refused(EXPORT(prefix, "-o", file, "--backend", "cpu64"), RC_USAGE, "class 'fp64'");
    snprintf(other, sizeof other, "%s/%s%056d", runs, prefix, 7);
    OK(folder_make(other, &e));
    refused(EXPORT(prefix, "-o", file), RC_USAGE, "2 runs begin with");
    OK(EXPORT(r.id, "-o", file));
}

Test(export, no_place_to_write) {
    RunSpec s = small(NULL);
    LOCAL(record_release) RunRecord r;
    char nowhere[128];
    stored(&r, &s);
    snprintf(nowhere, sizeof nowhere, "%s/none/weights", folder);
    refused(EXPORT(r.id, "-o", nowhere), RC_UNMEASURED, "cannot write");
    refused(EXPORT(r.id, "-o", folder), RC_UNMEASURED, "not a plain file");
}

/* A record whose numbers this program does not make again, and a corpus that changed. */
Test(export, a_run_that_is_not_reproduced) {
    RunSpec s = small(NULL);
    LOCAL(record_release) RunRecord r;
    char path[200];
    stored(&r, &s);
    snprintf(path, sizeof path, "%s/%s", runs, r.id);
    for (int turn = 0; turn < 3; turn++) {
        folder_remove(path);
        char first = r.parameters_hash[0];
        if (turn == 0)
            r.parameters_hash[0] = first == '0' ? '1' : '0';
        else
            r.curves.value[2 * r.curves.columns + CURVE_train_loss] += 1e-6;
        if (turn == 2) memset(r.arithmetic, '0', 64);
        OK(record_write(&r, runs, &e));
        const char *want[] = {"the parameters hash to", "the loss of step 2", "the arithmetic of this arm changed"};
        refused(EXPORT(r.id, "-o", file), RC_INTEGRITY, want[turn]);
        cr_assert_not(file_exists(file));
        OK(EXPORT(r.id, "--at", "0", "-o", file));
        unlink(file);
        r.parameters_hash[0] = first;
    }
    OK(file_write(text, "another text entirely, of other letters: xyzzy. 0123456789", 58, &e));
    refused(EXPORT(r.id, "-o", file), RC_INTEGRITY, "has other bytes now");
}

/* The vocabulary in the file is the one the run's tokens are of, and a false one is no vocabulary. */
Test(export, the_vocabulary_is_in_the_file) {
    RunSpec s = small(NULL);
    LOCAL(record_release) RunRecord r;
    Weights w;
    char hash[SHA256_HEX];
    stored(&r, &s);
    OK(EXPORT(r.id, "--at", "0", "-o", file));
    OK(weights_open(&w, file, &e));
    const char *vocabulary = safe_text(&w.file, "vocabulary");
    cr_assert(vocabulary && !strncmp(vocabulary, "char\n97\n98\n", 11), "%s", vocabulary);
    cr_assert_str_eq(sha256_hex_of(hash, vocabulary, strlen(vocabulary)), r.tokenizer_sha256);
    ((char *)(uintptr_t)vocabulary)[5] = '8';
    OK(safe_write(&w.file, file, &e));
    refused(IMPORT(file), RC_INTEGRITY, "'vocabulary' does not hash to tokenizer_sha256");
    weights_release(&w);
    cr_assert_eq(unlink(text), 0);
    OK(EXPORT(r.id, "--at", "0", "-o", file));
    OK(weights_open(&w, file, &e));
    cr_assert_null(safe_text(&w.file, "vocabulary"));
    cr_assert_not_null(safe_text(&w.file, "model"));
    weights_release(&w);
}

/* As another program would save it: other order, other padding, blanks, no alignment, no hash of the data. */
static void save_as_peer(const SafeFile *f, size_t padding, float change, bool whole) {
    LOCAL_TEXT(header);
    LOCAL_TEXT(data);
    text_add(&header, "{", 1);
    for (int i = f->tensors - 1; i >= 0; i--) {
        const SafeTensor *x = &f->tensor[i];
        size_t at = data.length, n = safe_bytes(x);
        float first;
        text_add(&data, x->data, n);
        memcpy(&first, data.at + at, sizeof first);
        first += change;
        memcpy(data.at + at, &first, sizeof first);
        text_format(&header, "\"%s\" : { \"data_offsets\":[%zu,%zu], \"shape\":[%lld", x->name, at, data.length,
                    (long long)x->shape[0]);
        if (x->rank == 2) text_format(&header, ",%lld", (long long)x->shape[1]);
        text_format(&header, "], \"dtype\":\"F32\"},\n");
    }
    text_format(&header, "\"__metadata__\":{\"format\":\"pt\"");
    for (int i = 0; i < f->texts; i++) {
        const char *key = f->text[i].key;
        if (!strcmp(key, "sha256") || (!whole && !strcmp(key, "parameters_hash"))) continue;
        text_format(&header, ",\"%s\":\"", key);
        for (const char *c = f->text[i].value; *c; c++)
            text_format(&header, *c == '\n' ? "\\n" : *c == '"' ? "\\\"" : "%c", *c);
        text_add(&header, "\"", 1);
    }
    text_format(&header, "}}%*s", (int)padding, "");
    LOCAL_TEXT(all);
    for (int i = 0; i < 8; i++) text_add(&all, &(char){(char)(header.length >> (8 * i))}, 1);
    text_add(&all, header.at, header.length);
    text_add(&all, data.at, data.length);
    OK(file_write(file, all.at, all.length, &e));
}

Test(export, files_of_other_programs) {
    RunSpec s = small(NULL);
    LOCAL(record_release) RunRecord r;
    LOCAL(weights_release) Weights w;
    stored(&r, &s);
    OK(EXPORT(r.id, "-o", file));
    OK(weights_open(&w, file, &e));
    for (size_t padding = 0; padding < 4; padding++) {
        save_as_peer(&w.file, padding, 0, true);
        OK(IMPORT(file, "--format", "json"));
        cr_assert_str_eq(json_string_value(import_says("record")), "equal");
    }
    save_as_peer(&w.file, 3, 0.5f, true);
    refused(IMPORT(file), RC_INTEGRITY, "the weights hash to");
    save_as_peer(&w.file, 3, 0.5f, false);
    refused(IMPORT(file, "--format", "json"), RC_REGRESSION, "not the record's");
    cr_assert_str_eq(json_string_value(import_says("record")), "different");
}
