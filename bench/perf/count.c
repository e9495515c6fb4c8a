/* Count what a step computes and moves, op by op: the denominators of `normbench perf`. */
#include "bench/perf/perf.h"
#include "models/trainer_count.h"
#include "models/trainer_look.h"

double perf_rate(double amount, double seconds) {
    return amount > 0 && seconds > 0 ? 1e-9 * amount / seconds : 0;
}

double perf_utilization(const Perf *p, double seconds) {
    return perf_rate(p->flops, seconds) / p->fma.best;
}

static void count_op(PerfOp *g, const TrainerOp *x, const Backend *backend) {
    const Call *c = x->call;
    const OpInfo *op = &op_info[c->kind];
    Shape in[OP_MAX_IN];
    for (int j = 0; j < c->in_count; j++) in[j] = (Shape){c->in[j].rows, c->in[j].cols};
    OpCost flops = op->flops(in, (Shape){c->out.rows, c->out.cols}, &c->attr);
    OpCost bytes = op->bytes(c, backend->word[ROLE_ACT]);
    g->flops[PASS_FORWARD] += flops.forward;
    g->flops[PASS_BACKWARD] += flops.backward;
    g->bytes[PASS_FORWARD] += bytes.forward;
    if (x->backward) g->bytes[PASS_BACKWARD] += bytes.backward;
}

/* Return the index of an op's group; make it for the first op of its kind and widths. */
static int group_of(Perf *out, const Call *c) {
    int in_cols = input_is_ids(c->kind, 0) ? c->out.cols : c->in[0].cols, g = 0;
    while (g < out->ops &&
           (out->op[g].kind != c->kind || out->op[g].in_cols != in_cols || out->op[g].out_cols != c->out.cols))
        g++;
    if (g == out->ops) out->op[out->ops++] = (PerfOp){.kind = c->kind, .in_cols = in_cols, .out_cols = c->out.cols};
    return g;
}

void perf_count(Perf *out, int *group, const Trainer *t, OptimizerKind optimizer) {
    const Backend *backend = trainer_backend(t);
    out->flops = trainer_flops(t);
    out->parameters = trainer_weights(t);
    out->op = mem_alloc((size_t)trainer_ops(t), sizeof *out->op);
    for (int i = 0; i < trainer_ops(t); i++) {
        TrainerOp op = trainer_op(t, i);
        group[i] = group_of(out, op.call);
        out->op[group[i]].calls++;
        count_op(&out->op[group[i]], &op, backend);
    }
    double words = (double)out->parameters * (double)backend->word[ROLE_PARAM];
    out->update.bytes = words * 2 * (2 + optimizer_moments(optimizer)); /* p, g and the moments, read and written */
    out->norms.bytes = words * 2;                             /* the gradient once, the update once */
}
