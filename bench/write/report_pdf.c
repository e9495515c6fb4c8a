/* report.pdf: the same content typeset, tables by the writers that tables have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/subprocess.h"
#include "bench/store/provenance.h"
#include "bench/write/figure.h"
#include "bench/write/report.h"
#include "bench/write/summaries.h"
#include "bench/write/theory.h"

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

static Rc summary(const char *folder, int i, int kind, const Table *t, Text *main, Error *e) {
    char file[80];
    Text text;
    text_init(&text);
    summary_tex(t, kind, &text);
    snprintf(file, sizeof file, "%.40s%d.tex", summary_rows[kind].name, i);
    Rc rc = put(folder, file, &text, e);
    if (text.length) text_format(main, "\\input{%s%d}\n", summary_rows[kind].name, i);
    text_release(&text);
    return rc;
}

static void figure(const char *folder, int i, const char *name, Text *main) {
    char path[1100];
    snprintf(path, sizeof path, "%.850s/%d/%s.pdf", folder, i, name);
    if (file_exists(path))
        text_format(main, "\\noindent\\includegraphics[width=\\linewidth]{%d/%s}\\par\\medskip\n", i, name);
}

static Rc section(const Ledger *b, const LedgerTable *made, int i, const char *folder, Text *main, Error *e) {
    const Table *t = &made->table;
    Figure *drawn;
    int figures = figure_list(t, &drawn);
    text_format(main, "\\clearpage\n\\section{");
    Text words;
    text_init(&words);
    report_title(b, made, &words);
    latex_text(main, words.at);
    text_clear(&words);
    text_format(main, "}\n");
    report_caveats(made, &words);
    text_format(&words, "%sExperiment %s%s%s: %d runs. ", words.length ? " " : "",
                t->x->name, t->x->profile[0] ? ", profile " : "", t->x->profile, made->records.runs);
    table_methods(t, &words);
    latex_text(main, words.at);
    text_format(main, "\n\n");
    text_release(&words);
    Rc rc = RC_OK;
    for (int kind = 0; kind < summary_count && !rc; kind++) rc = summary(folder, i, kind, t, main, e);
    for (int k = 0; k < figures; k++)
        if (drawn[k].kind != FIGURE_differences) figure(folder, i, drawn[k].name, main);
    free(drawn);
    text_format(main, "\\clearpage\n");
    if (!rc) rc = part(folder, "table", i, table_tex, t, main, e);
    return rc;
}

/* The first figure of an experiment: below the answer. */
static void differences(const char *folder, int i, const Table *t, Text *main) {
    Figure *drawn;
    int figures = figure_list(t, &drawn);
    for (int k = 0; k < figures; k++)
        if (drawn[k].kind == FIGURE_differences) figure(folder, i, drawn[k].name, main);
    free(drawn);
}

/* Page 1: what is in the report, and what was found. */
static void answers(const Ledger *b, const char *folder, Text *main) {
    Text words;
    text_init(&words);
    report_overview(b, &words);
    text_format(main, "{\\raggedright{\\LARGE Where should normalization stand?\\par}\\smallskip{\\footnotesize ");
    latex_text(main, words.at);
    text_format(main, "\\par}}\n\\section*{What was found}\n");
    for (int i = 0; i < b->mades; i++) {
        text_format(main, "\\subsection*{");
        text_clear(&words);
        report_title(b, b->made[i], &words);
        latex_text(main, words.at);
        text_format(main, "}\n{\\raggedright ");
        text_clear(&words);
        if (b->made[i]->changed) report_caveats(b->made[i], &words), text_format(&words, " ");
        report_answer(&b->made[i]->table, &words);
        latex_text(main, words.at);
        text_format(main, "\\par}\\smallskip\n");
        differences(folder, i, &b->made[i]->table, main);
    }
    text_clear(&words);
    report_counts(b, &words);
    if (words.length) {
        text_format(main, "\\noindent The write-ups' claims that were measured: ");
        latex_text(main, words.at);
        text_format(main, ".\n");
    }
    text_release(&words);
}

/* Behind the experiments. */
static Rc theory(const Ledger *b, const char *folder, Text *main, Error *e) {
    Text table;
    Cells c;
    if (!b->stated) return RC_OK;
    text_init(&table);
    theory_cells(b->stated, STATEMENT_COUNT, &c);
    theory_tex(&c, &table);
    cells_release(&c);
    Rc rc = put(folder, "theory.tex", &table, e);
    text_format(main, "\\clearpage\n\\section{Theory: networks before their first step}\n");
    figure(folder, b->mades, "theory", main);
    text_format(main, "\\clearpage\n\\input{theory}\n");
    text_release(&table);
    return rc;
}

static Rc prepare(const Ledger *b, const char *folder, Error *e) {
    Text main, ledger;
    text_init(&main);
    text_init(&ledger);
    table_pdf_preamble(false, &main);
    text_format(&main, "\\usepackage{array}\n"
                       "\\setlength{\\textwidth}{6.5in}\\setlength{\\oddsidemargin}{0in}\n\\begin{document}\n"
                       /* Two profiles of one experiment have one label; nothing here refers to any. */
                       "\\renewcommand{\\label}[1]{}\n");
    answers(b, folder, &main);
    Rc rc = RC_OK;
    for (int i = 0; i < b->mades && !rc; i++) rc = section(b, b->made[i], i, folder, &main, e);
    if (!rc) rc = theory(b, folder, &main, e);
    ledger_tex(b, NULL, &ledger);
    if (!rc) rc = put(folder, "ledger.tex", &ledger, e);
    text_format(&main, "\\clearpage\n\\section{The claims}\n\\input{ledger}\n\\clearpage\\raggedright\n");
    report_choices(b, &report_in_tex, &main);
    report_provenance(b, &report_in_tex, &main);
    report_parts(b, &report_in_tex, &main);
    text_format(&main, "\\end{document}\n");
    if (!rc) rc = put(folder, "typeset.tex", &main, e);
    text_release(&ledger);
    text_release(&main);
    return rc;
}

Rc report_pdf(const Ledger *b, const Session *s, const char *folder, Error *e) {
    char from[900], to[1300];
    Scratch aside;
    Error why = {.code = RC_OK};
    if (scratch_make(&aside, e)) return e->code;
    /* What fails here is said by the page; the tables stand without figures. */
    (void)report_figures(b, aside.path, PLOT_PDF, s->threads, &why);
    Rc rc = prepare(b, aside.path, e);
    if (!rc) rc = table_pdf_run(aside.path, false, e);
    snprintf(from, sizeof from, "%.800s/typeset.pdf", aside.path);
    snprintf(to, sizeof to, "%.1200s/report.pdf", folder);
    if (!rc) rc = subprocess_copy(from, to, e);
    if (!rc) fprintf(stderr, "  %s\n", to);
    scratch_remove(&aside);
    return rc;
}
