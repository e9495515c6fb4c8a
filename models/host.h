/* Columns of StepWay (models/trainer_state.h) for a trainer on the host, and for a batch in one pass. */
#ifndef MODELS_HOST_H
#define MODELS_HOST_H

#include "models/trainer_state.h"

/* Do the part of a step that follows the passes, on the host. */
bool host_finish(Trainer *t, StepReport *report);
void host_values(Trainer *t, int replica, bool thin, double *value);

/* Columns for a batch in one pass, also on a device. */
void host_passes(Trainer *t, bool measured, bool thin);
void host_forward(Trainer *t);
int32_t *host_ids(const Trainer *t, int feed, int replica);
int host_culprit(Trainer *t, int replica);
void host_scores(const Trainer *t, int replica, int first, int rows, double *nll, bool *right);

#endif
