/* What moves over the steps of a run (fade, blend) is where the last update left it: in evaluation, after a resume, in
 * each replica by its own number of steps, on the host and in the device's kernels. */
#include "base/philox.h"
#include "models/trainer_look.h"
#include "models/trainer_state.h"
#include "tests/test.h"

Test(progress, of_an_update) {
    const Recipe five = {.steps = 5}, one = {.steps = 1}, none = {.steps = 0};
    for (int i = 0; i < 5; i++) cr_expect_eq(recipe_progress(&five, i), i / 4.0, "update %d", i);
    cr_expect_eq(recipe_progress(&five, -1), 0, "before the first update");
    cr_expect_eq(recipe_progress(&five, 5), 1, "further than was planned");
    cr_expect_eq(recipe_progress(&one, 0), 0);
    cr_expect_eq(recipe_progress(&one, 1), 0);
    cr_expect_eq(recipe_progress(&none, 3), 0);
}

enum { ROWS = 8, WIDTH = 6, VOCAB = 11, REPLICAS = 2 };
static const double from = 0.25, to = 1.5; /* of fade; blend goes from x to its norm */

typedef struct {
    Trainer *t;
    int x, y; /* tensors: what enters blend, what leaves fade */
    Recipe recipe[REPLICAS];
    uint64_t seed[REPLICAS];
} Moving;

static void start(Moving *m, const char *backend) {
    Tape t;
    *m = (Moving){.seed = {3, 4}};
    for (int r = 0; r < REPLICAS; r++)
        m->recipe[r] = (Recipe){.steps = 5 + 4 * r, .lr = 1e-2, .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8, .clip = 1};
    for (int r = 0; r < REPLICAS; r++) m->recipe[r].init = (InitStd){0.5, 0.5, 0.5, 0.5};
    tape_init(&t);
    int tokens = tape_feed(&t, ROWS, "tokens"), targets = tape_feed(&t, ROWS, "targets");
    int wte = tape_param(&t, VOCAB, WIDTH, INIT_TOKEN, 0, -1, "wte"),
        wpe = tape_param(&t, 4, WIDTH, INIT_POSITION, 0, -1, "wpe"),
        gain = tape_param(&t, 1, WIDTH, INIT_VALUE, 1, -1, "gain"),
        head = tape_param(&t, VOCAB, WIDTH, INIT_MATRIX, 0, -1, "head");
    m->x = tape_op(&t, OP_embed, (int[]){tokens, wte, wpe}, 3, (Attr){.seq = 4}, -1, "x");
    int n = tape_op2(&t, OP_rmsnorm, m->x, gain, (Attr){.eps = 1e-5}, -1, "n");
    int mixed = tape_op2(&t, OP_blend, m->x, n, (Attr){.beta = 1}, -1, "mixed");
    m->y = tape_op1(&t, OP_fade, mixed, (Attr){.alpha = from, .beta = to}, -1, "y");
    t.logits = tape_op2(&t, OP_linear, m->y, head, (Attr){0}, -1, "logits");
    t.nll = tape_op2(&t, OP_xent, t.logits, targets, (Attr){0}, -1, "nll");
    t.loss = tape_op1(&t, OP_mean, t.nll, (Attr){0}, -1, "loss");
    OK(trainer_from_tape(&m->t, &t, 1, m->recipe, m->seed, REPLICAS, backend_find(backend, &e), &e));
}

static void batch(const Moving *m) {
    for (int r = 0; r < REPLICAS; r++)
        for (int i = 0; i < ROWS; i++) {
            uint64_t at = philox_offset((uint64_t)m->t->step, (uint64_t)i);
            trainer_feed(m->t, "tokens", r)[i] = (int32_t)philox_below(philox_word(m->seed[r], 1, at), VOCAB);
            trainer_feed(m->t, "targets", r)[i] = (int32_t)philox_below(philox_word(m->seed[r], 2, at), VOCAB);
        }
}

static void gains(const Moving *m, double out[REPLICAS][WIDTH]) {
    for (int r = 0; r < REPLICAS; r++)
        program_values(&m->t->program, ROLE_PARAM, tape_find(&m->t->tape, "gain"), r, out[r]);
}

/* y of the pass that was made, from x by hand, at the progress of update `update`. */
static void expect_at(const Moving *m, int update, double gain[REPLICAS][WIDTH], const char *when) {
    for (int r = 0; r < REPLICAS; r++) {
        double x[ROWS * WIDTH], y[ROWS * WIDTH];
        double u = fmin(1, update / (m->recipe[r].steps - 1.0)), f = from + (to - from) * u;
        program_values(&m->t->program, ROLE_ACT, m->x, r, x);
        program_values(&m->t->program, ROLE_ACT, m->y, r, y);
        for (int i = 0; i < ROWS * WIDTH; i++) {
            const double *row = x + i / WIDTH * WIDTH;
            double squares = 0;
            for (int j = 0; j < WIDTH; j++) squares += row[j] * row[j];
            double norm = gain[r][i % WIDTH] * x[i] / sqrt(squares / WIDTH + 1e-5);
            double want = f * ((1 - u) * x[i] + u * norm);
            cr_assert_float_eq(y[i], want, 1e-5, "%s on %s, step %d, replica %d: %g, by hand %g", when,
                               m->t->program.backend->name, m->t->step, r, y[i], want);
        }
    }
}

static void step(const Moving *m) {
    StepReport report[REPLICAS] = {{.finite = true}, {.finite = true}};
    double before[REPLICAS][WIDTH];
    int update = m->t->step;
    batch(m);
    gains(m, before);
    cr_assert(trainer_step(m->t, report));
    expect_at(m, update, before, "in training");
}

static void expect_evaluation(const Moving *m, const char *when) {
    double gain[REPLICAS][WIDTH];
    batch(m);
    trainer_forward(m->t);
    gains(m, gain);
    expect_at(m, m->t->step ? m->t->step - 1 : 0, gain, when);
}

static void hashes(const Moving *m, uint8_t out[REPLICAS][32]) {
    for (int r = 0; r < REPLICAS; r++) trainer_hash(m->t, r, out[r]);
}

static void copy(Moving *to_m, const Moving *from_m) {
    const Role role[] = {ROLE_PARAM, ROLE_MOMENT1, ROLE_MOMENT2};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < trainer_parameters(from_m->t); i++)
            for (int r = 0; r < REPLICAS; r++) {
                OWNED void *mine;
                trainer_put(to_m->t, role[k], i, r, trainer_words(from_m->t, role[k], i, r, &mine));
            }
    trainer_seek(to_m->t, from_m->t->step);
}

Test(progress, evaluation_and_resume_stand_at_the_last_update) {
    static const char *const backend[] = {"cpu64", "cpu", "simt"};
    uint8_t whole[3][REPLICAS][32], resumed[REPLICAS][32];
    for (int b = 0; b < 3; b++) {
        if (!backend_find(backend[b], &e)) continue;
        Moving m, again;
        start(&m, backend[b]);
        expect_evaluation(&m, "at the start");
        for (int i = 0; i < 3; i++) step(&m), expect_evaluation(&m, "between updates");
        start(&again, backend[b]);
        copy(&again, &m);
        expect_evaluation(&again, "after a resume");
        for (int i = 3; i < 7; i++) step(&m), step(&again); /* replica 0 was planned for 5 */
        expect_evaluation(&m, "at the end"), expect_evaluation(&again, "at the end of the resumed run");
        hashes(&m, whole[b]), hashes(&again, resumed);
        cr_expect_arr_eq(resumed, whole[b], sizeof resumed, "%s: another end after a resume", backend[b]);
        if (b == 2) cr_expect_arr_eq(whole[2], whole[1], sizeof whole[1], "the device's kernels train it alike");
        trainer_free(m.t), trainer_free(again.t);
    }
}
