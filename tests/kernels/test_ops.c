/* Every op x shape x backend, by enumeration: a new line of ops.def is tested without a line here. Each test loops over
 * its cases and asserts that it ran as many as it enumerated. */

#include "tests/kernels/op_case.h"
#include "tests/test.h"

/* Rows of 1, odd and a multiple of 3 (whole sequences of `seq`), columns odd, even, and across the 32 lanes. */
static const Shape shapes[] = {{1, 4}, {3, 7}, {6, 8}, {33, 5}, {9, 36}, {5, 70}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void on_every_backend(int kind, void (*check)(int kind, const Backend *b)) {
    for (int i = 0; i < backend_count; i++) check(kind, backends[i]);
}
#define ON_EVERY_BACKEND(name) \
    TEST_EACH(ops, name, CASE_COUNT) { \
        on_every_backend(*index, name); \
    }

static double difference(const OpCase *c, View a, View b) {
    double most = 0;
    for (size_t i = 0; i < view_count(a); i++) {
        double apart = fabs(view_get(c, a, 0, i) - view_get(c, b, 0, i));
        most = isnan(apart) ? (double)INFINITY : fmax(most, apart);
    }
    return most;
}

/* Largest difference between the analytic gradient and central differences, relative to the largest entry of either.
 * Behind a stop-gradient the output's gradient is what must come out. */
static double gradient_error(OpCase *c) {
    const double h = 1e-5;
    double worst = 0;
    case_forward(c);
    case_backward(c, false, 0);
    for (int i = 0; i < c->call.in_count; i++) {
        View x = c->call.in[i], dx = c->call.din[i];
        double most = 1e-3, error = 0;
        if (i == 0 && op_stops(c->call.kind)) {
            worst = fmax(worst, difference(c, dx, c->call.dout));
            continue;
        }
        for (size_t j = 0; dx.at && j < view_count(x); j++) {
            double old = view_get(c, x, 0, j), analytic = view_get(c, dx, 0, j);
            view_set(c, x, 0, j, old + h);
            case_forward(c);
            double up = case_objective(c, 0);
            view_set(c, x, 0, j, old - h);
            case_forward(c);
            double numeric = (up - case_objective(c, 0)) / (2 * h);
            view_set(c, x, 0, j, old);
            error = fmax(error, fabs(analytic - numeric));
            if (isnan(analytic)) error = (double)INFINITY;
            most = fmax(most, fmax(fabs(analytic), fabs(numeric)));
        }
        worst = fmax(worst, error / most);
    }
    case_forward(c);
    return worst;
}

/* cpu64 against central differences, sign included. */
TEST_EACH(ops, gradient, CASE_COUNT) {
    const Backend *oracle = backend_find("cpu64", &e);
    int kind = *index;
    OpKind op = case_op(kind);
    cr_assert(op_is_probe(op) == (oracle->kernel[op]->backward == NULL), "%s: no backward", case_name(kind));
    int ran = 0;
    for (int s = 0; s < SHAPES && !op_is_probe(op); s++)
        for (int optional = 0; optional < 2; optional++, ran++) {
            LOCAL(case_release) OpCase c;
            case_init(&c, kind, shapes[s].rows, shapes[s].cols, oracle, 1, 11, optional);
            double error = gradient_error(&c);
            cr_assert(error < 1e-6, "%s %dx%d seed 11: gradient error %.3g", case_name(kind), shapes[s].rows,
                      shapes[s].cols, error);
        }
    cr_assert(op_is_probe(op) || ran == 2 * SHAPES);
}

/* Shapes and constants that an op cannot take are named, not computed. */
Test(ops, refuse_what_they_cannot_take) {
    const struct {
        OpKind op;
        Shape in[OP_MAX_IN];
        Attr attr;
        const char *says;
    } wrong[] = {{OP_gate, {{2, 8}, {1, 3}}, {0}, "gate is not one number"},
                 {OP_gate, {{2, 8}, {2, 4}}, {0}, "gate is not one number"},
                 {OP_shift, {{2, 8}, {1, 4}}, {0}, "shift is not one number or one row"},
                 {OP_damp, {{2, 8}, {1, 8}}, {0}, "not one number"},
                 {OP_fade, {{2, 8}}, {.group = 3}, "group does not divide"},
                 {OP_blend, {{2, 8}, {2, 4}}, {0}, "inputs differ in shape"},
                 {OP_softcap, {{2, 8}}, {.alpha = 0}, "cap is not above 0"},
                 {OP_softcap, {{2, 8}}, {.alpha = (double)NAN}, "cap is not above 0"},
                 {OP_attend, {{2, 8}, {3, 4}, {3, 8}, {4, 1}}, {.heads = 2, .seq = 3}, "differ in width"},
                 {OP_attend, {{2, 8}, {3, 8}, {2, 8}, {4, 1}}, {.heads = 2, .seq = 2}, "differ in rows"},
                 {OP_attend, {{2, 8}, {3, 8}, {3, 8}, {4, 1}}, {.heads = 3, .seq = 3}, "heads do not divide"},
                 {OP_attend, {{2, 8}, {3, 8}, {3, 8}, {2, 1}}, {.heads = 2, .seq = 3}, "two ids per row"},
                 {OP_attend, {{2, 8}, {3, 8}, {3, 8}, {4, 1}}, {.heads = 2, .seq = 4}, "cannot see so many keys"},
                 {OP_vrms, {{2, 8}, {1, 2}}, {0}, "x is not [q | k | v]"},
                 {OP_vrms, {{2, 12}, {1, 3}}, {.group = 3}, "group does not divide"},
                 {OP_vrms, {{2, 12}, {1, 4}}, {.group = 2}, "gains are one row of the group's width"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Shape out, save;
        const OpInfo *info = &op_info[wrong[i].op];
        const char *why = info->shape(wrong[i].in, op_most_inputs(wrong[i].op), &wrong[i].attr, &out, &save);
        cr_expect(why && strstr(why, wrong[i].says), "%s: '%s', expected '%s'", info->name, why ? why : "",
                  wrong[i].says);
    }
}

/* The checker is checked: a backward with the opposite sign must fail it. */
static const Kernel *honest;

static void backward_flipped(const Call *c) {
    honest->backward(c);
    double *dx = c->din[0].at;
    for (int i = 0; i < c->din[0].rows * c->din[0].cols; i++) dx[i] = -dx[i];
}

Test(ops, checker_sees_a_wrong_sign) {
    Backend wrong = *backend_find("cpu64", &e);
    const Kernel *table[OP_COUNT];
    memcpy(table, wrong.kernel, sizeof table);
    honest = table[OP_layernorm];
    Kernel flipped = *honest;
    flipped.backward = backward_flipped;
    table[OP_layernorm] = &flipped;
    wrong.kernel = table;
    LOCAL(case_release) OpCase c;
    case_init(&c, OP_layernorm, 6, 8, &wrong, 1, 11, true);
    cr_assert(gradient_error(&c) > 0.5);
}

/* ||a - b|| / ||b|| over one view, NaN where only one side has one. */
static double distance(const OpCase *a, View va, int ra, const OpCase *b, View vb, int rb) {
    double up = 0, down = 1e-30;
    for (size_t i = 0; i < view_count(va); i++) {
        double x = view_get(a, va, ra, i), y = view_get(b, vb, rb, i);
        if (isfinite(x) != isfinite(y)) return (double)NAN;
        if (!isfinite(y)) continue;
        up += (x - y) * (x - y);
        down += y * y;
    }
    return sqrt(up / down);
}

static double worst_distance(const OpCase *a, int ra, const OpCase *b, int rb) {
    double worst = distance(a, a->call.out, ra, b, b->call.out, rb);
    for (int i = 0; i < a->call.in_count && !op_is_probe(a->call.kind); i++)
        if (a->call.din[i].at) {
            double d = distance(a, a->call.din[i], ra, b, b->call.din[i], rb);
            if (isnan(d) || d > worst) worst = d; /* a NaN stays */
        }
    return worst;
}

/* How far from double: bf16 keeps 8 digits of what linear multiplies, and sums may cancel more. */
static double allowed(double plain, double in_bf16, const Backend *b, OpKind op) {
    return op == OP_linear && b->precision == PRECISION_bf16 ? in_bf16 : plain;
}

/* Words of 16 bits are compared with floats instead (test_stored_words.c). */
static bool in_floats(const Backend *b) {
    return case_can_run(b) && !case_narrow(b);
}

static void run_both_ways(OpCase *c) {
    case_forward(c);
    if (!op_is_probe(c->call.kind)) case_backward(c, false, 0);
}

static void agrees_with_double(int kind, const Backend *b) {
    const Backend *oracle = backend_find("cpu64", &e);
    OpKind op = case_op(kind);
    int ran = 0;
    for (int s = 0; s < SHAPES && in_floats(b); s++, ran++) {
        LOCAL(case_release) OpCase x, y;
        case_init(&x, kind, shapes[s].rows, shapes[s].cols, b, 1, 5, true);
        case_init(&y, kind, shapes[s].rows, shapes[s].cols, oracle, 1, 5, true);
        run_both_ways(&x);
        run_both_ways(&y);
        double d = worst_distance(&x, 0, &y, 0);
        cr_assert(d < allowed(5e-6, 0x1p-7, b, op), "%s on %s %dx%d: relative L2 %.3g", case_name(kind), b->name,
                  shapes[s].rows, shapes[s].cols, d);
    }
    cr_assert(!in_floats(b) || ran == SHAPES);
}

ON_EVERY_BACKEND(agrees_with_double)

/* R = 3 equals three runs, bit for bit; and the same input twice gives the same bits. */
static void replicas_are_runs(int kind, const Backend *b) {
    int ran = 0;
    for (int s = 0; s < SHAPES && case_can_run(b); s++) {
        OpCase three, one;
        case_init(&three, kind, shapes[s].rows, shapes[s].cols, b, 3, 21, true);
        run_both_ways(&three);
        for (uint64_t r = 0; r < 3; r++, ran++) {
            case_init(&one, kind, shapes[s].rows, shapes[s].cols, b, 1, 21 + r, true);
            run_both_ways(&one);
            run_both_ways(&one);
            cr_assert(worst_distance(&one, 0, &three, (int)r) == 0, "%s on %s: replica %d", case_name(kind), b->name,
                      (int)r);
            case_release(&one);
        }
        case_release(&three);
    }
    cr_assert(!case_can_run(b) || ran == 3 * SHAPES);
}

ON_EVERY_BACKEND(replicas_are_runs)

/* A library sums a bias's gradient along with a product where it is written, our kernel where it is added to: in
 * another order. */
static double apart_by_order(const Backend *b, OpKind op, int input, double w) {
    return backend_has_library(b) && op == OP_linear && input == 2 ? 1e-5 * (1 + fabs(w)) : 0;
}

/* Adding into a gradient that holds 0.5 gives exactly the written gradient + 0.5, in the backend's word. */
static void backward_accumulates(int kind, const Backend *b) {
    OpKind op = case_op(kind);
    for (int s = 0; s < SHAPES && in_floats(b) && !op_is_probe(op); s++) {
        LOCAL(case_release) OpCase written, added;
        case_init(&written, kind, shapes[s].rows, shapes[s].cols, b, 1, 31, true);
        case_init(&added, kind, shapes[s].rows, shapes[s].cols, b, 1, 31, true);
        run_both_ways(&written);
        case_forward(&added);
        case_backward(&added, true, 0.5);
        for (int i = 0; i < written.call.in_count; i++)
            for (size_t j = 0; written.call.din[i].at && j < view_count(written.call.din[i]); j++) {
                double w = view_get(&written, written.call.din[i], 0, j), a = view_get(&added, added.call.din[i], 0, j);
                double expected = b->word[ROLE_ACT] == 8 ? w + 0.5 : (double)((float)w + 0.5f);
                cr_assert(fabs(a - expected) <= apart_by_order(b, op, i, w),
                          "%s on %s: input %d element %zu: %.9g, expected %.9g", case_name(kind), b->name, i, j, a,
                          expected);
            }
    }
}

ON_EVERY_BACKEND(backward_accumulates)

/* Ops that say they may write the gradient of input 0 over the output's do so without changing a bit. */
static void backward_in_place(int kind, const Backend *b) {
    OpKind op = case_op(kind);
    for (int s = 0; s < SHAPES && case_can_run(b) && op_in_place(op); s++) {
        LOCAL(case_release) OpCase apart, over;
        case_init(&apart, kind, shapes[s].rows, shapes[s].cols, b, 2, 31, true);
        case_init(&over, kind, shapes[s].rows, shapes[s].cols, b, 2, 31, true);
        run_both_ways(&apart);
        case_forward(&over);
        over.call.din[0] = over.call.dout;
        b->kernel[op]->backward(&over.call);
        for (int r = 0; r < 2; r++)
            for (int i = 0; i < over.call.in_count; i++)
                for (size_t j = 0; j < view_count(over.call.din[i]); j++)
                    cr_assert(view_get(&over, over.call.din[i], r, j) == view_get(&apart, apart.call.din[i], r, j),
                              "%s on %s: input %d element %zu", case_name(kind), b->name, i, j);
    }
}

ON_EVERY_BACKEND(backward_in_place)

/* Ops that say they may write the gradient of input 0 over that input do so without changing a bit, also in parts. */
static void backward_over_its_input(int kind, const Backend *b) {
    OpKind op = case_op(kind);
    for (int s = 0; s < 2 * SHAPES && case_can_run(b) && !b->device && op_over_self(op); s++) {
        LOCAL(case_release) OpCase apart, over;
        case_init(&apart, kind, shapes[s / 2].rows, shapes[s / 2].cols, b, 2, 31, true);
        case_init(&over, kind, shapes[s / 2].rows, shapes[s / 2].cols, b, 2, 31, true);
        run_both_ways(&apart);
        case_forward(&over);
        over.call.din[0] = over.call.in[0];
        over.call.parts = s % 2 ? 3 : 1;
        for (int part = over.call.parts - 1; part >= 0; part--)
            over.call.part = part, b->kernel[op]->backward(&over.call);
        for (int r = 0; r < 2; r++)
            for (size_t j = 0; j < view_count(over.call.din[0]); j++)
                cr_assert(view_get(&over, over.call.din[0], r, j) == view_get(&apart, apart.call.din[0], r, j),
                          "%s on %s, %d parts: element %zu", case_name(kind), b->name, over.call.parts, j);
    }
}

ON_EVERY_BACKEND(backward_over_its_input)

/* Ops that say they may write y over an input do so without changing a bit of y or of the gradients. */
static void forward_over_an_input(int kind, const Backend *b) {
    OpKind op = case_op(kind);
    int under = op_over(op);
    for (int s = 0; s < SHAPES && case_can_run(b) && !b->device && under >= 0; s++) {
        LOCAL(case_release) OpCase apart, over;
        case_init(&apart, kind, shapes[s].rows, shapes[s].cols, b, 2, 31, true);
        case_init(&over, kind, shapes[s].rows, shapes[s].cols, b, 2, 31, true);
        over.call.out = over.call.in[under];
        run_both_ways(&apart);
        run_both_ways(&over);
        for (int r = 0; r < 2; r++)
            cr_assert(worst_distance(&apart, r, &over, r) == 0, "%s on %s", case_name(kind), b->name);
    }
}

ON_EVERY_BACKEND(forward_over_an_input)

/* A call shared by 2, 3 or 50 parts, in descending order, gives the bits of one part; each output is added to once. */
static void shared_by_parts(int kind, const Backend *b) {
    OpKind op = case_op(kind);
    const int counts[] = {2, 3, 50};
    for (int s = 0; s < SHAPES && case_can_run(b) && !b->device; s++) { /* a device takes no threads of the host */
        OpCase whole;
        case_init(&whole, kind, shapes[s].rows, shapes[s].cols, b, 2, 31, true);
        case_forward(&whole);
        if (!op_is_probe(op)) case_backward(&whole, true, 0.25);
        for (int i = 0; i < 3; i++) {
            LOCAL(case_release) OpCase shared;
            case_init(&shared, kind, shapes[s].rows, shapes[s].cols, b, 2, 31, true);
            shared.call.parts = counts[i];
            for (int part = counts[i] - 1; part >= 0; part--) shared.call.part = part, case_forward(&shared);
            case_start(&shared, true, 0.25);
            for (int part = counts[i] - 1; part >= 0 && !op_is_probe(op); part--)
                shared.call.part = part, b->kernel[op]->backward(&shared.call);
            for (int r = 0; r < 2; r++)
                cr_assert(worst_distance(&whole, r, &shared, r) == 0, "%s on %s: %d parts", case_name(kind), b->name,
                          counts[i]);
        }
        case_release(&whole);
    }
}

ON_EVERY_BACKEND(shared_by_parts)

/* A constant row, +-1e4, one huge outlier: finite wherever the oracle is, and near it. */
static void hard_rows(int kind, const Backend *b) {
    const Backend *oracle = backend_find("cpu64", &e);
    OpKind op = case_op(kind);
    for (int row = 0; row < 3 && in_floats(b); row++) {
        OpCase c[2];
        for (int k = 0; k < 2; k++) {
            case_init(&c[k], kind, 6, 40, k ? oracle : b, 1, 41, true);
            View x = c[k].call.in[input_is_ids(op, 0) ? 1 : 0];
            for (int j = 0; j < x.cols; j++)
                view_set(&c[k], x, 0, (size_t)j,
                         row == 0   ? 3.0
                         : row == 1 ? (j % 2 ? 1e4 : -1e4)
                         : j == 2   ? 1e6
                                    : 1e-3);
            run_both_ways(&c[k]);
        }
        View y = c[0].call.out;
        for (size_t j = 0; j < view_count(y); j++) {
            double got = view_get(&c[0], y, 0, j), want = view_get(&c[1], c[1].call.out, 0, j);
            cr_assert(isfinite(got) == isfinite(want), "%s on %s, hard row %d: %g, oracle %g", case_name(kind),
                      b->name, row, got, want);
            double share = allowed(1e-4, 0x1p-4, b, op);
            cr_assert(!isfinite(want) || fabs(got - want) <= share * fmax(1, fabs(want)) + (row ? 2e-5 * 1e6 : 0),
                      "%s on %s, hard row %d: %g, oracle %g", case_name(kind), b->name, row, got, want);
        }
        case_release(&c[0]);
        case_release(&c[1]);
    }
}

ON_EVERY_BACKEND(hard_rows)

/* More token rows than one canonical block: partials join as a tree, the same on every backend. */
Test(ops, blocks_of_rows_join_as_a_tree) {
    enum { ROWS = 3 * 4096 + 5 };
    const Backend *readable = backend_find("readable", &e);
    const OpKind kinds[] = {OP_layernorm, OP_linear, OP_mean, OP_gate};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        OpCase x;
        case_init(&x, kinds[k], ROWS, 3, readable, 1, 51, true);
        run_both_ways(&x);
        for (int i = 0; i < backend_count; i++) {
            if (!case_can_run(backends[i]) || strcmp(backend_class(backends[i]), backend_class(readable))) continue;
            LOCAL(case_release) OpCase y;
            case_init(&y, kinds[k], ROWS, 3, backends[i], 1, 51, true);
            run_both_ways(&y);
            cr_assert(worst_distance(&y, 0, &x, 0) == 0, "%s on %s", op_info[kinds[k]].name, backends[i]->name);
        }
        if (kinds[k] == OP_mean) {
            float block[4] = {0};
            for (int i = 0; i < ROWS; i++) block[i / 4096] += (float)view_get(&x, x.call.in[0], 0, (size_t)i);
            float sum = (block[0] + block[1]) + (block[2] + block[3]);
            cr_assert((float)view_get(&x, x.call.out, 0, 0) == sum / (float)ROWS, "the tree is ((0+1)+(2+3))");
        }
        case_release(&x);
    }
}
