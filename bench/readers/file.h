/* What a reader is given of a file, and what readers share. */
#ifndef BENCH_READERS_FILE_H
#define BENCH_READERS_FILE_H

#include <jansson.h>

#include "bench/readers/log.h"

enum { LOG_STEP_LISTS = 8 };

/* A file, looked at once for all readers. */
typedef struct {
    const char *path;
    const char *bytes; /* as they stand; a terminator behind them */
    size_t length;
    char *text; /* in UTF-8 with line feeds; NULL: it holds zero bytes */
    size_t text_length;
    json_t *json; /* of the whole text; NULL: it is none */
    json_t *line; /* of its first line, where more stands behind it; NULL */
    char **field; /* of its first line as CSV */
    int fields;
} LogFile;

/* "-": standard input. */
Rc log_file_open(LogFile *file, const char *path, Error *e);
void log_file_release(LogFile *file);

/* An object's lists that are called as steps are, the best first. */
typedef struct {
    const char *key[LOG_STEP_LISTS];
    const json_t *list[LOG_STEP_LISTS];
    int count;
} LogStepLists;

int log_column(const LogFile *file, const char *name);                /* of the first line; -1: there is none */
bool log_is_step(const char *name);                                   /* "step", "trainer/global_step", "epoch" */
int log_step_column(const LogFile *file);                             /* the one that counts best; -1 */
const char *log_step_key(json_t *object, double *step);              /* of an object's keys the one; NULL */
bool log_json_number(const json_t *v, double *out);                  /* also in quotes, or a word for none finite */
void log_step_lists(LogStepLists *out, json_t *object);
const json_t *log_step_list(const LogStepLists *of, size_t length); /* the best of that length that ascends; NULL */
bool log_step_of(const Log *log, double *step);                      /* what its settings say */
bool log_is_clock(const char *name);                                  /* "_runtime", "timestamp" */
size_t log_stem(const char *name);                                  /* bytes of a file's name before .csv, .csv.gz */
void log_folder(char *out, size_t size, const char *path, int up);    /* the folder of a path, `up` folders higher */
void log_settings_json(Log *log, json_t *value); /* every leaf, keys joined by dots */
void log_settings_beside(Log *log);                                   /* hparams.yaml, config.json ... */
void log_settings_of(Log *log, const char *folder, const char *name); /* one such file, where it is there */
void log_settings_params(Log *log, const char *folder); /* a file for each, as MLflow has them in params/ */
bool log_settings_file(const char *name);               /* whether a file's name is one of theirs */

/* Rows that were read from `first` on as runs of their own: where they count steps, and names (named), words, seeds and
 * columns of l->told repeat, each such run becomes one curve. Without names runs are called by words and seed; one
 * alone is not called. */
void logs_gather_rows(Logs *l, int first, bool named);

#endif
