/* One op on the shim, or on another exact row of floats, against the readable backend: what test_simt.c asserts and
 * sanitize_driver.c runs under sanitizers. */
#ifndef TESTS_SIMT_CASE_H
#define TESTS_SIMT_CASE_H

#include "tests/kernels/op_case.h"

typedef struct {
    int rows, cols, replicas;
    bool accumulate, optional;
} SimtCase;

/* The thread orders of kernels/cuda/simt/run.h that kernels are tried in. */
enum { SIMT_ORDERS = 5 };
extern const unsigned simt_orders[SIMT_ORDERS];

/* Whether y, save and every gradient have the same bits on a backend as on readable, gradients also in place where they
 * may stand there, and nothing is written beyond a tensor's end; why says which differs. */
bool case_agrees(char why[160], const char *backend, int kind, const SimtCase *shape);

/* The same of simt in that order of threads. Marks the stages launched in *stages: forward's bits from 0 on, backward's
 * from STAGES_MAX on. */
bool simt_agrees(char why[160], int kind, const SimtCase *shape, unsigned order, unsigned *stages);

/* The cases of a kind of op_case.h, the i-th; false: no more. The costly ones are run in one order. */
bool simt_case(int kind, int i, SimtCase *shape, bool *costly);

/* The stages an op has. */
unsigned simt_all_stages(int kind);

#endif
