#include "bench/cli/run_scale.h"

#include <stdio.h>
#include <string.h>

#include "bench/perf/dry.h"
#include "bench/run/scale.h"
#include "kernels/cuda/dry.h"
#include "models/trainer_count.h"

/* The device as the command line has it. */
typedef struct {
    ScaleDevice device;
    double utilization;
    bool own_flops; /* its peak was given: there is no other to show beside it */
} Asked;

bool scale_options(const Options *o) {
    static const OptionKind own[] = {OPTION_device, OPTION_device_memory, OPTION_device_flops, OPTION_utilization};
    bool given = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) given |= o->times[own[i]] > 0;
    return given;
}

bool scale_asked(const Session *s, const Experiment *x) {
    bool asked = scale_options(s->options);
    for (int i = 0; i < x->arms; i++) asked |= !strncmp(x->arm[i].spec.dataset.text, "shards:", 7);
    return asked;
}

static Asked asked_device(const Options *o) {
    Asked a = {.device = scale_devices[option_choice(o, OPTION_device, 0)],
               .utilization = option_number(o, OPTION_utilization, 0.4),
               .own_flops = o->times[OPTION_device_flops] > 0};
    a.device.memory = option_number(o, OPTION_device_memory, a.device.memory);
    a.device.flops = option_number(o, OPTION_device_flops, a.device.flops);
    return a;
}

static void print_head(const Session *s, const Experiment *x, const Asked *a) {
    const ScaleDevice *d = &a->device;
    printf("%s%s%s: %d arms x %d seeds%s\n", x->name, x->profile[0] ? ", profile " : "", x->profile, x->arms, x->seeds,
           experiment_cells(x) > 1 ? ", for each cell" : "");
    printf("device: %s, %.4g GB; GPU hours at %.3g%% of %.4g TFLOP/s", d->name, 1e-9 * d->memory, 100 * a->utilization,
           1e-12 * d->flops);
    if (a->own_flops)
        printf(", as given\n");
    else
        printf(" (float)\n  and, in brackets, of %.4g TFLOP/s (bf16 on tensor cores, on which the matrix products of "
               "bf16 and\n  the -fast precisions run; all else is float); vendor's figures\n",
               1e-12 * d->tensor);
    printf("memory: of one device that trains a step %s; %s; %s\n\n",
           s->micro_batch ? "in parts" : "at once (--memory micro-batch=N)",
           s->recompute ? "blocks' activations are recomputed" : "activations are kept (--memory recompute)",
           s->logit_rows ? "logits are in pieces" : "all logits are held (--memory logit-rows=N)");
}

static double hours(double flops, double peak, double utilization) {
    return flops / (peak * utilization) / 3600;
}

static void print_arm(const RunSpec *spec, const char *cell, const char *arm, const Scale *c, const Asked *a) {
    const TrainerPlan *p = &c->plan;
    double gb = 1e-9, tokens = (double)spec->steps * (double)spec->batch * (double)spec->context;
    printf("%s%s%s\n", cell, cell[0] ? "  " : "", arm);
    printf("  parameters   %zu\n", p->parameters);
    printf("  tokens       %.4g: %lld steps of %lld x %lld\n", tokens, (long long)spec->steps, (long long)spec->batch,
           (long long)spec->context);
    printf("  FLOPs        %.4g a step, %.4g a run: %.3f times 6 x parameters x tokens\n", p->flops, c->run_flops,
           c->run_flops / (6 * (double)p->parameters * tokens));
    printf("  GPU hours    %.5g a run", hours(c->run_flops, a->device.flops, a->utilization));
    if (!a->own_flops) printf(" (%.6g)", hours(c->run_flops, a->device.tensor, a->utilization));
    printf("\n  memory       %.5g GB: weights %.5g, gradients %.5g, ", gb * trainer_plan_bytes(p),
           gb * (double)p->weights, gb * (double)p->gradients);
    if (p->sums) printf("partial sums of them %.5g, ", gb * (double)p->sums);
    printf("moments %.5g, activations %.5g, other %.5g\n", gb * (double)p->moments, gb * (double)p->activations,
           gb * (double)p->other);
    printf("  one sequence %.5g GB\n", gb * c->least);
}

static Rc refuse(const RunSpec *spec, const char *arm, const Scale *c, const Asked *a, Error *e) {
    double gb = 1e-9, all = trainer_plan_bytes(&c->plan);
    if (c->fits)
        return error_set(
            e, RC_UNMEASURED,
            "arm %s does not fit: a step of %lld sequences needs %.5g GB, the device has %.5g; at once %lld of the "
            "sequences fit (--set batch=%lld; --memory micro-batch=N,recompute,logit-rows=N)",
            arm, (long long)spec->batch, gb * all, gb * a->device.memory, (long long)c->fits, (long long)c->fits);
    return error_set(
        e, RC_UNMEASURED,
        "arm %s does not fit: one sequence of %lld tokens needs %.5g GB, %.5g of them weights, gradients and "
        "moments; the device has %.5g",
        arm, (long long)spec->context, gb * c->least,
        gb * ((double)c->plan.weights + (double)c->plan.gradients + (double)c->plan.moments), gb * a->device.memory);
}

static Rc launches_of(Session *s, const RunSpec *spec, const ScaleDevice *d, Error *e) {
    const Backend *dry = dry_precise((PrecisionKind)spec->precision);
    ModelShape shape, part;
    if (!dry) return RC_OK; /* session_backend says why */
    if (scale_shape(&shape, s, spec, e)) return e->code;
    part = shape, part.batch /= shape.passes; /* a step that is cut has the shapes of its parts */
    if (shape_check(&part, true, e)) return e->code;
    int replicas = option_integer(s->options, OPTION_replicas, 1);
    if (!dry_passes_fit(spec, &shape, replicas, dry, d->shared, e)) return RC_OK;
    return error_prefix(e, "%s cannot train it: ", d->name);
}

Rc scale_launches(Session *s, const Experiment *x, Error *e) {
    Asked a = asked_device(s->options);
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            RunSpec spec = experiment_spec(x, cell, arm, 0);
            if (launches_of(s, &spec, &a.device, e)) return error_prefix(e, "arm %s: ", x->arm[arm].name);
        }
    return RC_OK;
}

Rc scale_print(Session *s, const Experiment *x, Error *e) {
    Asked a = asked_device(s->options);
    Error first = {0};
    double flops = 0;
    print_head(s, x, &a);
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            Scale c;
            char text[256];
            RunSpec spec = experiment_spec(x, cell, arm, 0);
            experiment_cell_text(text, x, cell);
            if (scale_of(&c, s, x, &spec, a.device.memory, e)) return e->code;
            print_arm(&spec, text, x->arm[arm].name, &c, &a);
            flops += c.run_flops * x->seeds;
            if (c.fits < spec.batch && !first.code) refuse(&spec, x->arm[arm].name, &c, &a, &first);
        }
    printf("\nall %d runs: %.4g FLOPs, %.6g GPU hours", experiment_cells(x) * x->arms * x->seeds, flops,
           hours(flops, a.device.flops, a.utilization));
    if (!a.own_flops) printf(" (%.6g)", hours(flops, a.device.tensor, a.utilization));
    printf("; validations are not counted\n");
    if (first.code) *e = first;
    return first.code;
}
