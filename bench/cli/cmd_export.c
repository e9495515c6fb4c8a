/* normbench export RUN: a stored run's weights at any step. A run's weights are a function of its spec, so none are
 * kept: they are trained again, every loss on the way is compared with the record, and at the end the parameters' hash.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli/commands.h"
#include "bench/formats/progress.h"
#include "bench/run/address.h"
#include "bench/run/execute.h"
#include "bench/run/feeding.h"
#include "bench/run/store.h"
#include "bench/run/weights.h"

/* The last step whose weights a run has; of a diverged run, those before the step that failed. */
static int last_step(const RunRecord *r) {
    return r->diverged_step < 0 ? (int)r->spec.steps : r->diverged_step;
}

static Rc parse_step(const char *text, const RunRecord *r, int *step, Error *e) {
    int64_t number = last_step(r);
    if (strcmp(text, "final") && (!parse_integer(text, &number) || number < 0 || number > last_step(r)))
        return error_set(e, RC_USAGE, "--step: '%s' is neither `final` nor a step of this run (0 to %d)", text,
                         last_step(r));
    *step = (int)number;
    return RC_OK;
}

/* The backend that has the record's bits. */
static Rc find_backend(const Session *s, const RunRecord *r, const Backend **out, Error *e) {
    *out = session_of_class(s, r->arithmetic_class);
    if (*out) return RC_OK;
    if (s->options->times[OPTION_backend])
        return error_set(e, RC_USAGE, "--backend: '%s' computes in class '%s'; run %.12s was made in '%s'",
                         s->backend->name, backend_class(s->backend), r->id, r->arithmetic_class);
    return error_set(e, RC_UNMEASURED, "no backend here computes in class '%s', in which run %.12s was made",
                     r->arithmetic_class, r->id);
}

/* Checks the output path before training: an absent or read-only folder, or a folder of that name, would
 * waste the training. */
static Rc check_output(const char *path, Error *e) {
    struct stat st;
    char *folder = mem_text(path), *slash = strrchr(folder, '/');
    if (slash == folder)
        slash[1] = 0;
    else if (slash)
        *slash = 0;
    Rc rc = RC_OK;
    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        rc = error_set(e, RC_UNMEASURED, "%s: not a plain file", path);
    else if (access(slash ? folder : ".", W_OK))
        rc = error_set(e, RC_UNMEASURED, "%s: cannot write: %m", path);
    free(folder);
    return rc;
}

/* An error for numbers that are not the record's; says so when the reason is another arithmetic. */
static Rc differs(const char *what, const RunRecord *r, const Backend *backend, Error *e) {
    char now[SHA256_HEX];
    if (arithmetic_hash(now, &r->spec, backend, e)) return e->code;
    if (strcmp(now, r->arithmetic))
        return error_set(e, RC_INTEGRITY, "%s; the arithmetic of this arm changed since (toy hash %.12s -> %.12s)",
                         what, r->arithmetic, now);
    return error_set(e, RC_INTEGRITY, "%s", what);
}

static bool same_loss(const RunRecord *r, int step, float loss) {
    if (step >= r->curves.rows) return false;
    double stored = r->curves.value[(size_t)step * (size_t)r->curves.columns + CURVE_train_loss];
    return stored == (double)loss || (isnan(stored) && isnan(loss));
}

/* Trains up to `step`, every loss held against the record's curve. */
static Rc retrain(Trainer *t, const RunRecord *r, const Dataset *d, int step, Error *e) {
    Progress progress;
    Rc rc = RC_OK;
    uint64_t seed = spec_order_seed(&r->spec);
    trainer_cancel(t, &session_signal);
    progress_init(&progress, step, 1);
    if (!step && trainer_profiles(t)) { /* what a pass over the first batch fills stands at step 0 too */
        feed_step(t, 0, d, &r->spec, seed, 0);
        trainer_profile(t);
    }
    while (trainer_step_number(t) < step && !rc) {
        StepReport report = {.finite = true};
        char what[160];
        int at = trainer_step_number(t);
        feed_step(t, 0, d, &r->spec, seed, (uint64_t)at);
        if (session_signal || !trainer_step(t, &report)) {
            if (trainer_failed(t, e))
                rc = e->code;
            else
                rc =
                    error_set(e, (Rc)(128 + session_signal), "stopped at step %d of %d; nothing was written", at, step);
            break;
        }
        snprintf(what, sizeof what, "run %.12s: the loss of step %d is %.9g, not the record's", r->id, at,
                 (double)report.loss);
        if (!same_loss(r, at, report.loss)) rc = differs(what, r, trainer_backend(t), e);
        progress_add(&progress, 1, false);
    }
    progress_end(&progress);
    uint8_t hash[32];
    char hex[SHA256_HEX], what[160];
    trainer_hash(t, 0, hash);
    if (!rc && trainer_failed(t, e)) rc = e->code;
    if (rc || step < last_step(r) || !strcmp(sha256_hex(hex, hash), r->parameters_hash)) return rc;
    snprintf(what, sizeof what, "run %.12s: the parameters hash to %.12s, the record says %.12s", r->id, hex,
             r->parameters_hash);
    return differs(what, r, trainer_backend(t), e);
}

static Rc crop_starts(const RunRecord *r, const Dataset *d, int64_t **out, Error *e) {
    int64_t steps = r->spec.steps, batch = r->spec.batch;
    if (r->spec.objective != OBJECTIVE_NEXT)
        return error_set(e, RC_USAGE, "--batches: crops alone are not what a run with objective = masked reads");
    if (steps > (1 << 27) / batch)
        return error_set(e, RC_USAGE, "--batches: %lld steps are too many for one tensor", (long long)steps);
    uint64_t seed = spec_order_seed(&r->spec);
    uint32_t *starts = mem_alloc((size_t)batch, sizeof *starts);
    *out = mem_alloc((size_t)(steps * batch), sizeof **out);
    for (int64_t step = 0; step < steps; step++) {
        dataset_batch_starts(d, seed, (uint64_t)step, (int)batch, (int)r->spec.context, starts);
        for (int64_t b = 0; b < batch; b++) (*out)[step * batch + b] = starts[b];
    }
    free(starts);
    return RC_OK;
}

static Rc open_corpus(Session *s, const RunRecord *r, const Dataset **out, Error *e) {
    char tokenizer[SPEC_TEXT_SIZE];
    if (session_dataset(s, r->spec.dataset.text, spec_get(tokenizer, &r->spec, "tokenizer"), out, e)) return e->code;
    if (!strcmp((*out)->sha256, r->dataset_sha256) && !strcmp((*out)->tokenizer_sha256, r->tokenizer_sha256))
        return RC_OK;
    return error_set(e, RC_INTEGRITY, "'%s' has other bytes now than in run %.12s", r->spec.dataset.text, r->id);
}

static WeightsOrigin origin_of(const RunRecord *r, int step) {
    WeightsOrigin o = {.spec = r->spec, .step = step, .vocab = r->vocab};
    strcpy(o.run, r->id);
    strcpy(o.dataset_sha256, r->dataset_sha256);
    strcpy(o.tokenizer_sha256, r->tokenizer_sha256);
    strcpy(o.arithmetic_class, r->arithmetic_class);
    strcpy(o.arithmetic, r->arithmetic);
    return o;
}

/* The corpus is needed to train, and to know the crops. Without it weights of step 0 go without a vocabulary. */
static Rc find_corpus(Session *s, const RunRecord *r, bool needed, const Dataset **out, Error *e) {
    Rc rc = open_corpus(s, r, out, e);
    if (!rc || needed) return rc;
    fprintf(stderr, "normbench: %s; the file carries no vocabulary\n", e->text);
    *out = NULL;
    return RC_OK;
}

static Rc export_run(Session *s, const RunRecord *r, const char *path, Error *e) {
    ModelShape shape = spec_shape(&r->spec, r->vocab);
    Recipe recipe = spec_recipe(&r->spec);
    WeightsOrigin origin;
    const Backend *backend;
    const Dataset *d = NULL;
    Trainer *t;
    int64_t *batches = NULL;
    int step = 0;
    bool with_batches = s->options->times[OPTION_batches] > 0;
    if (parse_step(option(s->options, OPTION_step, "final"), r, &step, e) || find_backend(s, r, &backend, e) ||
        check_output(path, e) || find_corpus(s, r, step || with_batches, &d, e))
        return e->code;
    if (with_batches && crop_starts(r, d, &batches, e)) return e->code;
    Rc rc = trainer_new(&t, &shape, &r->spec.variant, NULL, &recipe, &r->spec.seed, 1, backend, e);
    if (!rc) {
        rc = retrain(t, r, d, step, e);
        origin = origin_of(r, step);
        if (!rc) rc = weights_write(path, t, &origin, batches, d ? &d->codec : NULL, e);
        if (!rc)
            printf("%s: %zu parameters at step %d of run %.12s (%s, seed %llu), hash %.12s\n", path, trainer_weights(t),
                   step, r->id, r->spec.variant.name, (unsigned long long)r->spec.seed, origin.parameters_hash);
        trainer_free(t);
    }
    free(batches);
    return rc;
}

Rc command_export(Session *s, Error *e) {
    const Options *o = s->options;
    const char *path = option(o, OPTION_output, NULL);
    char id[SHA256_HEX];
    RunRecord r;
    if (o->operands != 1 || !o->operand[0][0])
        return error_set(e, RC_USAGE,
                         "export: name one run, by its id or as ARM/lr=1e-3/seed=3 (`normbench runs` lists them)");
    if (!path || !path[0]) return error_set(e, RC_USAGE, "export: -o FILE says where to write");
    session_signals();
    if (address_find(s, o->operand[0], id, e)) return error_prefix(e, "export: ");
    if (record_read(&r, s->runs, id, e)) return e->code;
    Rc rc = export_run(s, &r, path, e);
    record_release(&r);
    return rc;
}
