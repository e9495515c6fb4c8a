/* The matrix products of a step alone: every linear op of the tape, without its bias, grouped by shape, each group over
 * all layers and often enough to take its time, as one recorded graph. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/gpu/table.h"

static const double PEAK_SHARE = 0.60;
static const double ENOUGH_FLOPS = 2e11; /* milliseconds, beside which the wait for the end is nothing */
enum { SHAPES_MAX = 8, TRIALS_MAX = 5, REPEATS_MAX = 400 };

typedef struct {
    int in, out, ops;
} ShapeOf;

static int list_shapes(const Program *p, ShapeOf *shape) {
    int shapes = 0;
    for (int i = 0; i < p->tape->ops; i++) {
        const Call *c = &p->call[i];
        int s = 0;
        if (c->kind != OP_linear) continue;
        while (s < shapes && (shape[s].in != c->in[0].cols || shape[s].out != c->out.cols)) s++;
        if (s == SHAPES_MAX) continue;
        if (s == shapes) shape[shapes++] = (ShapeOf){c->in[0].cols, c->out.cols, 0};
        shape[s].ops++;
    }
    return shapes;
}

static void enqueue_products(const Program *p, const ShapeOf *s, bool back) {
    const Kernel *k = p->backend->kernel[OP_linear];
    for (int i = 0; i < p->tape->ops; i++) {
        Call c = p->call[i];
        if (c.kind != OP_linear || c.in[0].cols != s->in || c.out.cols != s->out) continue;
        c.in_count = 2, c.din[2].at = NULL;
        (back ? k->backward : k->forward)(&c);
    }
}

static void wait(const Program *p) {
    float word;
    p->backend->device->get(p->queue, &word, p->arena[ROLE_ACT].at, sizeof word);
}

/* Seconds for all products of a shape, forward or backward. A training step between trials puts real numbers back into
 * the gradients. */
static double time_products(Group *g, const ShapeOf *s, double flops, bool back, bool quick) {
    Program *p = &g->trainer->program;
    const Device *d = p->backend->device;
    int repeats = 1, trials = quick ? 1 : TRIALS_MAX;
    double seconds[TRIALS_MAX];
    while (!quick && repeats < REPEATS_MAX && repeats * flops < ENOUGH_FLOPS) repeats++;
    d->record(p->queue);
    for (int i = 0; i < repeats; i++) enqueue_products(p, s, back);
    Graph *graph = d->recorded(p->queue);
    for (int i = 0; i < trials; i++) {
        (void)group_steps(g, 1);
        wait(p);
        double start = clock_now();
        d->replay(p->queue, graph);
        wait(p);
        seconds[i] = (clock_now() - start) / repeats;
    }
    d->forget(graph);
    return median(seconds, trials);
}

static void rate(Check *c, const char *key, double flops, double seconds) {
    json_object(&c->json, key);
    json_number(&c->json, "tflops", flops / seconds / 1e12);
    json_number(&c->json, "share_of_fma_peak", flops / seconds / c->fma_peak);
    json_end(&c->json);
}

static void write_shapes(Check *c, Group *g, const char *precision) {
    ShapeOf shape[SHAPES_MAX];
    const Program *p = &g->trainer->program;
    int shapes = list_shapes(p, shape), rows = p->tape->tensor[g->trainer->targets].rows;
    double all_flops = 0, all_seconds = 0;
    json_list(&c->json, "shapes");
    for (int i = 0; i < shapes; i++) {
        double flops = 2.0 * rows * shape[i].in * shape[i].out * shape[i].ops * p->replicas;
        double there = time_products(g, &shape[i], flops, false, c->quick),
               back = time_products(g, &shape[i], 2 * flops, true, c->quick);
        json_object(&c->json, NULL);
        json_number(&c->json, "rows", rows);
        json_number(&c->json, "in", shape[i].in);
        json_number(&c->json, "out", shape[i].out);
        json_number(&c->json, "ops", shape[i].ops);
        rate(c, "forward", flops, there);
        rate(c, "backward", 2 * flops, back);
        json_end(&c->json);
        printf("products, %s, %d x %d -> %d: forward %.1f%%, backward %.1f%% of the fma peak\n", precision, rows,
               shape[i].in, shape[i].out, 100 * flops / there / c->fma_peak, 200 * flops / back / c->fma_peak);
        all_flops += 3 * flops, all_seconds += there + back;
    }
    json_end(&c->json);
    rate(c, "all", all_flops, all_seconds);
    if (p->backend == c->exact)
        check_target(c, "share of the fma peak in the products", all_flops / all_seconds / c->fma_peak, PEAK_SHARE,
                     false);
}

static void products_of(Check *c, int precision) {
    const Backend *backend = c->in[precision];
    Error e = c->without;
    Group *g = mem_alloc(1, sizeof *g);
    json_object(&c->json, NULL);
    json_text(&c->json, "precision", check_precision(precision));
    json_number(&c->json, "replicas", c->quick ? 1 : TABLE_MAX);
    Rc rc = RC_UNMEASURED;
    if (backend) rc = group_init(g, backend, c->quick, 0, c->quick ? 1 : TABLE_MAX, NULL, &e);
    if (!rc) {
        write_shapes(c, g, check_precision(precision));
        rc = g->trainer->failure.code;
        if (!rc)
            rc = backend->device->status(g->trainer->program.queue, &e);
        else
            e = g->trainer->failure;
        group_release(g);
    }
    if (rc) check_unmeasured(c, "products", &e);
    json_end(&c->json);
    free(g);
}

void part_products(Check *c) {
    check_ceilings(c);
    json_list(&c->json, "products");
    for (int p = 0; p < check_precisions(c); p++) products_of(c, p);
    json_end(&c->json);
}
