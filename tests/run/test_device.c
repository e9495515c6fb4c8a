/* Runs on a device, the shim in its place: replicas of one program are the runs alone, and
 * what a device can do to a run. */
#include <unistd.h>

#include "bench/run/execute.h"
#include "bench/run/runner.h"
#include "kernels/cuda/simt/run.h"
#include "models/trainer_count.h"
#include "tests/test.h"

enum { RUNS = 3 };
static char folder[64];
static Dataset data;
static const ProbeChoice *probes; /* NULL: the usual ones */
static const char *objective = "next";

static void enter(void) {
    char text[96], name[112], all[1500];
    DataPlaces places = {.offline = true};
    for (int i = 0; i < (int)sizeof all; i++) all[i] = (char)('a' + i * i % 11);
    strcpy(folder, "/tmp/normbench-device-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(text, sizeof text, "%s/text", folder);
    OK(file_write(text, all, sizeof all, &e));
    snprintf(name, sizeof name, "text:%s", text);
    OK(dataset_open(&data, name, "char", &places, &e));
    simt_limits(0, 0);
}

static void leave(void) {
    dataset_release(&data);
    folder_remove(folder);
}

/* Seeds 1.., learning rates apart; run 1 diverges; run 2 has the start and the batches of other seeds. */
static RunSpec spec_of(int i) {
    static const char *const keys[][2] = {{"layers", "1"},      {"width", "8"},         {"heads", "2"},
                                          {"context", "8"},     {"batch", "2"},         {"steps", "9"},
                                          {"clip", "0"},        {"evaluate_at", "0,4"}, {"optimizer", "sgd"},
                                          {"curve_every", "3"}, {"curve_batches", "1"}};
    RunSpec s;
    spec_init(&s);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) OK(spec_set(&s, keys[k][0], keys[k][1], &e));
    OK(spec_set(&s, "objective", objective, &e));
    s.seed = (uint64_t)i + 1, s.lr = i == 1 ? 1e6 : 0.01 * (i + 1);
    if (i == 2) s.init_seed = 8, s.order_seed = 9;
    return s;
}

typedef struct {
    RunSpec spec[RUNS];
    char id[RUNS][SHA256_HEX], arithmetic[RUNS][SHA256_HEX];
    ExecutedRun run[RUNS];
    RunRecord record[RUNS];
} Table;

static Rc execute(Table *t, const char *backend, int runs, double checkpoint_seconds) {
    const Backend *b = backend_find(backend, &e);
    cr_assert(b, "%s", e.text);
    for (int i = 0; i < runs; i++) {
        t->spec[i] = spec_of(i);
        strcpy(t->arithmetic[i], "-");
        run_id(t->id[i], &t->spec[i], &data, backend_class(b), t->arithmetic[i]);
        t->run[i] = (ExecutedRun){&t->spec[i], t->id[i], t->arithmetic[i]};
        cr_assert(execute_together(&t->spec[0], &t->spec[i]));
    }
    Execution x = {.run = t->run,
                   .runs = runs,
                   .data = &data,
                   .backend = b,
                   .probes = probes,
                   .folder = folder,
                   .checkpoint_seconds = checkpoint_seconds,
                   .file_bytes = 1e9};
    return run_execute(&x, t->record, &e);
}

static void same_records(const RunRecord *a, const RunRecord *b) {
    LOCAL_TEXT(x);
    LOCAL_TEXT(y);
    curves_text(&a->curves, &x), curves_text(&b->curves, &y);
    cr_assert_str_eq(x.at, y.at);
    OWNED char *p = evaluations_text(a, NULL), *q = evaluations_text(b, NULL);
    cr_assert_str_eq(p, q);
    cr_assert_str_eq(a->status, b->status);
    cr_assert_str_eq(a->culprit, b->culprit);
    cr_assert_eq(a->diverged_step, b->diverged_step);
    cr_assert_str_eq(a->loss_chain, b->loss_chain);
    cr_assert_str_eq(a->parameters_hash, b->parameters_hash);
}

static void release(Table *t, int runs) {
    for (int i = 0; i < runs; i++)
        if (t->record[i].status[0]) record_release(&t->record[i]);
}

Test(device, replicas_are_the_runs_alone, .init = enter, .fini = leave) {
    Table host = {0}, device = {0};
    cr_assert_eq(execute(&host, "cpu", RUNS, 1e9), RC_OK);
    OK(execute(&device, "simt", RUNS, 1e9));
    cr_assert_str_eq(host.record[1].status, "diverged");
    for (int i = 0; i < RUNS; i++) same_records(&host.record[i], &device.record[i]);
    release(&host, RUNS), release(&device, RUNS);
}

/* Probes that take passes of their own, too: those around the first step, whose batches the device draws itself, and
 * those at the end. */
Test(device, passes_of_their_own_are_those_of_the_host, .init = enter, .fini = leave) {
    Table host = {0}, device = {0};
    ProbeChoice c = probes_usual();
    c.wanted[PROBE_output_change] = c.wanted[PROBE_linear_probe] = true;
    probes = &c;
    cr_assert_eq(execute(&host, "cpu", RUNS, 1e9), RC_OK);
    OK(execute(&device, "simt", RUNS, 1e9));
    for (int i = 0; i < RUNS; i++) same_records(&host.record[i], &device.record[i]);
    cr_expect(curve_number(&device.record[0].curves, 0, curve_named("output_change"), -1) > 0);
    cr_expect(curve_number(&device.record[0].curves, 9, curve_named("linear_probe"), 0) > 0);
    release(&host, RUNS), release(&device, RUNS);
    probes = NULL;
}

/* Masked models are brought their batches step by step. */
Test(device, masked_runs_are_those_of_the_host, .init = enter, .fini = leave) {
    Table next = {0}, host = {0}, device = {0};
    cr_assert_eq(execute(&next, "cpu", 1, 1e9), RC_OK);
    objective = "masked";
    cr_assert_eq(execute(&host, "cpu", RUNS, 1e9), RC_OK);
    OK(execute(&device, "simt", RUNS, 1e9));
    objective = "next";
    for (int i = 0; i < RUNS; i++) same_records(&host.record[i], &device.record[i]);
    cr_expect_str_neq(host.record[0].loss_chain, next.record[0].loss_chain);
    cr_expect_lt(host.record[0].evaluation[2].targets, next.record[0].evaluation[2].targets / 3);
    release(&next, 1), release(&host, RUNS), release(&device, RUNS);
}

Test(device, only_what_a_replica_holds_may_differ) {
    RunSpec a = spec_of(0), b = spec_of(2);
    cr_assert(execute_together(&a, &b));
    b.dropout = 0.1;
    cr_assert_not(execute_together(&a, &b), "dropout is an op of the tape");
    b = spec_of(2), b.steps = 10;
    cr_assert_not(execute_together(&a, &b));
    b = spec_of(2);
    OK(spec_set(&b, "attn.out", "rmsnorm", &e));
    cr_assert_not(execute_together(&a, &b));
}

/* Lost in the middle: no record, its line, exit 3; what had diverged before is finished; then the runs resume. */
Test(device, a_lost_device_fails_the_run, .init = enter, .fini = leave) {
    Table whole = {0}, lost = {0};
    cr_assert_eq(execute(&whole, "simt", RUNS, 1e9), RC_OK);
    simt_limits(0, 15);
    cr_assert_eq(execute(&lost, "simt", RUNS, 0), RC_UNMEASURED);
    cr_assert(strstr(e.text, "lost"), "%s", e.text);
    cr_assert(!lost.record[0].status[0] && !lost.record[2].status[0]);
    cr_assert_str_eq(lost.record[1].status, "diverged");
    same_records(&whole.record[1], &lost.record[1]);
    release(&lost, RUNS);
    for (int replays = 1; replays < 60; replays += 7) { /* wherever it happens, nothing half-read becomes a record */
        simt_limits(0, replays);
        if (execute(&lost, "simt", RUNS, 1e9) == RC_UNMEASURED) cr_assert(!lost.record[0].status[0]);
        for (int i = 0; i < RUNS; i++)
            if (lost.record[i].status[0]) same_records(&whole.record[i], &lost.record[i]);
        release(&lost, RUNS);
    }
    simt_limits(0, 0);
    OK(execute(&lost, "simt", RUNS, 1e9));
    for (int i = 0; i < RUNS; i++) same_records(&whole.record[i], &lost.record[i]);
    release(&whole, RUNS), release(&lost, RUNS);
}

/* Said before step 0, with need and free. */
Test(device, memory_that_is_short, .init = enter, .fini = leave) {
    Table t = {0};
    for (size_t bytes = 1 << 10; bytes <= 1 << 14; bytes *= 4) {
        simt_limits(bytes, 0);
        Rc rc = execute(&t, "simt", RUNS, 1e9);
        simt_limits(0, 0);
        cr_assert_eq(rc, RC_UNMEASURED, "%zu bytes", bytes);
        cr_assert(strstr(e.text, "out of device memory"), "%s", e.text);
        cr_assert(strstr(e.text, "need") && strstr(e.text, "free"), "%s", e.text);
        cr_assert(!t.record[0].status[0]);
    }
}

/* What a device did long before may come to light where memory is taken: that is not said to be short. */
Test(device, a_lost_device_is_not_short_of_memory, .init = enter, .fini = leave) {
    Table t = {0};
    simt_limits(0, 1);
    cr_assert_eq(execute(&t, "simt", RUNS, 1e9), RC_UNMEASURED);
    cr_assert_eq(execute(&t, "simt", RUNS, 1e9), RC_UNMEASURED, "it is lost for ever");
    cr_expect_str_eq(e.text, "the device was lost");
    cr_assert(!t.record[0].status[0]);
}

/* The queue goes on where memory was short, and not where the device was lost. */
Test(device, a_failed_allocation_leaves_the_queue) {
    const Device *d = backend_find("simt", &e)->device;
    Queue *q;
    void *at;
    OK(d->open(&q, &e));
    simt_limits(100, 0);
    cr_assert_eq(d->take(q, &at, 128, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "out of device memory: 128 bytes are needed, 100 bytes are free");
    cr_expect_null(at);
    cr_expect_eq(d->status(q, &e), RC_OK);
    OK(d->take(q, &at, 64, &e));
    d->give(q, at);
    d->record(q);
    Graph *nothing = d->recorded(q);
    simt_limits(0, 1);
    d->replay(q, nothing);
    cr_expect_eq(d->take(q, &at, 64, &e), RC_UNMEASURED);
    cr_expect_str_eq(e.text, "the device was lost");
    cr_expect_null(at);
    cr_expect_eq(d->status(q, &e), RC_UNMEASURED);
    d->forget(nothing);
    d->close(q);
    simt_limits(0, 0);
}

/* All that a trainer asks a device for, the tables of a step and of its probes too, against the plan: whole,
 * recomputed, with pieces of logits, in parts. */
Test(device, a_plan_is_within_five_percent_of_what_a_device_is_asked_for) {
    static const struct {
        bool recompute;
        int head_rows, passes;
    } CASE[] = {{false, 0, 1}, {true, 0, 1}, {true, 512, 1}, {false, 512, 2}, {true, 512, 2}};
    const Recipe recipe = {.optimizer = OPTIMIZER_adamw, .steps = 10, .lr = 1e-3};
    const uint64_t seed = 1;
    const Backend *simt = backend_find("simt", &e);
    cr_assert(simt, "%s", e.text);
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        ModelShape s = {.layers = 4,
                        .width = 64,
                        .heads = 4,
                        .context = 512,
                        .vocab = 1000,
                        .batch = 16,
                        .passes = CASE[i].passes,
                        .head_rows = CASE[i].head_rows,
                        .recompute = CASE[i].recompute,
                        .ffn_mult = 4,
                        .tied = true,
                        .norm_eps = 1e-5};
        LOCAL(trainer_release) Trainer *t;
        size_t most = (size_t)1 << 34;
        simt_limits(most, 0);
        OK(trainer_for_gpt(&t, &s, variant_find("pre", &e), NULL, &recipe, &seed, 1, simt, &e));
        double asked = (double)(most - simt->device->memory());
        simt_limits(0, 0);
        TrainerPlan p = trainer_plan(&s, variant_find("pre", &e), NULL, simt, true);
        cr_expect(asked >= trainer_plan_bytes(&p) && asked <= 1.05 * trainer_plan_bytes(&p),
                  "case %zu: %.0f bytes are asked for, %.0f are planned", i, asked, trainer_plan_bytes(&p));
    }
}

/* Sixteen processors and programs of twelve runs: an H100 of 80 GB holds 41 runs of 1.76 GB, three programs whole. */
Test(device, programs_are_whole_before_they_are_many) {
    cr_expect_eq(runner_at_once(41, 12, 16), 3);
    cr_expect_eq(runner_at_once(41, 12, 2), 2, "no more than asked for");
    cr_expect_eq(runner_at_once(1000, 12, 16), 16);
    cr_expect_eq(runner_at_once(11, 12, 16), 1, "one program, in parts");
    cr_expect_eq(runner_at_once(1, 1, 16), 1);
}
