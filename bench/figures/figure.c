/* The list of a table's figures, their names, and how they are drawn. */
#include "bench/figures/figure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "base/scratch.h"

static const FigureRow *const rows[FIGURE_KINDS] = {
    [FIGURE_ranking] = &figure_ranking, [FIGURE_ranking_rates] = &figure_ranking_rates,
    [FIGURE_corpora] = &figure_corpora, [FIGURE_differences] = &figure_differences,
    [FIGURE_rates] = &figure_rates,     [FIGURE_budget] = &figure_budget,
    [FIGURE_spikes] = &figure_spikes,   [FIGURE_seeds] = &figure_seeds,
    [FIGURE_curves] = &figure_curves,   [FIGURE_blocks] = &figure_blocks,
    [FIGURE_growth] = &figure_growth};

/* A factor's value for a file's name: LaTeX takes what stands behind a dot for the kind of file, so 0.02 is 2e-2. */
static void value_text(const char *value, Text *out) {
    const char *dot = strchr(value, '.'), *end = value + strcspn(value, "eE");
    double number;
    if (!dot || !parse_real(value, &number)) {
        for (const char *s = value; *s; s++)
            text_add(out, isalnum((unsigned char)*s) || strchr("+-_", *s) ? s : "_", 1);
        return;
    }
    const char *first = value + strspn(value, "-0.");
    text_format(out, "%s", *value == '-' ? "-" : "");
    for (const char *s = first; s < end; s++)
        if (*s != '.') text_add(out, s, 1);
    text_format(out, "%se%ld", first < end ? "" : "0", (*end ? strtol(end + 1, NULL, 10) : 0) - (end - dot - 1));
}

/* "lr=3e-4,warmup=500" of a cell. */
static void cell_name(const Experiment *x, int cell, const char *without, Text *out) {
    text_clear(out);
    for (int f = 0; f < x->factors; f++) {
        if (without && !strcmp(x->factor[f].key, without)) continue;
        text_format(out, "%s%s=", out->length ? "," : "", x->factor[f].key);
        value_text(x->factor[f].value[experiment_level(x, cell, f)], out);
    }
}

/* A part's cell and its name, among all parts of a kind. */
typedef struct {
    char *name;
    int cell;
} Named;

static int by_name(const void *a, const void *b) {
    const Named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->cell > y->cell) - (x->cell < y->cell);
}

/* The cells that a kind's parts are named by, in order of their names; returns how many. */
static int name_cells(const Table *t, const FigureRow *row, int parts, Named **out) {
    int count = 0, cells = experiment_cells(t->x);
    LOCAL_TEXT(name);
    *out = mem_alloc((size_t)parts, sizeof **out);
    for (int i = 0; i < parts; i++) {
        int cell = row->cell(t, i);
        if (cell < 0 || cell >= cells) continue;
        cell_name(t->x, cell, row->without, &name);
        (*out)[count++] = (Named){mem_text(name.at), cell};
    }
    qsort(*out, (size_t)count, sizeof **out, by_name);
    return count;
}

/* Whether no other cell has the name. */
static bool own_name(const Named *named, int count, const char *name, int cell) {
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (strcmp(named[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && !strcmp(named[low].name, name); low++)
        if (named[low].cell != cell) return false;
    return true;
}

/* NAME-curves-lr=3e-4; -cellK where another cell has that name, or it is too long. */
static void name_figure(const Table *t, const FigureRow *row, const Named *named, int count, Figure *f) {
    int cell = row->cell(t, f->part);
    LOCAL_TEXT(own);
    snprintf(f->name, sizeof f->name, "%s-%s", t->name, row->name);
    if (cell < 0) return;
    cell_name(t->x, cell, row->without, &own);
    size_t n = strlen(f->name);
    if (own.length && n + own.length < 150 && own_name(named, count, own.at, cell))
        snprintf(f->name + n, sizeof f->name - n, "-%s", own.at);
    else
        snprintf(f->name + n, sizeof f->name - n, "-cell%d", cell);
}

static void number_figure(const Table *t, const FigureRow *row, Figure *f) {
    int number = row->number ? row->number(t, f->part) : 0;
    size_t n = strlen(f->name);
    if (number) snprintf(f->name + n, sizeof f->name - n, "-%d", number);
}

static int list_kind(const Table *t, FigureKind kind, int count, Figure **out) {
    const FigureRow *row = rows[kind];
    Named *named;
    int parts = row->parts(t), cells = name_cells(t, row, parts, &named);
    for (int i = 0; i < parts; i++) {
        if (!row->any(t, i)) continue;
        *out = mem_grow(*out, (size_t)count + 1, sizeof **out);
        Figure *f = &(*out)[count++];
        *f = (Figure){.kind = kind, .part = i};
        name_figure(t, row, named, cells, f);
        number_figure(t, row, f);
    }
    for (int i = 0; i < cells; i++) free(named[i].name);
    free(named);
    return count;
}

int figure_list(const Table *t, Figure **out) {
    int count = 0;
    *out = NULL;
    for (FigureKind kind = 0; kind < FIGURE_KINDS; kind++) count = list_kind(t, kind, count, out);
    return count;
}

void figure_caption(const Table *t, const Figure *f, Text *out) {
    rows[f->kind]->caption(t, f->part, out);
}

void figure_plot(const Table *t, const Figure *f, Plot *p) {
    LOCAL_TEXT(caption);
    plot_init(p, 1, 0);
    rows[f->kind]->fill(t, f->part, p);
    figure_caption(t, f, &caption);
    plot_text(&p->caption, "%s", caption.at);
}

/* The figures of a table, each drawn by any thread in a folder of its own. */
typedef struct {
    const Figure *figure;
    Plot *plot; /* of each figure */
    int formats;
    const char *aside, *folder;
    Error *error; /* of each figure */
} Drawing;

static void draw_one(void *context, int i) {
    const Drawing *d = context;
    char aside[1200];
    d->error[i] = (Error){0};
    snprintf(aside, sizeof aside, "%.1000s/%d", d->aside, i);
    if (folder_make(aside, &d->error[i])) return;
    (void)plot_draw(&d->plot[i], d->figure[i].name, d->formats, aside, d->folder, &d->error[i]);
}

static Rc draw_all(const Drawing *d, int figures, Error *e) {
    int i = 0;
    pool_run(pool_processors(), figures, draw_one, (void *)d);
    while (i < figures && !d->error[i].code) i++;
    if (i < figures) *e = d->error[i];
    return i < figures ? e->code : RC_OK;
}

Rc figure_draw(const Table *t, const char *folder, int formats, Error *e) {
    Scratch aside;
    Figure *figure;
    if (scratch_make(&aside, e)) return e->code;
    int figures = figure_list(t, &figure);
    OWNED Plot *plot = mem_alloc((size_t)figures, sizeof *plot);
    Drawing d = {figure, plot, formats, aside.path, folder, mem_alloc((size_t)figures, sizeof *d.error)};
    folder_sweep(folder);
    for (int i = 0; i < figures; i++) figure_plot(t, &figure[i], &plot[i]);
    Rc rc = draw_all(&d, figures, e);
    for (int i = 0; i < figures; i++) plot_release(&plot[i]);
    free(d.error);
    free(figure);
    scratch_remove(&aside);
    return rc;
}
