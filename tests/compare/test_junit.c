/* compare as JUnit's XML: which test of a suite fails, is skipped or passes, and names that XML would misread. */
#include "bench/compare/print.h"
#include "tests/test.h"

/* XML of a text's comparisons, in out. */
static void written(const char *text, CompareOptions o, const char *metric, Text *out) {
    LOCAL(compare_corpora_release) CompareCorpora data;
    LOCAL(compare_over_release) CompareOver r;
    o.conf = .95, o.margin = o.cap = o.stall = NAN;
    OK(compare_corpora_parse(&data, "f", (CompareColumns){0}, text, strlen(text), &e));
    OK(compare_over_make(&r, &data, &o, 1, &e));
    compare_junit(&r, metric, out);
}

static void has(const Text *out, const char *what) {
    cr_expect(strstr(out->at, what), "no %s in\n%s", what, out->at);
}

/* Against base: bad is above by more than 0.02 in every seed, good below it, even scatters around it. */
#define HEAD "seed,base,bad,good,even\n"
static const char mixed[] = HEAD "1,3,3.30,2.98,3.00\n2,3,3.31,2.97,3.05\n3,3,3.32,2.98,3.01\n4,3,3.30,2.97,3.04\n"
                                 "5,3,3.33,2.99,2.98\n6,3,3.31,2.98,3.06\n7,3,3.30,2.98,3.00\n8,3,3.32,2.97,3.02\n";

Test(junit, one_test_for_each_arm) {
    LOCAL_TEXT(out);
    written(mixed, (CompareOptions){.fail = {true, .02}}, "loss", &out);
    has(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"normbench compare\" tests=\"3\" "
              "failures=\"1\" errors=\"0\" skipped=\"1\">\n  <testsuite name=\"loss\" tests=\"3\" failures=\"1\"");
    has(&out, "<testcase classname=\"loss\" name=\"bad minus base\">\n      <failure type=\"worse\" "
              "message=\"worse than base by more than 0.02\"/>\n      <system-out>bad ends ");
    has(&out, "name=\"good minus base\">\n      <system-out>good ends ");
    has(&out, "name=\"even minus base\">\n      <skipped message=\"not decided");
    has(&out, "value=\"n8|pair:seed");
}

Test(junit, worse_by_any_amount) {
    LOCAL_TEXT(out);
    written(mixed, (CompareOptions){0}, NULL, &out);
    has(&out, "<testcase classname=\"value\" name=\"bad minus base\">\n      <failure type=\"worse\" "
              "message=\"worse than base\"/>");
    has(&out, "name=\"even minus base\">\n      <skipped message=\"not decided\"/>");
}

Test(junit, corpora_and_names_that_xml_would_misread) {
    LOCAL_TEXT(out);
    written("seed,corpus,arm,value\n1,a&b,<x>,1\n1,a&b,\"y\",2\n2,a&b,<x>,1\n2,a&b,\"y\",2\n"
          "1,c,<x>,1\n1,c,\"y\",2\n2,c,<x>,1\n2,c,\"y\",2\n",
          (CompareOptions){0}, "f1", &out);
    has(&out, "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\"");
    has(&out, "<testsuite name=\"f1 on a&amp;b\" tests=\"1\"");
    has(&out, "<testcase classname=\"f1 on c\" name=\"y minus &lt;x&gt;\">");
    cr_expect_not(strstr(out.at, "<x>"));
}
