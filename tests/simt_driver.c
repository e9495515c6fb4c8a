/* The shim without a test framework, for tests/sanitize.sh: every op and a few trainings on simt in two orders of threads,
 * compared with readable; or one op; or one of the kernels of simt_wrong.cc, which a sanitizer must stop.
 *   simt_driver | simt_driver op NAME | simt_driver wrong NAME */
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/simt/run.h"
#include "tests/simt_case.h"
#include "tests/simt_wrong.h"
#include "tests/toy.h"

static int check_op(OpKind op) {
    SimtCase shape;
    bool costly;
    char why[160];
    unsigned stages = 0;
    int wrong = 0;
    for (int i = 0; simt_case(op, i, &shape, &costly); i++) {
        if (costly && (shape.replicas > 1 || !shape.accumulate) && shape.rows > 100) continue;
        if (simt_agrees(why, op, &shape, simt_orders[i % SIMT_ORDERS], &stages)) continue;
        fprintf(stderr, "%s\n", why);
        wrong++;
    }
    return wrong;
}

static int check_training(int setting, unsigned order) {
    Error e;
    Variant v;
    ModelShape s;
    Recipe r;
    char expected[130], got[130];
    toy_setting(setting, &v, &s, &r);
    toy_hashes(expected, &v, &s, &r, 1, backend_find("readable", &e), 2);
    simt_order(order);
    toy_hashes(got, &v, &s, &r, 1, backend_find("simt", &e), 2);
    if (strcmp(got, expected)) fprintf(stderr, "setting %d: %s, not %s\n", setting, got, expected);
    return strcmp(got, expected) != 0;
}

static int run_wrong(const char *name) {
    float memory[WRONG_THREADS], *out = memory;
    const Grid grid = {1, 1, 1, WRONG_THREADS, WRONG_THREADS * sizeof(float)};
    for (int i = 0; i < WRONG_COUNT; i++)
        if (!strcmp(simt_wrong[i].name, name)) simt_run(name, simt_wrong[i].body, grid, &out, simt_wrong[i].flat);
    return 0;
}

int main(int count, char **argument) {
    const char *what = count == 3 ? argument[1] : "", *name = count == 3 ? argument[2] : "";
    int wrong = 0, ran = 0;
    if (!strcmp(what, "wrong")) return run_wrong(name);
    for (int op = 0; op < OP_COUNT; op++)
        if (count == 1 || !strcmp(op_info[op].name, name)) wrong += check_op((OpKind)op), ran++;
    for (int i = 0; count == 1 && i < 3; i++) wrong += check_training(toy_settings() - 1 - 3 * i, 1 + (unsigned)i);
    return wrong || !ran;
}
