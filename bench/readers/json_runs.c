/* Runs in JSON: trainer_state.json, results of lm-evaluation-harness, records of normbench, JSON lines, and JSON
 * metrics as DVC and others write them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "bench/formats/json.h"
#include "bench/readers/readers.h"

enum { DEEPEST = 12, KEY_SIZE = 400 };

/* "71.5%", "71.5 %" */
static bool percent_of(const json_t *v, double *out) {
    char word[64];
    size_t n = json_is_string(v) ? json_string_length(v) : 0;
    if (n < 2 || n >= sizeof word || json_string_value(v)[n - 1] != '%') return false;
    snprintf(word, sizeof word, "%.*s", (int)n - 1, json_string_value(v));
    return parse_real(trim(word), out);
}

/* The lists of steps of an object that is walked, and the object that it stands in. */
typedef struct Inside {
    const struct Inside *outer;
    LogStepLists steps;
} Inside;

/* A list of numbers as a series: the nearest list of steps that is as long counts it, else its places do. */
static void list_points(Log *log, const char *metric, const json_t *list, const Inside *in) {
    size_t n = json_array_size(list), numbers = 0;
    const char *unfit = NULL;
    const json_t *steps = NULL;
    double x, step;
    for (; in && !steps; in = in->outer) {
        steps = log_step_list(&in->steps, n);
        if (!unfit && in->steps.count) unfit = in->steps.key[0];
    }
    for (size_t i = 0; i < n; i++) {
        if (!log_json_number(json_array_get(list, i), &x)) continue;
        step = (double)i, numbers++;
        if (steps) log_json_number(json_array_get(steps, i), &step);
        log_point(log, metric, step, x);
    }
    if (steps || !numbers || n < 2) return;
    if (unfit)
        log_doubt_series(log, metric, "its list %.80s is not as long as %.100s, or does not ascend; places are counted",
                         unfit, metric);
    else
        log_doubt_series(log, metric, "no list counts the steps of its %.100s; places are counted", metric);
}

/* Every number below a key, as points of a step; lists of numbers are series where `lists`. */
static void points_in(Log *log, const char *prefix, json_t *value, double step, bool lists, const Inside *in,
                      int depth) {
    const char *key;
    json_t *v;
    double x;
    if (depth > DEEPEST) return;
    if (json_is_array(value) && lists) list_points(log, prefix, value, in);
    if (log_json_number(value, &x) && !json_is_boolean(value)) log_point(log, prefix, step, x);
    if (percent_of(value, &x)) log_point_percent(log, prefix, step, x);
    if (!json_is_object(value)) return;
    Inside here = {.outer = in};
    if (lists) log_step_lists(&here.steps, value);
    json_object_foreach(value, key, v) {
        char joined[KEY_SIZE];
        if (log_is_step(key) && (json_is_array(v) || (!depth && log_json_number(v, &x)))) continue;
        if (log_is_clock(key)) continue;
        snprintf(joined, sizeof joined, "%.200s%s%.190s", prefix, prefix[0] ? "." : "", key);
        points_in(log, joined, v, step, lists, &here, depth + 1);
    }
}

static void points(Log *log, const char *prefix, json_t *value, double step, bool lists) {
    points_in(log, prefix, value, step, lists, NULL, 0);
}

bool trainer_state_is(const LogFile *file) {
    return json_is_array(json_object_get(file->json, "log_history"));
}

/* A run and its checkpoint-N are one. */
static void unit_of(const char *path, char *unit, size_t size, bool *saved) {
    char folder[4100];
    log_folder(folder, sizeof folder, path, 0);
    const char *last = strrchr(folder, '/');
    *saved = !strncmp(last ? last + 1 : folder, "checkpoint-", 11);
    log_folder(unit, size, path, *saved);
}

Rc trainer_state_read(const LogFile *file, int reader, Logs *out, Error *e) {
    char unit[4100];
    bool saved;
    json_t *history = json_object_get(file->json, "log_history"), *entry;
    (void)e;
    unit_of(file->path, unit, sizeof unit, &saved);
    Log *log = logs_add(out, reader, file->path, "", unit);
    log->saved = saved;
    size_t i;
    json_array_foreach(history, i, entry) {
        double step = (double)i;
        log_step_key(entry, &step);
        points(log, "", entry, step, false);
    }
    log_settings_json(log, json_object_get(file->json, "trial_params"));
    if (!log->count) log_fault(log, "its log_history holds no numbers");
    return RC_OK;
}

bool lm_eval_is(const LogFile *file) {
    json_t *results = json_object_get(file->json, "results"), *task;
    const char *key;
    if (!json_is_object(results) || !json_object_size(results)) return false;
    if (!json_object_get(file->json, "config") && !json_object_get(file->json, "versions")) return false;
    json_object_foreach(results, key, task) if (!json_is_object(task)) return false;
    return true;
}

/* "acc,none" is acc without a filter; standard errors are no metrics. */
static void task_points(Log *log, json_t *task) {
    const char *key;
    json_t *v;
    double x;
    json_object_foreach(task, key, v) {
        char name[KEY_SIZE];
        size_t n = strlen(key);
        if (strstr(key, "_stderr") || !json_is_number(v) || !log_json_number(v, &x)) continue;
        snprintf(name, sizeof name, "%.*s", (int)(text_ends(key, ",none") ? n - 5 : n), key);
        log_point(log, name, 0, x);
    }
}

/* Whether a row of the results is the mean of others that stand there too. */
static bool is_group(const json_t *root, const char *name) {
    json_t *tasks = json_object_get(json_object_get(root, "group_subtasks"), name);
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const char *task = json_string_value(json_array_get(tasks, i));
        if (task && strcmp(task, name) != 0 && json_object_get(json_object_get(root, "results"), task)) return true;
    }
    return false;
}

Rc lm_eval_read(const LogFile *file, int reader, Logs *out, Error *e) {
    json_t *task;
    const char *key;
    (void)e;
    json_object_foreach(json_object_get(file->json, "results"), key, task) {
        Log *log = logs_add(out, reader, file->path, "", NULL);
        log->curve = false;
        free(log->corpus);
        log->corpus = mem_text(key);
        task_points(log, task);
        log_settings_json(log, json_object_get(file->json, "config"));
        if (!log->count) log_fault(log, "task %.100s has no number", key);
        if (is_group(file->json, key)) log_fault(log, "%.100s is a group, the mean of tasks that are compared", key);
    }
    return RC_OK;
}

bool own_record_is(const LogFile *file) {
    return json_is_string(json_object_get(file->json, "spec")) &&
           json_is_array(json_object_get(file->json, "evaluations"));
}

/* "lr = 0.001", a line each. */
static void spec_settings(Log *log, const char *text) {
    char *copy = mem_text(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *value = strstr(line, " = ");
        if (!value) continue;
        *value = 0;
        log_setting(log, line, value + 3);
    }
    free(copy);
}

Rc own_record_read(const LogFile *file, int reader, Logs *out, Error *e) {
    json_t *at;
    size_t i;
    (void)e;
    Log *log = logs_add(out, reader, file->path, "", NULL);
    spec_settings(log, json_string_value(json_object_get(file->json, "spec")));
    json_array_foreach(json_object_get(file->json, "evaluations"), i, at) {
        double step = (double)i;
        log_step_key(at, &step);
        points(log, "", at, step, false);
    }
    const char *status = json_string_value(json_object_get(file->json, "status"));
    if (status && strcmp(status, "ok") != 0) log_doubt(log, "its status is %.60s", status);
    return RC_OK;
}

/* A list as the lines of a file would be: objects, of which the first counts a step or names a seed. */
static bool is_history(json_t *list) {
    double step;
    json_t *first = json_array_get(list, 0);
    return json_is_object(first) && (log_step_key(first, &step) || json_object_get(first, "seed"));
}

bool json_lines_is(const LogFile *file) {
    return json_is_object(file->line) || is_history(file->json);
}

static void kind_of(json_t *object, char *out, size_t size) {
    out[0] = 0;
    for (int i = 0; i < LOG_KINDS && !out[0]; i++) {
        const char *text = json_string_value(json_object_get(object, log_kinds[i]));
        if (text && (strcmp(log_kinds[i], "set") != 0 || log_is_split(text))) log_kind(out, size, text);
    }
}

/* Lines that name their run, or a seed: each is a row of a table. */
static const char *row_name(json_t *object) {
    static const char *const keys[] = {"run_name", "run", "name", "run_id", "Name"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_is_string(json_object_get(object, keys[i])))
            return json_string_value(json_object_get(object, keys[i]));
    return NULL;
}

static bool is_row(json_t *object) {
    double x;
    return row_name(object) || log_json_number(json_object_get(object, "seed"), &x);
}

typedef struct {
    Logs *out;
    const LogFile *file;
    int reader, first; /* first: of the file's logs */
    json_t *held;      /* the first object, until the second tells what both are */
    json_t *header;    /* the first object, where it is settings of the rows below it */
    long held_line;
    bool begun, rows, named;
    bool counted, uncounted; /* a line counts a step; a line counts none */
    double step;
} LinesOf;

/* A line without a step and with an object in it speaks of the run: {"_meta": {...}}. */
static void put_line(LinesOf *l, json_t *object) {
    const char *key = json_object_iter_key(json_object_iter(object));
    bool nested = key && json_is_object(json_object_get(object, key));
    char kind[40];
    if (l->out->count == l->first) logs_add(l->out, l->reader, l->file->path, "", NULL);
    Log *log = &l->out->log[l->first];
    kind_of(object, kind, sizeof kind);
    if (log_step_key(object, &l->step)) {
        points(log, kind, object, l->step, false);
        l->counted = true;
    } else if (nested)
        log_settings_json(log, object);
    else {
        points(log, kind, object, ++l->step, false);
        l->uncounted = true;
    }
}

static void put_row(LinesOf *l, json_t *object, long line) {
    char name[40];
    snprintf(name, sizeof name, "line %ld", line);
    Log *log = logs_add(l->out, l->reader, l->file->path, row_name(object) ? row_name(object) : name, NULL);
    log->curve = false, log->invented = !row_name(object);
    points(log, "", object, 0, false);
    log_settings_json(log, object);
}

/* Puts the first object: a row where the next one, if there is any, is a row too, but for a first row that alone has no
 * step; else settings, if it has no step. */
static void put_held(LinesOf *l, json_t *next) {
    json_t *first = l->held;
    double step;
    if (!first) return;
    l->held = NULL;
    l->named = row_name(first) != NULL;
    l->rows = is_row(first) && (!next || is_row(next));
    bool settings = is_row(first) && !log_step_key(first, &step);
    if (l->rows && settings && next && log_step_key(next, &step))
        l->header = json_incref(first);
    else if (l->rows)
        put_row(l, first, l->held_line);
    else if (settings)
        log_settings_json(logs_add(l->out, l->reader, l->file->path, "", NULL), first);
    else
        put_line(l, first);
    json_decref(first);
}

static void add_line(LinesOf *l, json_t *object, long line) {
    put_held(l, object);
    if (!l->begun)
        l->begun = true, l->held = json_incref(object), l->held_line = line;
    else if (l->rows)
        put_row(l, object, line);
    else
        put_line(l, object);
}

/* Give each run the header's settings that it does not name itself. */
static void put_header(LinesOf *l) {
    LOCAL(logs_release) Logs of = {0};
    Log *header = logs_add(&of, l->reader, l->file->path, "", NULL);
    log_settings_json(header, l->header);
    for (int i = l->first; i < l->out->count; i++)
        for (int k = 0; k < header->settings; k++)
            if (!log_setting_of(&l->out->log[i], header->setting[k].key))
                log_setting(&l->out->log[i], header->setting[k].key, header->setting[k].value);
    json_decref(l->header);
}

/* Heed what a row says of its run's end: its state, or else its status. */
static void heed_state(Log *log) {
    static const char *const keys[] = {"state", "status"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (int i = 0; i < log->settings; i++)
            if (!strcasecmp(log->setting[i].key, keys[k])) {
                log_state(log, log->setting[i].key, log->setting[i].value);
                return;
            }
}

static void lines_end(LinesOf *l) {
    put_held(l, NULL);
    if (l->rows) logs_gather_rows(l->out, l->first, l->named);
    for (int i = l->first; l->rows && i < l->out->count; i++) heed_state(&l->out->log[i]);
    if (l->header) put_header(l);
    if (l->out->count == l->first) logs_add(l->out, l->reader, l->file->path, "", NULL);
    for (int i = l->first; i < l->out->count; i++) {
        Log *log = &l->out->log[i];
        log_unkind(log);
        if (l->uncounted && !l->counted && log->count && !log->doubt)
            log_doubt(log, "no key counts its steps; lines are counted");
        if (!log->count) log_fault(log, "no line holds a number");
    }
}

Rc json_lines_read(const LogFile *file, int reader, Logs *out, Error *e) {
    const char *at = file->text, *end = file->text + file->text_length;
    LinesOf l = {.out = out, .file = file, .reader = reader, .first = out->count, .step = -1};
    long broken = 0;
    for (size_t i = 0; i < json_array_size(file->json); i++)
        if (json_is_object(json_array_get(file->json, i))) add_line(&l, json_array_get(file->json, i), (long)i + 1);
    for (long line = 1; at < end && !file->json; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if (at + strspn(at, " \t\r") < stop) {
            json_error_t why;
            json_t *object = json_python(at, (size_t)(stop - at), &why);
            if (!object && stop == end)
                broken = line;
            else if (!json_is_object(object)) {
                json_decref(object), json_decref(l.held), json_decref(l.header);
                return error_set(e, RC_USAGE, "%.600s:%ld: %s", file->path, line, object ? "not an object" : why.text);
            } else
                add_line(&l, object, line);
            json_decref(object);
        }
        at = stop + 1;
    }
    lines_end(&l);
    if (broken) log_doubt(&out->log[out->count - 1], "its last line breaks off (line %ld)", broken);
    return RC_OK;
}

/* Whether a number, or a list of them, stands somewhere below. */
static bool holds_numbers(json_t *value, int depth) {
    const char *key;
    json_t *v;
    double x;
    if (json_is_array(value)) return log_json_number(json_array_get(value, 0), &x);
    if (!json_is_object(value) || depth > DEEPEST) return json_is_real(value) || json_is_integer(value);
    json_object_foreach(value, key, v) if (holds_numbers(v, depth + 1)) return true;
    return false;
}

bool json_is(const LogFile *file) {
    return json_is_object(file->json) && holds_numbers(file->json, 0);
}

Rc json_read(const LogFile *file, int reader, Logs *out, Error *e) {
    char folder[4100];
    double step = 0;
    (void)e;
    Log *log = logs_add(out, reader, file->path, "", NULL);
    bool counted = log_step_key(file->json, &step) != NULL;
    points(log, "", file->json, step, true);
    log_settings_json(log, file->json);
    log->curve = counted;
    for (int i = 0; i < log->count; i++) log->curve |= log->series[i].count > 1;
    log_folder(folder, sizeof folder - 20, file->path, 0);
    size_t n = strlen(folder);
    strcat(folder, "/plots/metrics");
    if (file_exists(folder)) { /* DVCLive's: its curves are of the same run */
        folder[n] = 0;
        free(log->unit);
        log->unit = mem_text(folder);
    }
    return RC_OK;
}
