#include "models/trainer_state.h"

bool trainer_failed(Trainer *t, Error *e) {
    Program *p = &t->program;
    if (p->queue && !t->failure.code) (void)p->backend->device->status(p->queue, &t->failure);
    if (e && t->failure.code) *e = t->failure;
    return t->failure.code;
}

void trainer_count_updates(Trainer *t, int r, int updates) {
    t->power[2 * r] = t->power[2 * r + 1] = 1;
    for (int i = 0; i < updates; i++) {
        t->power[2 * r] *= t->recipe[r].beta1;
        t->power[2 * r + 1] *= t->recipe[r].beta2;
    }
}
