/* Logs: what trainers' files say of their runs, whatever their form. A reader (bench/readers/readers.def) makes one Log
 * of each run that it finds; who compares runs sees nothing else of a file. */
#ifndef BENCH_READERS_LOG_H
#define BENCH_READERS_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

typedef struct {
    double step, value; /* value NaN: the file says nan or inf there */
} LogPoint;

typedef struct {
    char *name;
    LogPoint *at; /* by steps, once logs_settle ran */
    size_t count, room;
    bool percent; /* the file writes a sign of percent behind each */
    size_t again; /* steps that stood there before with another value; of logs_settle */
    char *doubt;  /* what is doubtful of its steps; NULL: nothing */
} LogSeries;

typedef struct {
    char *key, *value; /* "optimizer.lr", "0.001" */
} LogSetting;

typedef struct {
    char *path;   /* the file's, as it was named or found */
    char *name;   /* what the file calls the run: a column of a chart, a row's Name; "": nothing */
    bool invented; /* the reader made the name up, of a row's line or its words and seed */
    char *unit;   /* logs of an equal unit are parts of one run */
    char *corpus; /* what was evaluated, where a file holds several such; "": not said */
    char *fault;  /* why the run is of no use, "State is crashed"; NULL: it is */
    char *doubt;  /* what else is wrong with the file: "breaks off at byte 80"; NULL: nothing */
    int reader;   /* a row of readers.def */
    int shared;   /* bytes of the path that all logs' paths begin with, up to a '/'; of logs_settle */
    const char *written; /* how its numbers are, as csv_written says */
    bool curve;   /* its steps mean something */
    bool saved;   /* its file stands in a folder checkpoint-N */
    LogSeries *series;
    int count, last;
    LogSetting *setting;
    int settings;
} Log;

/* Columns that the user named: rows that differ in one are of unlike runs, whether it holds words or numbers. */
typedef struct {
    const char *arm, *seed;   /* NULL: not named */
    const char *const *where; /* [where_count]: "KEY=VALUE" */
    int where_count;
} LogTold;

typedef struct {
    Log *log;
    int count, room;
    int others; /* files of a folder that no reader knows */
    LogTold told;
} Logs;

/* A new log, last of the list; other pointers into the list are then no longer valid. unit: NULL, a run of its own. */
Log *logs_add(Logs *l, int reader, const char *path, const char *name, const char *unit);
void log_release(Log *log);
void logs_release(Logs *l);

void log_point(Log *log, const char *metric, double step, double value);
void log_percent(Log *log, const char *metric); /* of all points of one */
/* A point with a sign of percent; beside one without it, in either order, the run has a fault. */
void log_point_percent(Log *log, const char *metric, double step, double value);
void log_setting(Log *log, const char *key, const char *value);
void log_fault(Log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_doubt(Log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_doubt_series(Log *log, const char *metric, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Keys and columns that say what kind of line one is, the best first: split, phase ... */
enum { LOG_KINDS = 10 };
extern const char *const log_kinds[LOG_KINDS];
bool log_is_split(const char *text); /* a part of the data: train, val, test ... */
/* Writes what stands with a '.' before the names of metrics of a kind of lines, such as "val"; "": the text is no kind.
 * log_unkind takes it away where one kind of lines has that metric, and leaves "val.loss" beside "train.loss". */
void log_kind(char *out, size_t size, const char *text);
const char *log_kindless(const char *name);
void log_unkind(Log *log);

/* NULL: it has none of that name. A setting is found by its key, or by the last words of it that only one key has:
 * "seed" for "training.seed". */
const LogSeries *log_series(const Log *log, const char *metric);
const char *log_setting_of(const Log *log, const char *key);

/* The point of a step of a series that logs_settle sorted; NULL: it has none. */
const LogPoint *log_point_at(const LogSeries *s, double step);

/* Joins the parts of a run, sorts series by step (of equal steps the last one written stays), and says of a run that
 * stands in several files (a folder and its checkpoint-N) which one is used: the others have a fault. */
void logs_settle(Logs *l);

/* "path: name", without the folders, or the file, that all logs share. Returns out. */
char *log_called(char *out, size_t size, const Log *log);

/* A number as trainers write it: also nan, inf, infinity (NaN). False: it is none. */
bool log_number(const char *text, double *out);

/* What stands for a number that was not measured: "", NA, null, None, - and the like. */
bool log_absent(const char *text);

/* A state of W&B or a scheduler in which a run did not reach its end: crashed, failed, killed, running, preempted. */
bool log_unfinished(const char *state);
/* A run's state: such a one is a fault, and all numbers that were read of a run that diverged are NaN. */
void log_state(Log *log, const char *key, const char *state);

#endif
