#include "bench/store/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "stats/curve.h"
#include "stats/regress.h"

static double measure_nats(const Validation *v, const CurveInfo *curve) {
    (void)curve;
    return v->nll / (double)v->count;
}

static double measure_perplexity(const Validation *v, const CurveInfo *curve) {
    return exp(measure_nats(v, curve));
}

static double measure_bits_per_byte(const Validation *v, const CurveInfo *curve) {
    (void)curve;
    return v->nll / log(2) / (double)v->bytes;
}

static double measure_hits(const Validation *v, const CurveInfo *curve) {
    (void)curve;
    return (double)v->hits / (double)v->count;
}

/* Sum rows first .. step - 1 of a curve of the whole model or, if none of these was measured, take the newest measured
 * row before step; *n: how many rows. A skipped step has no number. */
static double sum_from(const Validation *v, const CurveInfo *curve, int first, int *n) {
    double sum = 0;
    int stride = curve_stride(v->curves, curve), newest = v->step > 0 ? (v->step - 1) / stride * stride : 0;
    *n = 0;
    if (first > newest) first = newest;
    for (int row = first < 0 ? 0 : first; row < v->step && row < v->curves->rows; row++)
        if (row % stride == 0 && !isnan(curve_number(v->curves, row, curve, 0)))
            sum += curve_number(v->curves, row, curve, 0), ++*n;
    return sum;
}

static double mean_from(const Validation *v, const CurveInfo *curve, int first) {
    int n;
    double sum = sum_from(v, curve, first, &n);
    return n ? sum / n : (double)NAN;
}

/* Return the mean over the last tenth of the steps, at least one. */
static double measure_tail(const Validation *v, const CurveInfo *curve) {
    int tail = v->step / 10;
    return mean_from(v, curve, v->step - (tail > 0 ? tail : 1));
}

static double measure_last(const Validation *v, const CurveInfo *curve) {
    int stride = curve_stride(v->curves, curve);
    return mean_from(v, curve, v->step > 0 ? (v->step - 1) / stride * stride : -1);
}

static double measure_count(const Validation *v, const CurveInfo *curve) {
    int n;
    return sum_from(v, curve, 0, &n);
}

/* Count the spikes in a curve's rows before step; the curve has a fixed column. */
static double measure_spikes(const Validation *v, const CurveInfo *curve) {
    int n = 0;
    for (int row = 0; row < v->step && row < v->curves->rows; row++)
        n += curves_spike(v->curves, row, (CurveColumn)(curve - curve_info));
    return n;
}

/* Count the measured rows of a curve before step. */
static int measured_rows(const Validation *v, const CurveInfo *curve) {
    int end = v->step < v->curves->rows ? v->step : v->curves->rows;
    return end > 0 ? (end - 1) / curve_stride(v->curves, curve) + 1 : 0;
}

static int newest_row(const Validation *v, const CurveInfo *curve) {
    return (measured_rows(v, curve) - 1) * curve_stride(v->curves, curve);
}

/* Return a block's mean over measured rows first .. first + count - 1, without skipped steps. */
static double block_mean(const Validation *v, const CurveInfo *curve, int layer, int first, int count) {
    double sum = 0;
    int n = 0, stride = curve_stride(v->curves, curve);
    for (int i = first; i < first + count; i++) {
        double x = curve_number(v->curves, i * stride, curve, layer);
        if (!isnan(x)) sum += x, n++;
    }
    return n ? sum / n : (double)NAN;
}

/* Return a curve of the blocks at a row, or averaged over rows before step; [layers], the caller frees it. NULL: there
 * are fewer than two blocks, or some number is not positive and finite. */
enum { ALL_ROWS = -1 };
static double *block_numbers(const Validation *v, const CurveInfo *curve, int row) {
    const Curves *c = v->curves;
    double *x = mem_alloc((size_t)c->layers, sizeof *x);
    bool good = c->layers > 1 && v->step > 0;
    for (int l = 0; l < c->layers; l++) {
        x[l] = row == ALL_ROWS ? curve_mean(c, curve, l, v->step) : curve_number(c, row, curve, l);
        good &= isfinite(x[l]) && x[l] > 0;
    }
    if (good) return x;
    free(x);
    return NULL;
}

static double measure_start_last_first(const Validation *v, const CurveInfo *curve) {
    OWNED double *x = block_numbers(v, curve, 0);
    return x ? (log(x[v->curves->layers - 1]) - log(x[0])) / log(10) : (double)NAN;
}

static double measure_start_log(const Validation *v, const CurveInfo *curve) {
    double x = curve_number(v->curves, 0, curve, 0);
    return v->step > 0 && x > 0 ? log10(x) : (double)NAN;
}

static double measure_start_slope(const Validation *v, const CurveInfo *curve) {
    double *x = block_numbers(v, curve, 0), out = (double)NAN;
    if (x) {
        size_t n = (size_t)v->curves->layers;
        OWNED double *index = mem_alloc(n, sizeof *index);
        for (size_t l = 0; l < n; l++) index[l] = (double)l, x[l] = log(x[l]);
        out = st_line(index, x, n).slope;
    }
    free(x);
    return out;
}

static double measure_blocks_last_first(const Validation *v, const CurveInfo *curve) {
    OWNED double *x = block_numbers(v, curve, ALL_ROWS);
    return x ? log10(x[v->curves->layers - 1] / x[0]) : (double)NAN;
}

/* Return log10 of a ratio; NaN if it does not exist. */
static double lg_ratio(double above, double below) {
    return above > 0 && below > 0 && isfinite(above) && isfinite(below) ? log10(above / below) : (double)NAN;
}

/* Return a tenth of the measured rows, at least one. */
static int tenth(const Validation *v, const CurveInfo *curve) {
    int rows = measured_rows(v, curve);
    return rows < 10 ? rows > 0 : rows / 10;
}

static double last_over_second(const Validation *v, const CurveInfo *curve, int first, int count) {
    int n = v->curves->layers;
    if (n < 3) return (double)NAN;
    double second = block_mean(v, curve, 1, first, count), last = block_mean(v, curve, n - 1, first, count);
    return lg_ratio(last, second);
}

static double measure_blocks_last_second(const Validation *v, const CurveInfo *curve) {
    return last_over_second(v, curve, 0, measured_rows(v, curve));
}

static double measure_late_last_second(const Validation *v, const CurveInfo *curve) {
    int rows = measured_rows(v, curve), count = tenth(v, curve);
    return last_over_second(v, curve, rows - count, count);
}

static double measure_start_last_second(const Validation *v, const CurveInfo *curve) {
    return last_over_second(v, curve, 0, measured_rows(v, curve) > 0);
}

static double measure_blocks_spread(const Validation *v, const CurveInfo *curve) {
    double *x = block_numbers(v, curve, ALL_ROWS), out = (double)NAN;
    if (x) {
        double least = x[1], most = x[1];
        for (int l = 2; l < v->curves->layers; l++) least = fmin(least, x[l]), most = fmax(most, x[l]);
        out = most / least;
    }
    free(x);
    return out;
}

static double measure_blocks_first_median(const Validation *v, const CurveInfo *curve) {
    double *x = block_numbers(v, curve, ALL_ROWS), out = (double)NAN;
    if (x) {
        int n = v->curves->layers;
        double first = x[0];
        qsort(x, (size_t)n, sizeof *x, st_compare_double);
        out = first / (n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2);
    }
    free(x);
    return out;
}

/* Compare only the first and the last block: others may have no such number. */
static double measure_ends_last_first(const Validation *v, const CurveInfo *curve) {
    int n = v->curves->layers;
    double first = curve_mean(v->curves, curve, 0, v->step), last = curve_mean(v->curves, curve, n - 1, v->step);
    return n > 1 && first > 0 && last > 0 && isfinite(last) ? log10(last / first) : (double)NAN;
}

/* Return NaN: not measured by a whole validation; bench/run/quantized.h fills it in. */
static double measure_apart(const Validation *v, const CurveInfo *curve) {
    (void)v, (void)curve;
    return (double)NAN;
}

/* Return the AIC of an exponential law minus that of a linear law over the blocks, at a row. */
static double law_at(const Validation *v, const CurveInfo *curve, int row) {
    double *x = v->step > 0 ? block_numbers(v, curve, row) : NULL, out = (double)NAN;
    if (x) {
        size_t n = (size_t)v->curves->layers;
        OWNED double *index = mem_alloc(n, sizeof *index);
        for (size_t l = 0; l < n; l++) index[l] = (double)l + 1;
        out = st_growth(index, x, n).delta;
    }
    free(x);
    return out;
}

static double measure_growth_law_start(const Validation *v, const CurveInfo *curve) {
    return law_at(v, curve, 0);
}

static double measure_growth_law(const Validation *v, const CurveInfo *curve) {
    return law_at(v, curve, newest_row(v, curve));
}

static double measure_last_block_growth(const Validation *v, const CurveInfo *curve) {
    int last = v->curves->layers - 1;
    return lg_ratio(curve_number(v->curves, newest_row(v, curve), curve, last),
                    curve_number(v->curves, 0, curve, last));
}

static double measure_end_last_first(const Validation *v, const CurveInfo *curve) {
    int row = newest_row(v, curve), last = v->curves->layers - 1;
    return last > 0 ? lg_ratio(curve_number(v->curves, row, curve, last), curve_number(v->curves, row, curve, 0))
                    : (double)NAN;
}

/* Return the headroom below fp16's largest number. */
static double measure_headroom(const Validation *v, const CurveInfo *curve) {
    double most = 0;
    for (int i = 0; i < measured_rows(v, curve); i++)
        for (int l = 0; l < v->curves->layers; l++)
            most = fmax(most, curve_number(v->curves, i * curve_stride(v->curves, curve), curve, l));
    return lg_ratio(65504, most);
}

/* Average over `count` measured rows and the blocks that have a number; NaN: none has. */
static double mean_of_blocks(const Validation *v, const CurveInfo *curve, int first, int count) {
    double sum = 0;
    int n = 0;
    for (int l = 0; l < v->curves->layers; l++) {
        double x = block_mean(v, curve, l, first, count);
        if (!isnan(x)) sum += x, n++;
    }
    return n && isfinite(sum) ? sum / n : (double)NAN;
}

static double measure_tail_blocks(const Validation *v, const CurveInfo *curve) {
    int count = tenth(v, curve);
    return mean_of_blocks(v, curve, measured_rows(v, curve) - count, count);
}

static double measure_end_mean(const Validation *v, const CurveInfo *curve) {
    return mean_of_blocks(v, curve, measured_rows(v, curve) - 1, measured_rows(v, curve) > 0);
}

/* Return the share that a block adds to the variance of what leaves it, at the newest row that measured it. */
static double added_at(const Validation *v, int layer) {
    const CurveInfo *attn = curve_named("attn_added_var"), *mlp = curve_named("mlp_added_var");
    int newest = v->step < v->curves->rows ? v->step : v->curves->rows;
    for (int row = newest - 1; row >= 0; row--) {
        double share = (curve_number(v->curves, row, attn, layer) + curve_number(v->curves, row, mlp, layer)) /
                       curve_number(v->curves, row, curve_named("block_output_var"), layer);
        if (!isnan(share)) return share;
    }
    return (double)NAN;
}

static double measure_added_share(const Validation *v, const CurveInfo *curve) {
    int last = v->curves->layers - 1;
    (void)curve;
    return last > 1 ? lg_ratio(added_at(v, last), added_at(v, 1)) : (double)NAN;
}

static double flat_of(const Validation *v, const CurveInfo *curve, int first, int count) {
    double least = (double)INFINITY, most = 0;
    for (int l = 0; l < v->curves->layers; l++) {
        double x = block_mean(v, curve, l, first, count);
        if (!(x > 0) || !isfinite(x)) return (double)NAN;
        least = fmin(least, x), most = fmax(most, x);
    }
    return v->curves->layers > 1 ? lg_ratio(most, least) : (double)NAN;
}

static double measure_flat_early(const Validation *v, const CurveInfo *curve) {
    return flat_of(v, curve, 0, tenth(v, curve));
}

static double measure_flat_late(const Validation *v, const CurveInfo *curve) {
    int count = tenth(v, curve);
    return flat_of(v, curve, measured_rows(v, curve) - count, count);
}

/* Use the row of the parameters after `step` updates. */
static double measure_early(const Validation *v, const CurveInfo *curve) {
    int last = v->curves->layers - 1;
    double sum = 0;
    for (int l = 0; l < last; l++) sum += curve_number(v->curves, v->step, curve, l);
    return last > 0 ? sum / last - curve_number(v->curves, v->step, curve, last) : (double)NAN;
}

static double measure_overflows(const Validation *v, const CurveInfo *curve) {
    (void)curve;
    return rounded_overflows(&v->rounded);
}

static double measure_first_overflow(const Validation *v, const CurveInfo *curve) {
    (void)curve;
    return rounded_first_step(&v->rounded);
}

/* Return the factor from loss to bits per byte, which depends only on the text, from any finite validation. */
static double bits_per_nat(const RunRecord *r) {
    for (int i = 0; i < r->evaluations; i++) {
        double loss = r->evaluation[i].metric[METRIC_valid_loss], bits = r->evaluation[i].metric[METRIC_bits_per_byte];
        if (isfinite(bits / loss)) return bits / loss;
    }
    return (double)NAN;
}

static double uniform_none(const RunRecord *r) {
    (void)r;
    return (double)NAN;
}

/* Return 0: a diverged run's translations share nothing with a reference. */
static double uniform_zero(const RunRecord *r) {
    (void)r;
    return 0;
}

static double uniform_nats(const RunRecord *r) {
    return log(r->vocab);
}

static double uniform_perplexity(const RunRecord *r) {
    return r->vocab;
}

static double uniform_bits_per_byte(const RunRecord *r) {
    return log(r->vocab) * bits_per_nat(r);
}

static double uniform_hits(const RunRecord *r) {
    return 1.0 / r->vocab;
}

/* Return the overflows that a diverged run counted until then. */
static double uniform_overflows(const RunRecord *r) {
    return rounded_overflows(&r->rounded);
}

static double uniform_first_overflow(const RunRecord *r) {
    return rounded_first_step(&r->rounded);
}

static const struct {
    double (*measure)(const Validation *v, const CurveInfo *curve);
    double (*uniform)(const RunRecord *r);
} how[METRIC_COUNT] = {
#define METRIC(key, better, digits, matters, measure, reads, uniform, heading, macro, help) \
    [METRIC_##key] = {measure_##measure, uniform_##uniform},
#include "bench/plan/metrics.def"
#undef METRIC
};

void metrics_measure(double metric[METRIC_COUNT], const Validation *v) {
    for (int m = 0; m < METRIC_COUNT; m++) metric[m] = how[m].measure(v, curve_named(metric_info[m].reads));
}

double metric_first(Metric m, const Curves *c) {
    const CurveInfo *curve = curve_named(metric_info[m].reads);
    return curve ? how[m].measure(&(Validation){.curves = c, .step = 1}, curve) : (double)NAN;
}

ProbeKind metric_added(Metric m) {
    return curve_asked(metric_info[m].reads);
}

bool metric_asked(Metric m, const ProbeChoice *asked) {
    return metric_added(m) == PROBE_COUNT || asked->wanted[metric_added(m)];
}

bool metric_quantized(Metric m) {
    static const Metric all[] = {
#define QUANTIZATION(id, key, format, per_row, metric, what) METRIC_##metric,
#include "kernels/quantizations.def"
#include "stats/status.h"
#undef QUANTIZATION
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == m) return true;
    return false;
}

/* Return true for metrics of a run's translations. */
static bool translated_metric(Metric m) {
    return m == METRIC_bleu || m == METRIC_chrf;
}

bool metric_of_curves(Metric m) {
    return m >= METRIC_grad_rise && metric_info[m].reads[0];
}

double metric_made(Metric m, const RunRecord *r, int step) {
    return how[m].measure(&(Validation){.curves = &r->curves, .step = step}, curve_named(metric_info[m].reads));
}

/* Return true if an experiment's tables name a metric. */
static bool metric_shown(Metric m, const Experiment *x) {
    bool shown = x->metric == m;
    for (int i = 0; i < x->rows; i++) shown |= x->row[i].metric == m;
    return shown;
}

bool metric_measured(Metric m, const Experiment *x) {
    if (metric_of_curves(m) && !metric_shown(m, x)) return false;
    bool translates = x->arms && x->arm[0].spec.objective == OBJECTIVE_TRANSLATE;
    if (translated_metric(m)) return translates;
    return metric_asked(m, &x->probes) && (x->quantize || !metric_quantized(m));
}

void metrics_absent(bool absent[METRIC_COUNT], const Curves *c) {
    for (Metric m = 0; m < METRIC_COUNT; m++)
        absent[m] = metric_of_curves(m) ||
                    (metric_added(m) < PROBE_COUNT && (!c->columns || c->at[metric_added(m)] < 0));
}

bool metric_lacking(Metric m, const RunRecord *r) {
    const CurveInfo *curve = curve_named(metric_info[m].reads);
    ProbeKind kind = curve ? curve_probe(curve) : PROBE_COUNT;
    long end = r->diverged_step >= 0 ? r->diverged_step : (long)r->spec.steps;
    bool whole = r->curves.rows >= end;
    if (metric_of_curves(m) && m != METRIC_grad_rise_start && !whole) return true;
    return kind < PROBE_COUNT && r->probes.every && !r->probes.wanted[kind];
}

double metric_uniform(Metric m, const RunRecord *r) {
    return how[m].uniform(r);
}

bool metric_has_uniform(Metric m) {
    return how[m].uniform != uniform_none;
}
