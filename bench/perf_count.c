/* What a step has to compute and to move, op by op: the denominators of `normbench perf`. */
#include <stdlib.h>

#include "bench/perf.h"

double perf_rate(double amount, double seconds) {
    return amount > 0 && seconds > 0 ? 1e-9 * amount / seconds : 0;
}

double perf_utilization(const Perf *p, double seconds) {
    return perf_rate(p->flops, seconds) / p->fma.best;
}

/* Ops whose backward does not look at their inputs' values. */
static bool ignores_inputs(OpKind kind) {
    return kind == OP_embed || kind == OP_residual || kind == OP_scale || kind == OP_center || kind == OP_mean ||
           kind == OP_dropout;
}

static void count_bytes(PerfOp *g, const Program *p, int i) {
    const Tape *t = p->tape;
    const Call *c = &p->call[i];
    double word = (double)p->backend->word[ROLE_ACT], out = word * c->out.rows * c->out.cols,
           save = word * c->save.rows * c->save.cols;
    double forward = out + save, backward = out + save;
    for (int j = 0; j < c->in_count; j++) {
        double in = word * c->in[j].rows * c->in[j].cols, written = c->din[j].at ? c->accumulate[j] ? 2 * in : in : 0;
        if (t->tensor[t->input[t->op[i].in_at + j]].role == ROLE_TOKEN) in *= sizeof(int32_t) / word;
        if (c->kind == OP_embed && in > out) in = out; /* only the rows that are looked up */
        forward += in;
        backward += written + (ignores_inputs(c->kind) ? 0 : in);
    }
    g->bytes[PASS_FORWARD] += forward;
    if (p->gradients.reached[i]) g->bytes[PASS_BACKWARD] += backward;
}

static void count_flops(PerfOp *g, const Call *c) {
    double flops = 0;
    if (c->kind == OP_linear) flops = 2.0 * c->in[0].rows * c->in[0].cols * c->out.cols;
    if (c->kind == OP_attention) flops = 2 * 2.0 * c->out.rows * c->out.cols * (c->attr.seq + 1) / 2;
    g->flops[PASS_FORWARD] += flops;
    g->flops[PASS_BACKWARD] += 2 * flops;
}

/* The group of op i, made when it is the first of its kind and widths. */
static int group_of(Perf *out, const Call *c) {
    int in_cols = c->kind == OP_embed ? c->out.cols : c->in[0].cols, g = 0;
    while (g < out->ops &&
           (out->op[g].kind != c->kind || out->op[g].in_cols != in_cols || out->op[g].out_cols != c->out.cols))
        g++;
    if (g == out->ops) out->op[out->ops++] = (PerfOp){.kind = c->kind, .in_cols = in_cols, .out_cols = c->out.cols};
    return g;
}

void perf_count(Perf *out, int *group, const Program *p, OptimizerKind optimizer) {
    static const int moments[] = {
#define OPTIMIZER(name, moments, formula) [OPTIMIZER_##name] = moments,
#include "kernels/optimizers.def"
#undef OPTIMIZER
    };
    out->flops = tape_flops(p->tape);
    out->parameters = tape_parameters(p->tape);
    out->op = mem_alloc((size_t)p->tape->ops, sizeof *out->op);
    for (int i = 0; i < p->tape->ops; i++) {
        group[i] = group_of(out, &p->call[i]);
        out->op[group[i]].calls++;
        count_flops(&out->op[group[i]], &p->call[i]);
        count_bytes(&out->op[group[i]], p, i);
    }
    double words = (double)out->parameters * (double)p->backend->word[ROLE_PARAM];
    out->update.bytes = words * 2 * (2 + moments[optimizer]); /* p, g and the moments, read and written */
    out->norms.bytes = words * 2;                             /* the gradient once, the update once */
}
