#include "datasets/pairs.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"
#include "datasets/unigram.h"

/* Batches of one epoch: batch b is order[start[b] .. start[b + 1] - 1]. */
typedef struct {
    uint64_t seed, epoch, first; /* first: step of batch 0 */
    Packing how;
    uint32_t *order;
    size_t *start, batches;
} Epoch;

enum { KEPT = 32 /* epochs, one for each seed */ };

struct Pairs {
    Pair *pair[2];
    size_t count[2];
    int32_t end;
    pthread_mutex_t lock; /* guards the members below */
    Epoch kept[KEPT];
    int next;
};

/* Find the start of each line of tokens [at, to); the last of `lines` may have no end. */
static size_t *line_starts(const Dataset *d, size_t at, size_t to, size_t lines, int32_t end) {
    size_t *start = mem_alloc(lines + 1, sizeof *start), n = 0;
    start[n++] = at;
    for (; at < to; at++)
        if (d->tokens[at] == end && n <= lines) start[n++] = at + 1;
    assert(n == lines + 1);
    return start;
}

static bool equal(const Dataset *d, const Pair *p) {
    return p->source_length == p->target_length &&
           !memcmp(d->tokens + p->source, d->tokens + p->target, (size_t)p->source_length * sizeof *d->tokens);
}

static void find_part(Dataset *d, int part, size_t at, size_t to, size_t lines, size_t *empty, size_t *alike) {
    Pairs *p = d->pairs;
    OWNED size_t *start = line_starts(d, at, to, 2 * lines, p->end);
    p->pair[part] = mem_alloc(lines, sizeof **p->pair);
    for (size_t i = 0; i < lines; i++) {
        const size_t *source = start + i, *target = start + lines + i;
        Pair pair = {source[0], target[0], (int)(source[1] - source[0]) - 1, (int)(target[1] - target[0]) - 1};
        bool whole = pair.source_length > 0 && pair.target_length > 0;
        *empty += !whole;
        if (!whole) continue;
        *alike += equal(d, &pair);
        p->pair[part][p->count[part]++] = pair;
    }
}

static void count_targets(Dataset *d) {
    UnigramCounts c;
    unigram_init(&c, d->vocab);
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < d->pairs->count[part]; i++) {
            const Pair *pair = &d->pairs->pair[part][i];
            unigram_add(part ? c.valid : c.train, d->tokens + pair->target, (size_t)pair->target_length + 1);
        }
    unigram_levels(&c, &d->unigram_train, &d->unigram);
    unigram_release(&c);
}

Rc pairs_find(Dataset *d, const size_t lines[2], Error *e) {
    size_t empty = 0, alike = 0, count;
    Pairs *p = d->pairs = mem_alloc(1, sizeof *p);
    *p = (Pairs){0};
    pthread_mutex_init(&p->lock, NULL);
    if (tokenizer_encode(&d->codec, (const uint8_t *)"\n", 1, &p->end, &count, e)) return e->code;
    assert(count == 1);
    find_part(d, 0, 0, d->train, lines[0], &empty, &alike);
    find_part(d, 1, d->train, d->train + d->valid, lines[1], &empty, &alike);
    if (!p->count[0] || !p->count[1])
        return error_set(e, RC_USAGE, "%s: no pair of lines that are not empty to %s on", d->name,
                         p->count[0] ? "validate" : "train");
    if (empty + alike && !*d->note)
        snprintf(d->note, sizeof d->note,
                 "%zu pairs with an empty line are left out; of %zu pairs both lines are the same, which stay", empty,
                 alike);
    count_targets(d);
    return RC_OK;
}

static void release(Epoch *x) {
    free(x->order);
    free(x->start);
    *x = (Epoch){0};
}

void pairs_free(Pairs *p) {
    if (!p) return;
    for (int i = 0; i < KEPT; i++) release(&p->kept[i]);
    pthread_mutex_destroy(&p->lock);
    free(p->pair[0]);
    free(p->pair[1]);
    free(p);
}

const Pair *pairs_of(const Dataset *d, int part, size_t *count) {
    *count = d->pairs->count[part];
    return d->pairs->pair[part];
}

int32_t pairs_end(const Dataset *d) {
    return d->pairs->end;
}

static bool fits(const Pair *p, const Packing *how) {
    return how->cut || (p->source_length < how->context && p->target_length < how->context);
}

static int rows_of(int length, const Packing *how) {
    return length < how->context ? length + 1 : how->context;
}

size_t pairs_long(const Dataset *d, int part, const Packing *how, size_t *tokens) {
    const Packing strict = {how->batch, how->context, false};
    size_t n = 0;
    *tokens = 0;
    for (size_t i = 0; i < d->pairs->count[part]; i++) {
        const Pair *p = &d->pairs->pair[part][i];
        if (fits(p, &strict)) continue;
        n++, *tokens += (size_t)p->target_length + 1;
    }
    return n;
}

Rc pairs_fit(const Dataset *d, const Packing *how, Error *e) {
    static const char *const parts[] = {"training", "validation"};
    for (int part = 0; part < 2; part++) {
        size_t tokens, most = d->pairs->count[part];
        if (how->cut || pairs_long(d, part, how, &tokens) < most) continue;
        return error_set(e, RC_USAGE,
                         "%s: every one of the %zu %s pairs has a sentence of more than context - 1 = %d tokens",
                         d->name, most, parts[part], how->context - 1);
    }
    return RC_OK;
}

/* Cut pairs, in an order (NULL: the corpus'), into batches; start has room for count + 1. */
static size_t cut_batches(const Pairs *p, int part, const uint32_t *order, size_t count, const Packing *how,
                          size_t *start) {
    size_t batches = 0;
    int rows = how->batch * how->context, sources = 0, targets = 0;
    for (size_t i = 0; i < count; i++) {
        const Pair *pair = &p->pair[part][order ? order[i] : i];
        int source = rows_of(pair->source_length, how), target = rows_of(pair->target_length, how);
        if (!fits(pair, how)) source = target = 0;
        bool full = sources + source > rows || targets + target > rows;
        if (full || !batches) start[batches++] = i, sources = targets = 0;
        sources += source, targets += target;
    }
    start[batches] = count;
    return batches;
}

typedef struct {
    uint32_t word, pair;
} Drawn;

static int by_slug(const void *a, const void *b) {
    const Drawn *x = a, *y = b;
    if (x->word != y->word) return x->word < y->word ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Fill an epoch's order: pairs that fit, sorted by words drawn for them. */
static void shuffle(const Pairs *p, Epoch *x) {
    size_t n = 0, count = p->count[0];
    OWNED Drawn *drawn = mem_alloc(count, sizeof *drawn);
    for (size_t i = 0; i < count; i++)
        if (fits(&p->pair[0][i], &x->how))
            drawn[n++] = (Drawn){philox_word(x->seed, name_stream("pairs"), philox_offset(x->epoch, i)), (uint32_t)i};
    qsort(drawn, n, sizeof *drawn, by_slug);
    free(x->order), free(x->start);
    x->order = mem_alloc(n, sizeof *x->order);
    x->start = mem_alloc(n + 1, sizeof *x->start);
    for (size_t i = 0; i < n; i++) x->order[i] = drawn[i].pair;
    x->batches = cut_batches(p, 0, x->order, n, &x->how, x->start);
}

static bool same(const Packing *a, const Packing *b) {
    return a->batch == b->batch && a->context == b->context && a->cut == b->cut;
}

/* Return the epoch of a step. The caller has the lock. */
static const Epoch *epoch_of(Pairs *p, uint64_t seed, uint64_t step, const Packing *how) {
    Epoch *x = NULL;
    for (Epoch *k = p->kept; k < p->kept + KEPT; k++)
        if (k->order && k->seed == seed && same(&k->how, how) && step >= k->first && (!x || k->first > x->first)) x = k;
    if (!x) {
        x = &p->kept[p->next++ % KEPT];
        release(x);
        x->seed = seed, x->how = *how;
        shuffle(p, x);
    }
    while (step >= x->first + x->batches) {
        x->first += x->batches, x->epoch++;
        shuffle(p, x);
    }
    return x;
}

static int32_t *ids(const char *name, const FeedRoom *feed, int feeds) {
    for (int f = 0; f < feeds; f++)
        if (!strcmp(feed[f].name, name)) return feed[f].ids;
    assert(!"not an encoder-decoder's feeds");
    return NULL;
}

void packed_begin(PackedRows *p, const FeedRoom *feed, int feeds) {
    *p = (PackedRows){.tokens = ids("tokens", feed, feeds),
                      .targets = ids("targets", feed, feeds),
                      .positions = ids("positions", feed, feeds),
                      .keys = ids("keys", feed, feeds),
                      .source = ids("source", feed, feeds),
                      .source_positions = ids("source_positions", feed, feeds),
                      .source_keys = ids("source_keys", feed, feeds),
                      .memory_keys = ids("memory_keys", feed, feeds)};
    for (int f = 0; f < feeds; f++) {
        memset(feed[f].ids, 0, (size_t)feed[f].rows * sizeof *feed[f].ids);
        if (feed[f].ids == p->tokens) p->rows = feed[f].rows;
    }
    for (int i = 0; i < p->rows; i++) p->targets[i] = -1;
}

int packed_source(PackedRows *p, const int32_t *token, int length, int32_t end) {
    int first = p->sources, last = first + length;
    assert(last < p->rows);
    for (int i = first; i <= last; i++) {
        p->source[i] = i < last ? token[i - first] : end;
        p->source_positions[i] = i - first;
        p->source_keys[2 * i] = first, p->source_keys[2 * i + 1] = last + 1;
    }
    p->sources = last + 1;
    return first;
}

void packed_token(PackedRows *p, int32_t token, int position, int from, int to) {
    int i = p->written++;
    assert(i < p->rows && from >= 0 && from <= to && to <= p->sources);
    p->tokens[i] = token, p->positions[i] = position;
    p->memory_keys[2 * i] = from, p->memory_keys[2 * i + 1] = to;
}

int packed_target(PackedRows *p, const int32_t *token, int length, int32_t end, bool ends, int from, int to) {
    int first = p->written, last = first + length;
    for (int i = first; i <= last; i++) {
        packed_token(p, i > first ? token[i - first - 1] : end, i - first, from, to);
        p->targets[i] = i < last ? token[i - first] : ends ? end : -1;
        p->keys[2 * i] = first, p->keys[2 * i + 1] = i + 1;
    }
    return first;
}

static void add(PackedRows *rows, const Dataset *d, const Pair *pair, const Packing *how) {
    if (!fits(pair, how)) return;
    int source = rows_of(pair->source_length, how) - 1, target = rows_of(pair->target_length, how) - 1;
    int from = packed_source(rows, d->tokens + pair->source, source, d->pairs->end);
    packed_target(rows, d->tokens + pair->target, target, d->pairs->end, true, from, rows->sources);
}

void pairs_batch(const Dataset *d, uint64_t seed, uint64_t step, const Packing *how, const FeedRoom *feed, int feeds) {
    Pairs *p = d->pairs;
    PackedRows rows;
    packed_begin(&rows, feed, feeds);
    pthread_mutex_lock(&p->lock);
    const Epoch *x = epoch_of(p, seed, step, how);
    size_t b = (size_t)(step - x->first);
    for (size_t i = x->start[b]; i < x->start[b + 1]; i++) add(&rows, d, &p->pair[0][x->order[i]], how);
    pthread_mutex_unlock(&p->lock);
}

size_t pairs_numbers(const Dataset *d, uint64_t seed, uint64_t step, const Packing *how, int64_t *number) {
    Pairs *p = d->pairs;
    pthread_mutex_lock(&p->lock);
    const Epoch *x = epoch_of(p, seed, step, how);
    size_t b = (size_t)(step - x->first), count = x->start[b + 1] - x->start[b];
    for (size_t i = 0; i < count && number; i++) number[i] = x->order[x->start[b] + i];
    pthread_mutex_unlock(&p->lock);
    return count;
}

/* Return the starts of the validation batches; the caller frees them. */
static size_t *validation(const Dataset *d, const Packing *how, size_t *batches) {
    const Pairs *p = d->pairs;
    size_t *start = mem_alloc(p->count[1] + 1, sizeof *start);
    *batches = cut_batches(p, 1, NULL, p->count[1], how, start);
    return start;
}

size_t pairs_batches(const Dataset *d, const Packing *how) {
    size_t batches;
    free(validation(d, how, &batches));
    return batches;
}

void pairs_validation(const Dataset *d, size_t number, const Packing *how, const FeedRoom *feed, int feeds) {
    size_t batches, *start = validation(d, how, &batches);
    PackedRows rows;
    packed_begin(&rows, feed, feeds);
    for (size_t i = number < batches ? start[number] : 1; number < batches && i < start[number + 1]; i++)
        add(&rows, d, &d->pairs->pair[1][i], how);
    free(start);
}
