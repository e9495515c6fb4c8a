/* CSV: what numbers look like in files of other countries and programs. JSON: a text's members in order. */
#include "bench/formats/csv.h"
#include "bench/formats/json.h"
#include "tests/test.h"

/* The fields of all lines, '|' between fields and '/' between lines; with the marks that were found. */
static const char *read(const char *text) {
    static char out[400];
    char copy[400];
    Rc rc;
    snprintf(copy, sizeof copy, "%s", text);
    LOCAL(csv_release) Csv c = {.file = "f", .at = copy, .end = copy + strlen(copy)};
    csv_begin(&c);
    snprintf(out, sizeof out, "%s", c.comma ? "comma " : "");
    while (csv_next(&c, &rc, &e)) {
        OK(rc);
        for (int i = 0; i < c.fields; i++) {
            size_t n = strlen(out);
            snprintf(out + n, sizeof out - n, "%s%s", i ? "|" : c.line > 1 ? "/" : "", c.field[i]);
        }
    }
    for (int i = 0; i < 8; i++)
        if (csv_percent(&c, i)) snprintf(out + strlen(out), sizeof out - strlen(out), " %%%d", i);
    return out;
}

Test(csv, decimal_commas_where_nothing_else_fits) {
    static const char *const rows[][2] = {
        {"s;a\n1;3,41\n2;-3,412\n", "comma s|a/1|3.41/2|-3.412"},
        {"s;a\n1;0,412\n", "comma s|a/1|0.412"},
        {"s\ta\n1\t3412,555\n", "comma s|a/1|3412.555"},
        {"s;a\n1;1,5e-3\n2;7\n", "comma s|a/1|1.5e-3/2|7"},
        {"s;a\n1;\"2,25\"\n", "comma s|a/1|2.25"},
        {"s;a\n1;,5\n", "comma s|a/1|.5"},
        {"s;a, b\n1;x, y\n2;2,5\n", "comma s|a, b/1|x, y/2|2.5"}, /* text stays as it is */
        {"s;a\n1;3,412\n2;3,455\n", "s|a/1|3,412/2|3,455"},       /* or thousands */
        {"s;a\n1;3,41\n2;3.41\n", "s|a/1|3,41/2|3.41"},
        {"s;a\n1;3,41\n2;1,234,567\n", "s|a/1|3,41/2|1,234,567"},
        {"s;a\n1;3,41\n2;1,234.5\n", "s|a/1|3,41/2|1,234.5"},
        {"s,a\n1,\"3,41\"\n", "s|a/1|3,41"}, /* the comma separates fields */
        {"s;a\n1;\xE2\x88\x92" "3,41\n2;\xE2\x88\x92x\n", "comma s|a/1|-3.41/2|\xE2\x88\x92x"}, /* U+2212 */
        {"s;a\n1;3,4x\n", "s|a/1|3,4x"},
        {"s;a\n1;3,\n", "s|a/1|3,"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(read(rows[i][0]), rows[i][1], "row %zu", i);
}

/* A number with both marks says what each is, for all numbers of the file that do not contradict it. */
Test(csv, thousands_beside_decimals) {
    static const char *const rows[][2] = {
        {"s;a\n1;1,234.5\n2;3,412\n3;-12,345,678.25\n", "s|a/1|1234.5/2|3412/3|-12345678.25"},
        {"s,a\n1,\"1,234.5\"\n2,\"3,412\"\n", "s|a/1|1234.5/2|3412"},
        {"s;a\n1;1.234,5\n2;3.412\n3;,25\n", "comma s|a/1|1234.5/2|3412/3|.25"},
        {"s;a\n1;1 234,5\n2;3 412\n3;0,25\n", "comma s|a/1|1234.5/2|3412/3|0.25"},
        {"s;a\n1;1\xC2\xA0" "234,5\n2;run 7\n", "comma s|a/1|1234.5/2|run 7"}, /* U+00A0 */
        {"s;a\n1;1\xE2\x80\xAF" "234,5\n", "comma s|a/1|1234.5"},               /* U+202F */
        {"s,a\n1,1'234.5\n2,3'412\n", "s|a/1|1234.5/2|3412"},
        {"s;a\n1;1 234.5\n2;3 412\n", "s|a/1|1234.5/2|3412"},
        {"s;a\n1;1,234.5 %\n2;3,412%\n", "s|a/1|1234.5/2|3412 %1"},
        {"s;a\n1;1,234.5e-3\n", "s|a/1|1234.5e-3"},
        /* Contradictions, which stay as they are: */
        {"s;a\n1;1,234.5\n2;1.234,5\n", "s|a/1|1,234.5/2|1.234,5"},
        {"s;a\n1;1.234,5\n2;0.5\n", "s|a/1|1.234,5/2|0.5"},
        {"s;a\n1;1 234,5\n2;3.5\n", "s|a/1|1 234,5/2|3.5"},
        {"s;a\n1;12,34.5\n", "s|a/1|12,34.5"},
        {"s;a\n1;1,234.5\n2;1.234.567\n", "s|a/1|1,234.5/2|1.234.567"},
        {"s;a\n1;1,234.5,6\n", "s|a/1|1,234.5,6"},
        /* No number says what its marks are: */
        {"s;a\n1;3 412\n2;3'412\n3;1.234.567\n", "s|a/1|3 412/2|3'412/3|1.234.567"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(read(rows[i][0]), rows[i][1], "row %zu: %s", i, rows[i][0]);
}

Test(csv, a_column_in_percent) {
    static const char *const rows[][2] = {
        {"s,a\n1,71.5%\n2,80 %\n", "s|a/1|71.5/2|80 %1"},
        {"s;a;b\n1;71,5%;3,25\n", "comma s|a|b/1|71.5|3.25 %1"},
        {"s,a\n1,71.5%\n2,\n3,nan\n", "s|a/1|71.5/2|/3|nan %1"},
        {"s,a\n1,71.5%\n2,.8\n", "s|a/1|71.5%/2|.8"}, /* two units */
        {"s,a\n1,5%%\n", "s|a/1|5%%"},
        {"s,a\n1,%\n", "s|a/1|%"},
        {"s,a\n1,top 5%\n", "s|a/1|top 5%"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(read(rows[i][0]), rows[i][1], "row %zu", i);
}

/* json_compact is what jansson dumps of the same text: keys sorted, without blanks and one member of the top. */
Test(csv, json_compact_is_what_jansson_dumps) {
    static const char *const same[] = {
        "{}", "{\"sha256\": \"x\"}",
        "{\n \"b\": [1, 2.5, {\"z\": \"a, }]\", \"a\": []}],\n \"sha256\": {\"a\": 1},\n \"a\": \"\\\"{\"\n}",
        "{\"in\" : {\"sha256\": 1, \"ab\": {}, \"a\": null}, \"sha256\":2, \"sha25\": true,\"sha2567\" : -3}"};
    json_error_t why;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        LOCAL_TEXT(out);
        json_auto_t *root = json_loads(same[i], JSON_REJECT_DUPLICATES, &why);
        cr_assert_not_null(root, "%s", why.text);
        json_object_del(root, "sha256");
        OWNED char *dumped = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        cr_assert(json_compact(same[i], "sha256", &out));
        cr_expect_str_eq(out.at, dumped);
    }
    LOCAL_TEXT(other);
    cr_expect_not(json_compact("{\"a\": {\"\\u0062\": 1}}", "sha256", &other), "a key with an escape");
    text_clear(&other);
    cr_expect(json_compact("{\"a\": 0.10}", "sha256", &other));
    cr_expect_str_eq(other.at, "{\"a\":0.10}", "a number as it is spelled");
}
