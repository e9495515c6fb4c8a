/* Rounding to words of 16 bits: every word, every border between two, random floats against a reference in double and
 * against the compiler's own type; every backend's rounding, its counts included, against the plain functions. */
#include "base/philox.h"
#include "base/sha256.h"
#include "kernels/backend.h"
#include "tests/test.h"

static const struct {
    Word word;
    const char *name;
    int fraction, least; /* bits behind the point; exponent of the smallest number */
    float (*round)(float);
    double past; /* 2^k: no number of the word, nor is what rounds to it */
} words[] = {{WORD_fp16, "fp16", 10, -24, rounding_fp16, 0x1p16}, {WORD_bf16, "bf16", 7, -133, rounding_bf16, 0x1p128}};
enum { WORDS = sizeof words / sizeof *words };

/* The value of a word of 16 bits, from the definition of its fields; NaN for the words that are none. */
static double decoded(int w, uint32_t bits) {
    int fraction = words[w].fraction, exponents = 1 << (15 - fraction);
    int exponent = (int)(bits >> fraction) % exponents, f = (int)(bits & ((1u << fraction) - 1));
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == exponents - 1) return f ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp((1 << fraction) + f, words[w].least + exponent - 1) : ldexp(f, words[w].least));
}

static bool same(float a, float b) {
    return canon_bits(a) == canon_bits(b);
}

/* The nearest multiple of the word's unit at x, ties to even, by rint of a quotient that is exact. */
static float reference(int w, float x) {
    int exponent;
    double size = fabs((double)x);
    if (isnan(x) || x == 0) return x;
    (void)frexp(size, &exponent);
    int unit = exponent - 1 - words[w].fraction > words[w].least ? exponent - 1 - words[w].fraction : words[w].least;
    double y = isinf(x) ? size : ldexp(rint(ldexp(size, -unit)), unit);
    return (float)copysign(y >= words[w].past ? (double)INFINITY : y, (double)x);
}

Test(rounding, every_word_is_itself) {
    for (int w = 0; w < WORDS; w++) {
        int nans = 0, infinite = 0;
        for (uint32_t bits = 0; bits < 1u << 16; bits++) {
            float x = (float)decoded(w, bits);
            nans += isnan(x) != 0, infinite += isinf(x) != 0;
            cr_assert(same(words[w].round(x), x), "%s %04x: %a", words[w].name, bits, (double)x);
        }
        cr_assert_eq(infinite, 2);
        cr_assert_eq(nans, 2 * ((1 << words[w].fraction) - 1));
    }
}

/* Between two neighbours the half goes to the even word, everything nearer to the nearer one. */
/* As a device stores it: the word of a number is its own again, a quiet NaN's with its bits. */
Test(rounding, words_in_memory) {
    for (int w = 0; w < WORDS; w++)
        for (uint32_t bits = 0; bits < 1u << 16; bits++) {
            const float x = rounding_number(words[w].word, (uint16_t)bits);
            const uint32_t quiet = isnan(x) ? 1u << (words[w].fraction - 1) : 0;
            cr_assert(same(x, (float)decoded(w, bits)) || isnan(x), "%s: word %x", words[w].name, bits);
            cr_assert_eq(isnan(x), isnan(decoded(w, bits)));
            cr_assert_eq(rounding_word(words[w].word, x), bits | quiet, "%s: word %x", words[w].name, bits);
        }
}

Test(rounding, every_border) {
    for (int w = 0; w < WORDS; w++)
        for (uint32_t bits = 0; bits < 1u << 16; bits++) {
            double low = decoded(w, bits), high = decoded(w, bits + 1);
            uint32_t last = bits & 0x7fff;
            if (isnan(low) || isinf(low) || last == 0x7fff) continue;
            if (isinf(high)) high = copysign(words[w].past, low); /* the number that would be next */
            float half = (float)((low + high) / 2);
            float a = (float)low, b = fabs(high) >= words[w].past ? copysignf(INFINITY, (float)low) : (float)high;
            bool exact = (double)half == (low + high) / 2; /* bf16's smallest numbers have no float between them */
            if (exact) cr_assert(same(words[w].round(half), bits & 1 ? b : a), "%s %04x half", words[w].name, bits);
            float less = nextafterf(half, (float)low), more = nextafterf(half, (float)high);
            if (exact) cr_assert(same(words[w].round(less), a), "%s %04x: %a", words[w].name, bits, (double)less);
            if (exact) cr_assert(same(words[w].round(more), b), "%s %04x: %a", words[w].name, bits, (double)more);
        }
}

/* By hand: IEEE 754's largest number, the first that overflows, the half of the smallest, the seams of subnormals. */
Test(rounding, by_hand) {
    static const float fp16[][2] = {{65504, 65504},
                                    {65519.996f, 65504},
                                    {65520, INFINITY},
                                    {-65520, -INFINITY},
                                    {3.4028235e38f, INFINITY},
                                    {0x1p-24f, 0x1p-24f},
                                    {0x1p-25f, 0},
                                    {-0x1p-25f, -0.0f},
                                    {0x1.000002p-25f, 0x1p-24f},
                                    {0x1.8p-24f, 0x1p-23f},
                                    {0x1p-149f, 0},
                                    {0x1.ff4p-15f, 0x1.ffp-15f},
                                    {0x1.ffcp-15f, 0x1p-14f},
                                    {0x1.ffep-15f, 0x1p-14f},
                                    {1 + 0x1p-11f, 1},
                                    {1 + 0x3p-11f, 1 + 0x1p-9f},
                                    {2049, 2048},
                                    {2051, 2052},
                                    {-0.0f, -0.0f}};
    static const float bf16[][2] = {{1 + 0x1p-8f, 1},
                                    {1 + 0x3p-8f, 1 + 0x1p-6f},
                                    {257, 256},
                                    {65504, 65536},
                                    {0x1.fep127f, 0x1.fep127f},
                                    {0x1.fefffep127f, 0x1.fep127f},
                                    {0x1.ffp127f, INFINITY},
                                    {0x1p-133f, 0x1p-133f},
                                    {0x1p-134f, 0},
                                    {0x1.8p-133f, 0x1p-132f},
                                    {0x1p-149f, 0}};
    for (size_t i = 0; i < sizeof fp16 / sizeof *fp16; i++)
        cr_expect(same(rounding_fp16(fp16[i][0]), fp16[i][1]), "%a", (double)fp16[i][0]);
    for (size_t i = 0; i < sizeof bf16 / sizeof *bf16; i++)
        cr_expect(same(rounding_bf16(bf16[i][0]), bf16[i][1]), "%a", (double)bf16[i][0]);
    cr_expect_eq(canon_to_bits(rounding_fp16(canon_from_bits(0xff812345))), 0xffc12000u, "quiet, with its upper bits");
    cr_expect_eq(canon_to_bits(rounding_bf16(canon_from_bits(0x7f812345))), 0x7fc10000u);
}

/* Any bits, and more often those of fp16's range. */
static float any(uint64_t i) {
    uint32_t word = philox_word(9, 1, i);
    return i % 2 ? canon_from_bits(word) : canon_from_bits((word & 0x807fffffu) | (100 + (word >> 23) % 45) << 23);
}

Test(rounding, random_floats_as_in_double) {
    for (uint64_t i = 0; i < 2000000; i++)
        for (int w = 0; w < WORDS; w++) {
            float x = any(i), got = words[w].round(x);
            cr_assert(same(got, reference(w, x)), "%s %a: %a", words[w].name, (double)x, (double)got);
        }
}

#ifdef __FLT16_MAX__
/* The compiler's own type, by its library or an instruction. */
Test(rounding, as_the_compiler_has_it) {
    for (uint64_t i = 0; i < 2000000; i++) {
        volatile _Float16 half = (_Float16)any(i);
        cr_assert(same(rounding_fp16(any(i)), (float)half), "%a", (double)any(i));
    }
}
#endif

enum { REPLICAS = 2, NUMBERS = 1237, ROOM = 1280 };

typedef struct {
    float from[REPLICAS * ROOM], to[REPLICAS * ROOM];
    double wide[REPLICAS * ROOM], wide_to[REPLICAS * ROOM];
    Rounded count[REPLICAS * 3];
    Scalars scalars[REPLICAS];
} Case;

static void fill(Case *c, uint64_t seed) {
    memset(c, 0, sizeof *c);
    for (int r = 0; r < REPLICAS; r++) {
        c->scalars[r].step = 41 + (uint64_t)r;
        for (int i = 0; i < ROOM; i++) {
            float x = any(seed + (uint64_t)(r * ROOM + i));
            c->from[r * ROOM + i] = x, c->wide[r * ROOM + i] = (double)x;
        }
    }
}

/* Replica r's counts, one number after the other. */
static Rounded counted(const Case *c, int w, int r) {
    Rounded n = {0};
    for (int i = 0; i < NUMBERS; i++) {
        float x = c->from[r * ROOM + i], y = words[w].round(x);
        n.infinite += isinf(y) != 0, n.nan += isnan(x) != 0, n.over += fabsf(x) > 65504;
        n.subnormal += y != 0 && fabsf(y) < (w ? 0x1p-126f : 0x1p-14f);
        n.flushed += x != 0 && y == 0;
    }
    n.first = n.over ? c->scalars[r].step + 1 : 0;
    return n;
}

static void check(const Backend *b, int w, int parts) {
    static Case c;
    bool wide = b->word[ROLE_ACT] == sizeof(double);
    fill(&c, 7 * (uint64_t)parts);
    size_t stride = ROOM * b->word[ROLE_ACT];
    Rounding call = {.from = {wide ? (void *)c.wide : c.from, stride, 1, NUMBERS},
                     .to = {wide ? (void *)c.wide_to : c.to, stride, 1, NUMBERS},
                     .word = words[w].word,
                     .replicas = REPLICAS,
                     .scalars = c.scalars,
                     .count = c.count + 1,
                     .count_stride = 3,
                     .parts = parts};
    for (; call.part < parts; call.part++) b->round(&call);
    for (int i = 0; i < REPLICAS * ROOM; i++) {
        float got = wide ? (float)c.wide_to[i] : c.to[i];
        float expected = i % ROOM < NUMBERS ? words[w].round(c.from[i]) : 0;
        bool exact = wide ? same(got, expected) : isnan(got) || canon_to_bits(got) == canon_to_bits(expected);
        if (!wide && isnan(expected)) exact = canon_to_bits(got) == canon_to_bits(expected); /* its bits too */
        cr_assert(exact, "%s to %s: %a became %a", b->name, words[w].name, (double)c.from[i], (double)got);
    }
    for (int r = 0; r < REPLICAS; r++) {
        Rounded expected = counted(&c, w, r);
        cr_assert(!memcmp(&c.count[3 * r + 1], &expected, sizeof expected), "%s to %s, replica %d", b->name,
                  words[w].name, r);
        cr_assert(!c.count[3 * r].infinite && !c.count[3 * r + 2].infinite, "counts of other places");
    }
}

/* Instructions where the machine has them (F16C in v3, AVX-512 in v4), software elsewhere; double rounds at once. */
Test(rounding, every_backend) {
    int ran = 0;
    for (int i = 0; i < backend_count; i++) {
        const Backend *b = backends[i];
        if (!b->round || b->device || !b->supported()) continue;
        for (int w = 0; w < WORDS; w++)
            for (int parts = 1; parts <= 3; parts++, ran++) check(b, w, parts);
    }
    cr_assert_geq(ran, 3 * WORDS * 3, "readable, portable and cpu64 at least");
}

/* A double is rounded once, not first to a float: 1 + 2^-11 + 2^-40 is nearer to 1 + 2^-10, its float is a tie. */
Test(rounding, double_is_rounded_once) {
    double x[] = {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 1e300, -0x1p-26, 0x1.8p-25, 65519.9999};
    const double expected[] = {1 + 0x1p-10, 1, (double)INFINITY, -0.0, 0x1p-24, 65504};
    View v = {x, sizeof x, 1, 6};
    backend_find("cpu64", &e)->round(&(Rounding){.from = v, .to = v, .word = WORD_fp16, .replicas = 1});
    for (int i = 0; i < 6; i++) cr_expect(x[i] == expected[i] && !signbit(x[i]) == !signbit(expected[i]), "%d", i);
}
