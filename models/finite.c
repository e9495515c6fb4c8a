/* Which tensor is the first that is not finite (models/program.h). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "models/head.h"

static bool all_finite(const Program *p, Role role, int tensor, int replica) {
    void *copy;
    const void *words = program_words(p, role, tensor, replica, &copy);
    size_t n = (size_t)tape_rows(p->tape, tensor) * (size_t)p->tape->tensor[tensor].cols, i = 0;
    if (p->backend->word[role] == sizeof(double))
        while (i < n && isfinite(((const double *)words)[i])) i++;
    else
        while (i < n && isfinite(((const float *)words)[i])) i++;
    free(copy);
    return i == n;
}

/* Of a head in pieces: its first op of which any piece is not finite. */
typedef struct {
    Program *p;
    int replica, first; /* op */
} HeadSearch;

static void search_piece(void *context, int op) {
    HeadSearch *s = context;
    if (op < s->first && !all_finite(s->p, ROLE_ACT, s->p->tape->op[op].out, s->replica)) s->first = op;
}

int program_nonfinite_act(Program *p, int replica) {
    const Tape *t = p->tape;
    int first = -1;
    for (int i = 0; i < t->ops; i++) { /* to the end: the other replicas' activations must be complete again */
        HeadSearch head = {p, replica, t->ops};
        if (!tape_cut(t, i))
            program_forward_op(p, i);
        else if (i == t->head)
            head_forward(p, search_piece, &head);
        if (first >= 0) continue;
        if (head.first < t->ops) first = t->op[head.first].out;
        if (!tape_cut(t, i) && !all_finite(p, ROLE_ACT, t->op[i].out, replica)) first = t->op[i].out;
    }
    return first;
}

int program_nonfinite(const Program *p, Role role, int replica) {
    int *whole = gradients_whole(&p->gradients, p->tape), first = -1;
    assert(role == ROLE_GRAD || role == ROLE_PARAM);
    for (int i = 0; i < p->tape->tensors; i++) {
        bool before = first < 0 || (role == ROLE_GRAD && whole[i] > whole[first]);
        if (before && p->tape->tensor[i].role == ROLE_PARAM && !all_finite(p, role, i, replica)) first = i;
    }
    free(whole);
    return first;
}
