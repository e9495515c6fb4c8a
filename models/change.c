#include "models/change.h"

#include <math.h>
#include <stdlib.h>

/* The place of the probe in reports; -1: it was not asked for, or nothing marks where the head is. */
static int asked(const Trainer *t) {
    for (int i = 0; i < t->tape.probes; i++)
        if (t->tape.probe[i].kind == PROBE_output_change && t->tape.probe[i].tensor >= 0) return i;
    return -1;
}

bool change_comes(const Trainer *t) {
    return !t->step && asked(t) >= 0;
}

static const Tensor *head_of(const Trainer *t) {
    return &t->tape.tensor[t->tape.probe[asked(t)].tensor];
}

static size_t words_of(const Trainer *t) {
    return (size_t)head_of(t)->rows * (size_t)head_of(t)->cols;
}

/* The backend of doubles sums in the order of the others. */
static double norm_of(const double *x, const Tensor *shape) {
    Error none;
    return sqrt(backend_find("cpu64", &none)->sumsq(x, shape->rows, shape->cols));
}

/* before: of one replica, written over. */
static double change_of(const Trainer *t, int replica, double *before, double *after) {
    const Tensor *head = head_of(t);
    double size = norm_of(before, head);
    program_values(&t->program, ROLE_ACT, t->tape.probe[asked(t)].tensor, replica, after);
    for (size_t i = 0; i < words_of(t); i++) before[i] = after[i] - before[i];
    double change = norm_of(before, head) / size;
    return isnan(change) ? (double)INFINITY : change;
}

double *change_begin(const Trainer *t) {
    double *out = mem_alloc((size_t)t->program.replicas * words_of(t), sizeof *out);
    for (int r = 0; r < t->program.replicas; r++)
        program_values(&t->program, ROLE_ACT, t->tape.probe[asked(t)].tensor, r, out + (size_t)r * words_of(t));
    return out;
}

void change_end(const Trainer *t, double *before, StepReport *report) {
    double *after = mem_alloc(words_of(t), sizeof *after);
    for (int r = 0; r < t->program.replicas; r++)
        if (report[r].probe && report[r].finite && !report[r].skipped)
            report[r].probe[asked(t)] = change_of(t, r, before + (size_t)r * words_of(t), after);
    free(after);
}
