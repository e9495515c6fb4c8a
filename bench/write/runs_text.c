/* `normbench runs`: stored runs, a line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/latex.h"
#include "bench/write/runs.h"

enum { MOST_COLUMNS = 16, ROOM = 64 };

/* Texts in columns, each as wide as its widest. */
typedef struct {
    int columns, rows;
    bool right[MOST_COLUMNS];
    char (*cell)[ROOM]; /* [rows][columns]; row 0: the headings */
} Columns;

static char *cell_of(Columns *c, int row, int column) {
    return c->cell[row * MOST_COLUMNS + column];
}

static void columns_print(Columns *c, Text *out) {
    int width[MOST_COLUMNS] = {0};
    for (int row = 0; row < c->rows; row++)
        for (int i = 0; i < c->columns; i++) {
            int n = ROOM;
            (void)show_bytes(cell_of(c, row, i), &n);
            if (n > width[i]) width[i] = n;
        }
    for (int row = 0; row < c->rows; row++) {
        text_format(out, " ");
        for (int i = 0; i < c->columns; i++) {
            text_format(out, " ");
            if (i == c->columns - 1 && !c->right[i])
                text_format(out, "%s", cell_of(c, row, i));
            else
                show_column(out, cell_of(c, row, i), c->right[i] ? -width[i] : width[i]);
            if (i < c->columns - 1) text_format(out, " ");
        }
        while (out->length && out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
        text_format(out, "\n");
    }
}

static void status_of(char out[ROOM], const RunRecord *r) {
    if (r->diverged_step < 0)
        snprintf(out, ROOM, "%s", r->status);
    else
        snprintf(out, ROOM, "%s at step %d", r->status, r->diverged_step);
}

static void loss_of(char out[ROOM], const RunRecord *r) {
    char number[SHOWN];
    const Evaluation *last = listing_last(r);
    double loss = last ? last->metric[METRIC_valid_loss] : 0;
    snprintf(out, ROOM, "%s", last ? show_number(number, loss, metric_info[METRIC_valid_loss].digits) : "-");
}

static int add_column(Columns *c, const char *heading, bool right) {
    snprintf(cell_of(c, 0, c->columns), ROOM, "%s", heading);
    c->right[c->columns] = right;
    return c->columns++;
}

static void group_rows(const Listing *l, int group, int rows, Text *out) {
    const char *key[LISTING_MOST_KEYS];
    char value[SPEC_TEXT_SIZE];
    int keys = listing_differ(l, group, true, key), row = 1;
    bool twins = listing_twins(l, group), other = false;
    if (keys > MOST_COLUMNS - 7) keys = MOST_COLUMNS - 7;
    for (int i = 0; i < l->runs; i++)
        other |= l->run[i].group == group && strcmp(l->run[i].record->arithmetic_class, "canon");
    Columns c = {.rows = rows + 1, .cell = mem_alloc((size_t)(rows + 1) * MOST_COLUMNS, sizeof *c.cell)};
    add_column(&c, "run", false), add_column(&c, "arm", false);
    for (int k = 0; k < keys; k++) add_column(&c, key[k], true);
    add_column(&c, "seed", true), add_column(&c, "valid loss", true), add_column(&c, "status", false);
    if (other) add_column(&c, "class", false);
    if (twins) add_column(&c, "bits", false);
    for (int i = 0; i < l->runs; i++) {
        const ListedRun *run = &l->run[i];
        int at = 0;
        if (run->group != group) continue;
        snprintf(cell_of(&c, row, at++), ROOM, "%.12s", run->record->id);
        snprintf(cell_of(&c, row, at++), ROOM, "%s", run->arm);
        for (int k = 0; k < keys; k++)
            snprintf(cell_of(&c, row, at++), ROOM, "%.60s", listing_value(value, l, run, key[k]));
        snprintf(cell_of(&c, row, at++), ROOM, "%.60s", listing_value(value, l, run, "seed"));
        loss_of(cell_of(&c, row, at++), run->record);
        status_of(cell_of(&c, row, at++), run->record);
        if (other) snprintf(cell_of(&c, row, at++), ROOM, "%.60s", run->record->arithmetic_class);
        if (twins)
            snprintf(cell_of(&c, row, at++), ROOM, "%.8s, corpus %.8s", run->record->arithmetic,
                     run->record->dataset_sha256);
        row++;
    }
    columns_print(&c, out);
    free(c.cell);
}

static void heading(const RunGroup *g, Text *out) {
    if (!g->planned && !g->experiment[0])
        text_format(out, "Of no experiment here");
    else if (g->options[0])
        text_format(out, "%s%s", g->experiment, g->options);
    else
        text_format(out, "%s%s%s%s", g->experiment, g->profile[0] ? " " : "", g->profile,
                    g->planned ? "" : ", changed on the command line");
    if (g->plan[0]) text_format(out, " (plan %.8s)", g->plan);
    if (g->planned)
        text_format(out, ": %d of %d runs stored\n", g->stored, g->planned);
    else
        text_format(out, ": %d run%s stored\n", g->stored, g->stored == 1 ? "" : "s");
}

void runs_text(const Listing *l, bool empty, Text *out) {
    for (int group = 0; group < l->groups; group++) {
        int rows = 0;
        for (int i = 0; i < l->runs; i++) rows += l->run[i].group == group;
        if (!rows && !(empty && !l->group[group].stored)) continue;
        if (out->length) text_format(out, "\n");
        heading(&l->group[group], out);
        if (rows) group_rows(l, group, rows, out);
    }
}
