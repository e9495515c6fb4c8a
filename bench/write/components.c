/* NAME-components.tex, and the same for the terminal and NAME.json. */
#include "bench/write/components.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/verdict/components.h"
#include "bench/write/stat_json.h"

enum { LABEL = 40, DIGITS = 5 };

static void words(const Table *t, const Components *c, Text *out) {
    const SampleCell *cell = &t->sample.cell[0];
    char conf[40];
    text_format(out,
                "Standard deviation over %d seeds of %s after %d steps. What varies follows the run's seed; the other "
                "draws are those of one seed. Intervals: %s %% chi-square, for normal values; of the sum "
                "Satterthwaite's.",
                c->seeds, metric_info[t->metric].heading, cell->step[cell->steps - 1], table_confidence(t, conf));
    text_format(out, " A source's variance holds its interactions with what is fixed, so that the sum can exceed what "
                     "is found when all vary together. Both come from the same draws, and no test compares them. A run "
                     "that diverged counts as the uniform predictor.");
}

/* "starting weights, batches" */
static void row_name(const ComponentRow *row, int streams, Text *out) {
    int named = 0;
    if (row->all) text_format(out, "all %d together", streams);
    for (int k = 0; k < COMPONENT_STREAMS && !row->all; k++)
        if (row->varies >> k & 1) text_format(out, "%s%s", named++ ? ", " : "", component_names[k]);
    if (!row->varies) text_format(out, "nothing");
}

static void interval(const StSd *sd, bool latex, Text *out) {
    show_interval(out, sd->status == ST_OK ? sd->lo : (double)NAN, sd->hi, DIGITS, st_status_text(sd->status), latex);
}

static void line(const StSd *sd, const char *name, double share, int diverged, Text *out) {
    char number[SHOWN];
    Text one;
    text_init(&one);
    text_format(out, "    ");
    show_column(out, name, LABEL);
    interval(sd, false, &one);
    text_format(out, " %9s %-20s", show_number(number, sd->sd, DIGITS), one.at);
    if (!isnan(share)) text_format(out, " %4.0f %%", 100 * share);
    if (diverged) text_format(out, "  %d diverged", diverged);
    while (out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
    text_format(out, "\n");
    text_release(&one);
}

static void arm_text(const Components *c, const ComponentArm *arm, Text *out) {
    Text name;
    text_init(&name);
    for (int i = 0; i < arm->rows; i++) {
        const ComponentRow *row = &arm->row[i];
        if (row->all) line(&arm->sum, "root of the sum of these variances", (double)NAN, 0, out);
        text_clear(&name);
        row_name(row, c->streams, &name);
        line(&row->sd, name.at, component_share(arm, row), row->diverged, out);
    }
    text_release(&name);
}

void components_text(const Table *t, Text *out) {
    Components c;
    Text head;
    if (!components_make(&c, &t->sample)) return;
    text_init(&head);
    words(t, &c, &head);
    text_format(out, "\nComponents of variance\n");
    table_wrapped(head.at, 0, out);
    text_format(out, "\n    %-*s %9s %-20s %6s\n", LABEL, "what varies", "SD", "[interval]", "of sum");
    for (int i = 0; i < c.groups * c.arms; i++) {
        const ComponentArm *arm = &c.at[i];
        text_format(out, "  %s%s%s\n", t->x->arm[arm->arm].label, c.group[arm->group][0] ? ", " : "",
                    c.group[arm->group]);
        arm_text(&c, arm, out);
    }
    text_release(&head);
    components_release(&c);
}

static void line_tex(const StSd *sd, const char *name, double share, Text *out) {
    char number[SHOWN];
    latex_text(out, name);
    text_format(out, " & ");
    latex_number(out, show_number(number, sd->sd, DIGITS));
    text_format(out, " & ");
    interval(sd, true, out);
    text_format(out, " & ");
    if (!isnan(share)) text_format(out, "%.0f\\,\\%%", 100 * share);
    text_format(out, " \\\\\n");
}

static void arm_tex(const Components *c, const ComponentArm *arm, Text *out) {
    Text name;
    text_init(&name);
    for (int i = 0; i < arm->rows; i++) {
        const ComponentRow *row = &arm->row[i];
        if (row->all) line_tex(&arm->sum, "root of the sum of these variances", (double)NAN, out);
        text_clear(&name);
        row_name(row, c->streams, &name);
        line_tex(&row->sd, name.at, component_share(arm, row), out);
    }
    text_release(&name);
}

static void arm_heading(const Table *t, const Components *c, const ComponentArm *arm, Text *out) {
    text_format(out, "\\multicolumn{4}{@{}l}{\\textit{");
    latex_text(out, t->x->arm[arm->arm].label);
    if (c->group[arm->group][0]) text_format(out, ", ");
    latex_text(out, c->group[arm->group]);
    text_format(out, "}} \\\\\n");
}

void components_tex(const Table *t, Text *out) {
    Components c;
    Text caption;
    if (!components_make(&c, &t->sample)) return;
    text_init(&caption);
    table_header_comment(t, "components of variance", out);
    for (int i = 0; i < c.groups * c.arms; i++) {
        enum { ARMS_PER_TABLE = 4 };
        bool first = i % ARMS_PER_TABLE == 0, last = (i + 1) % ARMS_PER_TABLE == 0 || i + 1 == c.groups * c.arms;
        text_clear(&caption);
        text_format(&caption, "%s%s%s%s. ", table_mark(t), t->exploratory ? ": " : "", t->x->title,
                    i ? ", continued" : "");
        if (!i) words(t, &c, &caption);
        if (first) {
            text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
            latex_breakable(out, caption.at);
            text_format(out, "}\n\\small\n\\begin{tabular}{@{}l r l r@{}}\n\\toprule\n"
                             "what varies & SD & interval & of sum \\\\\n\\midrule\n");
        } else
            text_format(out, "\\addlinespace\n");
        arm_heading(t, &c, &c.at[i], out);
        arm_tex(&c, &c.at[i], out);
        if (last) text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    }
    text_release(&caption);
    components_release(&c);
}

static json_t *sd_json(const StSd *sd) {
    json_t *o = json_status(sd->status);
    json_put(o, "sd", sd->sd), json_put(o, "df", sd->df);
    json_put(o, "lo", sd->lo), json_put(o, "hi", sd->hi);
    return o;
}

static json_t *row_json(const ComponentArm *arm, const ComponentRow *row) {
    json_t *o = sd_json(&row->sd), *varies = json_array();
    for (int k = 0; k < COMPONENT_STREAMS; k++)
        if (row->varies >> k & 1) json_array_append_new(varies, json_string(component_keys[k]));
    json_object_set_new(o, "varies", varies);
    json_put(o, "share_of_sum", component_share(arm, row));
    json_object_set_new(o, "diverged", json_integer(row->diverged));
    return o;
}

json_t *components_json(const Table *t) {
    Components c;
    if (!components_make(&c, &t->sample)) return json_null();
    json_t *list = json_array();
    for (int i = 0; i < c.groups * c.arms; i++) {
        json_t *o = json_object(), *rows = json_array();
        for (int k = 0; k < c.at[i].rows; k++) json_array_append_new(rows, row_json(&c.at[i], &c.at[i].row[k]));
        json_put_text(o, "group", c.group[c.at[i].group]);
        json_put_text(o, "arm", t->x->arm[c.at[i].arm].name);
        json_object_set_new(o, "rows", rows);
        json_object_set_new(o, "sum", sd_json(&c.at[i].sum));
        json_array_append_new(list, o);
    }
    components_release(&c);
    return list;
}
