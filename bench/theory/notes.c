/* Gather the numbers of statements from several threads. */
#include <math.h>
#include <stdlib.h>

#include "bench/theory/theory.h"

void theory_note(TheoryNotes *n, StatementId id, int seed, double x, double predicted, double value) {
    pthread_mutex_lock(&n->lock);
    if (!(n->numbers & (n->numbers - 1)) || !n->number)
        n->number = mem_grow(n->number, n->numbers ? 2 * (size_t)n->numbers : 1, sizeof *n->number);
    n->number[n->numbers++] = (TheoryNumber){id, seed, x, predicted, value};
    pthread_mutex_unlock(&n->lock);
}

static int by_place(const void *a, const void *b) {
    const TheoryNumber *p = a, *q = b;
    if (p->id != q->id) return p->id < q->id ? -1 : 1;
    if (p->x < q->x || p->x > q->x) return p->x < q->x ? -1 : 1;
    return (p->seed > q->seed) - (p->seed < q->seed);
}

static void gather_one(Measured *m, const TheoryNumber *from, int count) {
    for (int i = 0; i < count; i++) {
        m->points += !i || from[i].x > from[i - 1].x;
        if (from[i].seed >= m->seeds) m->seeds = from[i].seed + 1;
    }
    m->x = mem_alloc((size_t)m->points, sizeof *m->x);
    m->predicted = mem_alloc((size_t)m->points, sizeof *m->predicted);
    m->value = mem_alloc((size_t)m->points * (size_t)m->seeds, sizeof *m->value);
    for (int i = 0; i < m->points * m->seeds; i++) m->value[i] = (double)NAN;
    for (int i = 0, at = -1; i < count; i++) {
        at += !i || from[i].x > from[i - 1].x;
        m->x[at] = from[i].x, m->predicted[at] = from[i].predicted;
        m->value[at * m->seeds + from[i].seed] = from[i].value;
    }
}

void theory_gather(Theory *t, TheoryNotes *n) {
    *t = (Theory){0};
    if (n->numbers) qsort(n->number, (size_t)n->numbers, sizeof *n->number, by_place);
    for (int from = 0, to; from < n->numbers; from = to) {
        for (to = from; to < n->numbers && n->number[to].id == n->number[from].id;) to++;
        gather_one(&t->at[n->number[from].id], n->number + from, to - from);
    }
    free(n->number);
    n->number = NULL, n->numbers = 0;
}
