/* Stored verdicts: the file of the checkout, and damaged ones. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/plan/claim.h"
#include "bench/plan/statement.h"
#include "bench/verdict/stored.h"
#include "bench/write/ledger.h"

TestSuite(stored, .timeout = 600);

static Error e;

static const Claim *claim_of(const ClaimFile *file, int files, const char *id) {
    for (int f = 0; f < files; f++)
        for (int i = 0; i < file[f].claims; i++)
            if (!strcmp(file[f].claim[i].id, id)) return &file[f].claim[i];
    return NULL;
}

/* Every claim in it is one of bench/claims and reads as it did then; every verdict is of one of its tests. Where this
 * fails, docs/reproduce.md says how the file is made again. */
Test(stored, the_checkout_keeps_verdicts_of_its_claims) {
    char path[STORED_PATH_SIZE], hash[SHA256_HEX];
    ClaimFile *file;
    int files, verdicts = 0;
    Stored s;
    cr_assert_eq(claims_read_all(&file, &files, SOURCE_ROOT, NULL, &e), RC_OK, "%s", e.text);
    cr_assert_eq(stored_read(&s, stored_file(SOURCE_ROOT, path), &e), RC_OK, "%s", e.text);
    for (const StoredClaim *c = s.claim; c < s.claim + s.claims; c++) {
        const Claim *claim = claim_of(file, files, c->id);
        cr_assert(claim != NULL, "%s is no claim", c->id);
        ledger_hash(claim, hash);
        cr_expect_str_eq(c->hash, hash, "claim %s changed", c->id);
        for (const StoredVerdict *v = c->verdict; v < c->verdict + c->verdicts; v++) {
            StatementId id;
            cr_assert(v->test >= 0 && v->test < claim->tests, "%s: test %d", c->id, v->test);
            cr_expect_eq(v->statement != NULL, claim->test[v->test].theories > 0, "%s", c->id);
            if (v->statement) cr_expect_eq(statement_find(&id, v->statement, &e), RC_OK, "%s", e.text);
            cr_expect(strstr(v->made, "commit ") != NULL && v->n > 0, "%s: '%s'", c->id, v->made);
            verdicts++;
        }
    }
    cr_expect(s.claims > 60 && verdicts > 20, "%d claims, %d verdicts", s.claims, verdicts);
    stored_release(&s);
    for (int f = 0; f < files; f++) claims_release(&file[f]);
    free(file);
}

#define HEAD "{\"schema\": 1, \"commit\": \"abc\", \"writeups\": [{\"claims\": ["
#define CLAIM "{\"id\": \"1\", \"hash\": \"f\", \"verdicts\": ["
#define END "]}]}]}"

static char path[64];

static Rc read_text(Stored *s, const char *text) {
    snprintf(path, sizeof path, "/tmp/normbench-stored-%ld.json", (long)getpid());
    cr_assert_eq(file_write(path, text, strlen(text), &e), RC_OK, "%s", e.text);
    Rc rc = stored_read(s, path, &e);
    unlink(path);
    return rc;
}

Test(stored, says_who_measured_what) {
    Stored s;
    cr_assert_eq(read_text(&s, HEAD CLAIM
                           "{\"verdict\": \"not run\"},"
                           "{\"verdict\": \"contradicted\", \"test_at\": 0, \"n\": 6, "
                           "\"experiment\": \"e\", \"profile\": \"quick\", "
                           "\"where\": \"w\", \"numbers\": \"x\", \"trained\": \"2026-11-22\", "
                           "\"records\": [{\"commit\": \"d\"}, "
                           "{\"commit\": \"e\"}], \"exploratory\": true},"
                           "{\"verdict\": \"wrong as printed\", \"test_at\": 1, \"numbers\": \"y\", \"statement\": "
                           "{\"statement\": \"w003_gpt2\", \"predicted\": \"p\", \"seeds\": 1}}" END),
                 RC_OK, "%s", e.text);
    const StoredClaim *c = stored_find(&s, "1");
    cr_assert(c && c->verdicts == 2 && !stored_find(&s, "2"));
    const StoredVerdict *v = c->verdict;
    cr_expect(v[0].word == WORD_CONTRADICTED && v[0].test == 0 && v[0].n == 6 && v[0].exploratory);
    cr_expect_str_eq(v[0].made, "trained 2026-11-22, commit d and 1 more");
    cr_expect(v[1].word == WORD_AS_PRINTED && v[1].test == 1 && v[1].n == 1 && !v[1].exploratory && !v[1].where);
    cr_expect_str_eq(v[1].made, "commit abc");
    stored_release(&s);
}

/* The numbers of the JSON, which tables show, and what else its words say. */
Test(stored, has_the_numbers_of_its_verdicts) {
    Stored s;
    cr_assert_eq(
        read_text(&s, HEAD CLAIM
                  "{\"verdict\": \"inconclusive\", \"test_at\": 0, \"n\": 6, \"experiment\": \"e\", "
                  "\"profile\": \"quick\", \"where\": \"w\", \"decided_by\": \"maxt\", \"why\": \"one seed\", "
                  "\"numbers\": \"-0.1 [-0.2, 0.1] (95% t), reported -0.3; maxt: p .5 (floor .031), n = 6, margin "
                  "2e-02; one seed prediction interval [-1, 1]\", \"effect\": -0.125, \"lo\": -0.25, \"hi\": 0.125, "
                  "\"reported_effect\": -0.375, \"p_decides\": 0.5, \"p_writeup\": \"nan\", \"floor\": 0.03125, "
                  "\"replication\": {\"agrees\": true}, \"comparison\": {\"t_interval\": {\"se\": 0.0625}}},"
                  "{\"verdict\": \"reproduced\", \"test_at\": 0, \"n\": 6, \"experiment\": \"e\", "
                  "\"profile\": \"quick\", \"where\": \"w\", \"numbers\": \"in other words\"}" END),
        RC_OK, "%s", e.text);
    const StoredVerdict *v = stored_find(&s, "1")->verdict;
    const ClaimVerdict *j = &v->judged;
    cr_expect(j->effect == -0.125 && j->lo == -0.25 && j->hi == 0.125 && j->reported == -0.375 && j->p == 0.5);
    cr_expect(isnan(j->p_writeup) && j->floor == 0.03125 && v->se == 0.0625 && j->replication.agrees && !j->small);
    cr_expect_str_eq(j->by, "maxt");
    cr_expect_str_eq(v->interval, "95% t");
    cr_expect_str_eq(v->more, "prediction interval [-1, 1]");
    cr_expect(isnan(v[1].judged.effect) && isnan(v[1].judged.p) && !v[1].interval[0]);
    cr_expect_str_eq(v[1].more, "in other words");
    stored_release(&s);
}

Test(stored, damage_is_one_line) {
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{\"schema\": 1, \"comm", ".json:1: "},
        {"[]", "not what `normbench claims --json --own` writes"},
        {"{\"schema\": 2, \"commit\": \"abc\", \"writeups\": []}", "not what `normbench claims --json --own` writes"},
        {HEAD "{\"id\": \"1\", \"verdicts\": [" END, "claim 1: it has no id, hash or verdicts"},
        {HEAD "7]}]}", "claim ?: it has no id, hash or verdicts"},
        {HEAD CLAIM "7" END, "claim 1: a verdict has no word that is known"},
        {HEAD CLAIM "{\"verdict\": \"maybe\"}" END, "claim 1: a verdict has no word that is known"},
        {HEAD CLAIM "{\"verdict\": \"reproduced\", \"n\": 6, \"numbers\": \"x\"}" END, "of which test it is"},
        {HEAD CLAIM "{\"verdict\": \"reproduced\", \"test_at\": 0, \"n\": 6}" END, "a verdict has no numbers"},
        {HEAD CLAIM "{\"verdict\": \"reproduced\", \"test_at\": 0, \"n\": 6, \"numbers\": \"x\"}" END,
         "does not say what was measured"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Stored s;
        cr_expect_eq(read_text(&s, bad[i].text), RC_INTEGRITY, "%s", bad[i].text);
        cr_expect(strstr(e.text, bad[i].says) && strstr(e.text, path) && !strchr(e.text, '\n'), "%s: %s", bad[i].text,
                  e.text);
    }
}
