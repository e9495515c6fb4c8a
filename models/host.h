/* A trainer whose numbers are on the host, and a batch that is one pass: columns of the table of ways to make a step
 * (StepWay of models/trainer_state.h). */
#ifndef MODELS_HOST_H
#define MODELS_HOST_H

#include "models/trainer_state.h"

/* What of a step follows the passes. */
bool host_finish(Trainer *t, StepReport *report);
void host_values(Trainer *t, int replica, bool thin, double *value);

/* Of a batch that is one pass, on a device too. */
void host_passes(Trainer *t, bool measured, bool thin);
void host_forward(Trainer *t);
int32_t *host_ids(const Trainer *t, int feed, int replica);
int host_culprit(Trainer *t, int replica);
void host_scores(const Trainer *t, int replica, int first, int rows, double *nll, bool *right);

#endif
