/* The stored verdicts in the ledger: of tests that nothing in the results at hand measures, or on other experiments
 * than those that do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/plan/declare.h"
#include "bench/write/ledger.h"

static bool same_text(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : !a && !b;
}

/* Whether a stored verdict is of this line's test; of a statement: as it was predicted then. */
static bool is_of(const StoredVerdict *v, const LedgerLine *l, const char *profile) {
    const Statement *s = l->statement;
    if (v->test != (int)(l->test - l->claim->test)) return false;
    if (!same_text(v->statement, s ? s->name : NULL) || !same_text(v->predicted, s ? s->predicted : NULL)) return false;
    return !profile[0] || !v->profile || !strcmp(v->profile, profile);
}

static void add(LedgerLine **line, int *lines, const LedgerLine *l, const StoredVerdict *v) {
    *line = mem_grow(*line, (size_t)*lines + 1, sizeof **line);
    (*line)[*lines] = *l;
    (*line)[(*lines)++].stored = v;
}

/* Whether the results at hand have the test of line `l` on a stored verdict's experiment. */
static bool is_own(const Ledger *b, const LedgerLine *l, const StoredVerdict *v) {
    for (const LedgerLine *o = b->line; o < b->line + b->lines; o++)
        if (o->test == l->test && o->in && same_text(o->in->x.name, v->experiment)) return true;
    return false;
}

/* Behind the last line of a test that is measured here: what is stored of it on other experiments. */
static void add_others(const Ledger *b, LedgerLine **line, int *lines, const LedgerLine *l) {
    const StoredClaim *c = l->test && l->v ? stored_find(&b->kept, l->claim->id) : NULL;
    char hash[SHA256_HEX];
    LedgerLine bare = {.file = l->file, .claim = l->claim, .test = l->test};
    if (!c || (l + 1 < b->line + b->lines && l[1].test == l->test)) return;
    ledger_hash(l->claim, hash);
    for (int i = 0; i < c->verdicts && !strcmp(c->hash, hash); i++)
        if (is_of(&c->verdict[i], &bare, b->profile) && !is_own(b, l, &c->verdict[i]))
            add(line, lines, &bare, &c->verdict[i]);
}

void ledger_hash(const Claim *c, char out[SHA256_HEX]) {
    Text line;
    text_init(&line);
    declare_claim(c, &line);
    snprintf(out, SHA256_HEX, "%s", strrchr(line.at, ' ') + 1);
    text_release(&line);
}

Rc ledger_add_stored(Ledger *b, const Session *s, Error *e) {
    char path[STORED_PATH_SIZE], hash[SHA256_HEX];
    LedgerLine *line = NULL;
    int lines = 0;
    if (!file_exists(stored_file(s->root, path))) return RC_OK;
    if (stored_read(&b->kept, path, e)) return e->code;
    for (LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        const StoredClaim *c = ledger_word(l) == WORD_NOT_RUN && l->test ? stored_find(&b->kept, l->claim->id) : NULL;
        int before = lines;
        bool same = true;
        if (c) ledger_hash(l->claim, hash), same = !strcmp(c->hash, hash);
        for (int i = 0; c && i < c->verdicts; i++) {
            if (!is_of(&c->verdict[i], l, b->profile)) continue;
            if (same) add(&line, &lines, l, &c->verdict[i]);
            if (same) continue;
            size_t n = strlen(l->why);
            snprintf(l->why + n, sizeof l->why - n, "; the claim changed since its stored verdict was made");
            break;
        }
        if (lines == before) add(&line, &lines, l, NULL);
        add_others(b, &line, &lines, l);
    }
    free(b->line);
    b->line = line, b->lines = lines;
    return RC_OK;
}
