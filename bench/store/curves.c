#include "bench/store/curves.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/metric.h"

void curves_init(Curves *c, int layers, const ProbeChoice *probes) {
    const ProbeChoice usual = probes_usual();
    if (!probes) probes = &usual;
    *c = (Curves){.layers = layers, .every = probes->every, .columns = CURVE_FIXED};
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++) {
        int fixed = (int)curve_of_probe(kind);
        c->at[kind] = !probes->wanted[kind] ? -1 : fixed < CURVE_FIXED ? fixed : c->columns;
        if (c->at[kind] == c->columns) c->columns += probe_info[kind].blocks ? layers : 1;
    }
}

double *curves_add(Curves *c) {
    c->value = mem_grow(c->value, (size_t)(c->rows + 1) * (size_t)c->columns, sizeof *c->value);
    double *row = c->value + (size_t)c->rows++ * (size_t)c->columns;
    for (int i = 0; i < c->columns; i++) row[i] = (double)NAN;
    return row;
}

int curve_column(const Curves *c, ProbeKind kind, int layer) {
    bool there = c->at[kind] >= 0 && (probe_info[kind].blocks ? layer >= 0 && layer < c->layers : layer < 0);
    return there ? c->at[kind] + (layer < 0 ? 0 : layer) : -1;
}

static double number_at(const Curves *c, int row, int column) {
    bool there = row >= 0 && row < c->rows && column >= 0;
    return there ? c->value[(size_t)row * (size_t)c->columns + (size_t)column] : (double)NAN;
}

double curve_at(const Curves *c, int row, CurveColumn column) {
    return number_at(c, row, (int)column);
}

double curve_number(const Curves *c, int row, const CurveInfo *curve, int layer) {
    int i = (int)(curve - curve_info);
    if (i < CURVE_FIXED) return number_at(c, row, i);
    return number_at(c, row, curve_column(c, (ProbeKind)(i - CURVE_FIXED), curve->blocks ? layer : -1));
}

int curve_stride(const Curves *c, const CurveInfo *curve) {
    ProbeKind kind = curve_probe(curve);
    return kind < PROBE_COUNT ? probe_stride(kind, c->every) : 1;
}

bool curves_spike(const Curves *c, int row, CurveColumn column) {
    double sum = 0, squares = 0;
    if (row < METRIC_SPIKE_WINDOW) return false;
    for (int i = row - METRIC_SPIKE_WINDOW; i < row; i++) sum += curve_at(c, i, column);
    double mean = sum / METRIC_SPIKE_WINDOW, x = curve_at(c, row, column);
    for (int i = row - METRIC_SPIKE_WINDOW; i < row; i++) {
        double d = curve_at(c, i, column) - mean;
        squares += d * d;
    }
    return squares > 0 && (x - mean) / sqrt(squares / METRIC_SPIKE_WINDOW) > 6;
}

double curve_mean(const Curves *c, const CurveInfo *curve, int layer, int step) {
    double sum = 0;
    int n = 0;
    for (int row = 0; row < step && row < c->rows; row += curve_stride(c, curve)) {
        double x = curve_number(c, row, curve, layer);
        if (isnan(x) && row + 1 < c->rows && row + 1 < step) continue; /* a skipped step */
        sum += x, n++;
    }
    return n ? sum / n : (double)NAN;
}

/* Append ",grad_norm_0,grad_norm_1" or ",weight_norm"; nothing for a probe with a fixed column or none. */
static void probe_names(const Curves *c, ProbeKind kind, Text *out) {
    const ProbeInfo *info = &probe_info[kind];
    if (c->at[kind] < CURVE_FIXED) return;
    if (!info->blocks) text_format(out, ",%s", info->column);
    for (int l = 0; info->blocks && l < c->layers; l++) text_format(out, ",%s_%d", info->column, l);
}

void curves_rows_text(const Curves *c, int first, Text *out) {
    for (int row = first; row < c->rows; row++) {
        for (int i = 0; i < c->columns; i++) {
            double x = c->value[(size_t)row * (size_t)c->columns + (size_t)i];
            text_format(out, "%s%s", i ? "," : "", isnan(x) ? "" : FORMAT_REAL(x));
        }
        text_add(out, "\n", 1);
    }
}

void curves_text(const Curves *c, Text *out) {
    for (int i = 0; i < CURVE_FIXED; i++) text_format(out, "%s%s", i ? "," : "", curve_info[i].column);
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++) probe_names(c, kind, out);
    text_add(out, "\n", 1);
    curves_rows_text(c, 0, out);
}

/* Return the probe whose column, or whose column of block 0, is called name. */
static ProbeKind named(const char *name) {
    char first[64];
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++) {
        snprintf(first, sizeof first, "%s%s", probe_info[kind].column, probe_info[kind].blocks ? "_0" : "");
        if (!strcmp(name, first)) return kind;
    }
    return PROBE_COUNT;
}

/* Count the columns of a probe's blocks, of which the first was just read, and advance *line past them. */
static int count_blocks(char **line, const char *column) {
    char next[64];
    for (int l = 1;; l++) {
        size_t n = (size_t)snprintf(next, sizeof next, "%s_%d", column, l);
        if (!*line || strncmp(*line, next, n) || ((*line)[n] && (*line)[n] != ',')) return l;
        (void)strsep(line, ",");
    }
}

/* Read the names of the fixed columns, any selection that begins with the step: at[i] is the index in a row of the
 * file's i-th; return how many, and advance line. A column that the file lacks is NaN in every row. */
static int read_fixed(Curves *c, char **line, int at[CURVE_FIXED]) {
    int found = 0;
    bool there[CURVE_FIXED] = {false};
    for (int i; *line; found++) {
        size_t n = strcspn(*line, ",");
        for (i = 0; i < CURVE_FIXED; i++)
            if (!there[i] && strlen(curve_info[i].column) == n && !strncmp(*line, curve_info[i].column, n)) break;
        if (i == CURVE_FIXED || (!found && i != CURVE_step)) break;
        there[i] = true, at[found] = i;
        (void)strsep(line, ",");
    }
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++) {
        int fixed = (int)curve_of_probe(kind);
        c->at[kind] = fixed < CURVE_FIXED && there[fixed] ? fixed : -1;
    }
    c->columns = CURVE_FIXED;
    return found;
}

/* Read the header: fixed columns, then those of probes. line is overwritten. */
static Rc read_header(Curves *c, char *line, int at[CURVE_FIXED], int *fixed, Error *e) {
    *fixed = read_fixed(c, &line, at);
    if (!*fixed)
        return error_set(e, RC_INTEGRITY, "not the columns of a curve: '%.40s'", line ? strsep(&line, ",") : "");
    for (const char *name; (name = strsep(&line, ","));) {
        ProbeKind kind = named(name);
        if (kind == PROBE_COUNT || c->at[kind] >= 0 || curve_of_probe(kind) < CURVE_FIXED)
            return error_set(e, RC_INTEGRITY, "not the columns of a curve: '%.40s'", name);
        c->at[kind] = c->columns;
        int count = probe_info[kind].blocks ? count_blocks(&line, probe_info[kind].column) : 1;
        if (probe_info[kind].blocks && c->layers && c->layers != count)
            return error_set(e, RC_INTEGRITY, "'%.40s' and what stands before it are of different blocks", name);
        if (probe_info[kind].blocks) c->layers = count;
        c->columns += count;
    }
    return RC_OK;
}

/* Read a field's number as strtod does, the usual ones from their digits: a quotient in long double is right to half a
 * unit of its last bit, so that it rounds as the number itself if both its neighbours round alike. */
static double read_number(char *field, char **end) {
    enum { DIGITS = 18, PLACES = 22 };
    static const long double power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,
                                        1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L,
                                        1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L};
    uint64_t whole = 0;
    int digits = 0, places = 0;
    char *s = field + (*field == '-'), *first = s;
    bool point = false;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point && s > first); s++) {
        point |= *s == '.';
        if (*s == '.') continue;
        digits += digits || *s != '0', places += point;
        if (digits > DIGITS || places > PLACES) return strtod(field, end);
        whole = 10 * whole + (uint64_t)(*s - '0');
    }
    if (*s || !digits) return strtod(field, end);
    long double x = (long double)whole / power[places];
    double below = (double)nextafterl(x, 0), above = (double)nextafterl(x, HUGE_VALL);
    if (below < above) return strtod(field, end);
    *end = s;
    return *field == '-' ? -above : above;
}

/* Read plain numbers, empty = NaN, as many per row as the header has columns. */
Rc curves_read(Curves *c, char *text, Error *e) {
    char *line = strtok_r(text, "\n", &text);
    int at[CURVE_FIXED], fixed;
    *c = (Curves){.every = 1};
    if (read_header(c, line, at, &fixed, e)) return e->code;
    while ((line = strtok_r(NULL, "\n", &text))) {
        double *row = curves_add(c);
        for (int i = 0; i < fixed + c->columns - CURVE_FIXED; i++) {
            int column = i < fixed ? at[i] : CURVE_FIXED + i - fixed;
            char *field = strsep(&line, ","), *end;
            if (!field) return error_set(e, RC_INTEGRITY, "row %d is short", c->rows);
            if (!*field) continue;
            row[column] = read_number(field, &end);
            if (*end) return error_set(e, RC_INTEGRITY, "row %d: '%s' is not a number", c->rows, field);
        }
        if (line) return error_set(e, RC_INTEGRITY, "row %d is long", c->rows);
    }
    return RC_OK;
}
