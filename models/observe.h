/* The numbers of a step's probes (models/measure.h), computed on the host. */
#ifndef MODELS_OBSERVE_H
#define MODELS_OBSERVE_H

#include "models/measure.h"
#include "models/program.h"

/* value[from .. to - 1] of one replica's parts, shared by the program's threads. thin: those too that are wanted at
 * some steps alone. */
void observe_parts(const Measure *m, const Program *p, int replica, int from, int to, bool thin, double *value);

/* The norm of all gradients (or, after the update, of all updates). */
double observe_norm(const Measure *m, const Program *p, const double *value);

/* One number of the tape's list of probes; value: of its parts. */
double observe_probe(const Measure *m, const Program *p, int probe, int replica, const double *value);

#endif
