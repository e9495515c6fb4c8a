/* normbench model export RUN: a run's weights at any step. A run's weights are a function of its spec, so none are
 * kept: they are trained again, every loss on the way is compared with the record, and at the end the parameters' hash.
 */
#include <stdio.h>
#include <string.h>

#include "bench/cli/commands.h"
#include "bench/formats/safe_shards.h"
#include "bench/run/retrain.h"
#include "bench/store/address.h"
#include "bench/store/feeding.h"
#include "bench/store/store.h"
#include "bench/store/weights.h"
#include "models/trainer_look.h"

static Rc parse_step(const char *text, const RunRecord *r, int *step, Error *e) {
    int64_t number = retrain_last(r);
    if (strcmp(text, "final") && (!parse_integer(text, &number) || number < 0 || number > retrain_last(r)))
        return error_set(e, RC_USAGE, "--at: '%s' is neither `final` nor a step of this run (0 to %d)", text,
                         retrain_last(r));
    *step = (int)number;
    return RC_OK;
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
    Rc rc = retrain_corpus(s, r, out, e);
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
    char arm[ARM_NAME_SIZE];
    Trainer *t;
    LOCAL(feed_batches_release) FeedBatches batches = {0};
    int step = 0;
    bool with_batches = s->options->times[OPTION_batches] > 0;
    if (parse_step(option(s->options, OPTION_at, "final"), r, &step, e) || retrain_backend(s, r, &backend, e) ||
        retrain_output(path, e) || find_corpus(s, r, step || with_batches, &d, e))
        return e->code;
    if (with_batches && feed_batches(&batches, &r->spec, d, e)) return e->code;
    if (trainer_for_gpt(&t, &shape, &r->spec.variant, NULL, &recipe, &r->spec.seed, 1, backend, e)) return e->code;
    Rc rc = s->threads_per_run > 1 ? trainer_share(t, s->threads_per_run, e) : RC_OK;
    if (!rc) rc = retrain(t, r, d, step, e);
    origin = origin_of(r, step);
    if (!rc)
        rc = weights_write(path, t, &origin, with_batches ? &batches : NULL, d ? &d->codec : NULL,
                           1e6 * option_number(s->options, OPTION_file_size, SAFE_SHARD / 1e6), e);
    if (!rc)
        printf("%s: %zu parameters at step %d of run %.12s (%s, seed %llu), hash %.12s\n", path, trainer_weights(t),
               step, r->id, address_arm(s, r, arm), (unsigned long long)r->spec.seed, origin.parameters_hash);
    trainer_free(t);
    return rc;
}

Rc command_export(Session *s, Error *e) {
    const Options *o = s->options;
    const char *path = option(o, OPTION_output, NULL);
    char id[SHA256_HEX];
    LOCAL(record_release) RunRecord r = {0};
    if (o->operands != 1 || !o->operand[0][0])
        return error_set(e, RC_USAGE,
                         "export: name one run, by its id or as ARM/lr=1e-3/seed=3 (`normbench runs` lists them)");
    if (!path || !path[0]) return error_set(e, RC_USAGE, "export: -o FILE says where to write");
    session_signals();
    if (address_find(s, o->operand[0], id, e)) return error_prefix(e, "export: ");
    return record_read(&r, s->runs, id, e) ? e->code : export_run(s, &r, path, e);
}
