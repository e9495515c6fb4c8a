#include "models/trainer_count.h"

#include "models/allreduce.h"
#include "models/trainer_state.h"

size_t trainer_need(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                    const Backend *backend) {
    TrainerPlan p = trainer_plan(shape, variant, probes, backend, false);
    return (size_t)trainer_plan_bytes(&p);
}

TrainerPlan trainer_plan(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                         const Backend *backend, bool apart) {
    static const Device any = {0};
    Tape tape;
    Backend like = *backend;
    size_t arena[ROLE_COUNT];
    if (apart && !like.device) {
        like.device = &any;
        if (precision_word(like.precision) != WORD_float) like.word[ROLE_ACT] = like.word[ROLE_DACT] = sizeof(uint16_t);
    }
    transformer_build(&tape, shape, variant, probes);
    size_t rest = program_arenas(&tape, &like, 1, arena);
    TrainerPlan p = {.parameters = tape_parameters(&tape),
                     .weights = arena[ROLE_PARAM],
                     .gradients = arena[ROLE_GRAD],
                     .sums = tape.passes > 1 ? allreduce_slots(tape.passes) * arena[ROLE_GRAD] : 0,
                     .moments = arena[ROLE_MOMENT1] + arena[ROLE_MOMENT2],
                     .activations = arena[ROLE_ACT] + arena[ROLE_SAVE] + arena[ROLE_DACT],
                     .other = arena[ROLE_TOKEN] + rest,
                     .flops = tape_flops(&tape) * tape.passes};
    tape_release(&tape);
    return p;
}

double trainer_plan_bytes(const TrainerPlan *p) {
    return (double)p->weights + (double)p->gradients + (double)p->sums + (double)p->moments + (double)p->activations +
           (double)p->other;
}

double trainer_flops(const Trainer *t) {
    return tape_flops(&t->tape);
}

size_t trainer_bytes(const Trainer *t) {
    return program_bytes(&t->tape, t->program.backend, 1);
}

Rc trainer_passes(Graph **out, const ModelShape *shape, const Variant *variant, int replicas, const Backend *backend,
                  Error *e) {
    Tape tape;
    Program p;
    transformer_build(&tape, shape, variant, NULL);
    Rc rc = program_init(&p, &tape, backend, replicas, e);
    if (!rc) {
        backend->device->record(p.queue);
        program_forward_ops(&p);
        program_backward_ops(&p);
        *out = backend->device->recorded(p.queue);
        program_release(&p);
    }
    tape_release(&tape);
    return rc;
}
