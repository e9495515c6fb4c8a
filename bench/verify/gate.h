/* Gate: measured rows against a stored snapshot, at three levels.
 *
 *   bit          every hash and every loss equal; only for the arithmetic class that was stored
 *   numeric      every run of the same status, every loss within the tolerance stored for its step
 *   statistical  per arm, over seeds: the paired difference of final losses inside the margin by two one-sided tests
 *
 * Both directions count at all levels: a loss that is too good is no pass. A row that is missing, or one too many, is a
 * regression; NaN equals NaN only between diverged runs. Tolerances are measured, not guessed: ten times the largest
 * difference over all runs between the stored losses and those of the double backend, per step. */
#ifndef BENCH_VERIFY_GATE_H
#define BENCH_VERIFY_GATE_H

#include <jansson.h>

#include "base/error.h"
#include "base/text.h"

typedef enum { GATE_bit, GATE_numeric, GATE_statistical, GATE_LEVELS } GateLevel;
extern const char *const gate_names[GATE_LEVELS];

/* The strictest level that a snapshot has for this arithmetic class: its own bits; the tolerances, for arithmetic that
 * is float or double throughout; seeds. */
GateLevel gate_default(json_t *snapshot, const char *arithmetic_class);

/* {rule, valid_loss: {STEP: nats}}: rows against the same runs in double arithmetic. A run that diverged in either
 * counts nothing. New reference. */
json_t *gate_tolerances(json_t *rows, json_t *doubles);

/* Rows against the snapshot's; a line per difference, and for what passed a summary, go to report, *compared counts the
 * numbers compared. RC_REGRESSION; RC_UNMEASURED: nothing to compare, no tolerances stored, or another arithmetic class
 * at level bit; statistical also RC_INCONCLUSIVE: neither equivalent nor different. */
Rc gate_check(GateLevel level, json_t *snapshot, json_t *rows, double margin, double alpha, Text *report, int *compared,
              Error *e);

#endif
