/* Probes: measurements of a training step beside its loss, rows of models/probes.def. A model's builder lists the
 * probes of one tape (models/tape.h); a trainer on any backend computes that list. Probes do not change training. */
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

/* Reductions beside kernels/reductions.def: the mean of the rows' L2 norms, computed by ops at the end of the tape; and
 * measurements that need passes of their own, which a tape lists as REDUCTION_COUNT. */
enum { REDUCE_row_norm = REDUCTION_COUNT, REDUCE_apart };

typedef struct {
    const char *name, *column, *title, *unit, *help;
    bool blocks; /* true: one number per block */
    bool usual;  /* every run measures it at every step, for metrics */
    ProbeSite site;
    int reduction; /* Reduction, REDUCE_row_norm or REDUCE_apart */
} ProbeInfo;
extern const ProbeInfo probe_info[PROBE_COUNT];

typedef struct {
    const char *name, *help;
    Role role;
    bool after;  /* measured after the update */
    bool matrix; /* GRAD: only the marked parameter */
} SiteInfo;
extern const SiteInfo site_info[SITE_COUNT];

/* Probes of a run: the usual ones at every step, added ones at the steps that `every` divides. */
typedef struct {
    bool wanted[PROBE_COUNT];
    int every;
} ProbeChoice;

/* Return only the usual ones; every = 1. */
ProbeChoice probes_usual(void);
bool probes_same(const ProbeChoice *a, const ProbeChoice *b);

/* Return the stride of steps at which a probe is measured. */
int probe_stride(ProbeKind kind, int every);

/* Return the first probe that `asked` adds and `stored` lacks, or lacks at some of the steps; PROBE_COUNT: none. A
 * usual probe is never lacking: a record without it is older than the probe. */
ProbeKind probes_lacking(const ProbeChoice *stored, const ProbeChoice *asked);

/* Append "grad_norm norm_input weight_norm added every 10". */
void probes_text(const ProbeChoice *c, Text *out);

/* Return the probe called name; PROBE_COUNT: there is none. */
ProbeKind probe_find(const char *name);

#endif
