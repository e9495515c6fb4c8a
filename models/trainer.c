#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "models/change.h"
#include "models/decode.h"
#include "models/host.h"
#include "models/init.h"
#include "models/micro.h"
#include "models/quantized.h"
#include "models/resident.h"

/* Whose numbers are where, and what a batch is; ranks take some of its passes each (trainer_join). */
#define ON_HOST .finish = host_finish, .values = host_values
#define ON_DEVICE .finish = resident_finish, .values = resident_values
#define ONE_PASS .passes = host_passes, .ids = host_ids, .culprit = host_culprit, .scores = host_scores
#define PASSES \
    .passes = micro_passes, .ids = micro_ids, .culprit = micro_culprit, .scores = micro_scores, .batch = micro_batch

static const StepWay ways[2][2] = {
    {{"host", ON_HOST, ONE_PASS, .forward = host_forward},
     {"resident", ON_DEVICE, ONE_PASS, .forward = resident_forward, .steps = resident_steps}},
    {{"passes on the host", ON_HOST, PASSES, .forward = micro_forward},
     {"passes on a device", ON_DEVICE, PASSES, .forward = micro_forward}},
};

/* The tensors that every step asks for. */
static void list_tensors(Trainer *t) {
    const Tape *tape = &t->tape;
    t->parameter = mem_alloc((size_t)tape->tensors, sizeof *t->parameter);
    for (int i = 0; i < tape->tensors; i++)
        if (tape->tensor[i].role == ROLE_PARAM) {
            t->parameter[t->parameters++] = i;
            t->renorm = t->renorm || tape->tensor[i].unit != UNIT_none;
        }
    t->targets = tape_fed(tape, "targets");
    assert(t->targets >= 0 && tape->feeds <= TRAINER_FEEDS_MAX && "a model has targets");
    measure_init(&t->measure, tape);
    t->value = mem_alloc((size_t)t->measure.parts, sizeof *t->value);
}

Rc trainer_from_tape(Trainer **out, Tape *tape, int every, const Recipe *recipe, const uint64_t *seed, int replicas,
                     const Backend *backend, Error *e) {
    canon_environment();
    Trainer *t = mem_alloc(1, sizeof *t);
    *t = (Trainer){.tape = *tape, .recipe = recipe, .seed = seed, .every = every};
    tape_init(tape);
    if (program_init(&t->program, &t->tape, backend, replicas, e)) {
        tape_release(&t->tape);
        free(t);
        return e->code;
    }
    list_tensors(t);
    t->power = mem_alloc(2 * (size_t)replicas, sizeof *t->power);
    if (precision_scaled(backend->precision)) t->scale = mem_alloc((size_t)replicas, sizeof *t->scale);
    t->alive = mem_alloc((size_t)replicas, sizeof *t->alive);
    for (int r = 0; r < replicas; r++) {
        assert(recipe[r].optimizer == recipe[0].optimizer);
        init_parameters(&t->program, r, recipe_seed(recipe[r].init_seed, seed[r]), &recipe[r].init);
        t->alive[r] = true;
        if (t->scale) t->scale[r].now = LOSS_SCALE_FIRST;
    }
    t->way = &ways[t->tape.passes > 1][backend->device != NULL];
    if ((backend->device && resident_init(t, e)) || (t->tape.passes > 1 && micro_init(t, NULL, e))) {
        trainer_free(t);
        return e->code;
    }
    trainer_seek(t, 0);
    *out = t;
    return RC_OK;
}

Rc trainer_for_gpt(Trainer **out, const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                   const Recipe *recipe, const uint64_t *seed, int replicas, const Backend *backend, Error *e) {
    Tape tape;
    transformer_build(&tape, shape, variant, probes);
    return trainer_from_tape(out, &tape, probes ? probes->every : 1, recipe, seed, replicas, backend, e);
}

void trainer_free(Trainer *t) {
    if (!t) return;
    resident_release(t);
    micro_release(t);
    measure_release(&t->measure);
    program_release(&t->program);
    tape_release(&t->tape);
    free(t->parameter);
    free(t->value);
    free(t->power);
    free(t->scale);
    free(t->alive);
    free(t);
}

Rc trainer_join(Trainer *t, const Ranks *ranks, Error *e) {
    assert(t->micro && "ranks take different passes");
    micro_release(t);
    return micro_init(t, ranks, e);
}

StepReport *trainer_reports(const Trainer *t, int n) {
    size_t count = (size_t)n, probes = (size_t)t->tape.probes;
    StepReport *report = mem_alloc(count, sizeof *report + probes * sizeof(double));
    double *room = (double *)(void *)(report + count);
    for (size_t i = 0; i < count; i++) report[i].probe = room + i * probes;
    return report;
}

int trainer_feeds(Trainer *t, int replica, FeedRoom room[TRAINER_FEEDS_MAX]) {
    for (int i = 0; room && i < t->tape.feeds; i++) {
        const Feed *f = &t->tape.feed[i];
        room[i] = (FeedRoom){f->name, t->tape.tensor[f->tensor].rows * t->tape.passes, t->way->ids(t, i, replica)};
    }
    return t->tape.feeds;
}

int32_t *trainer_feed(Trainer *t, const char *name, int replica) {
    int i = 0;
    while (i < t->tape.feeds && strcmp(t->tape.feed[i].name, name)) i++;
    assert(i < t->tape.feeds && "the model has this feed");
    return t->way->ids(t, i, replica);
}

static int skipped_of(const Trainer *t, int replica) {
    return t->scale ? t->scale[replica].skipped : 0;
}

void trainer_seek(Trainer *t, int step) {
    t->step = step;
    for (int r = 0; r < t->program.replicas; r++) trainer_count_updates(t, r, step - skipped_of(t, r));
    if (t->resident) resident_seek(t);
}

static const int32_t *targets_at(const Trainer *t, int replica) {
    int i = 0;
    while (t->tape.feed[i].tensor != t->targets) i++;
    return t->way->ids(t, i, replica);
}

static double targets_of(const Trainer *t, int replica) {
    const int32_t *target = targets_at(t, replica);
    double count = 0;
    for (int i = 0; i < t->tape.tensor[t->targets].rows * t->tape.passes; i++) count += target[i] >= 0;
    return count > 0 ? count : 1;
}

void trainer_scalars(Trainer *t) {
    for (int r = 0; r < t->program.replicas; r++) {
        t->power[2 * r] *= t->recipe[r].beta1;
        t->power[2 * r + 1] *= t->recipe[r].beta2;
        Scalars *s = &t->program.scalars[r], of_update;
        double count = targets_of(t, r), power1 = t->power[2 * r], power2 = t->power[2 * r + 1];
        recipe_scalars(&t->recipe[r], s, t->seed[r], t->step, count, power1, power2);
        s->stopped = !t->alive[r];
        if (!t->scale) continue;
        /* The optimizer's averages count updates, the schedule counts steps. */
        recipe_scalars(&t->recipe[r], &of_update, t->seed[r], t->step - skipped_of(t, r), count, power1, power2);
        s->rectify = of_update.rectify;
        s->loss_scale = t->scale[r].now;
    }
}

static bool one_step(Trainer *t, StepReport *report) {
    Program *p = &t->program;
    if (t->way->steps) return t->way->steps(t, 1, report) == 1;
    trainer_scalars(t);
    p->rounding.counting = true;
    t->way->passes(t, report->probe, t->step % t->every == 0);
    p->rounding.counting = false;
    if (program_cancelled(p)) {
        trainer_seek(t, t->step);
        return false;
    }
    return t->way->finish(t, report);
}

/* The step was made: its number is made whole. */
static void measure_change(Trainer *t, double *before, StepReport *report) {
    const volatile sig_atomic_t *cancel = t->program.cancel;
    t->program.cancel = NULL;
    trainer_forward(t);
    t->program.cancel = cancel;
    change_end(t, before, report);
}

bool trainer_step(Trainer *t, StepReport *report) {
    double *before = NULL;
    if (trainer_awaits_data(t)) trainer_init_from_data(t);
    if (change_comes(t)) trainer_forward(t), before = change_begin(t);
    bool done = one_step(t, report);
    if (before && done) measure_change(t, before, report);
    free(before);
    return done;
}

/* Those of a pass without dropout. */
static void still_scalars(Trainer *t) {
    Program *p = &t->program;
    for (int r = 0; r < p->replicas; r++)
        p->scalars[r] = (Scalars){.seed = t->seed[r],
                                  .progress = recipe_progress(&t->recipe[r], t->step - 1),
                                  .count = targets_of(t, r),
                                  .drop_scale = 1};
}

bool trainer_awaits_data(const Trainer *t) {
    return t->tape.data_inits && !t->data_known && !t->step;
}

void trainer_init_from_data(Trainer *t) {
    still_scalars(t);
    init_from_data(&t->program);
    t->data_known = true;
}

void trainer_forward(Trainer *t) {
    still_scalars(t);
    t->way->forward(t);
}

void trainer_forward_rows(Trainer *t, int *row, int rows) {
    const Tape *tape = &t->tape;
    assert(!t->micro && !tape->head_rows);
    if (t->resident || t->program.queue) {
        trainer_forward(t);
        return;
    }
    int to = tape_maker(tape, tape->logits), from = to;
    while (tape->op[from].kind != OP_linear) from = tape_maker(tape, tape->input[tape->op[from].in_at]);
    still_scalars(t);
    program_forward_rows(&t->program, from, to, row, rows);
    for (int i = 0; i < rows; i++) row[i] = i;
}

Decode *trainer_decode(Trainer *t, int replica) {
    assert(!t->micro);
    if (t->resident || t->program.queue) return NULL;
    still_scalars(t);
    return decode_new(&t->program, replica);
}

bool trainer_forward_quantized(Trainer *t, Quantization how) {
    if (t->resident || t->program.queue || t->micro) return false;
    still_scalars(t);
    program_forward_quantized(&t->program, how);
    return true;
}

void trainer_score(const Trainer *t, int replica, int first, int rows, double *nll, long *hits, long *count,
                   bool *hit) {
    const int32_t *target = targets_at(t, replica) + first;
    double *nlls = mem_alloc((size_t)rows, sizeof *nlls);
    bool *right = mem_alloc((size_t)rows, sizeof *right);
    t->way->scores(t, replica, first, rows, nlls, right);
    *nll = 0, *hits = 0, *count = 0;
    for (int i = 0; i < rows; i++) {
        if (hit) hit[i] = right[i] && target[i] >= 0;
        if (target[i] < 0) continue;
        *nll += nlls[i];
        *hits += right[i];
        ++*count;
    }
    free(nlls);
    free(right);
}

int trainer_replicas(const Trainer *t) {
    return t->program.replicas;
}

int trainer_step_number(const Trainer *t) {
    return t->step;
}

const Backend *trainer_backend(const Trainer *t) {
    return t->program.backend;
}

bool trainer_resident(const Trainer *t) {
    return t->way->steps != NULL;
}

bool trainer_steps_alone(const Trainer *t) {
    return change_comes(t);
}

void trainer_repeat(Trainer *t) {
    FeedRoom first[TRAINER_FEEDS_MAX], room[TRAINER_FEEDS_MAX];
    int feeds = trainer_feeds(t, 0, first);
    for (int r = 1; r < t->program.replicas; r++) {
        trainer_feeds(t, r, room);
        for (int f = 0; f < feeds; f++) memcpy(room[f].ids, first[f].ids, (size_t)first[f].rows * sizeof(int32_t));
    }
}

void trainer_cancel(Trainer *t, const volatile sig_atomic_t *cancel) {
    t->program.cancel = cancel;
}

Rc trainer_share(Trainer *t, int threads, Error *e) {
    return program_share(&t->program, threads, e);
}

int trainer_steps(Trainer *t, int n, StepReport *report) {
    return t->way->steps(t, n, report);
}

bool trainer_scaled(const Trainer *t) {
    return t->scale != NULL;
}

LossScale trainer_scale(Trainer *t, int replica) {
    if (t->resident) resident_read_scales(t);
    return t->scale[replica];
}

void trainer_set_scale(Trainer *t, int replica, LossScale scale) {
    t->scale[replica] = scale;
    if (t->resident) resident_write_scale(t, replica);
}

static void forget_rounded(Trainer *t, int replica) {
    if (t->program.rounding.word == WORD_float) return;
    Rounded *none = mem_alloc((size_t)roundings_sites(&t->program), sizeof *none);
    roundings_write(&t->program, replica, none);
    free(none);
}

void trainer_restart(Trainer *t, int replica) {
    const Recipe *recipe = &t->recipe[replica];
    init_parameters(&t->program, replica, recipe_seed(recipe->init_seed, t->seed[replica]), &recipe->init);
    t->alive[replica] = true;
    t->data_known = false;
    if (t->scale) trainer_set_scale(t, replica, (LossScale){.now = LOSS_SCALE_FIRST});
    forget_rounded(t, replica);
    if (t->resident) resident_revive(t, replica);
}
