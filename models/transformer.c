#include "models/transformer.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/canon.h"
#include "base/sha256.h"
#include "models/norm.h"
#include "models/start.h"
#include "models/streams.h"

/* How a sublayer's parts are called: what it does, and the norm before it. */
static const struct {
    const char *family, *norm;
} subs[] = {[SUB_ATTN] = {"attn", "ln_1"}, [SUB_MLP] = {"mlp", "ln_2"}, [SUB_CROSS] = {"cross", "ln_cross"}};

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

static RulePlace place(const Stack *b) {
    return (RulePlace){b->layer < 0 ? 0 : b->layer - b->first_layer, b->s->layers, b->s->width, b->kind};
}

/* The row's init column and after-step rule for a parameter that starts at random. */
static int start(Stack *b, int parameter, Makes makes) {
    Tensor *x = &b->t->tensor[parameter];
    RulePlace at = place(b);
    if (b->v->after_step.kind == CHOICE_after_step_renormalize && x->init != INIT_POSITION)
        x->unit = x->init == INIT_RESIDUAL ? UNIT_columns : UNIT_rows;
    if (b->layer < 0) at.layer = -1;
    start_parameter(b->t, parameter, b->v, at, makes, b->layer >= 0 && b->sub == SUB_CROSS);
    return parameter;
}

static int linear_of(Stack *b, int x, int out, InitKind init, Makes makes, const char *stem) {
    int weight = tape_param(b->t, out, b->t->tensor[x].cols, init, 0, b->layer, stack_name(b, "%s.weight", stem));
    int in[3] = {x, start(b, weight, makes), -1};
    if (b->s->bias) in[2] = value_param(b, out, 0, stem, ".bias");
    return tape_op(b->t, OP_linear, in, b->s->bias ? 3 : 2, (Attr){0}, b->layer, stack_name(b, "%s", stem));
}

static int linear(Stack *b, int x, int out, InitKind init, const char *stem) {
    return linear_of(b, x, out, init, MAKES_other, stem);
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

/* The parameter that a rule learns, a row of `width`; that of a whole block is made once. */
static int learned(Stack *b, Rule rule, int width, const char *stem) {
    const char *dot = strchr(stem, '.');
    if (rule_learns(rule.kind) == LEARNS_block && dot) stem = dot + 1;
    int found = tape_find(b->t, stack_name(b, "%s", stem));
    if (found >= 0) return found;
    return tape_param(b->t, 1, width, INIT_VALUE, rule_value(rule, place(b)), b->layer, b->name);
}

/* rule * x. A fixed rule's value is left in *factor for the residual add; of a learned or moving rule x is multiplied
 * now, `as` is what the product is called. `width`: what a learned row has. */
static int ruled_as(Stack *b, Rule rule, int x, int width, double *factor, const char *stem, const char *as) {
    Attr attr = {.alpha = rule_value(rule, place(b)), .beta = rule_factor(rule, place(b))};
    int row = rule_width(rule, width);
    *factor = 1;
    if (rule_learns(rule.kind) == LEARNS_moving)
        return tape_op1(b->t, OP_fade, x, attr, b->layer, stack_name(b, "%s.moved", as));
    if (!row) *factor = attr.alpha;
    if (!row) return x;
    int gate = learned(b, rule, row, stem);
    x = tape_op2(b->t, OP_gate, x, gate, (Attr){0}, b->layer, stack_name(b, "%s.scaled", as));
    if (attr.beta == 1) return x;
    return tape_op1(b->t, OP_scale, x, (Attr){.alpha = attr.beta}, b->layer, stack_name(b, "%s.times", as));
}

static int ruled(Stack *b, Rule rule, int x, int width, double *factor, const char *stem) {
    return ruled_as(b, rule, x, width, factor, stem, stem);
}

/* rule * x where no residual add takes a fixed factor. */
static int scaled(Stack *b, Rule rule, int x, int width, const char *stem) {
    Attr attr = {0};
    x = ruled(b, rule, x, width, &attr.alpha, stem);
    if (attr.alpha == 1) return x;
    return tape_op1(b->t, OP_scale, x, attr, b->layer, stack_name(b, "%s.scaled", stem));
}

/* What each head reads: [q | k | v] from one matrix, rows in sequences. */
static int heads_of_sequences(Stack *b, Site site, int group, int x) {
    const ModelShape *s = b->s;
    Attr attr = {.heads = s->heads, .seq = s->context, .full = s->full};
    x = linear_of(b, x, 3 * s->width, INIT_MATRIX, MAKES_qkv, "attn.c_attn");
    for (int i = 0; i < 3; i++) mark_matrix(b, SITE_wq + (ProbeSite)i, "attn.c_attn", i, 3);
    x = norm_build_qk(b->t, site.qk, x, group, s->norm_eps, b->layer, stack_name(b, "attn."));
    x = norm_build_v(b->t, site.v, x, s->width / s->heads, s->norm_eps, b->layer, stack_name(b, "attn."));
    if (s->positions == POSITIONS_ROPE) x = tape_op1(b->t, OP_rope, x, attr, b->layer, stack_name(b, "attn.rope"));
    return tape_op1(b->t, OP_attention, x, attr, b->layer, stack_name(b, "attn"));
}

/* The same of packed rows: a matrix each for q, k and v, which may be read from elsewhere. */
static int heads_of_ranges(Stack *b, Site site, int group, int x, const char *family) {
    static const struct {
        char letter;
        Makes makes;
    } parts[] = {{'q', MAKES_qk}, {'k', MAKES_qk}, {'v', MAKES_v}};
    const ModelShape *s = b->s;
    bool cross = b->sub == SUB_CROSS;
    int in[4] = {-1, -1, -1, cross ? b->memory_keys : b->keys};
    for (int i = 0; i < 3; i++) {
        char stem[24], name[TENSOR_NAME_SIZE];
        snprintf(stem, sizeof stem, "%s.c_%c", family, parts[i].letter);
        in[i] = linear_of(b, cross && i ? b->memory : x, s->width, INIT_MATRIX, parts[i].makes, stem);
        if (!cross) mark_matrix(b, SITE_wq + (ProbeSite)i, stem, 0, 1);
        snprintf(name, sizeof name, "%s", stack_name(b, "%s.%c_norm", family, parts[i].letter));
        in[i] = norm_build_part(b->t, i < 2 ? site.qk : site.v, in[i], i < 2 ? group : s->width / s->heads, s->norm_eps,
                                b->layer, name);
    }
    return tape_op(b->t, OP_attend, in, 4, (Attr){.heads = s->heads, .seq = s->context}, b->layer,
                   stack_name(b, "%s", family));
}

static int attention(Stack *b, Site site, int x) {
    const ModelShape *s = b->s;
    const char *family = subs[b->sub].family;
    char stem[24];
    int group = b->v->qk_over.kind == CHOICE_qk_over_width ? s->width : s->width / s->heads;
    x = b->keys < 0 ? heads_of_sequences(b, site, group, x) : heads_of_ranges(b, site, group, x, family);
    snprintf(stem, sizeof stem, "%s.head_scale", family);
    x = scaled(b, b->here.head_scale, x, s->heads, stem);
    snprintf(stem, sizeof stem, "%s.ln_mid", family);
    x = block_norm(b, site.mid, x, stem);
    snprintf(stem, sizeof stem, "%s.c_proj", family);
    x = linear(b, x, s->width, INIT_RESIDUAL, stem);
    if (b->sub == SUB_ATTN) mark_matrix(b, SITE_wo, stem, 0, 1);
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
    x = linear_of(b, x, expanded(s), INIT_MATRIX, s->activation == ACTIVATION_SWIGLU ? MAKES_gate_up : MAKES_other,
                  "mlp.c_fc");
    x = scaled(b, b->here.hidden_scale, x, b->t->tensor[x].cols, "mlp.hidden_scale");
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
    Attr attr = {.alpha = rule_value(strength, place(b)), .beta = rule_value(strength, place(b))};
    if (n == x || rule_is(strength, 1)) return n;
    if (rule_learns(strength.kind) == LEARNS_moving) attr.beta = rule_factor(strength, place(b));
    return tape_op2(b->t, OP_blend, x, n, attr, b->layer, stack_name(b, "%s.blend", stem));
}

/* carry x + gate f, and what else the streams add. */
static int add(Stack *b, int x, int f, const char *family) {
    const Variant *v = &b->here;
    char gate[16], carry[16], added[16], moved[24], residual[24];
    Attr attr = {0};
    snprintf(gate, sizeof gate, "%s.gate", family), snprintf(carry, sizeof carry, "%s.carry", family);
    snprintf(added, sizeof added, "%s.added", family);
    snprintf(moved, sizeof moved, "%s.towards", family), snprintf(residual, sizeof residual, "%s.residual", family);
    bool rest = rule_learns(v->carry.kind) == LEARNS_rest, fixed = rule_learns(v->gate.kind) == LEARNS_fixed;
    int branch = f;
    if (rest && !fixed) /* (1 - g) x + g f = x + g (f - x) */
        f = tape_op2(b->t, OP_residual, x, f, (Attr){.alpha = -1, .beta = 1}, b->layer, stack_name(b, "%s", moved));
    f = ruled(b, v->gate, f, b->s->width, &attr.beta, gate);
    int kept = x;
    attr.alpha = fixed ? 1 - attr.beta : 1;
    if (!rest) kept = ruled(b, v->carry, x, b->s->width, &attr.alpha, carry);
    if (b->data_init) {
        bool measured = rule_learns(v->carry.kind) == LEARNS_profiled;
        int parameter = measured ? tape_find(b->t, stack_name(b, "%s", carry)) : TENSOR_NONE;
        tape_data_init(b->t, parameter, branch, !b->data_counted);
        b->data_counted = true;
    }
    x = tape_op2(b->t, OP_residual, kept, f, attr, b->layer, stack_name(b, "%s", residual));
    if (rest && !fixed && v->streams.kind == CHOICE_streams_dual) /* r takes g f, where x took g (f - x) */
        f = ruled_as(b, v->gate, branch, b->s->width, &attr.beta, gate, added);
    return streams_added(b, x, (Branch){branch, f, attr.beta}, family);
}

/* x <- post( carry x + gate out( f( in(x) depth_scale ) ) ) */
static int sublayer(Stack *b, Sub sub, int x) {
    const Variant *v = &b->here;
    const char *family = subs[sub].family, *before = subs[sub].norm;
    char stem[24];

    b->sub = sub, b->here = variant_at(b->v, sub, b->layer - b->first_layer, b->s->layers);
    Site site = sub == SUB_MLP ? v->mlp : v->attn;
    Attr attr = {.alpha = rule_value(v->depth_scale, place(b))};
    int f = norm_in_strength(b, site.in, v->in_strength, streams_read(b, x, family), before);
    if (attr.alpha != 1) f = tape_op1(b->t, OP_scale, f, attr, b->layer, stack_name(b, "%s.depth_scale", family));
    f = sub == SUB_MLP ? mlp(b, site, f) : attention(b, site, f);
    b->sublayers++;
    snprintf(stem, sizeof stem, "%s.dropout", family);
    f = dropout(b, f, stem);
    snprintf(stem, sizeof stem, "%s_out", before);
    f = norm_in_strength(b, site.out, v->out_strength, f, stem);
    if (sub != SUB_CROSS) tape_mark(b->t, sub == SUB_ATTN ? SITE_attn_added : SITE_mlp_added, b->layer, f);
    if (!streams_sum(b)) {
        snprintf(stem, sizeof stem, "%s.gate", family);
        return streams_write(b, x, scaled(b, v->gate, f, b->s->width, stem), family);
    }
    x = add(b, x, f, family);
    snprintf(stem, sizeof stem, "%s_post", before);
    return norm_in_strength(b, site.post, v->post_strength, x, stem);
}

/* What enters a block: x <- block_carry x + x0 x_0. */
static int enter(Stack *b, int x) {
    const Variant *v = &b->here;
    Attr attr = {0};
    if (rule_is(v->x0, 0)) return scaled(b, v->block_carry, x, b->s->width, "block_carry");
    x = ruled(b, v->block_carry, x, b->s->width, &attr.alpha, "block_carry");
    int first = ruled(b, v->x0, b->x0, b->s->width, &attr.beta, "x0");
    return tape_op2(b->t, OP_residual, x, first, attr, b->layer, stack_name(b, "entered"));
}

/* What leaves it: x <- x - silu(g) stop_gradient(x). */
static int leave(Stack *b, int x) {
    Rule shrink = b->here.shrink;
    Attr attr = {.alpha = rule_value(shrink, place(b))};
    if (rule_is(shrink, 0)) return x;
    if (rule_learns(shrink.kind) == LEARNS_fixed)
        return tape_op1(b->t, OP_damp, x, attr, b->layer, stack_name(b, "shrunk"));
    int g = learned(b, shrink, 1, "shrink");
    return tape_op2(b->t, OP_damp, x, g, (Attr){0}, b->layer, stack_name(b, "shrunk"));
}

/* Whether the first batch initializes some carry. */
static bool data_init(const Variant *v) {
    static const char *const carries[] = {"carry", "attn.carry", "mlp.carry"};
    Rule rule[VARIANT_RULES_MAX];
    for (int i = 0; i < 3; i++)
        for (int n = variant_rules(v, carries[i], rule); n--;)
            if (rule_learns(rule[n].kind) == LEARNS_profiled) return true;
    return false;
}

void stack_init(Stack *b, Tape *t, const ModelShape *s, const Variant *v, const char *prefix) {
    *b = (Stack){.t = t, .s = s, .v = v, .prefix = prefix, .first_layer = t->layers, .layer = -1};
    b->wte = b->positions = b->keys = b->memory = b->memory_keys = -1;
    b->data_init = data_init(v);
    t->layers += s->layers;
}

static int token_table(Stack *b) {
    const ModelShape *s = b->s;
    if (b->wte >= 0) return b->wte;
    int table = tape_param(b->t, s->vocab, s->width, INIT_TOKEN, 0, -1, stack_name(b, "wte.weight"));
    return b->wte = start(b, table, MAKES_other);
}

static int position_table(Stack *b) {
    const ModelShape *s = b->s;
    int table = tape_param(b->t, s->context, s->width, INIT_POSITION, 0, -1, stack_name(b, "wpe.weight"));
    return start(b, table, MAKES_other);
}

/* A row's place in its sequence is its place in the batch. */
static int embedded(Stack *b, int tokens) {
    bool learned = b->s->positions == POSITIONS_LEARNED;
    int in[3] = {tokens, token_table(b), -1};
    if (learned) in[2] = position_table(b);
    int x = tape_op(b->t, OP_embed, in, learned ? 3 : 2, (Attr){.seq = b->s->context}, -1, stack_name(b, "embed"));
    return scaled(b, b->v->embed_scale, x, b->s->width, "embed.scale");
}

/* Rows are packed: a feed says where each stands. Sinusoids of length 1 are not scaled with the tokens. */
static int embedded_at(Stack *b, int tokens) {
    const ModelShape *s = b->s;
    int table = token_table(b), x = tape_op2(b->t, OP_embed, tokens, table, (Attr){0}, -1, stack_name(b, "embed"));
    if (s->positions == POSITIONS_LEARNED) {
        table = position_table(b);
        int at = tape_op2(b->t, OP_embed, b->positions, table, (Attr){0}, -1, stack_name(b, "embed.at"));
        x = tape_op2(b->t, OP_residual, x, at, (Attr){.alpha = 1, .beta = 1}, -1, stack_name(b, "embed.sum"));
    }
    x = scaled(b, b->v->embed_scale, x, s->width, "embed.scale");
    if (s->positions != POSITIONS_SINUSOIDAL) return x;
    return tape_op2(b->t, OP_sinusoid, x, b->positions, (Attr){0}, -1, stack_name(b, "embed.waves"));
}

int stack_embedding(Stack *b, int tokens) {
    int x = b->positions < 0 ? embedded(b, tokens) : embedded_at(b, tokens);
    x = norm(b, b->v->embed, x, "ln_emb");
    x = dropout(b, x, "drop");
    tape_mark(b->t, SITE_entering, -1, x);
    return x;
}

int stack_blocks(Stack *b, int x) {
    x = streams_begin(b, x);
    for (b->layer = b->first_layer; b->layer < b->first_layer + b->s->layers; b->layer++) {
        b->here = variant_at(b->v, SUB_ATTN, b->layer - b->first_layer, b->s->layers);
        b->block_in = x = enter(b, x);
        x = sublayer(b, SUB_ATTN, x);
        if (b->kind == STACK_DECODER) x = sublayer(b, SUB_CROSS, x);
        x = leave(b, sublayer(b, SUB_MLP, x));
        tape_mark(b->t, SITE_output, b->layer, x);
        tape_mark(b->t, SITE_stream_gradient, b->layer, x);
    }
    b->layer = -1;
    return streams_head(b, x);
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
        start(b, head, MAKES_other);
    }
    t->head = t->ops;
    t->logits = logits(b, x, head);
    t->nll = tape_op2(t, OP_xent, t->logits, targets, (Attr){0}, -1, "nll");
    t->loss = tape_op1(t, OP_mean, t->nll, (Attr){0}, -1, "loss");
}

static void build_pairs(Tape *t, const ModelShape *s, const Variant *v) {
    Stack src, dst;
    int rows = s->batch * s->context;
    PairFeeds f = {tape_feed(t, rows, "tokens"),          tape_feed(t, rows, "targets"),
                   tape_feed(t, rows, "positions"),       tape_feed(t, 2 * rows, "keys"),
                   tape_feed(t, rows, "source"),          tape_feed(t, rows, "source_positions"),
                   tape_feed(t, 2 * rows, "source_keys"), tape_feed(t, 2 * rows, "memory_keys")};
    stack_init(&src, t, s, v, "src."), stack_init(&dst, t, s, v, "");
    src.kind = STACK_ENCODER, src.positions = f.source_positions, src.keys = f.source_keys;
    dst.kind = STACK_DECODER, dst.positions = f.positions, dst.keys = f.keys, dst.memory_keys = f.memory_keys;
    if (s->shared) src.wte = token_table(&dst);
    dst.memory = stack_blocks(&src, stack_embedding(&src, f.source));
    stack_head(&dst, stack_blocks(&dst, stack_embedding(&dst, f.tokens)), f.targets);
}

static void build_alone(Tape *t, const ModelShape *s, const Variant *v) {
    Stack b;
    int rows = s->batch * s->context, tokens = tape_feed(t, rows, "tokens"), targets = tape_feed(t, rows, "targets");
    stack_init(&b, t, s, v, "");
    stack_head(&b, stack_blocks(&b, stack_embedding(&b, tokens)), targets);
}

void transformer_build(Tape *t, const ModelShape *s, const Variant *v, const ProbeChoice *probes) {
    ProbeChoice usual = probes_usual();
    ModelShape one = *s;
    tape_init(t);
    t->passes = s->passes > 1 ? s->passes : 1;
    t->recompute = s->recompute;
    one.batch /= t->passes;
    (s->pairs ? build_pairs : build_alone)(t, &one, v);
    if (s->head_rows < t->tensor[t->nll].rows) /* a piece is of one block */
        t->head_rows = s->head_rows < CANON_BLOCK ? s->head_rows : CANON_BLOCK;
    assert(!t->head_rows || tape_can_cut(t));
    tape_probe(t, probes ? probes : &usual);
}

bool shape_equal(const ModelShape *a, const ModelShape *b) {
    return a->layers == b->layers && a->width == b->width && a->heads == b->heads && a->context == b->context &&
           a->vocab == b->vocab && a->batch == b->batch && a->ffn_mult == b->ffn_mult &&
           a->activation == b->activation && a->positions == b->positions && a->bias == b->bias && a->tied == b->tied &&
           a->dropout == b->dropout && a->full == b->full && a->pairs == b->pairs && a->shared == b->shared &&
           a->norm_eps == b->norm_eps;
}

int shape_blocks(const ModelShape *s) {
    return s->pairs ? 2 * s->layers : s->layers;
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
    if (s->pairs && s->positions == POSITIONS_ROPE)
        return error_set(e, RC_USAGE,
                         "positions: rope is not possible in an encoder-decoder, whose sentences stand "
                         "packed; learned, sinusoidal or none");
    if (!s->pairs && s->positions == POSITIONS_SINUSOIDAL)
        return error_set(e, RC_USAGE,
                         "positions: sinusoidal is of encoder-decoders (objective: translate); learned, "
                         "rope or none");
    if (4.0 * s->width * s->ffn_mult >= 0x1p31)
        return error_set(e, RC_USAGE, "width: %d with ffn_mult %d makes rows of 2^31 numbers or more", s->width,
                         s->ffn_mult);
    if ((double)s->batch * s->context * s->heads >= 0x1p31)
        return error_set(e, RC_USAGE, "heads: %d of %d x %d tokens make 2^31 rows or more", s->heads, s->batch,
                         s->context);
    if ((double)s->batch * s->context > 1 << 24)
        return error_set(e, RC_USAGE, "batch: %d x context %d is more than 16,777,216 tokens a step", s->batch,
                         s->context);
    return RC_OK;
}

Rc shape_check(const ModelShape *s, bool device, Error *e) {
    if (shape_keys(s, e)) return e->code;
    double rows = (double)s->batch * s->context, mlp = expanded(s), qkv = 3.0 * s->width;
    double widest = mlp > qkv ? mlp : qkv, held = s->head_rows && s->head_rows < rows ? s->head_rows : rows;
    double most = rows * widest;
    if (held * s->vocab > most) most = held * s->vocab;
    if ((double)s->vocab * s->width > most) most = (double)s->vocab * s->width;
    if (mlp * s->width > most) most = mlp * s->width;
    if (device && most >= 0x1p31)
        return error_set(
            e, RC_USAGE,
            "batch: %d x context %d, width %d and vocabulary %d make a tensor of %.0f numbers; "
            "a device's kernels count fewer than 2^31 (--memory micro-batch=N makes it smaller; of logits, "
            "--memory logit-rows=N)",
            s->batch, s->context, s->width, s->vocab, most);
    return RC_OK;
}
