/* Normalize specs: keys that change nothing do not distinguish two runs. */
#ifndef BENCH_PLAN_SETTLE_H
#define BENCH_PLAN_SETTLE_H

#include "bench/plan/spec.h"

/* A key that a run does not read, because of the key `by`. */
typedef struct {
    const char *key, *by, *why;
    size_t at, size; /* bytes of the RunSpec */
    bool idle;
} IdleKey;

/* List all keys that some run does not read; idle: this one does not. */
enum { IDLE_KEYS = 10 };
void spec_idle(const RunSpec *s, IdleKey out[IDLE_KEYS]);

/* Set idle keys to their defaults; all: also those that this run reads. */
void spec_forget_idle(RunSpec *s, bool all);

/* Set columns of norms that are in no block to their defaults; set `mended` if builds before 2026-11-26 trained this
 * network otherwise than its equation. */
void spec_settle(RunSpec *s);

/* Set everything that may change nothing to its default: specs that still differ are two networks in any case. */
void spec_outline(RunSpec *s);

#endif
