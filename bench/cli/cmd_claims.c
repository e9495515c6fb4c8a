/* normbench claims [WRITEUP]: whether what the write-ups say holds in the runs that are stored. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/write/ledger.h"
#include "bench/cli/commands.h"

static void print(const Ledger *b, const Options *o) {
    Text text;
    text_init(&text);
    if (o->times[OPTION_json]) {
        json_t *root = ledger_json(b);
        char *bytes = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        text_format(&text, "%s\n", bytes);
        free(bytes);
        json_decref(root);
    } else if (o->times[OPTION_tex])
        ledger_tex(b, &text);
    else
        ledger_text(b, &text);
    fputs(text.at, stdout);
    text_release(&text);
}

Rc command_claims(Session *s, Error *e) {
    const Options *o = s->options;
    Ledger b;
    if (o->operands > 1) return error_set(e, RC_USAGE, "claims: name one write-up, or none for all of them");
    if (o->times[OPTION_json] && o->times[OPTION_tex])
        return error_set(e, RC_USAGE, "claims: --json or --tex, not both");
    if (ledger_make(&b, s, o->operands ? o->operand[0] : NULL, false, e)) return e->code;
    Rc rc = o->times[OPTION_own] ? RC_OK : ledger_add_stored(&b, s, e);
    if (!rc) ledger_note_parts(&b);
    if (!rc) print(&b, o);
    ledger_release(&b);
    return rc;
}
