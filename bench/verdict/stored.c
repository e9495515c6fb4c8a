#include "bench/verdict/stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/formats/json.h"

enum { STORED_SCHEMA = 1 }; /* of bench/write/ledger.h */

const char *stored_file(const char *root, char out[STORED_PATH_SIZE]) {
    snprintf(out, STORED_PATH_SIZE, "%.540s/results/reference/claims.json", root);
    return out;
}

static const char *text_of(const json_t *o, const char *key) {
    return json_string_value(json_object_get(o, key));
}

/* "trained 2026-11-22, commit 6ed6811bbf4a"; of a statement "commit 471036f": of the build that wrote the file. */
static void made_text(StoredVerdict *v, const char *commit) {
    const json_t *records = json_object_get(v->json, "records");
    const char *trained = text_of(v->json, "trained"), *first = text_of(json_array_get(records, 0), "commit");
    size_t more = json_array_size(records);
    char others[32] = "";
    if (more > 1) snprintf(others, sizeof others, " and %zu more", more - 1);
    snprintf(v->made, sizeof v->made, "%s%.20s%scommit %.40s%s", trained ? "trained " : "", trained ? trained : "",
             trained ? ", " : "", first ? first : commit, others);
}

static double number_of(const json_t *o, const char *key) {
    double x = (double)NAN;
    (void)json_number_read(json_object_get(o, key), &x);
    return x;
}

/* The kind of interval in "-0.1 [-0.2, 0.1] (95% t), …". */
static void read_interval(StoredVerdict *v) {
    const char *at = strstr(v->numbers, "] ("), *end = at ? strchr(at, ')') : NULL;
    if (end && !isnan(v->judged.lo))
        snprintf(v->interval, sizeof v->interval, "%.*s", (int)(end - at - 3), at + 3);
}

/* What stands behind "…, n = 8, margin 0.02; WHY". */
static const char *rest_of(const StoredVerdict *v) {
    static const char seeds[] = ", n = ", margin[] = ", margin ";
    const char *at = strstr(v->numbers, seeds);
    if (!at) return v->numbers;
    at += sizeof seeds - 1 + strspn(at + sizeof seeds - 1, "0123456789");
    if (!strncmp(at, margin, sizeof margin - 1)) at += sizeof margin - 1, at += strspn(at, "0123456789.e+-");
    size_t why = strlen(v->judged.why);
    if (why && !strncmp(at, "; ", 2) && !strncmp(at + 2, v->judged.why, why)) at += 2 + why;
    return at + strspn(at, "; ");
}

static void read_numbers(StoredVerdict *v) {
    const json_t *o = v->json, *replication = json_object_get(o, "replication");
    const char *why = text_of(o, "why"), *by = text_of(o, "decided_by");
    ClaimVerdict *j = &v->judged;
    j->cell = j->step = -1, j->word = v->word, j->interval = "", j->by = by ? by : "";
    j->effect = number_of(o, "effect"), j->lo = number_of(o, "lo"), j->hi = number_of(o, "hi");
    j->p = number_of(o, "p_decides"), j->p_writeup = number_of(o, "p_writeup"), j->floor = number_of(o, "floor");
    j->reported = number_of(o, "reported_effect");
    j->replication.agrees = json_is_true(json_object_get(replication, "agrees"));
    snprintf(j->why, sizeof j->why, "%s", why ? why : "");
    v->se = number_of(json_object_get(json_object_get(o, "comparison"), "t_interval"), "se");
    read_interval(v);
    v->more = rest_of(v);
}

/* What is wrong with a verdict, or NULL. */
static const char *take_verdict(StoredVerdict *v, json_t *json, const char *commit) {
    const json_t *statement = json_object_get(json, "statement");
    const char *code = text_of(json, "verdict");
    *v = (StoredVerdict){.json = json, .numbers = text_of(json, "numbers"), .where = text_of(json, "where")};
    if (!code || !verdict_of_code(code, &v->word)) return "a verdict has no word that is known";
    if (v->word == WORD_NOT_RUN) return NULL;
    v->experiment = text_of(json, "experiment"), v->profile = text_of(json, "profile");
    v->statement = text_of(statement, "statement"), v->predicted = text_of(statement, "predicted");
    v->n = (int)json_integer_value(json_object_get(statement ? statement : json, statement ? "seeds" : "n"));
    v->exploratory = json_is_true(json_object_get(json, "exploratory"));
    if (!json_is_integer(json_object_get(json, "test_at"))) return "a verdict does not say of which test it is";
    v->test = (int)json_integer_value(json_object_get(json, "test_at"));
    if (!v->numbers || v->n < 1) return "a verdict has no numbers";
    if (statement ? !v->statement || !v->predicted : !v->where || !v->experiment || !v->profile)
        return "a verdict does not say what was measured";
    if (!statement) read_numbers(v);
    made_text(v, commit);
    return NULL;
}

/* What is wrong with a claim, or NULL. */
static const char *take_claim(Stored *s, json_t *json) {
    StoredClaim c = {.id = text_of(json, "id"), .hash = text_of(json, "hash")};
    const json_t *verdicts = json_object_get(json, "verdicts");
    const char *wrong = !c.id || !c.hash || !json_is_array(verdicts) ? "it has no id, hash or verdicts" : NULL;
    c.verdict = mem_alloc(json_array_size(verdicts) + 1, sizeof *c.verdict);
    for (size_t i = 0; i < json_array_size(verdicts) && !wrong; i++) {
        wrong = take_verdict(&c.verdict[c.verdicts], json_array_get(verdicts, i), s->commit);
        c.verdicts += !wrong && c.verdict[c.verdicts].word != WORD_NOT_RUN;
    }
    s->claim = mem_grow(s->claim, (size_t)s->claims + 1, sizeof *s->claim);
    s->claim[s->claims++] = c;
    return wrong;
}

static Rc take_all(Stored *s, const char *path, Error *e) {
    const json_t *writeups = json_object_get(s->root, "writeups");
    s->commit = text_of(s->root, "commit");
    if (json_integer_value(json_object_get(s->root, "schema")) != STORED_SCHEMA || !s->commit ||
        !json_is_array(writeups))
        return error_set(e, RC_INTEGRITY, "%s: not what `normbench claims --json --own` writes", path);
    for (size_t w = 0; w < json_array_size(writeups); w++) {
        const json_t *claims = json_object_get(json_array_get(writeups, w), "claims");
        for (size_t i = 0; i < json_array_size(claims); i++) {
            json_t *claim = json_array_get(claims, i);
            const char *id = text_of(claim, "id"), *wrong = take_claim(s, claim);
            if (wrong) return error_set(e, RC_INTEGRITY, "%s: claim %.20s: %s", path, id ? id : "?", wrong);
        }
    }
    return RC_OK;
}

Rc stored_read(Stored *s, const char *path, Error *e) {
    char *bytes;
    size_t length;
    json_error_t wrong;
    *s = (Stored){0};
    if (file_read(path, &bytes, &length, e)) return e->code;
    s->root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &wrong);
    free(bytes);
    if (!s->root) return error_set(e, RC_INTEGRITY, "%s:%d: %s", path, wrong.line, wrong.text);
    Rc rc = take_all(s, path, e);
    if (rc) stored_release(s);
    return rc;
}

void stored_release(Stored *s) {
    for (int i = 0; i < s->claims; i++) free(s->claim[i].verdict);
    free(s->claim);
    json_decref(s->root);
    *s = (Stored){0};
}

const StoredClaim *stored_find(const Stored *s, const char *id) {
    for (int i = 0; i < s->claims; i++)
        if (!strcmp(s->claim[i].id, id)) return &s->claim[i];
    return NULL;
}
