/* What a norm's name in a variant's row stands for (models/norms.def), and how it becomes an op of a tape. */
#ifndef MODELS_NORM_H
#define MODELS_NORM_H

#include "models/tape.h"
#include "models/variant.h"

enum { NORM_MOST_STEPS = 3, NORM_MOST_PARAMETERS = 4 };
enum { NORM_NOTHING = -1, NORM_IMPOSSIBLE = -2 };

typedef struct {
    const char *name, *alias, *formula;
    int step[NORM_MOST_STEPS + 1]; /* OpKind; NORM_NOTHING ends the list */
    int qk_op, v_op;               /* OpKind; NORM_NOTHING: x passes; NORM_IMPOSSIBLE */
    struct {
        const char *leaf; /* NULL ends the list */
        double value;
        enum { NORM_ROW, NORM_NUMBER, NORM_NUMBER_ROOT } shape;
    } parameter[NORM_MOST_PARAMETERS + 1];
} NormInfo;

extern const NormInfo norm_info[NORM_COUNT];

/* Whether attn.qk may be this norm. */
bool norm_on_qk(Norm norm);

/* The same of attn.v. */
bool norm_on_v(Norm norm);

/* Appends the norm of x to the tape and returns its output, called `name`; its parameters are called "<name>.weight"
 * and so on. NORM_none returns x. */
int norm_build(Tape *t, Norm norm, int x, double eps, int layer, const char *name);

/* The same for q and k of x = [q | k | v], in groups of `group` columns (a head or all of them): "<prefix>qk_norm" with
 * the parameters "<prefix>q_norm.weight", "<prefix>k_norm.weight" and so on; and for v: "<prefix>v_norm". */
int norm_build_qk(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *prefix);
int norm_build_v(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *prefix);

/* The same for one of q, k and v that stands alone: called `name`, its parameters "<name>.weight" and so on. */
int norm_build_part(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *name);

#endif
