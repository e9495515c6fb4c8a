/* compare as JUnit's XML, which jobs of continuous integration show: a test for each arm, which fails where the arm
 * fails --fail-on and is skipped where nothing is decided. The schema is that of Ant's junit task. */
#include <string.h>

#include "bench/compare/print.h"
#include "bench/compare/sentence.h"
#include "bench/formats/html.h"

static void attribute(const char *name, const char *value, Text *out) {
    text_format(out, " %s=\"", name);
    html_text(out, value);
    text_format(out, "\"");
}

typedef struct {
    int tests, failures, skipped;
} Counts;

static Rc outcome(const CompareResult *r, const Comparison *c) {
    const FailOn f = {r->options.fail_by, r->options.fail_more};
    return comparisons_gate(c, 1, NULL, &f);
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
    if (rc == RC_REGRESSION && r->options.fail_by)
        text_format(out, " by more than %s", FORMAT_REAL(r->options.fail_more));
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
