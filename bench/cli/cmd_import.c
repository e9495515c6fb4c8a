/* normbench model import FILE: whole validation of any weights, and for ours whether it is the record's, bit for bit.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/run/evaluate.h"
#include "bench/store/feeding.h"
#include "bench/store/weights.h"

/* How an evaluation stands to the run's record. */
typedef enum { RECORD_NONE, RECORD_EQUAL, RECORD_DIFFERENT } Standing;

typedef struct {
    const char *path;
    const Backend *backend; /* of the file's class of bits where that can be had, else the session's */
    Weights w;
    const Dataset *data;
    size_t parameters;
    Evaluation got;
    double stored; /* the record's validation loss; NaN = none */
    Standing standing;
    char why[200]; /* of RECORD_NONE */
} Import;

/* `batches` must be what training really drew. */
static Rc check_batches(const Import *m, Error *e) {
    const SafeTensor *y = safe_find(&m->w.file, "batches");
    LOCAL(feed_batches_release) FeedBatches drawn = {0};
    if (!y) return RC_OK;
    if (feed_batches(&drawn, &m->w.origin.spec, m->data, e)) return e->code = RC_INTEGRITY;
    size_t row = (size_t)drawn.columns * sizeof *drawn.number;
    Rc rc = RC_OK;
    if (y->shape[1] != drawn.columns)
        rc = error_set(e, RC_INTEGRITY, "tensor 'batches' has %lld columns, this run's has %lld",
                       (long long)y->shape[1], (long long)drawn.columns);
    for (int64_t step = 0; step < drawn.steps && !rc; step++)
        if (memcmp((const char *)y->data + (size_t)step * row, drawn.number + step * drawn.columns, row))
            rc = error_set(e, RC_INTEGRITY, "tensor 'batches': step %lld holds other batches than this run trains on",
                           (long long)step);
    return rc;
}

/* Checks what can be checked before memory is allocated. */
static Rc check(Import *m, Session *s, Error *e) {
    const WeightsOrigin *o = &m->w.origin;
    char tokenizer[SPEC_TEXT_SIZE];
    if (session_dataset(s, o->spec.dataset.text, spec_get(tokenizer, &o->spec, "tokenizer"), &m->data, e))
        return e->code;
    if (strcmp(m->data->sha256, o->dataset_sha256) || strcmp(m->data->tokenizer_sha256, o->tokenizer_sha256))
        return error_set(e, RC_INTEGRITY, "%s: '%s' has other bytes here (sha256 %.12s) than the file's corpus (%.12s)",
                         m->path, o->spec.dataset.text, m->data->sha256, o->dataset_sha256);
    ModelShape shape = spec_shape(&o->spec, m->data->vocab);
    if (shape_check(&shape, s->backend->device, e) || feed_fits(&o->spec, m->data, e)) {
        error_prefix(e, "%s: __metadata__: spec: ", m->path);
        return e->code = RC_INTEGRITY;
    }
    LOCAL(tape_release) Tape tape = {0};
    transformer_build(&tape, &shape, &o->spec.variant, NULL);
    m->parameters = tape_parameters(&tape);
    Rc rc = weights_match(&m->w, &tape, e);
    if (!rc) rc = check_batches(m, e);
    return rc ? error_prefix(e, "%s: ", m->path) : RC_OK;
}

static Rc evaluate(Import *m, Error *e) {
    const RunSpec *spec = &m->w.origin.spec;
    ModelShape shape = spec_shape(spec, m->data->vocab);
    Recipe recipe = spec_recipe(spec);
    Trainer *t;
    if (trainer_for_gpt(&t, &shape, &spec->variant, NULL, &recipe, &spec->seed, 1, m->backend, e)) return e->code;
    trainer_cancel(t, &session_signal);
    Rc rc = weights_load(&m->w, t, e);
    if (rc)
        error_prefix(e, "%s: ", m->path);
    else if (!evaluate_whole(t, m->data, spec, NULL, &m->got, NULL, &session_signal))
        rc = error_set(e, (Rc)(128 + session_signal), "stopped");
    if (!rc && (trainer_failed(t, e) || dataset_failed(m->data, e))) rc = e->code;
    trainer_free(t);
    return rc;
}

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* What is derived through libm (perplexity, bits per byte) is not compared: another libm may round otherwise. Nor are
 * dropped targets, which follow from the text: records of older builds count a masked run's as those of next tokens. */
static bool same_evaluation(const Evaluation *a, const Evaluation *b) {
    bool equal = a->targets == b->targets && a->blocks == b->blocks &&
                 same(a->metric[METRIC_valid_loss], b->metric[METRIC_valid_loss]) &&
                 same(a->metric[METRIC_accuracy], b->metric[METRIC_accuracy]);
    for (int i = 0; equal && i < a->blocks; i++) equal = same(a->block[i], b->block[i]);
    return equal;
}

static bool in_sixteen_bits(const SafeFile *f) {
    for (int i = 0; i < f->tensors; i++)
        if (!strcmp(f->tensor[i].dtype, "BF16") || !strcmp(f->tensor[i].dtype, "F16")) return true;
    return false;
}

static Rc compare(Import *m, const Session *s, Error *e) {
    const WeightsOrigin *o = &m->w.origin;
    RunRecord r;
    Error why;
    m->stored = (double)NAN;
    if (!o->run[0])
        snprintf(m->why, sizeof m->why, "the file names no run");
    else if (strcmp(o->arithmetic_class, backend_class(m->backend)))
        snprintf(m->why, sizeof m->why, "the run's arithmetic is '%s', this backend's '%s'", o->arithmetic_class,
                 backend_class(m->backend));
    else if (m->backend->word[ROLE_PARAM] != sizeof(float))
        snprintf(m->why, sizeof m->why, "the run's weights are doubles, the file's are rounded to float32");
    else if (in_sixteen_bits(&m->w.file))
        snprintf(m->why, sizeof m->why, "the run's weights are float32, the file's are rounded to 16 bits");
    else if (record_read(&r, s->runs, o->run, &why)) {
        if (why.code == RC_UNMEASURED) return *e = why, why.code;
        if (why.code == RC_USAGE)
            snprintf(m->why, sizeof m->why, "run %.12s is not stored here", o->run);
        else
            snprintf(m->why, sizeof m->why, "%.190s", why.text);
    } else {
        const Evaluation *stored = record_at(&r, o->step);
        if (stored) {
            m->stored = stored->metric[METRIC_valid_loss];
            m->standing = same_evaluation(stored, &m->got) ? RECORD_EQUAL : RECORD_DIFFERENT;
        } else
            snprintf(m->why, sizeof m->why, "run %.12s stored no whole validation at step %d", o->run, o->step);
        record_release(&r);
    }
    return RC_OK;
}

static const char *const standing_name[] = {"none", "equal", "different"};

static void print_json(const Import *m) {
    const WeightsOrigin *o = &m->w.origin;
    Text spec;
    text_init(&spec);
    spec_text(&o->spec, &spec);
    json_t *root = json_new("file", json_text_of(m->path), "dataset", json_text_of(m->data->name), "dataset_sha256",
                            m->data->sha256, "spec", json_text_of(spec.at), "parameters", m->parameters, "record",
                            standing_name[m->standing], "targets", m->got.targets, "dropped_targets", m->got.dropped);
    text_release(&spec);
    if (o->run[0]) json_add(root, "run", json_string(o->run), "step", o->step);
    for (int i = 0; i < METRIC_COUNT; i++) /* those that need no curve */
        if (!metric_info[i].reads[0]) json_add(root, metric_info[i].key, json_number_of(m->got.metric[i]));
    if (m->standing == RECORD_NONE)
        json_add(root, "record_why", json_text_of(m->why));
    else
        json_add(root, "record_valid_loss", json_number_of(m->stored));
    text_init(&spec);
    json_print(root, JSON_EXACT, &spec);
    printf("%s", spec.at);
    text_release(&spec);
}

static void print_text(const Import *m) {
    const WeightsOrigin *o = &m->w.origin;
    const double *x = m->got.metric;
    printf("%s: %s, %lld layers x %lld, %zu parameters, seed %llu", m->path, o->spec.variant.name,
           (long long)o->spec.layers, (long long)o->spec.width, m->parameters, (unsigned long long)o->spec.seed);
    if (o->run[0]) printf(", step %d of run %.12s", o->step, o->run);
    printf("\n%s, %ld targets (%ld dropped with the last partial window)\n", m->data->name, m->got.targets,
           m->got.dropped);
    printf("  validation loss  %.6f\n  perplexity       %.4f\n  bits per byte    %.6f\n  accuracy         %.6f\n",
           x[METRIC_valid_loss], x[METRIC_perplexity], x[METRIC_bits_per_byte], x[METRIC_accuracy]);
    if (m->standing == RECORD_NONE)
        printf("record: not compared (%s)\n", m->why);
    else if (m->standing == RECORD_EQUAL)
        printf("record: equal bit for bit\n");
    else
        printf("record: DIFFERENT (stored validation loss %s)\n", FORMAT_REAL(m->stored));
}

Rc command_import(Session *s, Error *e) {
    const Options *o = s->options;
    Import m = {0};
    if (o->operands != 1) return error_set(e, RC_USAGE, "import: name one safetensors file");
    m.path = o->operand[0];
    session_signals();
    if (weights_open(&m.w, m.path, e)) return e->code;
    m.backend = session_of_class(s, m.w.origin.arithmetic_class);
    if (!m.backend) m.backend = s->backend;
    Rc rc = check(&m, s, e);
    if (!rc) rc = evaluate(&m, e);
    if (!rc) rc = compare(&m, s, e);
    if (!rc) {
        if (o->times[OPTION_json])
            print_json(&m);
        else
            print_text(&m);
        if (m.standing == RECORD_DIFFERENT)
            rc = error_set(e, RC_REGRESSION, "%s: its validation is not the record's", m.path);
    }
    free(m.got.block);
    weights_release(&m.w);
    return rc;
}
