#include "bench/write/targets.h"

#include <stdio.h>

#include "bench/formats/cells.h"

enum { NAMED = ARM_NAME_SIZE + 260 };

/* "layernorm"; of arms in different cells "pre (width = 32)". */
static const char *arm_name(char out[NAMED], const Table *t, const Targets *x, int side) {
    const char *name = t->x->arm[x->arm[side]->arm].name;
    char cell[256];
    if (x->arm[0]->cell == x->arm[1]->cell)
        snprintf(out, NAMED, "%s", name);
    else
        snprintf(out, NAMED, "%s (%s)", name, experiment_cell_text(cell, t->x, x->arm[side]->cell));
    return out;
}

static bool above(const Targets *x, int side) {
    return x->accuracy[side] > x->frequent;
}

/* "Always the most frequent target would be right 0.1490 of the time: layernorm, 0.2700, is above that, …" */
static void beside_frequent(const Table *t, const Targets *x, Text *out) {
    char number[SHOWN], name[NAMED];
    show_number(number, x->frequent, 4);
    text_format(out, "Always the most frequent target would be right %s of the time:", number);
    for (int side = 0; side < 2; side++)
        text_format(out, "%s %s, %s, is %sabove that", side ? ";" : "", arm_name(name, t, x, side),
                    show_number(number, x->accuracy[side], 4), above(x, side) ? "" : "not ");
    text_format(out, ".");
}

void targets_text(const Table *t, const Contrast *w, Text *out) {
    Targets x;
    char p[SHOWN], name[2][NAMED];
    if (targets_make(&x, &t->sample, w)) return;
    text_format(out, "Of N = %ld targets, right in %s alone (b), in %s alone (c), exact McNemar p:", x.targets,
                arm_name(name[0], t, &x, 0), arm_name(name[1], t, &x, 1));
    for (const TargetSeed *s = x.seed; s < x.seed + x.seeds; s++)
        text_format(out, "%s seed %llu %ld, %ld, %s", s == x.seed ? "" : ";", (unsigned long long)s->seed, s->only_a,
                    s->only_b, show_p(p, s->test.p));
    text_format(out, ". %s ", targets_why_seeds);
    beside_frequent(t, &x, out);
    targets_release(&x);
}

void targets_rows(const Table *t, const Contrast *w, int width, Text *out) {
    Targets x;
    Cells c;
    char number[SHOWN], name[NAMED];
    if (targets_make(&x, &t->sample, w)) return;
    cells_init(&c, "targets", "");
    text_format(&c.title, "of N = %ld targets, right in one arm alone", x.targets);
    cells_column(&c, "seed", 'r', "seed");
    cells_column_over(&c, "only_first", 'r', arm_name(name, t, &x, 0), "b");
    cells_column_over(&c, "only_second", 'r', arm_name(name, t, &x, 1), "c");
    cells_column(&c, "difference", 'r', "(b - c)/N");
    cells_column(&c, "p", 'r', "McNemar p");
    for (const TargetSeed *s = x.seed; s < x.seed + x.seeds; s++) {
        double d = (double)(s->only_a - s->only_b) / (double)x.targets;
        cells_row(&c);
        cell_integer(&c, (long)s->seed), cell_integer(&c, s->only_a), cell_integer(&c, s->only_b);
        cell_shown(&c, d, show_signed(number, d, 6)), cell_p(&c, s->test.p);
    }
    text_format(&c.notes, "%s ", targets_why_seeds);
    beside_frequent(t, &x, &c.notes);
    text_format(out, "\n");
    cells_text(&c, width, out);
    cells_release(&c);
    targets_release(&x);
}

json_t *targets_json(const Table *t, const Contrast *w) {
    Targets x;
    char name[NAMED];
    if (targets_make(&x, &t->sample, w)) return NULL;
    json_t *o = json_object(), *arms = json_array(), *seeds = json_array();
    json_object_set_new(o, "n", json_integer(x.targets));
    json_put(o, "most_frequent", x.frequent);
    for (int side = 0; side < 2; side++) {
        json_t *arm = json_object();
        json_put_text(arm, "arm", arm_name(name, t, &x, side));
        json_put(arm, "accuracy", x.accuracy[side]);
        json_object_set_new(arm, "above_most_frequent", json_boolean(above(&x, side)));
        json_array_append_new(arms, arm);
    }
    for (const TargetSeed *s = x.seed; s < x.seed + x.seeds; s++) {
        json_t *seed = json_object();
        json_object_set_new(seed, "seed", json_integer((json_int_t)s->seed));
        json_object_set_new(seed, "only_first", json_integer(s->only_a));
        json_object_set_new(seed, "only_second", json_integer(s->only_b));
        json_put(seed, "p", s->test.p);
        json_array_append_new(seeds, seed);
    }
    json_object_set_new(o, "arms", arms);
    json_object_set_new(o, "seeds", seeds);
    json_put_text(o, "note", targets_why_seeds);
    targets_release(&x);
    return o;
}
