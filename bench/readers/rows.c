/* Rows that are evaluations of runs: a table, or lines, that hold the curves of several runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/readers/guess.h"
#include "bench/readers/readers.h"
#include "stats/status.h"

/* A row as a run of its own was read from it. */
typedef struct {
    char *key; /* what tells runs apart: name, words and seed */
    double step;
    int at; /* place in the list of logs */
} Row;

static bool is_seed(const char *key) {
    size_t n = strlen(key);
    return n >= 4 && (!strcasecmp(key + n - 4, "seed") || !strcasecmp(key, "fold"));
}

/* Whether a key finds a setting. */
static bool finds(const char *key, const Log *log, const LogSetting *s) {
    return key && strstr(s->key, key) && log_setting_of(log, key) == s->value;
}

/* Whether a setting is a choice of its run: a word, a seed, an arm, or named as one of them; not another number, which
 * may be a result, nor a row's date. */
static bool tells(const LogTold *told, const Log *log, const LogSetting *s, bool dates) {
    double x;
    if (is_seed(s->key) || !strcmp(s->key, "arm") || finds(told->arm, log, s) || finds(told->seed, log, s)) return true;
    return !(log_number(s->value, &x) || log_absent(s->value) || log_is_clock(s->key) ||
             (!dates && guess_is_time(s->value)));
}

/* Whether runs are chosen by a setting. */
static bool chooses(const LogTold *told, const Log *log, const LogSetting *s) {
    for (int i = 0; i < told->where_count; i++) {
        char key[200];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(told->where[i], "="), told->where[i]);
        if (finds(key, log, s)) return true;
    }
    return false;
}

static char *key_of(const LogTold *told, const Log *log, bool named, bool dates) {
    Text key;
    text_init(&key);
    text_format(&key, "%s\n", named ? log->name : "");
    for (int i = 0; i < log->settings; i++)
        if (tells(told, log, &log->setting[i], dates) || chooses(told, log, &log->setting[i]))
            text_format(&key, "%s=%s\n", log->setting[i].key, log->setting[i].value);
    return key.at;
}

static int by_key(const void *x, const void *y) {
    const Row *a = x, *b = y;
    int order = strcmp(a->key, b->key);
    if (order) return order;
    return a->step < b->step ? -1 : a->step > b->step ? 1 : (a->at > b->at) - (a->at < b->at);
}

/* Whether sorted rows are curves: two steps or more of each run on average, and none twice. */
static bool are_curves(const Row *row, int rows, int *keys) {
    *keys = rows > 0;
    for (int i = 1; i < rows; i++) {
        bool same = !strcmp(row[i].key, row[i - 1].key);
        if (same && row[i].step == row[i - 1].step) return false;
        *keys += !same;
    }
    return rows >= 2 * *keys;
}

static bool has_seed(const LogTold *told, const Log *log) {
    for (int i = 0; i < log->settings; i++)
        if (is_seed(log->setting[i].key) || finds(told->seed, log, &log->setting[i])) return true;
    return false;
}

/* Whether sorted rows without seeds that share a name are runs, each with the step at which it ended: their steps are
 * in no order in the file, and fewer than half of them are also another name's. */
static bool are_ends(const Row *row, int rows, int keys) {
    OWNED double *step = mem_alloc((size_t)rows + 1, sizeof *step);
    int up = 0, down = 0, disorder = 0, shared = 0;
    for (int i = 0; i < rows; i++) {
        bool same = i && !strcmp(row[i].key, row[i - 1].key);
        step[i] = row[i].step;
        if (!same) disorder += up < down ? up : down, up = down = 0;
        if (same) row[i].at > row[i - 1].at ? up++ : down++;
    }
    disorder += up < down ? up : down;
    qsort(step, (size_t)rows, sizeof *step, st_compare_double);
    for (int i = 0; i < rows; i++) shared += (i && step[i] == step[i - 1]) || (i + 1 < rows && step[i] == step[i + 1]);
    return keys > 1 && 4 * disorder >= rows - keys && 2 * shared < rows;
}

/* A run that has no name is called by its words and its seed: "pre_seed3". */
static void call(const LogTold *told, Log *log, bool dates) {
    Text name;
    text_init(&name);
    for (int seeds = 0; seeds < 2; seeds++)
        for (int i = 0; i < log->settings; i++)
            if (tells(told, log, &log->setting[i], dates) && is_seed(log->setting[i].key) == seeds)
                text_format(&name, "%s%s%s", name.length ? "_" : "", seeds ? "seed" : "", log->setting[i].value);
    free(log->name);
    log->name = name.at, log->invented = true;
}

/* Settings that are not the same in all rows of a run are none of the run's. */
static void keep_settings(Log *to, const Logs *l, const Row *row, int rows) {
    int kept = 0;
    for (int i = 0; i < to->settings; i++) {
        bool same = true;
        for (int k = 1; k < rows && same; k++) {
            const char *other = log_setting_of(&l->log[row[k].at], to->setting[i].key);
            same = other && !strcmp(other, to->setting[i].value);
        }
        if (same)
            to->setting[kept++] = to->setting[i];
        else
            free(to->setting[i].key), free(to->setting[i].value);
    }
    to->settings = kept;
}

/* One run of the rows of a key, in the place of the first one. */
static void join_rows(Logs *l, const Row *row, int rows) {
    Logs made = {0};
    const Log *first = &l->log[row[0].at];
    for (int i = 1; i < rows; i++)
        if (row[i].at < first - l->log) first = &l->log[row[i].at];
    Log *to = logs_add(&made, first->reader, first->path, first->name, first->unit);
    to->invented = first->invented;
    for (int i = 0; i < first->settings; i++) log_setting(to, first->setting[i].key, first->setting[i].value);
    for (int i = 0; i < rows; i++) {
        const Log *from = &l->log[row[i].at];
        for (int k = 0; k < from->count; k++)
            if (!log_is_step(from->series[k].name))
                (from->series[k].percent ? log_point_percent : log_point)(to, from->series[k].name, row[i].step,
                                                                          from->series[k].at[0].value);
    }
    keep_settings(to, l, row, rows);
    int place = (int)(first - l->log);
    for (int i = 0; i < rows; i++) log_release(&l->log[row[i].at]), l->log[row[i].at] = (Log){.path = NULL};
    l->log[place] = *to;
    free(made.log);
}

/* Sorts the rows by their runs; dates tell runs apart or not. false: a row counts no step, or they are no curves. */
static bool sort_rows(const Logs *l, int first, bool named, bool dates, Row *row, int *rows, int *keys) {
    bool all = true;
    *rows = 0;
    for (int i = first; i < l->count && all; i++) {
        all = log_step_of(&l->log[i], &row[*rows].step) && !l->log[i].fault;
        if (all) row[*rows].at = i, row[(*rows)++].key = key_of(&l->told, &l->log[i], named, dates);
    }
    qsort(row, (size_t)*rows, sizeof *row, by_key);
    if (!all || !are_curves(row, *rows, keys)) return false;
    return !*rows || has_seed(&l->told, &l->log[first]) || !are_ends(row, *rows, *keys);
}

void logs_gather_rows(Logs *l, int first, bool named) {
    int rows = 0, keys = 0, kept = first;
    OWNED Row *row = mem_alloc((size_t)(l->count - first) + 1, sizeof *row);
    bool dates = false, all = sort_rows(l, first, named, dates, row, &rows, &keys);
    if (!all) {
        for (int i = 0; i < rows; i++) free(row[i].key);
        all = sort_rows(l, first, named, dates = true, row, &rows, &keys);
    }
    for (int i = 0, next; i < rows && all; i = next) {
        for (next = i + 1; next < rows && !strcmp(row[next].key, row[i].key); next++) {
        }
        join_rows(l, &row[i], next - i);
    }
    for (int i = first; i < l->count && all; i++) {
        if (!l->log[i].path) continue;
        l->log[kept] = l->log[i];
        if (!named && keys > 1) call(&l->told, &l->log[kept], dates);
        if (!named && keys == 1) l->log[kept].name[0] = 0;
        kept++;
    }
    if (all) l->count = kept;
    for (int i = 0; i < rows; i++) free(row[i].key);
}
