#include "bench/run/hash_log.h"

#include "bench/store/feeding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/trainer.h"
#include "models/trainer_look.h"

typedef struct {
    Text *out;
    const char *run;
    int step;
} Tracer;

static void add_line(void *context, const char *phase, int op, const char *kind, const char *tensor,
                     const uint8_t hash[32]) {
    const Tracer *t = context;
    char hex[SHA256_HEX];
    text_format(t->out, "%s  step %d  %-8s %3d %-10s %-28s %.16s\n", t->run, t->step, phase, op, kind, tensor,
                sha256_hex(hex, hash));
}

static Rc trace_run(const RunSpec *s, const Dataset *d, const Backend *backend, int steps, const char *name, Text *out,
                    Error *e) {
    ModelShape shape = spec_shape(s, d->vocab);
    Recipe recipe = spec_recipe(s);
    Trainer *t;
    StepReport report = {.finite = true};
    if (trainer_for_gpt(&t, &shape, &s->variant, NULL, &recipe, &s->seed, 1, backend, e)) return e->code;
    Tracer tracer = {.out = out, .run = name};
    trainer_trace_parameters(t, "start", add_line, &tracer);
    for (bool traced = true; tracer.step < steps && report.finite && traced; tracer.step++) {
        feed_step(t, 0, d, s, spec_order_seed(s), (uint64_t)tracer.step);
        traced = trainer_trace(t, add_line, &tracer, &report);
    }
    Rc rc = trainer_failed(t, e) || dataset_failed(d, e) ? e->code : RC_OK;
    trainer_free(t);
    return rc;
}

Rc hash_log_experiment(Session *s, const Experiment *x, const Backend *backend, int steps, Text *out, Error *e) {
    for (int arm = 0; arm < x->arms; arm++) {
        RunSpec spec = experiment_spec(x, 0, arm, 0);
        char tokenizer[SPEC_TEXT_SIZE], name[128];
        const Dataset *d;
        snprintf(name, sizeof name, "%s seed %llu", x->arm[arm].name, (unsigned long long)spec.seed);
        if (session_dataset(s, spec.dataset.text, spec_get(tokenizer, &spec, "tokenizer"), &d, e)) return e->code;
        int most = steps < (int)spec.steps ? steps : (int)spec.steps;
        if (trace_run(&spec, d, backend, most, name, out, e)) return e->code;
    }
    return RC_OK;
}

static size_t copy_line(char out[256], const char *from) {
    size_t n = strcspn(from, "\n");
    snprintf(out, 256, "%.*s", (int)(n < 255 ? n : 255), from);
    return from[n] ? n + 1 : n;
}

int hash_log_difference(const char *a, const char *b, char line_a[256], char line_b[256]) {
    for (int i = 0; *a || *b; i++) {
        a += copy_line(line_a, a);
        b += copy_line(line_b, b);
        if (strcmp(line_a, line_b)) return i;
    }
    return -1;
}
