/* Curves: what a run says of itself at every step, by name. First the columns of curves.def, then the probes that have
 * a column of their own (models/probes.def). bench/store/curves.c keeps their numbers. */
#ifndef BENCH_PLAN_CURVE_H
#define BENCH_PLAN_CURVE_H

#include <stdbool.h>

#include "base/error.h"
#include "models/probe.h"

typedef enum {
#define CURVE(name, title, unit, help) CURVE_##name,
#include "bench/plan/curves.def"
#undef CURVE
    CURVE_FIXED /* then those of the run's other probes */
} CurveColumn;

typedef struct {
    const char *name, *column; /* column: in curves.csv; of each block, with its number behind: grad_norm_0 */
    const char *title, *unit;  /* of a panel */
    const char *help;
    bool blocks; /* one number per block */
} CurveInfo;
extern const CurveInfo curve_info[CURVE_FIXED + PROBE_COUNT];

/* The column that every curves.csv has of a probe; CURVE_FIXED: none. */
CurveColumn curve_of_probe(ProbeKind kind);

/* The probe that fills a curve; PROBE_COUNT: none does. */
ProbeKind curve_probe(const CurveInfo *curve);

/* The probe that fills the curve called name and that only experiments with it among their `probes:` measure;
 * PROBE_COUNT: none, or every run measures it. */
ProbeKind curve_asked(const char *name);

/* The curve called name, or NULL. */
const CurveInfo *curve_named(const char *name);

/* The same; RC_USAGE with the nearest. */
Rc curve_find(const CurveInfo **out, const char *name, Error *e);

#endif
