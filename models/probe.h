/* What can be measured in a training step beside its loss: rows of models/probes.def. A model's builder lists the
 * probes of one tape (models/tape.h); a trainer on any backend walks that list. Probes change nothing that is
 * trained. */
#ifndef MODELS_PROBE_H
#define MODELS_PROBE_H

#include <stdbool.h>

#include "base/text.h"
#include "kernels/op.h"
#include "kernels/reduction.h"

typedef enum {
#define PROBE(name, column, where, site, reduction, usual, title, unit, help) PROBE_##name,
#include "models/probes.def"
#undef PROBE
    PROBE_COUNT
} ProbeKind;

typedef enum {
#define SITE(name, role, after, help) SITE_##name,
#define MATRIX(name, help) SITE_##name,
#include "models/sites.def"
#undef SITE
#undef MATRIX
    SITE_COUNT
} ProbeSite;

/* Beside the rows of kernels/reductions.def: the mean of the rows' L2 norms, which ops at the end of the tape
 * compute; and what no step computes, for it takes passes of its own: a tape lists it as REDUCTION_COUNT. */
enum { REDUCE_row_norm = REDUCTION_COUNT, REDUCE_apart };

typedef struct {
    const char *name, *column, *title, *unit, *help;
    bool blocks; /* one number per block */
    bool usual;  /* every run measures it at every step: metrics read these */
    ProbeSite site;
    int reduction; /* Reduction, REDUCE_row_norm or REDUCE_apart */
} ProbeInfo;
extern const ProbeInfo probe_info[PROBE_COUNT];

typedef struct {
    const char *name, *help;
    Role role;
    bool after;  /* looked at once the update is done */
    bool matrix; /* of GRAD: the marked parameter alone */
} SiteInfo;
extern const SiteInfo site_info[SITE_COUNT];

/* Which probes a run measures: the usual ones at every step, those added to them at the steps that `every` divides. */
typedef struct {
    bool wanted[PROBE_COUNT];
    int every;
} ProbeChoice;

/* The usual ones alone; every = 1. */
ProbeChoice probes_usual(void);
bool probes_same(const ProbeChoice *a, const ProbeChoice *b);

/* The steps at which a probe stands are those that this divides. */
int probe_stride(ProbeKind kind, int every);

/* The first probe that `asked` adds and `stored` has not, or has not at every step asked for; PROBE_COUNT: none. A
 * usual probe is never lacking: nobody asked for it by name, and a record without it is older than the probe. */
ProbeKind probes_lacking(const ProbeChoice *stored, const ProbeChoice *asked);

/* "grad_norm norm_input weight_norm added every 10". */
void probes_text(const ProbeChoice *c, Text *out);

/* The probe called name; PROBE_COUNT: there is none. */
ProbeKind probe_find(const char *name);

#endif
