#include "bench/plan/twins.h"

#include <stdlib.h>
#include <string.h>

#include "bench/plan/settle.h"
#include "models/transformer.h"

/* Return an arm's keys with every factor at its first value, without what may change nothing: arms that differ here
 * differ in every cell. */
static char *outline(const Experiment *x, const Arm *a) {
    RunSpec spec = a->spec;
    Text text;
    Error none;
    for (const Factor *f = x->factor; f < x->factor + x->factors; f++)
        (void)spec_set(&spec, f->key, f->value[0], &none);
    spec_outline(&spec);
    text_init(&text);
    spec_text_keys(&spec, &text);
    return text.at;
}

static bool same_keys(const RunSpec *a, const RunSpec *b) {
    LOCAL_TEXT(one);
    LOCAL_TEXT(other);
    spec_text_keys(a, &one), spec_text_keys(b, &other);
    return !strcmp(one.at, other.at);
}

static bool same_spec(const Experiment *x, int cell, int a, int b) {
    RunSpec one = experiment_spec(x, cell, a, 0), other = experiment_spec(x, cell, b, 0);
    return same_keys(&one, &other);
}

void twins_find(const Experiment *x, int *first) {
    char *text[EXPERIMENT_ARMS_MAX];
    int cells = experiment_cells(x);
    for (int arm = 0; arm < x->arms; arm++) text[arm] = outline(x, &x->arm[arm]);
    for (int cell = 0; cell < cells; cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            int *at = &first[cell * x->arms + arm];
            for (*at = 0; *at < arm; ++*at)
                if (!strcmp(text[*at], text[arm]) && same_spec(x, cell, *at, arm)) break;
        }
    for (int arm = 0; arm < x->arms; arm++) free(text[arm]);
}

/* An arm in a cell: the hash of its tape, and its spec. */
typedef struct {
    char tape[SHA256_HEX];
    RunSpec spec;
} Seen;

/* Hash the tape of a spec, or copy the previous cell's hash if shape and row are equal. */
static void see(Seen *now, const Seen *before, const RunSpec *spec) {
    ModelShape shape = spec_shape(spec, 65), old = before ? spec_shape(&before->spec, 65) : shape;
    LOCAL(tape_release) Tape t = {0};
    now->spec = *spec;
    if (before && shape_equal(&shape, &old) && variant_same(&spec->variant, &before->spec.variant)) {
        strcpy(now->tape, before->tape);
        return;
    }
    transformer_build(&t, &shape, &spec->variant, NULL);
    tape_sha256(&t, now->tape);
}

static bool alike(const Seen *a, const Seen *b) {
    RunSpec spec = b->spec;
    spec.variant = a->spec.variant, spec.mended = a->spec.mended;
    return !strcmp(a->tape, b->tape) && same_keys(&a->spec, &spec);
}

/* Fill like[cells * arms] with the first arm of the cell whose tape, and keys beside the row, are equal, possibly
 * itself. Twins are alike; other arms that are alike have runs of their own, with equal losses. */
static void twins_alike(const Experiment *x, int *like) {
    Seen *seen = mem_alloc(2 * (size_t)x->arms, sizeof *seen), *now = seen, *before = seen + x->arms;
    for (int cell = 0; cell < experiment_cells(x); cell++) {
        for (int arm = 0; arm < x->arms; arm++) {
            RunSpec spec = experiment_spec(x, cell, arm, 0);
            int *at = &like[cell * x->arms + arm];
            see(&now[arm], cell ? &before[arm] : NULL, &spec);
            for (*at = 0; *at < arm; ++*at)
                if (alike(&now[*at], &now[arm])) break;
        }
        Seen *other = now;
        now = before, before = other;
    }
    free(seen);
}

/* Count the cells in which b is a. */
static int cells_alike(const Experiment *x, const int *first, int a, int b) {
    int alike = 0;
    for (int cell = 0; cell < experiment_cells(x); cell++) alike += first[cell * x->arms + b] == a;
    return alike;
}

static const char end[] = ": their runs are trained once and are not compared. ";

/* Append "Arms a, b and c are one network", for those that are a in every cell. */
static void same_everywhere(const Experiment *x, const int *first, int a, Text *out) {
    int others[EXPERIMENT_ARMS_MAX], count = 0;
    for (int b = a + 1; b < x->arms; b++)
        if (cells_alike(x, first, a, b) == experiment_cells(x)) others[count++] = b;
    if (!count) return;
    text_format(out, "Arms %s", x->arm[a].name);
    for (int i = 0; i < count; i++)
        text_format(out, "%s%s", i < count - 1 ? ", " : " and ", x->arm[others[i]].name);
    text_format(out, " are one network%s", end);
}

static void same_somewhere(const Experiment *x, const int *first, int a, int b, Text *out) {
    enum { NAMED = 2 };
    char where[256];
    int cells = experiment_cells(x), alike = cells_alike(x, first, a, b), named = 0;
    if (!alike || alike == cells) return;
    text_format(out, "Arms %s and %s are one network", x->arm[a].name, x->arm[b].name);
    for (int cell = 0; cell < cells && named < NAMED; cell++)
        if (first[cell * x->arms + b] == a)
            text_format(out, "%s%s", named++ ? " and " : " where ", experiment_cell_text(where, x, cell));
    if (alike > named) text_format(out, " and in %d more cells", alike - named);
    text_format(out, "%s", end);
}

/* b is like a in some cell, and its twin in none. */
static void other_words(const Experiment *x, const int *first, const int *like, int a, int b, Text *out) {
    char where[256];
    int cells = experiment_cells(x), alike = cells_alike(x, like, a, b), cell = 0;
    if (!alike || cells_alike(x, first, a, b)) return;
    while (like[cell * x->arms + b] != a) cell++;
    text_format(out, "Arms %s and %s run the same operations", x->arm[a].name, x->arm[b].name);
    if (alike < cells) text_format(out, " where %s", experiment_cell_text(where, x, cell));
    if (alike < cells && alike > 1) text_format(out, " and in %d more cells", alike - 1);
    text_format(out, ": they are one network in other words, and every difference between them is 0. ");
}

void twins_text(const Experiment *x, Text *out) {
    size_t count = (size_t)experiment_cells(x) * (size_t)x->arms;
    OWNED int *first = mem_alloc(count, sizeof *first), *like = mem_alloc(count, sizeof *like);
    twins_find(x, first), twins_alike(x, like);
    for (int a = 0; a < x->arms; a++) {
        same_everywhere(x, first, a, out);
        for (int b = a + 1; b < x->arms; b++) same_somewhere(x, first, a, b, out);
        for (int b = a + 1; b < x->arms; b++) other_words(x, first, like, a, b, out);
    }
}
