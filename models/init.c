#include "models/init.h"

#include <math.h>
#include <stdlib.h>

#include "base/normals.h"
#include "base/sha256.h"

/* Floats, whatever the backend's words and whether or not it is the host: so all start alike. */
static void unit_lines(const Tensor *t, float *x) {
    Error e;
    if (t->unit != UNIT_none) backend_find("readable", &e)->renorm(x, t->rows, t->cols, t->unit, 0, 1);
}

static void init_tensor(Program *p, int tensor, int replica, uint64_t seed, double recipe_std) {
    const Tensor *t = &p->tape->tensor[tensor];
    size_t n = (size_t)t->rows * (size_t)t->cols, last = n / 3 * 2;
    float *x = mem_alloc(n, sizeof *x);
    uint64_t stream = name_stream(t->name);
    double std = (t->std != 0 ? t->std : recipe_std) * t->scale;
    if (t->scale != 0) normals_draw(x, n, seed, stream, 0);
    for (size_t i = 0; t->scale != 0 && i < n; i++) x[i] *= (float)(i < last ? std : std * t->scale_last);
    unit_lines(t, x);
    program_write(p, ROLE_PARAM, tensor, replica, x);
    free(x);
}

static float given(const Tensor *t, size_t i) {
    if (t->init == INIT_ONE_HOT) return i == (size_t)t->value;
    if (t->init == INIT_VALUE) return (float)t->value;
    if (t->init == INIT_DIAGONAL) {
        size_t n = 1;
        while (n * n < (size_t)t->cols) n++;
        return i / n == i % n ? 0 : (float)t->value;
    }
    size_t n = (size_t)t->value, row = i / (n + 1), column = i % (n + 1);
    return column == n || column == row;
}

static void fill_tensor(Program *p, int tensor, int replica) {
    const Tensor *t = &p->tape->tensor[tensor];
    size_t n = (size_t)t->rows * (size_t)t->cols;
    float *x = mem_alloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = given(t, i);
    unit_lines(t, x);
    program_write(p, ROLE_PARAM, tensor, replica, x);
    free(x);
}

void init_parameters(Program *p, int replica, uint64_t seed, const InitStd *std) {
    for (int i = 0; i < p->tape->tensors; i++) {
        const Tensor *t = &p->tape->tensor[i];
        if (t->role != ROLE_PARAM) continue;
        switch (t->init) {
        case INIT_TOKEN: init_tensor(p, i, replica, seed, std->token); break;
        case INIT_POSITION: init_tensor(p, i, replica, seed, std->position); break;
        case INIT_MATRIX: init_tensor(p, i, replica, seed, std->matrix); break;
        case INIT_RESIDUAL: init_tensor(p, i, replica, seed, std->residual); break;
        case INIT_VALUE:
        case INIT_ONE_HOT:
        case INIT_MIX:
        case INIT_DIAGONAL: fill_tensor(p, i, replica); break;
        }
        program_put(p, ROLE_MOMENT1, i, replica, NULL);
        program_put(p, ROLE_MOMENT2, i, replica, NULL);
    }
}

/* Variance over all numbers of an activation, in double, in their order. */
static double variance(const Program *p, int tensor, int replica) {
    const Tensor *t = &p->tape->tensor[tensor];
    size_t n = (size_t)t->rows * (size_t)t->cols;
    double *x = mem_alloc(n, sizeof *x), sum = 0, squares = 0;
    program_values(p, ROLE_ACT, tensor, replica, x);
    for (size_t i = 0; i < n; i++) sum += x[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    free(x);
    return squares / (double)n;
}

/* Take the variance of a branch that has just been computed in one replica. */
static void take(Program *p, int k, int replica, double *total) {
    const DataInit *of = &p->tape->data_init[k];
    if (of->anew) *total = 1;
    if (of->parameter >= 0) {
        int cols = p->tape->tensor[of->parameter].cols;
        float *w = mem_alloc((size_t)cols, sizeof *w);
        for (int i = 0; i < cols; i++) w[i] = (float)sqrt(*total);
        program_write(p, ROLE_PARAM, of->parameter, replica, w);
        free(w);
    }
    *total += variance(p, of->branch, replica);
}

void init_from_data(Program *p) {
    const Tape *t = p->tape;
    if (!t->data_inits) return;
    double *total = mem_alloc((size_t)p->replicas, sizeof *total);
    program_ready(p);
    for (int i = 0, k = 0; i < t->ops; i++) {
        program_forward_op(p, i);
        if (k == t->data_inits || t->op[i].out != t->data_init[k].branch) continue;
        for (int r = 0; r < p->replicas; r++) take(p, k, r, &total[r]);
        k++;
    }
    free(total);
}
