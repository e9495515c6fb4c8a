/* Curves: what a run measures at every step, by name. First the columns of curves.def, then the probes that have a
 * column of their own (models/probes.def). bench/store/curves.c keeps their numbers. */
#ifndef BENCH_PLAN_CURVE_H
#define BENCH_PLAN_CURVE_H

#include <stdbool.h>

#include "base/error.h"
#include "models/probe.h"

typedef enum {
#define CURVE(name, title, unit, help) CURVE_##name,
#include "bench/plan/curves.def"
#undef CURVE
    CURVE_FIXED /* columns of the run's other probes follow */
} CurveColumn;

typedef struct {
    const char *name, *column; /* column: in curves.csv; with the number for a block: grad_norm_0 */
    const char *title, *unit;  /* of a panel in a figure */
    const char *help;
    bool blocks; /* true: one number per block */
} CurveInfo;
extern const CurveInfo curve_info[CURVE_FIXED + PROBE_COUNT];

/* Return the column that every curves.csv has for a probe; CURVE_FIXED: none. */
CurveColumn curve_of_probe(ProbeKind kind);

/* Return the probe that fills a curve; PROBE_COUNT: none does. */
ProbeKind curve_probe(const CurveInfo *curve);

/* Return the probe that fills the curve called name if only experiments that list it in `probes:` measure it;
 * PROBE_COUNT: there is none, or every run measures it. */
ProbeKind curve_asked(const char *name);

/* Return the curve called name, or NULL. */
const CurveInfo *curve_named(const char *name);

/* Find the curve called name; RC_USAGE names the nearest. */
Rc curve_find(const CurveInfo **out, const char *name, Error *e);

#endif
