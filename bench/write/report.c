/* What both forms of the report need: figures drawn side by side, and where the numbers come from. */
#include "bench/write/report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/write/figure.h"
#include "bench/formats/latex.h"
#include "bench/run/provenance.h"
#include "bench/formats/subprocess.h"

typedef struct {
    const Ledger *b;
    const char *folder;
    int terminals;
    Error error; /* one of them */
    atomic_int failed;
} Drawing;

static void draw_one(void *context, int i) {
    Drawing *d = context;
    char folder[1100];
    Error e;
    snprintf(folder, sizeof folder, "%.1000s/%d", d->folder, i);
    if ((folder_make(folder, &e) || figure_draw(&d->b->made[i]->table, folder, d->terminals, &e)) && !d->failed++)
        d->error = e;
}

Rc report_figures(const Ledger *b, const char *folder, int terminals, int threads, Error *e) {
    Drawing d = {.b = b, .folder = folder, .terminals = terminals};
    pool_run(threads, b->mades, draw_one, &d);
    if (d.failed) *e = d.error;
    return d.failed ? d.error.code : RC_OK;
}

void report_figures_remove(const Ledger *b, const char *folder) {
    for (int i = 0; i < b->mades; i++) {
        char figures[1100];
        snprintf(figures, sizeof figures, "%.1000s/%d", folder, i);
        folder_remove(figures);
    }
    subprocess_folder_remove(folder);
}

/* A line of the provenance table and how many runs it stands for. */
typedef struct {
    char text[600];
    int runs;
} Counted;

static void count_line(Counted **list, int *count, const char *text) {
    for (int i = 0; i < *count; i++)
        if (!strcmp((*list)[i].text, text)) {
            (*list)[i].runs++;
            return;
        }
    *list = mem_grow(*list, (size_t)*count + 1, sizeof **list);
    snprintf((*list)[*count].text, sizeof(*list)->text, "%s", text);
    (*list)[(*count)++].runs = 1;
}

/* "commit 36ba1eb, gcc 12.2.0 (buildtype=release), path v4, CPU NAME, GSL 2.7.1": of a stored run. */
static void built_by(const Provenance *p, char out[600]) {
    snprintf(out, 600, "commit %.60s, %.60s (%.80s), path %.20s, %.100s, GSL %.20s", p->commit, p->compiler, p->flags,
             p->isa, p->cpu, p->gsl);
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const Counted *)a)->text, ((const Counted *)b)->text);
}

const ReportMarkup report_in_html = {
    html_text, {"<h2>", "</h2>\n"}, {"<h3>", "</h3>\n"}, {"<ul>\n", "</ul>\n"}, {"<li>", "</li>\n"}};
const ReportMarkup report_in_tex = {latex_text, {"\\section{", "}\n"}, {"\\subsection*{", "}\n"},
                                    {"\\begin{itemize}\n", "\\end{itemize}\n"}, {"\\item ", "\n"}};

static void mark(const ReportMarkup *m, const char *const pair[2], const char *text, Text *out) {
    text_format(out, "%s", pair[0]);
    m->text(out, text);
    text_format(out, "%s", pair[1]);
}

static void list_lines(const ReportMarkup *m, Counted *list, int count, Text *out) {
    char line[640];
    if (count) qsort(list, (size_t)count, sizeof *list, by_text);
    text_format(out, "%s", m->list[0]);
    for (int i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%d run%s: %s", list[i].runs, list[i].runs == 1 ? "" : "s", list[i].text);
        mark(m, m->item, line, out);
    }
    text_format(out, "%s", m->list[1]);
    free(list);
}

void report_provenance(const Ledger *b, const ReportMarkup *m, Text *out) {
    Counted *builds = NULL, *corpora = NULL;
    int build_count = 0, corpus_count = 0;
    char text[700];
    mark(m, m->title, "Provenance", out);
    snprintf(text, sizeof text,
             "Report by normbench %s (%s). Every run is a folder runs/ID of the results, ID being the hash "
             "of its specification, corpus and arithmetic.",
             NORMBENCH_VERSION, provenance_commit());
    m->text(out, text);
    text_format(out, "\n\n");
    for (int t = 0; t < b->mades; t++)
        for (int i = 0; i < b->made[t]->records.runs; i++) {
            const RunRecord *r = &b->made[t]->records.at[i];
            built_by(&r->provenance, text);
            count_line(&builds, &build_count, text);
            snprintf(text, 600, "%.64s, corpus SHA-256 %.16s, tokenizer %.16s, vocabulary %d, arithmetic %s",
                     r->dataset, r->dataset_sha256, r->tokenizer_sha256, r->vocab, r->arithmetic_class);
            count_line(&corpora, &corpus_count, text);
        }
    mark(m, m->heading, "Builds and machines", out);
    list_lines(m, builds, build_count, out);
    mark(m, m->heading, "Corpora and arithmetic", out);
    list_lines(m, corpora, corpus_count, out);
    mark(m, m->heading, "Plans", out);
    text_format(out, "%s", m->list[0]);
    for (int i = 0; i < b->mades; i++) {
        snprintf(text, sizeof text, "%s %s: plan %.16s, results %.16s", b->made[i]->x.name, b->made[i]->x.profile,
                 b->made[i]->x.plan, b->made[i]->table.results_hash);
        mark(m, m->item, text, out);
    }
    text_format(out, "%s", m->list[1]);
    if (!b->parts) return;
    mark(m, m->heading, "Not shown", out);
    text_format(out, "%s", m->list[0]);
    for (int i = 0; i < b->parts; i++) {
        Text line;
        text_init(&line);
        ledger_part(&b->part[i], &line);
        mark(m, m->item, line.at, out);
        text_release(&line);
    }
    text_format(out, "%s", m->list[1]);
}

void report_choices(const Ledger *b, const ReportMarkup *m, Text *out) {
    char text[400];
    mark(m, m->title, "What the write-ups leave open, and what is done here", out);
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++)
        for (const ClaimSetup *s = f->setup; s < f->setup + f->setups; s++) {
            if (!s->choices) continue;
            snprintf(text, sizeof text, "%s %.100s: %.200s", f->writeup, f->title, s->name);
            mark(m, m->heading, text, out);
            text_format(out, "%s", m->list[0]);
            for (int i = 0; i < s->choices; i++) mark(m, m->item, s->choice[i], out);
            text_format(out, "%s", m->list[1]);
        }
}
