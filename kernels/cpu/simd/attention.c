/* Fast attention: computes the chains and lanes of kernels/cpu/attention.c, which has the equations, many at a time.
 *
 * One head of one sequence is computed in bands of VEC queries, each a row of squares up to the diagonal or to the
 * sequence's end (square.h), so that scores stay in the first-level cache; backward takes PAIR bands at once. dK and dV
 * are kept in memory between bands, stored and reloaded exactly. Parts of a head are copied from x in squares of VEC
 * columns, a block of squares for every VEC rows; the band's queries and dy also transposed. A head's rows are few
 * cache lines in each row of x, which hardware does not prefetch, so the next sequence, or head, is prefetched between
 * pieces of work. */
#include "kernels/cpu/simd/square.h"

typedef struct {
    const float *x, *dy; /* first row of the sequence, column of the head */
    float *y, *dx, *save;
} Place;

typedef struct {
    Place here;
    Ahead next;
    size_t d, x_step, y_step, block; /* block: numbers of VEC rows in squares */
    int n, h;                        /* sequence length, head size */
    int keys;                        /* keys in a band's last square; 0: it is on the diagonal */
    float scale;
    bool accumulate;
    float *k, *v, *dk, *dv;            /* all rows */
    float *q, *dy, *qt, *dyt, *p, *ds; /* this band's; qt and dyt transposed */
} Head;

/* Up to PAIR bands of queries. */
typedef struct {
    int square, first, rows, vecs; /* first band, its first query */
} Wide;

/* Largest sequence, in floats, that is prefetched whole: 512 KB, half of a second-level cache, since the sequence in
 * use is there too. */
enum { FETCH_WORDS = 1 << 17 };

static int squares(int n) {
    return (n + VEC - 1) / VEC;
}

/* Copy VEC rows and columns of x as they are, transposed, or both; NULL: not wanted. */
SQUARE_FN void take_square(float *rows, float *turned, const float *from, size_t line) {
    if (rows) UNROLL for (int i = 0; i < VEC; i++) v_store(rows + i * VEC, v_load(from + (size_t)i * line));
    if (turned) pack_along(turned, WIDE_ROW, from, line, 1, VEC, VEC);
}

/* Copy `count` rows and `cols` columns likewise, padded with the last row and with zeros. */
SQUARE_FN void take_edge(float *rows, float *turned, const float *from, size_t line, int count, int cols) {
    float padded[SQUARE], *to = rows ? rows : padded;
    for (int i = 0; i < VEC; i++) v_store(to + i * VEC, v_load_first(from + (size_t)least(i, count - 1) * line, cols));
    if (turned) pack_along(turned, WIDE_ROW, to, VEC, 1, VEC, VEC);
}

/* Copy rows `first`.. of one part of a head, in squares of VEC columns, `step` apart. */
static void take(const Head *t, float *rows, size_t step, float *turned, const float *from, size_t line, int first) {
    int count = least(t->n - first, VEC);
    from += (size_t)first * line;
    for (int c = 0; c < t->h; c += VEC, from += VEC) {
        int cols = least(t->h - c, VEC);
        if (cols == VEC && count == VEC) take_square(rows, turned, from, line);
        else take_edge(rows, turned, from, line, count, cols);
        if (rows) rows += step;
        if (turned) turned += VEC * WIDE_ROW;
    }
}

static void take_queries(const Head *t, float *rows, float *turned, int first) {
    take(t, rows, BLOCK, turned, t->here.x, t->x_step, first);
}

static void take_keys(const Head *t, int band) {
    take(t, t->k + (size_t)band * t->block, SQUARE, NULL, t->here.x + t->d, t->x_step, band * VEC);
}

static void take_values(const Head *t, int band) {
    take(t, t->v + (size_t)band * t->block, SQUARE, NULL, t->here.x + 2 * t->d, t->x_step, band * VEC);
}

static void take_sequence(const Head *t) {
    for (int square = 0; square < squares(t->n); square++) take_keys(t, square), take_values(t, square);
}

/* Return the last square that a band's queries see. */
static int last_of(const Head *t, int band) {
    return t->keys ? squares(t->n) - 1 : band;
}

/* Compute a band's exponentials, save what backward needs, and return each query's inverse sum, the factor that makes
 * them P. Parts of the next band are copied meanwhile, since the units would idle until a row's maximum or sum is
 * known. */
static vec softmax(Head *t, int band) {
    int first = band * VEC, rows = least(t->n - first, VEC), last = last_of(t, band);
    bool more = first + VEC < t->n, growing = more && !t->keys;
    float *save = t->here.save + first;
    if (more) take_queries(t, NULL, t->qt, first + VEC);
    vec most = t->keys ? full_max(t->p, last, t->keys) : band_max(t->p, band);
    if (growing) take_keys(t, band + 1);
    for (int square = 0; square <= last; square++) {
        fetch(&t->next);
        if (square < last || t->keys == VEC) square_exp(t->p + square * SQUARE, most, WHOLE, VEC);
        else if (!t->keys) square_exp(t->p + square * SQUARE, most, DIAGONAL, VEC);
        else short_exp(t->p + square * SQUARE, most, t->keys);
    }
    vec inverse = band_inverse(t->p, last);
    if (growing) take_values(t, band + 1);
    v_store_first(save, most, rows), v_store_first(save + t->n, inverse, rows);
    return inverse;
}

/* Compute a band's rows of y or dQ: sums over keys of a(key, query) b(key); a is first scaled by factors unless NULL.
 * */
static void band_put(Head *t, int band, float *to, size_t step, float *a, int a_row, const float *b,
                     const vec *factor) {
    _Alignas(64) float edge[SQUARE];
    int first = band * VEC, rows = least(t->n - first, VEC), last = last_of(t, band);
    to += (size_t)first * step;
    for (int c = 0; c < t->h; c += VEC, to += VEC, b += SQUARE, factor = NULL) {
        int cols = least(t->h - c, VEC);
        bool whole = rows == VEC && cols == VEC && !t->accumulate;
        float *y = whole ? to : edge;
        size_t y_row = whole ? step : VEC;
        if (t->keys && factor) full_scale_sum(y, y_row, a, a_row, b, t->block, last, t->keys, *factor);
        else if (t->keys) full_sum(y, y_row, a, a_row, b, t->block, last, t->keys);
        else if (factor) band_scale_sum(y, y_row, a, a_row, b, t->block, band, *factor);
        else band_sum(y, y_row, a, a_row, b, t->block, band);
        if (!whole) put_rows(to, step, edge, rows, cols, t->accumulate);
    }
}

static void forward_band(Head *t, int band) {
    if (!band) take_queries(t, NULL, t->qt, 0);
    if (!band && t->keys) take_sequence(t);
    else if (!band) take_keys(t, 0), take_values(t, 0);
    for (int square = 0; square <= last_of(t, band); square++)
        square_dots(t->p + square * SQUARE, VEC, t->k + (size_t)square * t->block, t->qt, t->h, t->scale, &t->next);
    vec inverse = softmax(t, band);
    band_put(t, band, t->here.y, t->y_step, t->p, VEC, t->v, &inverse);
}

/* Return how many bands of w, from the first on, see nothing of a square. */
static int blind_bands(const Head *t, const Wide *w, int square) {
    return t->keys || square <= w->square ? 0 : square - w->square;
}

/* Compute the scores of one square of keys with the queries that see any of it. */
static void wide_dots(Head *t, const Wide *w, int square, float *s, const float *a, const float *turned, float scale) {
    int last = (w->vecs - 1) * VEC;
    a += (size_t)square * t->block, s += square * BLOCK;
    if (w->vecs == PAIR && !blind_bands(t, w, square)) pair_dots(s, a, turned, t->h, scale, &t->next);
    else square_dots(s + last, WIDE_ROW, a, turned + last, t->h, scale, &t->next);
}

/* Compute P and dP of bands from forward's row maxima and inverse sums; dot: the row sums of their product. */
static void wide_gradient(Head *t, const Wide *w, vec dot[PAIR]) {
    _Alignas(64) float lanes[PAIR * CANON_LANES * VEC], most[WIDE_ROW], inverse[WIDE_ROW];
    for (int v = 0; v < w->vecs; v++) {
        const float *save = t->here.save + w->first + v * VEC;
        int rows = least(w->rows - v * VEC, VEC);
        v_store(most + v * VEC, v_load_first(save, rows)), v_store(inverse + v * VEC, v_load_first(save + t->n, rows));
    }
    UNROLL for (int i = 0; i < PAIR * CANON_LANES; i++) v_store(lanes + i * VEC, v_zero());
    for (int v = 0; v < w->vecs; v++) {
        int first = w->first + v * VEC;
        take_queries(t, t->q + v * SQUARE, t->qt + v * VEC, first);
        if (!t->keys) take_keys(t, w->square + v);
        take(t, t->dy + v * SQUARE, BLOCK, t->dyt + v * VEC, t->here.dy, t->y_step, first);
        if (!t->keys) take_values(t, w->square + v);
    }
    for (int square = 0; square <= last_of(t, w->square + w->vecs - 1); square++) {
        wide_dots(t, w, square, t->p, t->k, t->qt, t->scale);
        wide_dots(t, w, square, t->ds, t->v, t->dyt, 1);
        for (int v = 0; v < w->vecs; v++) {
            float *p = t->p + square * BLOCK + v * VEC, *ds = t->ds + square * BLOCK + v * VEC;
            float *lane = lanes + (v * GROUPS + square % GROUPS) * SQUARE;
            vec shift = v_load(most + v * VEC), factor = v_load(inverse + v * VEC);
            const int last = last_of(t, w->square + v);
            fetch(&t->next);
            if (square < last || (square == last && t->keys == VEC))
                square_gradient(p, ds, lane, shift, factor, WHOLE, VEC);
            else if (square == last && t->keys) short_gradient(p, ds, lane, shift, factor, t->keys);
            else if (square == last) square_gradient(p, ds, lane, shift, factor, DIAGONAL, VEC);
        }
    }
    for (int v = 0; v < w->vecs; v++) dot[v] = fold_lanes(lanes + v * CANON_LANES * VEC);
}

/* Continue the chains of dK or dV of one square of keys over these bands' queries that see any of them: add
 * a(key, query) b(query). */
static void wide_spread(Head *t, const Wide *w, int square, float *to, const float *a, const float *rows) {
    int from = blind_bands(t, w, square), left = w->rows - from * VEC;
    a += square * BLOCK + from * VEC, rows += from * SQUARE, to += (size_t)square * t->block;
    for (int c = 0; c < t->h; c += VEC, to += SQUARE, rows += BLOCK) {
        if (t->keys || square < w->square) square_spread(to, a, rows, left, &t->next);
        else {
            diagonal_spread(to, a, rows, left);
            if (left > VEC) square_spread(to, a + VEC, rows + SQUARE, left - VEC, &t->next);
        }
    }
}

/* Store the rows of dK or dV of one square of keys, whose chains are complete. */
static void put_keys(Head *t, int square, float *dx, const float *from) {
    int first = square * VEC, rows = least(t->n - first, VEC);
    dx += (size_t)first * t->x_step, from += (size_t)square * t->block;
    for (int c = 0; c < t->h; c += VEC, from += SQUARE)
        put_rows(dx + c, t->x_step, from, rows, least(t->h - c, VEC), t->accumulate);
}

static void backward_bands(Head *t, int first) {
    int rows = least(t->n - first, WIDE_ROW);
    Wide w = {first / VEC, first, rows, squares(rows)};
    vec dot[PAIR];
    wide_gradient(t, &w, dot);
    for (int square = 0; square <= last_of(t, w.square + w.vecs - 1); square++) {
        for (int v = blind_bands(t, &w, square); v < w.vecs; v++)
            square_center(t->ds + square * BLOCK + v * VEC, t->p + square * BLOCK + v * VEC, dot[v], v_set(t->scale));
        wide_spread(t, &w, square, t->dk, t->ds, t->q);
        wide_spread(t, &w, square, t->dv, t->p, t->dy);
        if (first + rows < t->n) continue;
        put_keys(t, square, t->here.dx + t->d, t->dk);
        put_keys(t, square, t->here.dx + 2 * t->d, t->dv);
    }
    for (int v = 0; v < w.vecs; v++)
        band_put(t, w.square + v, t->here.dx, t->x_step, t->ds + v * VEC, WIDE_ROW, t->k, NULL);
}

static void forward_head(Head *t) {
    for (int band = 0; band < squares(t->n); band++) forward_band(t, band);
}

static void backward_head(Head *t) {
    size_t words = t->keys ? (size_t)squares(t->n) * t->block : 0; /* zero chains, which no diagonal begins */
    memset(t->dk, 0, words * sizeof(float)), memset(t->dv, 0, words * sizeof(float));
    if (t->keys) take_sequence(t);
    for (int first = 0; first < t->n; first += WIDE_ROW) backward_bands(t, first);
}

/* Set sizes and addresses in scratch; return the bytes used. */
static size_t lay_out(Head *t, const Call *c) {
    size_t d = (size_t)c->in[0].cols / 3, h = d / (size_t)c->attr.heads, n = (size_t)squares(c->attr.seq), used = 0;
    size_t block = (h + VEC - 1) / VEC * SQUARE;
    *t = (Head){.d = d, .x_step = 3 * d, .y_step = d, .block = block, .n = c->attr.seq, .h = (int)h,
                .keys = c->attr.full ? (c->attr.seq - 1) % VEC + 1 : 0, .scale = 1 / CANON_SQRT((float)h)};
    float **place[] = {&t->k, &t->v, &t->dk, &t->dv, &t->q, &t->dy, &t->qt, &t->dyt, &t->p, &t->ds};
    float *from = (float *)(((uintptr_t)c->scratch + 63) / 64 * 64);
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        *place[i] = c->scratch ? from + used : NULL;
        /* a cache line between them: fewer conflicts in a cache set */
        used += (i < 4 ? n * block : i < 8 ? PAIR * block : n * BLOCK) + 16;
    }
    return used * sizeof(float) + 64;
}

static Place place_of(const Head *t, const Call *c, int r, size_t i, bool gradient) {
    size_t heads = (size_t)c->attr.heads, row = i / heads * (size_t)t->n, col = i % heads * (size_t)t->h;
    size_t x = row * t->x_step + col, y = row * t->y_step + col;
    Place p = {(float *)at(c->in[0], r) + x, NULL, NULL, NULL, (float *)at(c->save, r) + i * 2 * (size_t)t->n};
    if (gradient) p.dy = (float *)at(c->dout, r) + y, p.dx = (float *)at(c->din[0], r) + x;
    else p.y = (float *)at(c->out, r) + y;
    return p;
}

/* Choose what to prefetch while a head is computed: a share of the next sequence, in the order of memory, which
 * hardware predicts; or the next head if a sequence overflows a second-level cache. */
static Ahead ahead_of(const Head *t, const Place *p, bool whole, bool any) {
    int n = squares(t->n), work = t->keys ? n * n : n * (n + 1) / 2, cols = squares(t->h);
    int calls = (p->dx ? 1 + PAIR : 1) * (PAIR == 1 ? 1 : cols) + 1; /* calls of fetch per square */
    return (Ahead){p->x, p->dy ? p->dy : p->y, p->dx == p->x ? NULL : p->dx, t->x_step, t->y_step,
                   whole ? 16 : t->d, whole ? 3 : 1, 0, whole ? t->d : (size_t)t->h,
                   any ? t->n * ((t->h + 15) / 16) : 0, work * calls, 0};
}

static void each_head(const Call *c, void (*visit)(Head *), bool gradient) {
    Head t;
    lay_out(&t, c);
    t.accumulate = gradient && c->accumulate[0];
    Share share = call_share(c, c->in[0].rows / t.n * c->attr.heads);
    /* dx may be written over x: all of a head is read before it is written */
    bool apart = gradient && c->din[0].at != c->in[0].at;
    bool whole = (apart ? 7 : 4) * (size_t)t.n * t.d <= FETCH_WORDS;
    for (int r = 0; r < c->replicas; r++)
        for (int i = share.from; i < share.to; i++) {
            int heads = c->attr.heads, next = whole ? (i / heads + 1) * heads : i + 1;
            bool any = next < share.to;
            t.here = place_of(&t, c, r, (size_t)i, gradient);
            Place to = place_of(&t, c, r, (size_t)(any ? next : i), gradient);
            if (!whole || i == share.from || i % heads == 0) t.next = ahead_of(&t, &to, whole, any);
            visit(&t);
        }
}

static void forward(const Call *c) {
    each_head(c, forward_head, false);
}

static void backward(const Call *c) {
    if (c->din[0].at) each_head(c, backward_head, true);
}

static size_t scratch(const Call *c) {
    Head t;
    return lay_out(&t, c);
}

KERNEL(attention, forward, backward, scratch);
