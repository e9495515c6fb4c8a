/* Gradients are exchanged in buckets while the backward pass goes on. */
#include <stdatomic.h>
#include <time.h>

#include "models/allreduce.h"
#include "tests/models/toy.h"
#include "tests/test.h"

/* Stands for a second rank whose gradients are this one's. */
typedef struct {
    const volatile float *last; /* a gradient that the last op of the pass writes */
    int waits;                  /* swaps that wait until it stands there */
    int seen, swaps;            /* those that found it; all swaps */
    size_t bytes, least, most;  /* of all of them, of the smallest and the largest */
    int partners;               /* whom they were with, ored */
} Mirror;

static void mirror(void *context, int partner, const void *mine, void *theirs, size_t bytes) {
    Mirror *m = context;
    m->partners |= partner;
    m->bytes += bytes;
    if (!m->swaps || bytes < m->least) m->least = bytes;
    if (bytes > m->most) m->most = bytes;
    if (m->swaps++ < m->waits)
        for (int i = 0; i < 10000 && *m->last == 0; i++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    m->seen += *m->last != 0;
    memcpy(theirs, mine, bytes);
}

static void make(Tape *tape, Program *p, const char *backend, int passes) {
    Variant v;
    ModelShape s;
    Recipe r;
    toy_setting(0, &v, &s, &r);
    s.width = 8, s.batch = 2 * CANON_BLOCK / s.context, s.passes = passes;
    transformer_build(tape, &s, &v, NULL);
    OK(program_init(p, tape, backend_find(backend, &e), 1, &e));
    p->scalars[0] = (Scalars){.seed = 1, .count = 2 * CANON_BLOCK, .drop_scale = 1};
    for (int i = 0; i < tape->tensors; i++) {
        size_t words = tensor_words(&tape->tensor[i]);
        OWNED float *x = mem_alloc(words, sizeof *x);
        for (size_t k = 0; k < words; k++) x[k] = 0.01f * (float)(k % 17) - 0.05f;
        if (tape->tensor[i].role == ROLE_PARAM) program_write(p, ROLE_PARAM, i, 0, x);
        for (size_t k = 0; tape->tensor[i].role == ROLE_TOKEN && k < words; k++)
            program_ids(p, i, 0)[k] = (int32_t)(k % 60);
    }
}

/* The gradient that the pass completes last. */
static const float *last_gradient(const Tape *tape, const Program *p) {
    for (int i = 0; i < tape->ops; i++)
        for (int j = 0; p->gradients.reached[i] && j < tape->op[i].in_count; j++)
            if (tape->tensor[tape->input[tape->op[i].in_at + j]].role == ROLE_PARAM) return p->call[i].din[j].at;
    return NULL;
}

/* Every contribution to a parameter's gradient is in one bucket, once; the largest tensor alone may make one larger
 * than an eighth. */
Test(allreduce, buckets_hold_all_gradients) {
    LOCAL(tape_release) Tape tape;
    LOCAL(program_release) Program p;
    Allreduce *a;
    size_t contributions = 0, largest = 0;
    Mirror m = {.last = &(const float){1}};
    const Ranks two = {.ranks = 2, .swap = mirror, .context = &m};
    make(&tape, &p, "cpu", 2);
    for (int i = 0; i < tape.ops; i++)
        for (int j = 0; p.gradients.reached[i] && j < tape.op[i].in_count; j++) {
            const Tensor *x = &tape.tensor[tape.input[tape.op[i].in_at + j]];
            size_t words = x->role == ROLE_PARAM ? tensor_words(x) : 0;
            contributions += words;
            if (words > largest) largest = words;
        }
    OK(allreduce_init(&a, &p, 2, &two, &e));
    size_t eighth = p.stride[ROLE_GRAD] / 8;
    program_forward(&p);
    allreduce_backward(a, 0);
    cr_expect(m.swaps >= 4 && m.swaps <= 8, "%d buckets", m.swaps);
    cr_expect(m.least > 0 && m.most <= eighth + largest * sizeof(float), "%zu of %zu", m.most, eighth);
    cr_expect_eq(m.partners, 1);
    cr_expect_eq(m.bytes, contributions * sizeof(float), "%zu bytes, not %zu", m.bytes, contributions * sizeof(float));
    allreduce_release(a);
}

/* The first bucket's exchange waits for a gradient that only the end of the pass makes: it could wait for ever if the
 * pass waited for it. Then all are those of one rank, twice. */
Test(allreduce, the_pass_goes_on_beside_the_exchange, .timeout = 600) {
    LOCAL(tape_release) Tape tape;
    LOCAL(program_release) Program p;
    Allreduce *a;
    Mirror m = {.waits = 1};
    const Ranks two = {.ranks = 2, .swap = mirror, .context = &m};
    make(&tape, &p, "cpu", 2);
    m.last = last_gradient(&tape, &p);
    program_forward(&p);
    program_backward(&p);
    size_t words = p.stride[ROLE_GRAD] / sizeof(float);
    OWNED float *once = mem_alloc(words, sizeof *once), *twice = mem_alloc(words, sizeof *twice);
    memcpy(once, p.arena[ROLE_GRAD].at, words * sizeof *once);
    OK(allreduce_init(&a, &p, 2, &two, &e));
    for (int again = 0; again < 2; again++) {
        memset(p.arena[ROLE_GRAD].at, 0, words * sizeof *once);
        m.swaps = m.seen = 0;
        program_forward(&p); /* a backward pass leaves gradients where activations were */
        allreduce_backward(a, 0);
        cr_expect_geq(m.seen, 1);
        cr_expect_eq(m.seen, m.swaps, "the first of %d exchanges did not see the end of the pass", m.swaps);
        memcpy(twice, p.arena[ROLE_GRAD].at, words * sizeof *twice);
        int wrong = 0, compared = 0;
        for (int i = 0; i < tape.tensors; i++) { /* not those with two contributions: their sums have another order */
            const float *x = program_at(&p, ROLE_GRAD, i, 0);
            if (tape.tensor[i].role != ROLE_PARAM || i == 0 || strstr(tape.tensor[i].name, "wte")) continue;
            size_t at = (size_t)(x - (const float *)(const void *)p.arena[ROLE_GRAD].at);
            for (size_t k = at; k < at + tensor_words(&tape.tensor[i]); k++, compared++)
                wrong += twice[k] != 2 * once[k];
        }
        cr_expect_eq(wrong, 0, "%d of %d gradients", wrong, compared);
        cr_expect_gt(compared, 500);
    }
    allreduce_release(a);
}

Test(allreduce, slots_are_those_of_a_binary_counter) {
    cr_expect_eq(allreduce_slots(1), 1);
    cr_expect_eq(allreduce_slots(2), 1);
    cr_expect_eq(allreduce_slots(8), 3);
    const int slot[] = {0, 1, 1, 2, 1, 2, 2, 3};
    for (int i = 0; i < 8; i++) cr_expect_eq(allreduce_slot(i), slot[i], "pass %d", i);
}
