/* Scale: needs of an experiment on a device that may be absent: parameters, memory, floating-point operations. Sizes
 * come from the list of ops that would be trained (models/trainer.h); nothing is allocated and, if the tokenizer's name
 * tells its vocabulary's size, no corpus is needed. */
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

/* Needs of one arm in one cell. */
typedef struct {
    TrainerPlan plan; /* plan of a step: the batch at once, or in parts (--memory micro-batch); recomputing */
    double run_flops; /* all updates, without validations */
    int64_t fits;     /* sequences that can be trained there at once; 0: none. All, if the batch's parts fit */
    double least;     /* bytes for a batch of one */
} Scale;

/* Compute the shape of a run, with s's parts and recomputing. Codes of scale_of, and RC_USAGE: the batch or the logits
 * cannot be cut so. */
Rc scale_shape(ModelShape *out, Session *s, const RunSpec *spec, Error *e);

/* Compute the needs of a run. RC_USAGE: contradictory keys. RC_UNMEASURED, RC_INTEGRITY: the corpus, which gives the
 * vocabulary, is not available; no backend has the precision. */
Rc scale_of(Scale *out, Session *s, const Experiment *x, const RunSpec *spec, double memory, Error *e);

#endif
