/* Fast attention of rows that choose their keys: the chains and lanes of kernels/cpu/attend.c, which has the equations,
 * VEC queries at a time.
 *
 * Neighbouring queries that begin at the same key and see no fewer keys than the one before, as in one sentence, are a
 * group. A vector holds its queries' scores of one key, s[key][query], so that rule 3's lanes are whole
 * vectors (square.h). A key is absent to the first queries of a group: its score there is -infinity, its exponential
 * +0, and every other sum leaves it out. Keys, values and their gradients are copied into dense rows of whole vectors
 * once a head. */
#include "kernels/cpu/simd/square.h"

typedef struct {
    const float *q, *k, *v, *dy; /* row i at q + i * step */
    float *y, *dq, *save;
    const int32_t *range; /* from and to of each query */
    size_t step, row;     /* row: numbers of a dense row */
    int queries, keys, h;
    float scale;
    bool accumulate; /* dq is added to */
    float *kd, *vd, *dk, *dv;            /* dense rows of all keys, and VEC more */
    float *qd, *qt, *dyd, *dyt, *p, *ds; /* a group's; qt and dyt transposed, [h][VEC] */
} Head;

typedef struct {
    int first, rows; /* queries */
    int from;        /* their first key */
    int some, all;   /* keys that any query sees, and that all see */
    int seen[VEC];   /* keys that each query sees */
} Group;

static Group group_at(const Head *t, int first) {
    const int32_t *range = t->range + 2 * first;
    Group g = {.first = first, .from = range[0], .all = range[1] - range[0]};
    for (; g.rows < least(VEC, t->queries - first) && range[0] == g.from; g.rows++, range += 2) {
        int n = range[1] - range[0];
        if (n < g.some) break;
        g.some = g.seen[g.rows] = n;
    }
    for (int i = g.rows; i < VEC; i++) g.seen[i] = g.some;
    return g;
}

/* Return how many queries of a group, from the first on, do not see its key j. */
V_FN int blind(const Group *g, int j) {
    int n = 0;
    if (j >= g->all)
        while (n < VEC && g->seen[n] <= j) n++;
    return n;
}

/* Copy x into dense rows, padded with zeros to whole vectors and by VEC rows. */
static void take_rows(const Head *t, float *to, const float *x, int rows, int padded) {
    for (int i = 0; i < padded; i++, to += t->row)
        for (int c = 0; c < t->h; c += VEC)
            v_store(to + c, i < rows ? v_load_first(x + (size_t)i * t->step + c, least(t->h - c, VEC)) : v_zero());
}

/* Copy a group's queries, or their dy: dense, and transposed. */
static void take_group(const Head *t, const Group *g, float *dense, float *turned, const float *x) {
    take_rows(t, dense, x + (size_t)g->first * t->step, g->rows, VEC);
    pack_along(turned, VEC, dense, t->row, 1, VEC, (int)t->row);
}

/* Compute s(key, query) = scale (a(key) . b(query)), b transposed. */
SQUARE_FN void group_dots(float *s, const float *a, size_t row, const float *turned, int keys, int h, float scale) {
    for (; keys > 0; keys -= VEC, a += VEC * row, s += SQUARE) {
        vec t[VEC];
        tile_zero(t, VEC, 1);
        for (int l = 0; l < h; l++) tile_step(t, VEC, 1, a + l, row, turned + l * VEC);
        UNROLL for (int i = 0; i < VEC; i++) v_store(s + i * VEC, v_mul(t[i], v_set(scale)));
    }
}

/* Compute VEC columns of y(query) = sum over the keys it sees of p(key, query) b(key). */
SQUARE_FN void group_sum(float *y, const Group *g, const float *p, const float *b, size_t row) {
    vec t[VEC];
    int j = 0;
    tile_zero(t, VEC, 1);
    for (; j < g->all; j++, p += VEC, b += row) tile_step(t, VEC, 1, p, 1, b);
    for (; j < g->some; j++, p += VEC, b += row) {
        vec line = v_load(b);
        int n = blind(g, j);
        UNROLL for (int i = 0; i < VEC; i++) t[i] = v_first(t[i], v_fma(v_set(p[i]), line, t[i]), i < n ? VEC : 0);
    }
    tile_store(t, VEC, 1, y, VEC);
}

/* Continue VEC columns of the chains y(key), VEC keys from `key` on, over the group's queries that see them: add
 * a(key, query) b(query). */
SQUARE_FN void group_spread(float *y, const Group *g, int key, const float *a, const float *b, size_t row) {
    int count = least(g->some - key, VEC);
    vec t[VEC];
    tile_load(t, VEC, 1, y, row);
    a += key * VEC;
    for (int i = 0; i < g->rows; i++, b += row) {
        int present = g->seen[i] - key;
        vec line = v_load(b);
        if (present >= count) UNROLL for (int j = 0; j < VEC; j++) t[j] = v_fma(v_set(a[j * VEC + i]), line, t[j]);
        else UNROLL for (int j = 0; j < VEC; j++)
            t[j] = v_first(v_fma(v_set(a[j * VEC + i]), line, t[j]), t[j], j < present ? VEC : 0);
    }
    if (count == VEC) tile_store(t, VEC, 1, y, row);
    else UNROLL for (int j = 0; j < VEC; j++)
        if (j < count) v_store(y + (size_t)j * row, t[j]);
}

/* Compute and store a group's rows of y or dq. */
static void put_group(const Head *t, const Group *g, float *to, const float *p, const float *b, bool accumulate) {
    float y[SQUARE];
    to += (size_t)g->first * t->step, b += (size_t)g->from * t->row;
    for (int c = 0; c < t->h; c += VEC) {
        group_sum(y, g, p, b + c, t->row);
        put_rows(to + c, t->step, y, g->rows, least(t->h - c, VEC), accumulate);
    }
}

/* Return a group's number of keys, rounded up to whole squares. */
static int whole_keys(const Group *g) {
    return (g->some + VEC - 1) / VEC * VEC;
}

static void fill_absent(const Group *g, float *s, float value) {
    for (int j = g->all, end = whole_keys(g); j < end; j++)
        v_store(s + j * VEC, v_first(v_set(value), v_load(s + j * VEC), blind(g, j)));
}

/* s <- e^(s - most); absent keys get +0. */
static void group_exp(const Group *g, float *s, vec most) {
    for (int j = 0, end = whole_keys(g); j < end; j += EXPS) {
        vec x[EXPS];
        int n[EXPS];
        UNROLL for (int r = 0; r < EXPS; r++) {
            n[r] = blind(g, j + r);
            x[r] = v_sub(v_first(most, v_load(s + (j + r) * VEC), n[r]), most);
        }
        v_exp_below(x);
        UNROLL for (int r = 0; r < EXPS; r++) v_store(s + (j + r) * VEC, v_first(v_zero(), x[r], n[r]));
    }
}

static void forward_group(Head *t, const Group *g) {
    _Alignas(64) float most[VEC], inverse[VEC];
    const int last = whole_keys(g) / VEC - 1;
    take_group(t, g, t->qd, t->qt, t->q);
    group_dots(t->p, t->kd + (size_t)g->from * t->row, t->row, t->qt, g->some, t->h, t->scale);
    fill_absent(g, t->p, -INFINITY);
    vec largest = band_fold(t->p, last, true);
    group_exp(g, t->p, largest);
    v_store(most, largest), v_store(inverse, band_inverse(t->p, last));
    for (int i = 0; i < g->rows; i++)
        if (!g->seen[i]) most[i] = inverse[i] = 0;
    for (int j = 0; j < g->some; j++) v_store(t->p + j * VEC, v_mul(v_load(t->p + j * VEC), v_load(inverse)));
    v_store_first(t->save + g->first, v_load(most), g->rows);
    v_store_first(t->save + t->queries + g->first, v_load(inverse), g->rows);
    put_group(t, g, t->y, t->p, t->vd, false);
}

/* Compute a group's P and dS from what forward saved. */
static void group_gradient(const Head *t, const Group *g) {
    const float *save = t->save + g->first;
    vec most = v_load_first(save, g->rows), inverse = v_load_first(save + t->queries, g->rows);
    float lanes[CANON_LANES * VEC];
    group_exp(g, t->p, most);
    UNROLL for (int i = 0; i < CANON_LANES; i++) v_store(lanes + i * VEC, v_zero());
    for (int j = 0; j < g->some; j++) {
        float *to = lanes + j % CANON_LANES * VEC;
        vec p = v_mul(v_load(t->p + j * VEC), inverse), old = v_load(to);
        v_store(t->p + j * VEC, p);
        v_store(to, v_first(old, v_fma(p, v_load(t->ds + j * VEC), old), blind(g, j)));
    }
    vec dot = fold_lanes(lanes);
    for (int j = 0; j < g->some; j++) {
        float *ds = t->ds + j * VEC;
        v_store(ds, v_mul(v_mul(v_load(t->p + j * VEC), v_sub(v_load(ds), dot)), v_set(t->scale)));
    }
}

static void backward_group(Head *t, const Group *g) {
    size_t from = (size_t)g->from * t->row;
    take_group(t, g, t->qd, t->qt, t->q), take_group(t, g, t->dyd, t->dyt, t->dy);
    group_dots(t->p, t->kd + from, t->row, t->qt, g->some, t->h, t->scale);
    group_dots(t->ds, t->vd + from, t->row, t->dyt, g->some, t->h, 1);
    group_gradient(t, g);
    if (t->dq) put_group(t, g, t->dq, t->ds, t->kd, t->accumulate);
    for (int c = 0; c < t->h; c += VEC)
        for (int key = 0; key < g->some; key += VEC) {
            size_t at_key = from + (size_t)key * t->row + (size_t)c;
            group_spread(t->dk + at_key, g, key, t->ds, t->qd + c, t->row);
            group_spread(t->dv + at_key, g, key, t->p, t->dyd + c, t->row);
        }
}

/* Store the gradient of a head's keys or values, summed over all queries; to NULL: not wanted. */
static void put_keys(const Head *t, float *to, const float *sum, bool accumulate) {
    for (int j = 0; to && j < t->keys; j++, to += t->step, sum += t->row)
        for (int c = 0; c < t->h; c += VEC) {
            int cols = least(t->h - c, VEC);
            vec y = v_load(sum + c);
            v_store_first(to + c, accumulate ? v_add(v_load_first(to + c, cols), y) : y, cols);
        }
}

/* Set sizes and addresses in scratch; return the bytes used. */
static size_t lay_out(Head *t, const Call *c) {
    int h = c->in[0].cols / c->attr.heads, seq = (c->attr.seq + VEC - 1) / VEC * VEC;
    *t = (Head){.step = (size_t)c->in[0].cols, .row = (size_t)(h + VEC - 1) / VEC * VEC, .h = h,
                .queries = c->in[0].rows, .keys = c->in[1].rows, .scale = 1 / CANON_SQRT((float)h)};
    float **place[] = {&t->kd, &t->vd, &t->dk, &t->dv, &t->qd, &t->qt, &t->dyd, &t->dyt, &t->p, &t->ds};
    float *from = (float *)(((uintptr_t)c->scratch + 63) / 64 * 64);
    size_t used = 0;
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        *place[i] = c->scratch ? from + used : NULL;
        used += (i < 4 ? (size_t)t->keys + VEC : i < 8 ? VEC : 0) * t->row + (i < 8 ? 0 : (size_t)seq * VEC);
    }
    return used * sizeof(float) + 64;
}

static float *column_of(View v, int r, const Head *t, int head) {
    float *x = at(v, r);
    return x ? x + (size_t)head * (size_t)t->h : NULL;
}

static Head head_of(const Call *c, int r, int head) {
    Head t;
    lay_out(&t, c);
    t.q = column_of(c->in[0], r, &t, head), t.k = column_of(c->in[1], r, &t, head);
    t.v = column_of(c->in[2], r, &t, head), t.range = ids(c->in[3], r);
    t.save = at(c->save, r) + (size_t)head * 2 * (size_t)t.queries;
    take_rows(&t, t.kd, t.k, t.keys, t.keys + VEC), take_rows(&t, t.vd, t.v, t.keys, t.keys + VEC);
    return t;
}

static void each_group(Head *t, const Call *c, void (*visit)(Head *, const Group *)) {
    for (int first = 0; first < t->queries;) {
        Group g = group_at(t, first);
        assert(g.from >= 0 && g.all >= 0 && g.some <= c->attr.seq && g.from + g.some <= t->keys);
        visit(t, &g);
        first += g.rows;
    }
}

static void forward(const Call *c) {
    Share heads = call_share(c, c->attr.heads);
    for (int r = 0; r < c->replicas; r++)
        for (int i = heads.from; i < heads.to; i++) {
            Head t = head_of(c, r, i);
            t.y = column_of(c->out, r, &t, i);
            each_group(&t, c, forward_group);
        }
}

static void backward(const Call *c) {
    Share heads = call_share(c, c->attr.heads);
    for (int r = 0; r < c->replicas; r++)
        for (int i = heads.from; i < heads.to; i++) {
            Head t = head_of(c, r, i);
            t.dy = column_of(c->dout, r, &t, i), t.dq = column_of(c->din[0], r, &t, i);
            t.accumulate = c->accumulate[0];
            memset(t.dk, 0, 2 * (size_t)(t.keys + VEC) * t.row * sizeof(float));
            each_group(&t, c, backward_group);
            put_keys(&t, column_of(c->din[1], r, &t, i), t.dk, c->accumulate[1]);
            put_keys(&t, column_of(c->din[2], r, &t, i), t.dv, c->accumulate[2]);
        }
}

static size_t scratch(const Call *c) {
    Head t;
    return lay_out(&t, c);
}

KERNEL(attend, forward, backward, scratch);
