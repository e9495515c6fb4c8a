/* Decoding token by token: the logits have the bits of a pass over whole sentences. */
#include "datasets/pairs.h"
#include "models/decode.h"
#include "models/trainer.h"
#include "models/trainer_look.h"
#include "tests/test.h"

enum { VOCAB = 11, CONTEXT = 6, BATCH = 4, REPLICAS = 2, SENTENCES = 3, MOST = 5, ROUNDS = 5 };

/* Gates and the like that start at 0 would hide what stands before them. */
static void stir(Trainer *t) {
    for (int i = 0; i < trainer_parameters(t); i++) {
        Parameter p = trainer_parameter(t, i);
        size_t n = (size_t)p.rows * (size_t)p.cols;
        OWNED float *w = mem_alloc(n, sizeof *w);
        for (int r = 0; r < REPLICAS; r++) {
            trainer_read(t, i, r, w);
            for (size_t j = 0; j < n; j++) w[j] += 0.1f + 0.01f * (float)((j * 7 + (size_t)i) % 11);
            trainer_write(t, i, r, w);
        }
    }
}

static Trainer *model(const Variant *v, const char *backend, int threads) {
    static const uint64_t seed[REPLICAS] = {11, 12};
    static const Recipe recipe[REPLICAS] = {{.steps = 1, .init = {0.5, 0.5, 0.5, 0.5}},
                                            {.steps = 1, .init = {0.5, 0.5, 0.5, 0.5}}};
    ModelShape s = {.layers = variant_depth(v, 2),
                    .width = 8,
                    .heads = 2,
                    .context = CONTEXT,
                    .vocab = VOCAB,
                    .batch = BATCH,
                    .ffn_mult = 2,
                    .positions = POSITIONS_LEARNED,
                    .bias = true,
                    .tied = true,
                    .dropout = true,
                    .pairs = true,
                    .shared = true,
                    .norm_eps = 1e-5};
    Trainer *t;
    const Backend *b = backend_find(backend, &e);
    cr_assert(b, "%s", e.text);
    OK(trainer_for_gpt(&t, &s, v, NULL, recipe, seed, REPLICAS, b, &e));
    OK(trainer_share(t, threads, &e));
    stir(t);
    return t;
}

static const int32_t source[SENTENCES][5] = {{3, 1, 4, 1, 5}, {9}, {2, 6, 5}};
static const int sources[SENTENCES] = {5, 1, 3};

/* A sentence so far, the end before its first token not among its tokens. */
typedef struct {
    int of, length;
    int32_t token[CONTEXT];
} Begun;

/* The rows that each pass' rows continue: several one, one none, in another order. */
static const struct {
    int rows, parent[MOST];
} rounds[ROUNDS] = {{3, {-1, -1, -1}}, {5, {0, 0, 1, 2, 2}}, {4, {4, 0, 0, 3}}, {5, {3, 3, 1, 0, 2}}, {2, {4, 2}}};

static void pack_sources(Trainer *t, int replica, FeedRoom *room, PackedRows *rows, int from[], int to[]) {
    packed_begin(rows, room, trainer_feeds(t, replica, room));
    for (int i = 0; i < SENTENCES; i++)
        from[i] = packed_source(rows, source[i], sources[i], 0), to[i] = rows->sources;
}

/* Logits of each sentence's last row, by a pass over all of them. */
static void whole(Trainer *t, int replica, const Begun *b, int count, double out[MOST][VOCAB]) {
    FeedRoom room[TRAINER_FEEDS_MAX];
    PackedRows rows;
    int from[SENTENCES], to[SENTENCES], last[MOST];
    pack_sources(t, replica, room, &rows, from, to);
    for (int i = 0; i < count; i++) {
        packed_target(&rows, b[i].token, b[i].length, 0, false, from[b[i].of], to[b[i].of]);
        last[i] = rows.written - 1;
    }
    trainer_forward(t);
    for (int i = 0; i < count; i++) trainer_logits(t, replica, last[i], out[i]);
}

static void agree(Trainer *t, int replica, const char *what) {
    FeedRoom room[TRAINER_FEEDS_MAX];
    PackedRows rows;
    Begun now[MOST] = {{0}}, next[MOST];
    int from[SENTENCES], to[SENTENCES];
    Decode *d = trainer_decode(t, replica);
    cr_assert(d);
    pack_sources(t, replica, room, &rows, from, to);
    decode_read(d, rows.sources);
    for (int r = 0; r < ROUNDS; r++) {
        int count = rounds[r].rows;
        double got[MOST][VOCAB], expected[MOST][VOCAB];
        rows.written = 0;
        for (int i = 0; i < count; i++) {
            int parent = rounds[r].parent[i], at;
            next[i] = parent < 0 ? (Begun){.of = i} : now[parent];
            at = next[i].length;
            int32_t token = parent < 0 ? 0 : 1 + (3 * r + 2 * i) % (VOCAB - 1);
            if (parent >= 0) next[i].token[next[i].length++] = token, at++;
            packed_token(&rows, token, at, from[next[i].of], to[next[i].of]);
        }
        decode_next(d, rounds[r].parent, count);
        for (int i = 0; i < count; i++) trainer_logits(t, replica, i, got[i]);
        memcpy(now, next, sizeof now);
        whole(t, replica, now, count, expected);
        for (int i = 0; i < count; i++)
            cr_expect(!memcmp(got[i], expected[i], sizeof got[i]), "%s: pass %d, row %d", what, r, i);
        cr_expect(memcmp(got[0], got[1], sizeof got[0]), "rows differ");
    }
    decode_free(d);
}

Test(decode, every_placement_has_the_bits_of_whole_sentences) {
    int tried = 0;
    for (int i = 0; i < variant_count; i++) {
        const Variant *v = &variants[i];
        if (variant_check(v, variant_depth(v, 2), &e)) continue;
        LOCAL(trainer_release) Trainer *t = model(v, "cpu", 1);
        agree(t, i % REPLICAS, v->name), tried++;
    }
    cr_expect_gt(tried, 20);
}

Test(decode, on_every_host_backend_and_with_threads) {
    static const char *const backends[] = {"cpu64", "readable", "portable", "portable-bf16-stored"};
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++)
        for (int threads = 1; threads < 4; threads += 2) {
            LOCAL(trainer_release) Trainer *t = model(variant_find("peri", &e), backends[b], threads);
            agree(t, 0, backends[b]), agree(t, 1, backends[b]);
        }
}
