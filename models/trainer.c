#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "models/change.h"
#include "models/decode.h"
#include "models/init.h"
#include "models/micro.h"
#include "models/moments.h"
#include "models/observe.h"
#include "models/profile.h"
#include "models/quantized.h"
#include "models/resident.h"

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
    assert(t->targets >= 0 && tape->feeds <= TRAINER_MOST_FEEDS && "a model has targets");
    measure_init(&t->measure, tape);
    t->value = mem_alloc((size_t)t->measure.parts, sizeof *t->value);
}

Rc trainer_of(Trainer **out, Tape *tape, int every, const Recipe *recipe, const uint64_t *seed, int replicas,
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
    if (backend->device && resident_init(&t->resident, t, e)) {
        trainer_free(t);
        return e->code;
    }
    if (t->tape.passes > 1 && micro_init(&t->micro, t, NULL, e)) {
        trainer_free(t);
        return e->code;
    }
    trainer_seek(t, 0);
    *out = t;
    return RC_OK;
}

Rc trainer_new(Trainer **out, const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
               const Recipe *recipe, const uint64_t *seed, int replicas, const Backend *backend, Error *e) {
    Tape tape;
    transformer_build(&tape, shape, variant, probes);
    return trainer_of(out, &tape, probes ? probes->every : 1, recipe, seed, replicas, backend, e);
}

void trainer_free(Trainer *t) {
    if (!t) return;
    resident_release(t->resident, t);
    micro_release(t->micro);
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
    micro_release(t->micro);
    t->micro = NULL;
    return micro_init(&t->micro, t, ranks, e);
}

StepReport *trainer_reports(const Trainer *t, int n) {
    size_t count = (size_t)n, probes = (size_t)t->tape.probes;
    StepReport *report = mem_alloc(count, sizeof *report + probes * sizeof(double));
    double *room = (double *)(void *)(report + count);
    for (size_t i = 0; i < count; i++) report[i].probe = room + i * probes;
    return report;
}

/* Feed i's ids of the whole batch. */
static int32_t *ids_of(const Trainer *t, int i, int replica) {
    return t->micro ? micro_ids(t->micro, i, replica) : program_ids(&t->program, t->tape.feed[i].tensor, replica);
}

int trainer_feeds(Trainer *t, int replica, FeedRoom room[TRAINER_MOST_FEEDS]) {
    for (int i = 0; room && i < t->tape.feeds; i++) {
        const Feed *f = &t->tape.feed[i];
        room[i] = (FeedRoom){f->name, t->tape.tensor[f->tensor].rows * t->tape.passes, ids_of(t, i, replica)};
    }
    return t->tape.feeds;
}

int32_t *trainer_feed(Trainer *t, const char *name, int replica) {
    int i = 0;
    while (i < t->tape.feeds && strcmp(t->tape.feed[i].name, name)) i++;
    assert(i < t->tape.feeds && "the model has this feed");
    return ids_of(t, i, replica);
}

static int skipped_of(const Trainer *t, int replica) {
    return t->scale ? t->scale[replica].skipped : 0;
}

/* Running products of a replica that has done so many updates. */
static void count_updates(Trainer *t, int r, int updates) {
    t->power[2 * r] = t->power[2 * r + 1] = 1;
    for (int i = 0; i < updates; i++) {
        t->power[2 * r] *= t->recipe[r].beta1;
        t->power[2 * r + 1] *= t->recipe[r].beta2;
    }
}

void trainer_seek(Trainer *t, int step) {
    t->step = step;
    for (int r = 0; r < t->program.replicas; r++) count_updates(t, r, step - skipped_of(t, r));
    if (t->resident) resident_seek(t->resident, t);
}

static const int32_t *targets_at(const Trainer *t, int replica) {
    int i = 0;
    while (t->tape.feed[i].tensor != t->targets) i++;
    return ids_of(t, i, replica);
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

static void stop(Trainer *t, int r, StepReport *report, const char *what, int tensor) {
    t->alive[r] = false;
    report->finite = false;
    snprintf(report->culprit, sizeof report->culprit, "%s %s", what, tensor < 0 ? "norm" : t->tape.tensor[tensor].name);
}

static void *at_word(const Program *p, Role role, int tensor, int replica, ptrdiff_t word) {
    return (unsigned char *)program_at(p, role, tensor, replica) + (size_t)word * p->backend->word[role];
}

typedef struct {
    const Trainer *t;
    int replica;
} Updated;

/* A part of every parameter. */
static void update(void *context, int part, int parts) {
    const Updated *u = context;
    const Trainer *t = u->t;
    const Program *p = &t->program;
    for (int i = 0; i < t->parameters; i++) {
        const Tensor *x = &t->tape.tensor[t->parameter[i]];
        Share share = moments_share(t, x, part, parts);
        Update of = {.p = at_word(p, ROLE_PARAM, t->parameter[i], u->replica, share.from),
                     .g = at_word(p, ROLE_GRAD, t->parameter[i], u->replica, share.from),
                     .m = at_word(p, ROLE_MOMENT1, t->parameter[i], u->replica, share.from),
                     .v = at_word(p, ROLE_MOMENT2, t->parameter[i], u->replica, share.from),
                     .count = (size_t)(share.to - share.from),
                     .decay = x->rows > 1,
                     .scalars = &p->scalars[u->replica]};
        p->backend->update[t->recipe[u->replica].optimizer](&of);
    }
}

/* A part of the lines of every parameter that has lines of length 1, once all of it is updated. */
static void renorm(void *context, int part, int parts) {
    const Updated *u = context;
    const Program *p = &u->t->program;
    for (int i = 0; i < u->t->parameters; i++) {
        int tensor = u->t->parameter[i];
        const Tensor *x = &u->t->tape.tensor[tensor];
        if (x->unit == UNIT_none) continue;
        p->backend->renorm(program_at(p, ROLE_PARAM, tensor, u->replica), x->rows, x->cols, x->unit, part, parts);
    }
}

/* The probes before the update, or those after it, from the parts that stand in t->value. */
static void report_probes(const Trainer *t, int r, bool after, StepReport *report) {
    for (int i = 0; i < t->tape.probes; i++) {
        ProbeKind kind = t->tape.probe[i].kind;
        if (site_info[probe_info[kind].site].after == after && t->step % probe_stride(kind, t->every) == 0)
            report->probe[i] = observe_probe(&t->measure, &t->program, i, r, t->value);
    }
}

/* A part of every gradient, divided by the scale of the loss. */
static void unscale(void *context, int part, int parts) {
    const Updated *u = context;
    const Trainer *t = u->t;
    const Program *p = &t->program;
    double inverse = 1 / t->scale[u->replica].now;
    for (int i = 0; i < t->parameters; i++) {
        const Tensor *x = &t->tape.tensor[t->parameter[i]];
        Share share = share_of(part, parts, (ptrdiff_t)x->rows * x->cols);
        void *words = program_at(p, ROLE_GRAD, t->parameter[i], u->replica);
        bool wide = p->backend->word[ROLE_GRAD] == sizeof(double);
        for (ptrdiff_t j = share.from; j < share.to; j++)
            if (wide)
                ((double *)words)[j] *= inverse;
            else
                ((float *)words)[j] *= (float)inverse;
    }
}

/* A gradient that is not finite: the replica's loss is scaled less from the next step on, and nothing is updated. The
 * gradients' probes have nothing to measure. */
static bool skips(Trainer *t, int r, StepReport *report) {
    if (!t->scale || !loss_scale_skips(&t->scale[r])) return false;
    count_updates(t, r, t->step + 1 - t->scale[r].skipped);
    report->skipped = true;
    report->grad_norm = (double)NAN;
    for (int i = 0; report->probe && i < t->tape.probes; i++)
        if (probe_of_gradients(&t->tape.probe[i])) report->probe[i] = (double)NAN;
    return true;
}

/* One replica's part of a step after backward. */
static void finish(Trainer *t, int r, StepReport *report) {
    Program *p = &t->program;
    const Measure *m = &t->measure;
    bool measured = report->probe, thin = measured && t->step % t->every == 0;
    float loss = (float)program_value(p, ROLE_ACT, t->tape.loss, r, 0);
    *report = (StepReport){.loss = loss, .finite = true, .probe = report->probe};
    for (int i = 0; report->probe && i < t->tape.probes; i++) report->probe[i] = (double)NAN;
    if (t->scale) program_together(p, unscale, &(Updated){t, r});
    observe_parts(m, p, r, measured ? 0 : m->gradient, m->gradient + m->parameters, thin, t->value);
    report->grad_norm = observe_norm(m, p, t->value);
    if (t->micro && measured) micro_parts(t->micro, t, r, t->value);
    if (measured) report_probes(t, r, false, report);
    if (!isfinite(report->loss)) {
        stop(t, r, report, "act", t->micro ? micro_culprit(t->micro, t, r) : program_nonfinite_act(p, r));
        return;
    }
    if (!isfinite(report->grad_norm)) {
        if (skips(t, r, report)) return;
        stop(t, r, report, "grad", program_nonfinite(p, ROLE_GRAD, r));
        return;
    }
    if (t->scale) loss_scale_goes_on(&t->scale[r]);
    double clip = t->recipe[r].clip;
    if (clip > 0) {
        double scale = program_round(p, clip / program_round(p, report->grad_norm + 1e-6));
        p->scalars[r].grad_scale = scale < 1 ? scale : 1;
    }
    program_together(p, update, &(Updated){t, r});
    moments_exchange(t, r, measured && m->after);
    if (t->renorm) program_together(p, renorm, &(Updated){t, r});
    if (!measured || !m->after) return;
    observe_parts(m, p, r, m->gradient, m->parts, thin, t->value);
    report_probes(t, r, true, report);
}

void trainer_update_only(Trainer *t) {
    assert(!t->resident);
    update(&(Updated){t, 0}, 0, 1);
    renorm(&(Updated){t, 0}, 0, 1);
}

double trainer_norm_only(Trainer *t) {
    const Measure *m = &t->measure;
    assert(!t->resident);
    observe_parts(m, &t->program, 0, m->gradient, m->gradient + m->parameters, false, t->value);
    return observe_norm(m, &t->program, t->value);
}

static bool one_step(Trainer *t, StepReport *report) {
    Program *p = &t->program;
    if (t->resident && !t->micro) return resident_steps(t->resident, t, 1, report) == 1;
    trainer_scalars(t);
    p->rounding.counting = true;
    if (t->micro) {
        micro_step(t->micro, t, report->probe, t->step % t->every == 0);
    } else {
        program_forward(p);
        program_backward(p);
    }
    p->rounding.counting = false;
    if (program_cancelled(p)) {
        trainer_seek(t, t->step);
        return false;
    }
    if (t->resident) return resident_finish(t->resident, t, report);
    for (int r = 0; r < p->replicas; r++)
        if (t->alive[r]) finish(t, r, &report[r]);
    t->step++;
    return true;
}

bool trainer_step(Trainer *t, StepReport *report) {
    if (trainer_profiles(t)) trainer_profile(t);
    double *before = change_comes(t) ? change_before(t) : NULL;
    bool done = one_step(t, report);
    if (before && done)
        change_after(t, before, report);
    else
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

bool trainer_profiles(const Trainer *t) {
    return t->tape.profiles && !t->profiled && !t->step;
}

void trainer_profile(Trainer *t) {
    still_scalars(t);
    profile_parameters(&t->program);
    t->profiled = true;
}

void trainer_forward(Trainer *t) {
    Program *p = &t->program;
    still_scalars(t);
    if (t->micro)
        micro_forward(t->micro, t);
    else if (t->resident)
        resident_forward(t->resident, t);
    else
        program_forward(p);
}

/* The op that makes a tensor. */
static int maker(const Tape *t, int tensor) {
    int op = t->ops - 1;
    while (t->op[op].out != tensor) op--;
    return op;
}

void trainer_forward_rows(Trainer *t, int *row, int rows) {
    const Tape *tape = &t->tape;
    assert(!t->micro && !tape->head_rows);
    if (t->resident || t->program.queue) {
        trainer_forward(t);
        return;
    }
    int to = maker(tape, tape->logits), from = to;
    while (tape->op[from].kind != OP_linear) from = maker(tape, tape->input[tape->op[from].in_at]);
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

int trainer_hits(const Trainer *t) {
    int op = maker(&t->tape, t->tape.nll);
    return t->tape.op[op].save;
}

void trainer_score(const Trainer *t, int replica, int first, int rows, double *nll, long *hits, long *count,
                   bool *hit) {
    const Program *p = &t->program;
    const int32_t *target = targets_at(t, replica);
    double *nlls = mem_alloc((size_t)t->tape.tensor[t->tape.nll].rows, sizeof *nlls);
    double *saved = mem_alloc(2 * (size_t)t->tape.tensor[t->tape.nll].rows, sizeof *saved);
    if (!t->micro) {
        program_values(p, ROLE_ACT, t->tape.nll, replica, nlls);
        program_values(p, ROLE_SAVE, trainer_hits(t), replica, saved);
    }
    *nll = 0, *hits = 0, *count = 0;
    for (int row = first; row < first + rows; row++) {
        double here = t->micro ? 0 : nlls[row];
        bool right = t->micro ? false : saved[2 * row + 1] > 0;
        if (t->micro) micro_row(t->micro, replica, row, &here, &right);
        right = right && target[row] >= 0;
        if (hit) hit[row - first] = right;
        if (target[row] < 0) continue;
        *nll += here;
        *hits += right;
        ++*count;
    }
    free(nlls);
    free(saved);
}
