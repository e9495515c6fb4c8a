/* Every canonical function over all 2^32 words: a golden sum on the vector paths, every 257th word on the others. */
#include "base/canon.h"
#include "kernels/backend.h"
#include "tests/base/canon_sweep.h"
#include "tests/test.h"

static const struct {
    const char *name;
    uint64_t all, some; /* every word; every 257th */
} golden[SWEEP_FUNCTIONS] = {
    {"exp", 0x1847301dd1b5b66cu, 0xfdca011a26541c6au},    {"log", 0x610bed9d78dc15a3u, 0x1c77352c8796a88cu},
    {"tanh", 0xc7bbe7fa37d4898eu, 0x0daa6ec214f18feau},   {"erf", 0x7500dad6ad27d698u, 0x15661cbc33e75bb1u},
    {"sin", 0x94d67fc06ae0c128u, 0x0b9118e39b99e192u},    {"cos", 0x1628d3ceb196835eu, 0x1153d4e1ac120fcdu},
    {"normal", 0xcd41cb8da2ff4f5au, 0xf262159ef85fd38du},
};

static bool can_run(const char *name) {
    return backend_find(name, &e) != NULL;
}

Test(canon_slow, every_float_on_vector_paths, .timeout = 0) {
    int ran = 0;
    for (int f = 0; f < SWEEP_FUNCTIONS; f++) {
#if defined(__x86_64__)
        if (can_run("v4")) {
            cr_assert_eq(v4_canon_sweep(f, 1), golden[f].all, "%s on v4", golden[f].name);
            ran++;
        }
        if (can_run("v3")) {
            cr_assert_eq(v3_canon_sweep(f, 1), golden[f].all, "%s on v3", golden[f].name);
            ran++;
        }
#endif
        cr_assert_eq(portable_canon_sweep(f, 257), golden[f].some, "%s on portable", golden[f].name);
        ran++;
        cr_assert_eq(readable_canon_sweep(f, 257), golden[f].some, "%s on readable", golden[f].name);
        ran++;
    }
    cr_assert(ran >= 2 * SWEEP_FUNCTIONS);
}

static void gelu_both(const Backend *b, float *x, float *dy, float *y, float *dx, int n) {
    const Kernel *k = b->kernel[OP_gelu];
    Call c = {.kind = OP_gelu, .in_count = 1, .replicas = 1, .in = {{x, 0, 1, n}}, .din = {{dx, 0, 1, n}}};
    c.out = (View){y, 0, 1, n}, c.dout = (View){dy, 0, 1, n};
    k->forward(&c);
    k->backward(&c);
}

/* GELU and its slope of every step-th float. */
static void compare_gelu(const char *with, const char *backend, uint64_t step) {
    enum { PIECE = 1 << 20 };
    static float x[PIECE], ones[PIECE], expected[2][PIECE], got[2][PIECE];
    const Backend *right = backend_find(with, &e), *tried = backend_find(backend, &e);
    for (int i = 0; i < PIECE; i++) ones[i] = 1;
    for (uint64_t from = 0; right && tried && from < 1ull << 32; from += PIECE * step) {
        for (uint64_t i = 0; i < PIECE; i++) x[i] = canon_from_bits((uint32_t)(from + i * step));
        gelu_both(right, x, ones, expected[0], expected[1], PIECE);
        gelu_both(tried, x, ones, got[0], got[1], PIECE);
        for (int way = 0; way < 2 && memcmp(expected, got, sizeof got); way++)
            for (int i = 0; i < PIECE; i++)
                cr_assert(canon_to_bits(expected[way][i]) == canon_to_bits(got[way][i]) ||
                              (expected[way][i] != expected[way][i] && got[way][i] != got[way][i]),
                          "%s: %s of %a: %a, expected %a", backend, way ? "slope" : "gelu", (double)x[i],
                          (double)got[way][i], (double)expected[way][i]);
    }
}

/* v4 computes tanh by its own steps, v3 by canon_tanh; both multiply by a half in another place than the readable
 * kernel. */
Test(canon_slow, gelu_of_every_float, .timeout = 0) {
    compare_gelu("readable", "v3", 257);
    compare_gelu("readable", "portable", 257);
    compare_gelu("v3", "v4", 1);
}
