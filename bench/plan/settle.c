#include "bench/plan/settle.h"

#include <string.h>

void spec_idle(const RunSpec *s, IdleKey out[IDLE_KEYS]) {
    bool decays = s->schedule == SCHEDULE_linear || s->schedule == SCHEDULE_cosine, sgd = s->optimizer == OPTIMIZER_sgd;
    bool translates = s->objective == OBJECTIVE_TRANSLATE;
#define IDLE(key, by, why, idle) \
    { #key, by, why, offsetof(RunSpec, key), sizeof s->key, idle }
    const IdleKey all[IDLE_KEYS] = {
        IDLE(final_lr, "schedule", "the schedule is neither linear nor cosine", !decays),
        IDLE(warmup_lr, "warmup", "there is no warm-up", !s->warmup),
        IDLE(momentum, "optimizer", "the optimizer is not sgd", !sgd),
        IDLE(beta1, "optimizer", "sgd has momentum alone", sgd),
        IDLE(beta2, "optimizer", "sgd has momentum alone", sgd),
        IDLE(adam_eps, "optimizer", "sgd has momentum alone", sgd),
        IDLE(position_std, "positions", "no position is learned", s->positions != POSITIONS_LEARNED),
        IDLE(dropout_seed, "dropout", "dropout is 0", !(s->dropout > 0)),
        IDLE(shared_embeddings, "objective", "nothing is translated", !translates),
        IDLE(long_lines, "objective", "nothing is translated", !translates),
    };
#undef IDLE
    memcpy(out, all, sizeof all);
}

/* Norms of a sublayer that some block has. */
typedef struct {
    bool in, qk, out, post;
} Standing;

static Standing standing(const RunSpec *s) {
    Standing any = {0};
    int depth = (int)s->layers, different = s->variant.span[0].column ? depth : 1; /* without ranges blocks are alike */
    for (int layer = 0; layer < different; layer++)
        for (Sub sub = SUB_ATTN; sub <= SUB_MLP; sub++) {
            Site site = variant_site(&s->variant, sub, layer, depth);
            any.in |= site.in != NORM_none, any.out |= site.out != NORM_none;
            any.post |= site.post != NORM_none, any.qk |= sub == SUB_ATTN && site.qk != NORM_none;
        }
    return any;
}

/* Return true if older builds moved a strength by a fixed rule from each block's number to the rule's first. */
static bool drifted(const RunSpec *s, Rule strength) {
    static const StackKind alone[] = {STACK_ALONE, STACK_ALONE}, both[] = {STACK_ENCODER, STACK_DECODER};
    const StackKind *stack = s->objective == OBJECTIVE_TRANSLATE ? both : alone;
    if (rule_learns(strength.kind) != LEARNS_fixed || strength.kind == RULE_constant) return false;
    for (int i = 0; i < 2; i++)
        for (int layer = 0; layer < s->layers; layer++)
            if (rule_value(strength, (RulePlace){layer, (int)s->layers, (int)s->width, stack[i]}) != strength.value)
                return true;
    return false;
}

static bool by_xavier(ChoiceKind init) {
    return init == CHOICE_init_deepnorm || init == CHOICE_init_layerwise || init == CHOICE_init_magneto ||
           init == CHOICE_init_t_fixup;
}

/* Return true if older builds trained this network otherwise: a strength drifted, shrink by a fixed rule was learned,
 * Xavier took SwiGLU's two matrices for one, or of two streams the second was moved like the first although the carry
 * is the rest of a gate that is not fixed. */
static bool was_wrong(const RunSpec *s, Standing any) {
    const Variant *v = &s->variant;
    if (any.in && drifted(s, v->in_strength)) return true;
    if (any.out && drifted(s, v->out_strength)) return true;
    if (any.post && drifted(s, v->post_strength)) return true;
    if (v->shrink.kind != RULE_constant && rule_learns(v->shrink.kind) == LEARNS_fixed) return true;
    if (by_xavier(v->init.kind) && s->activation == ACTIVATION_SWIGLU) return true;
    return v->streams.kind == CHOICE_streams_dual && rule_learns(v->carry.kind) == LEARNS_rest &&
           rule_learns(v->gate.kind) != LEARNS_fixed;
}

void spec_forget_idle(RunSpec *s, bool all) {
    IdleKey key[IDLE_KEYS];
    RunSpec usual;
    spec_init(&usual);
    spec_idle(s, key);
    for (int i = 0; i < IDLE_KEYS; i++)
        if (key[i].idle || all) memcpy((char *)s + key[i].at, (const char *)&usual + key[i].at, key[i].size);
}

/* Reset a strength of norms that no block has. */
static void forget_strength(Variant *v, const Variant *usual, const char *const keys[3]) {
    for (int i = 0; i < 3; i++) variant_copy(v, keys[i], usual);
}

static const char *const in_keys[] = {"in_strength", "attn.in_strength", "mlp.in_strength"};
static const char *const out_keys[] = {"out_strength", "attn.out_strength", "mlp.out_strength"};
static const char *const post_keys[] = {"post_strength", "attn.post_strength", "mlp.post_strength"};

void spec_outline(RunSpec *s) {
    RunSpec usual;
    Variant *v = &s->variant;
    spec_init(&usual);
    spec_forget_idle(s, true);
    v->qk_over = usual.variant.qk_over;
    forget_strength(v, &usual.variant, in_keys);
    forget_strength(v, &usual.variant, out_keys);
    forget_strength(v, &usual.variant, post_keys);
}

void spec_settle(RunSpec *s) {
    Variant *v = &s->variant;
    RunSpec usual;
    Standing any = standing(s);
    spec_init(&usual);
    if (!any.qk) v->qk_over = usual.variant.qk_over;
    if (!any.in) forget_strength(v, &usual.variant, in_keys);
    if (!any.out) forget_strength(v, &usual.variant, out_keys);
    if (!any.post) forget_strength(v, &usual.variant, post_keys);
    s->mended = was_wrong(s, any);
}
