/* Compute the likelihood of continuations after their contexts (bench/tasks/scored.h). */
#ifndef BENCH_TASKS_LIKELIHOOD_H
#define BENCH_TASKS_LIKELIHOOD_H

#include <signal.h>

#include "bench/tasks/scored.h"
#include "models/trainer.h"

/* Compute the log-likelihoods of s[n] under replica 0 of t, whose feeds hold batch sequences of `context`. progress:
 * called with the windows done, or NULL. The bits do not depend on a batch's other texts. RC_INTERRUPTED and the like:
 * *stop became nonzero. RC_UNMEASURED: one is not finite. */
Rc likelihoods(Trainer *t, int batch, int context, Scored *s, int n, const volatile sig_atomic_t *stop,
               void (*progress)(void *of, int windows), void *of, Error *e);

#endif
