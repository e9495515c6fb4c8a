#include "models/streams.h"

#include <stdio.h>

static ChoiceKind kind(const Stack *b) {
    return b->v->streams.kind;
}

bool streams_sum(const Stack *b) {
    return variant_sums(b->v);
}

static int group(const Stack *b) {
    return b->s->width;
}

static int append(Stack *b, int x, int f, const char *what) {
    return tape_op2(b->t, OP_append, x, f, (Attr){0}, b->layer, stack_name(b, "%s", what));
}

static int sum(Stack *b, int x, int f, double by, const char *what) {
    return tape_op2(b->t, OP_residual, x, f, (Attr){.alpha = 1, .beta = by}, b->layer, stack_name(b, "%s", what));
}

/* A learned mix of x's streams, `rows` of them. */
static int mixed(Stack *b, int x, int rows, InitKind init, double value, const char *what) {
    int n = b->t->tensor[x].cols / group(b);
    int m = tape_param(b->t, 1, rows * n, init, value, b->layer, stack_name(b, "%s", what));
    Attr attr = {.group = group(b)};
    return tape_op2(b->t, OP_streams, x, m, attr, b->layer, stack_name(b, "%s.mixed", what));
}

/* The average of x's streams that a learned row chooses. */
static int chosen(Stack *b, int x, const char *what) {
    int w = tape_param(b->t, 1, group(b), INIT_VALUE, 0, b->layer, stack_name(b, "%s", what));
    Attr attr = {.group = group(b), .eps = b->s->norm_eps};
    return tape_op2(b->t, OP_attnres, x, w, attr, b->layer, stack_name(b, "%s.read", what));
}

int streams_begin(Stack *b, int x) {
    b->x0 = b->second = x;
    b->group_sum = -1, b->in_group = 0;
    if (kind(b) == CHOICE_streams_dual) {
        Attr attr = {.alpha = b->v->streams.value};
        if (attr.alpha != 1) b->second = tape_op1(b->t, OP_scale, x, attr, -1, stack_name(b, "second"));
    }
    if (kind(b) != CHOICE_streams_hyper) return x;
    int all = x;
    for (int n = 1; n < (int)b->v->streams.value; n++) {
        char what[24];
        snprintf(what, sizeof what, "streams.%d", n);
        all = append(b, all, x, what);
    }
    return all;
}

int streams_read(Stack *b, int x, const char *family) {
    char what[24];
    if (streams_sum(b)) return x;
    if (kind(b) == CHOICE_streams_hyper) {
        int n = (int)b->v->streams.value;
        snprintf(what, sizeof what, "%s.streams_in", family);
        return mixed(b, x, 1, INIT_ONE_HOT, b->sublayers % n, what);
    }
    if (b->group_sum >= 0) {
        snprintf(what, sizeof what, "%s.sources", family);
        x = append(b, x, b->group_sum, what);
    }
    snprintf(what, sizeof what, "%s.depth_query", family);
    return chosen(b, x, what);
}

/* Sublayers whose outputs make one source. */
static int group_size(const Stack *b) {
    if (kind(b) == CHOICE_streams_attnres) return 1;
    int sublayers = stack_sublayers(b->kind) * b->s->layers, groups = (int)b->v->streams.value;
    return (sublayers + groups - 1) / groups;
}

int streams_write(Stack *b, int x, int f, const char *family) {
    char what[24];
    if (kind(b) == CHOICE_streams_hyper) {
        snprintf(what, sizeof what, "%s.streams", family);
        x = append(b, x, f, what);
        snprintf(what, sizeof what, "%s.streams_out", family);
        return mixed(b, x, (int)b->v->streams.value, INIT_MIX, b->v->streams.value, what);
    }
    snprintf(what, sizeof what, "%s.group", family);
    b->group_sum = b->group_sum < 0 ? f : sum(b, b->group_sum, f, 1, what);
    if (++b->in_group < group_size(b)) return x;
    snprintf(what, sizeof what, "%s.outputs", family);
    x = append(b, x, b->group_sum, what);
    b->group_sum = -1, b->in_group = 0;
    return x;
}

int streams_added(Stack *b, int x, int f, double gate, const char *family) {
    char what[24];
    if (kind(b) == CHOICE_streams_skip && b->sub == SUB_MLP) return sum(b, x, b->block_in, 1, "mlp.skip");
    snprintf(what, sizeof what, "%s.second", family);
    if (kind(b) == CHOICE_streams_dual) b->second = sum(b, b->second, f, gate * b->v->streams.value, what);
    return x;
}

int streams_end(Stack *b, int x) {
    if (kind(b) == CHOICE_streams_hyper) return mixed(b, x, 1, INIT_VALUE, 1, "streams_end");
    if (streams_sum(b)) return x;
    if (b->group_sum >= 0) x = append(b, x, b->group_sum, "outputs");
    return chosen(b, x, "depth_query");
}
