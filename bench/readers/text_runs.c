/* Runs in lines of text: fairseq, modded-nanogpt, nanoGPT, llm.c, and MLflow's files of one metric. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/readers/readers.h"

/* Lines of a text, one after the other, each terminated. */
typedef struct {
    const char *at, *end;
    char line[1024];
} Lines;

/* What a terminal would show of a line: without colours, from its last carriage return on. */
static void show(char *to, const char *from, size_t n) {
    char *at = to;
    while (n && from[n - 1] == '\r') n--;
    for (size_t i = 0; i < n; i++) {
        if (from[i] == '\r') at = to;
        if (from[i] == '\033' && i + 1 < n && from[i + 1] == '[')
            for (i += 2; i < n && from[i] < '@'; i++) {
            }
        else if (from[i] != '\r')
            *at++ = from[i];
    }
    *at = 0;
}

static bool next(Lines *l) {
    if (l->at >= l->end) return false;
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    if (!stop) stop = l->end;
    size_t n = (size_t)(stop - l->at), skip = 0;
    for (size_t i = 0; i + 1 < n && n - skip >= sizeof l->line; i++) /* a bar's many states */
        if (l->at[i] == '\r') skip = i;
    show(l->line, l->at + skip, n - skip < sizeof l->line ? n - skip : sizeof l->line - 1);
    l->at = stop + 1;
    return true;
}

/* Where a word begins a line, or stands behind a date, a rank and the like; NULL: nowhere. */
static const char *begins(const char *line, const char *word) {
    for (const char *at = line; (at = strstr(at, word)); at++)
        if (at == line || strchr(" \t]>", at[-1])) return at;
    return NULL;
}

static Lines lines_of(const LogFile *file) {
    return (Lines){.at = file->text, .end = file->text + file->text_length};
}

/* The bytes of a number at text, as "3.27906" before a blank or comma, parsed; false: there is none. */
static bool number_at(const char *text, double *out) {
    char word[64];
    size_t n = strcspn(text, " ,\t\r\n");
    if (!n || n >= sizeof word) return false;
    snprintf(word, sizeof word, "%.*s", (int)n, text);
    return log_number(word, out);
}

/* The number behind words, a blank of which stands for one or more: "train loss " in "train  loss   4.2874". */
static bool behind_blanks(const char *line, const char *words, double *out) {
    for (const char *at = line; *at; at++) {
        const char *text = at, *word = words;
        for (; *word; word++) {
            size_t n = *word == ' ' ? strspn(text, " ") : *text == *word;
            if (!n) break;
            text += n;
        }
        if (!*word) return number_at(text, out);
    }
    return false;
}

/* The number behind a word of the line: "val_loss:" in "step:3325/3325 val_loss:3.27906". */
static bool behind(const char *line, const char *word, double *out) {
    const char *at = strstr(line, word);
    return at && number_at(at + strlen(word), out);
}

/* Reads one line: adds its points, returns whether it is one of the log's. log: NULL: only looks. */
typedef bool (*ReadLine)(const char *line, Log *log);

static bool any_line(const LogFile *file, ReadLine read) {
    if (!file->text || file->json || file->line) return false;
    Lines l = lines_of(file);
    while (next(&l))
        if (read(l.line, NULL)) return true;
    return false;
}

static Rc read_lines(const LogFile *file, int reader, Logs *out, ReadLine read) {
    Lines l = lines_of(file);
    Log *log = logs_add(out, reader, file->path, "", NULL);
    while (file->text && next(&l)) read(l.line, log);
    if (!log->count) log_fault(log, "no line holds a number");
    return RC_OK;
}

static void point(Log *log, const char *metric, double step, double value) {
    if (log) log_point(log, metric, step, value);
}

enum { SPLIT = 40 };

/* The split of a line of fairseq's: "... | INFO | valid | epoch 143 | ...", and of its older logs "| epoch 143 | valid
 * on 'valid' subset | ...", which name no split in training. Returns where the epoch or an object stands; NULL: no such
 * line. */
static const char *fairseq_split(const char *line, char split[SPLIT]) {
    const char *info = strstr(line, "| INFO | "), *at = info ? strchr(info + 9, '|') : begins(line, "| epoch ");
    if (!at) return NULL;
    at += 1 + strspn(at + 1, " ");
    strcpy(split, "train");
    const char *subset = info ? NULL : strstr(at, "| valid on '");
    if (info && sscanf(info + 9, "%39[^ |]", split) != 1) return NULL;
    if (subset && sscanf(subset + 12, "%39[^']", split) != 1) return NULL;
    return !strncmp(at, "epoch ", 6) || *at == '{' ? at : NULL;
}

/* A number of a split, under the name that fairseq's objects give it: valid_loss. */
static bool fairseq_number(Log *log, const char *split, const char *key, const char *text, double step) {
    char metric[120];
    double x;
    size_t n = strlen(split);
    if (!strcmp(key, "epoch") || strstr(key, "num_updates") || !number_at(text, &x)) return false;
    bool named = !strncmp(key, split, n) && key[n] == '_';
    snprintf(metric, sizeof metric, "%s%s%.70s", named ? "" : split, named ? "" : "_", key);
    point(log, metric, step, x);
    return true;
}

/* {"epoch": 3, "valid_loss": "4.033", "valid_num_updates": "3645"} */
static bool fairseq_object(const char *text, const char *split, Log *log) {
    json_t *object = json_loads(text, 0, NULL), *v;
    const char *key;
    double step = -1;
    bool any = false;
    json_object_foreach(object, key, v) if (strstr(key, "num_updates") && json_is_string(v))
        number_at(json_string_value(v), &step);
    json_object_foreach(object, key, v) if (step >= 0 && json_is_string(v)) any |=
        fairseq_number(log, split, key, json_string_value(v), step);
    json_decref(object);
    return any;
}

/* "epoch 143 | valid on 'valid' subset | loss 12.677 | num_updates 40297" and, of a training's part, "epoch 143:
 * 85 / 282 loss=3.147, num_updates=40100" */
static bool fairseq_line(const char *line, Log *log) {
    char split[SPLIT], field[1024];
    double step;
    bool any = false;
    const char *at = fairseq_split(line, split);
    if (at && *at == '{') return fairseq_object(at, split, log);
    if (!at || (!behind(at, "num_updates ", &step) && !behind(at, "num_updates=", &step))) return false;
    for (size_t n; *at; at += n + (at[n] != 0)) {
        n = strcspn(at, "|,");
        snprintf(field, sizeof field, "%.*s", (int)n, at);
        char *key = trim(field), *equals = strchr(key, '='), *value = equals ? equals : strchr(key, ' ');
        if (!value) continue;
        *value++ = 0;
        if (strrchr(key, ' ')) key = strrchr(key, ' ') + 1; /* "epoch 143: 85 / 282 loss" */
        if (!strchr(value, ' ')) any |= fairseq_number(log, split, key, value, step);
    }
    return any;
}

/* "step:125/3325 val_loss:4.84530 train_time:198.159s step_avg:1585.27ms" */
static bool modded_nanogpt_line(const char *line, Log *log) {
    double step, of, x;
    char word[64];
    const char *at = begins(line, "step:");
    size_t n = at ? strcspn(at + 5, "/ ") : 0;
    if (!n || n >= sizeof word || at[5 + n] != '/') return false;
    snprintf(word, sizeof word, "%.*s", (int)n, at + 5);
    if (!parse_real(word, &step) || !number_at(at + 6 + n, &of)) return false;
    bool valid = behind(at, " val_loss:", &x);
    if (valid) point(log, "val_loss", step, x);
    bool train = behind(at, " train_loss:", &x);
    if (train) point(log, "train_loss", step, x);
    return valid || train;
}

/* "250 val 5.9121", "250 train 5.871234", "250 hella 0.2463", as build-nanogpt writes its log.txt */
static bool build_line(const char *line, Log *log) {
    static const char *const words[][2] = {{"val", "val loss"}, {"train", "train loss"}, {"hella", "hella"}};
    char first[32], word[32], last[64], more;
    double step, x;
    if (sscanf(line, "%31s %31s %63s %c", first, word, last, &more) != 3) return false;
    if (!parse_real(first, &step) || !log_number(last, &x)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i][0])) {
            point(log, words[i][1], step, x);
            return true;
        }
    return false;
}

/* "step 200: train loss 2.4314, val loss 2.4601" and "iter 50: loss 2.5726, time 226.69ms, mfu 108.26%" */
static bool nanogpt_line(const char *line, Log *log) {
    double step, x, y;
    char word[64];
    const char *whole = begins(line, "step "), *at = whole ? whole : begins(line, "iter ");
    size_t n = at ? strcspn(at + 5, ":") : 0;
    if (!at) return build_line(line, log);
    if (!n || n >= sizeof word) return false;
    snprintf(word, sizeof word, "%.*s", (int)n, at + 5);
    if (!parse_real(trim(word), &step)) return false;
    if (!whole && behind_blanks(at, ": loss ", &x)) point(log, "loss", step, x);
    if (!whole || !behind_blanks(at, "train loss ", &x) || !behind_blanks(at, "val loss ", &y)) return false;
    point(log, "train loss", step, x), point(log, "val loss", step, y);
    return true;
}

/* "iteration 20/ 40 | consumed samples: 160 | lm loss: 2.918E+00 | grad norm: 0.511 |" of Megatron-LM, and "validation
 * loss at iteration 20 | lm loss value: 2.8E+00 | lm loss PPL: 1.6E+01 |"; "on test set" may stand before the bar. */
static bool megatron_line(const char *line, Log *log) {
    char all[1024], *rest = all, *field, step_text[32];
    bool valid = begins(line, "validation loss at iteration ") != NULL, any = false;
    const char *at = begins(line, valid ? "validation loss at iteration " : "iteration ");
    double step, x;
    if (!at || !strchr(at, '|')) return false;
    at += strlen(valid ? "validation loss at iteration " : "iteration ");
    if (sscanf(at, " %31[0-9]", step_text) != 1 || !parse_real(step_text, &step)) return false;
    snprintf(all, sizeof all, "%s", strchr(at, '|') + 1);
    const char *test = strstr(at, "on test set"), *split = test && test < strchr(at, '|') ? "test " : "validation ";
    while ((field = strsep(&rest, "|"))) {
        char *colon = strrchr(field, ':'), metric[120];
        if (!colon || !number_at(colon + 1 + strspn(colon + 1, " "), &x)) continue;
        *colon = 0;
        snprintf(metric, sizeof metric, "%s%.90s", valid ? split : "", trim(field));
        any |= strstr(metric, "loss") != NULL;
        point(log, metric, step, x);
    }
    return any;
}

/* "step: 20  loss:  2.9184  memory: 1.2GiB(1.3%)  tps: 4,321" of torchtitan; "validate step: 20  loss: 2.8" too. */
static bool torchtitan_line(const char *line, Log *log) {
    static const char *const words[] = {"loss", "global_avg_loss", "global_max_loss", "grad_norm"};
    char word[24], metric[48];
    const char *at = begins(line, "step: ");
    double step, x;
    bool any = false, valid = at && at - line >= 9 && !strncmp(at - 9, "validate ", 9);
    if (!at || !strstr(at, "  ") || !number_at(at + 6 + strspn(at + 6, " "), &step)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(word, sizeof word, " %s: ", words[i]);
        snprintf(metric, sizeof metric, "%s%s", valid ? "validate/" : "", words[i]);
        if (!behind_blanks(at, word, &x)) continue;
        point(log, metric, step, x);
        any |= i < 3;
    }
    return any;
}

/* A loss of validation, of the step before it; false: it alone does not tell a log. */
static bool validated(Log *log, const char *metric, const char *train, double value) {
    const LogSeries *steps = log ? log_series(log, train) : NULL;
    point(log, metric, steps ? steps->at[steps->count - 1].step : 0, value);
    return false;
}

/* "Epoch 1 | iter 80 step 20 | loss train: 2.918, val: 2.801 | iter time: 512.33 ms" of LitGPT, whose val is the last
 * validation's, and behind it "iter 80: val loss 2.8010, val time: 120 ms". */
static bool litgpt_line(const char *line, Log *log) {
    const char *at = begins(line, "Epoch "), *loss = at ? strstr(at, "| loss train: ") : NULL;
    char step_text[32];
    double step, x;
    if (begins(line, "iter ") == line && behind(line, ": val loss ", &x))
        return validated(log, "val loss", "train loss", x);
    if (!loss || sscanf(at, "Epoch %*[0-9] | iter %*[0-9] step %31[0-9]", step_text) != 1) return false;
    if (!parse_real(step_text, &step) || !behind(loss, "loss train: ", &x)) return false;
    point(log, "train loss", step, x);
    return true;
}

/* What train_gpt2cu prints: "val loss 6.1565", and behind each step "step   20/19560 | loss 7.5 (+1.2z)| norm 2.1 ...";
 * a loss of validation is of the steps before it. */
static bool llmc_printed(const char *line, Log *log) {
    double step, of, x;
    char first[32];
    if (begins(line, "val loss ") == line && behind(line, "val loss ", &x))
        return validated(log, "val_loss", "train_loss", x);
    if (sscanf(line, "step %31[0-9]/%lf", first, &of) != 2 || !parse_real(first, &step)) return false;
    if (!behind(line, "| loss ", &x)) return false;
    point(log, "train_loss", step, x);
    return true;
}

/* "s:250 tel:6.1565", "s:250 eval:0.2437", "s:300 trl:5.9192 lr:0.000258 norm:1.09" */
static bool llmc_line(const char *line, Log *log) {
    static const char *const words[][2] = {
        {" tel:", "val_loss"}, {" eval:", "eval"}, {" trl:", "train_loss"}, {" norm:", "grad_norm"}};
    double step, x;
    bool any = false;
    if (strncmp(line, "s:", 2) != 0 || !number_at(line + 2, &step)) return llmc_printed(line, log);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!behind(line, words[i][0], &x)) continue;
        point(log, words[i][1], step, x);
        any = true;
    }
    return any;
}

/* The functions of each row of LINES. */
#define READER(name, shown, needs, is, read)
#define LINES(name, shown)                                                       \
    bool name##_is(const LogFile *file) {                                        \
        return any_line(file, name##_line);                                      \
    }                                                                            \
    Rc name##_read(const LogFile *file, int reader, Logs *out, Error *e) {       \
        (void)e;                                                                 \
        return read_lines(file, reader, out, name##_line);                       \
    }
#include "bench/readers/readers.def"
#undef READER

/* "1717312614000 0.4312 20": milliseconds since 1970, value, step. */
static bool mlflow_line(const char *line, double *value, double *step) {
    double time;
    const char *second = strchr(line, ' '), *third = second ? strchr(second + 1, ' ') : NULL;
    return third && number_at(line, &time) && time > 1e11 && number_at(second + 1, value) && number_at(third + 1, step);
}

bool mlflow_is(const LogFile *file) {
    double x, step;
    if (!file->text || file->json || file->line) return false;
    Lines l = lines_of(file);
    bool any = false;
    while (next(&l)) {
        if (!l.line[0]) continue;
        if (!mlflow_line(l.line, &x, &step)) return false;
        any = true;
    }
    return any;
}

/* Of RUN/metrics/val/loss: how many folders below metrics the file stands; -1: in none of that name. */
static int below_metrics(const char *path) {
    int depth = 0;
    for (const char *at = path + strlen(path); at > path; at--)
        if (*at == '/') {
            if (at - path >= 8 && !strncmp(at - 8, "/metrics", 8)) return depth;
            depth++;
        }
    return -1;
}

/* What meta.yaml says of a run's end: MLflow numbers its states from 1. */
static void mlflow_state(const Log *meta, Log *log) {
    static const char *const states[] = {"", "RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"};
    const char *status = log_setting_of(meta, "status"), *stage = log_setting_of(meta, "lifecycle_stage");
    int64_t number;
    if (status && parse_whole(status, &number) && number > 0 && number < 6) status = states[number];
    if (stage && !strcmp(stage, "deleted")) log_fault(log, "its lifecycle_stage is deleted");
    if (status && status[0] && strcmp(status, "FINISHED") != 0) log_fault(log, "its status is %.40s", status);
}

/* The settings of a run's folder, with what its tags or meta.yaml call it, once for all of its metrics. */
static Log *mlflow_run(Logs *out, int reader, const char *folder) {
    char below[4200];
    bool known = out->count && !strcmp(out->log[out->count - 1].path, folder);
    Logs beside = {0};
    Log *tags = logs_add(&beside, reader, folder, "", NULL);
    snprintf(below, sizeof below, "%.4000s/tags", folder);
    if (!known) log_settings_params(tags, below);
    log_settings_of(tags, folder, "meta.yaml");
    const char *name = log_setting_of(tags, "mlflow.runName");
    if (!name) name = log_setting_of(tags, "run_name");
    Log *log = logs_add(out, reader, folder, name ? name : "", folder);
    snprintf(below, sizeof below, "%.4000s/params", folder);
    if (!known) log_settings_params(log, below);
    mlflow_state(tags, log);
    logs_release(&beside);
    return log;
}

/* A metric's folder is the run's: mlruns/EXPERIMENT/RUN/metrics/val_loss. */
Rc mlflow_read(const LogFile *file, int reader, Logs *out, Error *e) {
    char folder[4100], metrics[4100];
    double x, step;
    int depth = below_metrics(file->path);
    (void)e;
    log_folder(metrics, sizeof metrics, file->path, depth < 0 ? 0 : depth);
    log_folder(folder, sizeof folder, file->path, depth < 0 ? 0 : depth + 1);
    Log *log = mlflow_run(out, reader, folder);
    Lines l = lines_of(file);
    while (next(&l))
        if (mlflow_line(l.line, &x, &step)) log_point(log, file->path + strlen(metrics) + 1, step, x);
    return RC_OK;
}
