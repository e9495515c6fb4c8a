#include "models/host.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/moments.h"
#include "models/observe.h"
#include "models/trainer_look.h"

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
    trainer_count_updates(t, r, t->step + 1 - t->scale[r].skipped);
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
    if (t->way->batch && measured) t->way->batch(t, r, t->value);
    if (measured) report_probes(t, r, false, report);
    if (!isfinite(report->loss)) {
        stop(t, r, report, "act", t->way->culprit(t, r));
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

bool host_finish(Trainer *t, StepReport *report) {
    for (int r = 0; r < t->program.replicas; r++)
        if (t->alive[r]) finish(t, r, &report[r]);
    t->step++;
    return true;
}

void host_passes(Trainer *t, bool measured, bool thin) {
    (void)measured, (void)thin;
    program_forward(&t->program);
    program_backward(&t->program);
}

void host_forward(Trainer *t) {
    program_forward(&t->program);
}

int32_t *host_ids(const Trainer *t, int feed, int replica) {
    return program_ids(&t->program, t->tape.feed[feed].tensor, replica);
}

void host_values(Trainer *t, int replica, bool thin, double *value) {
    observe_parts(&t->measure, &t->program, replica, 0, t->measure.gradient, thin, value);
}

int host_culprit(Trainer *t, int replica) {
    return program_nonfinite_act(&t->program, replica);
}

void host_scores(const Trainer *t, int replica, int first, int rows, double *nll, bool *right) {
    size_t all = (size_t)t->tape.tensor[t->tape.nll].rows;
    double *nlls = mem_alloc(all, sizeof *nlls), *saved = mem_alloc(2 * all, sizeof *saved);
    program_values(&t->program, ROLE_ACT, t->tape.nll, replica, nlls);
    program_values(&t->program, ROLE_SAVE, tape_hits(&t->tape), replica, saved);
    for (int i = 0; i < rows; i++) nll[i] = nlls[first + i], right[i] = saved[2 * (first + i) + 1] > 0;
    free(nlls);
    free(saved);
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
