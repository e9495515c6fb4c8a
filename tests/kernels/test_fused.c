/* Fusions of kernels/cuda/fusions.def on the shim: the bits of their two ops one after the other, and no others. */
#include "kernels/cuda/simt/run.h"
#include "kernels/cuda/step_launch.h"
#include "tests/kernels/simt_case.h"
#include "tests/test.h"

KERNEL_BUILDS(simt);

/* Where the second's result goes in backward. */
typedef enum { in_place, apart, added } Place;

typedef struct {
    OpCase a, b; /* in the order of the pass */
} Pair;

/* Two ops on the same numbers in each Pair of a seed, the second's input being the first's result. */
static void pair_init(Pair *p, const Fusion *f, const SimtCase *s, Place place) {
    const Backend *simt = backend_find("simt", &e);
    case_init(&p->a, (int)f->first, s->rows, s->cols, simt, s->replicas, 7, s->optional);
    const Shape between = f->backward ? p->a.in[0] : p->a.out;
    case_init(&p->b, (int)f->second, between.rows, between.cols, simt, s->replicas, 8, s->optional);
    Call *a = &p->a.call, *b = &p->b.call;
    if (!f->backward) {
        b->in[0] = a->out;
        return;
    }
    case_forward(&p->a), case_forward(&p->b);
    case_start(&p->a, s->accumulate, 0.25), case_start(&p->b, place == added, 0.5);
    a->accumulate[0] = false;
    b->dout = a->din[0];
    if (place == in_place) b->din[0] = a->din[0];
}

static void pair_release(Pair *p) {
    case_release(&p->a), case_release(&p->b);
}

static bool same(View x, View y, int replicas) {
    bool equal = true;
    const size_t bytes = view_count(x) * sizeof(float);
    for (size_t r = 0; x.at && r < (size_t)replicas; r++)
        equal = equal && !memcmp((char *)x.at + r * x.stride, (char *)y.at + r * y.stride, bytes);
    return equal;
}

/* The first view that is not the same in both; NULL: all are. */
static const char *difference(const Call *x, const Call *y) {
    static const char *const name[OP_MAX_IN] = {"the gradient of input 0", "the gradient of input 1",
                                                "the gradient of input 2", "the gradient of input 3"};
    if (!same(x->out, y->out, x->replicas)) return "y";
    if (!same(x->save, y->save, x->replicas)) return "save";
    for (int i = 0; i < OP_MAX_IN; i++)
        if (!same(x->din[i], y->din[i], x->replicas)) return name[i];
    return NULL;
}

static void run_apart(const Pair *p, bool backward) {
    const Kernel *a = p->a.backend->kernel[p->a.call.kind], *b = p->b.backend->kernel[p->b.call.kind];
    (backward ? a->backward : a->forward)(&p->a.call), (backward ? b->backward : b->forward)(&p->b.call);
}

static bool run_fused(const Pair *p, bool backward) {
    return p->a.backend->kernel[p->a.call.kind]->fused(&p->a.call, &p->b.call, backward);
}

/* Marks the stage that was launched. */
static void compare(const Fusion *f, const SimtCase *s, Place place, unsigned *stages) {
    LOCAL(pair_release) Pair one, two;
    pair_init(&one, f, s, place), pair_init(&two, f, s, place);
    run_apart(&one, f->backward);
    cr_assert(run_fused(&two, f->backward), "%s: %d x %d is not fused", f->stage[0].name, s->rows, s->cols);
    const char *first = difference(&one.a.call, &two.a.call), *second = difference(&one.b.call, &two.b.call);
    cr_assert(!first && !second, "%s: %d x %d, %d replicas: %s of the %s", f->stage[0].name, s->rows, s->cols,
              s->replicas, first ? first : second, first ? "first" : "second");
    const Two call = {two.a.call, two.b.call};
    for (int i = 0; f->stage[i].name; i++)
        if (f->stage[i].grid(&call).x) *stages |= 1u << i;
}

/* Every tile of a product: those of 128 with many replicas, whose k is short; edges on and off a border of four. */
static const SimtCase shapes[] = {{1, 1, 1, false, true},     {5, 7, 3, true, false},    {33, 32, 2, false, true},
                                  {70, 65, 30, true, true},   {70, 68, 30, false, true}, {129, 8, 108, false, false},
                                  {129, 9, 108, false, true}, {3, 9, 216, false, true},  {8, 12, 216, true, false}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

Test(fused, bits_of_one_after_the_other) {
    for (int i = 0; i < FUSIONS; i++) {
        const Fusion *f = simt_build.fusions[i];
        unsigned stages = 0, all = 0;
        for (int k = 0; f->stage[k].name; k++) all |= 1u << k;
        for (int k = 0; k < SHAPES; k++)
            for (int order = 0; order < (shapes[k].replicas > 3 ? 1 : SIMT_ORDERS); order++) {
                simt_order(simt_orders[order]);
                for (Place place = in_place; place <= (f->backward ? added : in_place); place++)
                    compare(f, &shapes[k], place, &stages);
            }
        cr_expect_eq(stages, all, "%s: stages %x of %x ran", f->stage[0].name, stages, all);
    }
}

static void assert_refused(const Pair *p, bool backward, const char *why) {
    cr_expect(!run_fused(p, backward), "%s and %s are fused though %s", op_info[p->a.call.kind].name,
              op_info[p->b.call.kind].name, why);
}

/* Blocks of one launch wait for no other: what one op writes, the other may not touch. */
Test(fused, not_where_one_writes_what_the_other_touches) {
    static const SimtCase shape = {5, 8, 2, false, true};
    for (int i = 0; i < FUSIONS; i++) {
        const Fusion *f = simt_build.fusions[i];
        LOCAL(pair_release) Pair p;
        pair_init(&p, f, &shape, apart);
        Call *a = &p.a.call, *b = &p.b.call;
        const Call first = *a, second = *b;
        if (f->backward) {
            a->accumulate[0] = true;
            assert_refused(&p, true, "the first adds to what is there");
            *a = first, b->dout = b->din[0];
            assert_refused(&p, true, "the second reads something else");
            *b = second, b->din[0].at = (float *)a->dout.at + 2;
            assert_refused(&p, true, "the second writes over what the first reads");
            *b = second, b->in[0] = a->din[0];
            assert_refused(&p, true, "the second's input is where the first writes");
            *b = second, a->continues = true;
            assert_refused(&p, true, "chains go on");
        } else {
            b->in[0] = a->in[0];
            assert_refused(&p, false, "the second reads something else");
            *b = second, b->out.at = (float *)a->in[1].at + 3;
            assert_refused(&p, false, "the second writes over what the first reads");
            *b = second, b->out = a->out;
            assert_refused(&p, false, "the second writes over what it reads");
            *b = second, b->in[1] = a->out;
            assert_refused(&p, false, "another input of the second is the first's result");
        }
        *a = first, *b = second;
        cr_expect(run_fused(&p, f->backward), "and else they are");
        b->kind = OP_relu;
        assert_refused(&p, f->backward, "there is no such row");
        b->kind = second.kind;
    }
}

/* A library makes the products of the fast precisions, and none of theirs is fused. */
Test(fused, no_product_of_a_library) {
    static const SimtCase shape = {5, 8, 2, false, true};
    for (int i = 0; i < FUSIONS; i++) {
        const Fusion *f = simt_build.fusions[i];
        LOCAL(pair_release) Pair p;
        pair_init(&p, f, &shape, apart);
        p.a.backend = backend_find("simt-fp32", &e);
        cr_expect_eq(run_fused(&p, f->backward), f->first != OP_linear);
    }
}
