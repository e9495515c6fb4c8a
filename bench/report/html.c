/* report.html: the page around the tables and figures. */
#include <stdio.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/figures/figure.h"
#include "bench/formats/latex.h"
#include "bench/formats/terminal.h"
#include "bench/report/report.h"
#include "bench/write/prose.h"
#include "bench/write/summaries.h"
#include "bench/write/theory.h"

/* ---- An experiment's numbers ---- */

static void preformatted(void (*write)(const Table *, Text *), const Table *t, Text *out) {
    LOCAL_TEXT(text);
    write(t, &text);
    if (text.length) {
        text_format(out, "<div class=\"wide\"><pre>");
        html_text(out, text.at);
        text_format(out, "</pre></div>\n");
    }
}

static void tables_part(const Table *t, Text *out) {
    enum { OPEN = 2 };
    int shown = 0;
    text_format(out, "<p class=\"notes\">Bold are the best mean and all means that the joint test of all pairs does "
                     "not separate from it.</p>\n");
    summaries_html(t, out);
    preformatted(translations_shown, t, out);
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++) {
            if (!t->sample.cell[cell].step[step]) continue;
            if (shown++ == OPEN) text_format(out, "<details><summary>More cells and steps</summary>\n");
            LOCAL(cells_list_release) CellsList one = {0};
            results_tables(t, cell, step, false, &one);
            cells_list_html(&one, out);
        }
    if (shown > OPEN) text_format(out, "</details>\n");
}

/* The statements about networks before their first step with their table; nothing where none is measured. */
static void theory_part(const Ledger *b, const char *folder, int *number, Text *out) {
    LOCAL_TEXT(caption);
    LOCAL(cells_release) Cells c = {0};
    if (!b->stated) return;
    theory_caption(&caption);
    text_format(out, "<p><code>normbench run theory</code> measures these statements.</p>\n");
    report_figure(folder, "theory", caption.at, number, out);
    theory_cells(b->stated, STATEMENT_COUNT, &c);
    cells_html(&c, out);
}

/* ---- The write-ups' claims: a row for each, folded each whole; and, folded, what was not tested ---- */

static void claims_part(const Ledger *b, Text *out) {
    LOCAL(cells_list_release) CellsList rows = {0}, whole = {0};
    ledger_tables(b, false, false, NULL, &rows);
    cells_list_html(&rows, out);
    for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
        if (c->word != WORD_NOT_TESTED) ledger_whole(b, c->claim, &whole);
    text_format(out, "<details><summary>Each claim in full</summary>\n");
    cells_list_html(&whole, out);
    text_format(out, "</details>\n");
    cells_list_release(&whole);
}

static void not_run_part(const Ledger *b, Text *out) {
    int count[WORD_COUNT];
    LOCAL_TEXT(why);
    ledger_count(b, NULL, count);
    if (!count[WORD_NOT_TESTED]) return;
    text_format(out,
                "<details class=\"fold\" id=\"not-run\"><summary>What was not run <small>%d of the write-ups' claims "
                "%s not tested</small></summary>\n<ul>\n",
                count[WORD_NOT_TESTED], count[WORD_NOT_TESTED] == 1 ? "is" : "are");
    for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++) {
        if (c->word != WORD_NOT_TESTED) continue;
        text_clear(&why);
        text_format(&why, "%s  %s: ", c->claim->id, c->claim->brief);
        ledger_why(c, &why);
        text_format(out, "<li>");
        html_text(out, why.at);
        text_format(out, "</li>\n");
    }
    text_format(out, "</ul>\n</details>\n");
}

/* ---- The page's style sheet: light and dark, wide and narrow, screen and paper ---- */

static const char style[] =
    ":root{--ink:#1b1b1b;--soft:#595959;--line:#d8d8d8;--paper:#fff;--tint:#f5f5f2;--good:#00603f;--bad:#9c2f00;"
    "--accent:#0b5394}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e6;--soft:#a8a8a4;--line:#444;--paper:#17181a;--tint:#222427;"
    "--good:#5fc79a;--bad:#f0906a;--accent:#8ab8ea}}\n"
    "html{color-scheme:light dark;-webkit-text-size-adjust:100%}body{margin:0;background:var(--paper);"
    "color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "main{max-width:72rem;margin:0 auto;padding:1rem 1.5rem}h1{font-size:1.7rem;line-height:1.25;margin:.2em 0}"
    "h2{margin:2em 0 .4em;border-bottom:2px solid var(--line);padding-bottom:.2em}h3{margin:1.4em 0 .3em}"
    "h2,h3{line-height:1.3}\n"
    "p,li{max-width:60rem}a{color:var(--accent)}small,.soft{color:var(--soft)}code{font-size:.9em;"
    "overflow-wrap:anywhere}.soft{margin:.2em 0;font-size:.9rem}\n"
    /* The first page, and what is folded behind it. */
    "h2{font-size:1.2rem}#asked h2{margin-top:.8em}.answer{margin:.2em 0 .5em}"
    ".fold{border-top:1px solid var(--line);margin:0;padding:.3em 0}.fold>summary{font-weight:600;padding:.3em 0}"
    ".fold>div{padding:0 0 1.5em}.fold small{font-weight:400}\n"
    /* A picture of an interval: the margin's band, zero, the interval, the mean. */
    ".interval{width:180px;height:18px;display:block}.interval rect{fill:var(--line);opacity:.6}"
    ".interval path{stroke:var(--ink);stroke-width:2}.interval .zero{stroke-width:1;stroke:var(--soft)}"
    ".interval circle{fill:var(--ink)}\n"
    /* Tables. */
    ".wide{overflow-x:auto}.numbers td,.numbers th{white-space:nowrap}.numbers .words{white-space:normal}"
    ".numbers td.words{min-width:10rem}"
    "table{border-collapse:collapse;margin:.6em 0;font-size:.88rem;"
    "font-variant-numeric:tabular-nums}th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid var(--line);"
    "vertical-align:top}th:first-child,td:first-child,td.text,th.text{text-align:left}tbody th{font-weight:400}"
    "thead th,thead td{border-bottom:2px solid "
    "var(--ink);font-weight:600}.numbers th[scope=rowgroup]{background:var(--tint)}caption{text-align:left;"
    "color:var(--soft);padding-bottom:.4em;max-width:60rem}\n"
    /* Figures: text, axes and the baseline are currentColor. */
    ".plot{margin:1em 0;border:1px solid var(--line);padding:.4em;max-width:62rem}"
    ".plot svg{width:100%;height:auto;display:block}.plot .phone{display:none}"
    ".plot figcaption{color:var(--soft);font-size:.88rem;padding:.3em}\n"
    /* Verdicts and the rest. */
    ".v-better{color:var(--good)}.v-worse{color:var(--bad)}.v-same{color:var(--accent)}.v-warning{color:var(--bad)}"
    ".v-open{color:var(--soft)}\n"
    ".verdict{font-weight:600}.v-reproduced,.v-seen-here{color:var(--good)}.v-contradicted,.v-not-seen-here{"
    "color:var(--bad)}.v-not-tested,.v-estimate{color:var(--soft);font-weight:400}\n"
    "details{margin:.6em 0}summary{cursor:pointer;color:var(--accent)}"
    ".banner{border-left:.3rem solid var(--bad);background:var(--tint);padding:.4em .8em}\n"
    /* A phone: rows of the claims become blocks, wide tables and figures scroll in their boxes. */
    "@media(max-width:700px){main{padding:.6rem .9rem}h1{font-size:1.35rem}"
    ".stack table,.stack tbody,.stack tr,.stack caption,.stack tbody th,.stack td.words{display:block;text-align:left}"
    ".stack thead{display:none}.stack td,.stack tbody th{border:0;padding:.05em .4em .05em 0}"
    ".stack td{display:inline-block;text-align:left}.stack td:empty{display:none}"
    ".stack tr{border-bottom:1px solid var(--line);padding:.4em 0}.stack .p::before{content:\"p \"}"
    ".plot .desk{display:none}.plot .phone{display:block}}\n"
    "@media print{details::details-content{content-visibility:visible;block-size:auto}body{font-size:11px}"
    "main{max-width:none;padding:0}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}"
    ".wide{overflow:visible}}\n";

/* ---- The page ---- */

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
    tables_part(t, out);
    methods(t, out);
    Rc rc = report_files(made, s, to, out, e);
    fold_end(out);
    return rc;
}

static void cells_shown(const Ledger *b, void (*make)(const Ledger *, Cells *), Text *out) {
    LOCAL(cells_release) Cells c = {0};
    make(b, &c);
    text_clear(&c.title); /* it is the section's */
    text_format(out, "<div class=\"stack\">\n");
    cells_html(&c, out);
    text_format(out, "</div>\n");
}

/* The first page: all that is not folded. */
static void head(const Ledger *b, Text *out) {
    LOCAL_TEXT(words);
    text_format(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                "<title>normbench: where should normalization stand?</title>\n<style>\n%s</style>\n</head>\n<body>\n"
                "<main>\n<h1>Where should normalization stand?</h1>\n",
                style);
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
        theory_part(b, theory, number, out);
        fold_end(out);
    }
    report_counts(b, &words);
    if (words.length) {
        fold_begin("claims", "The write-ups' claims", words.at, out);
        claims_part(b, out);
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
    not_run_part(b, out);
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
        terminal_say(stderr, "normbench: note: no figures: %s\n", why.text);
    }
    Rc rc = RC_OK;
    for (int i = 0; i < b->made_count && !rc; i++) {
        rc = experiment(b, b->made[i], s, SHOW_TEXT("%s/%d", aside.path, i), folder, &number, &page, e);
    }
    behind(b, aside.path, &number, &page);
    text_format(&page, "</section>\n</main>\n</body>\n</html>\n");
    snprintf(path, sizeof path, "%.1200s/report.html", folder);
    if (!rc) rc = file_write(path, page.at, page.length, e);
    if (!rc) terminal_say(stderr, "  %s: %d figures\n", path, number);
    scratch_remove(&aside);
    return rc;
}
