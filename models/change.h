/* How much the first update changes the network's output: ||F(x, theta_1) - F(x, theta_0)|| / ||F(x, theta_0)||, F what
 * enters the output head, x the batch of that update (Liu et al. 2020, "Understanding the difficulty of training
 * transformers", section 4: the amplification of the output's change). Two forward passes stand around the first step,
 * without dropout and, where a variant moves over the steps, at the first one's place. Nothing that is trained changes.
 *
 * The squares of both are summed in double, by rules 2 and 3 of base/canon.h, so that the number is the same for any
 * number of threads and replicas. Works on every backend: a device's activations are brought to the host. */
#ifndef MODELS_CHANGE_H
#define MODELS_CHANGE_H

#include "models/trainer_state.h"

/* Whether the step that comes is the first one and the trainer was asked for the probe output_change. */
bool change_comes(const Trainer *t);

/* After a pass forward before the step, on its batches: what enters the head, of all replicas; the caller's to free. */
double *change_begin(const Trainer *t);

/* After the step and another pass forward: the number of every replica into its report. NaN where nothing was updated;
 * infinity where the new output is not finite. Writes over before. */
void change_end(const Trainer *t, double *before, StepReport *report);

#endif
