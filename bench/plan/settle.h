/* What a run is, whatever was said to ask for it: what changes nothing does not tell two runs apart. */
#ifndef BENCH_PLAN_SETTLE_H
#define BENCH_PLAN_SETTLE_H

#include "bench/plan/spec.h"

/* A key that a run does not read, and why: what another key says. */
typedef struct {
    const char *key, *by, *why;
    size_t at, size; /* of the RunSpec */
    bool idle;
} IdleKey;

/* All keys that some run does not read, with how it is for this one. */
enum { IDLE_KEYS = 10 };
void spec_idle(const RunSpec *s, IdleKey out[IDLE_KEYS]);

/* Such keys get their defaults; all: whether this run reads them or not. */
void spec_forget_idle(RunSpec *s, bool all);

/* Columns of norms that stand in no block get their defaults; `mended` says whether builds before 2026-11-26 trained
 * this network otherwise than its equation says. */
void spec_settle(RunSpec *s);

/* What may change nothing gets its default: specs that differ still are two networks, whatever their other keys say. */
void spec_outline(RunSpec *s);

#endif
