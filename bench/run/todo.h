/* Todo: an experiment's runs with their ids, and which of them are already in results/runs: input of `run`. Readers of
 * records use bench/store/store.h, which computes nothing. */
#ifndef BENCH_RUN_TODO_H
#define BENCH_RUN_TODO_H

#include "bench/store/session.h"
#include "bench/store/store.h"

typedef struct {
    RunSpec spec;
    const Dataset *data;
    const Backend *backend; /* for the spec's precision */
    char id[SHA256_HEX], spec_sha256[SHA256_HEX], arithmetic[SHA256_HEX], arithmetic_class[BACKEND_CLASS_SIZE];
    int cell, arm, seed; /* indices into the experiment */
    int first;           /* index of the first run of this id, possibly of an earlier arm or cell */
    bool done;           /* results/runs/<id> is whole */
    int part;            /* the part of the plan that trains it, 0-based (todo_parts) */
    double cost;         /* floating-point operations, validations included (todo_parts) */
    ProbeKind lacking;   /* a probe of the experiment that the stored run lacks; PROBE_COUNT: none */
    bool lacks_hits;     /* the stored run lacks the hits that the experiment asks for */
    bool lacks_eight;    /* the stored run lacks the cost of eight bits */
    char why[200];       /* why the run does not count as done */
} TodoRun;

/* Runs of an experiment; of those with one id, the first is trained for all. */
typedef struct {
    TodoRun *run; /* cells x arms x seeds, in this order */
    int runs, missing;
    ProbeChoice probes; /* the experiment's */
    bool hits, quantize;
    int part, parts;    /* the part of this process */
    int micro_batch;    /* sequences of a part of a batch (bench/run/cluster/split.h); 0: all, or one part to a rank */
    int logit_rows;     /* rows of logits held at once (models/head.h); 0: all */
    bool recompute;     /* blocks' activations are not kept for the backward pass */
    int ranks;          /* ranks that train a run together */
} Todo;

/* Make the todo. RC_INTEGRITY: a run's folder is damaged; the line names the file and says what to do. RC_USAGE,
 * RC_UNMEASURED: no backend for a run's precision. */
Rc todo_make(Todo *t, Session *s, const Experiment *x, Error *e);
void todo_release(Todo *t);

/* Return the number of parts of this spec's batches. */
int todo_passes(const Todo *t, const RunSpec *spec);

/* Return RC_UNMEASURED if stored runs lack probes or hits that the experiment asks for. They trained the same, so they
 * count as done, and the user decides whether to train them again. */
Rc todo_lacking(const Todo *t, const Session *s, Error *e);

/* Fill `why` of the missing runs from the store. */
void todo_explain(Todo *t, const Store *stored);

/* Compute the runs' costs and deal them into parts, of which this process has the part-th (0-based): the
 * most expensive first, each to the share with the least so far; equal costs in turn, seeds outermost. The arms of a
 * seed in a cell stay together, so that a share has pairs to compare, unless some share would cost a tenth more than
 * the mean. Only the plan decides, not the store, so that all processes agree. */
void todo_parts(Todo *t, int part, int parts);
/* Set this process's share from a list: mine[runs]. */
void todo_only(Todo *t, const bool *mine);
/* Return true if a run, stored or not, is in this process's share. */
bool todo_mine(const Todo *t, const TodoRun *run);
/* Return true if a run is still to be trained by some process: not stored, and the first of its id. */
bool todo_open(const Todo *t, int run);

/* Copy what is known of the first run of an id to the others; count the missing runs. */
void todo_settle(Todo *t);

/* Return the FLOPs per second that an estimate counts on where no stored run tells the time: 55% of the backend's fma
 * peak on so many threads. */
double todo_speed(const Backend *backend, int threads);

/* Return the bytes of the largest missing run of this share; *of: its index, 0 if none is missing. */
double todo_bytes(const Todo *t, int *of);

#endif
