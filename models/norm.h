/* Build the ops of a norm that a variant's row names (models/norms.def). */
#ifndef MODELS_NORM_H
#define MODELS_NORM_H

#include "models/tape.h"
#include "models/variant.h"

enum { NORM_STEPS_MAX = 3, NORM_PARAMETERS_MAX = 4 };
enum { NORM_NOTHING = -1, NORM_IMPOSSIBLE = -2 };

typedef struct {
    const char *name, *alias, *formula;
    int step[NORM_STEPS_MAX + 1];  /* OpKind; NORM_NOTHING ends the list */
    int qk_op, v_op;               /* OpKind; NORM_NOTHING: x passes; NORM_IMPOSSIBLE */
    struct {
        const char *leaf; /* NULL ends the list */
        double value;
        enum { NORM_ROW, NORM_NUMBER, NORM_NUMBER_ROOT } shape;
    } parameter[NORM_PARAMETERS_MAX + 1];
} NormInfo;

extern const NormInfo norm_info[NORM_COUNT];

/* Return true if attn.qk may be this norm. */
bool norm_on_qk(Norm norm);

/* Return true if attn.v may be this norm. */
bool norm_on_v(Norm norm);

/* Append the norm of x to the tape and return its output, called `name`; its parameters are called "<name>.weight" and
 * so on. NORM_none returns x. */
int norm_build(Tape *t, Norm norm, int x, double eps, int layer, const char *name);

/* Append the norm of q and k, or of v, of x = [q | k | v], in groups of `group` columns (a head or all of them):
 * "<prefix>qk_norm" with the parameters "<prefix>q_norm.weight", "<prefix>k_norm.weight" and so on;
 * "<prefix>v_norm". */
int norm_build_qk(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *prefix);
int norm_build_v(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *prefix);

/* Append the norm of one of q, k and v in a tensor of its own, called `name`, with parameters "<name>.weight" and so
 * on. */
int norm_build_part(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *name);

#endif
