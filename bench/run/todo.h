/* Todo: an experiment's runs with their ids, and which of them already stand in results/runs. What `run` trains;
 * whoever only reads records asks bench/store/store.h, which computes nothing. */
#ifndef BENCH_RUN_TODO_H
#define BENCH_RUN_TODO_H

#include "bench/store/session.h"
#include "bench/store/store.h"

typedef struct {
    RunSpec spec;
    const Dataset *data;
    const Backend *backend; /* of the spec's precision */
    char id[SHA256_HEX], spec_sha256[SHA256_HEX], arithmetic[SHA256_HEX], arithmetic_class[BACKEND_CLASS_SIZE];
    int cell, arm, seed; /* indices into the experiment */
    int first;           /* the first run of this id: itself, or an arm or a cell before it is the same network */
    bool done;           /* results/runs/<id> is whole */
    int shard;           /* who trains it, 0-based (todo_shards) */
    double cost;         /* floating-point operations, validations included (todo_shards) */
    ProbeKind lacking;   /* a probe that the experiment asks for and the stored run has not; PROBE_COUNT: none */
    bool lacks_hits;     /* the experiment asks for hits, and the stored run kept none */
    bool lacks_eight;    /* or for what eight bits cost, which it did not measure */
    char why[200];       /* of a run that is to be trained: why it does not count as done */
} TodoRun;

/* Runs of one id are one run, which is trained once: the first of them stands for all. */
typedef struct {
    TodoRun *run; /* cells x arms x seeds, in this order */
    int runs, missing;
    ProbeChoice probes; /* the experiment's */
    bool hits, quantize;
    int shard, shards;  /* the share that is trained here */
    int micro_batch;    /* sequences of a part of a batch (bench/run/cluster/split.h); 0: all, or one part to a rank */
    int logit_rows;     /* held at once (models/head.h); 0: all */
    bool recompute;     /* blocks' activations are not kept for the backward pass */
    int ranks;          /* that train a run together */
} Todo;

/* RC_INTEGRITY: a run's folder is there but damaged; the line names the file and says what to do. RC_USAGE,
 * RC_UNMEASURED: no backend for a run's precision. */
Rc todo_make(Todo *t, Session *s, const Experiment *x, Error *e);
void todo_release(Todo *t);

/* Parts of a batch of this spec. */
int todo_passes(const Todo *t, const RunSpec *spec);

/* RC_UNMEASURED when runs are stored without a probe or hits that the experiment asks for: what they trained is the
 * same, so they count as done, and only whoever asked can say whether they are to be trained again. */
Rc todo_lacking(const Todo *t, const Session *s, Error *e);

/* Fills `why` of the missing runs from what is stored. */
void todo_explain(Todo *t, const Store *stored);

/* What each run costs, and a share of them for this process, the shard-th of `shards` (0-based): the dearest first goes
 * to whoever has least so far, of the same cost in turn, seeds outermost. The arms of a seed in a cell stay together,
 * so that a share alone has pairs to compare; they are dealt one by one where some share would be a tenth dearer than
 * the mean. Only the plan decides, not what is stored, so that all shards agree. */
void todo_shards(Todo *t, int shard, int shards);
/* A share that a list says, of `mine` per run: the others are another's. */
void todo_only(Todo *t, const bool *mine);
/* Whether this process is to train a run, stored or not. */
bool todo_mine(const Todo *t, const TodoRun *run);
/* Whether a run is still to be trained, by whomever: not stored, and the first of its id. */
bool todo_open(const Todo *t, int run);

/* What is known of the first run of an id holds for the others of this id; counts what is missing. */
void todo_settle(Todo *t);

/* Bytes that the largest of this share's missing runs takes; *of: which one, 0 when none is missing. */
double todo_bytes(const Todo *t, int *of);

#endif
