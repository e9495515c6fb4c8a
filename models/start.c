#include "models/start.h"

#include <math.h>

typedef struct {
    InitKind kind;  /* what it is: a matrix of a block, a projection into the stream, … */
    double in, out; /* columns and rows; of q, k and v: of one of them */
    double layer, depth, width;
    bool block, attention;
} Place;

static double xavier(const Place *p) {
    return sqrt(2 / (p->in + p->out));
}

/* Xavier for the matrices of the blocks; v, the output and the MLP's matrices times `factor`. */
static void scaled_xavier(Tensor *t, const Place *p, double factor) {
    if (!p->block) return;
    t->std = xavier(p);
    if (p->attention)
        t->scale_last = factor;
    else
        t->scale = factor;
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
    scaled_xavier(t, p, 1 / sqrt(sqrt(8 * p->depth)));
}

static void start_layerwise(Tensor *t, const Place *p) {
    if (p->block) t->std = xavier(p), t->scale = 1 / (p->depth - p->layer);
}

static void start_magneto(Tensor *t, const Place *p) {
    scaled_xavier(t, p, sqrt(log(2 * p->depth)));
}

static void start_fixup(Tensor *t, const Place *p) {
    double factor = 1 / sqrt(2 * p->depth);
    if (!p->block) return;
    if (p->kind == INIT_RESIDUAL)
        t->scale = 0;
    else if (p->attention)
        t->scale_last = factor;
    else
        t->scale = factor;
}

static void start_t_fixup(Tensor *t, const Place *p) {
    scaled_xavier(t, p, 0.67 / sqrt(sqrt(p->depth)));
    if (p->kind == INIT_TOKEN || p->kind == INIT_POSITION)
        t->std = 1 / sqrt(p->width), t->scale = 1 / sqrt(sqrt(9 * p->depth));
}

static void start_unit(Tensor *t, const Place *p) {
    t->std = 1 / sqrt(p->width);
}

void start_parameter(Tape *t, int tensor, const Variant *v, int layer, int depth, int width, bool attention) {
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
    Tensor *x = &t->tensor[tensor];
    Place p = {.kind = x->init,
               .in = x->cols,
               .out = attention ? x->rows / 3 : x->rows,
               .layer = layer,
               .depth = depth,
               .width = width,
               .block = layer >= 0,
               .attention = attention};
    start[v->init.kind](x, &p);
}
