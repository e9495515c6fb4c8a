/* Parameters whose rows or columns have length 1 (Tensor.unit, the rule of nGPT), on the toy shape: from the start and
 * after every step, with the same bits by threads, in other replicas, on the shim and on every row of a class. */
#include "base/sha256.h"
#include "models/trainer_look.h"
#include "tests/models/toy.h"
#include "tests/test.h"

/* Matrices by rows, those that write into the stream by columns, the token table as said; positions are not touched. */
static Trainer *trainer(const Backend *b, UnitKind table, int vocab, const Recipe *recipe, const uint64_t *seed,
                        int replicas) {
    Tape tape;
    Trainer *t;
    ModelShape shape = toy_shape();
    shape.vocab = vocab;
    transformer_build(&tape, &shape, variant_find("pre", &e), NULL);
    for (int i = 0; i < tape.tensors; i++) {
        Tensor *x = &tape.tensor[i];
        if (x->role != ROLE_PARAM || x->rows == 1) continue;
        x->unit = strstr(x->name, "c_proj") ? UNIT_columns : UNIT_rows;
        if (!strcmp(x->name, "wte.weight")) x->unit = table;
        if (!strcmp(x->name, "wpe.weight")) x->unit = UNIT_none;
    }
    cr_assert(!trainer_from_tape(&t, &tape, 1, recipe, seed, replicas, b, &e));
    return t;
}

/* The largest |norm - 1| of the lines of all parameters that have such; *lines: how many. */
static double off(const Trainer *t, int replica, int *lines) {
    double worst = 0;
    *lines = 0;
    for (int p = 0; p < t->parameters; p++) {
        const Tensor *x = &t->tape.tensor[t->parameter[p]];
        if (x->unit == UNIT_none) continue;
        int count = x->unit == UNIT_rows ? x->rows : x->cols, length = x->unit == UNIT_rows ? x->cols : x->rows;
        OWNED double *value = calloc((size_t)count * (size_t)length, sizeof *value);
        program_values(&t->program, ROLE_PARAM, t->parameter[p], replica, value);
        for (int i = 0; i < count; i++, ++*lines) {
            double sum = 0;
            for (int j = 0; j < length; j++) {
                double one = value[x->unit == UNIT_rows ? i * length + j : j * count + i];
                sum += one * one;
            }
            worst = fmax(worst, fabs(sqrt(sum) - 1));
        }
    }
    return worst;
}

/* 4,099 rows: columns' sums join two canonical blocks, chains of 4,096 floats each, and round more often. */
typedef struct {
    UnitKind table;
    int vocab, steps;
    double rounding;
} Case;
static const Case cases[] = {{UNIT_rows, 65, 4, 3e-7}, {UNIT_columns, 65, 4, 3e-7}, {UNIT_columns, 4099, 1, 4e-6}};
enum { CASES = sizeof cases / sizeof *cases };

/* A run of a case; off by at most `allowed` after its steps. */
static void hash_after(char out[SHA256_HEX], const Backend *b, const Case *c, int threads, double allowed) {
    Recipe recipe = toy_recipe();
    recipe.lr = 0.1; /* far from length 1 between two steps */
    uint64_t seed = 3;
    uint8_t chain[32] = {0}, hash[32];
    int lines;
    LOCAL(trainer_release) Trainer *t = trainer(b, c->table, c->vocab, &recipe, &seed, 1);
    cr_assert(!trainer_share(t, threads, &e));
    double start = off(t, 0, &lines);
    cr_assert(lines > 2 * (3 * 32 + 4 * 32 + 2 * 32) && start < c->rounding, "%s: %d lines, off by %g at the start",
              b->name, lines, start);
    toy_train(t, c->steps, chain);
    double end = off(t, 0, &lines);
    cr_assert(end < allowed, "%s: off by %g after %d steps", b->name, end, c->steps);
    trainer_hash(t, 0, hash);
    sha256_hex(out, hash);
}

Test(renorm, lines_have_length_one_and_the_same_bits) {
    for (int i = 0; i < CASES; i++) {
        const Case *c = &cases[i];
        char readable[SHA256_HEX], got[SHA256_HEX];
        int paths = 0;
        hash_after(readable, backend_find("readable", &e), c, 1, c->rounding);
        for (int j = 0; j < backend_count; j++) {
            if (!backends[j]->supported() || strcmp(backend_class(backends[j]), "canon")) continue;
            hash_after(got, backends[j], c, 1, c->rounding);
            cr_assert_str_eq(got, readable, "case %d on %s", i, backends[j]->name);
            paths++;
        }
        cr_assert_geq(paths, 2);
        for (int threads = 2; threads < 6; threads += 3) {
            hash_after(got, backend_find("cpu", &e), c, threads, c->rounding);
            cr_assert_str_eq(got, readable, "case %d by %d threads", i, threads);
        }
        hash_after(got, backend_find("cpu64", &e), c, 1, 1e-14);
        cr_assert_str_neq(got, readable);
    }
}

/* The update that a step reports is the optimizer's: with lr = 0 it is 0 although lines are brought to length 1. */
static void probe_of_update(const char *backend) {
    Recipe recipe = toy_recipe();
    uint64_t seed = 3;
    recipe.lr = 0;
    LOCAL(trainer_release) Trainer *t = trainer(backend_find(backend, &e), UNIT_rows, 65, &recipe, &seed, 1);
    OWNED StepReport *report = trainer_reports(t, 1);
    int lines, table = 0, found = 0, layer;
    while (strcmp(trainer_parameter(t, table).name, "wte.weight")) table++;
    OWNED float *value = calloc(65 * 32, sizeof *value);
    trainer_read(t, table, 0, value);
    for (int i = 0; i < 65 * 32; i++) value[i] *= i < 32 ? 0 : 3;
    trainer_write(t, table, 0, value);
    toy_batch(t, 0, seed, 0);
    cr_assert(trainer_step(t, report) && report->finite);
    for (int i = 0; i < trainer_probes(t); i++) {
        if (trainer_probe(t, i, &layer) != PROBE_update_norm) continue;
        cr_assert(report->probe[i] == 0, "%s: %g", backend, report->probe[i]);
        found++;
    }
    cr_assert(found == 1);
    /* Row 0, of zeros, stays; the others have length 1 again. */
    trainer_read(t, table, 0, value);
    for (int i = 0; i < 32; i++)
        cr_assert(value[i] == 0, "%s: element %d of a row of zeros is %g", backend, i, value[i]);
    for (int row = 1; row < 65; row++) {
        double sum = 0;
        for (int i = 0; i < 32; i++) sum += (double)value[32 * row + i] * value[32 * row + i];
        cr_assert(fabs(sqrt(sum) - 1) < 3e-7, "%s: row %d", backend, row);
    }
    cr_assert(off(t, 0, &lines) == 1, "the row of zeros alone is off");
}

Test(renorm, zeros_stay_and_probes_see_the_update) {
    probe_of_update("cpu");
    probe_of_update("cpu64");
    probe_of_update("simt");
}

/* Columns of zeros stay too, and nothing becomes NaN. */
static void zero_columns(const char *backend) {
    Recipe recipe = toy_recipe();
    uint64_t seed = 3;
    recipe.lr = 0;
    LOCAL(trainer_release) Trainer *t = trainer(backend_find(backend, &e), UNIT_columns, 65, &recipe, &seed, 1);
    OWNED StepReport *report = trainer_reports(t, 1);
    int table = 0;
    while (strcmp(trainer_parameter(t, table).name, "wte.weight")) table++;
    OWNED float *value = calloc(65 * 32, sizeof *value);
    trainer_read(t, table, 0, value);
    for (int row = 0; row < 65; row++) value[32 * row + 7] = 0, value[32 * row + 8] *= 5;
    trainer_write(t, table, 0, value);
    toy_batch(t, 0, seed, 0);
    cr_assert(trainer_step(t, report) && report->finite);
    trainer_read(t, table, 0, value);
    double sum = 0;
    for (int row = 0; row < 65; row++) {
        cr_assert(value[32 * row + 7] == 0, "%s: row %d of a column of zeros", backend, row);
        sum += (double)value[32 * row + 8] * value[32 * row + 8];
    }
    cr_assert(fabs(sqrt(sum) - 1) < 3e-7, "%s: a column of length 5 is now %g", backend, sqrt(sum));
}

Test(renorm, columns_of_zeros_stay) {
    zero_columns("cpu");
    zero_columns("cpu64");
    zero_columns("simt");
}

/* Replicas keep to themselves, restarting one leaves the others alone, and one that has stopped is not touched. */
static void replicas(const char *backend) {
    Recipe recipe[2] = {toy_recipe(), toy_recipe()};
    const uint64_t seed[2] = {3, 4};
    uint8_t chain[32] = {0}, alone[32], among[32], begun[32];
    const Backend *b = backend_find(backend, &e);
    recipe[0].lr = recipe[1].lr = 0.1;
    LOCAL(trainer_release)
    Trainer *one = trainer(b, UNIT_rows, 65, recipe, seed + 1, 1), *two = trainer(b, UNIT_rows, 65, recipe, seed, 2);
    trainer_hash(one, 0, begun);
    toy_train(one, 3, chain), toy_train(two, 3, chain);
    trainer_hash(one, 0, alone), trainer_hash(two, 1, among);
    cr_assert(!memcmp(alone, among, 32) && memcmp(alone, begun, 32), "%s: replica 1 of two", backend);
    trainer_hash(two, 0, alone);
    trainer_restart(two, 1);
    trainer_hash(two, 1, among);
    cr_assert(!memcmp(begun, among, 32), "%s: restarted", backend);
    trainer_hash(two, 0, among);
    cr_assert(!memcmp(alone, among, 32), "%s: beside a restart", backend);
}

Test(renorm, replicas_keep_to_themselves) {
    replicas("cpu");
    replicas("simt");
}
