#include "models/head.h"

#include <assert.h>

#include "base/canon.h"

static int rows_of(const Tape *t) {
    return t->tensor[t->nll].rows;
}

/* Its matrix is the second input of its first op. */
static int matrix_of(const Tape *t) {
    return t->input[t->op[t->head].in_at + 1];
}

static int ones(int n) {
    int count = 0;
    for (; n; n &= n - 1) count++;
    return count;
}

/* Partial sums of a tree over so many blocks that stand at once: those of a binary counter. */
static int slots_of(int blocks) {
    int most = 0;
    for (int b = 0; b < blocks; b++)
        if (ones(b) > most) most = ones(b);
    return most + 1;
}

static size_t matrix_bytes(const Program *p) {
    return align_up(tensor_words(&p->tape->tensor[matrix_of(p->tape)]) * p->backend->word[ROLE_GRAD]);
}

/* The first sum stands where the gradient will. */
size_t head_bytes(const Program *p) {
    const Tape *t = p->tape;
    if (!t->head_rows) return 0;
    int more = slots_of((rows_of(t) + CANON_BLOCK - 1) / CANON_BLOCK) - 1;
    return (size_t)more * matrix_bytes(p) * (size_t)p->replicas;
}

/* The head's last op, which makes nll. */
static int last_op(const Tape *t) {
    int op = t->head;
    while (t->op[op].out != t->nll) op++;
    return op;
}

/* Rows `first` .. first + rows - 1 of a view; of what is held in pieces the only ones. */
static void narrow(const Program *p, View *v, int tensor, Role role, int first, int rows) {
    const Tape *t = p->tape;
    const Tensor *x = &t->tensor[tensor];
    if (x->role == ROLE_PARAM) return;
    assert(x->rows == rows_of(t));
    v->rows = rows;
    if (v->at && tape_rows(t, tensor) == x->rows)
        v->at = (unsigned char *)v->at + (size_t)first * (size_t)x->cols * p->backend->word[role];
}

static Call piece(const Program *p, int op, int first, int rows) {
    const Tape *t = p->tape;
    const Op *o = &t->op[op];
    Call c = p->call[op];
    for (int j = 0; j < c.in_count; j++) {
        int tensor = t->input[o->in_at + j];
        Role role = t->tensor[tensor].role;
        narrow(p, &c.in[j], tensor, role, first, rows);
        if (role == ROLE_ACT) narrow(p, &c.din[j], tensor, ROLE_DACT, first, rows);
    }
    narrow(p, &c.out, o->out, ROLE_ACT, first, rows);
    narrow(p, &c.dout, o->out, ROLE_DACT, first, rows);
    if (o->save >= 0) narrow(p, &c.save, o->save, ROLE_SAVE, first, rows);
    return c;
}

/* Rows of the piece that begins with this one: not beyond its block. */
static int rows_from(const Tape *t, int first) {
    int rows = t->head_rows, block = CANON_BLOCK - first % CANON_BLOCK, left = rows_of(t) - first;
    if (rows > block) rows = block;
    return rows < left ? rows : left;
}

static void forward_piece(Program *p, int first, int end, void (*seen)(void *context, int op), void *context) {
    for (int op = p->tape->head; op < end; op++) {
        Call c = piece(p, op, first, rows_from(p->tape, first));
        program_run(p, &c, false, p->scratch_stride);
        if (seen) seen(context, op);
    }
}

void head_forward(Program *p, void (*seen)(void *context, int op), void *context) {
    const Tape *t = p->tape;
    assert(p->rounding.word == WORD_float);
    for (int first = 0; first < rows_of(t) && !program_cancelled(p); first += rows_from(t, first))
        forward_piece(p, first, last_op(t) + 1, seen, context);
}

/* Where a partial sum of the matrix's gradient stands. */
static View sum_at(const Program *p, View gradient, int slot) {
    size_t bytes = matrix_bytes(p);
    if (!slot) return gradient;
    gradient.at = p->head_sums.at + (size_t)(slot - 1) * bytes * (size_t)p->replicas;
    gradient.stride = bytes;
    return gradient;
}

static void join(const Program *p, int slot) {
    View gradient = p->call[p->tape->head].din[1], y = sum_at(p, gradient, slot - 1), x = sum_at(p, gradient, slot);
    size_t bytes = tensor_words(&p->tape->tensor[matrix_of(p->tape)]) * p->backend->word[ROLE_GRAD];
    for (int r = 0; r < p->replicas; r++)
        program_join(p, (unsigned char *)y.at + (size_t)r * y.stride, (unsigned char *)x.at + (size_t)r * x.stride,
                     bytes, false);
}

static void backward_piece(Program *p, int first, int rows) {
    const Tape *t = p->tape;
    for (int op = last_op(t); op >= t->head; op--) {
        Call c = piece(p, op, first, rows);
        if (op == t->head) {
            assert(!c.accumulate[1] && "nothing gives the matrix a gradient before the head");
            c.din[1] = sum_at(p, c.din[1], ones(first / CANON_BLOCK));
            c.continues = first % CANON_BLOCK > 0;
        }
        program_run(p, &c, true, p->scratch_stride);
    }
}

void head_backward(Program *p) {
    const Tape *t = p->tape;
    int slot = 0;
    for (int first = 0, rows; first < rows_of(t) && !program_cancelled(p); first += rows) {
        rows = rows_from(t, first);
        forward_piece(p, first, last_op(t), NULL, NULL);
        backward_piece(p, first, rows);
        int block = first / CANON_BLOCK;
        slot = ones(block);
        if ((first + rows) % CANON_BLOCK) continue;
        for (; block & 1; block >>= 1) join(p, slot--);
    }
    for (; slot > 0; slot--) join(p, slot);
}
