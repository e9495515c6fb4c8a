#include "models/recipe.h"

#include <math.h>

#include "base/canon.h"

static double schedule_constant(const Recipe *r, int step, double u) {
    (void)step, (void)u;
    return r->lr;
}

static double schedule_linear(const Recipe *r, int step, double u) {
    (void)step;
    return r->lr + (r->final_lr - r->lr) * u;
}

static double schedule_cosine(const Recipe *r, int step, double u) {
    (void)step;
    double wave = (double)canon_cos((float)(3.14159265358979323846 * u));
    return r->final_lr + (r->lr - r->final_lr) * 0.5 * (1 + wave);
}

static double schedule_inverse_sqrt(const Recipe *r, int step, double u) {
    (void)u;
    return r->lr * sqrt((r->warmup > 1 ? r->warmup : 1) / (step + 1.0));
}

double recipe_lr(const Recipe *r, int step) {
    static double (*const after_warmup[])(const Recipe *, int, double) = {
#define SCHEDULE(name, formula) schedule_##name,
#include "models/schedule.def"
#undef SCHEDULE
    };
    if (step < r->warmup) return r->warmup_lr + (r->lr - r->warmup_lr) * (step + 1) / r->warmup;
    double rest = r->steps - r->warmup, u = rest > 0 ? (step - r->warmup) / rest : 0;
    return after_warmup[r->schedule](r, step, u);
}

double recipe_progress(const Recipe *r, int step) {
    if (step <= 0 || r->steps < 2) return 0;
    return step < r->steps ? step / (r->steps - 1.0) : 1;
}

/* RAdam's rectification (Liu et al. 2020, algorithm 2), undefined until the average holds more than five effective
 * gradients: the threshold of the authors' code and of PyTorch (the paper's text has four). */
static double rectification(double beta2, double power2, double t) {
    double most = 2 / (1 - beta2) - 1, rho = most - 2 * t * power2 / (1 - power2);
    if (rho <= 5) return 0;
    return sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho));
}

uint64_t recipe_seed(uint64_t fixed, uint64_t own) {
    return fixed ? fixed : own;
}

void recipe_scalars(const Recipe *r, Scalars *s, uint64_t seed, int step, double count, double power1, double power2) {
    *s = (Scalars){.step = (uint64_t)step, .count = count, .lr = recipe_lr(r, step)};
    s->seed = recipe_seed(r->dropout_seed, seed), s->order_seed = recipe_seed(r->order_seed, seed);
    s->progress = recipe_progress(r, step);
    s->weight_decay = r->weight_decay;
    s->beta1 = r->beta1, s->beta2 = r->beta2, s->eps = r->eps, s->momentum = r->momentum;
    s->correction1 = 1 - power1, s->correction2 = 1 - power2;
    s->rectify = rectification(r->beta2, power2, step + 1.0);
    s->grad_scale = 1;
    s->drop_below = (uint32_t)(r->dropout * 4294967296.0);
    s->drop_scale = 1 / (1 - r->dropout);
    s->smoothing = r->smoothing;
}
