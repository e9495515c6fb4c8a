/* NAME.tex: the write-up's rows and columns with its numbers beside ours, then the paired tests. */
#include <string.h>

#include "bench/write/claims.h"
#include "bench/write/results.h"
#include "bench/write/summaries.h"

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
    CellsList all = {0};
    Text mark, label;
    text_init(&mark);
    text_init(&label);
    table_label(t, &label);
    TexLayout layout = table_layout(t, &mark);
    layout.label = label.at;
    table_header_comment(t, "table", out);
    text_format(out, "%% needs: %s\n", table_packages(t));
    results_all(t, true, &all);
    cells_list_tex(&all, &layout, out);
    cells_list_release(&all);
    text_release(&label);
    text_release(&mark);
}

/* NAME-claims.tex; what is not run stands in comments. */
void table_claims_tex(const Table *t, Text *out) {
    CellsList all = {0};
    Text mark;
    text_init(&mark);
    TexLayout layout = table_layout(t, &mark);
    table_header_comment(t, "claims", out);
    claims_not_run(t, "% ", out);
    claims_tables(t, &all);
    cells_list_tex(&all, &layout, out);
    cells_list_release(&all);
    text_release(&mark);
}
