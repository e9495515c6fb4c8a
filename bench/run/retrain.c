#include "bench/run/retrain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/formats/progress.h"
#include "bench/run/execute.h"
#include "bench/store/feeding.h"
#include "models/trainer_look.h"

int retrain_last(const RunRecord *r) {
    return r->diverged_step < 0 ? (int)r->spec.steps : r->diverged_step;
}

Rc retrain_backend(const Session *s, const RunRecord *r, const Backend **out, Error *e) {
    *out = session_of_class(s, r->arithmetic_class);
    if (*out) return RC_OK;
    if (s->backend_asked)
        return error_set(e, RC_USAGE, "--backend: '%s' computes in class '%s'; run %.12s was made in '%s'",
                         s->backend->name, backend_class(s->backend), r->id, r->arithmetic_class);
    return error_set(e, RC_UNMEASURED, "no backend here computes in class '%s', in which run %.12s was made",
                     r->arithmetic_class, r->id);
}

Rc retrain_output(const char *path, Error *e) {
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

Rc retrain(Trainer *t, const RunRecord *r, const Dataset *d, int step, Error *e) {
    Progress progress;
    Rc rc = RC_OK;
    uint64_t seed = spec_order_seed(&r->spec);
    trainer_cancel(t, &session_signal);
    progress_init(&progress, step, 1);
    if (!step && trainer_awaits_data(t)) { /* what a pass over the first batch fills stands at step 0 too */
        feed_step(t, 0, d, &r->spec, seed, 0);
        trainer_init_from_data(t);
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
    if ((d && dataset_failed(d, e)) || (!rc && trainer_failed(t, e))) rc = e->code;
    if (rc || step < retrain_last(r) || !strcmp(sha256_hex(hex, hash), r->parameters_hash)) return rc;
    snprintf(what, sizeof what, "run %.12s: the parameters hash to %.12s, the record says %.12s", r->id, hex,
             r->parameters_hash);
    return differs(what, r, trainer_backend(t), e);
}

Rc retrain_corpus(Session *s, const RunRecord *r, const Dataset **out, Error *e) {
    char tokenizer[SPEC_TEXT_SIZE];
    if (session_dataset(s, r->spec.dataset.text, spec_get(tokenizer, &r->spec, "tokenizer"), out, e)) return e->code;
    if (!strcmp((*out)->sha256, r->dataset_sha256) && !strcmp((*out)->tokenizer_sha256, r->tokenizer_sha256))
        return RC_OK;
    return error_set(e, RC_INTEGRITY, "'%s' has other bytes now (SHA-256 %.12s) than in run %.12s (%.12s)",
                     r->spec.dataset.text, (*out)->sha256, r->id, r->dataset_sha256);
}
