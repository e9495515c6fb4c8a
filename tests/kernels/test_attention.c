/* Attention by tensor cores (kernels/cuda/attention_mma.cuh), run by the shim: as near to the oracle as its factors are
 * to what they are rounded from, and no nearer, with equal bits alone and among replicas; and to the last bit where no
 * rounding can be seen, for which each number must be where PTX wants it. */
#include "base/canon.h"
#include "base/philox.h"
#include "kernels/backend.h"
#include "kernels/cuda/simt/run.h"
#include "tests/test.h"

/* One attention; two sequences of it. */
typedef struct {
    int seq, heads, h;
    bool full, accumulate;
} Case;

enum { SEQUENCES = 2, BLOCKS_MAX = 8, QKV = 3 };
static const double start = 0.25; /* of gradients that are added to */

typedef struct {
    const Backend *backend;
    Queue *queue; /* of a device */
    Call call;
    void *block[BLOCKS_MAX];
    int blocks;
} Run;

static View view_of(Run *r, Role role, int rows, int cols) {
    const size_t bytes = ((size_t)rows * (size_t)cols * r->backend->word[role] + 63) / 64 * 64;
    void *at = aligned_alloc(64, bytes * (size_t)r->call.replicas);
    memset(at, 0xff, bytes * (size_t)r->call.replicas);
    r->block[r->blocks++] = at;
    return (View){at, bytes, rows, cols};
}

static size_t word_of(const Run *r, View v) {
    return r->backend->word[v.at == r->call.save.at ? ROLE_SAVE : ROLE_ACT];
}

static double get(const Run *r, View v, int replica, size_t i) {
    const void *at = (const char *)v.at + (size_t)replica * v.stride;
    const size_t word = word_of(r, v);
    if (word == 2) return (double)rounding_number(precision_word(r->backend->precision), ((const uint16_t *)at)[i]);
    return word == 8 ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

static void set(const Run *r, View v, int replica, size_t i, double x) {
    void *at = (char *)v.at + (size_t)replica * v.stride;
    const size_t word = word_of(r, v);
    if (word == 2)
        ((uint16_t *)at)[i] = rounding_word(precision_word(r->backend->precision), (float)x);
    else if (word == 8)
        ((double *)at)[i] = x;
    else
        ((float *)at)[i] = (float)x;
}

/* A number as a tensor of r has it. */
static double stored(const Run *r, double x) {
    const Word word = precision_word(r->backend->precision);
    return word == WORD_float ? x : (double)rounding_number(word, rounding_word(word, (float)x));
}

static size_t count_of(View v) {
    return (size_t)v.rows * (size_t)v.cols;
}

static void fill(const Run *r, View v, uint64_t seed, uint64_t stream) {
    for (int k = 0; k < r->call.replicas; k++)
        for (size_t i = 0; i < count_of(v); i++)
            set(r, v, k, i, (double)canon_normal(philox_word(seed + (uint64_t)k, stream, i)));
}

/* Replica k has the numbers of `seed` + k. */
static void begin(Run *r, const char *backend, const Case *s, int replicas, uint64_t seed) {
    const int rows = SEQUENCES * s->seq, d = s->heads * s->h;
    *r = (Run){.backend = backend_find(backend, &e)};
    r->call = (Call){.kind = OP_attention, .in_count = 1, .replicas = replicas, .accumulate = {s->accumulate}};
    r->call.attr = (Attr){.heads = s->heads, .seq = s->seq, .full = s->full};
    if (r->backend->device) OK(r->backend->device->open(&r->queue, &e));
    r->call.queue = r->queue;
    r->call.in[0] = view_of(r, ROLE_ACT, rows, QKV * d), r->call.din[0] = view_of(r, ROLE_DACT, rows, QKV * d);
    r->call.out = view_of(r, ROLE_ACT, rows, d), r->call.dout = view_of(r, ROLE_DACT, rows, d);
    r->call.save = view_of(r, ROLE_SAVE, rows, 2 * s->heads);
    const size_t scratch = r->backend->kernel[OP_attention]->scratch(&r->call);
    r->block[r->blocks++] = r->call.scratch = malloc(scratch + 1);
    fill(r, r->call.in[0], seed, 1), fill(r, r->call.dout, seed, 2);
}

static void both_passes(Run *r) {
    const Kernel *k = r->backend->kernel[OP_attention];
    for (int i = 0; r->call.accumulate[0] && i < r->call.replicas; i++)
        for (size_t j = 0; j < count_of(r->call.din[0]); j++) set(r, r->call.din[0], i, j, start);
    k->forward(&r->call);
    k->backward(&r->call);
}

static void finish(Run *r) {
    if (r->queue) r->backend->device->close(r->queue);
    for (int i = 0; i < r->blocks; i++) free(r->block[i]);
}

/* |x - y| and |y| of `cols` columns from `from` on, less what stood there. */
typedef struct {
    double apart, size;
} Norms;

static Norms norms_of(const Run *ours, View x, const Run *oracle, View y, int from, int cols, double less) {
    Norms n = {0, 0};
    for (int r = 0; r < ours->call.replicas; r++)
        for (int i = 0; i < x.rows; i++)
            for (int l = from; l < from + cols; l++) {
                const size_t at = (size_t)i * (size_t)x.cols + (size_t)l;
                const double a = get(ours, x, r, at) - less, b = get(oracle, y, r, at) - less;
                n.apart += (a - b) * (a - b), n.size += b * b;
            }
    return (Norms){sqrt(n.apart), sqrt(n.size)};
}

typedef struct {
    const char *backend;
    double bound; /* of a tensor's relative error */
    bool stored;  /* tensors are of the words of factors: of one key, y is its value, which nothing rounds again */
} Precise;

static const Precise precise[] = {{"simt-tf32", 1e-3, false},
                                  {"simt-bf16", 8e-3, false},
                                  {"simt-fp16-scaled-fast", 1e-3, true},
                                  {"simt-bf16-stored-fast", 8e-3, true}};

static void copy(const Run *to, View a, const Run *from, View b) {
    for (size_t i = 0; i < count_of(a); i++) set(to, a, 0, i, get(from, b, 0, i));
}

static void judge(const Precise *p, const Case *s, const char *what, Norms n, double whole) {
    /* The gradients of the only key's score, and of what makes it, are 0. */
    if (s->seq == 1 && (!strcmp(what, "dq") || !strcmp(what, "dk"))) {
        cr_expect_leq(n.apart, 1e-6 * whole, "%s, T = 1, h = %d: %s is %g", p->backend, s->h, what, n.apart);
        return;
    }
    const double error = n.apart / n.size;
    cr_expect(error <= p->bound, "%s, T = %d, h = %d, full %d, accumulate %d: %s is off by %g", p->backend, s->seq,
              s->h, s->full, s->accumulate, what, error);
    cr_expect(error >= p->bound / 10 || (s->seq == 1 && p->stored),
              "%s, T = %d, h = %d, full %d: %s is off by %g only: nothing was rounded", p->backend, s->seq, s->h,
              s->full, what, error);
}

static void compare(const Precise *p, const Case *s) {
    static const char *const name[QKV] = {"dq", "dk", "dv"};
    Run ours, oracle;
    const int d = s->heads * s->h;
    const double less = s->accumulate ? start : 0;
    begin(&ours, p->backend, s, 1, 11), begin(&oracle, "cpu64", s, 1, 11);
    copy(&oracle, oracle.call.in[0], &ours, ours.call.in[0]);
    copy(&oracle, oracle.call.dout, &ours, ours.call.dout);
    both_passes(&ours), both_passes(&oracle);
    const Norms y = norms_of(&ours, ours.call.out, &oracle, oracle.call.out, 0, d, 0);
    judge(p, s, "y", y, y.size);
    for (int i = 0; i < QKV; i++) {
        const Norms n = norms_of(&ours, ours.call.din[0], &oracle, oracle.call.din[0], i * d, d, less);
        judge(p, s, name[i], n, y.size);
    }
    const Norms saved = norms_of(&ours, ours.call.save, &oracle, oracle.call.save, 0, 2 * s->heads, 0);
    cr_expect_leq(saved.apart, p->bound * saved.size, "%s, T = %d, h = %d: save is off by %g", p->backend, s->seq, s->h,
                  saved.apart / saved.size);
    finish(&ours), finish(&oracle);
}

static const int lengths[] = {1, 7, 16, 33, 64, 100, 130}, widths[] = {4, 6, 8, 16, 20, 32, 64, 128};
#define EACH(i, of) for (size_t i = 0; i < sizeof(of) / sizeof *(of); i++)

Test(attention, is_as_near_to_the_oracle_as_its_factors) {
    EACH(p, precise)
    EACH(i, lengths)
    EACH(j, widths) {
        for (int full = 0; full < 2; full++) {
            const Case s = {lengths[i], widths[j] > 32 ? 1 : 2, widths[j], full, (i + j) % 2};
            compare(&precise[p], &s);
        }
    }
}

static bool same(const Run *r, View x, int replica, View alone) {
    return !memcmp((const char *)x.at + (size_t)replica * x.stride, alone.at, count_of(x) * word_of(r, x));
}

/* And in every order of threads. */
Test(attention, replicas_have_the_bits_they_have_alone) {
    enum { REPLICAS = 3, SEED = 5 };
    EACH(p, precise) {
        EACH(j, widths) {
            const Case s = {70, 1, widths[j], j % 2, false};
            Run all;
            simt_order(0);
            begin(&all, precise[p].backend, &s, REPLICAS, SEED);
            both_passes(&all);
            for (int r = 0; r < REPLICAS; r++) {
                Run alone;
                simt_order(r ? (unsigned)r : SIMT_TOGETHER + 3);
                begin(&alone, precise[p].backend, &s, 1, SEED + (uint64_t)r);
                both_passes(&alone);
                cr_expect(same(&all, all.call.out, r, alone.call.out) &&
                              same(&all, all.call.save, r, alone.call.save) &&
                              same(&all, all.call.din[0], r, alone.call.din[0]),
                          "%s, h = %d: replica %d", precise[p].backend, s.h, r);
                finish(&alone);
            }
            finish(&all);
        }
    }
    simt_order(0);
}

/* Odd numbers that each word of factors has. */
static double whole(uint64_t stream, size_t i) {
    return 2 * (double)philox_below(philox_word(3, stream, i), 64) - 63;
}

/* Queries and keys are codes of numbers in eight columns, +c and -c for 1 and 0: the score of equal codes is so much
 * above all others that the others' weights are 0 in float. */
enum { CODE = 8 };

static void set_code(const Run *r, int row, int from, int number) {
    const int h = r->call.in[0].cols / QKV / r->call.attr.heads;
    const double c = h > 20 ? 32 : 16;
    for (int l = 0; l < r->call.attr.heads * CODE; l++) {
        const int column = from + l / CODE * h + l % CODE;
        set(r, r->call.in[0], 0, (size_t)row * (size_t)r->call.in[0].cols + (size_t)column,
            number >> l % CODE & 1 ? c : -c);
    }
}

/* The key that query i takes; a causal one sees none behind it. */
static int taken(const Case *s, int i) {
    return s->full ? (7 * i + 3) % s->seq : 5 * i % (i + 1);
}

static void set_codes(Run *r, const Case *s) {
    const int d = s->heads * s->h;
    for (size_t i = 0; i < count_of(r->call.in[0]); i++)
        set(r, r->call.in[0], 0, i, (int)(i % (size_t)(QKV * d)) < 2 * d ? 0 : whole(1, i));
    for (size_t i = 0; i < count_of(r->call.dout); i++) set(r, r->call.dout, 0, i, whole(2, i));
    for (int i = 0; i < SEQUENCES * s->seq; i++) set_code(r, i, 0, taken(s, i % s->seq)), set_code(r, i, d, i % s->seq);
}

/* Whether y and dV are what their keys and queries give, to the last bit. */
static void takes_its_key(const char *backend, const Case *s) {
    Run r;
    const int d = s->heads * s->h;
    int wrong[2] = {0, 0};
    begin(&r, backend, s, 1, 1);
    set_codes(&r, s);
    both_passes(&r);
    for (int i = 0; i < SEQUENCES * s->seq; i++) {
        const int first = i / s->seq * s->seq;
        for (int l = 0; l < d; l++) {
            const size_t value = (size_t)(2 * d + l), key = (size_t)(first + taken(s, i - first));
            double dv = 0;
            wrong[0] += get(&r, r.call.out, 0, (size_t)(i * d + l)) != whole(1, key * (size_t)(QKV * d) + value);
            for (int j = 0; j < s->seq; j++)
                dv += taken(s, j) == i - first ? whole(2, (size_t)((first + j) * d + l)) : 0;
            wrong[1] += get(&r, r.call.din[0], 0, (size_t)i * (size_t)(QKV * d) + value) != stored(&r, dv);
        }
    }
    cr_expect(!wrong[0] && !wrong[1], "%s, T = %d, h = %d, full %d: of %d numbers %d of y and %d of dv are wrong",
              backend, s->seq, s->h, s->full, SEQUENCES * s->seq * d, wrong[0], wrong[1]);
    finish(&r);
}

Test(attention, a_query_takes_its_key_to_the_last_bit) {
    EACH(p, precise)
    EACH(i, lengths)
    EACH(j, widths) {
        for (int full = 0; widths[j] >= CODE && full < 2; full++) {
            const Case s = {lengths[i], 2, widths[j], full, false};
            takes_its_key(precise[p].backend, &s);
        }
    }
}

/* Wider heads have the exact stages' bits. */
Test(attention, wide_heads_are_exact) {
    const Case s = {9, 1, 132, false, false};
    Run ours, exact;
    begin(&ours, "simt-bf16", &s, 1, 4), begin(&exact, "readable", &s, 1, 4);
    both_passes(&ours), both_passes(&exact);
    cr_expect(same(&ours, ours.call.out, 0, exact.call.out));
    cr_expect(same(&ours, ours.call.din[0], 0, exact.call.din[0]));
    finish(&ours), finish(&exact);
}
