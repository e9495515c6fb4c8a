#include "models/transformer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "models/norm.h"
#include "models/start.h"
#include "models/streams.h"

const char *stack_name(Stack *b, const char *format, ...) {
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
    return tape_param(b->t, 1, cols, INIT_VALUE, value, b->layer, stack_name(b, "%s%s", stem, leaf));
}

static int norm(Stack *b, Norm kind, int x, const char *stem) {
    return norm_build(b->t, kind, x, b->s->norm_eps, b->layer, stack_name(b, "%s", stem));
}

/* A norm of a block; what enters its first one is a probe's site, and what enters the MLP's. */
static int block_norm(Stack *b, Norm kind, int x, const char *stem) {
    if (kind != NORM_none) tape_mark(b->t, SITE_norm_input, b->layer, x);
    if (kind != NORM_none && b->sub == SUB_MLP) tape_mark(b->t, SITE_mlp_norm_input, b->layer, x);
    return norm(b, kind, x, stem);
}

/* The row's init column and after-step rule for a parameter that starts at random. */
static int start(Stack *b, int parameter, bool attention) {
    Tensor *x = &b->t->tensor[parameter];
    if (b->v->after_step.kind == CHOICE_after_step_renormalize && x->init != INIT_POSITION)
        x->unit = x->init == INIT_RESIDUAL ? UNIT_columns : UNIT_rows;
    int layer = b->layer < 0 ? -1 : b->layer - b->first_layer;
    start_parameter(b->t, parameter, b->v, layer, b->s->layers, b->s->width, attention);
    return parameter;
}

static int linear(Stack *b, int x, int out, InitKind init, const char *stem) {
    int weight = tape_param(b->t, out, b->t->tensor[x].cols, init, 0, b->layer, stack_name(b, "%s.weight", stem));
    int in[3] = {x, start(b, weight, !strcmp(stem, "attn.c_attn")), -1};
    if (b->s->bias) in[2] = value_param(b, out, 0, stem, ".bias");
    return tape_op(b->t, OP_linear, in, b->s->bias ? 3 : 2, (Attr){0}, b->layer, stack_name(b, "%s", stem));
}

/* A matrix's part of its rows, of so many parts, is a probe's site. */
static void mark_matrix(Stack *b, ProbeSite site, const char *stem, int part, int parts) {
    int weight = tape_find(b->t, stack_name(b, "%s.weight", stem)), rows = b->t->tensor[weight].rows / parts;
    tape_mark_rows(b->t, site, b->layer, weight, part * rows, rows);
}

static int dropout(Stack *b, int x, const char *stem) {
    if (!b->s->dropout) return x;
    Attr attr = {.stream = name_stream(stack_name(b, "%s", stem))};
    return tape_op1(b->t, OP_dropout, x, attr, b->layer, stack_name(b, "%s", stem));
}

static RulePlace place(const Stack *b) {
    return (RulePlace){b->layer < 0 ? 0 : b->layer - b->first_layer, b->s->layers, b->s->width};
}

/* The parameter that a rule learns, a row of `width`; that of a whole block is made once. */
static int learned(Stack *b, Rule rule, int width, const char *stem) {
    const char *dot = strchr(stem, '.');
    if (rule_learns(rule.kind) == LEARNS_block && dot) stem = dot + 1;
    int found = tape_find(b->t, stack_name(b, "%s", stem));
    if (found >= 0) return found;
    return tape_param(b->t, 1, width, INIT_VALUE, rule_value(rule, place(b)), b->layer, b->name);
}

/* rule * x. A fixed rule's value is left in *factor for the residual add; of a learned or moving rule x is multiplied
 * now. `width`: what a learned row has. */
static int ruled(Stack *b, Rule rule, int x, int width, double *factor, const char *stem) {
    Attr attr = {.alpha = rule_value(rule, place(b)), .beta = rule_factor(rule, place(b))};
    int row = rule_width(rule, width);
    *factor = 1;
    if (rule_learns(rule.kind) == LEARNS_moving)
        return tape_op1(b->t, OP_fade, x, attr, b->layer, stack_name(b, "%s.moved", stem));
    if (!row) *factor = attr.alpha;
    if (!row) return x;
    int gate = learned(b, rule, row, stem);
    x = tape_op2(b->t, OP_gate, x, gate, (Attr){0}, b->layer, stack_name(b, "%s.scaled", stem));
    if (attr.beta == 1) return x;
    return tape_op1(b->t, OP_scale, x, (Attr){.alpha = attr.beta}, b->layer, stack_name(b, "%s.times", stem));
}

/* rule * x where no residual add takes a fixed factor. */
static int scaled(Stack *b, Rule rule, int x, int width, const char *stem) {
    Attr attr = {0};
    x = ruled(b, rule, x, width, &attr.alpha, stem);
    if (attr.alpha == 1) return x;
    return tape_op1(b->t, OP_scale, x, attr, b->layer, stack_name(b, "%s.scaled", stem));
}

static int attention(Stack *b, Site site, int x) {
    const ModelShape *s = b->s;
    x = linear(b, x, 3 * s->width, INIT_MATRIX, "attn.c_attn");
    for (int i = 0; i < 3; i++) mark_matrix(b, SITE_wq + (ProbeSite)i, "attn.c_attn", i, 3);
    int head = s->width / s->heads, group = b->v->qk_over.kind == CHOICE_qk_over_width ? s->width : head;
    x = norm_build_qk(b->t, site.qk, x, group, s->norm_eps, b->layer, stack_name(b, "attn."));
    x = norm_build_v(b->t, site.v, x, head, s->norm_eps, b->layer, stack_name(b, "attn."));
    Attr attr = {.heads = s->heads, .seq = s->context, .full = s->full};
    if (s->positions == POSITIONS_ROPE) x = tape_op1(b->t, OP_rope, x, attr, b->layer, stack_name(b, "attn.rope"));
    x = tape_op1(b->t, OP_attention, x, attr, b->layer, stack_name(b, "attn"));
    x = scaled(b, b->v->head_scale, x, s->heads, "attn.head_scale");
    x = block_norm(b, site.mid, x, "attn.ln_mid");
    x = linear(b, x, s->width, INIT_RESIDUAL, "attn.c_proj");
    mark_matrix(b, SITE_wo, "attn.c_proj", 0, 1);
    return x;
}

/* Columns that the MLP's first matrix makes; swiglu halves them. */
static int expanded(const ModelShape *s) {
    return shape_hidden(s) * (s->activation == ACTIVATION_SWIGLU ? 2 : 1);
}

static int mlp(Stack *b, Site site, int x) {
    static const OpKind kinds[] = {
        [ACTIVATION_GELU] = OP_gelu, [ACTIVATION_RELU] = OP_relu, [ACTIVATION_SWIGLU] = OP_swiglu};
    const ModelShape *s = b->s;
    OpKind kind = kinds[s->activation];
    x = linear(b, x, expanded(s), INIT_MATRIX, "mlp.c_fc");
    x = scaled(b, b->v->hidden_scale, x, b->t->tensor[x].cols, "mlp.hidden_scale");
    x = tape_op1(b->t, kind, x, (Attr){0}, b->layer, stack_name(b, "mlp.%s", op_info[kind].name));
    x = block_norm(b, site.mid, x, "mlp.ln_mid");
    x = linear(b, x, s->width, INIT_RESIDUAL, "mlp.c_proj");
    mark_matrix(b, SITE_w1, "mlp.c_fc", 0, 1);
    mark_matrix(b, SITE_w2, "mlp.c_proj", 0, 1);
    return x;
}

/* A norm of a block in a strength s that may move: s N(x) + (1 - s) x. */
static int norm_in_strength(Stack *b, Norm kind, Rule strength, int x, const char *stem) {
    int n = block_norm(b, kind, x, stem);
    Attr attr = {.alpha = rule_value(strength, place(b)), .beta = strength.value};
    if (n == x || rule_is(strength, 1)) return n;
    if (rule_learns(strength.kind) == LEARNS_moving) attr.beta = rule_factor(strength, place(b));
    return tape_op2(b->t, OP_blend, x, n, attr, b->layer, stack_name(b, "%s.blend", stem));
}

/* carry x + gate f, and what else the streams add. */
static int add(Stack *b, int x, int f, const char *family) {
    const Variant *v = b->v;
    char gate[16], carry[16], moved[24], residual[24];
    Attr attr = {0};
    snprintf(gate, sizeof gate, "%s.gate", family), snprintf(carry, sizeof carry, "%s.carry", family);
    snprintf(moved, sizeof moved, "%s.towards", family), snprintf(residual, sizeof residual, "%s.residual", family);
    bool rest = rule_learns(v->carry.kind) == LEARNS_rest, fixed = rule_learns(v->gate.kind) == LEARNS_fixed;
    int branch = f;
    if (rest && !fixed) /* (1 - g) x + g f = x + g (f - x) */
        f = tape_op2(b->t, OP_residual, x, f, (Attr){.alpha = -1, .beta = 1}, b->layer, stack_name(b, "%s", moved));
    f = ruled(b, v->gate, f, b->s->width, &attr.beta, gate);
    int kept = x;
    attr.alpha = fixed ? 1 - attr.beta : 1;
    if (!rest) kept = ruled(b, v->carry, x, b->s->width, &attr.alpha, carry);
    if (rule_learns(v->carry.kind) == LEARNS_profiled)
        tape_profile(b->t, tape_find(b->t, stack_name(b, "%s", carry)), branch);
    x = tape_op2(b->t, OP_residual, kept, f, attr, b->layer, stack_name(b, "%s", residual));
    return streams_added(b, x, f, attr.beta, family[0] == 'm');
}

/* x <- post( carry x + gate out( f( in(x) depth_scale ) ) ) */
static int sublayer(Stack *b, Sub sub, int x) {
    const Variant *v = b->v;
    Site site = variant_site(v, sub, b->layer - b->first_layer, b->s->layers);
    int number = sub == SUB_ATTN ? 1 : 2;
    const char *family = sub == SUB_ATTN ? "attn" : "mlp";
    char stem[24];
    Attr attr = {.alpha = rule_value(v->depth_scale, place(b))};

    b->sub = sub;
    snprintf(stem, sizeof stem, "ln_%d", number);
    int f = norm_in_strength(b, site.in, v->in_strength, streams_read(b, x, family), stem);
    if (attr.alpha != 1) f = tape_op1(b->t, OP_scale, f, attr, b->layer, stack_name(b, "%s.depth_scale", family));
    f = sub == SUB_ATTN ? attention(b, site, f) : mlp(b, site, f);
    snprintf(stem, sizeof stem, "%s.dropout", family);
    f = dropout(b, f, stem);
    snprintf(stem, sizeof stem, "ln_%d_out", number);
    f = norm_in_strength(b, site.out, v->out_strength, f, stem);
    tape_mark(b->t, sub == SUB_ATTN ? SITE_attn_added : SITE_mlp_added, b->layer, f);
    if (!streams_sum(b)) {
        snprintf(stem, sizeof stem, "%s.gate", family);
        return streams_write(b, x, scaled(b, v->gate, f, b->s->width, stem), family);
    }
    x = add(b, x, f, family);
    snprintf(stem, sizeof stem, "ln_%d_post", number);
    return norm_in_strength(b, site.post, v->post_strength, x, stem);
}

/* What enters a block: x <- block_carry x + x0 x_0. */
static int enter(Stack *b, int x) {
    const Variant *v = b->v;
    Attr attr = {0};
    if (rule_is(v->x0, 0)) return scaled(b, v->block_carry, x, b->s->width, "block_carry");
    x = ruled(b, v->block_carry, x, b->s->width, &attr.alpha, "block_carry");
    int first = ruled(b, v->x0, b->x0, b->s->width, &attr.beta, "x0");
    return tape_op2(b->t, OP_residual, x, first, attr, b->layer, stack_name(b, "entered"));
}

/* What leaves it: x <- x - silu(g) stop_gradient(x). */
static int leave(Stack *b, int x) {
    if (rule_is(b->v->shrink, 0)) return x;
    int g = learned(b, b->v->shrink, 1, "shrink");
    return tape_op2(b->t, OP_damp, x, g, (Attr){0}, b->layer, stack_name(b, "shrunk"));
}

void stack_init(Stack *b, Tape *t, const ModelShape *s, const Variant *v, const char *prefix) {
    *b = (Stack){.t = t, .s = s, .v = v, .prefix = prefix, .first_layer = t->layers, .layer = -1};
    t->layers += s->layers;
}

int stack_embedding(Stack *b, int tokens) {
    Tape *t = b->t;
    const ModelShape *s = b->s;
    b->wte = start(b, tape_param(t, s->vocab, s->width, INIT_TOKEN, 0, -1, stack_name(b, "wte.weight")), false);
    bool learned = s->positions == POSITIONS_LEARNED;
    int in[3] = {tokens, b->wte, -1};
    if (learned)
        in[2] = start(b, tape_param(t, s->context, s->width, INIT_POSITION, 0, -1, stack_name(b, "wpe.weight")), false);
    int x = tape_op(t, OP_embed, in, learned ? 3 : 2, (Attr){.seq = s->context}, -1, stack_name(b, "embed"));
    x = scaled(b, b->v->embed_scale, x, s->width, "embed.scale");
    x = norm(b, b->v->embed, x, "ln_emb");
    x = dropout(b, x, "drop");
    tape_mark(t, SITE_entering, -1, x);
    return x;
}

int stack_blocks(Stack *b, int x) {
    x = streams_begin(b, x);
    for (b->layer = b->first_layer; b->layer < b->first_layer + b->s->layers; b->layer++) {
        b->block_in = x = enter(b, x);
        x = sublayer(b, SUB_ATTN, x);
        x = leave(b, sublayer(b, SUB_MLP, x));
        tape_mark(b->t, SITE_output, b->layer, x);
        tape_mark(b->t, SITE_stream_gradient, b->layer, x);
    }
    b->layer = -1;
    x = streams_end(b, x);
    if (b->v->streams.kind != CHOICE_streams_dual) return norm(b, b->v->final, x, "ln_f");
    int second = norm(b, b->v->final, b->second, "ln_f");
    return tape_op2(b->t, OP_residual, x, second, (Attr){.alpha = 1, .beta = 1}, -1, stack_name(b, "both"));
}

/* Logits: the head, its scale, its cap; the last of them is called so. */
static int logits(Stack *b, int x, int head) {
    Tape *t = b->t;
    const Variant *v = b->v;
    double cap = rule_value(v->logit_cap, place(b));
    bool scale = !rule_is(v->logit_scale, 1), last = cap == 0;
    x = tape_op2(t, OP_linear, x, head, (Attr){0}, -1, scale || !last ? "logits.linear" : "logits");
    if (scale) x = scaled(b, v->logit_scale, x, b->s->vocab, "logit_scale");
    return last ? x : tape_op1(t, OP_softcap, x, (Attr){.alpha = cap}, -1, "logits");
}

void stack_head(Stack *b, int x, int targets) {
    Tape *t = b->t;
    int head = b->wte;
    tape_mark(t, SITE_head, -1, x);
    if (!b->s->tied) {
        head = tape_param(t, b->s->vocab, b->s->width, INIT_MATRIX, 0, -1, stack_name(b, "lm_head.weight"));
        start(b, head, false);
    }
    t->logits = logits(b, x, head);
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

int shape_hidden(const ModelShape *s) {
    int width = s->ffn_mult * s->width;
    return s->activation == ACTIVATION_SWIGLU ? (2 * width + 23) / 24 * 8 : width;
}

Rc shape_keys(const ModelShape *s, Error *e) {
    const struct {
        const char *key;
        int value;
    } sizes[] = {{"layers", s->layers},    {"width", s->width}, {"heads", s->heads},      {"context", s->context},
                 {"vocabulary", s->vocab}, {"batch", s->batch}, {"ffn_mult", s->ffn_mult}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].value < 1) return error_set(e, RC_USAGE, "%s: %d is below 1", sizes[i].key, sizes[i].value);
    if (s->width % s->heads)
        return error_set(e, RC_USAGE, "heads: %d heads do not divide width %d", s->heads, s->width);
    if (s->positions == POSITIONS_ROPE && s->width / s->heads % 2)
        return error_set(e, RC_USAGE, "positions: rope turns pairs of columns; a head of width %d / heads %d has %d",
                         s->width, s->heads, s->width / s->heads);
    if ((double)s->batch * s->context > 1 << 24)
        return error_set(e, RC_USAGE, "batch: %d x context %d is more than 16,777,216 tokens a step", s->batch,
                         s->context);
    return RC_OK;
}

Rc shape_check(const ModelShape *s, Error *e) {
    if (shape_keys(s, e)) return e->code;
    double rows = (double)s->batch * s->context, mlp = expanded(s), qkv = 3.0 * s->width;
    double widest = mlp > qkv ? mlp : qkv;
    if (s->vocab > widest) widest = s->vocab;
    if (rows * widest >= 0x1p31 || (double)s->vocab * s->width >= 0x1p31 || mlp * s->width >= 0x1p31)
        return error_set(e, RC_USAGE,
                         "batch: %d x context %d, width %d and vocabulary %d make a tensor of 2^31 "
                         "numbers or more",
                         s->batch, s->context, s->width, s->vocab);
    return RC_OK;
}
