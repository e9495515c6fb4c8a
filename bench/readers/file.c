/* A file as readers see it: its text, JSON and first line, and what its columns count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/plain.h"
#include "bench/formats/csv.h"
#include "bench/formats/json.h"
#include "bench/formats/unpack.h"
#include "bench/readers/file.h"

/* The first line as CSV, where it has two fields at least. */
static void look_csv(LogFile *file) {
    size_t n = strcspn(file->text, "\n");
    if (n > (1 << 20)) return;
    char *line = memcpy(mem_alloc(n + 1, 1), file->text, n);
    LOCAL(csv_release) Csv c = {.file = file->path, .at = line, .end = line + n};
    Rc rc;
    Error ignored;
    csv_begin(&c);
    if (csv_next(&c, &rc, &ignored) && !rc && c.fields > 1 && c.separator != ' ') {
        file->field = mem_alloc((size_t)c.fields, sizeof *file->field);
        for (int i = 0; i < c.fields; i++) file->field[i] = mem_text(c.field[i]);
        file->fields = c.fields;
    }
    free(line);
}

static void look(LogFile *file) {
    Error ignored;
    if (memchr(file->bytes, 0, file->length < 8192 ? file->length : 8192) && memcmp(file->bytes, "\xFF\xFE", 2) != 0 &&
        memcmp(file->bytes, "\xFE\xFF", 2) != 0)
        return;
    file->text = memcpy(mem_alloc(file->length + 1, 1), file->bytes, file->length);
    file->text_length = file->length;
    if (plain_text(&file->text, &file->text_length, &ignored)) {
        free(file->text);
        file->text = NULL;
        return;
    }
    size_t blank = strspn(file->text, " \t\r\n");
    const char *start = file->text + blank;
    if (*start == '{' || *start == '[') {
        size_t line = strcspn(start, "\n");
        file->json = json_python(start, file->text_length - blank, NULL);
        if (!file->json && start[line]) file->line = json_python(start, line, NULL);
    } else
        look_csv(file);
}

Rc log_file_open(LogFile *file, const char *path, Error *e) {
    char *bytes;
    bool in = !strcmp(path, "-");
    *file = (LogFile){.path = in ? "standard input" : path};
    if (file_read(in ? "/dev/stdin" : path, &bytes, &file->length, e)) return e->code;
    if (unpack_gzip(&bytes, &file->length, e)) {
        error_prefix(e, "%.600s: ", file->path);
        free(bytes);
        return e->code;
    }
    file->bytes = bytes;
    look(file);
    return RC_OK;
}

void log_file_release(LogFile *file) {
    for (int i = 0; i < file->fields; i++) free(file->field[i]);
    free(file->field);
    json_decref(file->json);
    json_decref(file->line);
    free(file->text);
    free((char *)file->bytes);
    *file = (LogFile){0};
}

int log_column(const LogFile *file, const char *name) {
    for (int i = 0; i < file->fields; i++)
        if (!strcasecmp(file->field[i], name)) return i;
    return -1;
}

/* What counts a run's steps, the best first. */
static const char *const step_names[] = {"step",
                                         "global_step",
                                         "trainer/global_step",
                                         "_step",
                                         "steps",
                                         "iter",
                                         "iter_num",
                                         "iteration",
                                         "iterations",
                                         "train_step",
                                         "num_steps",
                                         "n_iter",
                                         "update",
                                         "updates",
                                         "timestep",
                                         "timesteps",
                                         "num_timesteps",
                                         "total_timesteps",
                                         "time/total_timesteps",
                                         "env_step",
                                         "training_iteration",
                                         "epoch/epoch",
                                         "epoch",
                                         "epochs",
                                         "tokens",
                                         "num_tokens",
                                         "tokens_seen"};
enum { STEP_NAMES = sizeof step_names / sizeof *step_names };

bool log_is_step(const char *name) {
    for (int i = 0; i < STEP_NAMES; i++)
        if (!strcasecmp(name, step_names[i])) return true;
    return false;
}

int log_step_column(const LogFile *file) {
    for (int i = 0; i < STEP_NAMES; i++)
        if (log_column(file, step_names[i]) >= 0) return log_column(file, step_names[i]);
    return -1;
}

bool log_json_number(const json_t *v, double *out) {
    if (json_is_number(v)) *out = json_number_value(v);
    return json_is_number(v) || (json_is_string(v) && log_number(json_string_value(v), out));
}

const char *log_step_key(json_t *object, double *step) {
    const char *key;
    json_t *v;
    for (int i = 0; i < STEP_NAMES; i++) json_object_foreach(object, key, v)
            if (!strcasecmp(key, step_names[i]) && log_json_number(v, step)) return key;
    return NULL;
}

static bool ascends(const json_t *list) {
    double last = -(double)INFINITY, x;
    for (size_t i = 0; i < json_array_size(list); i++, last = x)
        if (!log_json_number(json_array_get(list, i), &x) || !isfinite(x) || x <= last) return false;
    return true;
}

void log_step_lists(LogStepLists *out, json_t *object) {
    const char *key;
    json_t *v;
    out->count = 0;
    for (int i = 0; i < STEP_NAMES; i++) json_object_foreach(object, key, v)
            if (json_is_array(v) && !strcasecmp(key, step_names[i]) && out->count < LOG_STEP_LISTS)
                out->key[out->count] = key, out->list[out->count++] = v;
}

const json_t *log_step_list(const LogStepLists *of, size_t length) {
    for (int i = 0; i < of->count; i++)
        if (json_array_size(of->list[i]) == length && ascends(of->list[i])) return of->list[i];
    return NULL;
}

bool log_step_of(const Log *log, double *step) {
    for (int i = 0; i < STEP_NAMES; i++)
        for (int k = 0; k < log->settings; k++)
            if (!strcasecmp(log->setting[k].key, step_names[i])) return log_number(log->setting[k].value, step);
    return false;
}

bool log_is_clock(const char *name) {
    static const char *const names[] = {"_runtime",  "_timestamp", "timestamp", "time",
                                        "wall_time", "created",    "runtime"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i])) return true;
    return false;
}

size_t log_stem(const char *name) {
    size_t n = strlen(name);
    if (n > 3 && !strcmp(name + n - 3, ".gz")) n -= 3;
    const char *point = memrchr(name, '.', n);
    return point && point > name ? (size_t)(point - name) : n;
}

void log_folder(char *out, size_t size, const char *path, int up) {
    snprintf(out, size, "%s", path);
    for (; up >= 0; up--) {
        char *slash = strrchr(out, '/');
        if (!slash) {
            snprintf(out, size, ".");
            return;
        }
        *slash = 0;
    }
}
