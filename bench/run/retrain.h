/* The weights of a stored run: a function of its spec, so none are kept. They are trained again, every loss on the way
 * is compared with the record, and at the end the parameters' hash. */
#ifndef BENCH_RUN_RETRAIN_H
#define BENCH_RUN_RETRAIN_H

#include "bench/store/record.h"
#include "bench/store/session.h"
#include "models/trainer.h"

/* The last step whose weights a run has; of a diverged run, those before the step that failed. */
int retrain_last(const RunRecord *r);

/* The backend that has the record's bits. RC_USAGE: --backend names another; RC_UNMEASURED: there is none here. */
Rc retrain_backend(const Session *s, const RunRecord *r, const Backend **out, Error *e);

/* The run's corpus. RC_INTEGRITY: it has other bytes now; the codes of session_dataset. */
Rc retrain_corpus(Session *s, const RunRecord *r, const Dataset **out, Error *e);

/* RC_UNMEASURED unless a file can be written at path: asked before training, which an absent or read-only folder, or a
 * folder of that name, would waste. */
Rc retrain_output(const char *path, Error *e);

/* Trains t, which was made for the run, up to `step`, every loss held against the record's curve. RC_INTEGRITY: a loss,
 * or at the last step the parameters, are not the record's; RC_INTERRUPTED and the like; a device's failure. */
Rc retrain(Trainer *t, const RunRecord *r, const Dataset *d, int step, Error *e);

#endif
