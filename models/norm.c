#include "models/norm.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define NOTHING NORM_NOTHING
#define NO_STEPS \
    { NORM_NOTHING }
#define IMPOSSIBLE NORM_IMPOSSIBLE
#define NO_PARAMETERS \
    { \
        { NULL, 0 } \
    }
#define PARAMETERS(...) \
    { __VA_ARGS__ }
#define STEPS(...) \
    { __VA_ARGS__, NORM_NOTHING }
#define NUMBER NORM_NUMBER
#define NUMBER_ROOT NORM_NUMBER_ROOT
const NormInfo norm_info[NORM_COUNT] = {
#define NORM(name, alias, steps, qk_op, v_op, parameters, formula) \
    [NORM_##name] = {#name, #alias, formula, steps, qk_op, v_op, parameters},
#include "models/norms.def"
#undef NORM
};

bool norm_on_qk(Norm norm) {
    return norm_info[norm].qk_op != NORM_IMPOSSIBLE;
}

bool norm_on_v(Norm norm) {
    return norm_info[norm].v_op != NORM_IMPOSSIBLE;
}

/* Appends parameter i of the norm, called "<stem>.<leaf>", for a stream of `width` columns. */
static int add_parameter(Tape *t, const NormInfo *info, int i, int width, int layer, const char *stem) {
    char name[64];
    bool row = info->parameter[i].shape == NORM_ROW;
    double value = info->parameter[i].value * (info->parameter[i].shape == NORM_NUMBER_ROOT ? sqrt(width) : 1);
    assert(info->parameter[i].leaf);
    snprintf(name, sizeof name, "%.40s.%.20s", stem, info->parameter[i].leaf);
    return tape_param(t, 1, row ? width : 1, INIT_VALUE, value, layer, name);
}

int norm_build(Tape *t, Norm norm, int x, double eps, int layer, const char *name) {
    const NormInfo *info = &norm_info[norm];
    const int width = t->tensor[x].cols;
    int next = 0;
    for (const int *op = info->step; *op != NORM_NOTHING; op++) {
        int in[OP_MAX_IN] = {x}, count = op_most_inputs((OpKind)*op);
        char step[64];
        for (int i = 1; i < count; i++) in[i] = add_parameter(t, info, next++, width, layer, name);
        if (op[1] == NORM_NOTHING)
            snprintf(step, sizeof step, "%.40s", name);
        else
            snprintf(step, sizeof step, "%.40s.%.16s_out", name, op_info[*op].name);
        x = tape_op(t, (OpKind)*op, in, count, (Attr){.eps = eps}, layer, step);
    }
    return x;
}

/* The op over parts of [q | k | v], its parameters once for each letter of `which`: "<prefix><letter>_norm". */
static int build_parts(Tape *t, const NormInfo *info, int op, const char *which, int x, Attr attr, int layer,
                       const char *prefix) {
    int in[OP_MAX_IN] = {x}, count = 1;
    char name[64];
    for (const char *part = which; *part; part++) {
        snprintf(name, sizeof name, "%.40s%c_norm", prefix, *part);
        for (int i = 0; info->parameter[i].leaf; i++) in[count++] = add_parameter(t, info, i, attr.group, layer, name);
    }
    snprintf(name, sizeof name, "%.40s%s_norm", prefix, which);
    return tape_op(t, (OpKind)op, in, count, attr, layer, name);
}

int norm_build_qk(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *prefix) {
    const NormInfo *info = &norm_info[norm];
    if (info->qk_op == NORM_NOTHING) return x;
    assert(norm_on_qk(norm));
    return build_parts(t, info, info->qk_op, "qk", x, (Attr){.eps = eps, .group = group}, layer, prefix);
}

int norm_build_v(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *prefix) {
    const NormInfo *info = &norm_info[norm];
    if (info->v_op == NORM_NOTHING) return x;
    assert(norm_on_v(norm));
    return build_parts(t, info, info->v_op, "v", x, (Attr){.eps = eps, .group = group}, layer, prefix);
}

int norm_build_part(Tape *t, Norm norm, int x, int group, double eps, int layer, const char *name) {
    const NormInfo *info = &norm_info[norm];
    int in[OP_MAX_IN] = {x}, count = 1;
    if (info->step[0] == NORM_NOTHING) return x;
    assert(norm_on_qk(norm) && norm_on_v(norm) && info->step[1] == NORM_NOTHING);
    for (int i = 0; info->parameter[i].leaf; i++) in[count++] = add_parameter(t, info, i, group, layer, name);
    return tape_op(t, (OpKind)info->step[0], in, count, (Attr){.eps = eps, .group = group}, layer, name);
}
