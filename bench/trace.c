#include "bench/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/trainer.h"

static void hash_view(char out[SHA256_HEX], const Program *p, Role role, int tensor) {
    const Tensor *x = &p->tape->tensor[tensor];
    size_t n = (size_t)x->rows * (size_t)x->cols;
    float *values = mem_alloc(n, sizeof *values);
    uint8_t digest[SHA256_BYTES];
    TensorHash h;
    program_read(p, role, tensor, 0, values);
    tensor_hash_init(&h);
    tensor_hash_add(&h, values, n);
    tensor_hash_end(&h, digest);
    sha256_hex(out, digest);
    free(values);
}

typedef struct {
    Text *out;
    const char *run;
    const Program *p;
    int step;
} Tracer;

static void line(const Tracer *t, const char *phase, int op, const char *kind, Role role, int tensor) {
    char hex[SHA256_HEX];
    hash_view(hex, t->p, role, tensor);
    text_format(t->out, "%s  step %d  %-8s %3d %-10s %-28s %.16s\n", t->run, t->step, phase, op, kind,
                t->p->tape->tensor[tensor].name, hex);
}

/* The gradients an op wrote, while they stand: later contributors add to them. */
static void trace_backward(const Tracer *t) {
    const Program *p = t->p;
    const Tape *tape = p->tape;
    for (int i = tape->ops - 1; i >= 0; i--) {
        if (!p->gradients.reached[i]) continue;
        p->backend->kernel[p->call[i].kind]->backward(&p->call[i]);
        for (int j = 0; j < tape->op[i].in_count; j++) {
            int tensor = tape->input[tape->op[i].in_at + j];
            Role role = role_gradient(tape->tensor[tensor].role);
            if (role != ROLE_COUNT) line(t, "backward", i, op_info[tape->op[i].kind].name, role, tensor);
        }
    }
}

static void trace_forward(const Tracer *t) {
    const Program *p = t->p;
    for (int i = 0; i < p->tape->ops; i++) {
        p->backend->kernel[p->call[i].kind]->forward(&p->call[i]);
        line(t, "forward", i, op_info[p->call[i].kind].name, ROLE_ACT, p->tape->op[i].out);
    }
}

/* The passes run once by hand to be hashed; then trainer_step runs them again and updates. */
static Rc trace_run(const RunSpec *s, const Dataset *d, const Backend *backend, int steps, const char *name, Text *out,
                    Error *e) {
    ModelShape shape = spec_shape(s, d->vocab);
    Recipe recipe = spec_recipe(s);
    Trainer t;
    StepReport report = {.finite = true};
    if (trainer_init(&t, &shape, &s->variant, &recipe, &s->seed, 1, backend, e)) return e->code;
    Tracer tracer = {.out = out, .run = name, .p = &t.program};
    for (int i = 0; i < t.tape.tensors; i++)
        if (t.tape.tensor[i].role == ROLE_PARAM) line(&tracer, "start", 0, "parameter", ROLE_PARAM, i);
    for (int step = 0; step < steps && report.finite; step++) {
        tracer.step = step;
        dataset_batch(d, s->seed, (uint64_t)step, shape.batch, shape.context, trainer_inputs(&t, 0),
                      trainer_targets(&t, 0));
        double b1 = t.power[0] * recipe.beta1, b2 = t.power[1] * recipe.beta2;
        recipe_scalars(&recipe, &t.program.scalars[0], s->seed, step, (double)shape.batch * shape.context, b1, b2);
        program_ready(&t.program);
        trace_forward(&tracer);
        program_seed(&t.program);
        trace_backward(&tracer);
        (void)trainer_step(&t, &report);
        if (trainer_failed(&t)) break;
        for (int i = 0; i < t.tape.tensors; i++)
            if (t.tape.tensor[i].role == ROLE_PARAM) line(&tracer, "update", 0, "parameter", ROLE_PARAM, i);
    }
    Rc rc = trainer_failed(&t) ? t.failure.code : RC_OK;
    if (rc) *e = t.failure;
    trainer_release(&t);
    return rc;
}

Rc trace_experiment(Session *s, const Experiment *x, const Backend *backend, int steps, Text *out, Error *e) {
    for (int arm = 0; arm < x->arms; arm++) {
        RunSpec spec = experiment_spec(x, 0, arm, 0);
        char tokenizer[160], name[128];
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

int trace_difference(const char *a, const char *b, char line_a[256], char line_b[256]) {
    for (int i = 0; *a || *b; i++) {
        a += copy_line(line_a, a);
        b += copy_line(line_b, b);
        if (strcmp(line_a, line_b)) return i;
    }
    return -1;
}
