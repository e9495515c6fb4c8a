/* Bits: the device's against the CPU's, and a run's alone against the same run among others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "models/trainer_look.h"
#include "tests/gpu/check.h"
#include "tests/gpu/table.h"
#include "tests/models/toy.h"

enum { MOST = 15 };

/* What a run is known by: the chain of its losses and the hash of its parameters, as one hex text. */
typedef struct {
    char text[2 * SHA256_HEX];
} Known;

typedef struct {
    const char *name;
    Variant variant;
    ModelShape shape;
    Recipe recipe;
} Setting;

static void know(Known *k, const Trainer *t, int replica, const uint8_t chain[32]) {
    uint8_t parameters[32];
    char a[SHA256_HEX], b[SHA256_HEX];
    trainer_hash(t, replica, parameters);
    snprintf(k->text, sizeof k->text, "%s:%s", sha256_hex(a, chain), sha256_hex(b, parameters));
}

/* Trains replicas with seeds first, first + 1, … together. */
static Rc train(Known *known, const Setting *s, const Backend *backend, uint64_t first, int replicas, int steps,
                Error *e) {
    Trainer *t;
    Recipe recipe[MOST];
    uint64_t seed[MOST];
    uint8_t chain[MOST][32] = {{0}};
    bool alive[MOST];
    StepReport *report = mem_alloc(MOST, sizeof *report);
    for (int r = 0; r < replicas; r++) recipe[r] = s->recipe, seed[r] = first + (uint64_t)r, alive[r] = true;
    Rc rc = trainer_for_gpt(&t, &s->shape, &s->variant, NULL, recipe, seed, replicas, backend, e);
    bool made = !rc;
    for (int i = 0; i < steps && !rc; i++) {
        for (int r = 0; r < replicas; r++) toy_batch(t, r, seed[r], (uint64_t)i);
        if (!trainer_step(t, report)) *e = t->failure, rc = RC_UNMEASURED;
        for (int r = 0; r < replicas && !rc; r++) {
            if (alive[r]) chain_add(chain[r], report[r].loss);
            alive[r] = alive[r] && report[r].finite;
        }
    }
    for (int r = 0; r < replicas && !rc; r++) know(&known[r], t, r, chain[r]);
    free(report);
    if (made) trainer_free(t);
    return rc;
}

static Setting toy(int i, char name[32]) {
    Setting s = {.name = name};
    toy_setting(i, &s.variant, &s.shape, &s.recipe);
    snprintf(name, 32, "toy %d", i);
    return s;
}

/* More token rows than a block of rule 2 has: sums over rows are trees. */
static Setting long_one(void) {
    char name[32];
    Setting s = toy(1, name);
    s.name = "4,224 rows";
    s.shape.layers = 1, s.shape.context = 128, s.shape.batch = 33;
    return s;
}

static Setting table_one(void) {
    Setting s = {"8 x 128", table_arm(0), table_shape(false), table_recipe(false)};
    return s;
}

static void mismatch(Check *c, const char *part, const char *name, const char *a, const char *b) {
    c->mismatches++;
    printf("%s: %s: MISMATCH\n  %s\n  %s\n", part, name, a, b);
}

/* A row of the JSON: the same setting on the CPU and on the device. */
static Rc compare(Check *c, const Setting *s, const Backend *cpu, int steps, int *equal, Error *e) {
    Known here, there;
    Rc rc = train(&here, s, cpu, 1, 1, steps, e);
    if (!rc) rc = train(&there, s, c->exact, 1, 1, steps, e);
    if (rc) return rc;
    bool same = !strcmp(here.text, there.text);
    json_object(&c->json, NULL);
    json_text(&c->json, "setting", s->name);
    json_text(&c->json, "against", cpu->name);
    json_number(&c->json, "steps", steps);
    json_text(&c->json, "hash", there.text);
    json_bool(&c->json, "equal", same);
    json_end(&c->json);
    *equal += same;
    if (!same) mismatch(c, "hashes", s->name, here.text, there.text);
    return RC_OK;
}

void part_hashes(Check *c) {
    Error e;
    char name[32];
    int equal = 0, all = 0, steps = c->quick ? 1 : 20;
    const Backend *readable = backend_find("readable", &e), *cpu = backend_find("cpu", &e);
    Rc rc = RC_OK;
    json_object(&c->json, "hashes");
    json_list(&c->json, "rows");
    for (int i = 0; i < toy_settings() && !rc; i++, all++) {
        Setting s = toy(i, name);
        rc = compare(c, &s, readable, steps, &equal, &e);
    }
    Setting large[] = {long_one(), table_one()};
    for (int i = 0; i < 2 && !rc && !c->quick; i++, all++) rc = compare(c, &large[i], cpu, 3, &equal, &e);
    json_end(&c->json);
    if (rc) check_unmeasured(c, "hashes", &e);
    json_bool(&c->json, "pass", !rc && equal == all);
    json_end(&c->json);
    printf("hashes: %d of %d settings have the CPU's loss chain and parameters\n", equal, all);
}

/* Seeds 1..replicas together, then each of `alone` of them by itself. */
static Rc among(Check *c, const Setting *s, const Backend *backend, int replicas, int alone, int steps, int *equal,
                int *all, Error *e) {
    Known together[MOST], one;
    Rc rc = train(together, s, backend, 1, replicas, steps, e);
    for (int i = 0; i < alone && !rc; i++, ++*all) {
        int r = alone > 1 ? i * (replicas - 1) / (alone - 1) : 0;
        rc = train(&one, s, backend, 1 + (uint64_t)r, 1, steps, e);
        if (rc) break;
        bool same = !strcmp(one.text, together[r].text);
        json_object(&c->json, NULL);
        json_text(&c->json, "setting", s->name);
        json_text(&c->json, "precision", precision_name(backend->precision));
        json_number(&c->json, "replica", r);
        json_number(&c->json, "among", replicas);
        json_number(&c->json, "steps", steps);
        json_bool(&c->json, "equal", same);
        json_end(&c->json);
        *equal += same;
        if (!same) mismatch(c, "replicas", s->name, one.text, together[r].text);
    }
    return rc;
}

void part_replicas(Check *c) {
    Error e;
    char name[32];
    int equal = 0, all = 0;
    Setting small = toy(1, name), large = table_one();
    json_object(&c->json, "replicas");
    json_list(&c->json, "rows");
    Rc rc = among(c, &small, c->exact, 5, c->quick ? 2 : 5, c->quick ? 1 : 20, &equal, &all, &e);
    /* other tiles than alone */
    if (!rc && !c->quick) rc = among(c, &large, c->exact, 15, 3, 3, &equal, &all, &e);
    for (int p = CHECK_exact + 1; p < check_precisions(c) && !rc; p++) {
        if (!c->in[p]) e = c->without, rc = e.code;
        if (!rc) rc = among(c, &small, c->in[p], 5, 2, c->quick ? 1 : 20, &equal, &all, &e);
        if (!rc && !c->quick) rc = among(c, &large, c->in[p], 15, 3, 3, &equal, &all, &e);
    }
    json_end(&c->json);
    if (rc) check_unmeasured(c, "replicas", &e);
    json_bool(&c->json, "pass", !rc && equal == all);
    json_end(&c->json);
    printf("replicas: %d of %d runs have among others the bits they have alone\n", equal, all);
}

void part_toy(Check *c) {
    Error e;
    Known known[2];
    char name[32];
    for (int i = 0; i < toy_settings(); i++) {
        Setting s = toy(i, name);
        if (!train(known, &s, c->exact, 1, 2, 2, &e)) continue;
        c->unmeasured++;
        fprintf(stderr, "%s\n", e.text);
        return;
    }
    Setting pre = toy(1, name), rows = long_one();
    if (c->device && c->in[CHECK_fp32] && train(known, &rows, c->exact, 1, 1, 1, &e))
        c->unmeasured++, fprintf(stderr, "%s\n", e.text);
    for (int p = CHECK_exact + 1; p < CHECK_PRECISIONS; p++) {
        e = c->without;
        if (!c->in[p] || train(known, &pre, c->in[p], 1, 2, 2, &e))
            fprintf(stderr, "%s was left out: %s\n", check_precision(p), e.text);
    }
    printf("toy: %d settings ran\n", toy_settings());
}
