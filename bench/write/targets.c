#include "bench/write/targets.h"

#include <stdio.h>

enum { ARM_WIDTH = 18, NAMED = ARM_NAME_SIZE + 260 };

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

void targets_rows(const Table *t, const Contrast *w, Text *out) {
    Targets x;
    char number[SHOWN], p[SHOWN], name[NAMED], heading[NAMED + 3];
    if (targets_make(&x, &t->sample, w)) return;
    Text words;
    text_init(&words);
    text_format(out, "\nof N = %ld targets, right in one arm alone\n  %5s  ", x.targets, "seed");
    for (int side = 0; side < 2; side++) {
        snprintf(heading, sizeof heading, "%s: %s", side ? "c" : "b", arm_name(name, t, &x, side));
        show_column(out, heading, ARM_WIDTH);
        text_format(out, "  ");
    }
    text_format(out, "   (b - c)/N  McNemar p\n");
    for (const TargetSeed *s = x.seed; s < x.seed + x.seeds; s++) {
        double d = (double)(s->only_a - s->only_b) / (double)x.targets;
        text_format(out, "  %5llu  %*ld  %*ld  %12s  %9s\n", (unsigned long long)s->seed, ARM_WIDTH, s->only_a,
                    ARM_WIDTH, s->only_b, show_signed(number, d, 6), show_p(p, s->test.p));
    }
    text_format(&words, "%s ", targets_why_seeds);
    beside_frequent(t, &x, &words);
    table_wrapped(words.at, 0, out);
    text_release(&words);
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
