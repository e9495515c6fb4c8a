#include "bench/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/document.h"
#include "kernels/cuda/dry.h"

volatile sig_atomic_t session_signal;

static void on_signal(int number) {
    if (session_signal) _exit(128 + number);
    session_signal = number;
}

static bool interrupted(void) {
    return session_signal != 0;
}

void session_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* A standard stream that was closed would lend its number to the next file that is opened, and messages would end up in
 * a record. Its number goes to /dev/null instead, stdout's for reading only: what cannot be printed is still an error. */
static void hold_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/* Upward from the working folder, then where the program was built. */
static Rc find_root(char *root, size_t size, Error *e) {
    const char *given = getenv("NORMBENCH_ROOT");
    char at[512], probe[600];
    if (given) {
        snprintf(root, size, "%s", given);
        snprintf(probe, sizeof probe, "%.500s/bench/experiments", root);
        if (file_exists(probe)) return RC_OK;
        return error_set(e, RC_USAGE, "$NORMBENCH_ROOT: '%s' holds no bench/experiments", given);
    }
    if (!getcwd(at, sizeof at)) at[0] = 0;
    while (at[0]) {
        snprintf(probe, sizeof probe, "%s/bench/experiments", at);
        if (file_exists(probe)) {
            snprintf(root, size, "%s", at);
            return RC_OK;
        }
        char *slash = strrchr(at, '/');
        *slash = 0;
    }
    snprintf(root, size, "%s", BUILD_ROOT);
    snprintf(probe, sizeof probe, "%s/bench/experiments", BUILD_ROOT);
    if (file_exists(probe)) return RC_OK;
    return error_set(e, RC_USAGE, "not inside a checkout of normbench (no bench/experiments upward from here)");
}

static Rc read_count(int *out, const Options *o, OptionKind kind, const char *name, int fallback, Error *e) {
    const char *given = option(o, kind, NULL);
    int64_t n = fallback;
    if (given && (!parse_integer(given, &n) || n < 1 || n > 1024))
        return error_set(e, RC_USAGE, "%s: '%s' is not a number from 1 to 1024", name, given);
    *out = (int)n;
    return RC_OK;
}

typedef enum { EXACT, FP32, BF16, PRECISIONS } Precision;
static const struct {
    const char *name, *suffix, *who;
} precisions[PRECISIONS] = {
    [EXACT] = {"exact", "", "every backend has exact"},
    [FP32] = {"fp32", "-fp32", "simt and cuda have fp32"},
    [BF16] = {"bf16", "-bf16", "cpu, amx, dot, soft-amx and soft-dot have bf16"},
};

/* The precision asked for; "exact" where the backend's name says another itself. */
static Rc find_precision(Precision *out, const char *backend, const char *asked, Error *e) {
    const char *known[PRECISIONS];
    char hint[96];
    size_t length = strlen(backend);
    for (*out = EXACT; *out < PRECISIONS && strcmp(asked, precisions[*out].name); ++*out)
        known[*out] = precisions[*out].name;
    if (*out == PRECISIONS)
        return error_set(e, RC_USAGE, "--precision: unknown '%s'%s", asked,
                         did_you_mean(hint, sizeof hint, asked, known, PRECISIONS));
    for (Precision i = FP32; i < PRECISIONS; i++) {
        if (length <= 5 || strcmp(backend + length - 5, precisions[i].suffix)) continue;
        if (*out != EXACT && *out != i)
            return error_set(e, RC_USAGE, "--precision: backend '%s' is of precision %s", backend, precisions[i].name);
        *out = EXACT;
    }
    return RC_OK;
}

static Rc no_such_precision(const char *backend, Precision p, bool device, Error *e) {
    return error_set(e, RC_USAGE, "--precision: backend '%s' computes in exact%s only; %s", backend,
                     device ? " and fp32" : "", precisions[p].who);
}

/* A backend's row in another precision is called by both: cuda-fp32. */
static Rc find_backend(Session *s, const Options *o, Error *e) {
    const char *name = option(o, OPTION_backend, "cpu");
    char both[64];
    Precision precision;
    if (!strcmp(o->command, "perf") && o->times[OPTION_dry_run] && !o->times[OPTION_backend]) name = "cuda";
    if (find_precision(&precision, name, option(o, OPTION_precision, "exact"), e)) return e->code;
    bool device = !strcmp(name, "cuda") || !strcmp(name, "simt");
    if (precision == BF16 && device) return no_such_precision(name, precision, device, e);
    snprintf(both, sizeof both, "%.40s%s", name, precisions[precision].suffix);
    if (!strcmp(o->command, "perf") && o->times[OPTION_dry_run]) {
        s->backend = dry_backend(both);
        if (s->backend) return RC_OK;
        if (!strncmp(name, "cuda", 4) && !dry_backend("cuda"))
            return error_set(e, RC_UNMEASURED,
                             "perf --dry-run: this program was built without the CUDA kernels (a C++ compiler, "
                             "meson setup -Dsimt=enabled)");
        return error_set(e, RC_USAGE, "perf --dry-run counts what a device would launch: --backend cuda, not '%s'",
                         name);
    }
    s->backend = backend_find(both, e);
    if (!s->backend && e->code == RC_USAGE && precision && backend_find(name, &(Error){.code = RC_OK}))
        return no_such_precision(name, precision, device, e);
    return s->backend ? RC_OK : e->code;
}

Rc session_init(Session *s, const Options *o, Error *e) {
    *s = (Session){.options = o};
    hold_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows past `ulimit -f` is a full disk, not a death */
    if (find_root(s->root, sizeof s->root, e)) return e->code;
    const char *results = option(o, OPTION_results, NULL);
    if (results && (!*results || strlen(results) >= sizeof s->results))
        return error_set(e, RC_USAGE, "--results: a path of 1 to %zu bytes is needed", sizeof s->results - 1);
    if (results)
        snprintf(s->results, sizeof s->results, "%s", results);
    else
        snprintf(s->results, sizeof s->results, "%s/results", s->root);
    snprintf(s->runs, sizeof s->runs, "%s/runs", s->results);
    snprintf(s->cache, sizeof s->cache, "%s/datasets/cache", s->root);
    s->places = (DataPlaces){.data = option(o, OPTION_data, NULL),
                             .environment = getenv("NORMBENCH_DATA"),
                             .cache = s->cache,
                             .root = s->root,
                             .offline = o->times[OPTION_offline] > 0,
                             .stopped = interrupted};
    if (read_count(&s->threads_per_run, o, OPTION_threads_per_run, "--threads-per-run", 1, e)) return e->code;
    int at_once = pool_processors() / s->threads_per_run;
    if (read_count(&s->threads, o, OPTION_threads, "--threads", at_once > 1 ? at_once : 1, e)) return e->code;
    if (find_backend(s, o, e)) return e->code;
    if (s->threads_per_run > 1 && s->backend->device)
        return error_set(e, RC_USAGE, "--threads-per-run: backend '%s' takes no threads of the host", s->backend->name);
    return RC_OK;
}

void session_release(Session *s) {
    for (int i = 0; i < s->datasets; i++) dataset_release(&s->dataset[i]);
    s->datasets = 0;
}

Rc session_dataset(Session *s, const char *name, const char *tokenizer, const Dataset **out, Error *e) {
    char key[208];
    snprintf(key, sizeof key, "%.150s %.40s", name, tokenizer);
    for (int i = 0; i < s->datasets; i++)
        if (!strcmp(key, s->dataset_key[i])) {
            *out = &s->dataset[i];
            return RC_OK;
        }
    if (s->datasets == SESSION_MOST_DATASETS) return error_set(e, RC_USAGE, "more than %d corpora", s->datasets);
    Dataset *d = &s->dataset[s->datasets];
    if (dataset_open(d, name, tokenizer, &s->places, e)) return e->code;
    if (d->note[0]) fprintf(stderr, "normbench: note: %s\n", d->note);
    strcpy(s->dataset_key[s->datasets++], key);
    *out = d;
    return RC_OK;
}

static void banner(const char *name, const char *why) {
    fprintf(stderr,
            "\n  ==========================================================================\n"
            "   THE CORPUS '%s' CANNOT BE HAD. What follows is the same job on the\n"
            "   built-in SYNTHETIC source; its numbers are not comparable with the\n"
            "   write-up's, and every table says so.\n   %s\n"
            "  ==========================================================================\n\n",
            name, why);
}

/* Where a corpus was named: --set, or the line of the arm, of the profile or of the file. */
static Rc place_corpus(const Session *s, const Experiment *x, int arm, Error *e) {
    const Options *o = s->options;
    const char *const places[][2] = {{"arms", x->arm[arm].name}, {"profiles", x->profile}};
    Document d;
    Error ignored;
    char *bytes;
    size_t length;
    if (o->times[OPTION_arm] && x->arm[arm].own >> spec_index("dataset") & 1) return error_prefix(e, "--arm: ");
    for (int i = 0; i < o->times[OPTION_set]; i++)
        if (!strncmp(o->value[OPTION_set][i], "dataset", 7)) return error_prefix(e, "--set: ");
    if (file_read(x->file, &bytes, &length, &ignored)) return e->code;
    if (!document_parse(&d, x->file, bytes, length, &ignored)) {
        const Node *found = NULL;
        for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
            const Node *all = node_find(d.root, places[i][0]), *mine = all ? node_find(all, places[i][1]) : NULL;
            found = mine ? node_find(mine, "dataset") : NULL;
        }
        if (!found) found = node_find(d.root, "dataset");
        document_prefix(e, &d, found ? found->line : 0);
        document_release(&d);
    }
    free(bytes);
    return e->code;
}

/* Every spec of the experiment, its corpus opened and large enough; a corpus that is nowhere becomes the synthetic. */
static Rc settle_corpora(Session *s, Experiment *x, Error *e) {
    bool told = false;
    for (int arm = 0; arm < x->arms; arm++) {
        RunSpec *spec = &x->arm[arm].spec;
        char tokenizer[160];
        const Dataset *d;
        spec_get(tokenizer, spec, "tokenizer");
        if (tokenizer_ready(tokenizer, e)) return e->code; /* else it would look like a corpus that cannot be had */
        Rc rc = session_dataset(s, spec->dataset.text, tokenizer, &d, e);
        if (rc == RC_UNMEASURED && !s->strict_corpus && strncmp(spec->dataset.text, "text:", 5)) {
            if (!told) banner(spec->dataset.text, e->text);
            told = true;
            strcpy(spec->dataset.text, "synthetic");
            rc = session_dataset(s, spec->dataset.text, tokenizer, &d, e);
        }
        if (rc) return rc == RC_USAGE && strncmp(spec->dataset.text, "text:", 5) ? place_corpus(s, x, arm, e) : rc;
        for (int cell = 0; cell < experiment_cells(x); cell++) {
            RunSpec one = experiment_spec(x, cell, arm, 0);
            ModelShape shape = spec_shape(&one, d->vocab);
            if (spec_check(&one, e) || shape_check(&shape, e) || dataset_fits(d, shape.batch, shape.context, e))
                return error_prefix(e, "%s, arm %s: ", x->file, x->arm[arm].name);
        }
    }
    return RC_OK;
}

Rc session_experiment(Session *s, const char *name, Experiment *x, Error *e) {
    const Options *o = s->options;
    const char *set[OPTION_MOST + 2], *text = option(o, OPTION_text, NULL),
                                      *tokenizer = option(o, OPTION_tokenizer, NULL);
    char path[1024], by_text[OPTION_MOST * 8], by_tokenizer[64];
    int sets = 0;
    for (int i = 0; i < o->times[OPTION_set]; i++) set[sets++] = o->value[OPTION_set][i];
    if (text) {
        if (strlen(text) > 120) return error_set(e, RC_USAGE, "--text: a path of more than 120 bytes");
        snprintf(by_text, sizeof by_text, "dataset=text:%s", text);
        set[sets++] = by_text;
    }
    if (tokenizer) {
        snprintf(by_tokenizer, sizeof by_tokenizer, "tokenizer=%.40s", tokenizer);
        set[sets++] = by_tokenizer;
    }
    Overrides overrides = {.set = set, .sets = sets, .arm = o->value[OPTION_arm], .arms = o->times[OPTION_arm]};
    if (experiment_find(path, sizeof path, s->root, name, e)) return e->code;
    if (experiment_read(x, path, option(o, OPTION_profile, ""), &overrides, e)) return e->code;
    if (settle_corpora(s, x, e)) {
        experiment_release(x);
        return e->code;
    }
    return RC_OK;
}

Rc session_output(const Session *s, const Experiment *x, char *path, size_t size, Error *e) {
    snprintf(path, size, "%s/out/%s", s->results, x->profile);
    return folder_make(path, e);
}
