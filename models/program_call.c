/* Where a program's words are, and how one call runs on its threads: nothing here knows passes. */
#include "models/program.h"

#include <assert.h>
#include <string.h>

View program_view(const Program *p, Role role, int tensor) {
    const Tensor *t = &p->tape->tensor[tensor];
    if (role == ROLE_DACT && p->gradients.over[tensor]) role = ROLE_ACT;
    size_t at = role == ROLE_DACT ? p->gradients.at[tensor] : role == ROLE_ACT ? p->places.at[tensor] : t->at;
    return (View){p->arena[role].at + at * p->backend->word[role], p->stride[role], t->rows, t->cols};
}

void *program_at(const Program *p, Role role, int tensor, int replica) {
    View v = program_view(p, role, tensor);
    return (unsigned char *)v.at + (size_t)replica * v.stride;
}

int32_t *program_ids(const Program *p, int tensor, int replica) {
    assert(p->tape->tensor[tensor].role == ROLE_TOKEN);
    if (!p->queue) return program_at(p, ROLE_TOKEN, tensor, replica);
    size_t at = p->tape->tensor[tensor].at * sizeof(int32_t) + (size_t)replica * p->stride[ROLE_TOKEN];
    return (int32_t *)(void *)(p->ids.at + at);
}

double program_round(const Program *p, double x) {
    return p->backend->word[ROLE_PARAM] == sizeof(float) ? (double)(float)x : x;
}

bool program_cancelled(const Program *p) {
    return p->cancel && *p->cancel;
}

typedef struct {
    const Program *p;
    void (*task)(void *context, int part, int parts);
    void *context;
} Together;

static void one_part(void *context, int part) {
    const Together *t = context;
    t->task(t->context, part, t->p->team->size);
}

void program_together(const Program *p, void (*task)(void *context, int part, int parts), void *context) {
    Together t = {p, task, context};
    if (p->team)
        team_run(p->team, one_part, &t);
    else
        task(context, 0, 1);
}

typedef struct {
    void (*kernel)(const Call *c);
    const Call *call;
    size_t scratch_stride;
} Work;

static void work(void *context, int part, int parts) {
    const Work *w = context;
    Call c = *w->call;
    c.part = part, c.parts = parts;
    c.scratch = (unsigned char *)c.scratch + (size_t)part * w->scratch_stride;
    w->kernel(&c);
}

void program_run(const Program *p, const Call *c, bool backward, size_t scratch_stride) {
    const Kernel *k = p->backend->kernel[c->kind];
    Work w = {backward ? k->backward : k->forward, c, scratch_stride};
    program_together(p, work, &w);
}

void program_join(const Program *p, void *y, const void *x, size_t bytes, bool copies) {
    if (p->queue) {
        const Addition words = {y, x, bytes / sizeof(float), copies};
        p->backend->device->add(p->queue, &words);
    } else if (copies) {
        memcpy(y, x, bytes);
    } else if (p->backend->word[ROLE_GRAD] == sizeof(double)) {
        for (size_t i = 0; i < bytes / sizeof(double); i++) ((double *)y)[i] += ((const double *)x)[i];
    } else {
        for (size_t i = 0; i < bytes / sizeof(float); i++) ((float *)y)[i] += ((const float *)x)[i];
    }
}
