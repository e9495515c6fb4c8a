#include "bench/perf/tables.h"

#include <math.h>
#include <stdio.h>

#include "bench/formats/latex.h"

double perf_parts(const Perf *p) {
    double total = p->update.seconds + p->norms.seconds;
    for (int g = 0; g < p->ops; g++)
        for (int pass = 0; pass < PASSES; pass++) total += p->op[g].seconds[pass];
    return total;
}

static void percent(Cells *c, double share, int decimals) {
    char shown[SHOWN];
    snprintf(shown, sizeof shown, "%.*f%%", decimals, 100 * share);
    cell_shown(c, share, shown);
}

/* Append three cells: milliseconds, the rate with its unit, and the rate over the best. */
static void pass_cells(const Perf *p, double flops, double bytes, double seconds, Cells *c) {
    double rate = perf_rate(flops > 0 ? flops : bytes, seconds), best = flops > 0 ? p->fma.best : p->copy.best;
    char shown[SHOWN];
    if (seconds <= 0) {
        cell_none(c), cell_none(c), cell_none(c);
        return;
    }
    cell_number(c, 1e3 * seconds, 3);
    snprintf(shown, sizeof shown, "%.1f %s", rate, flops > 0 ? "GFLOP/s" : "GB/s   ");
    cell_shown(c, rate, shown);
    percent(c, rate / best, 0);
}

static void part_row(const Perf *p, const char *name, const PerfPart *part, double total, Cells *c) {
    cells_row(c);
    cell_text(c, name), cell_none(c), cell_none(c);
    percent(c, part->seconds / total, 1);
    pass_cells(p, 0, part->bytes, part->seconds, c);
}

/* Append the shares of kinds of work, over both passes. */
static void shares(const Perf *p, double total, Text *out) {
    double matmul[2] = {0}, attention[2] = {0};
    for (int g = 0; g < p->ops; g++) {
        OpKind kind = p->op[g].kind;
        bool attends = kind == OP_attention || kind == OP_attend;
        double *sum = kind == OP_linear ? matmul : attends ? attention : NULL;
        for (int pass = 0; sum && pass < PASSES; pass++)
            sum[0] += p->op[g].seconds[pass], sum[1] += p->op[g].flops[pass];
    }
    text_format(out, "matmuls %.1f%% of the step at %.0f%% of peak, attention %.1f%% at %.0f%%, everything else %.1f%%",
                100 * matmul[0] / total, 100 * perf_rate(matmul[1], matmul[0]) / p->fma.best,
                100 * attention[0] / total, 100 * perf_rate(attention[1], attention[0]) / p->fma.best,
                100 * (total - matmul[0] - attention[0]) / total);
}

void perf_ops_cells(const Perf *p, Cells *c) {
    static const char *const pass_name[PASSES] = {"forward", "backward"};
    double total = perf_parts(p);
    char key[32];
    cells_init(c, "ops", "");
    cells_columns(c, {"op", "l", "op"}, {"columns", "l", "columns"}, {"calls", "r", "ops"},
                  {"time_share", "r", "time"});
    for (int pass = 0; pass < PASSES; pass++) {
        snprintf(key, sizeof key, "%s_ms", pass_name[pass]), cells_column_over(c, key, 'r', "ms", pass_name[pass]);
        snprintf(key, sizeof key, "%s_rate", pass_name[pass]), cells_column_over(c, key, 'r', "rate", pass_name[pass]);
        snprintf(key, sizeof key, "%s_share", pass_name[pass]);
        cells_column_over(c, key, 'r', "share", pass_name[pass]);
    }
    for (const PerfOp *op = p->op; op < p->op + p->ops; op++) {
        cells_row(c);
        cell_text(c, op_info[op->kind].name);
        if (op->in_cols == op->out_cols)
            cell_format(c, "%d", op->out_cols);
        else
            cell_format(c, "%d -> %d", op->in_cols, op->out_cols);
        cell_integer(c, op->calls);
        percent(c, (op->seconds[PASS_FORWARD] + op->seconds[PASS_BACKWARD]) / total, 1);
        for (int pass = 0; pass < PASSES; pass++) pass_cells(p, op->flops[pass], op->bytes[pass], op->seconds[pass], c);
    }
    part_row(p, "optimizer", &p->update, total, c);
    part_row(p, "gradient and update norms", &p->norms, total, c);
    text_format(&c->notes, "share: of the fma peak where an op has FLOPs, else of the copy speed; ");
    shares(p, total, &c->notes);
}

void perf_core_cells(const Perf *p, Cells *c) {
    static const char *const keys[] = {"best", "median", "least"};
    const PerfRate *rate[] = {&p->fma, &p->copy};
    cells_init(c, "core", "this core, before, between and after the steps");
    cells_column(c, "what", 'l', "");
    for (int k = 0; k < 3; k++) {
        cells_column(c, keys[k], 'r', keys[k]);
        if (!k) cells_column(c, "unit", 'l', "");
    }
    cells_column(c, "samples", 'r', "samples");
    for (int i = 0; i < 2; i++) {
        cells_row(c);
        cell_text(c, i ? "copy" : "fma peak");
        cell_number(c, rate[i]->best, 1), cell_text(c, i ? "GB/s" : "GFLOP/s");
        cell_number(c, rate[i]->median, 1), cell_number(c, rate[i]->least, 1), cell_integer(c, rate[i]->samples);
    }
}

static void kernel_row(const DryKernel *k, Cells *c) {
    cells_row(c);
    cell_text(c, k->name), cell_integer(c, k->launches), cell_number(c, 1e-9 * k->flops, 3);
    cell_number(c, 1e-6 * k->bytes, 2);
    for (int i = 0; i < DRY_DEVICES; i++) cell_number(c, 1e6 * k->floor[i], 1);
}

void dry_cells(const DryStep *d, Cells *c) {
    DryKernel all = {.name = "one step"};
    cells_init(c, "kernels", "");
    cells_columns(c, {"kernel", "l", "kernel"}, {"launches", "r", "launches"}, {"gflop", "r", "GFLOP"},
                  {"mb", "r", "MB"});
    for (int i = 0; i < DRY_DEVICES; i++) {
        char floor[32];
        snprintf(floor, sizeof floor, "floor_us_%s", dry_devices[i].name);
        cells_columns(c, {floor, "r", "floor", dry_devices[i].name});
    }
    for (const DryKernel *k = d->kernel; k < d->kernel + d->kernels; k++) {
        kernel_row(k, c);
        all.launches += k->launches, all.flops += k->flops, all.bytes += k->bytes;
        for (int i = 0; i < DRY_DEVICES; i++) all.floor[i] += k->floor[i];
    }
    kernel_row(&all, c);
    text_format(&c->notes, "us; floor: the larger of FLOPs at the peak and bytes at copy speed.");
}

static void side_row(const char *what, double a, double b, const char *unit, Cells *c) {
    char shown[SHOWN];
    cells_row(c);
    cell_text(c, what);
    snprintf(shown, sizeof shown, "%.4g", a), cell_shown(c, a, shown);
    snprintf(shown, sizeof shown, "%.4g", b), cell_shown(c, b, shown);
    cell_text(c, unit);
}

static void ratio_row(const char *what, double a, double b, const char *unit, Cells *c) {
    side_row(what, a, b, unit, c);
    cell_number(c, b > 0 ? a / b : 0, 4), cell_none(c);
}

void pair_cells(const PerfPair *p, const char *arm, const char *baseline, Cells *c) {
    const PairSide *a = &p->arm, *b = &p->baseline;
    cells_init(c, "pair", "");
    cells_columns(c, {"what", "l", "a training step"}, {"arm", "r", arm}, {"baseline", "r", baseline},
                  {"unit", "l", ""}, {"ratio", "r", "x"}, {"ratio", "i", "95% interval"});
    ratio_row("norm ops, forward", a->norms, b->norms, "", c);
    ratio_row("numbers that norms make, forward", 1e-3 * a->normed, 1e-3 * b->normed, "10^3", c);
    ratio_row("model FLOPs", 1e-9 * a->flops, 1e-9 * b->flops, "10^9", c);
    ratio_row("bytes moved at least", 1e-6 * a->bytes, 1e-6 * b->bytes, "MB", c);
    ratio_row("memory of a run", 1e-6 * a->memory, 1e-6 * b->memory, "MB", c);
    ratio_row("parameters", 1e-3 * (double)a->parameters, 1e-3 * (double)b->parameters, "10^3", c);
    side_row("time on a core", 1e3 * a->seconds, 1e3 * b->seconds, "ms", c);
    cell_number(c, p->ratio, 4), cell_interval(c, p->lo, p->hi, 4, "too few pairs");
    text_format(&c->notes, "Time: median of %d pairs.", p->pairs);
}
