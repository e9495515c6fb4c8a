/* Fast causal attention: the chains and lanes of kernels/cpu/attention.c, whose equations stand there, many at a time.
 *
 * One head of one sequence is worked off in bands of VEC queries, each a row of squares up to the diagonal (square.h), so
 * that scores never leave the first-level caches; dK and dV wait in memory between bands, stored and reloaded exactly.
 * Parts of a head are copied from x in squares of VEC columns, a block of them side by side for every VEC rows; the
 * band's queries and dy also turned. A head's rows are a cache line or a few in each row of x, which no hardware
 * foresees, so each square fetches a few of the next head. */
#include "kernels/cpu/simd/square.h"

typedef struct {
    const float *x, *dy; /* first row of the sequence, column of the head */
    float *y, *dx, *save;
} Place;

typedef struct {
    Place here, next;
    size_t d, x_step, y_step, save_step, block; /* block: words of VEC rows in squares */
    int n, h;                                   /* sequence length, head size */
    int waiting, pace;                          /* rows of the next head still to fetch; how many at a time */
    float scale;
    bool accumulate;
    float *k, *v, *dk, *dv;            /* all rows */
    float *q, *dy, *qt, *dyt, *p, *ds; /* of this band; qt and dyt turned */
} Head;

static int squares(int n) {
    return (n + VEC - 1) / VEC;
}

/* Rows `first`.. of one part of a head, VEC of them or the last one again: in squares of VEC columns side by side, padded
 * with zeros; and turned, unless NULL. */
static void take(const Head *t, float *rows, float *turned, const float *from, size_t step, int first) {
    int count = least(t->n - first, VEC);
    from += (size_t)first * step;
    for (int c = 0; c < t->h; c += VEC, rows += SQUARE, from += VEC) {
        int cols = least(t->h - c, VEC), i = 0;
        const float *row = from;
        if (cols == VEC && count == VEC)
            UNROLL for (; i < VEC; i++) v_store(rows + i * VEC, v_load(from + (size_t)i * step));
        for (; i < count; i++, row += step) v_store(rows + i * VEC, v_load_first(row, cols));
        for (; i < VEC; i++) v_store(rows + i * VEC, v_load(rows + (count - 1) * VEC));
        if (turned) pack_along(turned + c * VEC, VEC, rows, VEC, 1, VEC, VEC);
    }
}

/* Starts the next rows of the next head on their way, a few at a time, since only some dozen lines can be under way. */
V_FN void fetch(Head *t, const bool gradient) {
    Place *p = &t->next;
    for (int i = 0; i < t->pace && t->waiting; i++, t->waiting--) {
        const float *x = p->x, *y = gradient ? p->dy : p->y, *dx = p->dx;
        for (int c = 0; c < t->h; c += 16) {
            PREFETCH_FAR(x + c), PREFETCH_FAR(x + t->d + c), PREFETCH_FAR(x + 2 * t->d + c), PREFETCH_FAR(y + c);
            if (gradient) PREFETCH_FAR(dx + c), PREFETCH_FAR(dx + t->d + c), PREFETCH_FAR(dx + 2 * t->d + c);
        }
        p->x += t->x_step;
        if (gradient) p->dy += t->y_step, p->dx += t->x_step;
        else p->y += t->y_step;
    }
}

static void band_scores(Head *t, int band, const bool gradient) {
    for (int square = 0; square <= band; square++) {
        fetch(t, gradient);
        square_dots(t->p + square * SQUARE, t->k + (size_t)square * t->block, t->qt, t->h, t->scale);
    }
}

static void forward_band(Head *t, int band) {
    int first = band * VEC, rows = least(t->n - first, VEC);
    _Alignas(64) float most[VEC], inverse[VEC], lanes[CANON_LANES * VEC] = {0}, y[SQUARE];
    take(t, t->q, t->qt, t->here.x, t->x_step, first);
    take(t, t->k + (size_t)band * t->block, NULL, t->here.x + t->d, t->x_step, first);
    take(t, t->v + (size_t)band * t->block, NULL, t->here.x + 2 * t->d, t->x_step, first);
    band_scores(t, band, false);
    vec shift = band_max(t->p, band);
    for (int square = 0; square <= band; square++) {
        float *lane = lanes + square % GROUPS * SQUARE;
        fetch(t, false);
        if (square < band) square_exp(t->p + square * SQUARE, lane, shift, false);
        else square_exp(t->p + square * SQUARE, lane, shift, true);
    }
    v_store(most, shift);
    v_store(inverse, fold_lanes(lanes, false));
    for (int i = 0; i < VEC; i++) inverse[i] = 1 / inverse[i];
    vec factor = v_load(inverse);
    for (int square = 0; square <= band; square++) {
        fetch(t, false);
        square_scale(t->p + square * SQUARE, factor);
    }
    for (int c = 0; c < t->h; c += VEC) {
        band_sum(y, t->p, t->v + c * VEC, t->block, band);
        put_rows(t->here.y + (size_t)first * t->y_step + c, t->y_step, y, rows, least(t->h - c, VEC), false);
    }
    for (int i = 0; i < rows; i++) {
        float *save = t->here.save + (size_t)(first + i) * t->save_step;
        save[0] = most[i], save[1] = inverse[i];
    }
}

/* P and dS of a band, from the row maxima and inverse sums that forward kept. */
static void band_gradient(Head *t, int band, int first, int rows) {
    _Alignas(64) float lanes[CANON_LANES * VEC] = {0}, most[VEC], inverse[VEC];
    for (int i = 0; i < VEC; i++) {
        const float *save = t->here.save + (size_t)(first + least(i, rows - 1)) * t->save_step;
        most[i] = save[0], inverse[i] = save[1];
    }
    vec shift = v_load(most), factor = v_load(inverse), scale = v_set(t->scale);
    band_scores(t, band, true);
    for (int square = 0; square <= band; square++) {
        fetch(t, true);
        square_dots(t->ds + square * SQUARE, t->v + (size_t)square * t->block, t->dyt, t->h, 1);
    }
    for (int square = 0; square <= band; square++) {
        float *p = t->p + square * SQUARE, *ds = t->ds + square * SQUARE, *lane = lanes + square % GROUPS * SQUARE;
        fetch(t, true);
        if (square < band) square_gradient(p, ds, lane, shift, factor, false);
        else square_gradient(p, ds, lane, shift, factor, true);
    }
    vec dot = fold_lanes(lanes, false);
    for (int square = 0; square <= band; square++)
        square_center(t->ds + square * SQUARE, t->p + square * SQUARE, dot, scale);
}

/* The chains of dK or dV over this band's queries: a(key, query) b(query), for the keys of squares 0..band. */
static void band_spread(const Head *t, float *dk, const float *a, const float *b, int band, int rows) {
    for (int square = 0; square < band; square++, dk += t->block, a += SQUARE) square_spread(dk, a, b, rows);
    diagonal_spread(dk, a, b, rows);
}

static void backward_band(Head *t, int band) {
    int first = band * VEC, rows = least(t->n - first, VEC);
    _Alignas(64) float y[SQUARE];
    take(t, t->q, t->qt, t->here.x, t->x_step, first);
    take(t, t->k + (size_t)band * t->block, NULL, t->here.x + t->d, t->x_step, first);
    take(t, t->v + (size_t)band * t->block, NULL, t->here.x + 2 * t->d, t->x_step, first);
    take(t, t->dy, t->dyt, t->here.dy, t->y_step, first);
    band_gradient(t, band, first, rows);
    for (int c = 0; c < t->h; c += VEC) {
        band_sum(y, t->ds, t->k + c * VEC, t->block, band);
        put_rows(t->here.dx + (size_t)first * t->x_step + c, t->x_step, y, rows, least(t->h - c, VEC), t->accumulate);
        band_spread(t, t->dk + c * VEC, t->ds, t->q + c * VEC, band, rows);
        band_spread(t, t->dv + c * VEC, t->p, t->dy + c * VEC, band, rows);
    }
}

static void forward_head(Head *t) {
    for (int band = 0; band < squares(t->n); band++) forward_band(t, band);
}

static void backward_head(Head *t) {
    for (int band = 0; band < squares(t->n); band++) backward_band(t, band);
    for (int first = 0; first < t->n; first += VEC)
        for (int c = 0; c < t->h; c += VEC) {
            size_t square = (size_t)(first / VEC) * t->block + (size_t)(c * VEC);
            float *dx = t->here.dx + (size_t)first * t->x_step + c;
            int rows = least(t->n - first, VEC), cols = least(t->h - c, VEC);
            put_rows(dx + t->d, t->x_step, t->dk + square, rows, cols, t->accumulate);
            put_rows(dx + 2 * t->d, t->x_step, t->dv + square, rows, cols, t->accumulate);
        }
}

/* Sizes, and places in scratch; returns the bytes used. */
static size_t lay_out(Head *t, const Call *c) {
    size_t d = (size_t)c->in[0].cols / 3, h = d / (size_t)c->attr.heads, n = (size_t)squares(c->attr.seq), used = 0;
    size_t block = (h + VEC - 1) / VEC * SQUARE;
    *t = (Head){.d = d, .x_step = 3 * d, .y_step = d, .save_step = 2 * (size_t)c->attr.heads, .block = block,
                .n = c->attr.seq, .h = (int)h, .scale = 1 / CANON_SQRT((float)h), .accumulate = c->accumulate[0]};
    float **place[] = {&t->k, &t->v, &t->dk, &t->dv, &t->q, &t->dy, &t->qt, &t->dyt, &t->p, &t->ds};
    float *from = (float *)(((uintptr_t)c->scratch + 63) / 64 * 64);
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        *place[i] = c->scratch ? from + used : NULL;
        used += (i < 4 ? n * block : i < 8 ? block : n * SQUARE) + 16; /* a line between: fewer clashes in a cache set */
    }
    /* Three times for every square. */
    t->pace = t->n / (squares(t->n) * (squares(t->n) + 1) / 2 * 3) + 1;
    return used * sizeof(float) + 64;
}

static Place place_of(const Head *t, const Call *c, int r, size_t i) {
    size_t heads = (size_t)c->attr.heads, row = i / heads * (size_t)t->n, col = i % heads * (size_t)t->h;
    size_t x = row * t->x_step + col, y = row * t->y_step + col;
    Place p = {(float *)at(c->in[0], r) + x, NULL, NULL, NULL,
               (float *)at(c->save, r) + row * t->save_step + i % heads * 2};
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
            t.waiting = i + 1 < heads.to ? t.n : 0;
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
