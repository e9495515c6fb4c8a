#include "bench/write/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/formats/subprocess.h"

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

char *figure_name(char *out, const Table *t, int cell) {
    if (t->sample.cells == 1)
        snprintf(out, 120, "%s-curves", t->name);
    else
        snprintf(out, 120, "%s-curves-cell%d", t->name, cell);
    return out;
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

/* Runs one script; figure.{svg,pdf,png} become name.{svg,pdf,png} in folder. */
static Rc draw(const Text *script, const char *name, int terminals, const char *aside, const char *folder, Error *e) {
    static const char *const endings[] = {"svg", "pdf", "png"};
    const char *const argv[] = {"gnuplot", "figure.gp", NULL};
    char from[1200], to[1200];
    bool absent;
    snprintf(from, sizeof from, "%.1000s/figure.gp", aside);
    Rc rc = file_write(from, script->at, script->length, e);
    if (!rc && (rc = subprocess_run(argv, aside, &absent, e)) && !absent) {
        char *said;
        size_t length;
        Error ignored;
        snprintf(from, sizeof from, "%.1000s/output.txt", aside);
        if (!file_read(from, &said, &length, &ignored)) {
            error_set(e, RC_UNMEASURED, "gnuplot failed: %.600s", trim(said));
            free(said);
        }
    }
    for (int i = 0; i < 3 && !rc; i++) {
        if (!(terminals >> i & 1)) continue;
        snprintf(from, sizeof from, "%.1000s/figure.%s", aside, endings[i]);
        snprintf(to, sizeof to, "%.900s/%.100s.%s", folder, name, endings[i]);
        if (i == 1) fix_pdf_date(from);
        rc = subprocess_copy(from, to, e);
    }
    return rc;
}

Rc figure_draw(const Table *t, const char *folder, int terminals, Error *e) {
    char aside[600], name[120];
    Text script;
    if (subprocess_folder(aside, sizeof aside, e)) return e->code;
    Rc rc = RC_OK;
    text_init(&script);
    for (int cell = 0; cell < t->sample.cells && !rc; cell++) {
        text_clear(&script);
        figure_script(t, cell, terminals, &script);
        rc = draw(&script, figure_name(name, t, cell), terminals, aside, folder, e);
    }
    if (!rc && figure_blocks_any(t)) {
        text_clear(&script);
        figure_blocks_script(t, terminals, &script);
        snprintf(name, sizeof name, "%.96s-blocks", t->name);
        rc = draw(&script, name, terminals, aside, folder, e);
    }
    text_release(&script);
    subprocess_folder_remove(aside);
    return rc;
}
