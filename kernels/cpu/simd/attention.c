/* Fast causal attention: the chains and lanes of kernels/cpu/attention.c, whose equations stand there, many at a time.
 *
 * One head of one sequence is worked off in bands of VEC queries, each a row of squares up to the diagonal (square.h), so
 * that scores never leave the first-level caches; dK and dV wait in memory between bands, stored and reloaded exactly.
 * Keys and values are copied from x as rows [n][wide] and turned [squares][h][VEC], whichever operand a product wants; a
 * band's queries and dy as squares side by side, which serve as either. A head's rows are a cache line or a few in each row
 * of x, which no hardware foresees, so each square fetches a few of the next head. */
#include "kernels/cpu/simd/pack.h"
#include "kernels/cpu/simd/square.h"

typedef struct {
    const float *x, *dy; /* first row of the sequence, column of the head */
    float *y, *dx, *save;
} Place;

typedef struct {
    Place here, next;
    size_t d, x_step, y_step, save_step;
    int n, h, wide; /* sequence length, head size, the same in whole vectors */
    float scale;
    bool accumulate;
    int fetched, pace;                                /* rows of the next head on their way; rows per square */
    float *kt, *vt, *k, *v, *dk, *dv;                 /* turned; rows */
    float *q, *dyr, *p, *ds;                          /* of this band, in squares */
} Head;

static int squares(int n) {
    return (n + VEC - 1) / VEC;
}

/* Rows `first`.. of one part of a head, VEC of them or the last ones: straight, padded with zeros to whole vectors and
 * with copies of the last row to VEC rows; and turned. Either may be NULL. */
V_FN void take(const Head *t, float *rows, float *turned, const float *from, size_t step, int first) {
    from += (size_t)first * step;
    int count = least(t->n - first, VEC);
    if (turned) pack_along(turned + (size_t)first * (size_t)t->h, VEC, from, step, 1, count, t->h);
    if (rows) rows += (size_t)first * (size_t)t->wide;
    for (int i = 0; rows && i < VEC; i++, rows += t->wide) {
        const float *row = from + (size_t)least(i, count - 1) * step;
        int c = 0;
        for (; c + VEC <= t->h; c += VEC) v_store(rows + c, v_load(row + c));
        if (c < t->h) v_store(rows + c, v_load_first(row + c, t->h - c));
    }
}

/* VEC rows of this band, the last one again where rows are missing, as squares of VEC columns side by side. */
V_FN void take_band(const Head *t, float *squares, const float *from, size_t step, int first) {
    int count = least(t->n - first, VEC);
    from += (size_t)first * step;
    for (int i = 0; i < VEC; i++, squares += VEC) {
        const float *row = from + (size_t)least(i, count - 1) * step;
        int c = 0;
        for (; c + VEC <= t->h; c += VEC) v_store(squares + c * VEC, v_load(row + c));
        if (c < t->h) v_store(squares + c * VEC, v_load_first(row + c, t->h - c));
    }
}

/* Starts the next `pace` rows of the next head on their way, without a branch that is hard to foresee. */
V_FN void fetch(Head *t, const bool gradient) {
    for (int i = 0; i < t->pace; i++) {
        size_t row = (size_t)least(t->fetched++, t->n - 1), x = row * t->x_step, y = row * t->y_step;
        for (int c = 0; c < t->h; c += 16) {
            UNROLL for (size_t part = 0; part < 3; part++) PREFETCH(t->next.x + x + part * t->d + c);
            PREFETCH((gradient ? t->next.dy : t->next.y) + y + c);
            if (gradient) UNROLL for (size_t part = 0; part < 3; part++) PREFETCH(t->next.dx + x + part * t->d + c);
        }
    }
}

static void band_scores(Head *t, int band, const bool gradient) {
    for (int square = 0; square <= band; square++) {
        fetch(t, gradient);
        square_dots(t->p + square * SQUARE, t->q, t->kt + (size_t)(square * VEC) * (size_t)t->h, t->h, v_set(t->scale));
    }
    square_mask(t->p + band * SQUARE);
}

/* The band's queries' sums over keys, columns c..: whole squares, then the diagonal one. */
V_FN void band_sum(const Head *t, vec y[VEC], const float *p, const float *b, int band) {
    size_t wide = (size_t)t->wide;
    tile_zero(y, VEC, 1);
    for (int square = 0; square < band; square++, p += SQUARE, b += VEC * wide) {
        tile_steps(y, VEC, 1, p, VEC, 1, b, wide);
    }
    sum_keys(y, p, b, wide);
}

static void forward_band(Head *t, int band) {
    int first = band * VEC, rows = least(t->n - first, VEC);
    float most[VEC], sum[VEC], lanes[GROUPS * SQUARE] = {0};
    take_band(t, t->q, t->here.x, t->x_step, first);
    take(t, NULL, t->kt, t->here.x + t->d, t->x_step, first);
    take(t, t->v, NULL, t->here.x + 2 * t->d, t->x_step, first);
    band_scores(t, band, false);
    band_max(most, t->p, band);
    for (int square = 0; square <= band; square++) {
        float *s = t->p + square * SQUARE;
        fetch(t, false);
        if (square < band) square_exp(s, most, NULL, false);
        else square_exp(s, most, NULL, true);
        square_sum(lanes + square % GROUPS * SQUARE, s);
    }
    fold_rows(sum, lanes, false);
    for (int i = 0; i < VEC; i++) sum[i] = 1 / sum[i];
    for (int square = 0; square <= band; square++) square_scale(t->p + square * SQUARE, sum);
    for (int c = 0; c < t->wide; c += VEC) {
        vec y[VEC];
        band_sum(t, y, t->p, t->v + c, band);
        put_rows(t->here.y + (size_t)first * t->y_step + c, t->y_step, y, rows, least(t->h - c, VEC), false);
    }
    for (int i = 0; i < rows; i++) {
        float *save = t->here.save + (size_t)(first + i) * t->save_step;
        save[0] = most[i], save[1] = sum[i];
    }
}

/* P and dS of a band, from the row maxima and inverse sums that forward kept. */
static void band_gradient(Head *t, int band, int first, int rows) {
    float lanes[GROUPS * SQUARE] = {0}, dot[VEC], most[VEC], inverse[VEC];
    for (int i = 0; i < VEC; i++) {
        const float *save = t->here.save + (size_t)(first + least(i, rows - 1)) * t->save_step;
        most[i] = save[0], inverse[i] = save[1];
    }
    band_scores(t, band, true);
    for (int square = 0; square <= band; square++) {
        float *p = t->p + square * SQUARE, *ds = t->ds + square * SQUARE, *lane = lanes + square % GROUPS * SQUARE;
        fetch(t, true);
        square_dots(ds, t->dyr, t->vt + (size_t)(square * VEC) * (size_t)t->h, t->h, v_set(1));
        fetch(t, true);
        if (square < band) square_exp(p, most, inverse, false), square_dot(lane, p, ds, false);
        else square_exp(p, most, inverse, true), square_dot(lane, p, ds, true);
    }
    fold_rows(dot, lanes, false);
    for (int i = 0; i < (band + 1) * SQUARE; i += VEC) {
        vec centered = v_sub(v_load(t->ds + i), v_set(dot[i / VEC % VEC]));
        v_store(t->ds + i, v_mul(v_mul(v_load(t->p + i), centered), v_set(t->scale)));
    }
}

/* The chains of dK or dV over this band's queries: a(query, key) b(query), for the keys of squares 0..band. */
V_FN void band_spread(const Head *t, float *dk, const float *a, const float *b, int band, int rows) {
    const size_t wide = (size_t)t->wide;
    vec y[VEC];
    for (int square = 0; square < band; square++, dk += VEC * wide, a += SQUARE) {
        tile_load(y, VEC, 1, dk, wide);
        if (rows == VEC) tile_steps(y, VEC, 1, a, 1, VEC, b, VEC);
        else tile_chain(y, VEC, 1, a, 1, VEC, b, VEC, rows);
        tile_store(y, VEC, 1, dk, wide);
    }
    tile_zero(y, VEC, 1);
    sum_queries(y, a, b, VEC, rows);
    tile_store(y, VEC, 1, dk, wide);
}

static void backward_band(Head *t, int band) {
    int first = band * VEC, rows = least(t->n - first, VEC);
    take_band(t, t->q, t->here.x, t->x_step, first);
    take(t, t->k, t->kt, t->here.x + t->d, t->x_step, first);
    take(t, NULL, t->vt, t->here.x + 2 * t->d, t->x_step, first);
    take_band(t, t->dyr, t->here.dy, t->y_step, first);
    band_gradient(t, band, first, rows);
    for (int c = 0; c < t->wide; c += VEC) {
        vec dq[VEC];
        band_sum(t, dq, t->ds, t->k + c, band);
        put_rows(t->here.dx + (size_t)first * t->x_step + c, t->x_step, dq, rows, least(t->h - c, VEC), t->accumulate);
        band_spread(t, t->dk + c, t->ds, t->q + c * VEC, band, rows);
        band_spread(t, t->dv + c, t->p, t->dyr + c * VEC, band, rows);
    }
}

static void forward_head(Head *t) {
    for (int band = 0; band < squares(t->n); band++) forward_band(t, band);
}

static void backward_head(Head *t) {
    for (int band = 0; band < squares(t->n); band++) backward_band(t, band);
    for (int first = 0; first < t->n; first += VEC)
        for (int c = 0; c < t->wide; c += VEC) {
            size_t at_rows = (size_t)first * (size_t)t->wide + (size_t)c;
            float *dx = t->here.dx + (size_t)first * t->x_step + c;
            int rows = least(t->n - first, VEC), cols = least(t->h - c, VEC);
            vec y[VEC];
            tile_load(y, VEC, 1, t->dk + at_rows, (size_t)t->wide);
            put_rows(dx + t->d, t->x_step, y, rows, cols, t->accumulate);
            tile_load(y, VEC, 1, t->dv + at_rows, (size_t)t->wide);
            put_rows(dx + 2 * t->d, t->x_step, y, rows, cols, t->accumulate);
        }
}

/* Sizes, and places in scratch; returns the bytes used. */
static size_t lay_out(Head *t, const Call *c) {
    size_t d = (size_t)c->in[0].cols / 3, h = d / (size_t)c->attr.heads, n = (size_t)squares(c->attr.seq) * VEC;
    size_t wide = (h + VEC - 1) / VEC * VEC, used = 0;
    *t = (Head){.d = d, .x_step = 3 * d, .y_step = d, .save_step = 2 * (size_t)c->attr.heads, .n = c->attr.seq,
                .h = (int)h, .wide = (int)wide, .scale = 1 / CANON_SQRT((float)h), .accumulate = c->accumulate[0]};
    float **place[] = {&t->kt, &t->vt, &t->k, &t->v, &t->dk, &t->dv, &t->p, &t->ds, &t->q, &t->dyr};
    size_t words[] = {n * h, n * h, n * wide, n * wide, n * wide, n * wide, n * VEC, n * VEC, wide * VEC, wide * VEC};
    float *from = (float *)(((uintptr_t)c->scratch + 63) / 64 * 64);
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        *place[i] = c->scratch ? from + used : NULL;
        used += words[i] + 16; /* a line between them: fewer clashes in a cache set */
    }
    t->pace = t->n / (squares(t->n) * (squares(t->n) + 1)) + 1;
    return used * sizeof(float) + 64;
}

static Place place_of(const Head *t, const Call *c, int r, size_t i) {
    size_t heads = (size_t)c->attr.heads, row = i / heads * (size_t)t->n, col = i % heads * (size_t)t->h;
    size_t x = row * t->x_step + col, y = row * t->y_step + col;
    Place p = {(float *)at(c->in[0], r) + x, NULL, NULL, NULL, (float *)at(c->save, r) + row * t->save_step + i % heads * 2};
    if (c->dout.at) p.dy = (float *)at(c->dout, r) + y;
    if (c->din[0].at) p.dx = (float *)at(c->din[0], r) + x;
    if (c->out.at) p.y = (float *)at(c->out, r) + y;
    return p;
}

static void each_head(const Call *c, void (*visit)(Head *)) {
    Head t;
    lay_out(&t, c);
    Share heads = call_share(c, c->in[0].rows / t.n * c->attr.heads);
    for (int r = 0; r < c->replicas; r++)
        for (int i = heads.from; i < heads.to; i++) {
            t.here = place_of(&t, c, r, (size_t)i);
            t.next = place_of(&t, c, r, (size_t)(i + 1 < heads.to ? i + 1 : i));
            t.fetched = 0;
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
    return lay_out(&t, c);
}

KERNEL(attention, forward, backward, scratch);
