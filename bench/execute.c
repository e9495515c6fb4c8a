#include "bench/execute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/canon.h"
#include "base/philox.h"
#include "bench/checkpoint.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool stopped(const volatile sig_atomic_t *stop) {
    return stop && *stop;
}

/* The toy keeps everything of the spec that chooses operations, and makes sizes, steps and warm-up small. */
void arithmetic_hash(char out[SHA256_HEX], const RunSpec *s, const Backend *backend) {
    ModelShape shape = spec_shape(s, 65);
    shape.layers = 2, shape.width = 32, shape.heads = 4, shape.context = 16, shape.batch = 2, shape.ffn_mult = 4;
    Recipe recipe = spec_recipe(s);
    recipe.steps = 2, recipe.warmup = recipe.warmup > 1 ? 1 : recipe.warmup;
    uint64_t seed = 1;
    uint8_t chain[32] = {0};
    Error e;
    Trainer t;
    StepReport report = {.finite = true};
    sha256_hex(out, chain);
    if (trainer_init(&t, &shape, &s->variant, &recipe, &seed, 1, backend, &e)) return;
    for (uint64_t step = 0; step < 2 && report.finite; step++) {
        for (uint64_t i = 0; i < 32; i++) {
            trainer_inputs(&t, 0)[i] = (int32_t)philox_below(philox_word(1, 1, philox_offset(step, i)), 65);
            trainer_targets(&t, 0)[i] = (int32_t)philox_below(philox_word(1, 1, philox_offset(step, i + 1)), 65);
        }
        trainer_step(&t, &report);
        chain_add(chain, report.loss);
        chain_add(chain, (float)report.grad_norm);
    }
    trainer_hash(&t, 0, chain);
    trainer_release(&t);
    sha256_hex(out, chain);
}

void run_id(char out[SHA256_HEX], const RunSpec *s, const Dataset *d, const Backend *backend, const char *arithmetic) {
    Text text;
    text_init(&text);
    spec_text(s, &text);
    text_format(&text, "dataset_sha256 = %s\ntokenizer_sha256 = %s\narithmetic = %s %s\n", d->sha256,
                d->tokenizer_sha256, backend->arithmetic, arithmetic);
    sha256_hex_of(out, text.at, text.length);
    text_release(&text);
}

/* nll, hits, bytes over windows first.. of one forward pass. */
static void score_windows(Trainer *t, const Dataset *d, const RunSpec *s, size_t first, double *nll, long *hits,
                          long *count, size_t *bytes) {
    int batch = (int)s->batch, context = (int)s->context;
    dataset_windows_fill(d, first, batch, context, trainer_inputs(t, 0), trainer_targets(t, 0));
    trainer_forward(t);
    trainer_score(t, 0, 0, batch * context, nll, hits, count);
    *bytes = dataset_target_bytes(d, trainer_targets(t, 0), (size_t)batch * (size_t)context);
}

bool evaluate_whole(Trainer *t, const Dataset *d, const RunSpec *s, Evaluation *out,
                    const volatile sig_atomic_t *stop) {
    size_t windows = dataset_windows(d, (int)s->context), batch = (size_t)s->batch, bytes = 0, part;
    double nll = 0;
    long hits = 0;
    out->blocks = (int)((windows + batch - 1) / batch);
    out->block = mem_alloc((size_t)out->blocks, sizeof *out->block);
    out->targets = 0;
    out->dropped = (long)dataset_dropped(d, (int)s->context);
    for (int b = 0; b < out->blocks; b++) {
        double block_nll;
        long block_hits, block_count;
        score_windows(t, d, s, (size_t)b * batch, &block_nll, &block_hits, &block_count, &part);
        if (stopped(stop)) { /* also what was just scored may be half a pass */
            free(out->block);
            out->block = NULL;
            return false;
        }
        out->block[b] = block_nll / (double)block_count;
        nll += block_nll, hits += block_hits, bytes += part, out->targets += block_count;
    }
    out->metric[METRIC_valid_loss] = nll / (double)out->targets;
    out->metric[METRIC_perplexity] = exp(out->metric[METRIC_valid_loss]);
    out->metric[METRIC_bits_per_byte] = nll / log(2) / (double)bytes;
    out->metric[METRIC_accuracy] = (double)hits / (double)out->targets;
    return true;
}

static double slice_loss(Trainer *t, const Dataset *d, const RunSpec *s) {
    double nll = 0;
    long count = 0;
    for (int64_t b = 0; b < s->curve_batches; b++) {
        double part;
        long hits, n;
        size_t bytes;
        score_windows(t, d, s, (size_t)(b * s->batch), &part, &hits, &n, &bytes);
        nll += part, count += n;
    }
    return count ? nll / (double)count : (double)NAN;
}

typedef struct {
    const Execution *x;
    RunRecord *r;
    Trainer t;
    uint8_t chain[32];
    double *step_time;
    int timed;
    bool finite;
} Running;

static bool wants_evaluation(const Running *g, int step) {
    int at[64], n = spec_evaluations(g->x->spec, at, 64);
    for (int i = 0; i < n; i++)
        if (at[i] == step) return !record_at(g->r, step);
    return false;
}

static bool evaluate_here(Running *g) {
    Evaluation v = {.step = g->t.step};
    for (int m = 0; m < METRIC_COUNT; m++) v.metric[m] = (double)NAN;
    curve_metrics(&g->r->curves, g->t.step, v.metric);
    if (!evaluate_whole(&g->t, g->x->data, g->x->spec, &v, g->x->stop)) return false;
    g->r->evaluation = mem_grow(g->r->evaluation, (size_t)g->r->evaluations + 1, sizeof v);
    g->r->evaluation[g->r->evaluations++] = v;
    return true;
}

/* One update and its row. */
static void step_here(Running *g) {
    const RunSpec *s = g->x->spec;
    Curves *c = &g->r->curves;
    StepReport report;
    int step = g->t.step;
    double valid = step % s->curve_every == 0 ? slice_loss(&g->t, g->x->data, s) : (double)NAN;
    dataset_batch(g->x->data, s->seed, (uint64_t)step, (int)s->batch, (int)s->context, trainer_inputs(&g->t, 0),
                  trainer_targets(&g->t, 0));
    double start = now();
    if (!trainer_step(&g->t, &report)) return;
    g->step_time[g->timed++] = now() - start;
    double *row = curves_add(c);
    row[CURVE_step] = step, row[CURVE_lr] = recipe_lr(g->t.recipe, step), row[CURVE_train_loss] = (double)report.loss;
    row[CURVE_valid_loss] = valid, row[CURVE_grad_norm] = report.grad_norm;
    row[CURVE_embedding_norm] = report.embedding_norm;
    for (int l = 0; l < g->t.tape.layers; l++) {
        row[curve_block_column(c, BLOCK_grad_norm, l)] = report.layer_norm[l];
        row[curve_block_column(c, BLOCK_norm_input, l)] = report.norm_input[l];
    }
    chain_add(g->chain, report.loss);
    g->finite = report.finite;
    if (report.finite) {
        row[CURVE_update_norm] = report.update_norm;
        row[CURVE_spike] = curves_spike(c, c->rows - 1);
    } else {
        strcpy(g->r->status, "diverged");
        g->r->diverged_step = step;
        snprintf(g->r->culprit, sizeof g->r->culprit, "%s", report.culprit);
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void finish_record(Running *g, double started) {
    uint8_t hash[32];
    RunRecord *r = g->r;
    g->t.program.cancel = NULL; /* a finished run is stored whole */
    double *last = g->finite ? curves_add(&r->curves) : NULL;
    if (last) last[CURVE_step] = g->t.step, last[CURVE_valid_loss] = slice_loss(&g->t, g->x->data, g->x->spec);
    sha256_hex(r->loss_chain, g->chain);
    trainer_hash(&g->t, 0, hash);
    sha256_hex(r->parameters_hash, hash);
    r->parameters = (long)tape_parameters(&g->t.tape);
    r->memory_mb = (double)program_bytes(&g->t.tape, g->x->backend, 1) / (1 << 20);
    qsort(g->step_time, (size_t)g->timed, sizeof *g->step_time, by_value);
    r->step_seconds = g->timed ? g->step_time[g->timed / 2] : (double)NAN;
    r->wall_seconds = now() - started;
}

static void describe(const Execution *x, RunRecord *r, int layers) {
    *r = (RunRecord){.spec = *x->spec, .vocab = x->data->vocab, .diverged_step = -1};
    strcpy(r->id, x->id);
    strcpy(r->status, "ok");
    strcpy(r->arithmetic, x->arithmetic);
    snprintf(r->arithmetic_class, sizeof r->arithmetic_class, "%s", x->backend->arithmetic);
    strcpy(r->dataset, x->data->name);
    strcpy(r->dataset_sha256, x->data->sha256);
    strcpy(r->tokenizer_sha256, x->data->tokenizer_sha256);
    r->entropy_rate = x->data->entropy_rate, r->unigram = x->data->unigram;
    curves_init(&r->curves, layers);
}

static Rc train(Running *g, Error *e) {
    const Execution *x = g->x;
    double saved = now();
    while (g->finite) {
        Error unsaved;
        if (!stopped(x->stop) && wants_evaluation(g, g->t.step)) (void)evaluate_here(g);
        if (stopped(x->stop)) {
            if (checkpoint_write(x->folder, x->id, &g->t, g->r, g->chain, e)) return e->code;
            return error_set(e, RC_INTERRUPTED, "stopped at step %d", g->t.step);
        }
        if (g->t.step >= (int)x->spec->steps) break;
        int before = g->t.step;
        step_here(g);
        if (g->t.step == before) continue; /* cancelled: nothing happened */
        if (x->progress) x->progress(x->context, 1);
        if (g->finite && now() - saved >= x->checkpoint_seconds) {
            /* A checkpoint that cannot be written costs a resume, not the run. */
            (void)checkpoint_write(x->folder, x->id, &g->t, g->r, g->chain, &unsaved);
            saved = now();
        }
    }
    return RC_OK;
}

Rc run_execute(const Execution *x, RunRecord *r, Error *e) {
    double started = now();
    ModelShape shape = spec_shape(x->spec, x->data->vocab);
    Recipe recipe = spec_recipe(x->spec);
    Running g = {.x = x, .r = r, .finite = true};
    describe(x, r, shape.layers);
    if (trainer_init(&g.t, &shape, &x->spec->variant, &recipe, &x->spec->seed, 1, x->backend, e)) return e->code;
    r->threads = x->threads > 1 ? x->threads : 1;
    if (program_share(&g.t.program, r->threads, e)) {
        record_release(r);
        trainer_release(&g.t);
        return e->code;
    }
    Error why;
    g.t.program.cancel = x->stop;
    if (checkpoint_read(x->folder, x->id, &g.t, r, g.chain, &why) == RC_INTEGRITY)
        fprintf(stderr, "normbench: checkpoint not used, this run starts over: %s\n", why.text);
    else if (g.t.step && x->progress)
        x->progress(x->context, g.t.step);
    g.step_time = mem_alloc((size_t)x->spec->steps, sizeof *g.step_time);
    Rc rc = train(&g, e);
    if (!rc)
        finish_record(&g, started);
    else
        record_release(r);
    free(g.step_time);
    trainer_release(&g.t);
    return rc;
}
