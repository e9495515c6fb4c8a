/* report.html: the page around the tables and figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/write/figure.h"
#include "bench/run/provenance.h"
#include "bench/write/report.h"
#include "bench/formats/subprocess.h"

static const char style[] =
    ":root{--ink:#1b1b1b;--soft:#5a5a5a;--line:#d8d8d8;--paper:#fff;--tint:#f5f5f2;--good:#00603f;--bad:#9c2f00;"
    "--accent:#0b5394}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e6;--soft:#a8a8a4;--line:#444;--paper:#17181a;--tint:#222427;"
    "--good:#5fc79a;--bad:#f0906a;--accent:#8ab8ea}}\n"
    "html{color-scheme:light dark}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:72rem;margin:0 auto;padding:1.5rem}h1{font-size:1.9rem;margin:.2em 0}"
    "h2{margin:2.2em 0 .4em;border-bottom:2px solid var(--line);padding-bottom:.2em}h3{margin:1.6em 0 .3em}\n"
    "p,li{max-width:60rem}a{color:var(--accent)}small,.soft{color:var(--soft)}code{font-size:.9em}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:.6em 0;font-size:.88rem;"
    "font-variant-numeric:tabular-nums}th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid var(--line);"
    "vertical-align:top}th:first-child,td:first-child,td.text,th.text{text-align:left}thead th{border-bottom:2px solid "
    "var(--ink);font-weight:600}td.said{background:var(--tint);text-align:left}caption{text-align:left;"
    "color:var(--soft);padding-bottom:.4em;max-width:60rem}\n"
    "figure{margin:1em 0;background:#fff;border:1px solid var(--line);padding:.4em}figure svg{width:100%;height:auto;"
    "display:block}figcaption{color:#444;font-size:.88rem;padding:.3em}\n"
    ".verdict{font-weight:600;white-space:nowrap}.v-reproduced{color:var(--good)}.v-contradicted,.v-not-reproduced{"
    "color:var(--bad)}.v-not-run,.v-not-testable{color:var(--soft);font-weight:400}\n"
    "details{margin:.6em 0}summary{cursor:pointer;color:var(--accent)}nav ul{columns:2;padding-left:1.2em}"
    ".banner{background:#8a2b00;color:#fff;padding:.6em 1em}\n"
    "@media print{details::details-content{content-visibility:visible;block-size:auto}body{font-size:11px}}\n";

void html_text(Text *out, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        uint32_t code;
        size_t n = utf8_next(s, strlen((const char *)s), &code);
        if (!n)
            text_format(out, "?"), n = 1;
        else if (*s == '&')
            text_format(out, "&amp;");
        else if (*s == '<')
            text_format(out, "&lt;");
        else if (*s == '>')
            text_format(out, "&gt;");
        else if (*s == '"')
            text_format(out, "&quot;");
        else if (n == 1 && *s < 0x20 && *s != '\n')
            text_format(out, "?");
        else
            text_add(out, (const char *)s, n);
        s += n;
    }
}

/* The ids inside a figure, and references to them, get a prefix, so that ids are unique on the page. */
static void add_svg(Text *out, const char *svg, int number) {
    static const char *const before[] = {"id=\"", "id='", "'#", "\"#", "url(#"};
    char prefix[24];
    snprintf(prefix, sizeof prefix, "f%d-", number);
    for (const char *s = svg; *s;) {
        size_t n = 0;
        for (size_t i = 0; i < sizeof before / sizeof *before && !n; i++)
            if (!strncmp(s, before[i], strlen(before[i]))) n = strlen(before[i]);
        bool colour = n == 2 && strspn(s + n, "0123456789abcdefABCDEF") >= 6; /* "#0072B2" refers to no id */
        text_add(out, s, n ? n : 1);
        if (n && !colour) text_format(out, "%s", prefix);
        s += n ? n : 1;
    }
}

static bool inline_figure(const char *path, const char *caption, int *number, Text *out) {
    char *bytes;
    size_t length;
    Error ignored;
    if (file_read(path, &bytes, &length, &ignored)) return false;
    const char *svg = strstr(bytes, "<svg");
    if (svg) {
        text_format(out, "<figure id=\"figure-%d\">\n", ++*number);
        add_svg(out, svg, *number);
        text_format(out, "<figcaption>Figure %d. ", *number);
        html_text(out, caption);
        text_format(out, "</figcaption></figure>\n");
    }
    free(bytes);
    return svg != NULL;
}

static void figures(const Table *t, const char *folder, int *number, Text *out) {
    enum { OPEN = 4 };
    char path[1400];
    Figure *figure;
    Text caption;
    int figures = figure_list(t, &figure);
    text_init(&caption);
    for (int i = 0; i < figures; i++) {
        if (i == OPEN) text_format(out, "<details><summary>The other figures</summary>\n");
        snprintf(path, sizeof path, "%.1100s/%s.svg", folder, figure[i].name);
        text_clear(&caption);
        figure_caption(t, &figure[i], &caption);
        (void)inline_figure(path, caption.at, number, out);
    }
    if (figures > OPEN) text_format(out, "</details>\n");
    text_release(&caption);
    free(figure);
}

static void section(const LedgerTable *made, const char *folder, int *number, Text *out) {
    const Table *t = &made->table;
    Text words;
    text_init(&words);
    text_format(out, "<section id=\"");
    html_text(out, t->x->name);
    text_format(out, "\">\n<h2>");
    html_text(out, t->x->title);
    text_format(out, "</h2>\n");
    if (t->synthetic)
        text_format(out, "<p class=\"banner\">Made on the built-in synthetic source, not on a text.</p>\n");
    table_exploratory(t, &words);
    if (words.length) {
        text_format(out, "<p class=\"banner\">Exploratory: ");
        html_text(out, words.at);
        text_format(out, ".</p>\n");
    }
    text_format(out, "<p>Experiment <code>%s</code>, profile <code>%s</code>: %d runs. ", t->x->name, t->x->profile,
                made->records.runs);
    text_clear(&words);
    if (t->sample.cells == 1) table_corpus(t, 0, &words);
    if (t->sample.cells > 1) table_text_source(t, 0, &words), text_format(&words, ".");
    html_text(out, words.at);
    text_format(out, " Again: <code>");
    experiment_command(t->x, out);
    text_format(out, "</code>.</p>\n");
    report_section_tables(t, out);
    figures(t, folder, number, out);
    text_clear(&words);
    table_methods(t, &words);
    text_format(out, "<details><summary>Methods</summary><p>");
    html_text(out, words.at);
    text_clear(&words);
    table_signature(t, &words);
    text_format(out, "</p><p><code>");
    html_text(out, words.at);
    text_format(out, "</code></p></details>\n</section>\n");
    text_release(&words);
}

static void head(const Ledger *b, Text *out) {
    int count[WORD_NOT_RUN + 1], runs = 0, written = 0;
    ledger_count(b, NULL, count);
    for (int i = 0; i < b->mades; i++) runs += b->made[i]->records.runs;
    text_format(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<title>normbench: where should normalization stand?</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n"
        "<h1>Where should normalization stand in a transformer?</h1>\n<p>What normbench %s measured: %d "
        "experiment%s, %d runs. Verdicts on the write-ups' claims: ",
        style, NORMBENCH_VERSION, b->mades, b->mades == 1 ? "" : "s", runs);
    for (int w = 0; w <= WORD_NOT_RUN; w++)
        if (count[w])
            text_format(out, "%s%d %s", written++ ? ", " : "", count[w], verdict_word((VerdictWord)w));
    text_format(out, ".</p>\n<nav aria-label=\"Contents\"><ul>\n<li><a href=\"#claims\">The claims</a></li>\n");
    for (int i = 0; i < b->mades; i++) {
        text_format(out, "<li><a href=\"#%s\">", b->made[i]->x.name);
        html_text(out, b->made[i]->x.title);
        text_format(out, "</a></li>\n");
    }
    text_format(
        out,
        "<li><a href=\"#choices\">Choices</a></li>\n<li><a href=\"#provenance\">Provenance</a></li>\n</ul></nav>\n");
}

Rc report_html(const Ledger *b, const Session *s, const char *folder, Error *e) {
    char aside[600], path[1300];
    int number = 0;
    Error why = {.code = RC_OK};
    Text page;
    if (subprocess_folder(aside, sizeof aside, e)) return e->code;
    bool drawn = report_figures(b, aside, 1, s->threads, &why) == RC_OK;
    text_init(&page);
    head(b, &page);
    report_ledger(b, &page);
    if (!drawn) {
        text_format(&page, "<p class=\"banner\">No figures: ");
        html_text(&page, why.text);
        text_format(&page, "</p>\n");
        fprintf(stderr, "normbench: note: no figures: %s\n", why.text);
    }
    for (int i = 0; i < b->mades; i++) {
        char from[700];
        snprintf(from, sizeof from, "%s/%d", aside, i);
        section(b->made[i], from, &number, &page);
    }
    text_format(&page, "<section id=\"choices\">\n");
    report_choices(b, &report_in_html, &page);
    text_format(&page, "</section>\n<section id=\"provenance\">\n");
    report_provenance(b, &report_in_html, &page);
    text_format(&page, "</section>\n");
    text_format(&page, "</main>\n</body>\n</html>\n");
    snprintf(path, sizeof path, "%.1200s/report.html", folder);
    Rc rc = file_write(path, page.at, page.length, e);
    if (!rc) fprintf(stderr, "  %s: %d figures\n", path, number);
    text_release(&page);
    report_figures_remove(b, aside);
    return rc;
}
