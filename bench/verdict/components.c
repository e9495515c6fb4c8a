#include "bench/verdict/components.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verdict/grouping.h"

static const char *const component_keys[COMPONENT_STREAMS] = {"init_seed", "order_seed", "dropout_seed"};
const char *const component_names[COMPONENT_STREAMS] = {"starting weights", "batches", "dropout"};

/* The streams that follow the seed in a cell; *all: those that are factors. */
static unsigned varying(const Experiment *x, int cell, unsigned *all) {
    unsigned varies = 0;
    *all = 0;
    for (int i = 0; i < x->factors; i++)
        for (int k = 0; k < COMPONENT_STREAMS; k++) {
            if (strcmp(x->factor[i].key, component_keys[k])) continue;
            *all |= 1u << k;
            if (!strcmp(x->factor[i].value[experiment_level(x, cell, i)], "0")) varies |= 1u << k;
        }
    return varies;
}

static bool alone(unsigned streams) {
    return streams && !(streams & (streams - 1));
}

static ComponentRow row_of(const Sample *s, int cell, int arm) {
    unsigned all;
    ComponentRow row = {.varies = varying(s->x, cell, &all)};
    OWNED double *x = mem_alloc((size_t)s->seeds, sizeof *x);
    row.source = alone(row.varies), row.all = row.varies == all;
    for (int seed = 0; seed < s->seeds; seed++) {
        const SampleRun *run = sample_run(s, cell, s->cell[cell].steps - 1, arm, seed);
        x[seed] = run->value[s->x->metric];
        row.diverged += run->diverged;
    }
    row.sd = st_sd(x, (size_t)s->seeds, 1 - s->x->alpha);
    return row;
}

static int order(const ComponentRow *row) {
    return row->source ? 0 : row->all ? 1 : 2;
}

static int by_order(const void *a, const void *b) {
    const ComponentRow *x = a, *y = b;
    if (order(x) != order(y)) return order(x) - order(y);
    return x->source ? (int)x->varies - (int)y->varies : (int)y->varies - (int)x->varies;
}

static void finish(ComponentArm *arm, double conf) {
    StSd part[COMPONENT_STREAMS];
    size_t parts = 0;
    qsort(arm->row, (size_t)arm->rows, sizeof *arm->row, by_order);
    for (int i = 0; i < arm->rows; i++)
        if (arm->row[i].source) part[parts++] = arm->row[i].sd;
    arm->sum = st_sd_of_sum(part, parts, conf);
}

bool components_make(Components *c, const Sample *s) {
    if (!s->x->summary[SUMMARY_components]) return false;
    Grouping g = grouping_of(s->x, component_keys, COMPONENT_STREAMS);
    unsigned all;
    *c = (Components){.groups = g.groups, .seeds = s->seeds, .arms = s->arms};
    (void)varying(s->x, 0, &all);
    for (int k = 0; k < COMPONENT_STREAMS; k++) c->streams += all >> k & 1;
    c->group = mem_alloc((size_t)c->groups, sizeof *c->group);
    c->at = mem_alloc((size_t)c->groups * (size_t)c->arms, sizeof *c->at);
    for (int cell = 0; cell < s->cells; cell++) {
        int group = grouping_group(&g, cell);
        grouping_text(&g, cell, c->group[group]);
        for (int arm = 0; arm < s->arms; arm++) {
            ComponentArm *one = &c->at[group * c->arms + arm];
            one->group = group, one->arm = arm;
            one->row[one->rows++] = row_of(s, cell, arm);
        }
    }
    for (int i = 0; i < c->groups * c->arms; i++) finish(&c->at[i], 1 - s->x->alpha);
    return true;
}

void components_release(Components *c) {
    free(c->at);
    free(c->group);
    *c = (Components){0};
}

double component_share(const ComponentArm *arm, const ComponentRow *row) {
    if (!row->source || arm->sum.status != ST_OK || !(arm->sum.sd > 0)) return (double)NAN;
    return row->sd.sd * row->sd.sd / (arm->sum.sd * arm->sum.sd);
}
