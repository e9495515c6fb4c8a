#include "models/norm.h"

#include <assert.h>
#include <stdio.h>

#define NOTHING NORM_NOTHING
#define IMPOSSIBLE NORM_IMPOSSIBLE
#define NO_PARAMETERS {{NULL, 0}}
#define PARAMETERS(...) {__VA_ARGS__}
const NormInfo norm_info[NORM_COUNT] = {
#define NORM(name, alias, op, qk_op, parameters, formula) \
    [NORM_##name] = {#name, #alias, formula, op, qk_op, parameters},
#include "models/norms.def"
#undef NORM
};

bool norm_on_qk(Norm norm) {
    return norm_info[norm].qk_op != NORM_IMPOSSIBLE;
}

/* Appends the norm's parameters called "<stem>.<leaf>", one row of `width` each, to in[]; returns how many inputs there
 * are. */
static int add_parameters(Tape *t, const NormInfo *info, int width, int layer, const char *stem, int *in, int count) {
    char name[64];
    for (int i = 0; i < NORM_MOST_PARAMETERS && info->parameter[i].leaf; i++) {
        assert(count < OP_MAX_IN);
        snprintf(name, sizeof name, "%.40s.%.20s", stem, info->parameter[i].leaf);
        in[count++] = tape_param(t, 1, width, INIT_VALUE, info->parameter[i].value, layer, name);
    }
    return count;
}

int norm_build(Tape *t, Norm norm, int x, double eps, int layer, const char *name) {
    const NormInfo *info = &norm_info[norm];
    int in[OP_MAX_IN] = {x};
    if (info->op == NORM_NOTHING) return x;
    int count = add_parameters(t, info, t->tensor[x].cols, layer, name, in, 1);
    return tape_op(t, (OpKind)info->op, in, count, (Attr){.eps = eps}, layer, name);
}

int norm_build_qk(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *prefix) {
    const NormInfo *info = &norm_info[norm];
    int in[OP_MAX_IN] = {x}, count = 1;
    char name[64];
    if (info->qk_op == NORM_NOTHING) return x;
    assert(norm_on_qk(norm));
    for (const char *which = "qk"; *which; which++) {
        snprintf(name, sizeof name, "%.40s%c_norm", prefix, *which);
        count = add_parameters(t, info, group, layer, name, in, count);
    }
    snprintf(name, sizeof name, "%.40sqk_norm", prefix);
    return tape_op(t, (OpKind)info->qk_op, in, count, (Attr){.eps = eps, .group = group}, layer, name);
}
