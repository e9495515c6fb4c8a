#include "models/profile.h"

#include <math.h>
#include <stdlib.h>

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

/* The branch of profile k has just been computed in one replica. */
static void take(Program *p, int k, int replica, double *total) {
    const Profile *profile = &p->tape->profile[k];
    if (profile->anew) *total = 1;
    if (profile->parameter >= 0) {
        int cols = p->tape->tensor[profile->parameter].cols;
        float *w = mem_alloc((size_t)cols, sizeof *w);
        for (int i = 0; i < cols; i++) w[i] = (float)sqrt(*total);
        program_write(p, ROLE_PARAM, profile->parameter, replica, w);
        free(w);
    }
    *total += variance(p, profile->branch, replica);
}

void profile_parameters(Program *p) {
    const Tape *t = p->tape;
    if (!t->profiles) return;
    double *total = mem_alloc((size_t)p->replicas, sizeof *total);
    program_ready(p);
    for (int i = 0, k = 0; i < t->ops; i++) {
        program_forward_op(p, i);
        if (k == t->profiles || t->op[i].out != t->profile[k].branch) continue;
        for (int r = 0; r < p->replicas; r++) take(p, k, r, &total[r]);
        k++;
    }
    free(total);
}
