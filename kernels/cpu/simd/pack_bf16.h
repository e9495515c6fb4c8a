/* Round lines of a matrix to bf16 and pack them in panels of squares of 16 lines by 16 pairs of k: A's by lines
 * [line][pair], B's by pairs [pair][line], as the instructions read them. Numbers that are contiguous along k arrive by
 * lines, others by pairs; if the other order is needed, the square is transposed. */
#ifndef KERNELS_CPU_SIMD_PACK_BF16_H
#define KERNELS_CPU_SIMD_PACK_BF16_H

#include "kernels/cpu/matmul.h"
#include "kernels/cpu/simd/vec_bf16.h"

enum { SQUARE = PAIRS * PAIRS };

V_FN int tiles(int lines, int width) {
    return (lines + width - 1) / width;
}

/* Pack a square of `lines` lines with k numbers each, contiguous along k; pad with +0. Prefetch the square `next`
 * numbers further, which is packed later. */
V_FN void square_of_lines(uint32_t *to, const float *from, size_t line, size_t next, int lines, int k) {
    const pairs none = p_set(0);
    if (lines >= PAIRS && k >= STEP)
        UNROLL for (int i = 0; i < PAIRS; i++, from += line) {
            PREFETCH(from + next), PREFETCH(from + next + PAIRS);
            p_store(to + i * PAIRS, p_along(from, STEP));
        }
    else
        for (int i = 0; i < PAIRS; i++)
            p_store(to + i * PAIRS, i < lines ? p_along(from + (size_t)i * line, k) : none);
}

/* Pack a square of numbers that are contiguous across lines, pair by pair. */
V_FN void square_of_pairs(uint32_t *to, const float *from, size_t along, size_t next, int lines, int k) {
    const pairs none = p_set(0);
    if (lines >= PAIRS && k >= STEP)
        UNROLL for (int i = 0; i < PAIRS; i++, from += 2 * along) {
            PREFETCH(from + next), PREFETCH(from + next + along);
            p_store(to + i * PAIRS, p_across(from, from + along, PAIRS));
        }
    else
        for (int i = 0; i < PAIRS; i++, from += 2 * along)
            p_store(to + i * PAIRS,
                    2 * i < k ? p_across(from, 2 * i + 1 < k ? from + along : NULL, least(lines, PAIRS)) : none);
}

/* Return the stride of panels of `width` lines: an odd number of cache lines, so that they use different cache sets. */
V_FN int panel_words(int width, int k) {
    return tiles(k, STEP) * PAIRS * width + PAIRS;
}

/* Pack panels of `width` lines that begin every `stride` lines of x, whose element is (line, k). Contiguous columns are
 * read in the order of memory. */
V_FN void pack_panels(uint32_t *to, Matrix x, int lines, int k, const int stride, const int width,
                      const bool by_lines) {
    const bool along = x.col == 1;
    const int panel = panel_words(width, k);
    uint32_t turned[SQUARE];
    for (int l = 0; l < k; l += STEP, to += width * PAIRS)
        for (int first = 0; first < lines; first += stride)
            for (int i = 0; i < least(width, lines - first); i += PAIRS) {
                uint32_t *square = to + first / stride * panel + i * PAIRS, *at = along == by_lines ? square : turned;
                const float *from = x.at + (size_t)(first + i) * x.row + (size_t)l * x.col;
                if (along) square_of_lines(at, from, x.row, (size_t)stride * x.row, lines - first - i, k - l);
                else square_of_pairs(at, from, x.col, STEP * x.col, lines - first - i, k - l);
                if (at == turned) p_turn(square, PAIRS, turned);
            }
}

/* Work of a tile between its steps, while the multiplier is busy: it packs squares of the next panel of A, whose lines
 * are contiguous along k, and prefetches the place of a later tile. */
typedef struct {
    uint32_t *to;
    size_t step; /* stride in `to` of squares along k */
    Matrix a;
    size_t next;     /* distance to the panel that is packed next */
    int lines, k;    /* size of the panel */
    int i, l;        /* first line and k of the next square */
    int every, wait; /* steps between squares; until the next */
    const float *soon;
    size_t soon_row;
    int soon_rows; /* rows prefetched per step */
} Beside;

V_FN void beside_fetch(Beside *b, const float *soon, size_t row, int rows, int k) {
    b->soon = soon, b->soon_row = row, b->soon_rows = k > 0 ? tiles(rows * STEP, k) : 0;
}

V_FN void beside_square(Beside *b) {
    uint32_t *to = b->to + (size_t)b->l / STEP * b->step + (size_t)b->i * PAIRS;
    square_of_lines(to, b->a.at + (size_t)b->i * b->a.row + b->l, b->a.row, b->next, b->lines - b->i, b->k - b->l);
    b->l += STEP;
    if (b->l >= b->k) b->l = 0, b->i += PAIRS;
}

V_FN void beside_step(Beside *b) {
    for (int i = 0; i < b->soon_rows; i++, b->soon += b->soon_row) PREFETCH(b->soon), PREFETCH(b->soon + PAIRS);
    if (b->i >= b->lines || --b->wait > 0) return;
    b->wait = b->every;
    beside_square(b);
}

V_FN void beside_rest(Beside *b) {
    while (b->i < b->lines) beside_square(b);
}

#endif
