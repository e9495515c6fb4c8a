#include "models/transformer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/sha256.h"

typedef struct {
    Tape *t;
    const ModelShape *s;
    const Variant *v;
    int layer; /* block being built, -1 outside */
    char name[48];
} Build;

/* The export name of something in the current block: "h.3." and the rest, or the rest alone outside the blocks. */
__attribute__((format(printf, 2, 3))) static const char *name_of(Build *b, const char *format, ...) {
    char rest[30];
    va_list args;
    va_start(args, format);
    vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    if (b->layer < 0)
        snprintf(b->name, sizeof b->name, "%s", rest);
    else
        snprintf(b->name, sizeof b->name, "h.%d.%s", b->layer, rest);
    return b->name;
}

static int value_param(Build *b, int cols, double value, const char *stem, const char *leaf) {
    return tape_param(b->t, 1, cols, INIT_VALUE, value, b->layer, name_of(b, "%s%s", stem, leaf));
}

static int norm(Build *b, Norm kind, int x, const char *stem) {
    int width = b->t->tensor[x].cols;
    Attr attr = {.eps = b->s->norm_eps};
    int in[3] = {x, -1, -1};
    switch (kind) {
    case NORM_NONE: return x;
    case NORM_CENTER: return tape_op(b->t, OP_center, in, 1, attr, b->layer, name_of(b, "%s", stem));
    case NORM_RMSNORM:
        in[1] = value_param(b, width, 1, stem, ".weight");
        return tape_op(b->t, OP_rmsnorm, in, 2, attr, b->layer, name_of(b, "%s", stem));
    case NORM_LAYERNORM:
        in[1] = value_param(b, width, 1, stem, ".weight");
        in[2] = value_param(b, width, 0, stem, ".bias");
        return tape_op(b->t, OP_layernorm, in, 3, attr, b->layer, name_of(b, "%s", stem));
    case NORM_COUNT: break;
    }
    assert(!"unknown norm");
    return x;
}

static int linear(Build *b, int x, int out, InitKind init, const char *stem) {
    int in[3] = {x, tape_param(b->t, out, b->t->tensor[x].cols, init, 0, b->layer, name_of(b, "%s.weight", stem)), -1};
    if (b->s->bias) in[2] = value_param(b, out, 0, stem, ".bias");
    return tape_op(b->t, OP_linear, in, b->s->bias ? 3 : 2, (Attr){0}, b->layer, name_of(b, "%s", stem));
}

static int dropout(Build *b, int x, const char *stem) {
    if (!b->s->dropout) return x;
    Attr attr = {.stream = name_stream(name_of(b, "%s", stem))};
    return tape_op1(b->t, OP_dropout, x, attr, b->layer, name_of(b, "%s", stem));
}

static int attention(Build *b, Site site, int x) {
    const ModelShape *s = b->s;
    x = linear(b, x, 3 * s->width, INIT_MATRIX, "attn.c_attn");
    if (site.qk != NORM_NONE) {
        Attr attr = {.eps = s->norm_eps, .group = s->width / s->heads};
        int in[3] = {x, value_param(b, attr.group, 1, "attn.q_norm", ".weight"), -1};
        in[2] = value_param(b, attr.group, 1, "attn.k_norm", ".weight");
        x = tape_op(b->t, OP_qkrms, in, 3, attr, b->layer, name_of(b, "attn.qk_norm"));
    }
    Attr attr = {.heads = s->heads, .seq = s->context};
    x = tape_op1(b->t, OP_attention, x, attr, b->layer, name_of(b, "attn"));
    x = norm(b, site.mid, x, "attn.ln_mid");
    return linear(b, x, s->width, INIT_RESIDUAL, "attn.c_proj");
}

static int mlp(Build *b, Site site, int x) {
    const ModelShape *s = b->s;
    x = linear(b, x, s->ffn_mult * s->width, INIT_MATRIX, "mlp.c_fc");
    OpKind kind = s->activation == ACTIVATION_GELU ? OP_gelu : OP_relu;
    x = tape_op1(b->t, kind, x, (Attr){0}, b->layer, name_of(b, "mlp.%s", op_info[kind].name));
    x = norm(b, site.mid, x, "mlp.ln_mid");
    return linear(b, x, s->width, INIT_RESIDUAL, "mlp.c_proj");
}

/* rule * x. A constant waits in *factor for the residual add; a learned rule becomes a gate op now. */
static int ruled(Build *b, Rule rule, int x, double *factor, const char *stem) {
    double value = rule_value(rule, b->layer, b->s->layers);
    *factor = rule_learned(rule) ? 1 : value;
    if (!rule_learned(rule)) return x;
    int width = rule.kind == RULE_LEARNED ? 1 : b->s->width;
    int gate = tape_param(b->t, 1, width, INIT_VALUE, value, b->layer, name_of(b, "%s", stem));
    return tape_op2(b->t, OP_gate, x, gate, (Attr){0}, b->layer, name_of(b, "%s.scaled", stem));
}

/* x <- post( carry x + gate out( f( in(x) depth_scale ) ) ) */
static int sublayer(Build *b, Sub sub, int x) {
    const Variant *v = b->v;
    Site site = variant_site(v, sub, b->layer, b->s->layers);
    int number = sub == SUB_ATTN ? 1 : 2;
    const char *family = sub == SUB_ATTN ? "attn" : "mlp";
    char stem[24];
    Attr attr = {.alpha = rule_value(v->depth_scale, b->layer, b->s->layers)};

    snprintf(stem, sizeof stem, "ln_%d", number);
    int f = norm(b, site.in, x, stem);
    if (attr.alpha != 1) f = tape_op1(b->t, OP_scale, f, attr, b->layer, name_of(b, "%s.depth_scale", family));
    f = sub == SUB_ATTN ? attention(b, site, f) : mlp(b, site, f);
    snprintf(stem, sizeof stem, "%s.dropout", family);
    f = dropout(b, f, stem);
    snprintf(stem, sizeof stem, "ln_%d_out", number);
    f = norm(b, site.out, f, stem);

    snprintf(stem, sizeof stem, "%s.gate", family);
    f = ruled(b, v->gate, f, &attr.beta, stem);
    snprintf(stem, sizeof stem, "%s.carry", family);
    x = ruled(b, v->carry, x, &attr.alpha, stem);
    x = tape_op2(b->t, OP_residual, x, f, attr, b->layer, name_of(b, "%s.residual", family));
    snprintf(stem, sizeof stem, "ln_%d_post", number);
    return norm(b, site.post, x, stem);
}

void transformer_build(Tape *t, const ModelShape *s, const Variant *v) {
    Build b = {.t = t, .s = s, .v = v, .layer = -1};
    int rows = s->batch * s->context;
    tape_init(t);
    t->layers = s->layers;
    t->tokens = tape_token(t, rows, "tokens");
    t->targets = tape_token(t, rows, "targets");

    int wte = tape_param(t, s->vocab, s->width, INIT_TOKEN, 0, -1, "wte.weight");
    int wpe = tape_param(t, s->context, s->width, INIT_POSITION, 0, -1, "wpe.weight");
    int x = tape_op(t, OP_embed, (int[]){t->tokens, wte, wpe}, 3, (Attr){.seq = s->context}, -1, "embed");
    x = norm(&b, v->embed, x, "ln_emb");
    x = dropout(&b, x, "drop");
    int entering = x;

    for (b.layer = 0; b.layer < s->layers; b.layer++) {
        x = sublayer(&b, SUB_ATTN, x);
        x = sublayer(&b, SUB_MLP, x);
    }
    b.layer = -1;

    x = norm(&b, v->final, x, "ln_f");
    int head = s->tied ? wte : tape_param(t, s->vocab, s->width, INIT_MATRIX, 0, -1, "lm_head.weight");
    t->logits = tape_op2(t, OP_linear, x, head, (Attr){0}, -1, "logits");
    t->nll = tape_op2(t, OP_xent, t->logits, t->targets, (Attr){0}, -1, "nll");
    t->loss = tape_op1(t, OP_mean, t->nll, (Attr){0}, -1, "loss");

    int norms = tape_op1(t, OP_rownorm, entering, (Attr){0}, -1, "embedding_norms");
    t->embedding_norm = tape_op1(t, OP_mean, norms, (Attr){0}, -1, "embedding_norm");
}

Rc shape_check(const ModelShape *s, Error *e) {
    const struct {
        const char *key;
        int value;
    } sizes[] = {{"layers", s->layers},    {"width", s->width}, {"heads", s->heads},      {"context", s->context},
                 {"vocabulary", s->vocab}, {"batch", s->batch}, {"ffn_mult", s->ffn_mult}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].value < 1) return error_set(e, RC_USAGE, "%s: %d is below 1", sizes[i].key, sizes[i].value);
    if (s->width % s->heads)
        return error_set(e, RC_USAGE, "heads: %d heads do not divide width %d", s->heads, s->width);
    if ((double)s->batch * s->context > 1 << 24)
        return error_set(e, RC_USAGE, "batch: %d x context %d is more than 16,777,216 tokens a step", s->batch,
                         s->context);
    double rows = (double)s->batch * s->context, mlp = (double)s->ffn_mult * s->width, qkv = 3.0 * s->width;
    double widest = mlp > qkv ? mlp : qkv;
    if (s->vocab > widest) widest = s->vocab;
    if (rows * widest >= 0x1p31 || (double)s->vocab * s->width >= 0x1p31 || mlp * s->width >= 0x1p31)
        return error_set(e, RC_USAGE, "batch: %d x context %d, width %d and vocabulary %d make a tensor of 2^31 numbers or more",
                         s->batch, s->context, s->width, s->vocab);
    return RC_OK;
}
