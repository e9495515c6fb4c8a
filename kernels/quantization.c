#include "kernels/quantization.h"

#include <math.h>

const QuantizationInfo quantization_info[QUANTIZATION_COUNT] = {
#define QUANTIZATION(id, key, format, per_row, metric, what) {key, what, FORMAT_##format, per_row},
#include "kernels/quantizations.def"
#undef QUANTIZATION
};

float quantization_most(EightBits format) {
    return format == FORMAT_int8 ? 127.0f : format == FORMAT_e4m3 ? 448.0f : 57344.0f;
}

static float largest(const float *x, size_t n) {
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        float size = fabsf(x[i]);
        most = size > most || isnan(size) ? size : most;
    }
    return most;
}

/* Quantize n numbers with one scale. */
static void one_scale(float *x, size_t n, EightBits format) {
    float most = largest(x, n), scale = most / quantization_most(format);
    if (!(scale > 0) || !isfinite(most)) return;
    for (size_t i = 0; i < n; i++) {
        float y = x[i] / scale;
        y = format == FORMAT_int8   ? quantization_int8(y)
            : format == FORMAT_e4m3 ? quantization_e4m3(y)
                                    : quantization_e5m2(y);
        x[i] = y * scale;
    }
}

void quantize(float *x, size_t rows, size_t cols, Quantization how) {
    const QuantizationInfo *q = &quantization_info[how];
    if (!q->per_row) rows *= cols, cols = rows, rows = 1;
    for (size_t r = 0; r < rows; r++) one_scale(x + r * cols, cols, q->format);
}
