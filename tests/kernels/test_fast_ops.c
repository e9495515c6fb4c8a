/* What the fast precisions have of their own beside attention, on the shim: a library's products in words of 16 bits,
 * what is counted of them, and gelu. */
#include "kernels/cuda/launch.h"
#include "tests/kernels/op_case.h"
#include "tests/test.h"

static const Shape shapes[] = {{1, 4}, {3, 7}, {6, 8}, {33, 5}, {9, 36}, {70, 64}, {4, 16}};
enum { SHAPES = sizeof shapes / sizeof *shapes, REPLICAS = 2 };

/* A case on a queue of its backend's device, whose precision decides which kernels there are. */
static void begin(OpCase *c, const char *backend, OpKind op, Shape s) {
    const Backend *b = backend_find(backend, &e);
    cr_assert(b, "%s", e.text);
    case_init(c, (int)op, s.rows, s.cols, b, REPLICAS, 61, true);
    if (b->device) OK(b->device->open((Queue **)&c->call.queue, &e));
}

static void finish(OpCase *c) {
    if (c->backend->device) c->backend->device->close(c->call.queue);
    case_release(c);
}

static void copy_view(const OpCase *to, View a, const OpCase *from, View b) {
    for (int r = 0; r < REPLICAS; r++)
        for (size_t i = 0; a.at && i < view_count(a); i++) view_set(to, a, r, i, view_get(from, b, r, i));
}

/* Every fifth number large or small, so that there is something to count. */
static void spread(const OpCase *c, View v) {
    for (int r = 0; r < REPLICAS; r++)
        for (size_t i = (size_t)r; i < view_count(v); i += 5)
            view_set(c, v, r, i, view_get(c, v, r, i) * (i % 2 ? 3e4 : 1e-30));
}

enum { OF_OUT, OF_DIN, COUNTS = OF_DIN + 2 };
typedef Rounded Counts[REPLICAS][COUNTS]; /* of the output, and of the gradients of two inputs */

static void count_into(OpCase *c, Rounded *out, Rounded *din) {
    c->call.count_out = out, c->call.count_din[0] = din, c->call.count_stride = COUNTS;
}

static void add_number(Rounded *n, Word word, float was, float is) {
    const float least = word == WORD_fp16 ? 0x1p-14f : 0x1p-126f;
    n->infinite += isinf(is) != 0, n->nan += isnan(is) != 0, n->over += fabsf(was) > 65504;
    n->subnormal += is != 0 && fabsf(is) < least, n->flushed += is == 0 && was != 0;
    if (fabsf(was) > 65504) n->first = 4; /* the step of case_init, and one */
}

/* a's words are b's floats, rounded; what becomes of them, where numbers count that stood in floats or those stored. */
static void expect_rounded(const OpCase *narrow, View a, const OpCase *wide, View b, bool stored, int site,
                           Counts all) {
    const Word word = precision_word(narrow->backend->precision);
    for (int r = 0; r < REPLICAS; r++)
        for (size_t i = 0; i < view_count(a); i++) {
            const float was = (float)view_get(wide, b, r, i), got = (float)view_get(narrow, a, r, i);
            const float is = word == WORD_fp16 ? rounding_fp16(was) : rounding_bf16(was);
            cr_assert(got == is || (isnan(got) && isnan(is)), "%s: number %zu of %d x %d is %g, expected %g",
                      narrow->backend->name, i, a.rows, a.cols, (double)got, (double)is);
            add_number(&all[r][site], word, stored ? is : was, is);
        }
}

/* Sums are the same floats whatever words they become; fp16 counts them before, bf16 after. Parameters' gradients are
 * not words. */
Test(fast_ops, products_are_rounded_once_and_counted) {
    static const struct {
        const char *name;
        bool stored;
    } row[] = {{"simt-fp16-scaled-fast", false}, {"simt-bf16-stored-fast", true}};
    uint64_t seen[2] = {0, 0};
    for (int k = 0; k < 2 * SHAPES * 2; k++) {
        const int which = k / (2 * SHAPES);
        const bool adds = k % 2;
        OpCase x, y;
        Counts count = {{{0}}}, expected = {{{0}}};
        begin(&x, row[which].name, OP_linear, shapes[k / 2 % SHAPES]);
        begin(&y, "simt-fp32", OP_linear, shapes[k / 2 % SHAPES]);
        spread(&x, x.call.in[0]), spread(&x, x.call.dout);
        for (int i = 0; i < x.call.in_count; i++) copy_view(&y, y.call.in[i], &x, x.call.in[i]);
        copy_view(&y, y.call.dout, &x, x.call.dout);
        count_into(&x, &count[0][OF_OUT], &count[0][OF_DIN]);
        case_forward(&x), case_forward(&y);
        case_backward(&x, adds, 0.5), case_backward(&y, adds, 0.5);
        expect_rounded(&x, x.call.out, &y, y.call.out, row[which].stored, OF_OUT, expected);
        expect_rounded(&x, x.call.din[0], &y, y.call.din[0], row[which].stored, OF_DIN, expected);
        cr_assert(!memcmp(count, expected, sizeof count), "%s: %d x %d", row[which].name, x.call.in[0].rows,
                  x.call.in[0].cols);
        for (int i = 1; i < x.call.in_count; i++)
            for (size_t j = 0; j < view_count(x.call.din[i]); j++) {
                const double got = view_get(&x, x.call.din[i], 1, j), floats = view_get(&y, y.call.din[i], 1, j);
                cr_assert(got == floats || (isnan(got) && isnan(floats)), "%s: gradient %d is %g, expected %g",
                          row[which].name, i, got, floats);
            }
        for (int r = 0; r < REPLICAS; r++) seen[which] += count[r][OF_OUT].over + count[r][OF_DIN].over;
        finish(&x), finish(&y);
    }
    cr_expect(seen[0] > 100 && seen[1] > 100, "%zu, %zu", (size_t)seen[0], (size_t)seen[1]);
}

/* Nobody counts: nothing is written, which would be at address 0. */
Test(fast_ops, what_nobody_counts_is_not_counted) {
    static const char *const backends[] = {"simt-bf16-stored-fast", "simt-fp16-scaled-fast"};
    for (int i = 0; i < 2; i++) {
        OpCase x;
        begin(&x, backends[i], OP_linear, shapes[2]);
        spread(&x, x.call.in[0]), spread(&x, x.call.dout);
        case_forward(&x), case_backward(&x, false, 0);
        finish(&x);
    }
}

typedef struct {
    OpCase a, b; /* in the order of the pass; b's input is a's result */
    Counts count_a, count_b;
} Pair;

/* A linear and the gelu of its product, or the linear that reads a gelu and then that gelu, backward. */
static void begin_pair(Pair *p, const char *backend, Shape s, bool backward, bool in_place) {
    begin(&p->a, backend, OP_linear, s);
    const Shape between = backward ? p->a.in[0] : p->a.out;
    begin(&p->b, backend, OP_gelu, between);
    memset(p->count_a, 0, sizeof p->count_a), memset(p->count_b, 0, sizeof p->count_b);
    Call *a = &p->a.call, *b = &p->b.call;
    spread(&p->a, a->in[0]), spread(&p->a, a->dout);
    if (!backward) {
        b->in[0] = a->out;
    } else {
        case_forward(&p->a), case_forward(&p->b);
        case_start(&p->a, false, 0), case_start(&p->b, !in_place, 0.5);
        b->dout = a->din[0];
        if (in_place) b->din[0] = a->din[0];
    }
    count_into(&p->a, &p->count_a[0][OF_OUT], &p->count_a[0][OF_DIN]);
    count_into(&p->b, &p->count_b[0][OF_OUT], &p->count_b[0][OF_DIN]);
}

static void finish_pair(Pair *p) {
    finish(&p->a), finish(&p->b);
}

static bool same(View x, View y) {
    bool equal = true;
    for (int r = 0; r < REPLICAS && x.at; r++)
        equal = equal && !memcmp((char *)x.at + (size_t)r * x.stride, (char *)y.at + (size_t)r * y.stride,
                                 view_count(x) * sizeof(uint16_t));
    return equal;
}

/* One launch after the library's product: the words and the counts of two, where all stand in fours. */
Test(fast_ops, a_gelu_counts_the_product_that_it_reads) {
    int fused = 0;
    uint64_t counted = 0;
    for (int k = 0; k < SHAPES * 4; k++) {
        const bool backward = k % 2, in_place = k / 2 % 2;
        const Kernel *kernel[OP_COUNT];
        Pair one, two;
        begin_pair(&one, "simt-bf16-stored-fast", shapes[k / 4], backward, in_place);
        begin_pair(&two, "simt-bf16-stored-fast", shapes[k / 4], backward, in_place);
        memcpy(kernel, one.a.backend->kernel, sizeof kernel);
        if (kernel[OP_linear]->fused(&two.a.call, &two.b.call, backward)) {
            (backward ? kernel[OP_linear]->backward : kernel[OP_linear]->forward)(&one.a.call);
            (backward ? kernel[OP_gelu]->backward : kernel[OP_gelu]->forward)(&one.b.call);
            cr_expect(same(one.a.call.out, two.a.call.out) && same(one.b.call.out, two.b.call.out));
            cr_expect(same(one.a.call.din[0], two.a.call.din[0]) && same(one.b.call.din[0], two.b.call.din[0]));
            cr_expect(!memcmp(one.count_a, two.count_a, sizeof one.count_a), "of the product, case %d", k);
            cr_expect(!memcmp(one.count_b, two.count_b, sizeof one.count_b), "of the gelu, case %d", k);
            counted += one.count_a[1][backward ? OF_DIN : OF_OUT].over, fused++;
        } else {
            cr_expect(view_count(backward ? one.a.call.din[0] : one.a.call.out) % 4, "case %d is not fused", k);
        }
        finish_pair(&one), finish_pair(&two);
    }
    cr_expect_geq(fused, SHAPES * 2);
    cr_expect_gt(counted, 100);
}

/* As where activations are computed again. */
Test(fast_ops, a_gelu_counts_nothing_that_nobody_counts) {
    for (int backward = 0; backward < 2; backward++) {
        Pair p;
        begin_pair(&p, "simt-bf16-stored-fast", shapes[5], backward, false);
        count_into(&p.a, NULL, NULL), count_into(&p.b, NULL, NULL);
        cr_expect(p.a.backend->kernel[OP_linear]->fused(&p.a.call, &p.b.call, backward));
        finish_pair(&p);
    }
}

/* Blocks of the launch wait for no other; and the gelu may read something else. */
Test(fast_ops, no_launch_for_both_where_one_writes_what_the_other_touches) {
    for (int backward = 0; backward < 2; backward++) {
        Pair p;
        begin_pair(&p, "simt-bf16-stored-fast", shapes[5], backward, false);
        const Kernel *linear = p.a.backend->kernel[OP_linear];
        Call *a = &p.a.call, *b = &p.b.call;
        const Call first = *a, second = *b;
        View *result = backward ? &b->din[0] : &b->out;
        result->at = (uint16_t *)a->in[1].at + 4;
        cr_expect(!linear->fused(a, b, backward), "the gelu writes over the weights, pass %d", backward);
        *b = second, *(backward ? &b->dout : &b->in[0]) = second.din[0];
        cr_expect(!linear->fused(a, b, backward), "the gelu reads something else, pass %d", backward);
        *b = second, a->accumulate[0] = true;
        cr_expect(linear->fused(a, b, backward) == !backward, "a gradient is added to, pass %d", backward);
        *a = first;
        finish_pair(&p);
    }
}

/* Elsewhere products have no launch for both. */
Test(fast_ops, no_other_word_counts_so) {
    static const char *const backends[] = {"simt-fp32", "simt-tf32", "simt-fp16-scaled-fast"};
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        Pair p;
        begin_pair(&p, backends[i], shapes[5], false, false);
        cr_expect(!p.a.backend->kernel[OP_linear]->fused(&p.a.call, &p.b.call, false), "%s", backends[i]);
        finish_pair(&p);
    }
}

/* |x - y| / |y| */
static double apart(const OpCase *a, View x, const OpCase *b, View y) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < view_count(x); i++) {
        const double got = view_get(a, x, 1, i), expected = view_get(b, y, 1, i);
        difference += (got - expected) * (got - expected), size += expected * expected;
    }
    return sqrt(difference / size);
}

/* Its own formula in all fast precisions but fp32, which has the exact kernel's bits. */
Test(fast_ops, gelu_is_near_the_oracle) {
    static const struct {
        const char *name;
        double bound;
        bool exact;
    } row[] = {{"simt-fp32", 2e-7, true},
               {"simt-tf32", 5e-7, false},
               {"simt-bf16", 5e-7, false},
               {"simt-bf16-stored-fast", 3e-3, false},
               {"simt-fp16-scaled-fast", 4e-4, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        OpCase x, y, z;
        const Shape s = {64, 65};
        begin(&x, row[i].name, OP_gelu, s), begin(&y, "cpu64", OP_gelu, s), begin(&z, "simt", OP_gelu, s);
        for (int r = 0; r < REPLICAS; r++)
            for (size_t j = 0; j < view_count(x.call.in[0]); j++)
                view_set(&x, x.call.in[0], r, j, 40 * ((double)j / (double)view_count(x.call.in[0]) - 0.5));
        copy_view(&y, y.call.in[0], &x, x.call.in[0]), copy_view(&z, z.call.in[0], &x, x.call.in[0]);
        copy_view(&y, y.call.dout, &x, x.call.dout), copy_view(&z, z.call.dout, &x, x.call.dout);
        case_forward(&x), case_forward(&y), case_forward(&z);
        case_backward(&x, false, 0), case_backward(&y, false, 0), case_backward(&z, false, 0);
        const double value = apart(&x, x.call.out, &y, y.call.out);
        const double slope = apart(&x, x.call.din[0], &y, y.call.din[0]);
        cr_expect(value < row[i].bound && slope < row[i].bound, "%s: %g, %g", row[i].name, value, slope);
        bool equal = true;
        for (size_t j = 0; j < view_count(x.call.out); j++)
            equal = equal && view_get(&x, x.call.out, 1, j) == view_get(&z, z.call.out, 1, j);
        cr_expect_eq(equal, row[i].exact, "%s has%s the bits of the exact kernel", row[i].name, equal ? "" : " not");
        finish(&x), finish(&y), finish(&z);
    }
}
