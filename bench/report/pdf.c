/* report.pdf: the draft of a paper. Title and abstract, methods with the numbers of each plan, what was found, what is
 * open; behind it, experiment by experiment, the tables and figures, the claims, choices and provenance; the papers
 * that are cited, which report.bib has as BibTeX. Nothing floats: tables break where a page ends, figures stand where
 * they are named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/subprocess.h"
#include "bench/formats/terminal.h"
#include "bench/report/report.h"
#include "bench/store/provenance.h"
#include "bench/write/prose.h"
#include "bench/write/summaries.h"
#include "bench/write/theory.h"

enum { CELLS_MAX = 12 }; /* whose tables are shown whole; of more, a table of all cells at their last step is */

static const TexLayout flowing = {.flows = true};

static Rc put(const char *folder, const char *name, const Text *text, Error *e) {
    return file_write(SHOW_TEXT("%.700s/%.100s", folder, name), text->at, text->length, e);
}

static void paragraph(const char *words, Text *out) {
    latex_breakable(out, words);
    text_format(out, "\n\n");
}

/* Not at the end of a page. */
static void section(const char *kind, const char *title, Text *out) {
    if (strcmp(kind, "section") == 0)
        text_format(out, "\\par\\ifdim\\dimexpr\\pagegoal-\\pagetotal\\relax<12\\baselineskip\\newpage\\fi\n");
    text_format(out, "\\%s{", kind);
    latex_shown(out, title);
    text_format(out, "}\n");
}

/* A figure of folder i, with its number and caption, on one page with them; nothing where it was not drawn. */
static void figure(const char *folder, int i, const char *name, const char *caption, Text *out) {
    if (!file_exists(SHOW_TEXT("%.850s/%d/%s.pdf", folder, i, name))) return;
    text_format(out,
                "\\par\\medskip\\noindent\\begin{minipage}{\\linewidth}\n"
                "\\includegraphics[width=\\linewidth,height=.78\\textheight,keepaspectratio]{%d/%s}\\par\\smallskip\n"
                "\\refstepcounter{figure}{\\small\\raggedright Figure~\\thefigure. ",
                i, name);
    latex_breakable(out, caption);
    text_format(out, "\\par}\\end{minipage}\\par\\medskip\n");
}

static void figures(const Table *t, const char *folder, int i, bool differences, Text *out) {
    Figure *drawn;
    LOCAL_TEXT(caption);
    int count = figure_list(t, &drawn);
    for (int k = 0; k < count; k++) {
        if ((drawn[k].kind == FIGURE_differences) != differences) continue;
        text_clear(&caption);
        figure_caption(t, &drawn[k], &caption);
        text_format(&caption, " ");
        report_see(t, &drawn[k], &caption);
        figure(folder, i, drawn[k].name, caption.at, out);
    }
    free(drawn);
}

static void title_of(const Ledger *b, const LedgerTable *made, Text *out) {
    text_format(out, "%s%s", table_mark(&made->table), made->table.exploratory ? ": " : "");
    report_title(b, made, out);
}

/* What was trained in all, then of each experiment its finding: as many as an abstract holds. */
static void abstract(const Ledger *b, Text *out) {
    enum { TOLD = 4 };
    LOCAL_TEXT(words);
    int runs = 0;
    for (int i = 0; i < b->made_count; i++) runs += b->made[i]->records.runs;
    text_format(&words,
                "We train %d transformers in %d experiment%s that differ in where normalization layers stand, and test "
                "over paired seeds whether their differences are real. ",
                runs, b->made_count, b->made_count == 1 ? "" : "s");
    report_short(b, &words);
    text_format(&words, " ");
    for (int i = 0; i < b->made_count && i < TOLD; i++) {
        title_of(b, b->made[i], &words);
        text_format(&words, ": ");
        report_finding(&b->made[i]->table, &words);
    }
    if (b->made_count > TOLD) text_format(&words, "The other experiments are in the table of findings. ");
    text_format(&words, "No model here is larger than ");
    double most = 0;
    for (int i = 0; i < b->made_count; i++)
        for (int k = 0; k < b->made[i]->records.runs; k++) {
            double n = 1e-6 * (double)b->made[i]->records.at[k].parameters;
            most = n > most ? n : most;
        }
    text_format(&words, "%s M parameters; nothing is claimed of larger ones.", SHOW_NUMBER(most, 2));
    text_format(out, "\\begin{abstract}\n");
    paragraph(words.at, out);
    text_format(out, "\\end{abstract}\n");
}

static void front(const Ledger *b, Text *out) {
    LOCAL_TEXT(words);
    text_format(out, "\\title{");
    if (b->made_count == 1)
        title_of(b, b->made[0], &words);
    else
        text_format(&words, "Where should normalization stand?");
    latex_shown(out, words.at);
    text_format(out, "}\n\\author{}\\date{\\small ");
    text_clear(&words);
    report_overview(b, &words);
    latex_breakable(out, words.at);
    text_format(out, "}\n\\maketitle\n");
    text_clear(&words);
    report_warnings(b, &words);
    if (words.length) {
        text_format(out, "\\noindent\\textbf{");
        latex_shown(out, words.at);
        text_format(out, "}\n\n");
    }
    abstract(b, out);
}

static void table_of(const Ledger *b, void (*make)(const Ledger *, Cells *), Text *out) {
    LOCAL(cells_release) Cells c = {0};
    make(b, &c);
    cells_tex(&c, &flowing, out);
}

/* Asked, methods, found, open. */
static void paper(const Ledger *b, const char *folder, Text *out) {
    LOCAL_TEXT(words);
    section("section", "What was asked", out);
    table_of(b, report_asked, out);
    section("section", "Methods", out);
    for (int i = 0; i < b->made_count; i++) {
        title_of(b, b->made[i], &words);
        section("paragraph", words.at, out);
        prose_methods(&b->made[i]->table, i > 0, &prose_tex, out);
        text_format(out, "\n\n");
        text_clear(&words);
    }
    section("section", "What was found", out);
    table_of(b, report_found, out);
    for (int i = 0; i < b->made_count; i++) figures(&b->made[i]->table, folder, i, true, out);
    report_counts(b, &words);
    if (words.length) {
        text_format(out, "Of the write-ups' claims that were tested the verdicts are: ");
        text_format(&words, ".");
        paragraph(words.at, out);
    }
    section("section", "What is open", out);
    size_t before = out->length;
    report_open(b, &report_in_tex, out);
    if (out->length == before) text_format(out, "Every comparison of the experiments above is decided.\n");
    text_clear(&words);
    report_open_claims(b, &words);
    if (words.length) paragraph(words.at, out);
}

/* Tables and figures of one experiment. */
static void details(const Ledger *b, const LedgerTable *made, int i, const char *folder, Text *out) {
    const Table *t = &made->table;
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(words);
    LOCAL_TEXT(mark);
    title_of(b, made, &words);
    section("section", words.at, out);
    text_clear(&words);
    report_caveats(made, &words);
    text_format(&words, "%sExperiment %s%s%s: %d runs. ", words.length ? " " : "", t->x->name,
                t->x->profile[0] ? ", profile " : "", t->x->profile, made->records.runs);
    report_answer(t, &words);
    paragraph(words.at, out);
    figures(t, folder, i, false, out);
    TexLayout layout = table_layout(t, &mark);
    layout.flows = true;
    for (int kind = 0; kind < summary_count; kind++) cells_list_tex(table_summary(t, kind), &layout, out);
    for (int cell = 0; cell < t->sample.cells && t->sample.cells <= CELLS_MAX; cell++)
        results_tables(t, cell, table_last(t, cell), false, &all);
    cells_list_tex(&all, &layout, out);
}

static void theory(const Ledger *b, const char *folder, Text *out) {
    LOCAL(cells_release) Cells c = {0};
    LOCAL_TEXT(caption);
    if (!b->stated) return;
    theory_caption(&caption);
    section("section", "Theory: networks before their first step", out);
    figure(folder, b->made_count, "theory", caption.at, out);
    theory_cells(b->stated, STATEMENT_COUNT, &c);
    cells_tex(&c, &flowing, out);
}

static void claims(const Ledger *b, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    section("section", "The claims", out);
    ledger_tables(b, false, false, NULL, &all);
    cells_list_tex(&all, &flowing, out);
}

static const Table **tables_of(const Ledger *b) {
    const Table **t = mem_alloc((size_t)b->made_count + 1, sizeof *t);
    for (int i = 0; i < b->made_count; i++) t[i] = &b->made[i]->table;
    return t;
}

static void references_of(const Ledger *b, Text *out) {
    OWNED const Table **t = tables_of(b);
    LOCAL_TEXT(items);
    if (prose_bibitems(t, b->made_count, &items))
        text_format(out, "\\begin{thebibliography}{99}\\small\n%s\\end{thebibliography}\n", items.at);
}

static Rc prepare(const Ledger *b, const char *folder, Error *e) {
    LOCAL_TEXT(out);
    LOCAL_TEXT(choices);
    table_pdf_preamble(false, &out);
    text_format(&out, "\\usepackage{array}\\usepackage{color}\\usepackage{longtable}\n"
                      "\\setlength{\\textwidth}{6.5in}\\setlength{\\oddsidemargin}{0in}\n"
                      "\\setlength{\\LTleft}{0pt}\\emergencystretch=3em\\sloppy\n\\begin{document}\n");
    front(b, &out);
    paper(b, folder, &out);
    references_of(b, &out);
    text_format(&out, "\\appendix\n");
    for (int i = 0; i < b->made_count; i++) details(b, b->made[i], i, folder, &out);
    theory(b, folder, &out);
    claims(b, &out);
    report_choices(b, &report_in_tex, &choices);
    if (choices.length) section("section", "What the write-ups leave open, and what is done here", &out);
    text_format(&out, "%s", choices.length ? choices.at : "");
    section("section", "Provenance", &out);
    report_provenance(b, &report_in_tex, &out);
    report_parts(b, &report_in_tex, &out);
    text_format(&out, "\\end{document}\n");
    return put(folder, "typeset.tex", &out, e);
}

Rc report_bib(const Ledger *b, const char *folder, Error *e) {
    OWNED const Table **t = tables_of(b);
    LOCAL_TEXT(out);
    prose_bibtex(t, b->made_count, &out);
    return out.length ? put(folder, "report.bib", &out, e) : RC_OK;
}

Rc report_pdf(const Ledger *b, const Session *s, const char *folder, Error *e) {
    char to[1300];
    Scratch aside;
    Error why = {.code = RC_OK};
    if (scratch_make(&aside, e)) return e->code;
    /* What fails here is said by the page; the tables stand without figures. */
    (void)report_figures(b, aside.path, PLOT_PDF, s->threads, &why);
    Rc rc = prepare(b, aside.path, e);
    if (!rc) rc = table_pdf_run(aside.path, false, e);
    snprintf(to, sizeof to, "%.1200s/report.pdf", folder);
    if (!rc) rc = subprocess_copy(SHOW_TEXT("%.800s/typeset.pdf", aside.path), to, e);
    if (!rc) terminal_say(stderr, "  %s\n", to);
    scratch_remove(&aside);
    return rc;
}
