/* The sensitivity to the learning rate as text, LaTeX and JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/verdict/sensitivity.h"
#include "bench/write/sensitivity.h"
#include "bench/write/table_json.h"

enum { ROWS_PER_TABLE = 12 }; /* arms, of four lines each */

/* What a reader sees; sensitivity_names stay the keys of JSON. */
static const char *const headings[SENSITIVITY_COUNT] = {"loss at the chosen rate", "largest stable rate",
                                                        "log2 basin width", "sensitivity"};

char *show_rate(char out[SHOWN], double rate) {
    char text[SHOWN], *e;
    if (!isfinite(rate) || (rate >= 1 && rate < 1e5)) return format_real(out, rate);
    for (int digits = 0; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits, rate);
        if (strtod(text, NULL) == rate) break;
    }
    e = strchr(text, 'e');
    snprintf(out, SHOWN, "%.*se%ld", (int)(e - text), text, strtol(e + 1, NULL, 10));
    return out;
}

/* 2^x with two digits: what x, a mean of logarithms, stands for. */
static double power(double x) {
    char text[SHOWN];
    snprintf(text, sizeof text, "%.1e", exp2(x));
    return strtod(text, NULL);
}

/* "3e-3 (1e-3 to 1e-2)": the geometric mean and the range of the seeds, where they differ; "below 3e-4 (none to 3e-4)"
 * where some have none, and "none" where all. */
static void stable_rate(const Sensitivity *y, const SensitivityRow *row, bool latex, Text *out) {
    double least = (double)INFINITY, most = -(double)INFINITY;
    char text[SHOWN];
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
        show_rate(text, sensitivity_none(y, shown[i]) ? y->rate[0] : power(shown[i]));
        if (latex)
            latex_number(out, text);
        else
            text_format(out, "%s", text);
    }
    text_format(out, least < most ? ")" : "");
}

/* "3.412 (0.004)" */
static void number(const Sensitivity *y, const SensitivityRow *row, int q, bool latex, Text *out) {
    char mean[SHOWN], sd[SHOWN];
    if (isnan(row->mean[q])) {
        text_format(out, "n/a");
        return;
    }
    if (q == SENSITIVITY_stable) {
        stable_rate(y, row, latex, out);
        return;
    }
    int decimals = q == SENSITIVITY_basin ? 2 : decimals_for(row->sd[q], 3);
    show_number(mean, row->mean[q], decimals);
    show_number(sd, row->sd[q], decimals);
    if (latex) {
        latex_number(out, mean);
        if (y->seeds > 1) text_format(out, " (%s)", sd);
    } else
        text_format(out, y->seeds > 1 ? "%s (%s)" : "%s", mean, sd);
}

/* The stable rates' difference is one of logarithms: a ratio. */
static void difference(const SensitivityRow *row, int q, bool latex, Text *out) {
    char mean[SHOWN], p[SHOWN];
    if (row->baseline) return;
    const StTci *c = &row->minus[q];
    double adjusted = row->p[q].step;
    bool ratio = q == SENSITIVITY_stable;
    if (isnan(c->mean)) {
        text_format(out, "n/a");
        return;
    }
    if (ratio)
        text_format(out, "%s%s", latex ? "$\\times$" : "x ", show_number(mean, exp2(c->mean), 2));
    else if (show_signed(mean, c->mean, 3) && latex)
        latex_number(out, mean);
    else
        text_format(out, "%s", mean);
    if (c->status == ST_OK) {
        text_format(out, " ");
        show_interval(out, ratio ? exp2(c->lo) : c->lo, ratio ? exp2(c->hi) : c->hi, ratio ? 2 : 3, "", latex);
    }
    if (isnan(adjusted)) return;
    text_format(out, latex ? ", $p$ " : ", p ");
    show_p(p, adjusted);
    if (latex)
        latex_number(out, p);
    else
        text_format(out, "%s", p);
}

static const char method[] = "Each seed's rate is the one that the other seeds choose. The tests swap two arms' runs "
                             "at all rates within a seed and choose anew; p's are adjusted by max-T over all of them.";

void sensitivity_text(const Table *t, Text *out) {
    const Sensitivity *y = table_sensitivity(t);
    char shown[SHOWN];
    Text a, b;
    if (!y) return;
    text_init(&a);
    text_init(&b);
    text_format(out, "\nSensitivity to the learning rate, over");
    for (int k = 0; k < y->rates; k++) text_format(out, " %s", show_rate(shown, y->rate[k]));
    text_format(out, "; mean (SD) over %d seeds; minus %s: [CI], p with floor %s\n", y->seeds,
                t->x->arm[t->sample.baseline].label, show_p(shown, y->floor));
    table_wrapped(method, 2, out);
    for (const SensitivityRow *row = y->row; row < y->row + y->rows; row++) {
        if (row->arm == 0 && y->group[row->group][0]) text_format(out, "  %s\n", y->group[row->group]);
        for (int q = 0; q < SENSITIVITY_COUNT; q++) {
            text_clear(&a);
            text_clear(&b);
            number(y, row, q, false, &a);
            difference(row, q, false, &b);
            text_format(out, "  ");
            show_column(out, q ? "" : t->x->arm[row->arm].label, 18);
            text_format(out, " %-26s %-16s %s\n", headings[q], a.at, b.at);
        }
    }
    text_release(&a);
    text_release(&b);
}

static void begin(const char *caption, Text *out) {
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
    latex_breakable(out, caption);
    text_format(out, "}\n\\scriptsize\n\\begin{tabular}{@{}l l r l@{}}\n\\toprule\n");
    text_format(out, " & & {mean (SD)} & {difference} \\\\\n\\midrule\n");
}

void sensitivity_tex(const Table *t, Text *out) {
    const Sensitivity *y = table_sensitivity(t);
    char shown[SHOWN];
    if (!y) return;
    Text words;
    text_init(&words);
    table_header_comment(t, "sensitivity to the learning rate", out);
    text_format(&words, "%s%s%s: sensitivity to the learning rate over the grid", table_mark(t),
                t->exploratory ? ": " : "", t->x->title);
    for (int k = 0; k < y->rates; k++) text_format(&words, "%s %s", k ? "," : "", show_rate(shown, y->rate[k]));
    text_format(
        &words,
        ". Mean (standard deviation) over n = %d seeds; differences to %s with paired t intervals, p with "
        "floor %s. %s Basin: neighbouring rates up to 0.1 nats above the chosen one. Sensitivity: mean "
        "loss above that at the chosen rate, a loss counting at most as the first. Rates: geometric mean (range), "
        "compared by their ratio; no stable rate counts as one step below the grid.",
        y->seeds, t->x->arm[t->sample.baseline].label, show_p(shown, y->floor), method);
    begin(words.at, out);
    for (const SensitivityRow *row = y->row; row < y->row + y->rows; row++) {
        if (row > y->row && (row - y->row) % ROWS_PER_TABLE == 0) {
            text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
            text_clear(&words);
            text_format(&words, "%s: sensitivity to the learning rate, continued.", t->x->title);
            begin(words.at, out);
        }
        if (row->arm == 0 && row->group) text_format(out, "\\addlinespace\n");
        if (row->arm == 0 && y->group[row->group][0]) {
            text_format(out, "\\multicolumn{4}{@{}l}{\\textit{");
            latex_text(out, y->group[row->group]);
            text_format(out, "}} \\\\\n");
        }
        for (int q = 0; q < SENSITIVITY_COUNT; q++) {
            if (!q) latex_text(out, t->x->arm[row->arm].label);
            text_format(out, " & %s & ", headings[q]);
            number(y, row, q, true, out);
            text_format(out, " & ");
            difference(row, q, true, out);
            text_format(out, " \\\\\n");
        }
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    text_release(&words);
}

json_t *sensitivity_json(const Table *t) {
    const Sensitivity *y = table_sensitivity(t);
    if (!y) return json_null();
    json_t *o = json_object(), *rates = json_array(), *rows = json_array();
    for (int k = 0; k < y->rates; k++) json_array_append_new(rates, json_real(y->rate[k]));
    for (const SensitivityRow *row = y->row; row < y->row + y->rows; row++) {
        json_t *one = json_object();
        json_put_text(one, "group", y->group[row->group]);
        json_put_text(one, "arm", t->x->arm[row->arm].name);
        for (int q = 0; q < SENSITIVITY_COUNT; q++) {
            json_t *number = json_object(), *values = json_array();
            for (int s = 0; s < y->seeds; s++) json_array_append_new(values, json_number_of(row->value[q][s]));
            json_put(number, "mean", row->mean[q]), json_put(number, "sd", row->sd[q]);
            json_object_set_new(number, "values", values);
            const StTci *c = &row->minus[q];
            if (!row->baseline && c->status == ST_OK) {
                json_put(number, "difference", c->mean);
                json_put(number, "lo", c->lo), json_put(number, "hi", c->hi);
            }
            if (!row->baseline && !isnan(row->p[q].step)) json_put(number, "p", row->p[q].step);
            json_object_set_new(one, sensitivity_names[q], number);
        }
        json_object_set_new(one, "seeds_without_stable_rate", json_integer(row->none));
        json_t *chosen = json_array();
        for (int s = 0; s < y->seeds && y->seeds > 1; s++)
            json_array_append_new(chosen, json_real(y->rate[row->chosen[s]]));
        json_object_set_new(one, "chosen_rates", chosen);
        json_array_append_new(rows, one);
    }
    json_object_set_new(o, "rates", rates);
    json_put(o, "floor", y->floor);
    json_object_set_new(o, "rows", rows);
    return o;
}
