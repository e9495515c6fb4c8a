/* report.html: the page around the tables and figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/subprocess.h"
#include "bench/report/report.h"
#include "bench/write/prose.h"

/* What a reader has to know before the numbers: no text, or no plan before the runs. */
static void caveats(const LedgerTable *made, Text *out) {
    LOCAL_TEXT(words);
    report_caveats(made, &words);
    if (words.length) {
        text_format(out, "<p class=\"banner\">");
        html_text(out, words.at);
        text_format(out, "</p>\n");
    }
}

static void methods(const Table *t, Text *out) {
    LOCAL_TEXT(words);
    table_methods(t, &words);
    text_format(out, "<details><summary>Methods</summary><p>");
    html_text(out, words.at);
    text_clear(&words);
    table_signature(t, &words);
    text_format(out, "</p><p><code>");
    html_text(out, words.at);
    text_format(out, "</code></p></details>\n");
}

/* A part that a reader opens: its id stands inside, so that a link to it opens it. */
static void fold_begin(const char *id, const char *title, const char *more, Text *out) {
    text_format(out, "<details class=\"fold\"><summary>");
    html_text(out, title);
    if (more[0]) text_format(out, " <small>"), html_text(out, more), text_format(out, "</small>");
    text_format(out, "</summary>\n<div id=\"");
    html_text(out, id);
    text_format(out, "\">\n");
}

static void fold_end(Text *out) {
    text_format(out, "</div></details>\n");
}

static void paragraph(const char *class, const char *words, Text *out) {
    text_format(out, "<p%s%s%s>", class[0] ? " class=\"" : "", class, class[0] ? "\"" : "");
    html_text(out, words);
    text_format(out, "</p>\n");
}

/* folder: where its figures are; to: where the page will be. */
static Rc experiment(const Ledger *b, const LedgerTable *made, const Session *s, const char *folder, const char *to,
                     int *number, Text *out, Error *e) {
    const Table *t = &made->table;
    char runs[40];
    LOCAL_TEXT(title);
    LOCAL_TEXT(id);
    LOCAL_TEXT(words);
    text_format(&title, "%s%s", table_mark(t), t->exploratory ? ": " : "");
    report_title(b, made, &title);
    report_id(made, &id);
    snprintf(runs, sizeof runs, "%d runs", made->records.runs);
    fold_begin(id.at, title.at, runs, out);
    caveats(made, out);
    report_answer(t, &words);
    paragraph("answer", words.at, out);
    text_format(out, "<p>");
    prose_methods(t, false, &prose_html, out);
    text_clear(&words);
    report_command(made, &words);
    text_format(out, " Experiment <code>");
    html_text(out, t->x->name);
    if (t->x->profile[0]) text_format(out, "</code>, profile <code>%s", t->x->profile);
    text_format(out, "</code>; this command trains it again: <code>");
    html_text(out, words.at);
    text_format(out, "</code>.</p>\n");
    report_section_figures(t, folder, number, out);
    report_section_tables(t, out);
    methods(t, out);
    Rc rc = report_files(made, s, to, out, e);
    fold_end(out);
    return rc;
}

static void cells_shown(const Ledger *b, void (*make)(const Ledger *, Cells *), Text *out) {
    Cells c;
    make(b, &c);
    text_clear(&c.title); /* it is the section's */
    text_format(out, "<div class=\"stack\">\n");
    cells_html(&c, out);
    text_format(out, "</div>\n");
    cells_release(&c);
}

/* The first page: all that is not folded. */
static void head(const Ledger *b, Text *out) {
    LOCAL_TEXT(words);
    text_format(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                "<title>normbench: where should normalization stand?</title>\n<style>\n%s</style>\n</head>\n<body>\n"
                "<main>\n<h1>Where should normalization stand?</h1>\n",
                report_style);
    report_overview(b, &words);
    paragraph("soft", words.at, out);
    text_clear(&words);
    report_short(b, &words);
    paragraph("short", words.at, out);
    text_clear(&words);
    report_warnings(b, &words);
    if (words.length) paragraph("banner", words.at, out);
    text_format(out, "<section id=\"asked\">\n<h2>What was asked</h2>\n");
    cells_shown(b, report_asked, out);
    text_format(out, "</section>\n<section id=\"answer\">\n<h2>What was found</h2>\n");
    cells_shown(b, report_found, out);
    text_clear(&words);
    report_counts(b, &words);
    if (words.length) {
        text_format(out, "<p>Of the write-ups' claims that were tested the verdicts are: ");
        html_text(out, words.at);
        text_format(out, ". <a href=\"#claims\">A table</a> has each of them.</p>\n");
    }
    text_format(out, "</section>\n<section id=\"open\">\n<h2>What is open</h2>\n");
    size_t before = out->length;
    report_open(b, &report_in_html, out);
    if (out->length == before) paragraph("", "Every comparison of the experiments above is decided.", out);
    text_clear(&words);
    report_open_claims(b, &words);
    if (words.length) paragraph("", words.at, out);
    report_parts(b, &report_in_html, out);
    text_format(out, "</section>\n");
}

/* What stands behind the experiments, each folded: theory, claims, choices, provenance, what was not run. */
static void behind(const Ledger *b, const char *drawn, int *number, Text *out) {
    char theory[700];
    LOCAL_TEXT(words);
    snprintf(theory, sizeof theory, "%.600s/%d", drawn, b->made_count);
    if (b->stated) {
        fold_begin("theory", "Theory: networks before their first step", "", out);
        report_theory(b, theory, number, out);
        fold_end(out);
    }
    report_counts(b, &words);
    if (words.length) {
        fold_begin("claims", "The write-ups' claims", words.at, out);
        report_ledger(b, out);
        fold_end(out);
    }
    text_clear(&words);
    report_choices(b, &report_in_html, &words);
    if (words.length) {
        fold_begin("choices", "What the write-ups leave open, and what is done here", "", out);
        text_format(out, "%s", words.at);
        fold_end(out);
    }
    fold_begin("provenance", "Provenance", "builds, machines, corpora, plans", out);
    report_provenance(b, &report_in_html, out);
    fold_end(out);
    report_not_run(b, out);
}

Rc report_html(const Ledger *b, const Session *s, const char *folder, Error *e) {
    char path[1300];
    Scratch aside;
    int number = 0;
    Error why = {.code = RC_OK};
    LOCAL_TEXT(page);
    if (scratch_make(&aside, e)) return e->code;
    bool drawn = report_figures(b, aside.path, PLOT_SVG | PLOT_COLUMN_SVG, s->threads, &why) == RC_OK;
    head(b, &page);
    text_format(&page, "<section id=\"details\">\n<h2>Details</h2>\n");
    if (!drawn) {
        text_format(&page, "<p class=\"banner\">No figures: ");
        html_text(&page, why.text);
        text_format(&page, "</p>\n");
        fprintf(stderr, "normbench: note: no figures: %s\n", why.text);
    }
    Rc rc = RC_OK;
    for (int i = 0; i < b->made_count && !rc; i++) {
        rc = experiment(b, b->made[i], s, SHOW_TEXT("%s/%d", aside.path, i), folder, &number, &page, e);
    }
    behind(b, aside.path, &number, &page);
    text_format(&page, "</section>\n</main>\n</body>\n</html>\n");
    snprintf(path, sizeof path, "%.1200s/report.html", folder);
    if (!rc) rc = file_write(path, page.at, page.length, e);
    if (!rc) fprintf(stderr, "  %s: %d figures\n", path, number);
    scratch_remove(&aside);
    return rc;
}
