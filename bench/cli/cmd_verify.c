/* normbench verify [EXPERIMENT] [--level bit|numeric|statistical]: train the stored snapshots' experiments again and
 * compare (bench/verify/gate.h).
 * normbench verify EXPERIMENT... --tables: compare the tables and figures that `table` made with the stored ones, byte
 * for byte (bench/verify/reference.h). Trains nothing.
 * normbench verify [EXPERIMENT] --bisect A B: the first step and op in which two backends or hash logs differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/formats/terminal.h"
#include "bench/store/feeding.h"
#include "bench/theory/theory.h"
#include "bench/verdict/until.h"
#include "bench/verify/snapshot.h"
#include "bench/verify/gate.h"
#include "bench/verify/reference.h"
#include "bench/write/table.h"
#include "models/trainer.h"
#include "models/trainer_look.h"

enum { HASH_LOG_STEPS = 5 };

#define CHANGED "the plan was changed on the command line; nothing is stored for it"

/* Whether the command line asks for another plan than is stored; each precision has its snapshots. */
static bool runs_changed(const Session *s, const Experiment *x) {
    const char *set[SESSION_SETS_MAX];
    Overrides precise = {.set = set};
    OWNED Experiment *plain = mem_alloc(1, sizeof *plain); /* too large for a small stack */
    Error none;
    for (int i = 0; i < s->overrides.sets; i++)
        if (!strncmp(s->overrides.set[i], "precision=", 10)) set[precise.sets++] = s->overrides.set[i];
    if (experiment_parse(plain, x->file, x->yaml, x->profile, &precise, &none)) return true;
    bool changed = strcmp(plain->plan, x->plan) != 0;
    experiment_release(plain);
    return changed;
}

/* One experiment against its snapshot; *compared counts numbers. */
static Rc verify_one(Session *s, const char *name, int *compared, Error *e) {
    LOCAL(experiment_release) Experiment x = {0};
    char path[1024];
    json_auto_t *stored = NULL, *rows = NULL;
    LOCAL_TEXT(report);
    if (session_experiment(s, name, &x, e)) return e->code;
    if (runs_changed(s, &x))
        return error_set(e, RC_USAGE, "%s%s%s: " CHANGED, x.name, x.profile[0] ? " " : "", x.profile);
    const char *arithmetic;
    if (session_class(s, &x, &arithmetic, e)) return e->code;
    snapshot_path(path, sizeof path, s, &x, arithmetic);
    if (snapshot_read(&stored, path, e)) return e->code;
    GateLevel level = (GateLevel)option_choice(s->options, OPTION_level, (int)gate_default(stored, arithmetic));
    if (snapshot_measure(s, &x, &rows, e)) return e->code;
    Rc rc = gate_check(level, stored, rows, x.margin, x.alpha, &report, compared, e);
    printf("%s%s%s, level %s: %zu runs%s\n%s", x.name, x.profile[0] ? " " : "", x.profile, gate_names[level],
           json_array_size(rows), rc ? "" : ", as stored", report.at);
    return rc ? error_prefix(e, "%s: ", x.name) : RC_OK;
}

/* ---- Hash logs: the hash of every op of every step of a run, one line each, to compare two arithmetics op by op:
 *
 *     pre seed 1  step 0  forward   12 attention  h.0.attn  5c0f…
 *
 * Between two machines, compilers or backends, the first line that differs names the step and the op. ---- */

typedef struct {
    Text *out;
    const char *run;
    int step;
} HashLog;

static void add_line(void *context, const char *phase, int op, const char *kind, const char *tensor,
                     const uint8_t hash[32]) {
    const HashLog *t = context;
    char hex[SHA256_HEX];
    text_format(t->out, "%s  step %d  %-8s %3d %-10s %-28s %.16s\n", t->run, t->step, phase, op, kind, tensor,
                sha256_hex(hex, hash));
}

static Rc log_run(const RunSpec *s, const Dataset *d, const Backend *backend, int steps, const char *name, Text *out,
                    Error *e) {
    ModelShape shape = spec_shape(s, d->vocab);
    Recipe recipe = spec_recipe(s);
    Trainer *t;
    StepReport report = {.finite = true};
    if (trainer_for_gpt(&t, &shape, &s->variant, NULL, &recipe, &s->seed, 1, backend, e)) return e->code;
    HashLog log = {.out = out, .run = name};
    trainer_hash_parameters(t, "start", add_line, &log);
    for (bool logged = true; log.step < steps && report.finite && logged; log.step++) {
        feed_step(t, 0, d, s, spec_order_seed(s), (uint64_t)log.step);
        logged = trainer_hash_step(t, add_line, &log, &report);
    }
    Rc rc = trainer_failed(t, e) || dataset_failed(d, e) ? e->code : RC_OK;
    trainer_free(t);
    return rc;
}

/* Append the log of the first `steps` steps of every arm of the experiment, first cell and seed. */
static Rc hash_log_experiment(Session *s, const Experiment *x, const Backend *backend, int steps, Text *out, Error *e) {
    for (int arm = 0; arm < x->arms; arm++) {
        RunSpec spec = experiment_spec(x, 0, arm, 0);
        char tokenizer[SPEC_TEXT_SIZE], name[128];
        const Dataset *d;
        snprintf(name, sizeof name, "%s seed %llu", x->arm[arm].name, (unsigned long long)spec.seed);
        if (session_dataset(s, spec.dataset.text, spec_get(tokenizer, &spec, "tokenizer"), &d, e)) return e->code;
        int most = steps < (int)spec.steps ? steps : (int)spec.steps;
        if (log_run(&spec, d, backend, most, name, out, e)) return e->code;
    }
    return RC_OK;
}

static size_t copy_line(char out[256], const char *from) {
    size_t n = strcspn(from, "\n");
    snprintf(out, 256, "%.*s", (int)(n < 255 ? n : 255), from);
    return from[n] ? n + 1 : n;
}

/* Return the first line in which two logs differ, 0-based; -1: they are equal. line_a, line_b: both texts. */
static int hash_log_difference(const char *a, const char *b, char line_a[256], char line_b[256]) {
    for (int i = 0; *a || *b; i++) {
        a += copy_line(line_a, a);
        b += copy_line(line_b, b);
        if (strcmp(line_a, line_b)) return i;
    }
    return -1;
}

/* Return the number of a hash log's line without its line feed; -1: it is none. */
static int step_of(const char *line, size_t length) {
    enum { HASH = 16 };
    int step;
    OWNED char *own = mem_alloc(length + 1, 1);
    memcpy(own, line, length);
    const char *at = strstr(own, "  step ");
    if (!at || sscanf(at, "  step %d ", &step) != 1 || step < 0 || length < HASH) return -1;
    const char *hash = own + length - HASH;
    return strspn(hash, "0123456789abcdef") == HASH && hash[-1] == ' ' ? step : -1;
}

/* Count a hash log's steps. RC_USAGE: a line is none of a hash log's. */
static Rc count_steps(const char *what, const Text *log, int *steps, Error *e) {
    const char *at = log->at, *end = log->at + log->length;
    *steps = 0;
    for (int line = 1; at < end || line == 1; line++) {
        size_t length = strcspn(at, "\n");
        int step = step_of(at, length);
        if (step < 0)
            return error_set(e, RC_USAGE,
                             "--bisect: %s:%d: no line of a hash log (`normbench verify -o FILE` writes one)", what,
                             line);
        if (step >= *steps) *steps = step + 1;
        at += length + (at[length] == '\n');
    }
    return RC_OK;
}

/* A backend's name, or the path of a hash log. */
static Rc log_of(Session *s, const Experiment *x, const char *what, Text *out, Error *e) {
    if (file_exists(what)) {
        OWNED char *bytes = NULL;
        size_t length;
        if (file_read(what, &bytes, &length, e)) return e->code;
        text_add(out, bytes, length);
        return RC_OK;
    }
    const Backend *b = backend_find(what, e);
    if (!b) return error_prefix(e, "--bisect: no such file, and ");
    return hash_log_experiment(s, x, b, HASH_LOG_STEPS, out, e);
}

static Rc bisect(Session *s, const Experiment *x, const char *a, const char *b, Error *e) {
    LOCAL_TEXT(ta);
    LOCAL_TEXT(tb);
    char la[256], lb[256];
    int steps;
    if (log_of(s, x, a, &ta, e) || count_steps(a, &ta, &steps, e)) return e->code;
    if (log_of(s, x, b, &tb, e) || count_steps(b, &tb, &steps, e)) return e->code;
    int at = hash_log_difference(ta.at, tb.at, la, lb);
    if (at < 0) {
        printf("%s and %s agree in every op of the first %d step%s\n", a, b, steps, steps == 1 ? "" : "s");
        return RC_OK;
    }
    printf("first difference, line %d:\n  %s: %s\n  %s: %s\n", at + 1, a, la, b, lb);
    return error_set(e, RC_REGRESSION, "%s and %s differ", a, b);
}

static Rc write_log(Session *s, const Experiment *x, const char *path, Error *e) {
    LOCAL_TEXT(t);
    if (hash_log_experiment(s, x, s->backend, HASH_LOG_STEPS, &t, e)) return e->code;
    return file_write(path, t.at, t.length, e);
}

static Rc say_reference(const Reference *r, const char *title, Error *e) {
    LOCAL_TEXT(out);
    reference_text(r, title, &out);
    terminal_print(out.at);
    if (!reference_differs(r)) return RC_OK;
    return error_set(e, RC_REGRESSION, "%s: files differ from those stored under results/reference", title);
}

/* The files of a table in `here` beside those stored in results/reference/<under>. */
static Rc compare_files(Reference *r, const Session *s, const char *under, const char *here, char *const *file,
                        int files, const char *title, Error *e) {
    char stored[900], experiments[900];
    snprintf(stored, sizeof stored, "%s/results/reference/%.80s", s->root, under);
    snprintf(experiments, sizeof experiments, "%s/bench/experiments", s->root);
    Rc rc = reference_files(r, stored, here, file, files, experiments, e);
    return rc ? rc : say_reference(r, title, e);
}

/* What `run theory` or `table theory` wrote. */
static Rc theory_files(const Session *s, Error *e) {
    char here[THEORY_PATH_SIZE], **file;
    LOCAL(reference_release) Reference r;
    theory_folder(s->results, here);
    int files = folder_names(here, "", &file);
    reference_init(&r, theory_word);
    r.whole = true;
    Rc rc = files ? compare_files(&r, s, theory_word, here, file, files, theory_word, e)
                  : error_set(e, RC_UNMEASURED, "theory: its table is not made yet; `normbench run theory` makes it");
    names_free(file, files);
    return rc;
}

/* The runs of a plan and the files of its folder. */
static Rc plan_files(const Session *s, const Experiment *x, const Records *records, const PlanFolder *folder,
                     Error *e) {
    char kept[REFERENCE_PATH_SIZE], json[REFERENCE_PATH_SIZE];
    char name[TABLE_NAME_SIZE], title[TABLE_NAME_SIZE + PROFILE_NAME_SIZE];
    const json_t *list = folder->before.files;
    int files = (int)json_array_size(list);
    OWNED const char **file = mem_alloc((size_t)files + 1, sizeof *file);
    LOCAL(reference_release) Reference r;
    for (int i = 0; i < files; i++) file[i] = json_string_value(json_array_get(list, (size_t)i));
    table_name(name, x, records->at);
    snprintf(title, sizeof title, "%s%s%s", name, x->profile[0] ? " " : "", x->profile);
    reference_init(&r, name);
    if (reference_records(s->root, x, kept, &r.curves, e)) return e->code;
    snprintf(json, sizeof json, "%.600s/results/reference/%.60s/%.120s.json", s->root, x->profile, name);
    r.whole = kept[0] && records->precision == PRECISION_exact && file_exists(json);
    if (reference_runs(&r, s->root, kept, x, records->at, e)) return e->code;
    return compare_files(&r, s, x->profile, folder->path, (char *const *)file, files, title, e);
}

static Rc verify_tables(Session *s, const char *name, Error *e) {
    LOCAL(experiment_release) Experiment x = {0};
    LOCAL(plan_folder_release) PlanFolder folder = {0};
    LOCAL(records_release) Records records = {0};
    if (!strcmp(name, theory_word)) return theory_files(s, e);
    if (session_plan(s, name, &x, e) || plan_folder_find(&folder, s->results, s->slug, &x, e)) return e->code;
    if (experiment_changed(&x)) {
        printf("%s%s%s: " CHANGED "\n", x.name, x.profile[0] ? " " : "", x.profile);
        return RC_OK;
    }
    if (!folder.before.all || !json_array_size(folder.before.files))
        return error_set(e, RC_UNMEASURED, "%s%s%s: its table is not made here yet; `normbench table` makes it", x.name,
                         x.profile[0] ? " " : "", x.profile);
    if (until_read(&records, s->runs, &x, s->precise, e) || records_complete(&records, s, &x, e)) return e->code;
    return plan_files(s, &x, &records, &folder, e);
}

Rc command_verify(Session *s, Error *e) {
    const Options *o = s->options;
    const char *log = option(o, OPTION_output, NULL);
    bool tables = o->times[OPTION_tables] > 0;
    int operands = o->operands, compared = 0;
    LOCAL(experiment_release) Experiment x = {0};
    session_signals();
    if (tables && !operands) return error_set(e, RC_USAGE, "verify: --tables needs the names of the experiments");
    if (o->times[OPTION_bisect] || log) {
        int own = o->times[OPTION_bisect] ? operands - 2 : operands;
        if (own != 0 && own != 1) return error_set(e, RC_USAGE, "verify: --bisect takes two backends or hash logs");
        if (session_experiment(s, own ? o->operand[0] : "smoke", &x, e)) return e->code;
        return log ? write_log(s, &x, log, e) : bisect(s, &x, o->operand[own], o->operand[own + 1], e);
    }
    static const char *const all[] = {"smoke", "smoke-shakespeare"};
    Rc worst = RC_OK;
    int names = operands ? operands : (int)(sizeof all / sizeof *all);
    for (int i = 0; i < names && worst < (Rc)128; i++) { /* a signal stops all of it */
        Error why = {.code = RC_OK};
        const char *name = operands ? o->operand[i] : all[i];
        Rc rc = tables ? verify_tables(s, name, &why) : verify_one(s, name, &compared, &why);
        if (rc && worst) terminal_say(stderr, "normbench: %s\n", e->text);
        if (rc) *e = why, worst = rc;
    }
    if (!worst && !compared && !tables) return error_set(e, RC_UNMEASURED, "verify: nothing was compared");
    return worst;
}
