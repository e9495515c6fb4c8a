/* --pdf: the tables and figures of an experiment as one typeset document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/subprocess.h"
#include "bench/formats/terminal.h"
#include "bench/write/summaries.h"

/* Text block of 5.5 x 9 inches, as venues have it; siunitx 2 and 3 want different words for bold numbers. */
void table_pdf_preamble(bool siunitx, Text *out) {
    text_format(out, "%% Typeset by normbench; the tables are the files beside this one.\n"
                     "\\documentclass{article}\n\\setlength{\\textwidth}{5.5in}\\setlength{\\oddsidemargin}{0.5in}\n"
                     "\\setlength{\\textheight}{9.4in}\\setlength{\\topmargin}{-0.6in}\n"
                     "\\setlength{\\belowcaptionskip}{4pt}\n\\usepackage{booktabs}\n\\usepackage{graphicx}\n");
    if (siunitx)
        text_format(out, "\\usepackage{etoolbox}\n\\usepackage{siunitx}\n\\makeatletter\n"
                         "\\@ifpackagelater{siunitx}{2021/05/17}{\\sisetup{text-series-to-math = true}}"
                         "{\\robustify\\bfseries\\sisetup{detect-weight = true}}\n\\makeatother\n");
    text_format(out, "\\renewcommand{\\floatpagefraction}{0.01}\\renewcommand{\\topfraction}{0.99}\n"
                     "\\makeatletter\\setlength{\\@fptop}{0pt}\\makeatother\n");
}

static void input_summaries(const Table *t, bool measured, Text *out) {
    for (int kind = 0; kind < summary_count; kind++)
        if (summary_rows[kind].measured == measured && table_summary(t, kind)->count)
            text_format(out, "\\input{%s}\n", summary_rows[kind].name);
}

static void document(const Table *t, int figures, Text *out) {
    table_pdf_preamble(t->options.siunitx, out);
    text_format(out, "\\begin{document}\n\\input{macros}\n");
    input_summaries(t, false, out);
    text_format(out, "\\clearpage\n\\input{table}\n\\clearpage\n\\input{claims}\n\\clearpage\n");
    input_summaries(t, true, out);
    for (int i = 0; i < figures; i++)
        text_format(out, "\\noindent\\makebox[\\textwidth]{\\includegraphics{figure%d}}\\par\\medskip\n", i);
    text_format(out, "\\end{document}\n");
}

static Rc put(const char *folder, const char *name, void (*write)(const Table *, Text *), const Table *t, Error *e) {
    LOCAL_TEXT(text);
    write(t, &text);
    return file_write(SHOW_TEXT("%.800s/%s", folder, name), text.at, text.length, e);
}

/* Without claims there is nothing to include, but an empty file to read. */
static void claims_or_nothing(const Table *t, Text *out) {
    if (t->claims) table_claims_tex(t, out);
}

static Rc prepare(const Table *t, const char *aside, const char *const *figure, int figures, Error *e) {
    Text text;
    Rc rc = put(aside, "table.tex", table_tex, t, e);
    if (!rc) rc = put(aside, "claims.tex", claims_or_nothing, t, e);
    for (int kind = 0; kind < summary_count && !rc; kind++) {
        text_init(&text);
        summary_tex(t, kind, &text);
        rc = file_write(SHOW_TEXT("%.800s/%.40s.tex", aside, summary_rows[kind].name), text.at, text.length, e);
        text_release(&text);
    }
    if (!rc) rc = put(aside, "macros.tex", table_macros, t, e);
    for (int i = 0; i < figures && !rc; i++) {
        rc = subprocess_copy(figure[i], SHOW_TEXT("%.800s/figure%d.pdf", aside, i), e);
    }
    if (rc) return rc;
    text_init(&text);
    document(t, figures, &text);
    rc = file_write(SHOW_TEXT("%.800s/typeset.tex", aside), text.at, text.length, e);
    text_release(&text);
    return rc;
}

/* The first of LaTeX's complaints, with the line it goes on in behind blanks. */
static Rc explain(const char *aside, Error *e) {
    char *log;
    size_t length;
    Error ignored;
    if (file_read(SHOW_TEXT("%.800s/output.txt", aside), &log, &length, &ignored)) return e->code;
    char *at = strstr(log, "\n! ");
    if (at) {
        char *line = at + 3, *next = line + strcspn(line, "\n"), *more = next + strspn(next, "\n");
        int rest = *more == ' ' ? (int)strcspn(more += strspn(more, " ") - 1, "\n") : 0;
        error_set(e, RC_UNMEASURED, "pdflatex: %.*s%.*s", (int)(next - line), line, rest, more);
    }
    free(log);
    return e->code;
}

/* What LaTeX was not content with: boxes that stick out, references, fonts. */
static void report_warnings(const char *aside) {
    char *log, *rest;
    size_t length;
    Error ignored;
    if (file_read(SHOW_TEXT("%.800s/typeset.log", aside), &log, &length, &ignored)) return;
    for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (!strncmp(line, "Overfull", 8) || !strncmp(line, "Underfull", 9) || strstr(line, "Warning:"))
            terminal_say(stderr, "normbench: note: LaTeX: %s\n", line);
    free(log);
}

/* Whether LaTeX asks for another pass: references or the widths of long tables changed. */
static bool asks_again(const char *aside) {
    char *log;
    size_t length;
    Error ignored;
    if (file_read(SHOW_TEXT("%.800s/typeset.log", aside), &log, &length, &ignored)) return false;
    bool again = strstr(log, "Rerun LaTeX") || strstr(log, "Rerun to get");
    free(log);
    return again;
}

Rc table_pdf_run(const char *aside, bool siunitx, Error *e) {
    const char *const argv[] = {"pdflatex",       "-no-shell-escape", "-interaction=nonstopmode",
                                "-halt-on-error", "typeset.tex",      NULL};
    enum { PASSES_MAX = 6 };
    bool absent = false;
    Rc rc = RC_OK;
    for (int pass = 0; !rc && (pass < 2 || (pass < PASSES_MAX && asks_again(aside))); pass++)
        if ((rc = subprocess_run(argv, aside, &absent, e))) {
            if (absent)
                error_set(e, rc, "--pdf: pdflatex is not installed (Debian: texlive-latex-recommended%s)",
                          siunitx ? ", texlive-science" : "");
            else
                explain(aside, e);
        }
    if (!rc) report_warnings(aside);
    return rc;
}

Rc table_pdf(const Table *t, const char *folder, const char *const *figure, int figures, Error *e) {
    Scratch aside;
    if (scratch_make(&aside, e)) return e->code;
    Rc rc = prepare(t, aside.path, figure, figures, e);
    if (!rc) rc = table_pdf_run(aside.path, t->options.siunitx, e);
    if (!rc)
        rc = subprocess_copy(SHOW_TEXT("%.800s/typeset.pdf", aside.path), SHOW_TEXT("%.900s/%s.pdf", folder, t->name),
                             e);
    scratch_remove(&aside);
    return rc;
}
