#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/readers/readers.h"

Log *logs_add(Logs *l, int reader, const char *path, const char *name, const char *unit) {
    if (l->count == l->room) l->log = mem_grow(l->log, (size_t)(l->room = l->room ? 2 * l->room : 16), sizeof *l->log);
    Log *log = &l->log[l->count++];
    Text own;
    text_init(&own);
    text_format(&own, unit ? "%s" : "%s#%d", unit ? unit : path, l->count);
    *log = (Log){.path = mem_text(path), .name = mem_text(name), .corpus = mem_text(""), .reader = reader};
    log->unit = own.at;
    log->curve = true;
    return log;
}

void log_release(Log *log) {
    for (int i = 0; i < log->count; i++) free(log->series[i].name), free(log->series[i].at), free(log->series[i].doubt);
    for (int i = 0; i < log->settings; i++) free(log->setting[i].key), free(log->setting[i].value);
    free(log->path), free(log->name), free(log->unit), free(log->corpus), free(log->fault), free(log->doubt);
    free(log->series), free(log->setting);
}

void logs_release(Logs *l) {
    for (int i = 0; i < l->count; i++) log_release(&l->log[i]);
    free(l->log);
    *l = (Logs){0};
}

static LogSeries *series_of(Log *log, const char *metric) {
    if (log->last < log->count && !strcmp(log->series[log->last].name, metric)) return &log->series[log->last];
    for (log->last = 0; log->last < log->count; log->last++)
        if (!strcmp(log->series[log->last].name, metric)) return &log->series[log->last];
    log->series = mem_grow(log->series, (size_t)log->count + 1, sizeof *log->series);
    log->series[log->count] = (LogSeries){.name = mem_text(metric)};
    return &log->series[log->count++];
}

static void add_point(Log *log, const char *metric, double step, double value, bool percent) {
    LogSeries *s = series_of(log, metric);
    if (s->count && s->percent != percent && !log->fault)
        log_fault(log, "its %.80s has numbers with and without a sign of percent", metric);
    s->percent = percent;
    if (s->count == s->room) s->at = mem_grow(s->at, s->room = s->room ? 2 * s->room : 4, sizeof *s->at);
    s->at[s->count++] = (LogPoint){step, isfinite(value) ? value : (double)NAN};
}

void log_point(Log *log, const char *metric, double step, double value) {
    add_point(log, metric, step, value, false);
}

void log_point_percent(Log *log, const char *metric, double step, double value) {
    add_point(log, metric, step, value, true);
}

void log_percent(Log *log, const char *metric) {
    series_of(log, metric)->percent = true;
}

void log_setting(Log *log, const char *key, const char *value) {
    log->setting = mem_grow(log->setting, (size_t)log->settings + 1, sizeof *log->setting);
    log->setting[log->settings++] = (LogSetting){mem_text(key), mem_text(value)};
}

static void say(char **to, const char *format, va_list list) {
    char text[600];
    vsnprintf(text, sizeof text, format, list);
    free(*to);
    *to = mem_text(text);
}

void log_fault(Log *log, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(&log->fault, format, list);
    va_end(list);
}

void log_doubt(Log *log, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(&log->doubt, format, list);
    va_end(list);
}

void log_doubt_series(Log *log, const char *metric, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(&series_of(log, metric)->doubt, format, list);
    va_end(list);
}

const char *const log_kinds[LOG_KINDS] = {"split", "phase", "stage",  "mode",      "kind",
                                          "event", "type",  "subset", "partition", "set"};

bool log_is_split(const char *text) {
    static const char *const splits[] = {"train", "training", "val",        "valid", "validation",
                                         "test",  "eval",     "evaluation", "dev",   "holdout"};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        if (!strcasecmp(text, splits[i])) return true;
    return false;
}

#define KIND '\001' /* stands before a kind until log_unkind ran */

void log_kind(char *out, size_t size, const char *text) {
    out[0] = 0;
    if (!text[0] || strlen(text) > 30) return;
    snprintf(out, size, "%c%s", KIND, text);
    for (char *c = out; *c; c++)
        if (*c == '.') *c = '_';
}

const char *log_kindless(const char *name) {
    return name[0] == KIND ? strchr(name, '.') + 1 : name;
}

void log_unkind(Log *log) {
    OWNED bool *keep = mem_alloc((size_t)log->count + 1, sizeof *keep);
    for (int i = 0; i < log->count; i++)
        for (int k = 0; k < log->count; k++)
            keep[i] |= k != i && !strcmp(log_kindless(log->series[i].name), log_kindless(log->series[k].name));
    for (int i = 0; i < log->count; i++) {
        char *name = log->series[i].name;
        if (name[0] != KIND) continue;
        log->series[i].name = mem_text(keep[i] ? name + 1 : log_kindless(name));
        free(name);
    }
}

const LogSeries *log_series(const Log *log, const char *metric) {
    for (int i = 0; i < log->count; i++)
        if (!strcmp(log->series[i].name, metric)) return &log->series[i];
    return NULL;
}

const LogPoint *log_point_at(const LogSeries *s, double step) {
    size_t lo = 0, hi = s->count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (s->at[mid].step < step)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->count && s->at[lo].step == step ? &s->at[lo] : NULL;
}

/* Whether a key ends in a word: "training.seed" in "seed". */
static bool ends_in(const char *key, const char *word) {
    size_t n = strlen(key), m = strlen(word);
    return n > m && !strcmp(key + n - m, word) && strchr("./", key[n - m - 1]);
}

const char *log_setting_of(const Log *log, const char *key) {
    const char *found = NULL;
    for (int i = log->settings; i-- > 0;)
        if (!strcmp(log->setting[i].key, key)) return log->setting[i].value;
    for (int i = 0; i < log->settings; i++) {
        if (!ends_in(log->setting[i].key, key)) continue;
        if (found && strcmp(found, log->setting[i].value) != 0) return NULL;
        found = log->setting[i].value;
    }
    return found;
}

/* Appends what `from` holds to `to`, and leaves it empty. */
static void join(Log *to, Log *from) {
    for (const LogSeries *s = from->series; s < from->series + from->count; s++) {
        for (size_t k = 0; k < s->count; k++) add_point(to, s->name, s->at[k].step, s->at[k].value, s->percent);
        if (s->doubt) log_doubt_series(to, s->name, "%s", s->doubt);
    }
    if (!to->written) to->written = from->written;
    for (int i = 0; i < from->settings; i++) log_setting(to, from->setting[i].key, from->setting[i].value);
    if (from->doubt && !to->doubt) to->doubt = from->doubt, from->doubt = NULL;
    /* A part without numbers is no fault of a run that has some. */
    if (to->fault && from->count && !from->fault) free(to->fault), to->fault = NULL;
    if (from->fault && !to->count) free(to->fault), to->fault = from->fault, from->fault = NULL;
}

typedef struct {
    LogPoint point;
    size_t at;
} Placed;

static int by_step(const void *x, const void *y) {
    const Placed *a = x, *b = y;
    if (a->point.step != b->point.step) return a->point.step < b->point.step ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool is_other(double before, double now) {
    return before != now && !(isnan(before) && isnan(now));
}

/* Whether the points from `from` on, which ascend, go once more over all earlier ones between their first and last
 * step, two or more of them with another value: evaluations of some steps, and unsorted files, do not. */
static bool is_attempt(const LogSeries *s, size_t from) {
    const LogSeries last = {.at = s->at + from, .count = s->count - from};
    double begin = last.at[0].step, end = last.at[last.count - 1].step, lo = (double)INFINITY, hi = begin;
    for (size_t i = 0; i < from; i++) {
        if (s->at[i].step < begin || s->at[i].step > end) continue;
        const LogPoint *now = log_point_at(&last, s->at[i].step);
        if (!now) return false;
        if (is_other(s->at[i].value, now->value)) lo = fmin(lo, now->step), hi = fmax(hi, now->step);
    }
    return lo < hi;
}

/* Doubt a run whose last points go again over earlier ones and end before them: begun again, or of other data. */
static void doubt_again(LogSeries *s) {
    size_t from = s->count ? s->count - 1 : 0;
    while (from && s->at[from - 1].step <= s->at[from].step) from--;
    if (!from || s->doubt || !is_attempt(s, from)) return;
    double begin = s->at[from].step, end = s->at[s->count - 1].step, most = end;
    for (size_t i = 0; i < from; i++) most = fmax(most, s->at[i].step);
    if (most <= end) return;
    char text[200];
    snprintf(text, sizeof text,
             "its steps begin again at %s and end at %s, before %s: where it was begun again, values after %s are of "
             "the attempt before",
             FORMAT_REAL(begin), FORMAT_REAL(end), FORMAT_REAL(most), FORMAT_REAL(end));
    s->doubt = mem_text(text);
}

static void settle(LogSeries *s) {
    size_t kept = 0;
    OWNED Placed *placed = mem_alloc(s->count + 1, sizeof *placed);
    for (size_t i = 0; i < s->count; i++) placed[i] = (Placed){s->at[i], i};
    qsort(placed, s->count, sizeof *placed, by_step);
    for (size_t i = 0; i < s->count; i++) {
        if (kept && s->at[kept - 1].step == placed[i].point.step) {
            double before = s->at[--kept].value, now = placed[i].point.value;
            s->again += is_other(before, now);
        }
        s->at[kept++] = placed[i].point;
    }
    s->count = kept;
}

static double last_step(const Log *log) {
    double last = -1;
    for (int i = 0; i < log->count; i++)
        if (log->series[i].count) last = fmax(last, log->series[i].at[log->series[i].count - 1].step);
    return last;
}

/* What a checkpoint repeats: the run's last state is used, and of equal ones the file outside checkpoint-N. */
static void choose_saved(Logs *l, int first, int second) {
    Log *a = &l->log[first], *b = &l->log[second];
    bool later = last_step(b) > last_step(a) || (last_step(b) == last_step(a) && a->saved && !b->saved);
    Log *other = later ? a : b;
    if (!other->fault) log_fault(other, "the same run, saved earlier; its last state is used");
}

static int by_unit(const void *x, const void *y) {
    const Log *const *a = x, *const *b = y;
    int order = strcmp((*a)->unit, (*b)->unit);
    return order ? order : (*a > *b) - (*a < *b);
}

/* The folders that all paths begin with. */
static void share(Logs *l) {
    size_t n = l->count ? strlen(l->log[0].path) : 0;
    for (int i = 0; i < l->count; i++) {
        size_t k = 0;
        while (k < n && l->log[i].path[k] == l->log[0].path[k]) k++;
        n = k;
    }
    while (n && l->log[0].path[n - 1] != '/') n--;
    bool one = l->count > 1, named = true; /* one: all in one file */
    for (int i = 0; i < l->count; i++) {
        one &= !strcmp(l->log[i].path, l->log[0].path);
        named &= l->log[i].name[0] != 0;
    }
    for (int i = 0; i < l->count; i++) l->log[i].shared = (int)(one && named ? strlen(l->log[i].path) : n);
}

void logs_settle(Logs *l) {
    OWNED Log **order = mem_alloc((size_t)l->count + 1, sizeof *order);
    OWNED bool *gone = mem_alloc((size_t)l->count + 1, sizeof *gone);
    int kept = 0;
    for (int i = 0; i < l->count; i++) order[i] = &l->log[i];
    qsort(order, (size_t)l->count, sizeof(Log *), by_unit);
    for (int i = 1; i < l->count; i++) {
        Log *to = order[i - 1], *from = order[i];
        if (strcmp(to->unit, from->unit) != 0 || to->saved || from->saved) continue;
        join(to, from);
        gone[from - l->log] = true;
        order[i] = to;
    }
    share(l);
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->log[i].count && !gone[i]; k++) {
            /* Charts hold a step once; two of a run may differ in range and smoothing. */
            if (l->log[i].reader != READER_wandb_chart) doubt_again(&l->log[i].series[k]);
            settle(&l->log[i].series[k]);
        }
    for (int i = 1, best = 0; i < l->count; i++) {
        Log *used = order[best], *next = order[i];
        if (used == next || strcmp(used->unit, next->unit) != 0) {
            best = i;
            continue;
        }
        choose_saved(l, (int)(used - l->log), (int)(next - l->log));
        if (used->fault) best = i;
    }
    for (int i = 0; i < l->count; i++)
        if (gone[i])
            log_release(&l->log[i]);
        else
            l->log[kept++] = l->log[i];
    l->count = kept;
}

char *log_called(char *out, size_t size, const Log *log) {
    const char *path = log->path + log->shared;
    snprintf(out, size, "%.500s%s%.300s", path, path[0] && log->name[0] ? ": " : "", log->name);
    return out;
}

bool log_number(const char *text, double *out) {
    static const char *const lost[] = {"nan",  "inf",      "infinity", "diverged", ".nan",
                                       ".inf", "nan(ind)", "1.#inf",   "1.#qnan",  "1.#ind"};
    const char *bare = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        if (!strcasecmp(bare, lost[i])) {
            *out = (double)NAN;
            return true;
        }
    return parse_real(text, out);
}

bool log_absent(const char *text) {
    static const char *const words[] = {
        "",     "na",  "n/a", "n.a.",    "#n/a", "#na", "<na>", "none", /* and what dashes there are: */
        "null", "nil", "\\N", "missing", "nat",  "?",   ".",    "-",    "--", "---", "\xe2\x80\x93", "\xe2\x80\x94"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(text, words[i])) return true;
    return false;
}

bool log_unfinished(const char *state) {
    static const char *const bad[] = {"crashed", "failed", "killed", "running", "preempted", "preempting", "scheduled"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!strcasecmp(state, bad[i])) return true;
    return false;
}

void log_state(Log *log, const char *key, const char *state) {
    if (log_unfinished(state)) log_fault(log, "its %s is %.40s", key, state);
    for (int i = 0; i < log->count && !strcasecmp(state, "diverged"); i++)
        for (size_t k = 0; k < log->series[i].count; k++) log->series[i].at[k].value = (double)NAN;
}
