#include "models/transformer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/sha256.h"
#include "models/norm.h"

/* The export name of something in the current block: "h.3." and the rest, or the rest alone outside the blocks. */
__attribute__((format(printf, 2, 3))) static const char *name_of(Stack *b, const char *format, ...) {
    char rest[26];
    va_list args;
    va_start(args, format);
    vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    if (b->layer < 0)
        snprintf(b->name, sizeof b->name, "%.8s%s", b->prefix, rest);
    else
        snprintf(b->name, sizeof b->name, "%.8sh.%d.%s", b->prefix, b->layer - b->first_layer, rest);
    return b->name;
}

static int value_param(Stack *b, int cols, double value, const char *stem, const char *leaf) {
    return tape_param(b->t, 1, cols, INIT_VALUE, value, b->layer, name_of(b, "%s%s", stem, leaf));
}

static int norm(Stack *b, Norm kind, int x, const char *stem) {
    return norm_build(b->t, kind, x, b->s->norm_eps, b->layer, name_of(b, "%s", stem));
}

/* A norm of a block; what enters its first one is a probe's site. */
static int block_norm(Stack *b, Norm kind, int x, const char *stem) {
    if (kind != NORM_none) tape_mark(b->t, SITE_norm_input, b->layer, x);
    return norm(b, kind, x, stem);
}

static int linear(Stack *b, int x, int out, InitKind init, const char *stem) {
    int in[3] = {x, tape_param(b->t, out, b->t->tensor[x].cols, init, 0, b->layer, name_of(b, "%s.weight", stem)), -1};
    if (b->s->bias) in[2] = value_param(b, out, 0, stem, ".bias");
    return tape_op(b->t, OP_linear, in, b->s->bias ? 3 : 2, (Attr){0}, b->layer, name_of(b, "%s", stem));
}

static int dropout(Stack *b, int x, const char *stem) {
    if (!b->s->dropout) return x;
    Attr attr = {.stream = name_stream(name_of(b, "%s", stem))};
    return tape_op1(b->t, OP_dropout, x, attr, b->layer, name_of(b, "%s", stem));
}

static int attention(Stack *b, Site site, int x) {
    const ModelShape *s = b->s;
    x = linear(b, x, 3 * s->width, INIT_MATRIX, "attn.c_attn");
    x = norm_build_qk(b->t, site.qk, x, s->width / s->heads, s->norm_eps, b->layer, name_of(b, "attn."));
    Attr attr = {.heads = s->heads, .seq = s->context};
    x = tape_op1(b->t, OP_attention, x, attr, b->layer, name_of(b, "attn"));
    x = block_norm(b, site.mid, x, "attn.ln_mid");
    return linear(b, x, s->width, INIT_RESIDUAL, "attn.c_proj");
}

static int mlp(Stack *b, Site site, int x) {
    const ModelShape *s = b->s;
    x = linear(b, x, s->ffn_mult * s->width, INIT_MATRIX, "mlp.c_fc");
    OpKind kind = s->activation == ACTIVATION_GELU ? OP_gelu : OP_relu;
    x = tape_op1(b->t, kind, x, (Attr){0}, b->layer, name_of(b, "mlp.%s", op_info[kind].name));
    x = block_norm(b, site.mid, x, "mlp.ln_mid");
    return linear(b, x, s->width, INIT_RESIDUAL, "mlp.c_proj");
}

/* rule * x. A fixed rule's value is left in *factor for the residual add; a learned rule becomes a gate op now. */
static int ruled(Stack *b, Rule rule, int x, double *factor, const char *stem) {
    double value = rule_value(rule, b->layer - b->first_layer, b->s->layers);
    int width = rule_width(rule, b->s->width);
    *factor = width ? 1 : value;
    if (!width) return x;
    int gate = tape_param(b->t, 1, width, INIT_VALUE, value, b->layer, name_of(b, "%s", stem));
    return tape_op2(b->t, OP_gate, x, gate, (Attr){0}, b->layer, name_of(b, "%s.scaled", stem));
}

/* x <- post( carry x + gate out( f( in(x) depth_scale ) ) ) */
static int sublayer(Stack *b, Sub sub, int x) {
    const Variant *v = b->v;
    Site site = variant_site(v, sub, b->layer - b->first_layer, b->s->layers);
    int number = sub == SUB_ATTN ? 1 : 2;
    const char *family = sub == SUB_ATTN ? "attn" : "mlp";
    char stem[24];
    Attr attr = {.alpha = rule_value(v->depth_scale, b->layer - b->first_layer, b->s->layers)};

    snprintf(stem, sizeof stem, "ln_%d", number);
    int f = block_norm(b, site.in, x, stem);
    if (attr.alpha != 1) f = tape_op1(b->t, OP_scale, f, attr, b->layer, name_of(b, "%s.depth_scale", family));
    f = sub == SUB_ATTN ? attention(b, site, f) : mlp(b, site, f);
    snprintf(stem, sizeof stem, "%s.dropout", family);
    f = dropout(b, f, stem);
    snprintf(stem, sizeof stem, "ln_%d_out", number);
    f = block_norm(b, site.out, f, stem);

    snprintf(stem, sizeof stem, "%s.gate", family);
    f = ruled(b, v->gate, f, &attr.beta, stem);
    snprintf(stem, sizeof stem, "%s.carry", family);
    x = ruled(b, v->carry, x, &attr.alpha, stem);
    x = tape_op2(b->t, OP_residual, x, f, attr, b->layer, name_of(b, "%s.residual", family));
    snprintf(stem, sizeof stem, "ln_%d_post", number);
    return block_norm(b, site.post, x, stem);
}

void stack_init(Stack *b, Tape *t, const ModelShape *s, const Variant *v, const char *prefix) {
    *b = (Stack){.t = t, .s = s, .v = v, .prefix = prefix, .first_layer = t->layers, .layer = -1};
    t->layers += s->layers;
}

int stack_embedding(Stack *b, int tokens) {
    Tape *t = b->t;
    const ModelShape *s = b->s;
    b->wte = tape_param(t, s->vocab, s->width, INIT_TOKEN, 0, -1, name_of(b, "wte.weight"));
    int wpe = tape_param(t, s->context, s->width, INIT_POSITION, 0, -1, name_of(b, "wpe.weight"));
    Attr attr = {.seq = s->context};
    int x = tape_op(t, OP_embed, (int[]){tokens, b->wte, wpe}, 3, attr, -1, name_of(b, "embed"));
    x = norm(b, b->v->embed, x, "ln_emb");
    x = dropout(b, x, "drop");
    tape_mark(t, SITE_entering, -1, x);
    return x;
}

int stack_blocks(Stack *b, int x) {
    for (b->layer = b->first_layer; b->layer < b->first_layer + b->s->layers; b->layer++) {
        x = sublayer(b, SUB_ATTN, x);
        x = sublayer(b, SUB_MLP, x);
        tape_mark(b->t, SITE_output, b->layer, x);
    }
    b->layer = -1;
    return norm(b, b->v->final, x, "ln_f");
}

void stack_head(Stack *b, int x, int targets) {
    Tape *t = b->t;
    int head = b->wte;
    if (!b->s->tied)
        head = tape_param(t, b->s->vocab, b->s->width, INIT_MATRIX, 0, -1, name_of(b, "lm_head.weight"));
    t->logits = tape_op2(t, OP_linear, x, head, (Attr){0}, -1, "logits");
    t->nll = tape_op2(t, OP_xent, t->logits, targets, (Attr){0}, -1, "nll");
    t->loss = tape_op1(t, OP_mean, t->nll, (Attr){0}, -1, "loss");
}

void transformer_build(Tape *t, const ModelShape *s, const Variant *v, const ProbeChoice *probes) {
    Stack b;
    int rows = s->batch * s->context;
    ProbeChoice usual = probes_usual();
    tape_init(t);
    stack_init(&b, t, s, v, "");
    int tokens = tape_feed(t, rows, "tokens"), targets = tape_feed(t, rows, "targets");
    stack_head(&b, stack_blocks(&b, stack_embedding(&b, tokens)), targets);
    tape_probe(t, probes ? probes : &usual);
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
        return error_set(e, RC_USAGE, "batch: %d x context %d, width %d and vocabulary %d make a tensor of 2^31 "
                         "numbers or more",
                         s->batch, s->context, s->width, s->vocab);
    return RC_OK;
}
