#include "bench/store/session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/formats/document.h"
#include "bench/store/archive.h"
#include "bench/store/feeding.h"
#include "bench/store/texts.h"
#include "kernels/cuda/dry.h"

volatile sig_atomic_t session_signal;

/* Handle a signal. Only SIGINT or SIGTERM ends at once, and only SESSION_REPEAT_MS after the first of them: a closing
 * terminal, a scheduler and timeout(1), which signals its child and then their group, signal several times. */
static void on_signal(int number) {
    static volatile sig_atomic_t asked;
    static struct timespec first;
    if (number == SIGINT || number == SIGTERM) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (!asked) first = now;
        asked = 1;
        long ms = (now.tv_sec - first.tv_sec) * 1000L + (now.tv_nsec - first.tv_nsec) / 1000000L;
        if (ms >= SESSION_REPEAT_MS) _exit(128 + number);
    }
    if (!session_signal) session_signal = number == SIGINT ? SIGINT : SIGTERM;
}

bool session_stopped(void) {
    return session_signal != 0;
}

void session_stop(void) {
    if (!session_signal) session_signal = SIGTERM;
}

void session_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bool hangup = numbers[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before);
        if (!hangup || before.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL); /* keeps nohup */
    }
}

void session_release(Session *s) {
    for (int i = 0; i < s->datasets; i++) dataset_release(&s->dataset[i]);
    s->datasets = 0;
    plan_note_release(&s->recalled);
    if (s->archive[0]) scratch_remove(&s->unpacked);
    s->archive[0] = 0;
}

Rc session_unpack(Session *s, const char *path, Error *e) {
    Scratch folder;
    if (archive_unpack(&folder, path, e)) return e->code;
    if (s->archive[0]) scratch_remove(&s->unpacked);
    s->unpacked = folder;
    snprintf(s->archive, sizeof s->archive, "%s", path);
    snprintf(s->results, sizeof s->results, "%s", s->unpacked.path);
    snprintf(s->runs, sizeof s->runs, "%.599s/runs", s->results);
    return RC_OK;
}

Rc session_dataset(Session *s, const char *name, const char *tokenizer, const Dataset **out, Error *e) {
    char key[208];
    snprintf(key, sizeof key, "%.150s %.40s", name, tokenizer);
    for (int i = 0; i < s->datasets; i++)
        if (!strcmp(key, s->dataset_key[i])) {
            *out = &s->dataset[i];
            return RC_OK;
        }
    if (s->datasets == SESSION_DATASETS_MAX) return error_set(e, RC_USAGE, "more than %d corpora", s->datasets);
    Dataset *d = &s->dataset[s->datasets];
    if (dataset_open(d, name, tokenizer, &s->places, e)) return e->code;
    if (d->note[0]) fprintf(stderr, "normbench: note: %s\n", d->note);
    strcpy(s->dataset_key[s->datasets++], key);
    *out = d;
    return RC_OK;
}

/* Prefix an error with the place where a corpus was named: --set, or the line of the arm, the profile or the file. */
static Rc place_corpus(const Session *s, const Experiment *x, int arm, Error *e) {
    const Overrides *o = &s->overrides;
    const char *const places[][2] = {{"arms", x->arm[arm].name}, {"profiles", x->profile}};
    Document d;
    Error ignored;
    if (o->arms && x->arm[arm].own >> spec_index("dataset") & 1) return error_prefix(e, "--arm: ");
    for (int i = 0; i < o->sets; i++)
        if (!strncmp(o->set[i], "dataset", 7)) return error_prefix(e, "--set: ");
    if (!document_parse(&d, x->file, x->yaml, strlen(x->yaml), &ignored)) {
        const Node *found = NULL;
        for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
            const Node *all = node_find(d.root, places[i][0]), *mine = all ? node_find(all, places[i][1]) : NULL;
            found = mine ? node_find(mine, "dataset") : NULL;
        }
        if (!found) found = node_find(d.root, "dataset");
        document_prefix(e, &d, found ? found->line : 0);
        document_release(&d);
    }
    return e->code;
}

/* Refuse a missing corpus: another one would be another experiment. */
static Rc refuse_corpus(const char *name, Error *e) {
    error_add(e,
              "; --data DIR names a folder that has it; --set dataset=synthetic (./reproduce --synthetic) asks for "
              "the built-in source instead, whose numbers are not comparable (docs/reproduce.md)");
    return error_prefix(e, "corpus '%s' cannot be had: ", name);
}

/* Open the corpora of x's runs and check that each fits the shapes of its runs. RC_UNMEASURED: one was not found; it is
 * replaced only on request (--set dataset=synthetic). */
static Rc session_corpora(Session *s, const Experiment *x, Error *e) {
    for (int arm = 0; arm < x->arms; arm++) {
        const RunSpec *spec = &x->arm[arm].spec;
        char tokenizer[SPEC_TEXT_SIZE];
        const Dataset *d;
        spec_get(tokenizer, spec, "tokenizer");
        if (tokenizer_ready(tokenizer, e)) return e->code; /* else it would look like a missing corpus */
        Rc rc = session_dataset(s, spec->dataset.text, tokenizer, &d, e);
        if (rc && !strncmp(spec->dataset.text, "text:", 5)) return rc;
        if (rc == RC_USAGE) return place_corpus(s, x, arm, e);
        if (rc == RC_UNMEASURED) return refuse_corpus(spec->dataset.text, e);
        if (rc) return rc;
        for (int cell = 0; cell < experiment_cells(x); cell++) {
            RunSpec one = experiment_spec(x, cell, arm, 0);
            ModelShape shape = spec_shape(&one, d->vocab);
            if (spec_check(&one, e) || shape_keys(&shape, e) || feed_fits(&one, d, e))
                return error_prefix(e, "%s, arm %s: ", x->file, x->arm[arm].name);
        }
    }
    return RC_OK;
}

/* The note of the folder of results/out that is named where an experiment could be; all NULL: there is none. */
static void note_of(const Session *s, const char *name, PlanNote *note) {
    Error none;
    *note = (PlanNote){0};
    if (s->overrides.sets || s->overrides.arms || strchr(name, '/')) return;
    if (plan_note_read(note, s->results, name, &none)) *note = (PlanNote){0};
}

Rc session_plan(const Session *s, const char *name, Experiment *x, Error *e) {
    char path[1024];
    PlanNote note = {0};
    Error unknown;
    Rc rc;
    if (s->recalled.all)
        rc = plan_note_experiment(&s->recalled, s->root, s->slug, x, e);
    else if (experiment_find(path, sizeof path, s->root, name, &unknown)) {
        note_of(s, name, &note);
        if (!note.all) return *e = unknown, e->code;
        rc = plan_note_experiment(&note, s->root, name, x, e);
        plan_note_release(&note);
    } else {
        rc = experiment_read(x, path, s->profile, &s->overrides, e);
        if (!rc && (s->overrides.sets || s->overrides.arms)) (void)plan_declared(s->results, s->root, x);
    }
    if (!rc) texts_find(s, x);
    return rc;
}

Rc session_experiment(Session *s, const char *name, Experiment *x, Error *e) {
    if (session_plan(s, name, x, e)) return e->code;
    if (session_corpora(s, x, e)) {
        experiment_release(x);
        return e->code;
    }
    return RC_OK;
}

/* Find the backend; exact runs of a family without them use the CPU, since exact bits are the same on every backend. */
Rc session_backend(const Session *s, PrecisionKind p, const Backend **out, Error *e) {
    *out = s->oracle ? s->oracle : s->backend;
    if (s->oracle || s->backend->precision == p) return RC_OK;
    if (s->dry && (*out = dry_precise(p))) return RC_OK;
    *out = backend_precise(s->backend_name, precision_name(p), e);
    if (!*out && e->code == RC_USAGE && p == PRECISION_exact) *out = backend_find("cpu", e);
    if (!*out && e->code == RC_USAGE) e->code = RC_UNMEASURED; /* the backend is known but lacks the precision */
    return *out ? RC_OK : e->code;
}

const Backend *session_of_class(const Session *s, const char *arithmetic_class) {
    const Backend *best = NULL;
    if (!strcmp(backend_class(s->backend), arithmetic_class)) return s->backend;
    for (int i = 0; i < backend_count && !s->backend_asked; i++) {
        const Backend *b = backends[i];
        if (b->supported() && !strcmp(backend_class(b), arithmetic_class) && (!best || b->rank > best->rank)) best = b;
    }
    return best;
}

Rc session_class(const Session *s, const Experiment *x, const char **out, Error *e) {
    const Backend *backend;
    RunSpec first = experiment_spec(x, 0, 0, 0);
    if (session_backend(s, (PrecisionKind)first.precision, &backend, e)) return e->code;
    *out = backend_class(backend);
    return RC_OK;
}

/* Show the keys of --tokenizer and --seeds as these options. */
static void shown_set(const char *set, Text *out) {
    static const char *const own[] = {"tokenizer", "seeds"};
    const char *value = strchr(set, '=');
    if (!strncmp(set, "dataset=text:", 13)) {
        const char *slash = set[13] == '/' ? strrchr(set, '/') : NULL;
        text_format(out, " --text ");
        text_shell(out, slash ? slash + 1 : set + 13);
        return;
    }
    for (size_t i = 0; value && value[1] != '[' && i < sizeof own / sizeof *own; i++)
        if (!strncmp(set, own[i], strlen(own[i])) && strlen(own[i]) == (size_t)(value - set)) {
            text_format(out, " --%s '%s'", own[i], value + 1);
            return;
        }
    text_format(out, " --set '%s'", set);
}

void session_results(const Session *s, Text *out) {
    char usual[620];
    snprintf(usual, sizeof usual, "%s%sresults", s->installed ? "" : s->root, s->installed ? "" : "/");
    if (!strcmp(s->results, usual)) return;
    text_format(out, " --results ");
    text_shell(out, s->archive[0] ? s->archive : s->results);
}

static void typed(const char *option, const char *const *value, int count, Text *out) {
    for (int i = 0; i < count; i++) {
        text_format(out, " --%s ", option);
        text_shell(out, value[i]);
    }
}

void session_other_seeds(const Session *s, const Experiment *x, const char *verb, const char *seeds, Text *out) {
    char experiment[PATH_MAX];
    plan_experiment(s->root, x, experiment);
    text_format(out, "normbench %s ", verb);
    text_shell(out, strchr(experiment, '/') ? x->file : experiment);
    if (x->profile[0]) typed("profile", (const char *const[]){x->profile}, 1, out);
    typed("set", s->overrides.set, s->overrides.sets, out);
    if (seeds) typed("set", &seeds, 1, out);
    typed("arm", s->overrides.arm, s->overrides.arms, out);
    session_results(s, out);
}

void session_command(const Session *s, const Experiment *x, const char *verb, Text *out) {
    if (!s->recalled.all) {
        session_other_seeds(s, x, verb, NULL, out);
        return;
    }
    text_format(out, "normbench %s ", verb);
    text_shell(out, s->slug);
    session_results(s, out);
}

void session_shown(const Session *s, const Experiment *x, const char *verb, Text *out) {
    char experiment[PATH_MAX];
    plan_experiment(s->root, x, experiment);
    const char *slash = strrchr(experiment, '/');
    text_format(out, "normbench %s ", verb);
    text_shell(out, slash ? slash + 1 : experiment);
    if (x->profile[0]) text_format(out, " --profile %s", x->profile);
    bool changed = experiment_changed(x); /* else the file alone makes it */
    for (int i = 0; i < s->overrides.sets && changed; i++) shown_set(s->overrides.set[i], out);
    for (int i = 0; i < s->overrides.arms && changed; i++) text_format(out, " --arm '%s'", s->overrides.arm[i]);
}
