/* compare as Markdown, such as the summary of a job of continuous integration: the gate, a sentence for each
 * comparison, the tables, and the notes folded away. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/print.h"
#include "bench/compare/sentence.h"
#include "bench/formats/latex.h"

static void gate(const CompareOver *r, Text *out) {
    const CompareOptions *x = &r->of[0].options;
    Rc rc = compare_over_exit(r);
    if (!x->fail_by) return;
    text_format(out, "**%s**: ", rc == RC_REGRESSION ? "FAIL" : rc == RC_OK ? "PASS" : "NOT DECIDED");
    text_format(out,
                rc == RC_REGRESSION ? "an arm is worse than %s by more than %s"
                : rc == RC_OK       ? "no arm is worse than %s by more than %s"
                                    : "whether an arm is worse than %s by more than %s",
                r->of[0].data->arm[r->of[0].baseline], FORMAT_REAL(x->fail_more));
    int most = 0;
    for (int k = 0; k < r->data->corpora && rc == RC_INCONCLUSIVE; k++)
        for (int i = 0; i < r->of[k].family.count; i++) {
            int more = compare_gate_more(&r->of[k], &r->of[k].family.at[i]);
            most = more > most ? more : most;
        }
    if (most) text_format(out, "; about %d more seed%s would decide it", most, most == 1 ? "" : "s");
    text_format(out, ".\n\n");
}

/* Lines of a text as items of a list. */
static void items(const char *text, bool plain, Text *out) {
    LOCAL_TEXT(line);
    while (text_line(&text, &line)) {
        if (!line.length) continue;
        text_format(out, "* ");
        if (plain)
            markdown_text(line.at, out);
        else
            text_format(out, "%s", line.at);
        text_format(out, "\n");
    }
}

static void tables(const CompareResult *r, Text *out) {
    LOCAL(cells_list_release) CellsList list = {0};
    compare_cells(r, &list);
    for (int i = 0; i < list.count; i++) {
        cells_markdown(&list.at[i], out);
        text_format(out, "\n");
    }
}

static void details(const CompareResult *r, Text *out) {
    const CompareData *d = r->data;
    LOCAL_TEXT(notes);
    text_format(out, "<details><summary>How this was made</summary>\n\n");
    compare_signature(r, &notes);
    text_format(&notes, "\n");
    if (d->columns) text_format(&notes, "Read as %s.\n", d->columns);
    compare_notes(r, &notes);
    items(notes.at, true, out);
    text_format(out, "\n</details>\n");
}

void compare_markdown(const CompareOver *r, const char *metric, Text *out) {
    LOCAL_TEXT(said);
    gate(r, out);
    compare_sentences(r, metric, SENTENCE_MARKDOWN, &said);
    items(said.at, false, out);
    if (r->of[0].data->remarks) text_format(out, "\n"), items(r->of[0].data->remarks, true, out);
    for (int k = 0; k < r->data->corpora; k++) {
        text_format(out, "\n");
        if (r->data->corpora > 1) text_format(out, "### %s\n\n", r->data->name[k]);
        tables(&r->of[k], out);
    }
    details(&r->of[0], out);
}
