/* What an experiment would take on a device that need not be here: parameters, memory, floating-point operations. Sizes
 * come from the list of ops that would be trained (models/trainer.h); nothing is allocated and, where the tokenizer's
 * name says how large its vocabulary is, no corpus is needed. */
#ifndef BENCH_RUN_SCALE_H
#define BENCH_RUN_SCALE_H

#include "bench/store/session.h"
#include "models/trainer.h"
#include "models/trainer_count.h"

typedef struct {
    const char *name;
    double memory, flops, tensor; /* see scale_devices.def */
    size_t shared;
} ScaleDevice;

enum {
#define SCALE_DEVICE(...) +1
    SCALE_DEVICES = 0
#include "bench/run/scale_devices.def"
#undef SCALE_DEVICE
};
extern const ScaleDevice scale_devices[SCALE_DEVICES];
extern const char *const scale_device_names[SCALE_DEVICES];

/* One arm of one cell. */
typedef struct {
    TrainerPlan plan; /* of a step as it was asked for: the batch at once, or in parts (--micro-batch); recomputing */
    double run_flops; /* all updates; validations are not among them */
    int64_t fits;     /* sequences of a step that can be trained there at once; 0: not one. All, where its parts fit */
    double least;     /* bytes with a batch of one */
} Scale;

/* The shape of a run, with the parts and the recomputing that were asked for. The codes of scale_of; RC_USAGE: a batch
 * or logits that cannot be cut so. */
Rc scale_shape(ModelShape *out, Session *s, const RunSpec *spec, Error *e);

/* RC_USAGE: keys that do not fit together. RC_UNMEASURED, RC_INTEGRITY: the vocabulary is the corpus', and it cannot be
 * had; no backend has the precision. */
Rc scale_of(Scale *out, Session *s, const Experiment *x, const RunSpec *spec, double memory, Error *e);

#endif
