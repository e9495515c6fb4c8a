#include "models/decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "models/program.h"

/* What an op depends on, and so when it is run. */
typedef enum { AFTER_nothing, AFTER_source, AFTER_tokens } After;

/* Keys or values that an attention of the decoder reads. */
typedef struct {
    int tensor;
    size_t row;                 /* bytes */
    unsigned char *now, *next;  /* rows of the source, or of all sentences so far; next: of the pass that comes */
} Kept;

/* An attention of the decoder: over the source, or over the sentence itself. */
typedef struct {
    int op;
    bool source;
    Kept kept[2]; /* keys, values */
} Reader;

struct Decode {
    Program *p;
    int replica, rows; /* rows: of a batch */
    int sources;       /* rows of the sources that are read */
    After *after;      /* [ops] */
    bool *wanted;      /* [ops] the logits depend on it */
    Reader *reader;
    int readers;
    int *first, *next_first; /* [rows + 1] where the rows of each sentence so far begin */
    size_t room;             /* rows that Kept of a sentence hold */
    Arena scratch;           /* for attention over more keys than the program has planned for */
};

static After after_input(const Tape *t, const After *made, int tensor) {
    static const char *const of_source[] = {"source", "source_positions", "source_keys"};
    if (t->tensor[tensor].role == ROLE_PARAM) return AFTER_nothing;
    if (t->tensor[tensor].role == ROLE_ACT) return made[tensor];
    for (size_t i = 0; i < sizeof of_source / sizeof *of_source; i++)
        if (tensor == tape_fed(t, of_source[i])) return AFTER_source;
    return AFTER_tokens;
}

static void sort_ops(Decode *d) {
    const Tape *t = d->p->tape;
    After *made = mem_alloc((size_t)t->tensors, sizeof *made);
    bool *wanted = mem_alloc((size_t)t->tensors, sizeof *wanted);
    for (int i = 0; i < t->ops; i++) {
        const Op *op = &t->op[i];
        for (int j = 0; j < op->in_count; j++) {
            After a = after_input(t, made, t->input[op->in_at + j]);
            if (a > d->after[i]) d->after[i] = a;
        }
        made[op->out] = d->after[i];
    }
    wanted[t->logits] = true;
    for (int i = t->ops - 1; i >= 0; i--) {
        d->wanted[i] = wanted[t->op[i].out];
        for (int j = 0; j < t->op[i].in_count && d->wanted[i]; j++) wanted[t->input[t->op[i].in_at + j]] = true;
    }
    free(made);
    free(wanted);
}

static Kept kept_of(const Decode *d, int tensor) {
    const Program *p = d->p;
    return (Kept){.tensor = tensor, .row = (size_t)p->tape->tensor[tensor].cols * p->backend->word[ROLE_ACT]};
}

static void find_readers(Decode *d) {
    const Tape *t = d->p->tape;
    for (int i = 0; i < t->ops; i++) {
        const Op *op = &t->op[i];
        const int *in = t->input + op->in_at;
        if (op->kind != OP_attend || d->after[i] != AFTER_tokens) continue;
        Reader *r = &d->reader[d->readers++];
        *r = (Reader){.op = i, .source = in[3] == tape_fed(t, "memory_keys")};
        for (int k = 0; k < 2; k++) {
            r->kept[k] = kept_of(d, in[1 + k]);
            if (r->source) r->kept[k].now = mem_alloc((size_t)d->rows, r->kept[k].row);
        }
    }
}

Decode *decode_new(Program *p, int replica) {
    Decode *d = mem_alloc(1, sizeof *d);
    size_t ops = (size_t)p->tape->ops;
    assert(!p->queue && tape_fed(p->tape, "source") >= 0);
    *d = (Decode){.p = p, .replica = replica, .rows = p->tape->tensor[p->tape->logits].rows};
    d->after = mem_alloc(ops, sizeof *d->after), d->wanted = mem_alloc(ops, sizeof *d->wanted);
    d->reader = mem_alloc(ops, sizeof *d->reader);
    d->first = mem_alloc((size_t)d->rows + 1, sizeof *d->first);
    d->next_first = mem_alloc((size_t)d->rows + 1, sizeof *d->next_first);
    sort_ops(d);
    find_readers(d);
    return d;
}

void decode_free(Decode *d) {
    if (!d) return;
    for (int i = 0; i < d->readers; i++)
        for (int k = 0; k < 2; k++) free(d->reader[i].kept[k].now), free(d->reader[i].kept[k].next);
    free(d->after);
    free(d->wanted);
    free(d->reader);
    free(d->first);
    free(d->next_first);
    arena_release(&d->scratch);
    free(d);
}

static View one_replica(View v, int replica) {
    if (v.at) v.at = (unsigned char *)v.at + (size_t)replica * v.stride;
    return v;
}

/* Op i over the first rows of a batch. */
static Call call_of(const Decode *d, int i, int rows) {
    const Tape *t = d->p->tape;
    Call c = d->p->call[i];
    assert(c.out.rows == d->rows && "an op makes a row of each");
    c.replicas = 1;
    c.scalars += d->replica;
    for (int j = 0; j < c.in_count; j++) {
        c.in[j] = one_replica(c.in[j], d->replica);
        if (t->tensor[t->input[t->op[i].in_at + j]].role != ROLE_PARAM) c.in[j].rows = c.in[j].rows / d->rows * rows;
    }
    c.out = one_replica(c.out, d->replica), c.save = one_replica(c.save, d->replica);
    c.out.rows = rows, c.save.rows = c.save.rows / d->rows * rows;
    return c;
}

/* What the source's rows are to the decoder, once they are made. */
static void keep_source(Decode *d, int tensor) {
    for (int i = 0; i < d->readers; i++)
        for (int k = 0; k < 2; k++) {
            Kept *kept = &d->reader[i].kept[k];
            if (d->reader[i].source && kept->tensor == tensor)
                memcpy(kept->now, program_at(d->p, ROLE_ACT, tensor, d->replica), (size_t)d->sources * kept->row);
        }
}

void decode_read(Decode *d, int rows) {
    Program *p = d->p;
    assert(rows > 0 && rows <= d->rows);
    d->sources = rows;
    program_round_weights(p);
    d->first[0] = 0;
    for (int i = 0; i < p->tape->ops && !program_cancelled(p); i++) {
        if (!d->wanted[i] || d->after[i] == AFTER_tokens) continue;
        Call c = call_of(d, i, rows);
        program_run(p, &c, false, p->scratch_stride);
        program_round_op(p, i, false);
        keep_source(d, p->tape->op[i].out);
    }
}

/* Keys and values of earlier tokens to where this pass has them: before each sentence's new row. */
static void carry(Decode *d, const int *parent, int rows) {
    size_t needed;
    d->next_first[0] = 0;
    for (int i = 0; i < rows; i++) {
        int before = parent[i] < 0 ? 0 : d->first[parent[i] + 1] - d->first[parent[i]];
        d->next_first[i + 1] = d->next_first[i] + before + 1;
    }
    needed = (size_t)d->next_first[rows];
    bool grows = needed > d->room;
    if (grows) d->room = needed + needed / 2;
    for (int r = 0; r < d->readers; r++)
        for (int k = 0; k < 2 && !d->reader[r].source; k++) {
            Kept *kept = &d->reader[r].kept[k];
            if (grows) free(kept->next), kept->next = mem_alloc(d->room, kept->row);
            for (int i = 0; i < rows; i++) {
                size_t before = (size_t)(d->next_first[i + 1] - d->next_first[i] - 1);
                if (before)
                    memcpy(kept->next + (size_t)d->next_first[i] * kept->row,
                           kept->now + (size_t)d->first[parent[i]] * kept->row, before * kept->row);
            }
            unsigned char *old = kept->now;
            kept->now = kept->next, kept->next = old;
            if (grows) free(kept->next), kept->next = mem_alloc(d->room, kept->row);
        }
    int *old = d->first;
    d->first = d->next_first, d->next_first = old;
    int32_t *keys = program_ids(d->p, tape_fed(d->p->tape, "keys"), d->replica);
    for (int i = 0; i < rows; i++) keys[2 * i] = d->first[i], keys[2 * i + 1] = d->first[i + 1];
}

/* An attention reads what is kept, the new rows among it. */
static size_t attend(Decode *d, Call *c, const Reader *r, int rows) {
    for (int k = 0; k < 2; k++) {
        const Kept *kept = &r->kept[k];
        const unsigned char *made = c->in[1 + k].at;
        for (int i = 0; i < rows && !r->source; i++)
            memcpy(kept->now + (size_t)(d->first[i + 1] - 1) * kept->row, made + (size_t)i * kept->row, kept->row);
        c->in[1 + k].at = kept->now, c->in[1 + k].rows = r->source ? d->sources : d->first[rows];
    }
    const Kernel *kernel = d->p->backend->kernel[OP_attend];
    size_t bytes = align_up(kernel->scratch(c));
    int threads = d->p->team ? d->p->team->size : 1;
    if (bytes <= d->p->scratch_stride) return d->p->scratch_stride;
    if (bytes * (size_t)threads > d->scratch.bytes) {
        Error e;
        arena_release(&d->scratch);
        /* No room for it: as mem_alloc says it. */
        if (arena_init(&d->scratch, 2 * bytes * (size_t)threads, &e)) mem_end(2 * bytes * (size_t)threads);
    }
    c->scratch = d->scratch.at;
    return bytes;
}

void decode_next(Decode *d, const int *parent, int rows) {
    Program *p = d->p;
    const Reader *r = d->reader;
    assert(rows > 0 && rows <= d->rows);
    carry(d, parent, rows);
    for (int i = 0; i < p->tape->ops && !program_cancelled(p); i++) {
        if (!d->wanted[i] || d->after[i] == AFTER_source) continue;
        Call c = call_of(d, i, rows);
        size_t stride = p->scratch_stride;
        if (c.kind == OP_attend) stride = attend(d, &c, r++, rows);
        program_run(p, &c, false, stride);
        program_round_op(p, i, false);
    }
}
