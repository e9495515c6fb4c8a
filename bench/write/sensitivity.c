/* The sensitivity to the learning rate, as tables (bench/verdict/sensitivity.h). */
#include "bench/verdict/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/write/summaries.h"

/* What a reader sees; sensitivity_names stay the keys of JSON. */
static const char *const headings[SENSITIVITY_COUNT] = {"loss at the chosen rate", "largest stable rate",
                                                        "log2 basin width", "sensitivity"};

/* 2^x with two digits: what x, a mean of logarithms, stands for. */
static double power(double x) {
    return strtod(SHOW_TEXT("%.1e", exp2(x)), NULL);
}

/* "3e-3 (1e-3 to 1e-2)": the geometric mean and the range of the seeds, where they differ; "below 3e-4 (none to 3e-4)"
 * where some have none, and "none" where all. */
static void stable_rate(const Sensitivity *y, const SensitivityRow *row, Text *out) {
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (int s = 0; s < y->seeds; s++) {
        double x = row->value[SENSITIVITY_stable][s];
        least = fmin(least, x), most = fmax(most, x);
    }
    const double shown[] = {row->mean[SENSITIVITY_stable], least, most};
    static const char *const before[] = {"", " (", " to "};
    for (int i = 0; i < (least < most ? 3 : 1); i++) {
        text_format(out, "%s", before[i]);
        if (sensitivity_none(y, shown[i]) && (i || row->none == y->seeds)) {
            text_format(out, "none");
            continue;
        }
        text_format(out, "%s", sensitivity_none(y, shown[i]) ? "below " : "");
        text_format(out, "%s", FORMAT_RATE(sensitivity_none(y, shown[i]) ? y->rate[0] : power(shown[i])));
    }
    text_format(out, least < most ? ")" : "");
}

static void mean_cells(const Sensitivity *y, const SensitivityRow *row, int q, Cells *c) {
    int decimals = q == SENSITIVITY_basin ? 2 : decimals_for(row->sd[q], 3);
    if (isnan(row->mean[q])) {
        cell_number(c, row->mean[q], 0), cell_none(c);
    } else if (q == SENSITIVITY_stable) {
        LOCAL_TEXT(shown);
        stable_rate(y, row, &shown);
        cell_shown(c, row->mean[q], shown.at), cell_shown(c, row->sd[q], "");
    } else {
        cell_number(c, row->mean[q], decimals);
        y->seeds > 1 ? cell_number(c, row->sd[q], decimals) : cell_none(c);
    }
}

/* The stable rates' difference is one of logarithms: a ratio. */
static void rate_difference(const SensitivityRow *row, int q, Cells *c) {
    char shown[SHOWN + 8];
    const StTci *i = &row->minus[q];
    bool ratio = q == SENSITIVITY_stable, ok = i->status == ST_OK;
    if (row->baseline || isnan(i->mean)) {
        cell_text(c, row->baseline ? "" : "n/a"), cell_none(c), cell_none(c);
        return;
    }
    if (ratio)
        snprintf(shown, sizeof shown, "x %s", SHOW_NUMBER(exp2(i->mean), 2));
    else
        show_signed(shown, i->mean, 3);
    cell_shown(c, ratio ? exp2(i->mean) : i->mean, shown);
    ok ? cell_interval(c, ratio ? exp2(i->lo) : i->lo, ratio ? exp2(i->hi) : i->hi, ratio ? 2 : 3, "") : cell_none(c);
    isnan(row->p[q].step) ? cell_none(c) : cell_p(c, row->p[q].step);
}

static void words(const Table *t, const Sensitivity *y, Text *out) {
    text_format(out, "The learning rates are");
    for (int k = 0; k < y->rates; k++) text_format(out, "%s %s", k ? "," : "", FORMAT_RATE(y->rate[k]));
    text_format(out,
                ". Numbers are means and standard deviations over n = %d seeds; differences to %s have paired t "
                "intervals; the smallest possible p is %s. Each seed's rate is the one that the other seeds choose. "
                "The tests swap two arms' runs at all rates within a seed and choose the rates anew; p's are adjusted "
                "by max-T over all of them. The basin is the neighbouring rates whose loss is up to 0.1 nats above "
                "that at the chosen one. Sensitivity is the mean over the rates of the loss above that at the chosen "
                "rate, where a loss counts at most as the first. Rates are geometric means (range) and are compared by "
                "their ratio; no stable rate counts as one step below the grid.",
                y->seeds, t->x->arm[t->sample.baseline].label, SHOW_P(y->floor));
}

static void arm_rows(const Table *t, const Sensitivity *y, const SensitivityRow *row, Cells *c) {
    for (int q = 0; q < SENSITIVITY_COUNT; q++) {
        cells_row(c);
        cell_text(c, q ? "" : t->x->arm[row->arm].label);
        cell_text(c, headings[q]);
        mean_cells(y, row, q, c);
        rate_difference(row, q, c);
        cell_text(c, t->x->arm[row->arm].name);
        cell_text(c, sensitivity_names[q]);
        cell_integer(c, row->none);
    }
}

/* What every seed had, for programs. */
static void seeds(const Table *t, const Sensitivity *y, CellsList *out) {
    Cells *c = cells_add(out, "seeds", "");
    c->data = true;
    cells_columns(c, {"arm", "X", ""}, {"seed", "X", ""}, {"chosen_rate", "X", ""});
    for (int q = 0; q < SENSITIVITY_COUNT; q++) cells_column(c, sensitivity_names[q], 'X', "");
    for (const SensitivityRow *row = y->row; row < y->row + y->rows; row++) {
        if (row->arm == 0) cells_heading(c, y->group[row->group]);
        for (int s = 0; s < y->seeds; s++) {
            cells_row(c);
            cell_text(c, t->x->arm[row->arm].name);
            cell_integer(c, (long)t->x->seed[s]);
            cell_exact(c, y->seeds > 1 ? y->rate[row->chosen[s]] : (double)NAN);
            for (int q = 0; q < SENSITIVITY_COUNT; q++) cell_exact(c, row->value[q][s]);
        }
    }
}

void sensitivity_tables(const Table *t, CellsList *out) {
    const Sensitivity *y = table_sensitivity(t);
    if (!y) return;
    Cells *c = cells_add(out, "sensitivity", "Sensitivity to the learning rate");
    const char *over = HEAD_MINUS(t);
    words(t, y, &c->caption);
    cells_columns(c, {NULL, "l", "arm"}, {NULL, "l", ""});
    c->stub = c->columns;
    cells_columns(c, {"mean", "r", "mean"}, {"sd", "r", "SD"}, {"difference", "r", "difference", over},
                  {"difference", "i", "[CI]", over}, {"p", "r", "p_adj"}, {"arm", "X", ""}, {"quantity", "X", ""},
                  {"seeds_without_stable_rate", "X", ""});
    for (const SensitivityRow *row = y->row; row < y->row + y->rows; row++) {
        if (row->arm == 0 && y->group[row->group][0])
            cells_heading(c, y->group[row->group]);
        else
            cells_space(c);
        arm_rows(t, y, row, c);
    }
    seeds(t, y, out);
}
