#include "bench/run/execute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/canon.h"
#include "base/philox.h"
#include "base/sha256.h"
#include "bench/formats/progress.h"
#include "bench/formats/terminal.h"
#include "bench/run/evaluate.h"
#include "bench/run/linear_probe.h"
#include "bench/run/quantized.h"
#include "bench/store/checkpoint.h"
#include "bench/store/feeding.h"
#include "bench/translate/translated.h"
#include "models/trainer_count.h"
#include "models/trainer_look.h"
#include "stats/status.h"

static bool stopped(const volatile sig_atomic_t *stop) {
    return stop && *stop;
}

/* State of one run of an execution. */
typedef struct {
    const ExecutedRun *run;
    RunRecord *r;
    uint8_t chain[32];
    double valid; /* loss of the slice before the next update; NaN: no point of the curve */
    bool finite;
} Replica;

typedef struct {
    const Execution *x;
    const RunSpec *spec; /* the first run's, for what all have in common */
    Recipe *recipe;
    uint64_t *seed;
    Replica *replica; /* [x->runs] */
    StepReport *report;
    Trainer *t;
    double *step_time;
    int timed;
    double started;
    volatile sig_atomic_t halt; /* with several ranks: one was told to stop, and all know */
    const volatile sig_atomic_t *stop;
} Running;

/* Most updates of one stretch on a device, for which a signal waits; most numbers in its reports. */
enum { STRETCH = 256, NUMBERS_MAX = 1 << 23 };

static int step_of(const Running *g) {
    return trainer_step_number(g->t);
}

/* Return true if the device failed: results since then must not be used. */
static bool broken(const Running *g, Error *e) {
    return trainer_failed(g->t, e) || dataset_failed(g->x->data, e);
}

static int most_steps(const Running *g) {
    int fit = NUMBERS_MAX / (g->x->runs * (trainer_probes(g->t) + (int)(sizeof(StepReport) / sizeof(double))));
    return fit < 1 ? 1 : fit < STRETCH ? fit : STRETCH;
}

static bool any_finite(const Running *g) {
    bool any = false;
    for (int i = 0; i < g->x->runs; i++) any |= g->replica[i].finite;
    return any;
}

/* Compute every replica's loss on a fixed slice of validation. */
static void slice_loss(Running *g) {
    const RunSpec *s = g->spec;
    OWNED Score *all = mem_alloc((size_t)g->x->runs, sizeof *all);
    for (int64_t b = 0; b < s->curve_batches; b++) {
        (void)feed_forward(g->t, g->x->data, s, (size_t)(b * s->batch));
        for (int i = 0; i < g->x->runs; i++) {
            Score part = evaluate_score(g->t, i, s, NULL);
            all[i].nll += part.nll, all[i].count += part.count;
        }
    }
    for (int i = 0; i < g->x->runs; i++)
        g->replica[i].valid = all[i].count ? all[i].nll / (double)all[i].count : (double)NAN;
}

static bool evaluation_at(const Running *g, int step) {
    int at[64], n = spec_evaluations(g->spec, at, 64);
    for (int i = 0; i < n; i++)
        if (at[i] == step) return true;
    return false;
}

/* Return true if hits are wanted now: of the last whole validation. Checkpoints have none, so a later one repeats
 * it. */
static bool wants_hits(const Running *g) {
    return g->x->hits && step_of(g) == (int)g->spec->steps;
}

static bool wants_quantized(const Running *g) {
    return g->x->quantize && step_of(g) == (int)g->spec->steps;
}

static bool translates(const Running *g) {
    return g->spec->objective == OBJECTIVE_TRANSLATE && step_of(g) > 0;
}

/* Return true if sentences are wanted now: like hits, for runs that translate. */
static bool wants_sentences(const Running *g) {
    return translates(g) && step_of(g) == (int)g->spec->steps;
}

static bool lacks_evaluation(const Running *g, const Replica *of) {
    if (!of->finite) return false;
    return !record_at(of->r, step_of(g)) || (wants_hits(g) && !of->r->hits.targets) ||
           (wants_sentences(g) && !of->r->translations.sentences);
}

static bool wants_evaluation(const Running *g) {
    bool lacking = false;
    for (int i = 0; i < g->x->runs; i++) lacking |= lacks_evaluation(g, &g->replica[i]);
    return lacking && evaluation_at(g, step_of(g));
}

/* Return the curves' row of the parameters after the last update. */
static double *last_row(Running *g, Curves *c) {
    double *row = c->rows > step_of(g) ? c->value + (size_t)(c->rows - 1) * (size_t)c->columns : curves_add(c);
    row[CURVE_step] = step_of(g);
    return row;
}

/* Fit linear probes, of runs that have reached the end. */
static void probe_here(Running *g) {
    int layers = spec_blocks(g->spec);
    if (!g->x->probes || !g->x->probes->wanted[PROBE_linear_probe] || step_of(g) != (int)g->spec->steps) return;
    OWNED double *accuracy = mem_alloc((size_t)g->x->runs * (size_t)layers, sizeof *accuracy);
    bool whole = linear_probes(g->t, g->x->data, g->spec, accuracy, g->stop) && !broken(g, NULL);
    for (int i = 0; i < g->x->runs && whole; i++) {
        Curves *c = &g->replica[i].r->curves;
        if (!lacks_evaluation(g, &g->replica[i])) continue;
        double *row = last_row(g, c);
        for (int l = 0; l < layers; l++) row[curve_column(c, PROBE_linear_probe, l)] = accuracy[i * layers + l];
    }
}

static void evaluate_here(Running *g) {
    int runs = g->x->runs;
    probe_here(g);
    OWNED Evaluation *v = mem_alloc((size_t)runs, sizeof *v);
    Hits *hits = wants_hits(g) ? mem_alloc((size_t)runs, sizeof *hits) : NULL;
    OWNED const Curves **curves = mem_alloc((size_t)runs, sizeof *curves);
    for (int i = 0; i < runs; i++) curves[i] = &g->replica[i].r->curves;
    bool whole = evaluate_whole(g->t, g->x->data, g->spec, curves, v, hits, g->stop);
    if (whole && wants_quantized(g)) quantized_measure(g->t, g->x->data, g->spec, v, g->stop);
    for (int i = 0; whole && translates(g) && i < runs; i++) {
        RunRecord *r = g->replica[i].r;
        Translations *keep = wants_sentences(g) && !r->translations.sentences ? &r->translations : NULL;
        if (!lacks_evaluation(g, &g->replica[i])) continue;
        whole = translated_measure(g->t, i, g->x->data, g->spec, v[i].metric, v[i].absent, keep, g->stop);
        if (!whole && !stopped(g->stop)) whole = true;
    }
    bool good = whole && !broken(g, NULL);
    for (int i = 0; whole && i < runs; i++) {
        RunRecord *r = g->replica[i].r;
        bool keep = good && lacks_evaluation(g, &g->replica[i]);
        if (hits && keep) r->hits = hits[i];
        if (hits && !keep) hits_release(&hits[i]);
        if (keep && !record_at(r, step_of(g)))
            record_evaluated(r, &v[i]);
        else
            free(v[i].block);
    }
    free(hits);
}

/* Add the row of one update of one run. */
static void add_row(Running *g, Replica *of, int step, const StepReport *report) {
    Curves *c = &of->r->curves;
    double *row = curves_add(c);
    row[CURVE_step] = step, row[CURVE_lr] = recipe_lr(&g->recipe[of - g->replica], step);
    row[CURVE_train_loss] = (double)report->loss;
    row[CURVE_valid_loss] = of->valid;
    of->valid = (double)NAN;
    for (int i = 0; i < trainer_probes(g->t); i++) {
        int layer;
        ProbeKind kind = trainer_probe(g->t, i, &layer);
        row[curve_column(c, kind, layer)] = report->probe[i];
    }
    chain_add(of->chain, report->loss);
    of->finite = report->finite;
    if (report->finite) row[CURVE_spike] = curves_spike(c, c->rows - 1, CURVE_train_loss);
}

/* Return the number of updates until the next point of a curve or evaluation. */
static int stretch(const Running *g) {
    int step = step_of(g) + 1, most = step_of(g) + most_steps(g);
    while (step < (int)g->spec->steps && step < most && step % g->spec->curve_every && !evaluation_at(g, step)) step++;
    return step - step_of(g);
}

/* Load this step's batches, one for each replica. */
static void load_batches(Running *g) {
    for (int i = 0; i < g->x->runs; i++)
        feed_step(g->t, i, g->x->data, g->spec, spec_order_seed(g->x->run[i].spec), (uint64_t)step_of(g));
}

/* Train with batches from the host or, for a whole stretch, drawn by a device with the corpus. Return the updates done:
 * 0 if the program was cancelled or the device failed. */
static int updates(Running *g) {
    if (trainer_resident(g->t) && feed_by_device(g->spec, g->x->data) && !trainer_steps_alone(g->t))
        return trainer_steps(g->t, stretch(g), g->report);
    load_batches(g);
    return trainer_step(g->t, g->report);
}

/* Initialize what the first batch decides, before the evaluation at step 0. */
static void init_from_data(Running *g) {
    if (!trainer_awaits_data(g->t)) return;
    load_batches(g);
    trainer_init_from_data(g->t);
}

static double median_step(const Running *g) {
    double *sorted = mem_alloc((size_t)g->timed + 1, sizeof *sorted), median = (double)NAN;
    memcpy(sorted, g->step_time, (size_t)g->timed * sizeof *sorted);
    qsort(sorted, (size_t)g->timed, sizeof *sorted, st_compare_double);
    if (g->timed) median = sorted[g->timed / 2] / g->x->runs;
    free(sorted);
    return median;
}

static void finish_record(Running *g, Replica *of) {
    uint8_t hash[32];
    RunRecord *r = of->r;
    strcpy(r->status, of->finite ? "ok" : "diverged");
    if (of->finite) last_row(g, &r->curves)[CURVE_valid_loss] = of->valid;
    sha256_hex(r->loss_chain, of->chain);
    trainer_hash(g->t, (int)(of - g->replica), hash);
    sha256_hex(r->parameters_hash, hash);
    rounded_take(&r->rounded, g->t, (int)(of - g->replica));
    r->parameters = (long)trainer_weights(g->t);
    r->memory_mb = (double)trainer_bytes(g->t) / (1 << 20);
    r->step_seconds = median_step(g);
    r->wall_seconds = (clock_now() - g->started) / g->x->runs;
    r->provenance.made = (int64_t)time(NULL);
}

/* Deliver a finished run to the callback, unless the device failed while the last numbers were read. */
static void deliver_record(Running *g, Replica *of) {
    if (broken(g, NULL))
        of->r->status[0] = 0;
    else if (g->x->finished)
        g->x->finished(g->x->context, (int)(of - g->replica), of->r);
}

static void finish_records(Running *g) {
    trainer_cancel(g->t, NULL); /* a finished run is stored whole */
    if (any_finite(g)) slice_loss(g);
    for (int i = 0; i < g->x->runs; i++)
        if (g->replica[i].finite) finish_record(g, &g->replica[i]);
    for (int i = 0; i < g->x->runs; i++)
        if (g->replica[i].finite) deliver_record(g, &g->replica[i]);
}

/* Train and add rows; finish a run that diverges at once. Return the updates of all runs together. */
static int advance(Running *g) {
    int first = step_of(g), rows = 0, runs = g->x->runs;
    if (first % g->spec->curve_every == 0) slice_loss(g);
    if (broken(g, NULL)) return 0;
    double start = clock_now();
    int done = updates(g);
    double each = done ? (clock_now() - start) / done : 0;
    for (int k = 0; k < done; k++) {
        g->step_time[g->timed++] = each;
        for (int i = 0; i < runs; i++) {
            Replica *of = &g->replica[i];
            if (!of->finite) continue;
            const StepReport *report = &g->report[k * runs + i];
            add_row(g, of, first + k, report);
            rows++;
            if (of->finite) continue;
            of->r->diverged_step = first + k;
            snprintf(of->r->culprit, sizeof of->r->culprit, "%s", report->culprit);
            finish_record(g, of);
            deliver_record(g, of);
        }
    }
    return rows;
}

static void describe(const Execution *x, const ExecutedRun *run, RunRecord *r) {
    *r = (RunRecord){.spec = *run->spec, .vocab = x->data->vocab, .diverged_step = -1};
    strcpy(r->id, run->id);
    strcpy(r->arithmetic, run->arithmetic);
    run_class(r->arithmetic_class, x->backend, x->passes, x->ranks ? x->ranks->ranks : 1, x->logit_rows);
    _Static_assert(sizeof r->dataset >= DATASET_NAME_SIZE, "a record has room for the name of any corpus");
    strcpy(r->dataset, x->data->name);
    strcpy(r->dataset_sha256, x->data->sha256);
    strcpy(r->tokenizer_sha256, x->data->tokenizer_sha256);
    r->entropy_rate = x->data->entropy_rate, r->unigram = x->data->unigram;
    provenance_here(&r->provenance);
    r->provenance.threads = x->threads > 1 ? x->threads : 1, r->provenance.replicas = x->runs;
    if (x->backend->device) x->backend->device->describe(r->provenance.device, sizeof r->provenance.device);
    r->probes = x->probes ? *x->probes : probes_usual();
    curves_init(&r->curves, spec_blocks(run->spec), x->probes);
}

static Rc save(Running *g, Error *e) {
    Rc rc = RC_OK;
    bool writes = !g->x->ranks || !g->x->ranks->rank;
    trainer_gather_moments(g->t);
    for (int i = 0; writes && i < g->x->runs; i++) {
        const Replica *of = &g->replica[i];
        if (of->finite && checkpoint_write(g->x->folder, of->run->id, g->t, i, of->r, of->chain, g->x->file_bytes, e))
            rc = e->code;
    }
    trainer_drop_moments(g->t);
    return rc;
}

/* Restore all runs if all have checkpoints of one step; else start all anew. */
static void restore_checkpoints(Running *g) {
    int runs = g->x->runs, resumed = 0, step = -1;
    for (int i = 0; i < runs; i++) {
        Error why;
        Replica *of = &g->replica[i];
        Rc rc = checkpoint_read(g->x->folder, of->run->id, g->t, i, of->r, of->chain, &why);
        if (rc == RC_INTEGRITY)
            terminal_say(stderr, "normbench: checkpoint not used, this run starts over: %s\n", why.text);
        if (!rc && step >= 0 && step_of(g) != step)
            terminal_say(
                stderr,
                "normbench: run %.12s has a checkpoint of step %d, and a run that is trained with it one of step "
                "%d: all start over\n",
                of->run->id, step_of(g), step);
        if (!rc && step < 0) step = step_of(g);
        resumed += !rc && step_of(g) == step;
    }
    if (ranks_equal(g->x->ranks, &step, sizeof step) && !ranks_any(g->x->ranks, step >= 0 && resumed < runs)) return;
    for (int i = 0; i < runs; i++) {
        Replica *of = &g->replica[i];
        record_release(of->r);
        describe(g->x, of->run, of->r);
        memset(of->chain, 0, sizeof of->chain);
        trainer_restart(g->t, i);
    }
    trainer_seek(g->t, 0);
}

static void resume(Running *g) {
    restore_checkpoints(g);
    trainer_drop_moments(g->t);
}

static void tell_rows(const Running *g) {
    const Execution *x = g->x;
    for (int i = 0; x->row && i < x->runs; i++)
        if (g->replica[i].finite) x->row(x->context, i, g->replica[i].r, step_of(g));
}

/* Check that weights are equal on all ranks: a library's sums may differ between ranks. */
static Rc same_weights(const Running *g, Error *e) {
    const Ranks *ranks = g->x->ranks;
    for (int i = 0; ranks && i < g->x->runs; i++) {
        uint8_t hash[32];
        trainer_hash(g->t, i, hash);
        if (!ranks_equal(ranks, hash, sizeof hash))
            return error_set(e, RC_INTEGRITY, "--ranks: the ranks ended with different weights; the run is not stored");
    }
    return RC_OK;
}

static Rc train(Running *g, Error *e) {
    const Execution *x = g->x;
    double saved = clock_now();
    init_from_data(g);
    while (any_finite(g)) {
        Error unsaved;
        if (x->ranks) g->halt = ranks_any(x->ranks, stopped(x->stop));
        if (!stopped(g->stop) && wants_evaluation(g)) evaluate_here(g);
        if (stopped(g->stop)) {
            tell_rows(g);
            if (save(g, e)) return e->code;
            return error_set(e, RC_INTERRUPTED, "stopped at step %d", step_of(g));
        }
        if (step_of(g) >= (int)g->spec->steps) break;
        int before = step_of(g), rows = advance(g);
        if (broken(g, e)) {
            ranks_end(x->ranks, e);
            break;
        }
        if (step_of(g) == before) continue; /* cancelled: nothing happened */
        tell_rows(g);
        if (x->progress) x->progress(x->context, rows, false);
        bool due = clock_now() - saved >= x->checkpoint_seconds;
        if (x->own_moments) due = ranks_any(x->ranks, due); /* all ranks take part */
        if (any_finite(g) && due) {
            /* a failed checkpoint must not end the run */
            (void)save(g, &unsaved);
            saved = clock_now();
        }
    }
    return broken(g, e) ? e->code : same_weights(g, e);
}

/* Return rc, or an error and free the trainer if another rank failed. */
static bool others_fail(const Execution *x, Rc rc, Running *g, Error *e) {
    if (!ranks_any(x->ranks, rc)) return false;
    if (rc) return true;
    trainer_free(g->t);
    (void)error_set(e, RC_UNMEASURED, "another rank cannot train this run");
    return true;
}

/* Make the program of the runs, and on a device the corpus. */
static Rc prepare(Running *g, Error *e) {
    const Execution *x = g->x;
    const Dataset *d = x->data;
    ModelShape shape = spec_shape(g->spec, d->vocab);
    shape.passes = x->passes, shape.head_rows = x->logit_rows, shape.recompute = x->recompute;
    Rc rc = trainer_for_gpt(&g->t, &shape, &g->spec->variant, x->probes, g->recipe, g->seed, x->runs, x->backend, e);
    if (others_fail(x, rc, g, e)) return e->code;
    Corpus corpus = {.tokens = d->tokens,
                     .count = d->train,
                     .choices = (uint32_t)(d->train - (size_t)shape.context), /* a text is below 2^32 */
                     .stream = name_stream("batch"),
                     .context = shape.context};
    if (x->ranks) rc = trainer_join(g->t, x->ranks, e);
    if (!rc && x->own_moments) trainer_share_moments(g->t, x->ranks);
    if (!rc) rc = trainer_share(g->t, x->threads > 1 ? x->threads : 1, e);
    if (!rc && trainer_resident(g->t) && feed_by_device(g->spec, g->x->data))
        rc = trainer_keep_corpus(g->t, &corpus, e);
    if (rc) trainer_free(g->t);
    return others_fail(x, rc, g, e) ? e->code : RC_OK;
}

Rc run_execute(const Execution *x, RunRecord *r, Error *e) {
    size_t runs = (size_t)x->runs;
    Running g = {.x = x, .spec = x->run[0].spec, .started = clock_now()};
    g.recipe = mem_alloc(runs, sizeof *g.recipe), g.seed = mem_alloc(runs, sizeof *g.seed);
    g.replica = mem_alloc(runs, sizeof *g.replica);
    for (int i = 0; i < x->runs; i++) {
        g.recipe[i] = spec_recipe(x->run[i].spec), g.seed[i] = x->run[i].spec->seed;
        g.replica[i] = (Replica){.run = &x->run[i], .r = &r[i], .valid = (double)NAN, .finite = true};
        describe(x, &x->run[i], &r[i]);
    }
    g.stop = x->ranks ? &g.halt : x->stop;
    Rc rc = prepare(&g, e);
    if (!rc) {
        if (!x->ranks) trainer_cancel(g.t, x->stop);
        g.step_time = mem_alloc((size_t)g.spec->steps, sizeof *g.step_time);
        g.report = trainer_reports(g.t, x->runs * (trainer_resident(g.t) ? most_steps(&g) : 1));
        resume(&g);
        if (step_of(&g) && x->progress) x->progress(x->context, step_of(&g) * x->runs, true);
        tell_rows(&g);
        rc = train(&g, e);
        if (!rc) finish_records(&g);
        if (!rc && broken(&g, e)) rc = e->code;
        trainer_free(g.t);
    }
    for (int i = 0; i < x->runs; i++)
        if (!r[i].status[0]) record_release(&r[i]);
    free(g.step_time), free(g.report);
    free(g.recipe), free(g.seed), free(g.replica);
    return rc;
}
