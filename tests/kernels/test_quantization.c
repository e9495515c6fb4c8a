/* Rounding to eight bits: against every number that FP8 has, decoded here from its fields. */
#include "kernels/quantization.h"
#include "tests/test.h"

typedef struct {
    EightBits format;
    int fraction, bias, codes; /* positive finite codes are 0 .. codes - 1 */
    float (*round)(float x);
} Fp8;

static float e4m3(float x) {
    return quantization_e4m3(x);
}
static float e5m2(float x) {
    return quantization_e5m2(x);
}

/* OCP's tables: E4M3 has no infinity and one NaN, 0x7f; E5M2 keeps the last exponent for both. */
static const Fp8 fp8[] = {{FORMAT_e4m3, 3, 7, 0x7f, e4m3}, {FORMAT_e5m2, 2, 15, 0x7c, e5m2}};

static double decode(const Fp8 *f, int code) {
    int exponent = code >> f->fraction, fraction = code & ((1 << f->fraction) - 1);
    if (!exponent) return ldexp(fraction, 1 - f->bias - f->fraction);
    return ldexp((1 << f->fraction) + fraction, exponent - f->bias - f->fraction);
}

Test(quantization, every_number_of_fp8) {
    for (int k = 0; k < 2; k++) {
        const Fp8 *f = &fp8[k];
        cr_expect_eq(decode(f, f->codes - 1), (double)quantization_most(f->format));
        for (int c = 0; c < f->codes; c++) {
            double x = decode(f, c), next = decode(f, c + 1), middle = (x + next) / 2;
            cr_expect_eq(f->round((float)x), (float)x, "code %d of format %d", c, k);
            cr_expect_eq(f->round((float)-x), (float)-x);
            if (c + 1 == f->codes) continue;
            cr_expect_eq(f->round((float)middle), (float)(c % 2 ? next : x), "the middle above code %d of format %d", c,
                         k);
            cr_expect_eq(f->round(nextafterf((float)middle, 0)), (float)x);
            cr_expect_eq(f->round(nextafterf((float)middle, 1e9f)), (float)next);
        }
        cr_expect_eq(f->round(1e9f), quantization_most(f->format), "saturates");
        cr_expect_eq(f->round(-INFINITY), -quantization_most(f->format));
    }
}

Test(quantization, integers_ties_to_even) {
    for (int i = -127; i < 127; i++) {
        cr_expect_eq(quantization_int8((float)i), (float)i);
        cr_expect_eq(quantization_int8((float)i + 0.5f), (float)(i % 2 ? i + 1 : i));
    }
    cr_expect_eq(quantization_int8(127.4f), 127.0f);
    cr_expect_eq(quantization_int8(1000), 127.0f);
}

/* By hand: max 254, so the scale is 2 (per tensor); the second row alone has max 12.7 and scale 0.1. */
Test(quantization, scales) {
    float x[6] = {254, 3, -7, 12.7f, 1.26f, -0.04f}, y[6];
    for (int i = 0; i < 6; i++) y[i] = x[i];
    quantize(x, 2, 3, QUANTIZATION_int8);
    const float tensor[6] = {254, 4, -8, 12, 2, 0};
    for (int i = 0; i < 6; i++) cr_expect_eq(x[i], tensor[i], "%d: %g", i, (double)x[i]);
    quantize(y, 2, 3, QUANTIZATION_int8_channel);
    const double row[6] = {254, 4, -8, 12.7, 1.3, 0};
    for (int i = 0; i < 6; i++) cr_expect_float_eq(y[i], row[i], 1e-6, "%d: %g", i, (double)y[i]);
}

Test(quantization, nothing_to_scale_by) {
    float zero[3] = {0, -0.0f, 0}, wild[3] = {1, INFINITY, 2}, none[3] = {1, NAN, 2};
    for (int q = 0; q < QUANTIZATION_COUNT; q++) {
        quantize(zero, 1, 3, (Quantization)q);
        quantize(wild, 1, 3, (Quantization)q);
        quantize(none, 1, 3, (Quantization)q);
        cr_expect(zero[0] == 0 && zero[1] == 0 && wild[0] == 1 && isinf(wild[1]) && none[2] == 2 && isnan(none[1]));
    }
}
