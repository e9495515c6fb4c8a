/* Stored measurements: the file of the checkout, damaged ones, and that they are judged as runs are. */
#include <unistd.h>

#include "bench/ledger/ledger.h"
#include "bench/plan/claim.h"
#include "bench/plan/statement.h"
#include "tests/verdict/made_up.h"

/* Whether it measures a test of the claim, which it then judges: in a process that tables nothing before. */
static bool judges(const StoredVerdict *v, const Claim *c) {
    bool any = false;
    for (int t = 0; t < c->tests; t++) {
        Family f;
        ClaimVerdict judged;
        if (!stored_measures(v, c, &c->test[t])) continue;
        stored_judge(v, c, &c->test[t], &f, &judged);
        cr_expect_neq(judged.seen, SEEN_untested, "%s: %s", c->id, v->where);
        family_release(&f);
        any = true;
    }
    return any;
}

/* Every contrast in it is one of the claims' tests, and every statement one of statements.def. Where this fails,
 * docs/reproduce.md says how the file is made again. */
Test(stored, the_checkout_keeps_measurements_of_its_claims) {
    char path[STORED_PATH_SIZE];
    ClaimFile *file;
    int files, used = 0, contrasts = 0, statements_of = 0;
    LOCAL(stored_release) Stored s;
    OK(claims_read_all(&file, &files, SOURCE_ROOT, NULL, &e));
    OK(stored_read(&s, stored_file(SOURCE_ROOT, path), &e));
    for (const StoredVerdict *v = s.at; v < s.at + s.count; v++) {
        StatementId id;
        bool any = false;
        cr_expect(strstr(v->made, "commit ") != NULL && v->n > 0, "%s: '%s'", v->id, v->made);
        statements_of += v->statement != NULL, contrasts += v->contrast != NULL;
        if (v->statement) cr_expect_eq(statement_find(&id, v->statement, &e), RC_OK, "%s", e.text);
        for (int f = 0; f < files && v->contrast; f++)
            for (const Claim *c = file[f].claim; c < file[f].claim + file[f].claims; c++)
                any |= judges(v, c);
        used += any;
        cr_expect(any || !v->contrast, "%s: %s of %s measures no claim", v->id, v->contrast, v->where);
    }
    cr_expect(contrasts > 200 && statements_of > 20 && used > 200, "%d, %d", contrasts, statements_of);
    for (int f = 0; f < files; f++) claims_release(&file[f]);
    free(file);
}

/* What the ledger writes of runs and reads again gives the same verdict. */
Test(stored, is_judged_as_its_runs_are) {
    const ClaimVerdict *v = NULL;
    char hash[SHA256_HEX];
    Family f;
    ClaimVerdict again;
    made_up(made_up_four, "eight", (TableOptions){0});
    for (int i = 0; i < m.table.verdicts.count; i++) {
        v = &m.table.verdicts.at[i];
        if (!v->c || strcmp(v->test->test->name, "pitman-morgan") == 0 ||
            !strcmp(v->test->test->name, "mcnemar-targets"))
            continue;
        json_t *d = json_array(), *o;
        RunSpec spec[CONTRAST_TERMS_MAX];
        for (size_t k = 0; k < v->c->pairs.n; k++) json_array_append_new(d, json_real(v->c->pairs.d[k]));
        o = json_pack("{s:{s:o,s:{s:f}}}", "comparison", "d", d, "t_interval", "confidence", .95);
        contrast_specs(&v->c->what, &m.table.sample, spec);
        ledger_hash(v->claim, hash);
        StoredVerdict kept = {.id = v->claim->id,
                              .hash = hash,
                              .contrast = "c",
                              .experiment = m.x.name,
                              .where = "w",
                              .n = m.x.seeds,
                              .step = 150,
                              .spec = spec,
                              .specs = v->c->what.terms,
                              .json = o,
                              .parameters = v->size.parameters};
        stored_judge(&kept, v->claim, v->test, &f, &again);
        cr_expect_eq(again.seen, v->seen, "%s: %s", v->claim->id, again.why);
        cr_expect_eq(again.word, v->word, "%s: %s", v->claim->id, verdict_word(again.word));
        cr_expect_float_eq(again.p, v->p, 1e-12, "%s", v->claim->id);
        cr_expect_float_eq(again.effect, v->effect, 1e-12);
        cr_expect((isnan(again.lo) && isnan(v->lo)) || fabs(again.lo - v->lo) < 1e-12);
        cr_expect((isnan(again.reported) && isnan(v->reported)) || fabs(again.reported - v->reported) < 1e-12);
        cr_expect(again.own == v->own && again.place == v->place && !again.undeclared);
        cr_expect_eq(again.replication.agrees, v->replication.agrees, "%s", v->claim->id);
        family_release(&f);
        json_decref(o);
    }
}

/* Of seeds that were added until it was decided the side stays that the first of them showed. */
Test(stored, seeds_that_were_added_keep_their_side) {
    made_up(made_up_four, "eight", (TableOptions){0});
    int tested = 0;
    for (int i = 0; i < m.table.verdicts.count; i++) {
        const ClaimVerdict *v = &m.table.verdicts.at[i];
        Expect expects = v->test ? v->test->expects : EXPECT_equal;
        bool sided = expects == EXPECT_lower || expects == EXPECT_higher;
        if (!v->c || !sided || strcmp(v->test->test->name, "maxt") != 0) continue;
        double first = expects == EXPECT_lower ? -1 : 1;
        Family f;
        ClaimVerdict again;
        RunSpec spec[CONTRAST_TERMS_MAX];
        json_t *d = json_array(), *o;
        for (int k = 0; k < 13; k++) json_array_append_new(d, json_real(first * (k < 12 ? 1 + .01 * k : -30)));
        o = json_pack("{s:i,s:{s:o,s:{s:f}}}", "most", 64, "comparison", "d", d, "t_interval", "confidence", .95);
        contrast_specs(&v->c->what, &m.table.sample, spec);
        StoredVerdict kept = {.id = v->claim->id,
                              .hash = "",
                              .contrast = "c",
                              .experiment = m.x.name,
                              .where = "w",
                              .n = 13,
                              .step = 150,
                              .spec = spec,
                              .specs = v->c->what.terms,
                              .json = o};
        stored_judge(&kept, v->claim, v->test, &f, &again);
        cr_expect(again.effect * first < 0 && again.seen == SEEN_yes, "%s: %d", v->claim->id, (int)again.seen);
        cr_expect_str_eq(again.by, "anytime");
        family_release(&f);
        json_decref(o);
        tested++;
    }
    cr_expect(tested > 0);
}

#define HEAD "{\"schema\": 2, \"commit\": \"abc\", \"writeups\": [{\"claims\": ["
#define CLAIM "{\"id\": \"1\", \"hash\": \"f\", \"verdicts\": ["
#define END "]}]}]}"
#define PLACE \
    "\"contrast\": \"valid_loss: 1 a -1 b\", \"experiment\": \"e\", \"profile\": \"quick\", \"where\": \"w\", " \
    "\"step\": 5, \"parameters\": 7, "
#define SPECS "\"specs\": [\"layers = 2\\nwidth = 16\\n\", \"\"], "

static char path[64];

static Rc read_text(Stored *s, const char *text) {
    snprintf(path, sizeof path, "/tmp/normbench-stored-%ld.json", (long)getpid());
    OK(file_write(path, text, strlen(text), &e));
    Rc rc = stored_read(s, path, &e);
    unlink(path);
    return rc;
}

Test(stored, says_who_measured_what) {
    LOCAL(stored_release) Stored s;
    OK(read_text(&s, HEAD CLAIM
                           "{\"verdict\": \"not tested\"},"
                           "{\"verdict\": \"contradicted\", \"n\": 2, " PLACE SPECS "\"trained\": \"2026-11-22\", "
                           "\"records\": [{\"commit\": \"d-dirty\"}, {\"commit\": \"e\"}], \"exploratory\": true, "
                           "\"comparison\": {\"d\": [1, 2]}},"
                           "{\"verdict\": \"contradicted\", \"numbers\": \"y\", \"statement\": {\"statement\": "
                           "\"w003_gpt2\", \"predicted\": \"p\", \"seeds\": 1, \"verdict\": \"does not hold\"}}" END));
    cr_assert_eq(s.count, 2);
    const StoredVerdict *v = s.at;
    cr_expect(v[0].n == 2 && v[0].step == 5 && v[0].exploratory && v[0].parameters == 7 && v[0].specs == 2);
    cr_expect(v[0].spec[0].layers == 2 && v[0].spec[0].width == 16 && v[0].spec[1].layers == 4);
    cr_expect_str_eq(v[0].made, "trained 2026-11-22, commit d-dirty and 1 more (-dirty: the checkout had changes that "
                                "are in no commit)");
    cr_expect(v[1].stated == STATED_FAILS && v[1].n == 1 && !v[1].exploratory && !v[1].where);
    cr_expect_str_eq(v[1].made, "commit abc");
}

Test(stored, damage_is_one_line) {
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{\"schema\": 2, \"comm", ".json:1: "},
        {"[]", "not what `normbench claims --format json` writes"},
        {"{\"schema\": 1, \"commit\": \"abc\", \"writeups\": []}", "not what `normbench claims --format json` writes"},
        {HEAD "{\"id\": \"1\", \"verdicts\": [" END, "claim 1: it has no id, hash or verdicts"},
        {HEAD "7]}]}", "claim ?: it has no id, hash or verdicts"},
        {HEAD CLAIM "{\"n\": 2, \"comparison\": {\"d\": [1, 2]}}" END, "does not say what was measured"},
        {HEAD CLAIM "{\"n\": 2, " PLACE "\"comparison\": {\"d\": [1, 2]}}" END, "does not say what was measured"},
        {HEAD CLAIM "{\"n\": 2, " PLACE "\"specs\": [\"layer = 2\\n\"], \"comparison\": {\"d\": [1, 2]}}" END,
         "have keys that are not known"},
        {HEAD CLAIM "{\"n\": 3, " PLACE SPECS "\"comparison\": {\"d\": [1, 2]}}" END, "a verdict has no numbers"},
        {HEAD CLAIM "{" PLACE SPECS "\"comparison\": {}}" END, "a verdict has no numbers"},
        {HEAD CLAIM "{\"statement\": {\"statement\": \"s\", \"predicted\": \"p\"}}" END, "a statement does not say"},
        {HEAD CLAIM
         "{\"numbers\": \"x\", \"statement\": {\"statement\": \"s\", \"predicted\": \"p\", \"verdict\": \"so\"}}" END,
         "a statement has no word that is known"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Stored s;
        cr_expect_eq(read_text(&s, bad[i].text), RC_INTEGRITY, "%s", bad[i].text);
        cr_expect(strstr(e.text, bad[i].says) && strstr(e.text, path) && !strchr(e.text, '\n'), "%s: %s", bad[i].text,
                  e.text);
    }
}
