/* Statements about networks before their first step: each way to decide, with numbers for which it holds, for which it
 * does not, and for which it cannot say; numbers that are not finite; the file that holds them. */
#include <unistd.h>

#include "bench/verdict/theory.h"
#include "bench/write/theory.h"
#include "tests/test.h"

enum { SEEDS = 4, MOST = 6 };

static double x_of[MOST] = {1, 2, 4, 8, 16, 32}, predicted[MOST], value[MOST * SEEDS];

/* Seeds differ by a factor of up to 1 + spread. */
static Measured made(int points, double (*f)(double x), double spread) {
    for (int p = 0; p < points; p++) {
        predicted[p] = 1;
        for (int s = 0; s < SEEDS; s++) value[p * SEEDS + s] = f(x_of[p]) * (1 + spread * (s - 1.5) * (p % 2 ? 1 : -1));
    }
    return (Measured){points, SEEDS, x_of, predicted, value};
}

static double one(double x) {
    (void)x;
    return 1;
}

static double line(double x) {
    return x;
}

static double root(double x) {
    return sqrt(x);
}

static double logarithm(double x) {
    return 1 + log(x);
}

static double falling(double x) {
    return exp(-x);
}

static double beyond(double x) {
    return x < 8 ? x : (double)INFINITY;
}

static double nothing(double x) {
    (void)x;
    return (double)NAN;
}

static StatedWord word(DecideKind how, double lo, double hi, double (*f)(double), double spread) {
    const Statement s = {.name = "x", .how = how, .lo = lo, .hi = hi};
    const Measured m = made(MOST, f, spread);
    return statement_judge(&s, &m).word;
}

Test(theory, a_false_prediction_fails) {
    cr_expect_eq(word(DECIDE_exact, 0, 1e-10, one, 0), STATED_HOLDS);
    cr_expect_eq(word(DECIDE_exact, 0, 1e-10, one, 1e-6), STATED_FAILS);
    cr_expect_eq(word(DECIDE_expected, 0, .03, one, .01), STATED_HOLDS);
    cr_expect_eq(word(DECIDE_expected, 0, .03, root, .01), STATED_FAILS);
    cr_expect_eq(word(DECIDE_at_most, 0, 1e-10, one, 0), STATED_HOLDS);
    cr_expect_eq(word(DECIDE_at_most, 0, 1e-10, line, 0), STATED_FAILS);
    cr_expect_eq(word(DECIDE_inside, .5, 1.5, one, .1), STATED_HOLDS);
    cr_expect_eq(word(DECIDE_inside, 2, 3, one, .1), STATED_FAILS);
    cr_expect_eq(word(DECIDE_power, .4, .6, root, .01), STATED_HOLDS);
    cr_expect_eq(word(DECIDE_power, .4, .6, line, .01), STATED_FAILS);
    cr_expect_eq(word(DECIDE_rate, -1.1, -.9, falling, .01), STATED_HOLDS);
    cr_expect_eq(word(DECIDE_rate, .9, 1.1, falling, .01), STATED_FAILS);
    cr_expect_eq(word(DECIDE_logarithm, 0, 0, logarithm, .01), STATED_HOLDS);
    cr_expect_eq(word(DECIDE_logarithm, 0, 0, line, .01), STATED_FAILS);
}

Test(theory, an_interval_across_a_border_decides_nothing) {
    cr_expect_eq(word(DECIDE_power, .5, 1, root, .05), STATED_UNDECIDED);
    const Statement s = {.name = "x", .how = DECIDE_inside, .lo = .999, .hi = 1.5};
    const Measured m = made(1, one, .2);
    cr_expect_eq(statement_judge(&s, &m).word, STATED_UNDECIDED);
}

/* The mean is inside of [0, 4], the last x far outside of it. */
Test(theory, one_place_outside_is_outside) {
    cr_expect_eq(word(DECIDE_inside, 0, 20, line, .001), STATED_FAILS);
}

Test(theory, an_empty_window_holds_nothing) {
    cr_expect_eq(word(DECIDE_inside, 2, 1.5, one, .01), STATED_FAILS);
}

Test(theory, numbers_that_leave_the_doubles_are_a_finding) {
    const Statement s = {.name = "x", .how = DECIDE_power, .lo = .9, .hi = 1.1};
    Measured m = made(MOST, beyond, 0);
    StatementVerdict v = statement_judge(&s, &m);
    cr_assert_eq(v.word, STATED_HOLDS);
    cr_assert(v.left && v.left_at == 8 && v.left_seeds == SEEDS && v.points == 3);
    m = made(MOST, nothing, 0);
    v = statement_judge(&s, &m);
    cr_assert(v.word == STATED_UNMEASURED && v.left && v.left_at == 1 && !v.points);
}

Test(theory, without_numbers_nothing_is_measured) {
    const Measured none = {0};
    cr_assert_eq(statement_judge(&statements[0], &none).word, STATED_UNMEASURED);
}

/* What a statement's word shows of a claim that rests on it, and in whose setting. */
Test(theory, a_statement_shows_or_contradicts_a_claim) {
    const Statement own = {.name = "x", .setting = "XIONG, L = 4"}, other = {.name = "y", .setting = "GPT, L = 4"};
    cr_expect_eq(stated_seen(STATED_HOLDS), SEEN_yes);
    cr_expect_eq(stated_seen(STATED_FAILS), SEEN_no);
    cr_expect_eq(stated_seen(STATED_UNDECIDED), SEEN_unclear);
    cr_expect_eq(stated_seen(STATED_UNMEASURED), SEEN_unclear);
    cr_expect(statement_own(&own) && !statement_own(&other));
}

/* The five statements that algebra, arithmetic or dates decide. */
Test(theory, arithmetic_and_dates_are_wrong_as_printed) {
    int printed = 0;
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        const Statement *s = &statements[i];
        printed += s->printed;
    }
    cr_expect_eq(printed, 5);
    cr_expect(statements[STATEMENT_w003_gpt2].printed && statements[STATEMENT_w004_example].printed &&
              statements[STATEMENT_w004_bound].printed && statements[STATEMENT_w004_norm_ops].printed &&
              statements[STATEMENT_w004_block].printed);
    cr_expect(statements[STATEMENT_w004_bound].how == DECIDE_at_most && statements[STATEMENT_w004_bound].hi == 1e-10);
}

static char path[64];

static Rc read_text(const char *text, Theory *t, Error *e) {
    snprintf(path, sizeof path, "/tmp/normbench-theory-%ld.json", (long)getpid());
    cr_assert(!file_write(path, text, strlen(text), e));
    Rc rc = theory_read(t, path, e);
    unlink(path);
    return rc;
}

Test(theory, a_file_reads_back) {
    LOCAL(theory_release) Theory t, back;
    TheoryNotes notes = {0};
    pthread_mutex_init(&notes.lock, NULL);
    theory_note(&notes, STATEMENT_lemma2_post, 1, 2, 1.5, 1.25);
    theory_note(&notes, STATEMENT_lemma2_post, 0, 2, 1.5, INFINITY);
    theory_note(&notes, STATEMENT_lemma2_post, 0, 1, 1.5, 1.0 / 3);
    theory_gather(&t, &notes);
    const Measured *m = &t.at[STATEMENT_lemma2_post];
    cr_assert(m->points == 2 && m->seeds == 2 && m->x[0] == 1 && m->x[1] == 2);
    cr_assert(m->value[0] == 1.0 / 3 && isnan(m->value[1]) && isinf(m->value[2]) && m->value[3] == 1.25);
    snprintf(path, sizeof path, "/tmp/normbench-theory-%ld.json", (long)getpid());
    cr_assert(!theory_write(&t, path, &e), "%s", e.text);
    cr_assert(!theory_read(&back, path, &e), "%s", e.text);
    unlink(path);
    cr_assert(back.at[STATEMENT_lemma2_post].value[0] == 1.0 / 3);
    cr_assert(isnan(back.at[STATEMENT_lemma2_post].value[1]) && isinf(back.at[STATEMENT_lemma2_post].value[2]));
}

Test(theory, a_damaged_file_is_refused_and_says_where) {
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "json"},
        {"{\"schema\": 2, \"statements\": {}}", "schema"},
        {"{\"schema\": 1}", "statements"},
        {"{\"schema\": 1, \"statements\": {\"lemma2_pots\": {}}}", "did you mean 'lemma2_post'"},
        {"{\"schema\": 1, \"statements\": {\"lemma1\": {\"x\": [1], \"values\": [[1]]}}}", "lemma1"},
        {"{\"schema\": 1, \"statements\": {\"lemma1\": {\"x\": [1], \"predicted\": [1], \"values\": []}}}", "lemma1"},
        {"{\"schema\": 1, \"statements\": {\"lemma1\": {\"x\": [1], \"predicted\": [1], \"values\": [[true]]}}}",
         "lemma1"},
        {"{\"schema\": 1, \"statements\": {\"lemma1\": {\"x\": [2, 1], \"predicted\": [1, 1], \"values\": [[1], "
         "[1]]}}}",
         "ascending"},
        {"{\"schema\": 1, \"statements\": {\"lemma1\": {\"x\": [1], \"predicted\": [1], \"values\": [[1]], \"y\": 1}}}",
         "lemma1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Theory t;
        e = (Error){0};
        cr_assert_eq(read_text(bad[i].text, &t, &e), RC_INTEGRITY, "%s", bad[i].text);
        cr_expect(strstr(e.text, bad[i].says), "%s: %s", bad[i].text, e.text);
    }
}

Test(theory, an_absent_file_says_what_to_type) {
    Theory t;
    cr_assert_eq(theory_read(&t, "/nowhere/measured.json", &e), RC_UNMEASURED);
    cr_assert(strstr(e.text, "normbench run theory"), "%s", e.text);
}

/* Where a table explains no letters, a setting needs none. */
Test(theory, settings_are_told_in_words) {
    static const struct {
        const char *setting, *words;
    } of[] = {{"OWN, L = 4, 12, d = 512", "GPTs of the write-up's own size, depth 4, 12, width 512"},
              {"XIONG, L = 16, d = 32, one token", "networks as in Xiong et al. 2020, depth 16, width 32, one token"},
              {"ALONE, d = 8 to 64", "a layer alone, width 8 to 64"},
              {"GPT, L = 24, counted on the tape", "GPTs at GPT-2's start, depth 24, counted on the tape"},
              {"counted", "counted"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        LOCAL_TEXT(words);
        theory_setting(&(Statement){.setting = of[i].setting}, &words);
        cr_expect_str_eq(words.at, of[i].words);
    }
}
