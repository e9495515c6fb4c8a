#include "models/start.h"

#include <math.h>

typedef struct {
    InitKind kind;                         /* what it is: a matrix of a block, a projection into the stream, … */
    double in, out;                        /* columns and rows; of q, k and v, of gate and up: of one of them */
    double layer, depth, sublayers, width; /* sublayers: of the whole stack */
    StackKind stack;
    Makes makes;
    bool block, crossing;
} Place;

static double xavier(const Place *p) {
    return sqrt(2 / (p->in + p->out));
}

/* v, the output and the MLP's matrices times `factor`. */
static void scale(Tensor *t, const Place *p, double factor) {
    if (p->makes == MAKES_qkv)
        t->scale_last = factor;
    else if (p->makes != MAKES_qk)
        t->scale = factor;
}

/* Xavier for the matrices of the blocks, and those times `factor`. */
static void scaled_xavier(Tensor *t, const Place *p, double factor) {
    if (!p->block) return;
    t->std = xavier(p);
    scale(t, p, factor);
}

static void start_recipe(Tensor *t, const Place *p) {
    (void)t, (void)p;
}

static void start_plain(Tensor *t, const Place *p) {
    if (p->kind == INIT_RESIDUAL) t->init = INIT_MATRIX;
}

static void start_zero_out(Tensor *t, const Place *p) {
    if (p->kind == INIT_RESIDUAL) t->scale = 0;
}

static void start_deepnorm(Tensor *t, const Place *p) {
    bool encoder = p->stack == STACK_ENCODER;
    scaled_xavier(t, p, encoder ? 0.87 * pow(p->depth, -5 / 16.0) : 1 / sqrt(sqrt(4 * p->sublayers)));
}

static void start_layerwise(Tensor *t, const Place *p) {
    if (p->block) t->std = xavier(p), t->scale = 1 / (p->depth - p->layer);
}

static void start_magneto(Tensor *t, const Place *p) {
    double factor = sqrt(log(p->sublayers));
    if (p->stack == STACK_ENCODER) factor = sqrt(log(3 * p->depth) * log(2 * p->depth) / 3);
    scaled_xavier(t, p, p->crossing ? 1 : factor);
}

static void start_fixup(Tensor *t, const Place *p) {
    if (!p->block) return;
    scale(t, p, 1 / sqrt(p->sublayers));
    if (p->kind == INIT_RESIDUAL) t->scale = 0;
}

static void start_t_fixup(Tensor *t, const Place *p) {
    double deep = 1 / sqrt(sqrt(9 * p->depth));
    scaled_xavier(t, p, p->stack == STACK_DECODER ? deep : 0.67 / sqrt(sqrt(p->depth)));
    if (p->kind == INIT_TOKEN || p->kind == INIT_POSITION) t->std = 1 / sqrt(p->width), t->scale = deep;
}

static void start_unit(Tensor *t, const Place *p) {
    t->std = 1 / sqrt(p->width);
}

void start_parameter(Tape *t, int tensor, const Variant *v, RulePlace place, Makes makes, bool crossing) {
    /* The choices of the column init; those of other columns have none. */
#define START_init(name) [CHOICE_init_##name] = start_##name,
#define START_qk_over(name)
#define START_streams(name)
#define START_after_step(name)
    static void (*const start[CHOICE_COUNT])(Tensor * t, const Place *p) = {
#define CHOICE(column, name, ...) START_##column(name)
#include "models/choices.def"
#undef CHOICE
    };
    static const int stacked[] = {
        [MAKES_qkv] = 3, [MAKES_gate_up] = 2, [MAKES_qk] = 1, [MAKES_v] = 1, [MAKES_other] = 1};
    Tensor *x = &t->tensor[tensor];
    Place p = {.kind = x->init,
               .in = x->cols,
               .out = x->rows / stacked[makes],
               .layer = place.layer,
               .depth = place.depth,
               .sublayers = stack_sublayers(place.stack) * place.depth,
               .width = place.width,
               .stack = place.stack,
               .makes = makes,
               .block = place.layer >= 0,
               .crossing = crossing};
    start[v->init.kind](x, &p);
}
