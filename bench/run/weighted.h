/* A model that a command makes use of: a file of weights, or what a stored run ends with. */
#ifndef BENCH_RUN_WEIGHTED_H
#define BENCH_RUN_WEIGHTED_H

#include "bench/store/session.h"
#include "bench/store/store.h"
#include "bench/store/weights.h"

typedef struct {
    const char *name; /* as it was asked for */
    bool stored;
    Weights w;   /* unless stored */
    RunRecord r; /* stored */
    const RunSpec *spec;
    Tokenizer own; /* from the file's vocabulary */
    const Tokenizer *codec;
    const Dataset *data; /* NULL: not needed */
    const Backend *backend;
    Trainer *t;
} Weighted;

/* name: a safetensors file, or a run by its id or address (bench/store/address.h). RC_USAGE: neither, or a model of
 * another objective than the command is for; RC_INTEGRITY: bytes that are not what they say. On failure
 * weighted_release is still to be called. */
Rc weighted_open(Weighted *m, Session *s, const char *name, Objective objective, Error *e);

/* m->t with the weights; a stored run is trained again, held against its record (bench/run/retrain.h). recipe must
 * outlive the trainer. */
Rc weighted_trainer(Weighted *m, const Session *s, Recipe *recipe, Error *e);

void weighted_release(Weighted *m);

#endif
