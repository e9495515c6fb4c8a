/* The table on the terminal: the same numbers, aligned by blanks. */
#include <stdio.h>
#include <string.h>

#include "bench/write/claims.h"
#include "bench/write/summaries.h"

void table_wrapped(const char *text, int indent, Text *out) {
    text_wrapped(out, SHOW_TEXT("%*s", indent, ""), text, indent, PAGE_WIDTH);
}

void table_text(const Table *t, Text *out) {
    table_text_wide(t, PAGE_WIDTH, out);
}

void table_text_wide(const Table *t, int width, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(words);
    table_exploratory(t, &words);
    text_format(out, "%s: %s%s%s%s%s%s\n", t->name, t->x->title, words.length ? "  [" : "", table_mark(t),
                words.length ? ": " : "", words.at, words.length ? "]" : "");
    summaries_text(t, false, width, out);
    translations_shown(t, out);
    results_all(t, false, &all);
    claims_tables(t, &all);
    cells_list_text(&all, width, out);
    text_clear(&words);
    claims_not_run(t, &words);
    if (words.length) text_wrapped(out, "", words.at, 0, width);
    text_clear(&words);
    table_methods(t, &words);
    text_format(out, "\n");
    text_wrapped(out, "", words.at, 0, width);
    text_clear(&words);
    table_signature(t, &words);
    for (char *part = words.at, *bar; *part; part = bar) { /* of a narrow terminal broken before a bar */
        bar = part + strlen(part);
        for (int n = (int)strlen(part); width < PAGE_WIDTH && n > width && bar > part + 1;) {
            do bar--;
            while (bar > part + 1 && *bar != '|');
            n = (int)(bar - part);
        }
        text_format(out, "%.*s\n", (int)(bar - part), part);
    }
}

void table_markdown(const Table *t, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(words);
    text_format(&words, "%s: %s", t->name, t->x->title);
    text_format(out, "## ");
    markdown_text(words.at, out);
    text_format(out, "\n");
    text_clear(&words);
    table_exploratory(t, &words);
    if (words.length) text_format(out, "\n%s: %s\n", table_mark(t), words.at);
    results_all(t, false, &all);
    claims_tables(t, &all);
    cells_list_markdown(&all, out);
    text_clear(&words);
    table_methods(t, &words);
    text_format(out, "\n");
    markdown_text(words.at, out);
    text_format(out, "\n");
}

/* ---- NAME.tex: the write-up's rows and columns with its numbers beside ours, then the paired tests ---- */

const char *table_packages(const Table *t) {
    return t->options.siunitx
               ? "\\usepackage{booktabs}, \\usepackage{siunitx}; siunitx 3: \\sisetup{text-series-to-math = true}; 2: "
                 "\\usepackage{etoolbox}\\robustify\\bfseries\\sisetup{detect-weight = true}"
               : "\\usepackage{booktabs}, and of wide tables \\usepackage{graphicx}";
}

/* A label that LaTeX takes: without its special characters. */
void table_label(const Table *t, Text *out) {
    for (const char *s = t->label; *s; s++) text_add(out, strchr("_%&#$~^\\{}", *s) ? "-" : s, 1);
}

void table_tex(const Table *t, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    Text label;
    LOCAL_TEXT(mark);
    text_init(&label);
    table_label(t, &label);
    TexLayout layout = table_layout(t, &mark);
    layout.label = label.at;
    table_header_comment(t, "table", out);
    text_format(out, "%% needs: %s\n", table_packages(t));
    results_all(t, true, &all);
    cells_list_tex(&all, &layout, out);
    text_release(&label);
}

/* NAME-claims.tex; what is not run stands in comments. */
void table_claims_tex(const Table *t, Text *out) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(mark);
    LOCAL_TEXT(words);
    TexLayout layout = table_layout(t, &mark);
    table_header_comment(t, "claims", out);
    claims_not_run(t, &words);
    if (words.length) text_format(out, "%% %s\n", words.at);
    claims_tables(t, &all);
    cells_list_tex(&all, &layout, out);
}
