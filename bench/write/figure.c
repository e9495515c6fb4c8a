#include "bench/write/figure_sheet.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/subprocess.h"
#include "bench/write/summaries.h"

static const RunRecord *record(const Table *t, int cell, int arm, int seed) {
    return &t->records[(cell * t->sample.arms + arm) * t->sample.seeds + seed];
}

/* Row i of every seed's curves belongs to the same step: a row is a step. */
Curve figure_curve(const Table *t, int cell, int arm, const CurveInfo *what) {
    Curve out = {0};
    int most = 0;
    for (int seed = 0; seed < t->sample.seeds; seed++) {
        int rows = record(t, cell, arm, seed)->curves.rows;
        most = rows > most ? rows : most;
    }
    size_t room = (size_t)most;
    out.step = mem_alloc(room, sizeof *out.step), out.n = mem_alloc(room, sizeof *out.n);
    out.mean = mem_alloc(room, sizeof *out.mean);
    out.least = mem_alloc(room, sizeof *out.least), out.most = mem_alloc(room, sizeof *out.most);
    for (int row = 0; row < most; row++) {
        double sum = 0, least = (double)INFINITY, largest = -(double)INFINITY;
        int n = 0, step = row;
        for (int seed = 0; seed < t->sample.seeds; seed++) {
            const Curves *c = &record(t, cell, arm, seed)->curves;
            if (row >= c->rows) continue;
            double x = curve_number(c, row, what, 0);
            if (!isfinite(x)) continue;
            step = (int)curve_at(c, row, CURVE_step);
            sum += x, least = fmin(least, x), largest = fmax(largest, x);
            n++;
        }
        if (!n) continue;
        out.step[out.rows] = step, out.n[out.rows] = n;
        out.mean[out.rows] = sum / n, out.least[out.rows] = least, out.most[out.rows++] = largest;
    }
    return out;
}

void curve_release(Curve *c) {
    free(c->step);
    free(c->n);
    free(c->mean);
    free(c->least);
    free(c->most);
    *c = (Curve){0};
}

void figure_csv(const Table *t, Text *out) {
    if (!figure_curve_cells(t)) return;
    text_format(out, "cell,arm,quantity,step,mean,least,most,seeds,of\n");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (const Panel *panel = t->x->panel; panel < t->x->panel + t->x->panels; panel++)
            for (int arm = 0; arm < t->sample.arms; arm++) {
                Curve c = figure_curve(t, cell, arm, panel->curve);
                char where[256];
                experiment_cell_text(where, t->x, cell);
                for (int i = 0; i < c.rows; i++) {
                    csv_text(out, where);
                    text_format(out, ",");
                    csv_text(out, t->x->arm[arm].name);
                    text_format(out, ",%s,%d,", panel->curve->column, c.step[i]);
                    csv_number(out, c.mean[i]);
                    text_format(out, ",");
                    csv_number(out, c.least[i]);
                    text_format(out, ",");
                    csv_number(out, c.most[i]);
                    text_format(out, ",%d,%d\n", c.n[i], t->sample.seeds);
                }
                curve_release(&c);
            }
}

double figure_tick(double range, int most) {
    static const double of[] = {1, 2, 5};
    double power = pow(10, floor(log10(range / most)));
    for (int i = 0; i < 3; i++)
        if (range / (of[i] * power) <= most) return of[i] * power;
    return 10 * power;
}

static const FigureRow *const rows[FIGURE_KINDS] = {[FIGURE_ranking] = &figure_ranking,
                                                    [FIGURE_ranking_rates] = &figure_ranking_rates,
                                                    [FIGURE_corpora] = &figure_corpora,
                                                    [FIGURE_differences] = &figure_differences,
                                                    [FIGURE_rates] = &figure_rates,
                                                    [FIGURE_budget] = &figure_budget,
                                                    [FIGURE_spikes] = &figure_spikes,
                                                    [FIGURE_seeds] = &figure_seeds,
                                                    [FIGURE_curves] = &figure_curves,
                                                    [FIGURE_blocks] = &figure_blocks,
                                                    [FIGURE_growth] = &figure_growth};

int figure_curve_cells(const Table *t) {
    for (int i = 0; i < t->sample.cells * t->sample.arms * t->sample.seeds; i++)
        if (t->records[i].curves.rows > 1) return t->sample.cells;
    return 0;
}

int figure_own_cell(const Table *t, int part) {
    return t->sample.cells > 1 ? part : -1;
}

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

char *figure_where(char out[256], const Experiment *x, int cell, const char *without) {
    size_t n = 0;
    out[0] = 0;
    for (int f = 0; f < x->factors && n < 256; f++) {
        const char *value = x->factor[f].value[experiment_level(x, cell, f)];
        char rate[SHOWN];
        double number;
        if (without && !strcmp(x->factor[f].key, without)) continue;
        if (!strcmp(x->factor[f].key, "lr") && parse_real(value, &number)) value = show_rate(rate, number);
        n += (size_t)snprintf(out + n, 256 - n, "%s%s=%s", n ? ", " : "", x->factor[f].key, value);
    }
    return out;
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
    Text name;
    *out = mem_alloc((size_t)parts, sizeof **out);
    text_init(&name);
    for (int i = 0; i < parts; i++) {
        int cell = row->cell(t, i);
        if (cell < 0 || cell >= cells) continue;
        cell_name(t->x, cell, row->without, &name);
        (*out)[count++] = (Named){mem_text(name.at), cell};
    }
    text_release(&name);
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
    Text own;
    snprintf(f->name, sizeof f->name, "%s-%s", t->name, row->name);
    if (cell < 0) return;
    text_init(&own);
    cell_name(t->x, cell, row->without, &own);
    size_t n = strlen(f->name);
    if (own.length && n + own.length < 150 && own_name(named, count, own.at, cell))
        snprintf(f->name + n, sizeof f->name - n, "-%s", own.at);
    else
        snprintf(f->name + n, sizeof f->name - n, "-cell%d", cell);
    text_release(&own);
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

static bool is_pdf(int format) {
    return 1 << format & (FIGURE_PDF | FIGURE_COLUMN_PDF);
}

int sheet_format(int formats, int *i, Text *out) {
    for (; *i < 2 * FIGURE_FORMATS; ++*i) {
        bool pdf = *i >= FIGURE_FORMATS;
        int format = *i % FIGURE_FORMATS;
        if (*i == FIGURE_FORMATS) text_format(out, "if (strstrt(GPVAL_TERMINALS, 'pdfcairo') == 0) exit\n");
        if (!(formats >> format & 1) || is_pdf(format) != pdf) continue;
        ++*i;
        return format;
    }
    return -1;
}

void figure_script(const Table *t, const Figure *f, int formats, Text *out) {
    text_format(out, "set encoding utf8\n");
    rows[f->kind]->data(t, f->part, out);
    for (int i = 0, format; (format = sheet_format(formats, &i, out)) >= 0;) {
        Sheet s;
        sheet_init(&s, format);
        rows[f->kind]->draw(t, f->part, &s, out);
    }
}

/* Cairo writes the date into a PDF whatever the environment says; the digits are all that changes. */
static void fix_pdf_date(const char *path) {
    static const char key[] = "/CreationDate (D:";
    char *bytes;
    size_t length;
    Error ignored;
    if (file_read(path, &bytes, &length, &ignored)) return;
    char *at = memmem(bytes, length, key, sizeof key - 1);
    if (at)
        for (char *s = at + sizeof key - 1; s < bytes + length && *s != ')'; s++)
            if (*s >= '0' && *s <= '9') *s = '0';
    if (at) (void)file_write(path, bytes, length, &ignored);
    free(bytes);
}

/* Puts one drawn file in its place. */
static Rc publish(const FigureText *f, int format, const char *aside, const char *folder, Error *e) {
    const char *ending = figure_endings[format];
    char from[1200], to[1400], *bytes;
    size_t length;
    Text svg;
    snprintf(from, sizeof from, "%.1000s/figure%s", aside, ending);
    snprintf(to, sizeof to, "%.1000s/%s%s", folder, f->name, ending);
    if (is_pdf(format)) {
        if (!file_exists(from)) return RC_OK; /* a gnuplot without pdfcairo */
        fix_pdf_date(from);
        if (file_read(from, &bytes, &length, e)) return e->code;
        Rc rc = file_write_swept(to, bytes, length, e);
        free(bytes);
        return rc;
    }
    if (file_read(from, &bytes, &length, e)) return error_set(e, RC_UNMEASURED, "gnuplot wrote no SVG");
    text_init(&svg);
    figure_svg(bytes, f->caption, &svg);
    Rc rc = file_write_swept(to, svg.at, svg.length, e);
    text_release(&svg);
    free(bytes);
    return rc;
}

Rc figure_make(const FigureText *f, int formats, const char *aside, const char *folder, Error *e) {
    const char *const argv[] = {"gnuplot", "figure.gp", NULL};
    char path[1200];
    bool absent;
    snprintf(path, sizeof path, "%.1000s/figure.gp", aside);
    Rc rc = file_write(path, f->script, strlen(f->script), e);
    if (!rc && (rc = subprocess_run(argv, aside, &absent, e)) && !absent) {
        char *said;
        size_t length;
        Error ignored;
        snprintf(path, sizeof path, "%.1000s/output.txt", aside);
        if (!file_read(path, &said, &length, &ignored)) {
            error_set(e, RC_UNMEASURED, "gnuplot failed: %.600s", trim(said));
            free(said);
        }
    }
    for (int i = 0; i < FIGURE_FORMATS && !rc; i++)
        if (formats >> i & 1) rc = publish(f, i, aside, folder, e);
    return rc;
}

static Rc draw_one(const Table *t, const Figure *f, int formats, const char *aside, const char *folder, Error *e) {
    Text script, caption;
    text_init(&script);
    text_init(&caption);
    figure_script(t, f, formats, &script);
    figure_caption(t, f, &caption);
    Rc rc = figure_make(&(FigureText){f->name, caption.at, script.at}, formats, aside, folder, e);
    text_release(&script);
    text_release(&caption);
    return rc;
}

Rc figure_draw(const Table *t, const char *folder, int formats, Error *e) {
    Scratch aside;
    Figure *figure;
    if (scratch_make(&aside, e)) return e->code;
    int figures = figure_list(t, &figure);
    Rc rc = RC_OK;
    folder_sweep(folder);
    for (int i = 0; i < figures && !rc; i++) rc = draw_one(t, &figure[i], formats, aside.path, folder, e);
    free(figure);
    scratch_remove(&aside);
    return rc;
}
