#include "bench/readers/guess.h"
#include "bench/readers/pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/readers/readers.h"

/* Of no use, whoever asks. */
static void begin(Pick *p, const Logs *logs) {
    *p = (Pick){.runs = logs->count, .step = (double)NAN};
    text_init(&p->read_as);
    text_init(&p->remarks);
    p->metric = mem_text("");
    p->run = mem_alloc((size_t)logs->count + 1, sizeof *p->run);
    for (int i = 0; i < logs->count; i++) {
        PickedRun *run = &p->run[i];
        *run = (PickedRun){.log = &logs->log[i], .value = (double)NAN, .step = (double)NAN, .last = (double)NAN};
        run->arm = mem_text(""), run->seed = mem_text(""), run->corpus = mem_text(run->log->corpus);
        if (run->log->fault) pick_leave(run, "%s", run->log->fault);
    }
}

static bool equal(const char *a, const char *b) {
    double x, y;
    return !strcasecmp(a, b) || (parse_real(a, &x) && parse_real(b, &y) && x == y);
}

/* Append a name unless the list has it. */
static const char **add_name(const char **list, size_t *count, const char *name) {
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(list[i], name)) return list;
    list = mem_grow(list, *count + 1, sizeof *list);
    list[(*count)++] = name;
    return list;
}

/* The keys of all runs' settings, up to 501. */
static const char **keys_of(const Pick *p, size_t *count) {
    const char **list = NULL;
    *count = 0;
    for (int i = 0; i < p->runs; i++)
        for (int k = 0; k < p->run[i].log->settings && *count <= 500; k++)
            list = add_name(list, count, p->run[i].log->setting[k].key);
    return list;
}

/* The value of a setting; `corpus` is what the log says it evaluated, where no setting is called so. */
static const char *value_of(const Log *log, const char *key) {
    const char *has = log_setting_of(log, key);
    return !has && log->corpus[0] && !strcmp(key, "corpus") ? log->corpus : has;
}

static Rc where(Pick *p, const PickQuery *q, Error *e) {
    for (int w = 0; w < q->where_count; w++) {
        char key[200], hint[160];
        const char *sign = strchr(q->where[w], '=');
        int known = 0;
        snprintf(key, sizeof key, "%.*s", (int)(sign - q->where[w]), q->where[w]);
        for (int i = 0; i < p->runs; i++) {
            const char *has = value_of(p->run[i].log, key);
            known += has != NULL;
            if (!has)
                pick_leave(&p->run[i], "--where %.80s: it has no %.60s", q->where[w], key);
            else if (!equal(has, sign + 1))
                pick_leave(&p->run[i], "--where %.80s: its %.60s is another", q->where[w], key);
        }
        if (known) continue;
        size_t count;
        OWNED const char **keys = keys_of(p, &count);
        error_set(e, RC_USAGE, "--where: no run has a setting or column '%.80s'%s", key,
                  did_you_mean(hint, sizeof hint, key, keys, count));
        return e->code;
    }
    return RC_OK;
}

/* How well a series' name fits what is asked for: 3 the same, 2 but for a filter or capitals, 1 its last words; 0: not.
 */
static int fits(const char *name, const char *metric) {
    size_t n = strlen(name), m = strlen(metric);
    if (!strcmp(name, metric)) return 3;
    if (!strcasecmp(name, metric) || (n > m && !strncmp(name, metric, m) && name[m] == ',')) return 2;
    return n > m && !strcmp(name + n - m, metric) && strchr("/. _-", name[n - m - 1]) ? 1 : 0;
}

/* The different names of series, of runs that are not left out. */
static const char **metrics_of(const Pick *p, size_t *count) {
    const char **list = NULL;
    *count = 0;
    for (int i = 0; i < p->runs; i++)
        for (int k = 0; k < p->run[i].log->count && !p->run[i].why; k++)
            list = add_name(list, count, p->run[i].log->series[k].name);
    return list;
}

/* A seed is no metric beside another. */
static void drop_seed(const char **list, size_t *count) {
    size_t kept = 0;
    for (size_t i = 0; i < *count && *count > 1; i++)
        if (strcasecmp(list[i], "seed") != 0) list[kept++] = list[i];
    if (*count > 1) *count = kept;
}

static void list_metrics(const char *const *list, size_t count, Error *e) {
    LOCAL_TEXT(all);
    for (size_t i = 0; i < count && all.length < 600; i++) text_format(&all, "%s%.100s", i ? ", " : "", list[i]);
    if (all.length >= 600) text_format(&all, ", ...");
    error_valid(e, all.at);
}

/* What stands where numbers were expected: "71.5%", "3,28"; NULL: nothing. */
static const char *text_of(const Pick *p, const char *metric) {
    for (int i = 0; i < p->runs; i++) {
        const char *text = p->run[i].why ? NULL : log_setting_of(p->run[i].log, metric);
        double x;
        if (text && text[0] && !log_number(text, &x)) return text;
    }
    return NULL;
}

static Rc no_metric(const Pick *p, const PickQuery *q, const char *const *list, size_t count, Error *e) {
    char hint[300];
    const char *text = text_of(p, q->metric);
    if (text)
        return error_set(e, RC_USAGE, "--metric: '%.100s' holds '%.60s', which is no number%s", q->metric, text,
                         strchr(text, ',')   ? " (decimals take a point)"
                         : strchr(text, '%') ? " (a column has a sign of percent behind all numbers, or none)"
                                             : "");
    error_set(e, RC_USAGE, "--metric: no run has '%.100s'%s", q->metric,
              did_you_mean(hint, sizeof hint, q->metric, list, count));
    list_metrics(list, count, e);
    return e->code;
}

/* The one name that fits best; RC_USAGE: none does, or several do as well. */
static Rc choose_metric(Pick *p, const PickQuery *q, const char *const *list, size_t count, Error *e) {
    int best = 0;
    size_t at = 0, equals = 0;
    if (!q->metric && count == 1) best = 3;
    for (size_t i = 0; i < count && q->metric; i++) {
        int fit = fits(list[i], q->metric);
        if (fit > best) best = fit, at = i, equals = 0;
        equals += fit && fit == best;
    }
    if (!best && !q->metric && q->list) return RC_OK;
    if (!q->metric && !best) {
        error_set(e, RC_USAGE, "--metric must say what is compared");
        list_metrics(list, count, e);
    } else if (!best) {
        return no_metric(p, q, list, count, e);
    } else if (equals > 1) {
        error_set(e, RC_USAGE, "--metric: '%.100s' ends the names of %zu metrics", q->metric, equals);
        list_metrics(list, count, e);
    } else {
        free(p->metric);
        p->metric = mem_text(list[at]);
        return RC_OK;
    }
    return e->code;
}

void pick_direction(const char *metric, Text *remarks) {
    if (guess_rising(metric))
        text_format(remarks, "Careful: %.100s counts as better where it is lower; --better higher turns that round.\n",
                    metric);
}

static Rc metric(Pick *p, const PickQuery *q, Error *e) {
    size_t count;
    OWNED const char **list = metrics_of(p, &count);
    drop_seed(list, &count);
    Rc rc = count ? choose_metric(p, q, list, count, e) : RC_OK;
    if (rc || !p->metric[0]) return rc;
    if (!q->directed) pick_direction(p->metric, &p->remarks);
    for (int i = 0; i < p->runs; i++) {
        PickedRun *run = &p->run[i];
        run->series = log_series(run->log, p->metric);
        if (!run->series) pick_leave(run, "it has no %.100s", p->metric);
        if (run->series) run->last = run->series->at[run->series->count - 1].step;
        p->curve |= run->series && !run->why && run->log->curve;
    }
    return RC_OK;
}

/* Steps that a run has twice, such as one that was resumed from a checkpoint. */
static void say_again(Pick *p) {
    size_t most = 0;
    int runs = 0;
    LOCAL_TEXT(names);
    for (int i = 0; i < p->runs; i++) {
        char name[900];
        const PickedRun *run = &p->run[i];
        size_t again = run->why || !run->series ? 0 : run->series->again;
        if (again > most) most = again;
        if (again && runs++ < 3)
            text_format(&names, "%s%s", runs > 1 ? ", " : "", log_called(name, sizeof name, run->log));
    }
    if (runs > 3) text_format(&names, " and %d more", runs - 3);
    if (runs)
        pick_remark(
            p, "Careful: %.100s is there again at up to %zu step%s, with another value; the last one is used (%.900s).",
            p->metric, most, most == 1 ? "" : "s", names.at);
}

static void count_used(Pick *p) {
    p->used = 0;
    for (int i = 0; i < p->runs; i++) p->used += !p->run[i].why;
}

/* "Weights & Biases chart (12), JSON lines (2)" would be two kinds: each with its number. */
static void say_read(Pick *p) {
    int arms, kinds = 0, of[READERS + 1] = {0};
    for (int i = 0; i < p->runs; i++) of[p->run[i].log->reader]++;
    for (int r = 0; r <= READERS; r++) kinds += of[r] > 0;
    for (int r = 0, said = 0; r <= READERS; r++) {
        if (!of[r]) continue;
        text_format(&p->read_as, "%s%s", said++ ? ", " : "", log_readers[r].shown);
        if (kinds > 1) text_format(&p->read_as, " (%d)", of[r]);
    }
    free(pick_labels(p, true, false, &arms));
    text_format(&p->read_as, ", %d run%s, %d arm%s", p->runs, p->runs == 1 ? "" : "s", arms, arms == 1 ? "" : "s");
    bool percent = false;
    const char *written = NULL;
    for (int i = 0; i < p->runs; i++) {
        const PickedRun *run = &p->run[i];
        percent |= !run->why && run->series && run->series->percent;
        if (!run->why && run->log->written) written = run->log->written;
    }
    if (p->metric[0]) text_format(&p->read_as, "; %s%s", p->metric, percent ? " in percent" : "");
    if (written) text_format(&p->read_as, "; %s", written);
}

typedef enum { SAID_WHY, SAID_DOUBT, SAID_STEPS } Said;

/* Why a run is left out, or what is doubtful of one that is used, or of the steps of its metric; NULL: nothing. */
static const char *said_of(const PickedRun *run, Said what) {
    if (what == SAID_WHY || run->why) return what == SAID_WHY ? run->why : NULL;
    return what == SAID_DOUBT ? run->log->doubt : run->series ? run->series->doubt : NULL;
}

/* A line for each reason, or each doubt, with the first names of its runs. */
static void say_by_reason(Pick *p, Said what) {
    OWNED bool *said = mem_alloc((size_t)p->runs + 1, sizeof *said);
    for (int i = 0; i < p->runs; i++) {
        LOCAL_TEXT(line);
        int count = 0;
        const char *one = said_of(&p->run[i], what), *other;
        if (!one || said[i]) continue;
        for (int k = i; k < p->runs; k++) {
            char name[900];
            if (!(other = said_of(&p->run[k], what)) || strcmp(one, other) != 0) continue;
            said[k] = true;
            if (count++ < 3)
                text_format(&line, "%s%s", count > 1 ? ", " : "", log_called(name, sizeof name, p->run[k].log));
        }
        if (count > 3) text_format(&line, " and %d more", count - 3);
        if (what == SAID_WHY)
            pick_remark(p, "  %d: %s (%.900s)", count, one, line.at);
        else if (count > 3 && count == p->used)
            pick_remark(p, "Careful: all %d runs: %s.", count, one);
        else
            pick_remark(p, "Careful: %.900s: %s.", line.at, one);
    }
}

/* What was left out, by reason, and what is doubtful. */
static void say_left(Pick *p) {
    if (p->used < p->runs) pick_remark(p, "Used %d of %d runs. Left out:", p->used, p->runs);
    for (Said what = SAID_WHY; what <= SAID_STEPS; what++) say_by_reason(p, what);
}

static Rc nothing_left(Pick *p, Error *e) {
    const char *why = "";
    if (p->used) return RC_OK;
    if (!p->runs)
        return error_set(e, RC_UNMEASURED, "nothing to compare: no run was found; --as READER says what a file is");
    for (int i = 0; i < p->runs && !why[0]; i++) why = p->run[i].why ? p->run[i].why : "";
    return error_set(
        e, RC_UNMEASURED, "nothing to compare: none of %d runs can be used; the first: %.500s%s", p->runs, why,
        strstr(why, "no run of its seed") ? "; --name says where arm and seed stand, --unpaired needs no pairs" : "");
}

Rc pick_make(Pick *p, const Logs *logs, const PickQuery *q, Error *e) {
    begin(p, logs);
    count_used(p);
    if (!q->list && nothing_left(p, e)) return e->code;
    if (where(p, q, e) || pick_names(p, q, e) || metric(p, q, e)) return e->code;
    count_used(p);
    if (!q->list && nothing_left(p, e)) return e->code;
    if (p->metric[0] && (pick_values(p, q, e) || pick_pairs(p, q, e))) return e->code;
    count_used(p);
    if (!q->list && nothing_left(p, e)) return e->code;
    say_read(p);
    say_left(p);
    say_again(p);
    return RC_OK;
}

void pick_release(Pick *p) {
    for (int i = 0; i < p->runs; i++)
        free(p->run[i].arm), free(p->run[i].seed), free(p->run[i].corpus), free(p->run[i].why);
    free(p->run);
    free(p->metric);
    text_release(&p->read_as);
    text_release(&p->remarks);
    *p = (Pick){0};
}
