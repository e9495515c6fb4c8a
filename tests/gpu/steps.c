/* Where a step's time goes, kernel by kernel: steps of write-up 002's first arm run outside of a graph, and every
 * launch is timed by itself. The times of small kernels hold the wait for their launch, so that their sum is more than
 * a graph's step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/trainer_count.h"
#include "tests/gpu/count.h"
#include "tests/gpu/table.h"

typedef struct {
    KernelWork *of;
    double seconds; /* of all steps */
    int launches;
} Timed;

/* NULL: it is not counted, nor is a row free for it. */
static Timed *timed_of(Timed *all, Work *w, const char *name, bool may_add) {
    for (int i = 0; i < w->kernels; i++)
        if (!strcmp(all[i].of->name, name)) return &all[i];
    if (!may_add || w->kernels == KERNELS_MAX) return NULL;
    w->kernel[w->kernels] = (KernelWork){.name = name};
    all[w->kernels].of = &w->kernel[w->kernels];
    return &all[w->kernels++];
}

/* Adds `steps` timed steps. What was launched must be what is counted, or the rates would be of something else; but a
 * library that has no algorithm with a bias leaves it to kernels that are not counted, whose work is then not known. */
static Rc run_steps(const Group *g, Timed *all, Work *w, bool library, int steps, Error *e) {
    for (int step = 0; step < steps; step++) {
        size_t launches;
        Timing *each = trainer_timed(g->trainer, &launches);
        for (size_t i = 0; i < launches; i++) {
            Timed *t = timed_of(all, w, each[i].kernel, library);
            if (!t) {
                error_set(e, RC_UNMEASURED, "kernel '%s' was launched and is not counted", each[i].kernel);
                free(each);
                return e->code;
            }
            t->seconds += each[i].seconds, t->launches++;
        }
        free(each);
        if (trainer_failed(g->trainer, e)) return e->code;
    }
    for (int i = 0; i < w->kernels && !library; i++)
        if (all[i].launches != steps * all[i].of->launches)
            return error_set(e, RC_UNMEASURED, "kernel '%s' was launched %d times in %d steps, %d a step are counted",
                             all[i].of->name, all[i].launches, steps, all[i].of->launches);
    return RC_OK;
}

static int longest_first(const void *a, const void *b) {
    double x = ((const Timed *)a)->seconds, y = ((const Timed *)b)->seconds;
    return (x < y) - (x > y);
}

static void write_kernel(Check *c, const Timed *t, int steps, double all) {
    double ms = 1e3 * t->seconds / steps, gb = t->of->bytes * steps / t->seconds / 1e9,
           tflops = t->of->flops * steps / t->seconds / 1e12;
    Json *j = &c->json;
    json_object(j, NULL);
    json_text(j, "kernel", t->of->name);
    json_number(j, "launches_per_step", t->launches / steps);
    json_number(j, "ms_per_step", ms);
    json_number(j, "share", t->seconds / all);
    json_number(j, "gb_per_s", gb);
    json_number(j, "share_of_copy", 1e9 * gb / c->copy_rate);
    json_number(j, "tflops", tflops);
    json_number(j, "share_of_fma_peak", 1e12 * tflops / c->fma_peak);
    json_end(j);
    printf("%-26s %8d %9.4f %5.1f%% %8.1f %5.1f%% %8.3f %5.1f%%\n", t->of->name, t->launches / steps, ms,
           100 * t->seconds / all, gb, 100e9 * gb / c->copy_rate, tflops, 100e12 * tflops / c->fma_peak);
}

static void write_kernels(Check *c, Timed *all, int count, int steps) {
    double seconds = 0;
    int launches = 0;
    for (int i = 0; i < count; i++) seconds += all[i].seconds, launches += all[i].launches / steps;
    qsort(all, (size_t)count, sizeof *all, longest_first);
    printf("%-26s %8s %9s %6s %8s %6s %8s %6s\n", "kernel", "launches", "ms a step", "share", "GB/s", "copy", "TFLOP/s",
           "peak");
    json_number(&c->json, "ms_per_step", 1e3 * seconds / steps);
    json_list(&c->json, "kernels");
    for (int i = 0; i < count; i++)
        if (all[i].launches) write_kernel(c, &all[i], steps, seconds);
    json_end(&c->json);
    printf("%-26s %8d %9.4f\n", "all", launches, 1e3 * seconds / steps);
}

static Rc profile(Check *c, const Backend *backend, int replicas, int steps, Error *e) {
    Group *g = mem_alloc(1, sizeof *g);
    OWNED Work *w = mem_alloc(1, sizeof *w);
    Rc rc = group_init(g, backend, c->quick, 0, replicas, NULL, e);
    if (!rc) {
        rc = work_of(w, backend, c->quick, 0, replicas, NULL, e);
        OWNED Timed *all = mem_alloc(KERNELS_MAX, sizeof *all);
        for (int i = 0; i < w->kernels; i++) all[i].of = &w->kernel[i];
        if (!rc && c->device && group_steps(g, 1) < 0) /* warms up */
            *e = g->trainer->failure, rc = e->code;
        if (!rc) rc = run_steps(g, all, w, backend_has_library(backend), steps, e);
        if (!rc) write_kernels(c, all, w->kernels, steps);
        group_release(g);
    }
    free(g);
    return rc;
}

void part_steps(Check *c, int replicas, int steps) {
    const char *clock = c->device ? "the device's events" : "the host's clock, through the shim";
    check_ceilings(c);
    json_list(&c->json, "profile");
    for (int p = 0; p < check_precisions(c); p++) {
        const char *precision = check_precision(p);
        Error e = c->without;
        json_object(&c->json, NULL);
        json_text(&c->json, "precision", precision);
        json_number(&c->json, "replicas", replicas);
        json_number(&c->json, "steps", steps);
        json_text(&c->json, "clock", clock);
        printf("%s: %d replicas, %d steps of %s, each launch timed by %s\n", precision, replicas, steps,
               c->quick ? "a toy" : "8 x 128", clock);
        if (!c->in[p] || profile(c, c->in[p], replicas, steps, &e)) check_unmeasured(c, precision, &e);
        json_end(&c->json);
    }
    json_end(&c->json);
}

void part_profile(Check *c) {
    part_steps(c, c->quick ? 2 : TABLE_SEEDS, c->quick ? 1 : 20);
}
