#include "models/streams.h"

#include <stdio.h>

#include "models/norm.h"

/* What a kind of streams does; NULL: as the stream x alone does. */
typedef struct {
    int (*begin)(Stack *b, int x);                                 /* what the first sublayer finds; x: [rows][width] */
    int (*read)(Stack *b, int x, const char *family);              /* what a sublayer reads of x: [rows][width] */
    int (*write)(Stack *b, int x, int f, const char *family);      /* x behind a sublayer that ends in no sum */
    int (*added)(Stack *b, int sum, Branch f, const char *family); /* x behind one that does */
    int (*head)(Stack *b, int x);                                  /* what the head reads */
} Streams;

/* what, here and below: the name in the block, which stack_name completes. */
static int append(Stack *b, int x, int f, const char *what) {
    return tape_op2(b->t, OP_append, x, f, (Attr){0}, b->layer, stack_name(b, "%s", what));
}

static int sum(Stack *b, int x, int f, double by, const char *what) {
    return tape_op2(b->t, OP_residual, x, f, (Attr){.alpha = 1, .beta = by}, b->layer, stack_name(b, "%s", what));
}

/* The norm before the head, of something. */
static int final_norm(Stack *b, int x, const char *stem) {
    return norm_build(b->t, b->v->final, x, b->s->norm_eps, b->layer, stack_name(b, "%s", stem));
}

/* ---- one: x alone; skip: the block's input once more */

static const Streams of_one = {NULL, NULL, NULL, NULL, NULL};

static int skip_added(Stack *b, int x, Branch f, const char *family) {
    (void)f, (void)family;
    return b->sub == SUB_MLP ? sum(b, x, b->block_in, 1, "mlp.skip") : x;
}

static const Streams of_skip = {.added = skip_added};

/* ---- dual: r takes every branch */

static int dual_begin(Stack *b, int x) {
    Attr attr = {.alpha = b->v->streams.value};
    b->second = attr.alpha == 1 ? x : tape_op1(b->t, OP_scale, x, attr, -1, stack_name(b, "second"));
    return x;
}

static int dual_added(Stack *b, int x, Branch f, const char *family) {
    char what[24];
    snprintf(what, sizeof what, "%s.second", family);
    b->second = sum(b, b->second, f.gated, f.factor * b->v->streams.value, what);
    return x;
}

static int dual_head(Stack *b, int x) {
    int second = final_norm(b, b->second, "ln_f");
    return sum(b, x, second, 1, "both");
}

static const Streams of_dual = {.begin = dual_begin, .added = dual_added, .head = dual_head};

/* ---- siamese: a sublayer reads x + N(r), and r takes the branch as it is */

static int siamese_begin(Stack *b, int x) {
    b->second = x;
    return final_norm(b, x, "ln_first");
}

static int siamese_read(Stack *b, int x, const char *family) {
    char what[24];
    snprintf(what, sizeof what, "%s.ln_second", family);
    int second = final_norm(b, b->second, what);
    snprintf(what, sizeof what, "%s.both", family);
    return sum(b, x, second, 1, what);
}

static int siamese_added(Stack *b, int x, Branch f, const char *family) {
    char what[24];
    snprintf(what, sizeof what, "%s.second", family);
    b->second = sum(b, b->second, f.plain, 1, what);
    return x;
}

static int siamese_head(Stack *b, int x) {
    int second = final_norm(b, b->second, "ln_second");
    return final_norm(b, sum(b, x, second, 1, "both"), "ln_f");
}

static const Streams of_siamese = {siamese_begin, siamese_read, NULL, siamese_added, siamese_head};

/* ---- hyper: streams side by side in one tensor, mixed by learned matrices */

/* So many copies of x, one behind the other. */
static int copies(Stack *b, int x) {
    int all = x;
    for (int n = 1; n < (int)b->v->streams.value; n++) {
        char what[24];
        snprintf(what, sizeof what, "streams.%d", n);
        all = append(b, all, x, what);
    }
    return all;
}

/* A learned mix of x's streams, `rows` of them. */
static int mixed(Stack *b, int x, int rows, InitKind init, double value, const char *what) {
    int n = b->t->tensor[x].cols / b->s->width;
    int m = tape_param(b->t, 1, rows * n, init, value, b->layer, stack_name(b, "%s", what));
    Attr attr = {.group = b->s->width};
    return tape_op2(b->t, OP_streams, x, m, attr, b->layer, stack_name(b, "%s.mixed", what));
}

static int hyper_read(Stack *b, int x, const char *family) {
    char what[24];
    snprintf(what, sizeof what, "%s.streams_in", family);
    return mixed(b, x, 1, INIT_ONE_HOT, b->sublayers % (int)b->v->streams.value, what);
}

static int hyper_write(Stack *b, int x, int f, const char *family) {
    char what[24];
    snprintf(what, sizeof what, "%s.streams", family);
    x = append(b, x, f, what);
    snprintf(what, sizeof what, "%s.streams_out", family);
    return mixed(b, x, (int)b->v->streams.value, INIT_MIX, b->v->streams.value, what);
}

static int hyper_head(Stack *b, int x) {
    return final_norm(b, mixed(b, x, 1, INIT_VALUE, 1, "streams_end"), "ln_f");
}

static const Streams of_hyper = {copies, hyper_read, hyper_write, NULL, hyper_head};

/* ---- mhc: the matrices are made of the streams, anew for every token */

/* a W v + b of every token, v the streams' norm: `cols` numbers. */
static int asked(Stack *b, int cols, InitKind init, double value, const char *family, const char *what) {
    Tape *t = b->t;
    char stem[24];
    snprintf(stem, sizeof stem, "%s.%s", family, what);
    int weight =
        tape_param(t, cols, t->tensor[b->seen].cols, INIT_MATRIX, 0, b->layer, stack_name(b, "%s.weight", stem));
    int scale = tape_param(t, 1, 1, INIT_VALUE, 0.01, b->layer, stack_name(b, "%s.scale", stem));
    int bias = tape_param(t, 1, cols, init, value, b->layer, stack_name(b, "%s.bias", stem));
    int x = tape_op2(t, OP_linear, b->seen, weight, (Attr){0}, b->layer, stack_name(b, "%s", stem));
    x = tape_op2(t, OP_gate, x, scale, (Attr){0}, b->layer, stack_name(b, "%s.scaled", stem));
    return tape_op2(t, OP_shift, x, bias, (Attr){0}, b->layer, stack_name(b, "%s.shifted", stem));
}

static int mix(Stack *b, int x, int matrix, const char *family, const char *what) {
    return tape_op2(b->t, OP_mix, x, matrix, (Attr){.group = b->s->width}, b->layer,
                    stack_name(b, "%s.%s", family, what));
}

static int mhc_read(Stack *b, int x, const char *family) {
    int n = (int)b->v->streams.value;
    b->seen = norm_build(b->t, NORM_rmsnorm, x, b->s->norm_eps, b->layer, stack_name(b, "%s.streams_norm", family));
    int in = asked(b, n, INIT_VALUE, 0, family, "streams_in");
    in = tape_op1(b->t, OP_sigmoid, in, (Attr){.alpha = 1}, b->layer, stack_name(b, "%s.streams_in.share", family));
    return mix(b, x, in, family, "streams_read");
}

static int mhc_write(Stack *b, int x, int f, const char *family) {
    int n = (int)b->v->streams.value;
    int kept = asked(b, n * n, INIT_DIAGONAL, -8, family, "streams_kept");
    kept =
        tape_op1(b->t, OP_sinkhorn, kept, (Attr){.group = n}, b->layer, stack_name(b, "%s.streams_kept.share", family));
    int out = asked(b, n, INIT_VALUE, 0, family, "streams_out");
    out = tape_op1(b->t, OP_sigmoid, out, (Attr){.alpha = 2}, b->layer, stack_name(b, "%s.streams_out.share", family));
    kept = mix(b, x, kept, family, "streams_mixed");
    char what[24];
    snprintf(what, sizeof what, "%s.streams", family);
    return sum(b, kept, mix(b, f, out, family, "streams_added"), 1, what);
}

static const Streams of_mhc = {copies, mhc_read, mhc_write, NULL, hyper_head};

/* ---- attnres: all that the sublayers have put out, or sums of groups of it */

/* The average of x's streams that a learned row chooses. */
static int chosen(Stack *b, int x, const char *what) {
    int w = tape_param(b->t, 1, b->s->width, INIT_VALUE, 0, b->layer, stack_name(b, "%s", what));
    Attr attr = {.group = b->s->width, .eps = b->s->norm_eps};
    return tape_op2(b->t, OP_attnres, x, w, attr, b->layer, stack_name(b, "%s.read", what));
}

static int attnres_read(Stack *b, int x, const char *family) {
    char what[24];
    if (b->group_sum >= 0) {
        snprintf(what, sizeof what, "%s.sources", family);
        x = append(b, x, b->group_sum, what);
    }
    snprintf(what, sizeof what, "%s.depth_query", family);
    return chosen(b, x, what);
}

/* size: sublayers whose outputs make one source. */
static int write_group(Stack *b, int x, int f, int size, const char *family) {
    char what[24];
    snprintf(what, sizeof what, "%s.group", family);
    b->group_sum = b->group_sum < 0 ? f : sum(b, b->group_sum, f, 1, what);
    if (++b->in_group < size) return x;
    snprintf(what, sizeof what, "%s.outputs", family);
    x = append(b, x, b->group_sum, what);
    b->group_sum = -1, b->in_group = 0;
    return x;
}

static int attnres_write(Stack *b, int x, int f, const char *family) {
    return write_group(b, x, f, 1, family);
}

static int block_write(Stack *b, int x, int f, const char *family) {
    int sublayers = stack_sublayers(b->kind) * b->s->layers, groups = (int)b->v->streams.value;
    return write_group(b, x, f, (sublayers + groups - 1) / groups, family);
}

static int attnres_head(Stack *b, int x) {
    if (b->group_sum >= 0) x = append(b, x, b->group_sum, "outputs");
    return final_norm(b, chosen(b, x, "depth_query"), "ln_f");
}

static const Streams of_attnres = {NULL, attnres_read, attnres_write, NULL, attnres_head};
static const Streams of_attnres_block = {NULL, attnres_read, block_write, NULL, attnres_head};

/* ---- */

/* A kind that choices.def names and this file does not know is no program. */
#define OF_streams(name) [CHOICE_streams_##name] = &of_##name,
#define OF_qk_over(name)
#define OF_init(name)
#define OF_after_step(name)
static const Streams *const kinds[CHOICE_COUNT] = {
#define CHOICE(column, name, ...) OF_##column(name)
#include "models/choices.def"
#undef CHOICE
};

static const Streams *kind(const Stack *b) {
    return kinds[b->v->streams.kind];
}

bool streams_sum(const Stack *b) {
    return variant_sums(b->v);
}

int streams_begin(Stack *b, int x) {
    b->x0 = b->second = x;
    b->group_sum = -1, b->in_group = 0;
    return kind(b)->begin ? kind(b)->begin(b, x) : x;
}

int streams_read(Stack *b, int x, const char *family) {
    return kind(b)->read ? kind(b)->read(b, x, family) : x;
}

int streams_write(Stack *b, int x, int f, const char *family) {
    return kind(b)->write(b, x, f, family);
}

int streams_added(Stack *b, int x, Branch f, const char *family) {
    return kind(b)->added ? kind(b)->added(b, x, f, family) : x;
}

int streams_head(Stack *b, int x) {
    return kind(b)->head ? kind(b)->head(b, x) : final_norm(b, x, "ln_f");
}
