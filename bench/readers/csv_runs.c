/* Runs in CSV: charts of Weights & Biases, tables with a row for every run, and the metrics of one run, a line a step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/formats/csv.h"
#include "bench/readers/readers.h"

/* Where the last " - " of "run - metric" begins; NULL: there is none. */
static const char *metric_of(const char *name) {
    const char *found = NULL;
    for (const char *at = name; (at = strstr(at, " - ")); at++) found = at;
    return found;
}

bool chart_is(const LogFile *file) {
    int runs = 0;
    if (file->fields < 2 || metric_of(file->field[0])) return false;
    for (int i = 1; i < file->fields; i++) runs += metric_of(file->field[i]) != NULL;
    return runs == file->fields - 1;
}

/* What a column of a chart is. */
typedef struct {
    int log, band; /* log: -1: no run's; band: the column of the run it is the __MIN or __MAX of; -1: of none */
    const char *metric;
} ChartColumn;

static int column_called(const LogFile *file, const char *name) {
    for (int i = 0; i < file->fields; i++)
        if (!strcmp(file->field[i], name)) return i;
    return -1;
}

static void chart_column(const LogFile *file, int i, int reader, Logs *out, ChartColumn *c) {
    char run[600], bare[1200], unit[4800], folder[4100];
    const char *name = file->field[i], *metric = metric_of(name);
    *c = (ChartColumn){-1, -1, NULL};
    if (!metric || text_ends(name, " - _step")) return;
    if (text_ends(name, "__MIN") || text_ends(name, "__MAX")) {
        snprintf(bare, sizeof bare, "%.*s", (int)strlen(name) - 5, name);
        c->band = column_called(file, bare);
        if (c->band >= 0) return;
    }
    snprintf(run, sizeof run, "%.*s", (int)(metric - name), name);
    log_folder(folder, sizeof folder, file->path, 0);
    snprintf(unit, sizeof unit, "%s\n%s", folder, run);
    if (column_called(file, name) < i) { /* runs of one name: none is a part of another */
        size_t n = strlen(unit);
        snprintf(unit + n, sizeof unit - n, "\n%d", i);
    }
    c->log = out->count, c->metric = metric + 3;
    Log *log = logs_add(out, reader, file->path, run, unit);
    if (!log_is_step(file->field[0])) log_doubt(log, "its x axis is '%.80s', no count of steps", file->field[0]);
    if (strstr(run, ": ")) log_fault(log, "a chart of groups: '%.80s' is a mean of runs, not a run", run);
}

/* A cell of a chart: empty ones were not measured. */
static bool cell(const char *text, double *value) {
    return text[0] && log_number(text, value);
}

static void chart_line(const Csv *c, const ChartColumn *column, double step, Logs *out) {
    for (int i = 1; i < c->fields; i++) {
        double x, middle;
        if (!cell(c->field[i], &x)) continue;
        if (column[i].log >= 0) log_point(&out->log[column[i].log], column[i].metric, step, x);
        if (column[i].band < 0 || !cell(c->field[column[i].band], &middle) || x == middle) continue;
        if (isnan(x) && isnan(middle)) continue;
        Log *log = &out->log[column[column[i].band].log];
        if (!strstr(log->doubt ? log->doubt : "", "smoothed"))
            log_doubt(log, "a smoothed or grouped chart: its __MIN and __MAX differ from its line");
    }
}

static Csv begin(const LogFile *file, char **copy) {
    *copy = memcpy(mem_alloc(file->text_length + 1, 1), file->text, file->text_length);
    Csv c = {.file = file->path, .at = *copy, .end = *copy + file->text_length};
    csv_begin(&c);
    return c;
}

/* Note of runs from `first` on how their file writes numbers. */
static void note_marks(const Csv *c, const LogFile *file, const char *only, Logs *out, int first) {
    for (int i = first; i < out->count; i++) {
        out->log[i].written = csv_written(c);
        for (int k = 0; k < file->fields; k++) {
            const char *metric = only ? only : file->field[k];
            for (int s = 0; s < out->log[i].count && csv_percent(c, k); s++)
                if (!strcmp(log_kindless(out->log[i].series[s].name), metric)) out->log[i].series[s].percent = true;
        }
    }
}

/* The next line with as many fields as the header. false: at the end, or *rc; a last line that breaks off is skipped.
 */
static bool next(Csv *c, int fields, bool *broken, Rc *rc, Error *e) {
    if (!csv_next(c, rc, e)) return false;
    *broken = c->fields != fields || *rc;
    if (!*broken) return true;
    if (c->at >= c->end) {
        *rc = RC_OK;
        return false;
    }
    if (!*rc) *rc = error_set(e, RC_USAGE, "%s: %d fields where the header has %d", c->where, c->fields, fields);
    return false;
}

Rc chart_read(const LogFile *file, int reader, Logs *out, Error *e) {
    char *copy;
    LOCAL(csv_release) Csv c = begin(file, &copy);
    Rc rc = RC_OK;
    bool broken = false;
    int first = out->count;
    ChartColumn *column = mem_alloc((size_t)file->fields, sizeof *column);
    for (int i = 0; i < file->fields; i++) chart_column(file, i, reader, out, &column[i]);
    if (csv_next(&c, &rc, e) && !rc)
        while (next(&c, file->fields, &broken, &rc, e)) {
            double step;
            if (log_number(c.field[0], &step)) chart_line(&c, column, step, out);
        }
    for (int i = 0; i < file->fields; i++) {
        if (column[i].log < 0) continue;
        Log *log = &out->log[column[i].log];
        log->written = csv_written(&c);
        if (csv_percent(&c, i) && log->count) log_percent(log, column[i].metric);
    }
    for (int i = first; broken && !rc && i < out->count; i++)
        log_doubt(&out->log[i], "the file's last line breaks off");
    for (int i = first; i < out->count; i++)
        if (!out->log[i].count && !out->log[i].fault) log_fault(&out->log[i], "its column holds no numbers");
    free(copy), free(column);
    return rc;
}

/* Whether a row of a table is a run: it has a name, or a seed and no step. */
static int name_column(const LogFile *file) {
    static const char *const names[] = {"Name",   "run_name", "Run Name", "tags.mlflow.runName",
                                        "run_id", "Run ID",   "run",      "Experiment"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (log_column(file, names[i]) >= 0) return log_column(file, names[i]);
    return -1;
}

static int named(const LogFile *file, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (log_column(file, names[i]) >= 0) return log_column(file, names[i]);
    return -1;
}

static int state_column(const LogFile *file) {
    static const char *const names[] = {"State", "status"};
    return named(file, names, 2);
}

bool runs_table_is(const LogFile *file) {
    if (file->fields < 3) return false;
    if (name_column(file) >= 0) return true;
    return log_column(file, "seed") >= 0;
}

bool lightning_is(const LogFile *file) {
    return log_column(file, "step") >= 0 && log_column(file, "epoch") >= 0 && name_column(file) < 0 &&
           log_column(file, "seed") < 0 && file->fields > 2;
}

bool keras_is(const LogFile *file) {
    return file->fields > 1 && !strcmp(file->field[0], "epoch") && log_column(file, "step") < 0 &&
           log_column(file, "seed") < 0 && log_column(file, "arm") < 0;
}

bool curve_csv_is(const LogFile *file) {
    return file->fields > 1 && log_step_column(file) >= 0 && log_column(file, "seed") < 0 &&
           log_column(file, "arm") < 0;
}

/* Of dvclive/plots/metrics/val/loss.tsv: the run is dvclive, the metric val/loss. NULL: it is no such path. */
static char *dvclive_metric(Log *log) {
    const char *below = strstr(log->path, "/plots/metrics/");
    if (!below) return NULL;
    char *metric = mem_text(below + strlen("/plots/metrics/"));
    metric[log_stem(metric)] = 0;
    free(log->unit);
    log->unit = mem_text(log->path);
    log->unit[below - log->path] = 0;
    Text path;
    text_init(&path);
    text_format(&path, "%s%s", log->unit, strrchr(log->path, '/'));
    free(log->path);
    log->path = path.at;
    return metric;
}

/* What stands in a column beside numbers. */
typedef struct {
    bool numbers, unlike; /* unlike: texts differ */
    char text[64];
    long line; /* of the text; 0: there is none */
} Odd;

static bool is_kind(const char *name) {
    for (int i = 0; i < LOG_KINDS; i++)
        if (!strcasecmp(name, log_kinds[i])) return true;
    return false;
}

/* Text among the numbers of a column is doubtful; a column of text is a setting, or the fault where no column has
 * numbers, or says what kind each line is. */
static void say_odd(const LogFile *file, const Odd *odd, Log *log) {
    if (!log->count) log_fault(log, "no line holds a number");
    for (int i = 0; i < file->fields; i++) {
        if (!odd[i].line) continue;
        if (!log->count)
            log_fault(log, "no line holds a number: its %.80s on line %ld is '%s'%s", file->field[i], odd[i].line,
                      odd[i].text, strchr(odd[i].text, ',') ? " (decimals take a point)" : "");
        if (odd[i].numbers)
            log_doubt(log, "its %.80s on line %ld is '%s', no number", file->field[i], odd[i].line, odd[i].text);
        else if (!odd[i].unlike || !is_kind(file->field[i]))
            log_setting(log, file->field[i], odd[i].text);
    }
}

static void kind_of(const LogFile *file, const Csv *c, char *out, size_t size) {
    out[0] = 0;
    for (int i = 0; i < LOG_KINDS && !out[0]; i++) {
        int at = log_column(file, log_kinds[i]);
        if (at >= 0 && log_is_split(c->field[at])) log_kind(out, size, c->field[at]); /* not a stage of training */
    }
}

static void curve_line(const LogFile *file, const Csv *c, double step, const char *only, Odd *odd, Log *log) {
    char kind[40], metric[700];
    kind_of(file, c, kind, sizeof kind);
    for (int i = 0; i < c->fields; i++) {
        double x;
        if (log_is_step(file->field[i]) || log_is_clock(file->field[i]) || log_absent(c->field[i])) continue;
        if (log_number(c->field[i], &x)) {
            snprintf(metric, sizeof metric, "%s%s%.600s", kind, kind[0] ? "." : "", only ? only : file->field[i]);
            log_point(log, metric, step, x);
            odd[i].numbers = true;
        } else if (!odd[i].line) {
            odd[i].line = c->line;
            snprintf(odd[i].text, sizeof odd[i].text, "%.60s", c->field[i]);
        } else
            odd[i].unlike |= strncmp(odd[i].text, c->field[i], 60) != 0;
    }
}

/* Steps of a curve's file that are no numbers. */
typedef struct {
    Odd first;
    int lines;
    bool last; /* the last line has one */
} OddSteps;

/* The step of a line, which is that of the line before where it is empty. false: it is no number. */
static bool step_of(const LogFile *file, const Csv *c, int at, OddSteps *odd, double *step) {
    const char *text = c->field[at];
    double x;
    odd->last = !log_number(text, &x) && !log_absent(text) && strcmp(text, file->field[at]) != 0;
    if (!odd->last && log_number(text, &x) && !isnan(x)) *step = x;
    if (odd->last && !odd->lines++) {
        odd->first.line = c->line;
        snprintf(odd->first.text, sizeof odd->first.text, "%.60s", text);
    }
    return !odd->last;
}

/* A word in the place of the last line's step is a footer's, such as "mean"; what else is no number might be a step. */
static void say_steps(const char *column, const OddSteps *odd, Log *log) {
    bool footer = odd->lines == 1 && odd->last && !strpbrk(odd->first.text, "0123456789");
    if (footer)
        log_doubt(log, "its %.80s on line %ld, the last, is '%s', no number; the line is not read", column,
                  odd->first.line, odd->first.text);
    else if (odd->lines)
        log_fault(log, "its %.80s on line %ld is '%s', no number", column, odd->first.line, odd->first.text);
}

Rc curve_csv_read(const LogFile *file, int reader, Logs *out, Error *e) {
    char *copy;
    LOCAL(csv_release) Csv c = begin(file, &copy);
    Rc rc = RC_OK;
    bool broken = false;
    int at = log_step_column(file);
    double step = 0;
    OddSteps odd_steps = {0};
    Log *log = logs_add(out, reader, file->path, "", NULL);
    OWNED char *only = dvclive_metric(log);
    OWNED Odd *odd = mem_alloc((size_t)file->fields + 1, sizeof *odd);
    if (at < 0) rc = error_set(e, RC_USAGE, "%.600s: no column counts steps (step, global_step, epoch)", file->path);
    if (!rc && csv_next(&c, &rc, e) && !rc)
        while (next(&c, file->fields, &broken, &rc, e)) {
            if (step_of(file, &c, at, &odd_steps, &step)) curve_line(file, &c, step, only, odd, log);
        }
    say_odd(file, odd, log);
    if (!rc) say_steps(file->field[at], &odd_steps, log);
    note_marks(&c, file, only, out, out->count - 1);
    log_unkind(log);
    if (broken) log_doubt(log, "its last line breaks off");
    free(copy);
    return rc;
}

static void table_row(const LogFile *file, const Csv *c, int name, int state, Log *log) {
    for (int i = 0; i < c->fields; i++) {
        double x;
        if (i == name || !c->field[i][0]) continue;
        log_setting(log, file->field[i], c->field[i]);
        if (log_number(c->field[i], &x)) log_point(log, file->field[i], 0, x);
    }
    if (name >= 0) log_setting(log, file->field[name], c->field[name]);
    if (state >= 0) log_state(log, file->field[state], c->field[state]);
}

/* A table that somebody already averaged: "loss_mean" beside "loss_std". */
static const char *averaged(const LogFile *file) {
    for (int i = 0; i < file->fields; i++) {
        char other[300];
        if (!text_ends(file->field[i], "_mean")) continue;
        snprintf(other, sizeof other, "%.*s_std", (int)strlen(file->field[i]) - 5, file->field[i]);
        if (log_column(file, other) >= 0) return file->field[i];
    }
    return NULL;
}

Rc runs_table_read(const LogFile *file, int reader, Logs *out, Error *e) {
    char *copy;
    const char *mean = averaged(file);
    Rc rc = RC_OK;
    bool broken = false;
    int name = name_column(file), state = state_column(file);
    if (mean)
        return error_set(e, RC_USAGE, "%.600s: '%.80s' is a mean over runs; a table with a row for every run is needed",
                         file->path, mean);
    LOCAL(csv_release) Csv c = begin(file, &copy);
    int first = out->count;
    if (csv_next(&c, &rc, e) && !rc)
        while (next(&c, file->fields, &broken, &rc, e)) {
            char line[40];
            snprintf(line, sizeof line, "row %ld", c.line);
            Log *log = logs_add(out, reader, file->path, name >= 0 && c.field[name][0] ? c.field[name] : line, NULL);
            log->curve = false, log->invented = name < 0 || !c.field[name][0];
            table_row(file, &c, name, state, log);
        }
    logs_gather_rows(out, first, name >= 0);
    note_marks(&c, file, NULL, out, first);
    if (broken && !rc) log_fault(logs_add(out, reader, file->path, "", NULL), "the file's last line breaks off");
    free(copy);
    return rc;
}
