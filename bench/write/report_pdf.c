/* report.pdf: the same content typeset, tables by the writers that tables have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/write/figure.h"
#include "bench/run/provenance.h"
#include "bench/write/report.h"
#include "bench/write/sensitivity.h"
#include "bench/formats/subprocess.h"

static Rc put(const char *folder, const char *name, const Text *text, Error *e) {
    char path[900];
    snprintf(path, sizeof path, "%.700s/%.100s", folder, name);
    return file_write(path, text->at, text->length, e);
}

/* A writer's output as file NAMEi.tex, input where it is not empty. */
static Rc part(const char *folder, const char *name, int i, void (*write)(const Table *, Text *), const Table *t,
               Text *main, Error *e) {
    char file[64];
    Text text;
    text_init(&text);
    write(t, &text);
    snprintf(file, sizeof file, "%s%d.tex", name, i);
    Rc rc = put(folder, file, &text, e);
    if (text.length) text_format(main, "\\input{%s%d}\n", name, i);
    text_release(&text);
    return rc;
}

static void figure(const char *folder, int i, const char *name, Text *main) {
    char path[1100];
    snprintf(path, sizeof path, "%.850s/%d/%s.pdf", folder, i, name);
    if (file_exists(path))
        text_format(main, "\\noindent\\includegraphics[width=\\linewidth]{%d/%s}\\par\\medskip\n", i, name);
}

static Rc section(const LedgerTable *made, int i, const char *folder, Text *main, Error *e) {
    const Table *t = &made->table;
    Figure *drawn;
    int figures = figure_list(t, &drawn);
    text_format(main, "\\clearpage\n\\section{");
    latex_text(main, t->x->title);
    text_format(main, "}\n");
    Text words;
    text_init(&words);
    text_format(&words, "Experiment %s, profile %s: %d runs. ", t->x->name, t->x->profile, made->records.runs);
    table_methods(t, &words);
    latex_text(main, words.at);
    text_format(main, "\n\n");
    text_release(&words);
    Rc rc = part(folder, "cells", i, table_cells_tex, t, main, e);
    if (!rc) rc = part(folder, "sensitivity", i, sensitivity_tex, t, main, e);
    for (int k = 0; k < figures; k++) figure(folder, i, drawn[k].name, main);
    free(drawn);
    text_format(main, "\\clearpage\n");
    if (!rc) rc = part(folder, "table", i, table_tex, t, main, e);
    return rc;
}

static Rc prepare(const Ledger *b, const char *folder, Error *e) {
    Text main, ledger;
    text_init(&main);
    text_init(&ledger);
    table_pdf_preamble(false, &main);
    text_format(&main, "\\setlength{\\textwidth}{6.5in}\\setlength{\\oddsidemargin}{0in}\n"
                       "\\title{Where should normalization stand in a transformer?}\n\\author{normbench %s}\n\\date{}\n"
                       "\\begin{document}\n\\maketitle\n\\section{The claims}\n",
                NORMBENCH_VERSION);
    ledger_tex(b, &ledger);
    Rc rc = put(folder, "ledger.tex", &ledger, e);
    text_format(&main, "\\input{ledger}\n");
    for (int i = 0; i < b->mades && !rc; i++) rc = section(b->made[i], i, folder, &main, e);
    text_format(&main, "\\clearpage\\raggedright\n");
    report_choices(b, &report_in_tex, &main);
    report_provenance(b, &report_in_tex, &main);
    text_format(&main, "\\end{document}\n");
    if (!rc) rc = put(folder, "typeset.tex", &main, e);
    text_release(&ledger);
    text_release(&main);
    return rc;
}

Rc report_pdf(const Ledger *b, const Session *s, const char *folder, Error *e) {
    char aside[600], from[900], to[1300];
    Error why = {.code = RC_OK};
    if (subprocess_folder(aside, sizeof aside, e)) return e->code;
    (void)report_figures(b, aside, 2, s->threads, &why); /* said by the page; the tables stand without them */
    Rc rc = prepare(b, aside, e);
    if (!rc) rc = table_pdf_run(aside, false, e);
    snprintf(from, sizeof from, "%.800s/typeset.pdf", aside);
    snprintf(to, sizeof to, "%.1200s/report.pdf", folder);
    if (!rc) rc = subprocess_copy(from, to, e);
    if (!rc) fprintf(stderr, "  %s\n", to);
    report_figures_remove(b, aside);
    return rc;
}
