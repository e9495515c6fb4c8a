/* Compute the numbers of a step's probes (models/measure.h) on the host. */
#ifndef MODELS_OBSERVE_H
#define MODELS_OBSERVE_H

#include "models/measure.h"
#include "models/program.h"

/* Compute value[from .. to - 1] of one replica's parts, on the program's threads. thin: include parts that are computed
 * only at some steps. */
void observe_parts(const Measure *m, const Program *p, int replica, int from, int to, bool thin, double *value);

/* Return the norm of all gradients (or, after the update, of all updates). */
double observe_norm(const Measure *m, const Program *p, const double *value);

/* Return the number of a probe of the tape's list; value: the parts' numbers. */
double observe_probe(const Measure *m, const Program *p, int probe, int replica, const double *value);

#endif
