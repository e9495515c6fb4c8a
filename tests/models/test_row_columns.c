/* What the tables of kernels/ and models/ say of their rows is so: every optimizer and norm. */
#include <stddef.h>

#include "kernels/backend.h"
#include "models/norm.h"
#include "models/recipe.h"
#include "tests/test.h"

static const struct {
    const char *name, *keys;
    int moments;
} optimizers[] = {
#define OPTIMIZER(name, moments, keys, formula) [OPTIMIZER_##name] = {#name, keys, moments},
#include "kernels/optimizers.def"
#undef OPTIMIZER
};

/* The keys of a recipe that an update could read. */
static const struct {
    const char *key;
    size_t at;
} keys[] = {{"lr", offsetof(Recipe, lr)},
            {"weight_decay", offsetof(Recipe, weight_decay)},
            {"beta1", offsetof(Recipe, beta1)},
            {"beta2", offsetof(Recipe, beta2)},
            {"eps", offsetof(Recipe, eps)},
            {"momentum", offsetof(Recipe, momentum)}};
enum { KEYS = sizeof keys / sizeof *keys, COUNT = 37, STEPS = 12 };

static bool has_word(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (!at[n] || at[n] == ' ')) return true;
    return false;
}

/* Twelve steps of one tensor by backend b, words of `word` bytes; the parameters as doubles. Moments that the optimizer
 * does not keep are not there. */
static void train(double out[COUNT], const Backend *b, const Recipe *r) {
    bool wide = b->word[ROLE_PARAM] == sizeof(double);
    double wide_at[4][COUNT] = {{0}}, power1 = 1, power2 = 1;
    float narrow_at[4][COUNT] = {{0}};
    void *at[4];
    for (int i = 0; i < 4; i++) at[i] = wide ? (void *)wide_at[i] : (void *)narrow_at[i];
    for (int i = 0; i < COUNT; i++) wide_at[0][i] = narrow_at[0][i] = (float)(i - 18) / 16;
    for (int step = 0; step < STEPS; step++) {
        Scalars s;
        power1 *= r->beta1, power2 *= r->beta2;
        recipe_scalars(r, &s, 1, step, 1, power1, power2);
        s.grad_scale = 0.75;
        for (int i = 0; i < COUNT; i++) wide_at[1][i] = narrow_at[1][i] = (float)((i * 7 + step * 3) % 11 - 5) / 8;
        Update u = {.p = at[0], .g = at[1], .count = COUNT, .decay = true, .scalars = &s};
        if (optimizers[r->optimizer].moments > 0) u.m = at[2];
        if (optimizers[r->optimizer].moments > 1) u.v = at[3];
        b->update[r->optimizer](&u);
    }
    for (int i = 0; i < COUNT; i++) out[i] = wide ? wide_at[0][i] : (double)narrow_at[0][i];
}

static Recipe recipe_of(int optimizer) {
    return (Recipe){.optimizer = (OptimizerKind)optimizer,
                    .schedule = SCHEDULE_constant,
                    .steps = STEPS,
                    .lr = 0.01,
                    .beta1 = 0.9,
                    .beta2 = 0.95,
                    .eps = 1e-3,
                    .momentum = 0.8,
                    .weight_decay = 0.125};
}

/* An optimizer's update changes with exactly those keys that its row names, and with lr. */
Test(row_columns, an_optimizer_reads_the_keys_of_its_row) {
    const Backend *oracle = backend_find("cpu64", &e);
    for (int o = 0; o < OPTIMIZER_COUNT; o++) {
        double plain[COUNT], changed[COUNT];
        Recipe r = recipe_of(o);
        train(plain, oracle, &r);
        for (int i = 0; i < KEYS; i++) {
            r = recipe_of(o);
            *(double *)(void *)((char *)&r + keys[i].at) *= 0.75;
            train(changed, oracle, &r);
            bool reads = memcmp(plain, changed, sizeof plain) != 0;
            cr_expect(reads == (i == 0 || has_word(optimizers[o].keys, keys[i].key)), "%s %s %s", optimizers[o].name,
                      reads ? "reads" : "does not read", keys[i].key);
        }
    }
}

/* Every optimizer has the bits of `readable` on the fast rows, and is near the oracle. */
Test(row_columns, an_optimizer_is_one_on_every_backend) {
    int ran = 0;
    for (int o = 0; o < OPTIMIZER_COUNT; o++) {
        double oracle[COUNT], readable[COUNT], got[COUNT];
        const Recipe r = recipe_of(o);
        train(oracle, backend_find("cpu64", &e), &r);
        train(readable, backend_find("readable", &e), &r);
        for (int i = 0; i < COUNT; i++)
            cr_expect(fabs(oracle[i] - readable[i]) < 1e-5, "%s, number %d: %.9g, oracle %.9g", optimizers[o].name, i,
                      readable[i], oracle[i]);
        for (int b = 0; b < backend_count; b++) {
            if (!backends[b]->supported() || !backends[b]->update || backends[b]->word[ROLE_PARAM] != sizeof(float))
                continue;
            train(got, backends[b], &r);
            cr_expect(!memcmp(got, readable, sizeof got), "%s on %s", optimizers[o].name, backends[b]->name);
            ran++;
        }
    }
    cr_expect_geq(ran, 2 * OPTIMIZER_COUNT);
}

/* A norm becomes the ops of its row with that many parameters, which start as the row says; where the row allows, also
 * on q and k. */
Test(row_columns, a_norm_is_the_ops_of_its_row) {
    for (int n = 0; n < NORM_COUNT; n++) {
        const NormInfo *info = &norm_info[n];
        LOCAL(tape_release) Tape t;
        tape_init(&t);
        int x = tape_param(&t, 4, 24, INIT_MATRIX, 0, -1, "x"), before = t.tensors, parameters = 0;
        int y = norm_build(&t, (Norm)n, x, 1e-5, -1, "here");
        while (parameters < NORM_PARAMETERS_MAX && info->parameter[parameters].leaf) parameters++;
        int steps = 0, taken = 0;
        for (; info->step[steps] != NORM_NOTHING; steps++) {
            cr_assert(steps < t.ops && (int)t.op[steps].kind == info->step[steps], "%s", info->name);
            taken += t.op[steps].in_count - 1;
        }
        cr_expect(t.ops == steps && taken == parameters, "%s", info->name);
        if (steps)
            cr_expect_str_eq(t.tensor[y].name, "here");
        else
            cr_expect(y == x && t.tensors == before, "%s", info->name);
        for (int i = 0; i < parameters; i++) {
            char name[64];
            snprintf(name, sizeof name, "here.%s", info->parameter[i].leaf);
            const Tensor *p = &t.tensor[tape_find(&t, name)];
            bool row = info->parameter[i].shape == NORM_ROW;
            double start = info->parameter[i].value * (info->parameter[i].shape == NORM_NUMBER_ROOT ? sqrt(24) : 1);
            cr_expect(p->rows == 1 && p->cols == (row ? 24 : 1), "%s", name);
            cr_expect(p->init == INIT_VALUE && p->value == start, "%s", name);
        }
        int ops = t.ops;
        if (norm_on_qk((Norm)n)) norm_build_qk(&t, (Norm)n, x, 4, 1e-5, -1, "there.");
        cr_expect_eq(t.ops - ops, info->qk_op >= 0, "%s", info->name);
        if (t.ops > ops)
            cr_expect(tape_find(&t, "there.q_norm.weight") > 0 && tape_find(&t, "there.k_norm.weight") > 0);
    }
}

/* Both names of a norm are read, and attn.qk takes what its row allows. */
Test(row_columns, a_norm_is_found_by_name) {
    for (int n = 0; n < NORM_COUNT; n++) {
        const char *name[] = {norm_info[n].name, norm_info[n].alias};
        for (int i = 0; i < 2; i++) {
            Variant v = variants[0];
            e = (Error){0};
            cr_expect_eq(variant_set(&v, "embed", name[i], &e), RC_OK, "%s", name[i]);
            cr_expect_eq((int)v.embed, n);
            Rc rc = variant_set(&v, "attn.qk", name[i], &e);
            cr_expect_eq(rc, norm_on_qk((Norm)n) ? RC_OK : RC_USAGE, "%s", name[i]);
            if (rc) HOLDS(e.text, "is not possible here; valid: ");
        }
    }
}
