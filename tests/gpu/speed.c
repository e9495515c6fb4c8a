/* How long a step takes: R runs as one program, then write-up 002's table as three programs side by side. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/gpu/count.h"
#include "tests/gpu/table.h"

static const double TABLE_SECONDS = 4;

typedef struct {
    int replicas[3], seeds, stretch, stretches, table_steps;
} Sizes;

static Sizes sizes(const Check *c) {
    return c->quick ? (Sizes){{1, 2, 3}, 1, 1, 1, 1} : (Sizes){{1, 5, 15}, TABLE_SEEDS, 50, 5, TABLE_STEPS};
}

static void write_row(Check *c, const Group *g, const Work *w, const char *precision, double *seconds, const Sizes *s) {
    const Trainer *t = g->trainer;
    int replicas = t->program.replicas;
    double step = median(seconds, s->stretches) / s->stretch, flops = tape_flops(&t->tape) * replicas;
    Json *j = &c->json;
    json_object(j, NULL);
    json_text(j, "precision", precision);
    json_number(j, "replicas", replicas);
    json_number(j, "ms_per_step", 1e3 * step);
    json_number(j, "ms_per_step_fastest", 1e3 * seconds[0] / s->stretch);
    json_number(j, "ms_per_step_slowest", 1e3 * seconds[s->stretches - 1] / s->stretch);
    json_number(j, "kernels_per_step", w->launches);
    json_number(j, "model_tflops", flops / step / 1e12);
    json_number(j, "share_of_fma_peak", flops / step / c->fma_peak);
    json_number(j, "gb_per_s", w->bytes / step / 1e9);
    json_number(j, "share_of_copy", w->bytes / step / c->copy_rate);
    json_end(j);
    printf("step, %s, R = %d: %.3f ms, %d kernels, %.2f TFLOP/s (%.1f%% of the fma peak), %.0f GB/s (%.0f%% of copy)\n",
           precision, replicas, 1e3 * step, w->launches, flops / step / 1e12, 100 * flops / step / c->fma_peak,
           w->bytes / step / 1e9, 100 * w->bytes / step / c->copy_rate);
}

static Rc time_group(Check *c, const Backend *backend, const char *precision, int replicas, Error *e) {
    Sizes s = sizes(c);
    double seconds[16];
    Group *g = mem_alloc(1, sizeof *g);
    OWNED Work *w = mem_alloc(1, sizeof *w);
    Rc rc = work_of(w, backend, c->quick, 0, replicas, NULL, e);
    if (!rc) rc = group_init(g, backend, c->quick, 0, replicas, NULL, e);
    if (!rc) {
        bool ok = group_steps(g, s.stretch) >= 0; /* records the graph, warms up */
        for (int i = 0; i < s.stretches && ok; i++) ok = (seconds[i] = group_steps(g, s.stretch)) >= 0;
        if (ok)
            write_row(c, g, w, precision, seconds, &s);
        else
            *e = g->trainer->failure, rc = RC_UNMEASURED;
        group_release(g);
    }
    free(g);
    return rc;
}

typedef struct {
    Group *group;
    int steps;
    double seconds;
    pthread_barrier_t *start;
} Racer;

static void *race(void *context) {
    Racer *r = context;
    pthread_barrier_wait(r->start);
    r->seconds = group_steps(r->group, r->steps);
    return NULL;
}

/* All groups at once, a thread each; seconds from the common start to the last end, below 0 when one failed. */
static double together(Group **group, int steps, Error *e) {
    Racer racer[TABLE_ARMS];
    pthread_t id[TABLE_ARMS];
    pthread_barrier_t start;
    double seconds = 0;
    pthread_barrier_init(&start, NULL, TABLE_ARMS);
    for (int i = 0; i < TABLE_ARMS; i++) {
        racer[i] = (Racer){group[i], steps, 0, &start};
        if (pthread_create(&id[i], NULL, race, &racer[i])) {
            fprintf(stderr, "gpu_check: no thread to be had\n");
            exit(RC_UNMEASURED);
        }
    }
    for (int i = 0; i < TABLE_ARMS; i++) {
        pthread_join(id[i], NULL);
        if (racer[i].seconds < 0) *e = group[i]->trainer->failure, seconds = -1;
        if (seconds >= 0 && racer[i].seconds > seconds) seconds = racer[i].seconds;
    }
    pthread_barrier_destroy(&start);
    return seconds;
}

/* Warms up, then one after another, then side by side. */
static Rc time_arms(Check *c, Group **group, const char *precision, Error *e) {
    Sizes s = sizes(c);
    double apart = 0, beside;
    for (int i = 0; i < TABLE_ARMS; i++)
        if (group_steps(group[i], s.stretch) < 0) return *e = group[i]->trainer->failure, RC_UNMEASURED;
    for (int i = 0; i < TABLE_ARMS; i++) {
        double seconds = group_steps(group[i], s.table_steps);
        if (seconds < 0) return *e = group[i]->trainer->failure, RC_UNMEASURED;
        apart += seconds;
    }
    beside = together(group, s.table_steps, e);
    if (beside < 0) return RC_UNMEASURED;
    json_number(&c->json, "seconds_one_after_another", apart);
    json_number(&c->json, "seconds_side_by_side", beside);
    printf("table, %s: %d arms x %d seeds x %d steps in %.2f s side by side, %.2f s one after another\n", precision,
           TABLE_ARMS, s.seeds, s.table_steps, beside, apart);
    if (group[0]->trainer->program.backend == c->exact)
        check_target(c, "seconds of training for the table", beside < apart ? beside : apart, TABLE_SECONDS, true);
    return RC_OK;
}

static void time_table(Check *c, int precision) {
    const Backend *backend = c->in[precision];
    Sizes s = sizes(c);
    Error e = c->without;
    Group *group[TABLE_ARMS];
    int made = 0;
    Rc rc = backend ? RC_OK : RC_UNMEASURED;
    json_object(&c->json, NULL);
    json_text(&c->json, "precision", check_precision(precision));
    json_number(&c->json, "seeds", s.seeds);
    json_number(&c->json, "steps", s.table_steps);
    for (; made < TABLE_ARMS && !rc; made += !rc) {
        group[made] = mem_alloc(1, sizeof **group);
        rc = group_init(group[made], backend, c->quick, made, s.seeds, NULL, &e);
        if (rc) free(group[made]);
    }
    if (!rc) rc = time_arms(c, group, check_precision(precision), &e);
    if (rc) check_unmeasured(c, "table", &e);
    while (made--) {
        group_release(group[made]);
        free(group[made]);
    }
    json_end(&c->json);
}

void part_speed(Check *c) {
    Sizes s = sizes(c);
    Error e = c->without;
    Rc rc = RC_OK;
    check_ceilings(c);
    json_object(&c->json, "speed");
    json_list(&c->json, "steps");
    for (int p = 0; p < check_precisions(c) && !rc; p++) {
        if (!c->in[p]) rc = RC_UNMEASURED;
        for (int i = 0; i < (c->quick ? 2 : 3) && !rc; i++)
            rc = time_group(c, c->in[p], check_precision(p), s.replicas[i], &e);
    }
    json_end(&c->json);
    if (rc) check_unmeasured(c, "steps", &e);
    json_list(&c->json, "table");
    for (int p = 0; p < (c->quick ? 1 : CHECK_PRECISIONS); p++) time_table(c, p);
    json_end(&c->json);
    json_end(&c->json);
}

void part_count(Check *c) {
    OWNED Work *w = mem_alloc(1, sizeof *w);
    for (int i = 0; i < TABLE_ARMS * CHECK_PRECISIONS; i++) {
        const int arm = i / CHECK_PRECISIONS, p = i % CHECK_PRECISIONS;
        Error e = c->without;
        if (!c->in[p] || work_of(w, c->in[p], false, arm, 1, NULL, &e)) {
            c->unmeasured++;
            fprintf(stderr, "%s: %s\n", check_precision(p), e.text);
            continue;
        }
        double flops = 0;
        for (int k = 0; k < w->kernels; k++) flops += w->kernel[k].flops;
        printf("8 x 128, %s, %s: %d kernels a step, %.3f GFLOP and %.3f GB a replica\n", table_arm_name(arm),
               check_precision(p), w->launches, flops / 1e9, w->bytes / 1e9);
    }
}
