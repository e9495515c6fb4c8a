/* One op on one backend with memory of its own, filled from Philox: what the op tests are made of. No op is named here:
 * shapes come from op_info[].example. Hosts read and write numbers as double whatever the backend's word. */
#ifndef TESTS_OP_CASE_H
#define TESTS_OP_CASE_H

#include "kernels/backend.h"

typedef struct {
    const Backend *backend;
    Call call;
    Shape in[OP_MAX_IN], out, save;
    void *memory[2 * OP_MAX_IN + 5]; /* in, din; out, dout, save, scalars, scratch */
    size_t word[2 * OP_MAX_IN + 5];  /* bytes of a word of each */
    int blocks;
} OpCase;

/* What tests enumerate: every op, then some once more with an attribute that its example leaves alone. */
enum { CASE_COUNT = OP_COUNT + 1 };
OpKind case_op(int kind);
const char *case_name(int kind);

/* Of kind 0..CASE_COUNT - 1, rows x cols as op_info[].example understands them. Replica r is filled from seed + r, so a
 * case of one replica with seed s + r holds what replica r of a case with seed s holds. optional: give optional inputs
 * too. */
void case_init(OpCase *c, int kind, int rows, int cols, const Backend *backend, int replicas, uint64_t seed,
               bool optional);
void case_release(OpCase *c);

void case_forward(OpCase *c);
/* accumulate = false poisons the gradients (a kernel that adds shows up); true starts them at `start`. */
void case_start(OpCase *c, bool accumulate, double start);
/* case_start, then the op. */
void case_backward(OpCase *c, bool accumulate, double start);

double view_get(const OpCase *c, View v, int replica, size_t i);
void view_set(const OpCase *c, View v, int replica, size_t i, double x);
static inline size_t view_count(View v) {
    return (size_t)v.rows * (size_t)v.cols;
}

/* Whether cases can run on it here: an op alone is given the host's memory. */
bool case_can_run(const Backend *b);
/* Whether it stores words of 16 bits as such: numbers that are set are rounded, as are results. */
bool case_narrow(const Backend *b);

/* sum of dout * out: the scalar whose gradient backward computes. */
double case_objective(const OpCase *c, int replica);

#endif
