/* normbench claims [WRITEUP|CLAIM|WORD]: whether what the write-ups say holds in the runs that are stored. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/ledger/ledger.h"

enum { NAME_SIZE = 64 };

static void print(const Ledger *b, const Options *o, const Claim *only, const char *word) {
    LOCAL(cells_list_release) CellsList all = {0};
    LOCAL_TEXT(text);
    if (o->times[OPTION_json]) {
        json_print(ledger_json(b, only), JSON_EXACT, &text);
    } else {
        if (only)
            ledger_whole(b, only, &all);
        else
            ledger_tables(b, o->times[OPTION_all] > 0, o->times[OPTION_open] > 0, word, &all);
        if (o->times[OPTION_tex])
            ledger_tex(&all, &text);
        else if (o->times[OPTION_html])
            cells_list_html(&all, &text);
        else if (o->times[OPTION_markdown])
            cells_list_markdown(&all, &text);
        else
            cells_list_text(&all, terminal_width(), &text);
    }
    const char *from = text.at + (text.at[0] == '\n');
    bool page = !(o->times[OPTION_json] || o->times[OPTION_tex] || o->times[OPTION_html] || o->times[OPTION_markdown]);
    page ? terminal_print(from) : (void)fputs(from, stdout);
}

/* The write-up of "002" or "002-1": the longest name that the text is, or begins with before '-'. Another text is left
 * to be refused as a write-up. */
static const char *writeup_of(const Session *s, const char *text, char out[NAME_SIZE]) {
    char path[1024], **names;
    snprintf(path, sizeof path, "%.1000s/bench/claims", s->root);
    int count = folder_names(path, ".yaml", &names);
    size_t longest = 0;
    for (int i = 0; i < count; i++) {
        size_t n = strlen(names[i]);
        bool begins = !strncmp(text, names[i], n) && (!text[n] || text[n] == '-');
        if (begins && n > longest && n < NAME_SIZE) longest = n;
    }
    names_free(names, count);
    if (!longest) return text;
    snprintf(out, NAME_SIZE, "%.*s", (int)longest, text);
    return out;
}

static Rc find_claim(const Ledger *b, const char *id, const Claim **out, Error *e) {
    const ClaimFile *f = &b->file[0];
    char hint[160];
    for (const Claim *c = f->claim; c < f->claim + f->claims; c++)
        if (!strcmp(c->id, id)) *out = c;
    if (*out) return RC_OK;
    OWNED const char **names = mem_alloc((size_t)f->claims + 1, sizeof *names);
    for (int i = 0; i < f->claims; i++) names[i] = f->claim[i].id;
    return error_set(e, RC_USAGE, "claims: unknown claim '%.60s' of write-up %s%s", id, f->writeup,
                     did_you_mean(hint, sizeof hint, id, names, (size_t)f->claims));
}

/* Check that some claim holds the word. */
static Rc find_word(const Ledger *b, const char *word, bool json, Error *e) {
    bool found = false;
    for (int i = 0; i < b->claims; i++) found |= ledger_holds(b->claim[i].claim, word);
    if (!found)
        return error_set(e, RC_USAGE, "claims: '%.60s' is no write-up and no claim, and no claim's text holds it",
                         word);
    return json ? error_set(e, RC_USAGE, "claims: --format json takes a write-up or a claim, not a word") : RC_OK;
}

Rc command_claims(Session *s, Error *e) {
    const Options *o = s->options;
    const char *named = o->operands ? o->operand[0] : NULL;
    char name[NAME_SIZE];
    const Claim *only = NULL;
    LOCAL(ledger_release) Ledger b = {0};
    if (o->operands > 1)
        return error_set(e, RC_USAGE, "claims: name one write-up or one claim, or none for all of them");
    if ((o->times[OPTION_json] > 0) + (o->times[OPTION_tex] > 0) + (o->times[OPTION_html] > 0) +
            (o->times[OPTION_markdown] > 0) > 1)
        return error_set(e, RC_USAGE, "claims: one --format, not several");
    const char *writeup = named ? writeup_of(s, named, name) : NULL;
    const char *word = named && writeup == named && isalpha((unsigned char)named[0]) ? named : NULL;
    if (word) named = writeup = NULL;
    if (ledger_make(&b, s, writeup, false, e)) return e->code;
    if (named && strcmp(named, writeup) != 0 && find_claim(&b, named, &only, e)) return e->code;
    if (!o->times[OPTION_own] && ledger_add_stored(&b, s, e)) return e->code;
    if (word && find_word(&b, word, o->times[OPTION_json] > 0, e)) return e->code;
    ledger_note_parts(&b);
    print(&b, o, only, word);
    return RC_OK;
}
