#include "bench/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/curve.h"

const MetricInfo metric_info[METRIC_COUNT] = {
#define METRIC(key, header, better, digits, source, help) [METRIC_##key] = {#key, header, help, better, digits},
#include "bench/metrics.def"
#undef METRIC
};

static const char *const curve_names[] = {
#define CURVE(name, help) #name,
#include "bench/curves.def"
};

static const char *const block_names[] = {
#define BLOCK_CURVE(name, help) #name,
#include "bench/curves.def"
};

void curves_init(Curves *c, int layers) {
    *c = (Curves){.layers = layers, .kinds = BLOCK_CURVES, .columns = CURVE_FIXED + BLOCK_CURVES * layers};
}

double *curves_add(Curves *c) {
    c->value = mem_grow(c->value, (size_t)(c->rows + 1) * (size_t)c->columns, sizeof *c->value);
    double *row = c->value + (size_t)c->rows++ * (size_t)c->columns;
    for (int i = 0; i < c->columns; i++) row[i] = (double)NAN;
    return row;
}

int curve_block_column(const Curves *c, BlockCurve kind, int layer) {
    return CURVE_FIXED + (int)kind * c->layers + layer;
}

static double number_at(const Curves *c, int row, int column) {
    return row >= 0 && row < c->rows ? c->value[(size_t)row * (size_t)c->columns + (size_t)column] : (double)NAN;
}

double curve_at(const Curves *c, int row, CurveColumn column) {
    return number_at(c, row, (int)column);
}

double curve_block(const Curves *c, int row, BlockCurve kind, int layer) {
    bool there = (int)kind < c->kinds && layer >= 0 && layer < c->layers;
    return there ? number_at(c, row, curve_block_column(c, kind, layer)) : (double)NAN;
}

bool curves_spike(const Curves *c, int row) {
    enum { WINDOW = 128 };
    double sum = 0, squares = 0;
    if (row < WINDOW) return false;
    for (int i = row - WINDOW; i < row; i++) sum += curve_at(c, i, CURVE_train_loss);
    double mean = sum / WINDOW, x = curve_at(c, row, CURVE_train_loss);
    for (int i = row - WINDOW; i < row; i++) {
        double d = curve_at(c, i, CURVE_train_loss) - mean;
        squares += d * d;
    }
    return squares > 0 && (x - mean) / sqrt(squares / WINDOW) > 6;
}

/* Steps before `step` that belong to its last tenth (at least one). */
static int tail_begin(int step) {
    int tail = step / 10;
    return step - (tail > 0 ? tail : 1);
}

static void fixed_metrics(const Curves *c, int step, double metric[METRIC_COUNT]) {
    static const struct {
        Metric metric;
        CurveColumn column;
        enum { curve_tail, curve_last, curve_count } how;
    } from[] = {{METRIC_train_loss, CURVE_train_loss, curve_tail},
                {METRIC_grad_norm, CURVE_grad_norm, curve_tail},
                {METRIC_update_norm, CURVE_update_norm, curve_tail},
                {METRIC_embedding_norm, CURVE_embedding_norm, curve_last},
                {METRIC_spikes, CURVE_spike, curve_count}};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        double sum = 0;
        int first = from[i].how == curve_count ? 0 : from[i].how == curve_last ? step - 1 : tail_begin(step), n = 0;
        for (int row = first < 0 ? 0 : first; row < step && row < c->rows; row++, n++)
            sum += curve_at(c, row, from[i].column);
        metric[from[i].metric] = from[i].how == curve_count ? sum : n ? sum / n : (double)NAN;
    }
}

double curve_block_mean(const Curves *c, BlockCurve kind, int layer, int step) {
    double sum = 0;
    int n = 0;
    for (; n < step && n < c->rows; n++) sum += curve_block(c, n, kind, layer);
    return n ? sum / n : (double)NAN;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The blocks' metrics; a NaN among the norms makes NaN. */
static void block_metrics(const Curves *c, int step, double metric[METRIC_COUNT]) {
    int n = c->layers, last = n - 1;
    double *x = mem_alloc(3 * (size_t)n + 1, sizeof *x), *index = x + n, *sorted = index + n;
    bool finite = n > 1;
    for (int l = 0; l < n; l++) {
        index[l] = l;
        x[l] = log(curve_block(c, 0, BLOCK_grad_norm, l));
        finite &= isfinite(x[l]);
    }
    if (finite) {
        metric[METRIC_grad_ratio_start] = (x[last] - x[0]) / log(10);
        metric[METRIC_grad_slope_start] = st_line(index, x, (size_t)n).slope;
    }
    finite = n > 1;
    for (int l = 0; l < n; l++) {
        sorted[l] = x[l] = curve_block_mean(c, BLOCK_grad_norm, l, step);
        finite &= isfinite(x[l]) && x[l] > 0;
    }
    if (finite) {
        metric[METRIC_grad_ratio] = log10(x[last] / x[0]);
        double least = x[1], most = x[1];
        for (int l = 2; l < n; l++) least = fmin(least, x[l]), most = fmax(most, x[l]);
        metric[METRIC_grad_spread] = most / least;
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        metric[METRIC_grad_first] = x[0] / (n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2);
    }
    double first = curve_block_mean(c, BLOCK_norm_input, 0, step);
    double end = curve_block_mean(c, BLOCK_norm_input, last, step);
    if (n > 1 && first > 0 && end > 0 && isfinite(end)) metric[METRIC_norm_input_ratio] = log10(end / first);
    free(x);
}

void curve_metrics(const Curves *c, int step, double metric[METRIC_COUNT]) {
    fixed_metrics(c, step, metric);
    if (step > 0) block_metrics(c, step, metric);
}

void curves_text(const Curves *c, Text *out) {
    char number[40];
    for (int i = 0; i < c->columns; i++)
        if (i < CURVE_FIXED)
            text_format(out, "%s%s", i ? "," : "", curve_names[i]);
        else
            text_format(out, ",%s_%d", block_names[(i - CURVE_FIXED) / c->layers], (i - CURVE_FIXED) % c->layers);
    text_add(out, "\n", 1);
    for (int row = 0; row < c->rows; row++) {
        for (int i = 0; i < c->columns; i++) {
            double x = c->value[(size_t)row * (size_t)c->columns + (size_t)i];
            text_format(out, "%s%s", i ? "," : "", isnan(x) ? "" : format_real(number, x));
        }
        text_add(out, "\n", 1);
    }
}

/* The header: the fixed columns, then whole sets of one column per block. */
static Rc read_header(Curves *c, const char *line, Error *e) {
    c->columns = 1;
    for (const char *s = line ? line : ""; *s; s++) c->columns += *s == ',';
    for (const char *s = line ? line : ""; (s = strstr(s, ",grad_norm_")); s++) c->layers++;
    int blocks = c->columns - CURVE_FIXED;
    c->kinds = c->layers ? blocks / c->layers : 0;
    if (!line || blocks < 0 || blocks != c->kinds * c->layers || c->kinds > BLOCK_CURVES)
        return error_set(e, RC_INTEGRITY, "not the columns of a curve");
    return RC_OK;
}

/* Plain numbers, empty = NaN, the header's columns counted. */
Rc curves_read(Curves *c, char *text, Error *e) {
    char *line = strtok_r(text, "\n", &text);
    *c = (Curves){0};
    if (read_header(c, line, e)) return e->code;
    while ((line = strtok_r(NULL, "\n", &text))) {
        double *row = curves_add(c);
        for (int i = 0; i < c->columns; i++) {
            char *field = strsep(&line, ","), *end;
            if (!field) return error_set(e, RC_INTEGRITY, "row %d is short", c->rows);
            if (!*field) continue;
            row[i] = strtod(field, &end);
            if (*end) return error_set(e, RC_INTEGRITY, "row %d: '%s' is not a number", c->rows, field);
        }
        if (line) return error_set(e, RC_INTEGRITY, "row %d is long", c->rows);
    }
    return RC_OK;
}

