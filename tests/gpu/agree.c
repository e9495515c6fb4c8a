/* Products of a library against double: logits, loss and every parameter's gradient of one forward and backward pass
 * from the same parameters and batch, as relative L2 per tensor. A tensor may be off by SLACK times what our own float
 * kernels are off there, or that many units in the last place, times what a factor of products is coarser than a float:
 * a badly conditioned tensor is inexact in every arithmetic. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/loss_scale.h"
#include "tests/gpu/check.h"
#include "tests/gpu/table.h"
#include "tests/models/toy.h"

enum { SLACK = 8, SEEDED = 1 };
static const double LAST_PLACE = 1.0 / (1 << 23);

typedef struct {
    Trainer *trainer;
    Recipe recipe;
    uint64_t seed;
    double scale; /* of the loss */
} Once;

static Rc run_forward(Once *o, const ModelShape *shape, int arm, const Backend *backend, Error *e) {
    Variant v = table_arm(arm);
    o->recipe = table_recipe(true), o->seed = SEEDED;
    if (trainer_for_gpt(&o->trainer, shape, &v, NULL, &o->recipe, &o->seed, 1, backend, e)) return e->code;
    Program *p = &o->trainer->program;
    toy_batch(o->trainer, 0, SEEDED, 0);
    o->scale = precision_scaled(backend->precision) ? LOSS_SCALE_FIRST : 1;
    p->scalars[0] = (Scalars){.seed = SEEDED,
                              .count = shape->batch * shape->context,
                              .drop_scale = 1,
                              .grad_scale = 1,
                              .loss_scale = o->scale};
    program_forward(p);
    return RC_OK;
}

/* |x - y| / |y|; of a gradient that is zero, |x|. */
static double apart(const Once *x, const Once *y, Role role, int tensor) {
    const Tensor *of = &x->trainer->tape.tensor[tensor];
    size_t n = (size_t)of->rows * (size_t)of->cols;
    double *a = mem_alloc(n, sizeof *a), *b = mem_alloc(n, sizeof *b), difference = 0, size = 0;
    const double by = role == ROLE_GRAD ? 1 / x->scale : 1;
    program_values(&x->trainer->program, role, tensor, 0, a);
    program_values(&y->trainer->program, role, tensor, 0, b);
    for (size_t i = 0; i < n; i++) difference += (by * a[i] - b[i]) * (by * a[i] - b[i]), size += b[i] * b[i];
    free(a);
    free(b);
    return sqrt(size > 0 ? difference / size : difference);
}

typedef struct {
    const char *name;
    double error, ours, bound; /* of the tensor that comes nearest its bound */
    int tensors, over;
} Worst;

/* How much coarser the factors of products are than floats. */
static double coarser(PrecisionKind p) {
    static const int digits[PRECISION_COUNT] = {
#define FAST(name, build, compute, factor, digits, ...) [PRECISION_##name] = digits,
#include "kernels/cuda/fast.def"
#undef FAST
    };
    return 1 << (24 - digits[p]);
}

static void judge(Worst *w, const Once *fast, const Once *ours, const Once *oracle, Role role, int tensor) {
    double own = apart(ours, oracle, role, tensor), error = apart(fast, oracle, role, tensor);
    double bound = SLACK * coarser(fast->trainer->program.backend->precision) * (own > LAST_PLACE ? own : LAST_PLACE);
    w->tensors++;
    w->over += !(error <= bound);
    if (w->name && error / bound <= w->error / w->bound) return;
    w->name = oracle->trainer->tape.tensor[tensor].name;
    w->error = error, w->ours = own, w->bound = bound;
}

static void write_worst(Json *j, const char *key, const Worst *w) {
    json_object(j, key);
    json_text(j, "worst", w->name);
    json_number(j, "relative_l2", w->error);
    json_number(j, "readable_relative_l2", w->ours);
    json_number(j, "bound", w->bound);
    json_number(j, "tensors", w->tensors);
    json_number(j, "over", w->over);
    json_end(j);
}

/* Compares forward, then runs backward and compares that: on the host the logits' gradient overwrites the logits. */
static void compare(Check *c, const char *size, int arm, Once *fast, Once *ours, Once *oracle) {
    const Tape *t = &oracle->trainer->tape;
    const char *precision = precision_name(fast->trainer->program.backend->precision);
    Worst forward = {.name = NULL}, gradient = {.name = NULL};
    judge(&forward, fast, ours, oracle, ROLE_ACT, t->logits);
    judge(&forward, fast, ours, oracle, ROLE_ACT, t->loss);
    program_backward(&fast->trainer->program);
    program_backward(&ours->trainer->program);
    program_backward(&oracle->trainer->program);
    for (int i = 0; i < t->tensors; i++)
        if (t->tensor[i].role == ROLE_PARAM) judge(&gradient, fast, ours, oracle, ROLE_GRAD, i);
    json_object(&c->json, NULL);
    json_text(&c->json, "precision", precision);
    json_text(&c->json, "arm", table_arm_name(arm));
    json_text(&c->json, "size", size);
    write_worst(&c->json, "forward", &forward);
    write_worst(&c->json, "gradients", &gradient);
    json_end(&c->json);
    c->misses += forward.over + gradient.over;
    printf("%s beside cpu64, %s %s: %s %.1e (bound %.1e), gradient of %s %.1e (bound %.1e)%s\n", precision,
           table_arm_name(arm), size, forward.name, forward.error, forward.bound, gradient.name, gradient.error,
           gradient.bound, forward.over + gradient.over ? ": OVER" : "");
}

static Rc agree(Check *c, const Backend *fast, bool small, int arm, Error *e) {
    const Backend *backend[3] = {fast, backend_find("readable", e), backend_find("cpu64", e)};
    Once *once = mem_alloc(3, sizeof *once);
    ModelShape shape = table_shape(small);
    int made = 0;
    if (!small) shape.batch = 1; /* the readable kernels take their time */
    while (made < 3 && !run_forward(&once[made], &shape, arm, backend[made], e)) made++;
    if (made == 3) compare(c, small ? "toy" : "8 x 128", arm, &once[0], &once[1], &once[2]);
    for (int i = 0; i < made; i++) trainer_free(once[i].trainer);
    free(once);
    return made == 3 ? RC_OK : e->code;
}

void part_agreement(Check *c) {
    Error e = c->without;
    Rc rc = RC_OK;
    int before = c->misses;
    json_object(&c->json, "agreement");
    json_text(&c->json, "with", "cpu64");
    json_list(&c->json, "rows");
    for (int p = CHECK_exact + 1; p < CHECK_PRECISIONS && !rc; p++) {
        if (!c->in[p]) rc = RC_UNMEASURED;
        for (int arm = 0; arm < TABLE_ARMS && !rc; arm++) rc = agree(c, c->in[p], true, arm, &e);
        for (int arm = 0; arm < TABLE_ARMS && !rc && !c->quick; arm++) rc = agree(c, c->in[p], false, arm, &e);
    }
    json_end(&c->json);
    if (rc) check_unmeasured(c, "agreement", &e);
    json_bool(&c->json, "pass", !rc && c->misses == before);
    json_end(&c->json);
}
