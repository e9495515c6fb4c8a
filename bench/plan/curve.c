#include "bench/plan/curve.h"

#include <string.h>

#include "base/names.h"

enum { WHERE_model, WHERE_blocks };

const CurveInfo curve_info[CURVE_FIXED + PROBE_COUNT] = {
#define CURVE(name, title, unit, help) {#name, #name, title, unit, help, false},
#include "bench/plan/curves.def"
#undef CURVE
#define PROBE(name, column, where, site, reduction, usual, title, unit, help) \
    {#name, #column, title, unit, help, WHERE_##where == WHERE_blocks},
#include "models/probes.def"
#undef PROBE
};
enum { CURVES = CURVE_FIXED + PROBE_COUNT };

CurveColumn curve_of_probe(ProbeKind kind) {
    int i = 0;
    while (i < CURVE_FIXED && (probe_info[kind].blocks || strcmp(curve_info[i].name, probe_info[kind].column))) i++;
    return (CurveColumn)i;
}

ProbeKind curve_probe(const CurveInfo *curve) {
    int i = (int)(curve - curve_info);
    if (i >= CURVE_FIXED) return (ProbeKind)(i - CURVE_FIXED);
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++)
        if ((int)curve_of_probe(kind) == i) return kind;
    return PROBE_COUNT;
}

ProbeKind curve_asked(const char *name) {
    const CurveInfo *curve = curve_named(name);
    ProbeKind kind = curve ? curve_probe(curve) : PROBE_COUNT;
    return kind < PROBE_COUNT && !probe_info[kind].usual ? kind : PROBE_COUNT;
}

const CurveInfo *curve_named(const char *name) {
    int i = name_find(NAMES(curve_info, CURVES), name);
    return i < 0 ? NULL : &curve_info[i];
}

Rc curve_find(const CurveInfo **out, const char *name, Error *e) {
    if ((*out = curve_named(name))) return RC_OK;
    error_set(e, RC_USAGE, "unknown curve '%.60s'", name);
    return name_unknown(e, name, NAMES(curve_info, CURVES), NULL);
}
