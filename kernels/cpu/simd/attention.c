/* Fast causal attention: the chains and lanes of kernels/cpu/attention.c, whose equations stand there, many at a time.
 *
 * One head of one sequence is cut into squares of VEC queries by VEC keys, from the diagonal to the left; all squares of
 * VEC queries (a band) stay in the first-level cache. In a square one vector holds VEC keys (scores, where the lanes of
 * rule 3 are whole vectors) or VEC columns of the head (sums over keys or queries, which are chains of tile.h). On the
 * diagonal the steps of absent keys are left out, not multiplied by zero; lanes of absent keys hold -infinity, which
 * changes no maximum, and so +0, which changes no sum of exponentials. dK and dV wait in memory between bands. */
#include "kernels/cpu/simd/pack.h"
#include "kernels/cpu/simd/tile.h"

enum { SQUARE = VEC * VEC, GROUPS = CANON_LANES / VEC };

typedef struct {
    const float *x, *dy, *save; /* first row of the sequence, column of the head */
    float *y, *dx, *keep;
    size_t x_step, y_step, save_step, d;
    int n, h, wide; /* sequence length, head size, the same in whole vectors */
    float scale;
    bool accumulate;
    float *qt, *dyt;                     /* this band's queries and their dy: [h][VEC] */
    float *kt, *vt;                      /* keys and values: [squares][h][VEC] */
    float *q, *k, *v, *dyr, *dk, *dv;    /* rows: [squares VEC][wide] */
    float *p, *ds;                       /* this band: [squares][VEC queries][VEC keys] */
} Head;

static int squares(int n) {
    return (n + VEC - 1) / VEC;
}

/* Rows of a head side by side, padded with zeros to whole vectors, and with copies of the last row to whole squares. */
static void copy_rows(float *to, const Head *t, const float *from, size_t step) {
    for (int i = 0; i < squares(t->n) * VEC; i++, to += t->wide) {
        const float *row = from + (size_t)least(i, t->n - 1) * step;
        for (int c = 0; c < t->wide; c += VEC) v_store(to + c, v_load_first(row + c, least(t->h - c, VEC)));
    }
}

static void turn_rows(float *to, const Head *t, const float *from, size_t step, int first, int end) {
    for (int i = first; i < end; i += VEC, to += t->h * VEC)
        pack_along(to, VEC, from + (size_t)i * step, step, 1, least(t->n - i, VEC), t->h);
}

/* s[j / VEC][i][j % VEC] = a_i . b_j for the band's queries i and the keys of squares 0..band. */
static void dots(float *s, const float *a, const float *b, int h, int band) {
    for (int square = 0; square <= band; square++, s += SQUARE, b += h * VEC) {
        vec t[VEC];
        tile_zero(t, VEC, 1);
        tile_chain(t, VEC, 1, a, 1, VEC, b, VEC, h);
        tile_store(t, VEC, 1, s, VEC);
    }
}

/* scores: dots times scale; absent keys get -infinity. */
static void scores(float *s, const Head *t, int band) {
    vec scale = v_set(t->scale), absent = v_set(-INFINITY);
    dots(s, t->qt, t->kt, t->h, band);
    for (int i = 0; i < band * SQUARE; i += VEC) v_store(s + i, v_mul(v_load(s + i), scale));
    s += band * SQUARE;
    for (int i = 0; i < VEC; i++) v_store(s + i * VEC, v_first(v_mul(v_load(s + i * VEC), scale), absent, i + 1));
}

/* Rule 3 for the VEC rows of a band: lanes[g][i] holds lanes g VEC.. of row i. */
V_FN vec v_join(vec a, vec b, const bool most) {
    return most ? v_max(b, a) : v_add(a, b);
}

V_FN void fold_rows(float *out, float *lanes, const bool most) {
    for (int half = GROUPS / 2; half; half /= 2)
        for (int i = 0; i < half * SQUARE; i += VEC)
            v_store(lanes + i, v_join(v_load(lanes + i), v_load(lanes + half * SQUARE + i), most));
    const float *line[VEC];
    vec x[VEC];
    for (int i = 0; i < VEC; i++) line[i] = lanes + i * VEC;
    UNROLL for (int l = 0; l < VEC; l += 4) {
        UNROLL for (int i = 0; i < 4; i++) x[l + i] = v_load_quads(line + i, (size_t)l);
        v_transpose_quads(x + l);
    }
    UNROLL for (int half = VEC / 2; half; half /= 2)
        UNROLL for (int i = 0; i < half; i++) x[i] = v_join(x[i], x[i + half], most);
    v_store(out, x[0]);
}

V_FN void lanes_fill(float *lanes, float x) {
    for (int i = 0; i < GROUPS * SQUARE; i += VEC) v_store(lanes + i, v_set(x));
}

static void band_max(float *most, const float *s, int band) {
    float lanes[GROUPS * SQUARE];
    lanes_fill(lanes, -INFINITY);
    for (int square = 0; square <= band; square++, s += SQUARE) {
        float *lane = lanes + square % GROUPS * SQUARE;
        for (int i = 0; i < SQUARE; i += VEC) v_store(lane + i, v_max(v_load(s + i), v_load(lane + i)));
    }
    fold_rows(most, lanes, true);
}

/* s <- e^(s - most), and the sums of the rows. */
static void band_exp(float *sum, float *s, const float *most, int band) {
    float lanes[GROUPS * SQUARE];
    lanes_fill(lanes, 0);
    for (int square = 0; square <= band; square++, s += SQUARE) {
        float *lane = lanes + square % GROUPS * SQUARE;
        for (int i = 0; i < VEC; i++) {
            vec e = v_exp(v_sub(v_load(s + i * VEC), v_set(most[i])));
            v_store(s + i * VEC, e);
            v_store(lane + i * VEC, v_add(v_load(lane + i * VEC), e));
        }
    }
    fold_rows(sum, lanes, false);
}

/* y_i = sum over keys j <= i of p(i, j) b_j, for the band's queries: whole squares, then the diagonal one. */
V_FN void sum_keys(vec y[VEC], const Head *t, const float *p, const float *b, int band) {
    size_t wide = (size_t)t->wide;
    tile_zero(y, VEC, 1);
    for (int square = 0; square < band; square++, p += SQUARE, b += VEC * wide)
        tile_chain(y, VEC, 1, p, VEC, 1, b, wide, VEC);
    UNROLL for (int j = 0; j < VEC; j++) {
        vec line = v_load(b + (size_t)j * wide);
        UNROLL for (int i = j; i < VEC; i++) y[i] = v_fma(v_set(p[i * VEC + j]), line, y[i]);
    }
}

/* dk_j continued over the band's queries i >= j: a(i, j) b_i, i < count. */
V_FN void sum_queries(float *dk, const Head *t, const float *a, const float *b, int count, bool diagonal) {
    size_t wide = (size_t)t->wide;
    vec y[VEC];
    tile_load(y, VEC, 1, dk, wide);
    if (!diagonal) tile_chain(y, VEC, 1, a, 1, VEC, b, wide, count);
    else
        UNROLL for (int i = 0; i < VEC; i++)
            if (i < count) {
                vec line = v_load(b + (size_t)i * wide);
                UNROLL for (int j = 0; j <= i; j++) y[j] = v_fma(v_set(a[i * VEC + j]), line, y[j]);
            }
    tile_store(y, VEC, 1, dk, wide);
}

/* Rows of the head's gradient or output, columns c.., that exist. */
V_FN void put_rows(float *to, size_t step, const vec y[VEC], int rows, int cols, bool accumulate) {
    UNROLL for (int i = 0; i < VEC; i++)
        if (i < rows) {
            float *line = to + (size_t)i * step;
            v_store_first(line, accumulate ? v_add(v_load_first(line, cols), y[i]) : y[i], cols);
        }
}

static void forward_head(const Head *t) {
    copy_rows(t->v, t, t->x + 2 * t->d, t->x_step);
    turn_rows(t->kt, t, t->x + t->d, t->x_step, 0, t->n);
    for (int band = 0; band * VEC < t->n; band++) {
        int first = band * VEC, rows = least(t->n - first, VEC);
        float most[VEC], sum[VEC];
        turn_rows(t->qt, t, t->x, t->x_step, first, first + rows);
        scores(t->p, t, band);
        band_max(most, t->p, band);
        band_exp(sum, t->p, most, band);
        for (int i = 0; i < VEC; i++) sum[i] = 1 / sum[i];
        for (int i = 0; i < (band + 1) * SQUARE; i += VEC)
            v_store(t->p + i, v_mul(v_load(t->p + i), v_set(sum[i / VEC % VEC])));
        for (int c = 0; c < t->wide; c += VEC) {
            vec y[VEC];
            sum_keys(y, t, t->p, t->v + c, band);
            put_rows(t->y + (size_t)first * t->y_step + c, t->y_step, y, rows, least(t->h - c, VEC), false);
        }
        for (int i = 0; i < rows; i++) {
            float *keep = t->keep + (size_t)(first + i) * t->save_step;
            keep[0] = most[i], keep[1] = sum[i];
        }
    }
}

/* P and dS of a band from the row maxima and inverse sums kept by forward. */
static void band_gradient(const Head *t, int band, int rows) {
    float lanes[GROUPS * SQUARE], dot[VEC], most[VEC], inverse[VEC];
    vec scale = v_set(t->scale);
    for (int i = 0; i < VEC; i++) {
        const float *save = t->save + (size_t)(band * VEC + least(i, rows - 1)) * t->save_step;
        most[i] = save[0], inverse[i] = save[1];
    }
    scores(t->p, t, band);
    dots(t->ds, t->dyt, t->vt, t->h, band);
    lanes_fill(lanes, 0);
    for (int square = 0; square <= band; square++)
        for (int i = 0; i < VEC; i++) {
            float *at_p = t->p + square * SQUARE + i * VEC, *lane = lanes + square % GROUPS * SQUARE + i * VEC;
            vec p = v_mul(v_exp(v_sub(v_load(at_p), v_set(most[i]))), v_set(inverse[i])), old = v_load(lane);
            vec new = v_fma(p, v_load(t->ds + (at_p - t->p)), old);
            v_store(at_p, p);
            v_store(lane, square < band ? new : v_first(new, old, i + 1));
        }
    fold_rows(dot, lanes, false);
    for (int i = 0; i < (band + 1) * SQUARE; i += VEC) {
        vec centered = v_sub(v_load(t->ds + i), v_set(dot[i / VEC % VEC]));
        v_store(t->ds + i, v_mul(v_mul(v_load(t->p + i), centered), scale));
    }
}

static void backward_head(const Head *t) {
    size_t wide = (size_t)t->wide, all = (size_t)(squares(t->n) * VEC) * wide;
    copy_rows(t->q, t, t->x, t->x_step);
    copy_rows(t->k, t, t->x + t->d, t->x_step);
    copy_rows(t->dyr, t, t->dy, t->y_step);
    turn_rows(t->kt, t, t->x + t->d, t->x_step, 0, t->n);
    turn_rows(t->vt, t, t->x + 2 * t->d, t->x_step, 0, t->n);
    memset(t->dk, 0, all * sizeof(float));
    memset(t->dv, 0, all * sizeof(float));
    for (int band = 0; band * VEC < t->n; band++) {
        int first = band * VEC, rows = least(t->n - first, VEC);
        turn_rows(t->qt, t, t->x, t->x_step, first, first + rows);
        turn_rows(t->dyt, t, t->dy, t->y_step, first, first + rows);
        band_gradient(t, band, rows);
        for (int c = 0; c < t->wide; c += VEC) {
            size_t here = (size_t)first * wide + (size_t)c;
            vec dq[VEC];
            sum_keys(dq, t, t->ds, t->k + c, band);
            put_rows(t->dx + (size_t)first * t->x_step + c, t->x_step, dq, rows, least(t->h - c, VEC), t->accumulate);
            for (int square = 0; square <= band; square++) {
                size_t there = (size_t)(square * VEC) * wide + (size_t)c;
                sum_queries(t->dk + there, t, t->ds + square * SQUARE, t->q + here, rows, square == band);
                sum_queries(t->dv + there, t, t->p + square * SQUARE, t->dyr + here, rows, square == band);
            }
        }
    }
    for (int i = 0; i < t->n; i++)
        for (int l = 0; l < t->h; l++) {
            float *line = t->dx + (size_t)i * t->x_step + l;
            put(line + t->d, t->dk[(size_t)i * wide + (size_t)l], t->accumulate);
            put(line + 2 * t->d, t->dv[(size_t)i * wide + (size_t)l], t->accumulate);
        }
}

/* Sizes, and places in scratch; returns the words used. */
static size_t lay_out(Head *t, const Call *c) {
    size_t d = (size_t)c->in[0].cols / 3, h = d / (size_t)c->attr.heads, n = (size_t)squares(c->attr.seq) * VEC, used = 0;
    size_t wide = (h + VEC - 1) / VEC * VEC, turned = h * VEC, rows = n * wide;
    float *at_scratch = (float *)(((uintptr_t)c->scratch + 63) / 64 * 64);
    *t = (Head){.x_step = 3 * d, .y_step = d, .save_step = 2 * (size_t)c->attr.heads, .d = d, .n = c->attr.seq, .h = (int)h,
                .wide = (int)wide, .scale = 1 / CANON_SQRT((float)h), .accumulate = c->accumulate[0]};
    float **place[] = {&t->qt, &t->dyt, &t->kt, &t->vt, &t->q, &t->k, &t->v, &t->dyr, &t->dk, &t->dv, &t->p, &t->ds};
    size_t words[] = {turned, turned, n * h, n * h, rows, rows, rows, rows, rows, rows, n * VEC, n * VEC};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; used += words[i++] + 16) *place[i] = at_scratch + used;
    return used;
}

static void each_head(const Call *c, void (*visit)(const Head *)) {
    Head t;
    lay_out(&t, c);
    for (int r = 0; r < c->replicas; r++)
        for (int sequence = 0; sequence < c->in[0].rows / c->attr.seq; sequence++)
            for (int head = 0; head < c->attr.heads; head++) {
                size_t row = (size_t)sequence * (size_t)t.n, col = (size_t)(head * t.h), save = row * t.save_step + 2 * (size_t)head;
                t.x = at(c->in[0], r) + row * t.x_step + col;
                if (c->out.at) t.y = at(c->out, r) + row * t.y_step + col;
                t.keep = at(c->save, r) + save, t.save = t.keep;
                if (c->dout.at) t.dy = at(c->dout, r) + row * t.y_step + col;
                if (c->din[0].at) t.dx = at(c->din[0], r) + row * t.x_step + col;
                visit(&t);
            }
}

static void forward(const Call *c) {
    each_head(c, forward_head);
}

static void backward(const Call *c) {
    if (c->din[0].at) each_head(c, backward_head);
}

static size_t scratch(const Call *c) {
    Head t;
    return lay_out(&t, c) * sizeof(float) + 64;
}

KERNEL(attention, forward, backward, scratch);
