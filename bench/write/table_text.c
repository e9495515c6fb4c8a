/* The table on the terminal: the same numbers, aligned by blanks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/verdict/translations.h"
#include "bench/write/replication.h"
#include "bench/write/results.h"
#include "bench/write/summaries.h"
#include "bench/write/translations.h"

void table_wrapped(const char *text, int indent, Text *out) {
    char head[40];
    snprintf(head, sizeof head, "%*s", indent, "");
    text_wrapped(out, head, text, indent, TABLE_WIDTH);
}

/* "  step 5, lr = 1   -0.071 [-0.078, -0.064]   reported -0.0700   p .031 (floor .031)   reproduced, lower (better)" */
static void verdict_line(const Table *t, const ClaimVerdict *v, Text *out) {
    char number[SHOWN], where[256];
    bool ratio = table_ratio(v->test) != NULL;
    int decimals = table_effect_digits(v);
    const char *side = table_side_found(v);
    Text place, value;
    text_init(&place);
    text_init(&value);
    claim_verdict_cell(where, t->x, v);
    text_format(&place, "step %d%s%s", t->sample.cell[v->cell].step[v->step], where[0] ? ", " : "", where);
    text_format(&value, "%s%s ", ratio ? "ratio " : "",
                ratio ? show_number(number, v->effect, 2) : show_signed(number, v->effect, decimals));
    if (!isnan(v->lo)) show_interval(&value, v->lo, v->hi, decimals, "", false);
    text_format(out, "      %-26s %-29s ", place.at, value.at);
    if (isnan(v->reported))
        text_format(out, "%-17s", "");
    else
        text_format(out, "reported %-8s",
                    ratio ? show_number(number, v->reported, 2) : show_signed(number, v->reported, 4));
    text_format(out, " p %-5s", show_p(number, v->p));
    if (v->floor > 0)
        text_format(out, " (floor %s)", show_p(number, v->floor));
    else
        text_format(out, "%13s", "");
    text_format(out, "  %s%s%s%s%s%s%s\n", verdict_word(v->word), side[0] ? ", " : "", side, replication_word(v),
                v->small    ? ", "
                : v->why[0] ? ": "
                            : "",
                v->why, t->exploratory || v->undeclared ? " (exploratory)" : "");
    text_clear(&value);
    replication_text(v, &value);
    if (value.length) table_wrapped(value.at, 8, out);
    text_clear(&value);
    if (v->c) translations_text(v->c, t->family.conf, &value);
    if (value.length) table_wrapped(value.at, 8, out);
    text_release(&place);
    text_release(&value);
}

static void verdicts(const Table *t, Text *out) {
    text_format(out, "\nClaims of write-up %s: ", t->claims->writeup);
    claims_cite(t->claims, out);
    text_format(out, " [%s]\n", t->claims->file);
    for (int i = 0; i < t->verdicts.count; i++) {
        const ClaimVerdict *v = &t->verdicts.at[i], *before = i ? v - 1 : NULL;
        if (!before || v->claim != before->claim) text_format(out, "  %s  %s\n", v->claim->id, v->claim->says);
        if (v->word == WORD_NOT_RUN) {
            bool said = before && v->claim == before->claim && !strcmp(v->why, before->why);
            if (!said) text_format(out, "    not run: %s\n", v->why);
            continue;
        }
        if (!before || v->test != before->test) {
            text_format(out, "    ");
            table_expectation(v->test, out);
            text_format(out, " (%s)\n", v->test->test->name);
        }
        verdict_line(t, v, out);
    }
}

void table_text(const Table *t, Text *out) {
    CellsList all = {0};
    Text words;
    text_init(&words);
    table_exploratory(t, &words);
    text_format(out, "%s: %s%s%s%s%s%s\n", t->name, t->x->title, words.length ? "  [" : "", table_mark(t),
                words.length ? ": " : "", words.at, words.length ? "]" : "");
    summaries_text(t, false, TABLE_WIDTH, out);
    translations_shown(t, out);
    results_all(t, false, &all);
    cells_list_text(&all, TABLE_WIDTH, out);
    if (t->claims) verdicts(t, out);
    text_clear(&words);
    table_methods(t, &words);
    text_format(out, "\n");
    table_wrapped(words.at, 0, out);
    table_signature(t, out);
    text_format(out, "\n");
    text_release(&words);
    cells_list_release(&all);
}
