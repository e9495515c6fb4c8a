/* The floor: Philox, hashes, strict numbers, files, the pool, canonical functions at their special values. */
#include <gsl/gsl_cdf.h>
#include <unistd.h>

#include "base/canon.h"
#include "base/normals.h"
#include "base/philox.h"
#include "base/pool.h"
#include "base/sha256.h"
#include "base/text.h"
#include "tests/test.h"

/* Known answers of Random123's kat_vectors for philox4x32, 10 rounds. */
Test(base, philox_known_answers) {
    static const struct {
        uint32_t ctr[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        philox4x32_10(out, known[i].ctr, known[i].key);
        cr_assert_arr_eq(out, known[i].out, sizeof out, "vector %zu", i);
    }
}

/* Key = seed, counter = {offset >> 2, subsequence}, word = offset & 3, 64-bit carries included. */
Test(base, counter_layout_is_curands) {
    const uint64_t seed = 0x299f31d0a4093822u, stream = 0x0370734413198a2eu, block = 0x85a308d3243f6a88u;
    static const uint32_t expected[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    uint32_t out[4];
    philox_block(out, seed, stream, block);
    cr_assert_arr_eq(out, expected, sizeof out);
    uint64_t offset = (block & 0x3fffffffffffffffu) << 2;
    philox_block(out, seed, stream, offset >> 2);
    for (uint64_t i = 0; i < 4; i++) cr_assert_eq(philox_word(seed, stream, offset + i), out[i]);
    cr_assert_eq(philox_offset(3, 5), (3ull << 40) + 5);
}

/* From every offset in a block of four, across pieces of its loop, and at none. */
Test(base, normals_are_those_of_single_words) {
    static float x[1100];
    for (size_t from = 0; from < 6; from++)
        for (size_t n = 0; n < sizeof x / sizeof *x; n += n < 8 ? 1 : 273) {
            memset(x, 0xff, sizeof x);
            normals_draw(x, n, 7, 11, from);
            for (size_t i = 0; i < n; i++)
                cr_assert_eq(x[i], canon_normal(philox_word(7, 11, from + i)), "%zu of %zu from %zu", i, n, from);
            cr_assert(n == sizeof x / sizeof *x || isnan(x[n]), "writes behind the end");
        }
}

Test(base, below_is_in_range) {
    cr_assert_eq(philox_below(0, 10), 0);
    cr_assert_eq(philox_below(0xffffffffu, 10), 9);
    cr_assert_eq(philox_below(0x80000000u, 10), 5);
}

Test(base, sha256_known_answers) {
    char hex[SHA256_HEX];
    cr_assert_str_eq(sha256_hex_of(hex, "abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cr_assert_str_eq(sha256_hex_of(hex, "", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    cr_assert_eq(name_stream("abc"), 0xeacf018fbf1678bau, "the first 8 bytes, little endian");
}

/* Two hashes that begin alike go on from one, as often as one likes. */
Test(base, sha256_copies_go_on_alone) {
    char hex[SHA256_HEX], whole[SHA256_HEX];
    Sha256 ab, copy;
    sha256_init(&ab);
    sha256_add(&ab, "ab", 2);
    for (int i = 0; i < 2; i++) {
        sha256_copy(&copy, &ab);
        sha256_add(&copy, "cd", (size_t)i + 1);
        cr_assert_str_eq(sha256_end(&copy, hex), sha256_hex_of(whole, "abcd", (size_t)i + 3));
    }
    cr_assert_str_eq(sha256_end(&ab, hex), sha256_hex_of(whole, "ab", 2));
}

/* Any NaN hashes as one NaN; -0 and 0 do not hash alike; a tensor's hash does not depend on how it is cut. */
Test(base, tensors_and_chains) {
    const float x[5] = {1, -0.0f, canon_from_bits(0x7fc00001u), canon_from_bits(0xffc12345u), 2};
    const float y[5] = {1, -0.0f, canon_from_bits(0x7fc00000u), canon_from_bits(0x7f800001u), 2};
    uint8_t a[32], b[32], chain[32] = {0}, other[32] = {0};
    TensorHash h;
    tensor_hash_init(&h);
    tensor_hash_add(&h, x, 5);
    tensor_hash_end(&h, a);
    tensor_hash_init(&h);
    tensor_hash_add(&h, y, 2);
    tensor_hash_add(&h, y + 2, 3);
    tensor_hash_end(&h, b);
    cr_assert_arr_eq(a, b, 32);
    cr_assert_neq(canon_bits(0.0f), canon_bits(-0.0f));
    chain_add(chain, 1);
    chain_add(chain, 2);
    chain_add(other, 2);
    chain_add(other, 1);
    cr_assert(memcmp(chain, other, 32), "a chain sees the order");
}

Test(base, numbers_are_strict) {
    static const char *const bad_integers[] = {"",   "8.5",  "010", "+3",  " 3",
                                               "3 ", "0x10", "3e2", "--3", "9223372036854775808"};
    static const char *const bad_reals[] = {"",       "3e-4x", "nan", "inf",   "0,5",       ".",    "5..",
                                            "..5",    "1e",    "1e+", "0x1",   "0x1p",      "0xp3", "1e999",
                                            "1e-999", "010",   "1 ",  "+",     "-",         "+-1",  "-+1",
                                            "--1",    "+010",  ".5x", "1_000", "0x1p-9999", " 1",   "e5"};
    int64_t n;
    double x;
    bool b;
    for (size_t i = 0; i < sizeof bad_integers / sizeof *bad_integers; i++)
        cr_assert_not(parse_integer(bad_integers[i], &n), "'%s'", bad_integers[i]);
    for (size_t i = 0; i < sizeof bad_reals / sizeof *bad_reals; i++)
        cr_assert_not(parse_real(bad_reals[i], &x), "'%s'", bad_reals[i]);
    cr_assert(parse_integer("-12", &n) && n == -12);
    cr_assert(parse_real("3e-4", &x) && x == 3e-4);
    cr_assert(parse_real("-0", &x) && !signbit(x));
    cr_assert(parse_real("0e9", &x) && x == 0);
    static const struct {
        const char *text;
        double x;
    } written[] = {{".02", .02}, {"+.5", .5},     {"-.25e1", -2.5}, {"+3", 3},      {"-0", 0},           {"2", 2},
                   {"5.", 5},    {"1.e-3", .001}, {"01.5", 1.5},    {"1E+05", 1e5}, {"0x1.8p-3", .1875}, {"-0X1P3", -8},
                   {"0e9", 0},   {"00.5", .5},    {"05e1", 50},     {"0x0p9", 0},   {"0xE.8p0", 14.5}};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        cr_assert(parse_real(written[i].text, &x) && x == written[i].x, "'%s'", written[i].text);
    static const char *const no_wholes[] = {"", "+", "+-3", "8.5", "1e-1", "010", "0x8", "8_000", "1e17", "nan", " 3"};
    for (size_t i = 0; i < sizeof no_wholes / sizeof *no_wholes; i++)
        cr_assert_not(parse_whole(no_wholes[i], &n), "'%s'", no_wholes[i]);
    static const struct {
        const char *text;
        int64_t n;
    } wholes[] = {{"3", 3},      {"+3", 3},     {"-3", -3},
                  {"8.0", 8},    {"1e3", 1000}, {"5.", 5},
                  {"2.5e1", 25}, {"-0.0", 0},   {"9007199254740993", 9007199254740993}};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        cr_assert(parse_whole(wholes[i].text, &n) && n == wholes[i].n, "'%s'", wholes[i].text);
    cr_assert(parse_bool("true", &b) && b);
    cr_assert(parse_bool("False", &b) && !b);
    cr_assert(parse_bool("TRUE", &b) && b);
    cr_assert(parse_bool("no", &b) && !b);
    static const char *const no_bools[] = {"", "tRUE", "1", "y", "null", "true "};
    for (size_t i = 0; i < sizeof no_bools / sizeof *no_bools; i++)
        cr_assert_not(parse_bool(no_bools[i], &b), "'%s'", no_bools[i]);
}

Test(base, reals_print_as_the_shortest_that_reads_back) {
    static const struct {
        double x;
        const char *text;
    } known[] = {{0.1, "0.1"}, {3e-4, "0.0003"}, {1e-8, "1e-08"},   {300, "300"}, {1.0 / 3, "0.3333333333333333"},
                 {0, "0"},     {-2.5, "-2.5"},   {1e300, "1e+300"}, {-0.0, "-0"}};
    char out[40];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_assert_str_eq(format_real(out, known[i].x), known[i].text);
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t bits = (uint64_t)philox_word(1, 2, i) << 32 | philox_word(1, 3, i);
        double x, back;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        back = strtod(format_real(out, x), NULL);
        cr_assert(back == x, "%a -> %s", x, out);
        char shorter[40];
        int digits = -1;
        do snprintf(shorter, sizeof shorter, "%.*e", ++digits, x);
        while (strtod(shorter, NULL) != x);
        if (strchr(out, 'e')) cr_assert_str_eq(out, shorter);
    }
}

Test(base, rates_print_as_people_write_them) {
    static const struct {
        double x;
        const char *text;
    } known[] = {{0.001, "1e-3"}, {3e-4, "3e-4"}, {0.1, "1e-1"}, {0.025, "2.5e-2"}, {1, "1"}, {10, "10"}, {2.5, "2.5"},
                 {0, "0"}, {1e-12, "1e-12"}, {1e5, "1e5"}, {1.0 / 3, "3.333333333333333e-1"}};
    char out[40];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cr_assert_str_eq(format_rate(out, known[i].x), known[i].text);
        cr_assert(strtod(out, NULL) == known[i].x);
    }
    cr_assert_str_eq(format_rate(out, (double)INFINITY), "inf");
    cr_assert_str_eq(format_rate(out, -0.001), "-0.001"); /* no rate, but a number */
}

Test(base, a_text_is_read_line_by_line) {
    static const char *const want[] = {"one", "", "three"};
    for (int ends = 0; ends < 2; ends++) {
        const char *at = ends ? "one\n\nthree\n" : "one\n\nthree";
        int n = 0;
        LOCAL_TEXT(line);
        while (text_line(&at, &line)) {
            cr_assert_lt(n, 3);
            cr_expect_str_eq(line.at, want[n++]);
        }
        cr_expect_eq(n, 3);
    }
}

Test(base, lines_are_no_longer_than_asked) {
    LOCAL_TEXT(t);
    text_wrapped(&t, "  name ", "a bb ccc dddd", 4, 12);
    cr_expect_str_eq(t.at, "  name a bb\n    ccc dddd\n");
    text_clear(&t);
    text_wrapped(&t, "", "longer_than_the_line b", 2, 8);
    cr_expect_str_eq(t.at, "longer_than_the_line\n  b\n");
    text_clear(&t);
    text_wrapped(&t, "head", "", 2, 8);
    cr_expect_str_eq(t.at, "head\n");
}

Test(base, nearest_names) {
    static const char *const names[] = {"layers", "smoke-shakespeare", "smoke", "weight_decay"};
    cr_assert_str_eq(nearest_name("layer", names, 4), "layers");
    cr_assert_str_eq(nearest_name("smok", names, 4), "smoke");
    cr_assert_str_eq(nearest_name("wieght_decay", names, 4), "weight_decay");
    cr_assert_null(nearest_name("zzzz", names, 4));
    error_set(&e, RC_USAGE, "inner");
    cr_assert_eq(error_prefix(&e, "%s: ", "outer"), RC_USAGE);
    cr_assert_str_eq(e.text, "outer: inner");
}

/* A write either replaces the file or changes nothing; a refused one says so and leaves no temporary file. */
Test(base, writes_are_whole) {
    char folder[] = "/tmp/normbench-base-XXXXXX", path[64], deep[96], *bytes;
    size_t length;
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    OK(file_write(path, "one", 3, &e));
    OK(file_write(path, "two!", 4, &e));
    OK(file_read(path, &bytes, &length, &e));
    cr_assert(length == 4 && !strcmp(bytes, "two!"));
    free(bytes);
    snprintf(deep, sizeof deep, "%s/a/b", folder);
    cr_assert_eq(file_write(deep, "x", 1, &e), RC_UNMEASURED, "a folder that is a file");
    cr_assert_eq(folder_make(deep, &e), RC_UNMEASURED);
    cr_assert_eq(file_read(deep, &bytes, &length, &e), RC_UNMEASURED);
    snprintf(deep, sizeof deep, "%s/none", folder);
    cr_assert_eq(file_read(deep, &bytes, &length, &e), RC_USAGE);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "something was left in the folder");
}

static void mark(void *context, int index) {
    ((int *)context)[index]++;
}

Test(base, every_job_once) {
    for (int threads = 1; threads < 9; threads += 3) {
        int done[100] = {0};
        pool_run(threads, 100, mark, done);
        for (int i = 0; i < 100; i++) cr_assert_eq(done[i], 1);
    }
    pool_run(4, 0, mark, NULL);
}

/* Moments of the normal transform over a whole stretch, and its extremes. */
Test(base, normals_are_normal) {
    double sum = 0, squares = 0, fourth = 0;
    enum { N = 200000 };
    for (uint64_t i = 0; i < N; i++) {
        double x = (double)canon_normal(philox_word(1, 1, i));
        sum += x, squares += x * x, fourth += x * x * x * x;
    }
    cr_assert_float_eq(sum / N, 0, 0.01);
    cr_assert_float_eq(squares / N, 1, 0.015);
    cr_assert_float_eq(fourth / N, 3, 0.12);
    for (uint32_t i = 0; i < 4096; i++) {
        uint32_t word = i << 20 | 0x1ff;
        double u = ((double)(word >> 9) + 0.5) * 0x1p-23, exact = gsl_cdf_ugaussian_Pinv(u);
        cr_assert_float_eq((double)canon_normal(word), exact, 2e-6 * fmax(1, fabs(exact)), "word %08x", word);
    }
    cr_assert_eq(canon_normal(0xffffffffu), -canon_normal(0));
    cr_assert_eq(canon_uniform(0xffffffffu), 1.0f - 0x1p-24f);
}
