/* Measure how much the first update changes the network's output: ||F(x, theta_1) - F(x, theta_0)|| / ||F(x,
 * theta_0)||, F the input of the output head, x the batch of that update (Liu et al. 2020, "Understanding the
 * difficulty of training transformers", section 4: the amplification of the output's change). Two forward passes
 * surround the first step, without dropout and, if a variant moves over the steps, at the first step's values. Training
 * is not changed.
 *
 * The squares of both are summed in double, by rules 2 and 3 of base/canon.h, so that the number is the same for any
 * number of threads and replicas. Works on every backend: a device's activations are brought to the host. */
#ifndef MODELS_CHANGE_H
#define MODELS_CHANGE_H

#include "models/trainer_state.h"

/* Return true if the next step is the first one and the trainer has the probe output_change. */
bool change_comes(const Trainer *t);

/* Copy the head's input of all replicas after a forward pass on the step's batches, before it; the caller frees it. */
double *change_begin(const Trainer *t);

/* Write every replica's number into its report after the step and another forward pass: NaN if nothing was updated,
 * infinity if the new output is not finite. Overwrites before. */
void change_end(const Trainer *t, double *before, StepReport *report);

#endif
