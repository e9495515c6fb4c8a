#include "tests/compare/compared.h"

#include "tests/verdict/made_up.h"

CompareData data;
CompareResult result;
const CompareOptions plain = {.margin = NAN, .conf = .95, .cap = NAN, .stall = NAN};

void compared(const char *text, CompareColumns columns, CompareOptions options) {
    compare_release(&result);
    compare_data_release(&data);
    OK(compare_parse(&data, "FILE", columns, text, strlen(text), &e));
    OK(compare_make(&result, &data, &options, 2, &e));
}

void says(void (*write)(const CompareResult *, Text *), const char *what, bool wanted) {
    LOCAL_TEXT(out);
    write(&result, &out);
    if (write == compare_text) made_up_unbroken(out.at);
    cr_expect_eq(strstr(out.at, what) != NULL, wanted, "%s: %s", what, out.at);
}

void near(double got, double want, double tolerance, const char *what) {
    cr_expect(fabs(got - want) <= tolerance, "%s: %.10g, not %.10g", what, got, want);
}

void is(int comparison, const char *want) {
    const char *got = compare_word(&result, result.family.at[comparison].decision);
    cr_expect_str_eq(got, want);
}
