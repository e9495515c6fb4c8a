/* compare over corpora: text, JSON and LaTeX of each corpus, then of the arms over all of them. */
#include <math.h>
#include <string.h>

#include "bench/compare/print.h"
#include "bench/formats/html.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/write/corpora.h"
#include "bench/write/stat_json.h"

/* As many digits as the interval of the first difference deserves. */
static CorporaShown shown(const CompareOver *r) {
    const CorporaSum *c = &r->sum;
    const StInterval *i = &c->iqm[c->baseline ? 0 : 1].minus;
    double width = i->status == ST_OK ? (i->hi - i->lo) / 4 : (double)NAN;
    return (CorporaShown){c, (const char *const *)r->of[0].data->arm, r->diverged, decimals_for(width, 4),
                          (const char *const *)r->data->name};
}

void compare_over_show(const CompareOver *r, SentenceForm form, int width, Text *out) {
    const bool tex = form == SENTENCE_TEX, several = r->data->corpora > 1;
    ComparePage p;
    for (int i = 0; i < r->data->corpora; i++) {
        if (several) text_format(out, "%scorpus %s\n", tex ? "% " : "", r->data->name[i]);
        compare_page(&r->of[i], &p);
        compare_show(&p, form, width, out);
        if (several) text_format(out, "\n");
    }
    if (!several) return;
    p = compare_page_new();
    p.floats = true;
    CorporaShown s = shown(r);
    corpora_sum_cells(&s, "Over corpora", &p.tables);
    corpora_methods(&s, r->of[0].data->steps ? "the step" : "its value", 0, &p.notes);
    text_format(&p.notes, " Every corpus has its own family of tests, so p_adj above is not adjusted over corpora.\n");
    compare_show(&p, form, width, out);
}

void compare_over_json(const CompareOver *r, Text *out) {
    if (r->data->corpora == 1) {
        compare_json(&r->of[0], out);
        return;
    }
    json_t *list = json_array();
    CorporaShown s = shown(r);
    for (int i = 0; i < r->data->corpora; i++) {
        json_t *one = json_new("corpus", r->data->name[i]);
        json_object_update_new(one, compare_object(&r->of[i]));
        json_array_append_new(list, one);
    }
    LOCAL(cells_list_release) CellsList tables = {0};
    corpora_sum_cells(&s, "Over corpora", &tables);
    json_print(json_add(json_begin(COMPARE_SCHEMA), "corpora", list, "over_corpora", cells_list_json(&tables),
                        "exit_code", compare_over_exit(r)),
               JSON_EXACT, out);
}

/* ---- compare as Markdown, such as the summary of a job of continuous integration: the gate, a sentence for each
 * comparison, the tables, and the notes folded away. ---- */

static void gate(const CompareOver *r, Text *out) {
    const CompareOptions *x = &r->of[0].options;
    Rc rc = compare_over_exit(r);
    bool lost = false;
    for (int k = 0; k < r->data->corpora; k++) lost |= r->of[k].data->lost > 0;
    if (!x->fail.by) return;
    text_format(out, "**%s**: ", rc == RC_REGRESSION ? "FAIL" : rc == RC_OK ? "PASS" : "NOT DECIDED");
    text_format(out,
                rc == RC_REGRESSION ? "an arm is worse than %s by more than %s"
                : rc == RC_OK       ? "no arm is worse than %s by more than %s"
                                    : "whether an arm is worse than %s by more than %s",
                r->of[0].data->arm[r->of[0].baseline], FORMAT_REAL(x->fail.more));
    if (rc == RC_REGRESSION && lost) text_format(out, ", or worse with a diverged run");
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

static void details(const CompareResult *r, Text *out) {
    const CompareData *d = r->data;
    LOCAL_TEXT(notes);
    text_format(out, "\n<details><summary>How this was made</summary>\n\n");
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
        LOCAL(cells_list_release) CellsList list = {0};
        if (r->data->corpora > 1) text_format(out, "\n### %s\n", r->data->name[k]);
        compare_cells(&r->of[k], &list);
        cells_list_markdown(&list, out);
        details(&r->of[k], out);
    }
    if (r->data->corpora == 1) return;
    LOCAL(cells_list_release) CellsList sums = {0};
    const CorporaShown s = shown(r);
    text_format(out, "\n");
    corpora_sum_cells(&s, "Over corpora", &sums);
    cells_list_markdown(&sums, out);
}

/* ---- compare as JUnit's XML, which jobs of continuous integration show: a test for each arm, which fails where the
 * arm fails --fail-on and is skipped where nothing is decided. The schema is that of Ant's junit task. ---- */

static void attribute(const char *name, const char *value, Text *out) {
    text_format(out, " %s=\"", name);
    html_text(out, value);
    text_format(out, "\"");
}

typedef struct {
    int tests, failures, skipped;
} Counts;

static Rc outcome(const CompareResult *r, const Comparison *c) {
    return comparisons_gate(c, 1, NULL, &r->options.fail);
}

static void count(const CompareResult *r, Counts *n) {
    for (int i = 0; i < r->family.count; i++) {
        Rc rc = outcome(r, &r->family.at[i]);
        n->tests++, n->failures += rc == RC_REGRESSION, n->skipped += rc == RC_INCONCLUSIVE;
    }
}

static void counts(const Counts *n, Text *out) {
    text_format(out, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n", n->tests, n->failures, n->skipped);
}

/* "worse than main by more than 0.02", "not decided; about 4 more seeds would decide it" */
static void message(const CompareResult *r, const Comparison *c, Rc rc, Text *out) {
    const char *baseline = r->data->arm[r->baseline];
    int more = compare_gate_more(r, c);
    if (rc == RC_REGRESSION)
        text_format(out, "worse than %s", baseline);
    else
        text_format(out, "not decided");
    if (rc == RC_REGRESSION && r->options.fail.by)
        text_format(out, " by more than %s", FORMAT_REAL(r->options.fail.more));
    if (rc == RC_INCONCLUSIVE && more)
        text_format(out, "; about %d more seed%s would decide it", more, more == 1 ? "" : "s");
}

static void test(const CompareOver *r, int corpus, int i, const char *suite, const char *metric, Text *out) {
    const CompareResult *one = &r->of[corpus];
    const Comparison *c = &one->family.at[i];
    Rc rc = outcome(one, c);
    LOCAL_TEXT(name);
    LOCAL_TEXT(said);
    text_format(&name, "%s minus %s", compare_arm_name(one, c), one->data->arm[one->baseline]);
    text_format(out, "    <testcase");
    attribute("classname", suite, out), attribute("name", name.at, out);
    text_format(out, ">\n");
    if (rc != RC_OK) {
        message(one, c, rc, &said);
        text_format(out, "      <%s", rc == RC_REGRESSION ? "failure type=\"worse\"" : "skipped");
        attribute("message", said.at, out);
        text_format(out, "/>\n");
    }
    text_clear(&said);
    compare_sentence(r, corpus, i, metric, SENTENCE_TEXT, &said);
    text_format(out, "      <system-out>");
    html_text(out, said.at);
    text_format(out, "</system-out>\n    </testcase>\n");
}

void compare_junit(const CompareOver *r, const char *metric, Text *out) {
    Counts all = {0};
    for (int k = 0; k < r->data->corpora; k++) count(&r->of[k], &all);
    text_format(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"normbench compare\"");
    counts(&all, out);
    for (int k = 0; k < r->data->corpora; k++) {
        Counts own = {0};
        LOCAL_TEXT(suite);
        LOCAL_TEXT(words);
        text_format(&suite, "%s%s%s", metric ? metric : "value", r->data->corpora > 1 ? " on " : "",
                    r->data->corpora > 1 ? r->data->name[k] : "");
        count(&r->of[k], &own);
        text_format(out, "  <testsuite");
        attribute("name", suite.at, out);
        counts(&own, out);
        compare_signature(&r->of[k], &words);
        text_format(out, "    <properties><property name=\"signature\"");
        attribute("value", words.at, out);
        text_format(out, "/></properties>\n");
        for (int i = 0; i < r->of[k].family.count; i++) test(r, k, i, suite.at, metric, out);
        text_clear(&words);
        compare_reading(r->of[k].data, &words);
        text_format(out, "    <system-out>");
        html_text(out, words.at);
        text_format(out, "</system-out>\n  </testsuite>\n");
    }
    text_format(out, "</testsuites>\n");
}
