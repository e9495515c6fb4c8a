/* Pick: which logs are runs of which arm and seed, and which number of each is compared. What is left out has a reason.
 */
#ifndef BENCH_READERS_PICK_H
#define BENCH_READERS_PICK_H

#include <stdint.h>

#include "bench/readers/log.h"

typedef enum { PICK_LAST, PICK_BEST, PICK_OWN_BEST, PICK_STEP, PICK_EVERY } PickAt;

typedef struct {
    const char *name;       /* a pattern (bench/readers/pattern.h); NULL: none */
    const char *const *arm; /* [arms]: "NAME=PATTERN" by hand, the first that fits */
    int arms;
    const char *arm_key, *seed_key; /* settings; NULL: none */
    const char *metric;             /* NULL: the only one there is */
    PickAt at;
    double step;              /* of PICK_STEP */
    const char *const *where; /* [where_count]: "KEY=VALUE" */
    int where_count;
    bool higher;   /* is better, for the best step */
    bool directed; /* somebody said which side is better */
    bool unpaired; /* arms need not share seeds */
    bool apart;    /* every arm at its own last step: none is compared with another */
    bool curves;   /* all points are wanted, not one value */
    bool list;     /* nothing is compared: arm, seed and metric may be unknown */
} PickQuery;

typedef struct {
    const Log *log;
    const LogSeries *series;   /* of the metric; NULL: it has none */
    char *arm, *seed, *corpus; /* labels; "": not known */
    int64_t number;            /* of the seed; of runs without one, their place among the arm's */
    double step, value;        /* value NaN: diverged */
    double last;               /* the series' last step */
    char *why;                 /* it is left out; NULL: it is used */
} PickedRun;

typedef struct {
    PickedRun *run; /* [runs], in the order in which they were found */
    int runs, used;
    char *metric;  /* "": not known */
    bool seeds;    /* every run that is used has one */
    bool unpaired; /* asked for, or there are no seeds */
    bool curve;    /* values are of a step */
    double step;   /* where all values are of one; NaN */
    char when[48]; /* "at its best step"; "": a run ends with its value */
    Text read_as;  /* "Weights & Biases chart, 12 runs, 3 arms" */
    Text remarks;  /* a line each: what was left out and why, and what is doubtful */
} Pick;

/* logs outlives *p. RC_USAGE: an unknown metric (nearest named; all of them where none was asked for), nothing that
 * says the arm, a seed twice in an arm, steps as seeds, a chart of groups; RC_UNMEASURED: no run is left. */
Rc pick_make(Pick *p, const Logs *logs, const PickQuery *query, Error *e);
void pick_release(Pick *p);

/* The steps of pick_make: arm, seed and corpus of every run; then values at their steps, and doubts about them; then
 * which runs are pairs. */
Rc pick_names(Pick *p, const PickQuery *query, Error *e);
Rc pick_values(Pick *p, const PickQuery *query, Error *e);
Rc pick_pairs(Pick *p, const PickQuery *query, Error *e);

/* The part of pick_values for PICK_BEST: of each run the value at the step whose mean over the other used runs of its
 * arm and corpus is best (leave one out); for PICK_OWN_BEST, and where an arm has one run, its own best value, with a
 * remark that it is optimistic. RC_USAGE: runs of an arm share too few steps. */
Rc pick_best(Pick *p, const PickQuery *query, Error *e);

bool pick_lost(const PickedRun *run); /* its last value is NaN: it diverged, and counts so at every later step */
/* Whether a run has a step, or diverged before it (NaN); its value there out, where it is not NULL. */
bool pick_value_at(const PickedRun *run, double step, double *value);

void pick_leave(PickedRun *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append a line about such a metric, for where less counts as better. */
void pick_direction(const char *metric, Text *remarks);
void pick_remark(Pick *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Each different text of runs that are used (or of all), in order; count out. Freed by the caller, texts stay. */
const char **pick_labels(const Pick *p, bool arms, bool used, int *count);


/* "last", "best", "own-best", "step:1000", "every". RC_USAGE: none of these. */
Rc pick_at_parse(const char *text, PickAt *at, double *step, Error *e);

#endif
