#include "models/theory_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/normals.h"
#include "base/sha256.h"
#include "models/program.h"

/* A tape whose input is a table of rows, its program, the direction that its output is summed along. */
typedef struct {
    Tape tape;
    Program program;
    int rows, width, tokens, table, position, x, direction;
} Part;

static void part_init(Part *p, int rows, int width) {
    Tape *t = &p->tape;
    *p = (Part){.rows = rows, .width = width, .direction = -1};
    tape_init(t);
    t->untrained = true;
    p->tokens = tape_feed(t, rows, "tokens");
    p->table = tape_param(t, rows, width, INIT_TOKEN, 0, -1, "table");
    p->position = tape_param(t, 1, width, INIT_POSITION, 0, -1, "position");
    p->x = tape_op(t, OP_embed, (int[]){p->tokens, p->table, p->position}, 3, (Attr){.seq = 1}, -1, "x");
}

/* The sum over rows of y . direction is the loss. */
static Rc part_open(Part *p, int y, Error *e) {
    Tape *t = &p->tape;
    const Backend *oracle = backend_find("cpu64", e);
    p->direction = tape_param(t, 1, t->tensor[y].cols, INIT_MATRIX, 0, -1, "direction");
    int along = tape_op2(t, OP_linear, y, p->direction, (Attr){0}, -1, "along");
    t->loss = tape_op1(t, OP_mean, along, (Attr){0}, -1, "loss");
    Rc rc = oracle ? program_init(&p->program, t, oracle, 1, e) : e->code;
    if (rc) {
        tape_release(t);
        return rc;
    }
    p->program.scalars[0] = (Scalars){.count = 1, .grad_scale = 1, .drop_scale = 1};
    for (int i = 0; i < p->rows; i++) program_ids(&p->program, p->tokens, 0)[i] = i;
    for (int i = 0; i < t->tensors; i++) {
        if (t->tensor[i].role != ROLE_PARAM || t->tensor[i].init != INIT_VALUE) continue;
        double *v = program_at(&p->program, ROLE_PARAM, i, 0);
        for (int k = 0; k < t->tensor[i].cols; k++) v[k] = t->tensor[i].value;
    }
    return RC_OK;
}

static void part_close(Part *p) {
    program_release(&p->program);
    tape_release(&p->tape);
}

static double *at(const Part *p, Role role, int tensor) {
    return program_at(&p->program, role, tensor, 0);
}

static void copy(double *to, const double *from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

void theory_normals(double *x, int count, uint64_t seed, const char *stream, double s) {
    OWNED float *normal = mem_alloc((size_t)count, sizeof *normal);
    normals_draw(normal, (size_t)count, seed, name_stream(stream), 0);
    for (int i = 0; i < count; i++) x[i] = s * (double)normal[i];
}

Rc theory_norm(const Norm *norm, int norms, const double *x, int d, double *y, Error *e) {
    Part p;
    part_init(&p, 1, d);
    int at_y = p.x;
    for (int i = 0; i < norms; i++) {
        char name[24];
        snprintf(name, sizeof name, "norm%d", i);
        at_y = norm_build(&p.tape, norm[i], at_y, 0, -1, name);
    }
    if (part_open(&p, at_y, e)) return e->code;
    copy(at(&p, ROLE_PARAM, p.table), x, d);
    program_forward(&p.program);
    copy(y, at(&p, ROLE_ACT, at_y), d);
    part_close(&p);
    return RC_OK;
}

Rc theory_norm_jacobian(Norm norm, const double *x, int d, double *jacobian, Error *e) {
    Part p;
    part_init(&p, 1, d);
    if (part_open(&p, norm_build(&p.tape, norm, p.x, 0, -1, "norm"), e)) return e->code;
    copy(at(&p, ROLE_PARAM, p.table), x, d);
    double *c = at(&p, ROLE_PARAM, p.direction);
    for (int i = 0; i < d; i++) {
        memset(c, 0, (size_t)d * sizeof *c);
        c[i] = 1;
        program_forward(&p.program);
        program_backward(&p.program);
        copy(jacobian + (size_t)i * (size_t)d, at(&p, ROLE_GRAD, p.table), d);
    }
    part_close(&p);
    return RC_OK;
}

Rc theory_mlp(Norm norm, int d, double scale1, double scale2, uint64_t seed, double *w2, double *h, double *a,
              double *c, Error *e) {
    Part p;
    part_init(&p, 1, d);
    Tape *t = &p.tape;
    int first = tape_param(t, d, d, INIT_MATRIX, 0, -1, "w1"), second = tape_param(t, d, d, INIT_MATRIX, 0, -1, "w2");
    int before = tape_op2(t, OP_linear, p.x, first, (Attr){0}, -1, "before");
    int hidden = tape_op1(t, OP_relu, before, (Attr){0}, -1, "hidden");
    int out = tape_op2(t, OP_linear, hidden, second, (Attr){0}, -1, "out");
    if (part_open(&p, norm_build(t, norm, out, 0, -1, "norm"), e)) return e->code;
    theory_normals(at(&p, ROLE_PARAM, p.table), d, seed, "theory.x", 1);
    theory_normals(at(&p, ROLE_PARAM, first), d * d, seed, "theory.w1", scale1 / sqrt(d));
    theory_normals(at(&p, ROLE_PARAM, second), d * d, seed, "theory.w2", scale2 / sqrt(d));
    theory_normals(c, d, seed, "theory.c", 1);
    copy(at(&p, ROLE_PARAM, p.direction), c, d);
    program_forward(&p.program);
    copy(h, at(&p, ROLE_ACT, hidden), d);
    copy(a, at(&p, ROLE_ACT, out), d);
    program_backward(&p.program);
    copy(w2, at(&p, ROLE_GRAD, second), d * d);
    part_close(&p);
    return RC_OK;
}

Rc theory_relu(int tokens, int d, double s, uint64_t seed, double *out, Error *e) {
    Part p;
    double sum = 0;
    part_init(&p, tokens, d);
    int y = tape_op1(&p.tape, OP_relu, p.x, (Attr){0}, -1, "relu");
    if (part_open(&p, y, e)) return e->code;
    theory_normals(at(&p, ROLE_PARAM, p.table), tokens * d, seed, "theory.x", s);
    program_forward(&p.program);
    const double *value = at(&p, ROLE_ACT, y);
    for (int i = 0; i < tokens * d; i++) sum += value[i] * value[i];
    *out = sum / tokens / d;
    part_close(&p);
    return RC_OK;
}

Rc theory_chain(int layers, double a, double w, double *x, Error *e) {
    Part p;
    part_init(&p, 1, 1);
    Tape *t = &p.tape;
    int y = p.x, *sum = mem_alloc((size_t)layers, sizeof *sum);
    int weight = tape_param(t, 1, 1, INIT_MATRIX, 0, -1, "w"), gate = tape_param(t, 1, 1, INIT_VALUE, a, -1, "a");
    for (int l = 0; l < layers; l++) {
        int f = tape_op2(t, OP_linear, y, weight, (Attr){0}, l, "wx");
        f = tape_op2(t, OP_gate, f, gate, (Attr){0}, l, "awx");
        y = sum[l] = tape_op2(t, OP_residual, y, f, (Attr){.alpha = 1, .beta = 1}, l, "x");
    }
    Rc rc = part_open(&p, y, e);
    if (!rc) {
        at(&p, ROLE_PARAM, p.table)[0] = 1;
        at(&p, ROLE_PARAM, weight)[0] = w;
        program_forward(&p.program);
        for (int l = 0; l < layers; l++) x[l] = at(&p, ROLE_ACT, sum[l])[0];
        part_close(&p);
    }
    free(sum);
    return rc;
}
