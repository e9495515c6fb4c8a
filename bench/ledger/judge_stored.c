/* The stored measurements in the ledger: of tests that nothing in the results at hand measures, or on other experiments
 * than those that do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/ledger/ledger.h"
#include "bench/plan/declare.h"

/* Lines that are being written anew, stored ones behind those of their test. */
typedef struct {
    LedgerLine *at;
    int count;
} Lines;

static LedgerLine *add(Lines *lines, const LedgerLine *l) {
    lines->at = mem_grow(lines->at, (size_t)lines->count + 1, sizeof *lines->at);
    lines->at[lines->count] = *l;
    return &lines->at[lines->count++];
}

/* Whether the results at hand have the test on a stored contrast's experiment. */
static bool is_own(const Ledger *b, const LedgerLine *l, const StoredVerdict *v) {
    for (const LedgerLine *x = b->line; x < b->line + b->lines; x++)
        if (x->test == l->test && x->in && !strcmp(x->in->table.x->name, v->experiment)) return true;
    return false;
}

/* Whether an earlier stored verdict measures the same in the same place: claims share contrasts. */
static bool again(const Stored *s, const StoredVerdict *v) {
    for (const StoredVerdict *x = s->at; x < v; x++)
        if (x->contrast && !strcmp(x->contrast, v->contrast) && !strcmp(x->where, v->where)) return true;
    return false;
}

static void add_contrasts(Ledger *b, Lines *lines, const LedgerLine *l) {
    char hash[SHA256_HEX];
    LedgerLine bare = {.file = l->file, .claim = l->claim, .test = l->test};
    ledger_hash(l->claim, hash);
    for (const StoredVerdict *v = b->kept.at; v < b->kept.at + b->kept.count; v++) {
        if (!v->contrast || (b->profile[0] && strcmp(v->profile, b->profile) != 0)) continue;
        if (!stored_measures(v, l->claim, l->test) || again(&b->kept, v)) continue;
        if (!ledger_linked(b, v->experiment, l->file->writeup) || is_own(b, l, v)) continue;
        LedgerKept *kept = mem_alloc(1, sizeof *kept);
        b->judged = mem_grow(b->judged, (size_t)b->judgeds + 1, sizeof *b->judged);
        b->judged[b->judgeds++] = kept;
        stored_judge(v, l->claim, l->test, hash, &kept->family, &kept->v);
        LedgerLine *line = add(lines, &bare);
        line->stored = v, line->v = &kept->v, line->family = &kept->family;
    }
}

/* A statement that nothing here measured, as it was predicted then. */
static const StoredVerdict *find_statement(const Ledger *b, const LedgerLine *l) {
    for (const StoredVerdict *v = b->kept.at; v < b->kept.at + b->kept.count; v++)
        if (v->statement && !strcmp(v->statement, l->statement->name) && !strcmp(v->predicted, l->statement->predicted))
            return v;
    return NULL;
}

void ledger_hash(const Claim *c, char out[SHA256_HEX]) {
    LOCAL_TEXT(line);
    declare_claim(c, &line);
    snprintf(out, SHA256_HEX, "%s", strrchr(line.at, ' ') + 1);
}

Rc ledger_add_stored(Ledger *b, const Session *s, Error *e) {
    char path[STORED_PATH_SIZE];
    Lines lines = {0};
    if (!file_exists(stored_file(s->root, path))) return RC_OK;
    if (stored_read(&b->kept, path, e)) return e->code;
    for (LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        bool last = l + 1 == b->line + b->lines || l[1].test != l->test || l[1].claim != l->claim;
        if (l->statement) {
            LedgerLine *line = add(&lines, l);
            if (!l->stated) line->stored = find_statement(b, l);
            continue;
        }
        int before = lines.count;
        if (l->v || !l->test || !l->test->test) add(&lines, l);
        if (l->test && l->test->test && last) add_contrasts(b, &lines, l);
        if (lines.count == before && last) add(&lines, l);
    }
    free(b->line);
    b->line = lines.at, b->lines = lines.count;
    ledger_judge(b);
    return RC_OK;
}
