/* Words of 16 bits as a device stores them: every op of the shim's rows of fp16 and bf16 beside its row of floats. */

#include "tests/kernels/op_case.h"
#include "tests/test.h"

/* Rows and columns odd and even, of one line and of whole fours. */
static const Shape shapes[] = {{1, 4}, {3, 7}, {6, 8}, {33, 5}, {9, 36}, {5, 70}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The exact rows of words of 16 bits and floats of the same kernels. */
static const struct {
    const char *narrow, *wide;
} pair[] = {{"simt-fp16", "simt"}, {"simt-bf16-stored", "simt"}};
enum { PAIRS = sizeof pair / sizeof *pair };

static void copy_view(const OpCase *to, View a, const OpCase *from, View b) {
    for (size_t i = 0; a.at && i < view_count(a); i++) view_set(to, a, 0, i, view_get(from, b, 0, i));
}

/* b's numbers, rounded if a is of words of 16 bits, are a's; adds up what became of them. */
static void expect_rounded(const OpCase *narrow, View a, bool stored, const OpCase *wide, View b, Rounded *all) {
    const Word word = precision_word(narrow->backend->precision);
    for (size_t i = 0; a.at && i < view_count(a); i++) {
        const double got = view_get(narrow, a, 0, i);
        const float was = (float)view_get(wide, b, 0, i);
        const float is = !stored ? was : word == WORD_fp16 ? rounding_fp16(was) : rounding_bf16(was);
        const float least = word == WORD_fp16 ? 0x1p-14f : 0x1p-126f;
        cr_assert(got == (double)is || (isnan(got) && isnan(is)), "%s on %s: number %zu of %d x %d is %g, expected %g",
                  op_info[narrow->call.kind].name, narrow->backend->name, i, a.rows, a.cols, got, (double)is);
        if (!stored) continue;
        all->infinite += isinf(is) != 0, all->nan += isnan(is) != 0, all->over += fabsf(was) > 65504;
        all->subnormal += is != 0 && fabsf(is) < least, all->flushed += is == 0 && was != 0;
    }
}

static void expect_counted(const Rounded *got, const Rounded *expected, const OpCase *c) {
    cr_assert(got->infinite == expected->infinite && got->nan == expected->nan && got->over == expected->over &&
                  got->subnormal == expected->subnormal && got->flushed == expected->flushed,
              "%s on %s", op_info[c->call.kind].name, c->backend->name);
    cr_assert_eq(got->first, expected->over ? 4 : 0, "the step of case_init, and one");
}

/* A kernel reads words, computes in float and rounds where it stores: on numbers of those words it writes what the same
 * kernel of floats does, rounded, and counts it. Large and small numbers, so that there is something to count. */
TEST_EACH(stored_words, are_rounded_once, CASE_COUNT * PAIRS) {
    const int kind = *index % CASE_COUNT;
    const OpKind op = case_op(kind);
    const Backend *a = backend_find(pair[*index / CASE_COUNT].narrow, &e);
    const Backend *b = backend_find(pair[*index / CASE_COUNT].wide, &e);
    cr_assert(a && b && case_narrow(a));
    for (int s = 0; s < 2 * SHAPES; s++) {
        LOCAL(case_release) OpCase x, y;
        Rounded count[1 + OP_MAX_IN] = {{0}}, expected[1 + OP_MAX_IN] = {{0}};
        const bool adds = s % 2;
        case_init(&x, kind, shapes[s / 2].rows, shapes[s / 2].cols, a, 1, 61, true);
        case_init(&y, kind, shapes[s / 2].rows, shapes[s / 2].cols, b, 1, 61, true);
        for (int i = 0; i < x.call.in_count; i++) {
            const bool ids = input_is_ids(op, i);
            for (size_t j = 0; !ids && j < view_count(x.call.in[i]); j += 5)
                view_set(&x, x.call.in[i], 0, j, view_get(&x, x.call.in[i], 0, j) * (j % 2 ? 3e4 : 1e-7));
            if (!ids) copy_view(&y, y.call.in[i], &x, x.call.in[i]);
            x.call.count_din[i] = &count[1 + i];
        }
        copy_view(&y, y.call.dout, &x, x.call.dout);
        x.call.count_out = &count[0];
        case_forward(&x), case_forward(&y);
        expect_rounded(&x, x.call.out, op_stored(op, -1), &y, y.call.out, &expected[0]);
        if (!op_is_probe(op)) case_backward(&x, adds, 0.5), case_backward(&y, adds, 0.5);
        for (int i = 0; i < x.call.in_count && !op_is_probe(op); i++) {
            const bool stored = op_info[op].input[i] == INPUT_act && op_stored(op, i);
            expect_rounded(&x, x.call.din[i], stored, &y, y.call.din[i], &expected[1 + i]);
        }
        for (int i = 0; i <= OP_MAX_IN; i++) expect_counted(&count[i], &expected[i], &x);
    }
}
