/* report.html: the page around the tables and figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/write/figure.h"
#include "bench/write/report.h"
#include "bench/formats/subprocess.h"

/* What a reader has to know before the numbers: no text, or no plan before the runs. */
static void caveats(const LedgerTable *made, Text *out) {
    Text words;
    text_init(&words);
    report_caveats(made, &words);
    if (words.length) {
        text_format(out, "<p class=\"banner\">");
        html_text(out, words.at);
        text_format(out, "</p>\n");
    }
    text_release(&words);
}

static void methods(const Table *t, Text *out) {
    Text words;
    text_init(&words);
    table_methods(t, &words);
    text_format(out, "<details><summary>Methods</summary><p>");
    html_text(out, words.at);
    text_clear(&words);
    table_signature(t, &words);
    text_format(out, "</p><p><code>");
    html_text(out, words.at);
    text_format(out, "</code></p></details>\n");
    text_release(&words);
}

/* folder: where its figures are; to: where the page will be. */
static Rc section(const Ledger *b, const LedgerTable *made, const Session *s, const char *folder, const char *to,
                  int *number, Text *out, Error *e) {
    const Table *t = &made->table;
    Text words;
    text_init(&words);
    text_format(out, "<section id=\"");
    report_id(made, out);
    text_format(out, "\">\n<h2>");
    report_title(b, made, &words);
    html_text(out, words.at);
    text_clear(&words);
    text_format(out, "</h2>\n");
    caveats(made, out);
    text_format(out, "<p>Experiment <code>");
    html_text(out, t->x->name);
    text_format(out, "</code>, profile <code>%s</code>: %d runs. ", t->x->profile, made->records.runs);
    if (t->sample.cells == 1) table_corpus(t, 0, &words);
    if (t->sample.cells > 1) table_text_source(t, 0, &words), text_format(&words, ".");
    html_text(out, words.at);
    text_format(out, " Again: <code>");
    text_clear(&words);
    report_command(made, &words);
    html_text(out, words.at);
    text_format(out, "</code>.</p>\n");
    text_release(&words);
    report_section_figures(t, folder, number, out);
    report_section_tables(t, out);
    methods(t, out);
    Rc rc = report_files(made, s, to, out, e);
    text_format(out, "</section>\n");
    return rc;
}

/* The answer of one experiment: a paragraph and the forest plot. folder: where its figures are. */
static void answer(const Ledger *b, const LedgerTable *made, const char *folder, int *number, Text *out) {
    const Table *t = &made->table;
    Text words;
    text_init(&words);
    text_format(out, "<article>\n<h3><a href=\"#");
    report_id(made, out);
    text_format(out, "\">");
    report_title(b, made, &words);
    html_text(out, words.at);
    text_format(out, "</a></h3>\n");
    if (made->changed) caveats(made, out);
    text_format(out, "<p class=\"answer\">");
    text_clear(&words);
    report_answer(t, &words);
    html_text(out, words.at);
    text_format(out, "</p>\n");
    report_differences(t, folder, number, out);
    text_format(out, "</article>\n");
    text_release(&words);
}

static void contents(const Ledger *b, bool claims, Text *out) {
    Text words;
    text_init(&words);
    text_format(out, "<nav aria-label=\"Contents\"><ul>\n");
    for (int i = 0; i < b->mades; i++) {
        text_format(out, "<li><a href=\"#");
        report_id(b->made[i], out);
        text_format(out, "\">");
        text_clear(&words);
        report_title(b, b->made[i], &words);
        html_text(out, words.at);
        text_format(out, "</a></li>\n");
    }
    if (b->stated) text_format(out, "<li><a href=\"#theory\">Theory: networks before their first step</a></li>\n");
    if (claims) text_format(out, "<li><a href=\"#claims\">The claims</a></li>\n");
    text_format(out, "<li><a href=\"#choices\">Choices</a></li>\n<li><a href=\"#provenance\">Provenance</a></li>\n"
                     "<li><a href=\"#not-run\">What was not run</a></li>\n</ul></nav>\n");
    text_release(&words);
}

static void head(const Ledger *b, const char *drawn, int *number, Text *out) {
    char folder[700];
    Text words;
    text_init(&words);
    text_format(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                "<title>normbench: where should normalization stand?</title>\n<style>\n%s</style>\n</head>\n<body>\n"
                "<main>\n<h1>Where should normalization stand?</h1>\n<p class=\"soft\">",
                report_style);
    report_overview(b, &words);
    html_text(out, words.at);
    text_format(out, "</p>\n<section id=\"answer\">\n<h2>What was found</h2>\n");
    for (int i = 0; i < b->mades; i++) {
        snprintf(folder, sizeof folder, "%.600s/%d", drawn, i);
        answer(b, b->made[i], folder, number, out);
    }
    text_clear(&words);
    report_counts(b, &words);
    if (words.length) {
        text_format(out, "<p>The write-ups' claims that were measured: ");
        html_text(out, words.at);
        text_format(out, ". <a href=\"#claims\">Each of them</a>.</p>\n");
    }
    text_format(out, "</section>\n");
    contents(b, words.length > 0, out);
    text_release(&words);
}

Rc report_html(const Ledger *b, const Session *s, const char *folder, Error *e) {
    char path[1300];
    Scratch aside;
    int number = 0;
    Error why = {.code = RC_OK};
    Text page;
    if (scratch_make(&aside, e)) return e->code;
    bool drawn = report_figures(b, aside.path, PLOT_SVG | PLOT_COLUMN_SVG, s->threads, &why) == RC_OK;
    text_init(&page);
    head(b, aside.path, &number, &page);
    if (!drawn) {
        text_format(&page, "<p class=\"banner\">No figures: ");
        html_text(&page, why.text);
        text_format(&page, "</p>\n");
        fprintf(stderr, "normbench: note: no figures: %s\n", why.text);
    }
    Rc rc = RC_OK;
    for (int i = 0; i < b->mades && !rc; i++) {
        char from[700];
        snprintf(from, sizeof from, "%s/%d", aside.path, i);
        rc = section(b, b->made[i], s, from, folder, &number, &page, e);
    }
    char theory[700];
    snprintf(theory, sizeof theory, "%s/%d", aside.path, b->mades);
    report_theory(b, theory, &number, &page);
    report_ledger(b, &page);
    text_format(&page, "<section id=\"choices\">\n");
    report_choices(b, &report_in_html, &page);
    text_format(&page, "</section>\n<section id=\"provenance\">\n");
    report_provenance(b, &report_in_html, &page);
    text_format(&page, "</section>\n");
    report_not_run(b, &page);
    text_format(&page, "</main>\n</body>\n</html>\n");
    snprintf(path, sizeof path, "%.1200s/report.html", folder);
    if (!rc) rc = file_write(path, page.at, page.length, e);
    if (!rc) fprintf(stderr, "  %s: %d figures\n", path, number);
    text_release(&page);
    scratch_remove(&aside);
    return rc;
}
