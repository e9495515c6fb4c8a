/* Kernels without a test framework, for tests/kernels/sanitize.sh, compared with readable: every op and a few trainings
 * on simt in several orders of threads, trainings also stored in 16 bits (compared with portable), or one op; the same
 * on an exact row of the CPU; or one of the kernels of simt_wrong.cc, which a sanitizer must stop.
 *   sanitize_driver | sanitize_driver op NAME | sanitize_driver on BACKEND | sanitize_driver wrong NAME */
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/simt/run.h"
#include "tests/kernels/simt_case.h"
#include "tests/kernels/simt_wrong.h"
#include "tests/models/toy.h"

static int check_op(const char *backend, int kind) {
    const bool simt = !strcmp(backend, "simt");
    SimtCase shape;
    bool costly;
    char why[160];
    unsigned stages = 0;
    int wrong = 0;
    for (int i = 0; simt_case(kind, i, &shape, &costly); i++) {
        if (costly && (shape.replicas > 1 || !shape.accumulate) && shape.rows > 100) continue;
        if (!simt && shape.replicas > 3) shape.replicas = 3; /* their number chooses tiles of a device alone */
        if (simt ? simt_agrees(why, kind, &shape, simt_orders[i % SIMT_ORDERS], &stages)
                 : case_agrees(why, backend, kind, &shape))
            continue;
        fprintf(stderr, "%s\n", why);
        wrong++;
    }
    return wrong;
}

static int check_training(const char *backend, const char *as, int setting, unsigned order) {
    Error e;
    Variant v;
    ModelShape s;
    Recipe r;
    char expected[130], got[130];
    toy_setting(setting, &v, &s, &r);
    toy_hashes(expected, &v, &s, &r, 1, backend_find(as, &e), 2);
    simt_order(order);
    toy_hashes(got, &v, &s, &r, 1, backend_find(backend, &e), 2);
    if (strcmp(got, expected)) fprintf(stderr, "%s, setting %d: %s, not %s\n", backend, setting, got, expected);
    return strcmp(got, expected) != 0;
}

static int run_wrong(const char *name) {
    float out[WRONG_BLOCKS * WRONG_THREADS], scratch[WRONG_SCRATCH] = {0};
    const WrongArgs args = {out, scratch};
    for (int i = 0; i < WRONG_COUNT; i++)
        if (!strcmp(simt_wrong[i].name, name))
            simt_run(name, simt_wrong[i].body, wrong_grid(&simt_wrong[i]), &args, simt_wrong[i].flat);
    return 0;
}

int main(int count, char **argument) {
    const char *what = count == 3 ? argument[1] : "on", *name = count == 3 ? argument[2] : "simt";
    bool all = !strcmp(what, "on");
    const char *backend = all ? name : "simt";
    int wrong = 0, ran = 0;
    Error e;
    if (!strcmp(what, "wrong")) return run_wrong(name);
    if (!backend_find(backend, &e)) return fprintf(stderr, "%s\n", e.text), e.code;
    for (int kind = 0; kind < CASE_COUNT; kind++)
        if (all || !strcmp(case_name(kind), name)) wrong += check_op(backend, kind), ran++;
    for (int i = 0; all && i < 3; i++) {
        const int setting = toy_settings() - 1 - 3 * i;
        wrong += check_training(backend, "readable", setting, 1 + (unsigned)i);
        if (strcmp(backend, "simt")) continue;
        wrong += check_training("simt-fp16", "portable-fp16", setting, 1 + (unsigned)i);
        wrong += check_training("simt-bf16-stored", "portable-bf16-stored", setting, 1 + (unsigned)i);
    }
    return wrong || !ran;
}
