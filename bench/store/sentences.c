#include "bench/store/sentences.h"

#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"

const char translations_heading[] =
    "words\treference_words\tmatches_1\tmatches_2\tmatches_3\tmatches_4\ttotal_1\ttotal_2\ttotal_3\ttotal_4\t"
    "source\treference\thypothesis\n";

void translations_release(Translations *t) {
    free(t->text);
    *t = (Translations){0};
}

static const JsonField fields[] = {
    JSON_FIELD(Translations, step), JSON_FIELD(Translations, sentences), JSON_FIELD(Translations, sha256), {0}};

json_t *translations_json(const Translations *t) {
    return json_put(json_object(), fields, t);
}

Rc translations_parse(Translations *t, const json_t *json, Error *e) {
    *t = (Translations){0};
    if (!json || (!json_take(t, fields, json) && t->sentences > 0 && strlen(t->sha256) == SHA256_HEX - 1)) return RC_OK;
    *t = (Translations){0};
    return error_set(e, RC_INTEGRITY, "translations: not {step, sentences, sha256}");
}

/* Read a field, which ends with a tab or the line. */
static const char *field(const char *at, const char **text, int *length) {
    *text = at, *length = (int)strcspn(at, "\t\n");
    return at + *length + (at[*length] == '\t');
}

TranslatedLine *translations_lines(const Translations *t) {
    if (!t->text || strncmp(t->text, translations_heading, sizeof translations_heading - 1)) return NULL;
    TranslatedLine *line = mem_alloc((size_t)t->sentences, sizeof *line);
    const char *at = t->text + sizeof translations_heading - 1;
    for (int i = 0; i < t->sentences; i++) {
        BleuCounts *c = &line[i].counts;
        long *number[] = {&c->hypothesis, &c->reference, &c->matches[0], &c->matches[1], &c->matches[2],
                          &c->matches[3], &c->totals[0], &c->totals[1],  &c->totals[2],  &c->totals[3]};
        for (size_t k = 0; at && k < sizeof number / sizeof *number; k++) {
            char *end;
            *number[k] = strtol(at, &end, 10);
            at = *end == '\t' && end > at ? end + 1 : NULL;
        }
        if (at) {
            at = field(at, &line[i].source, &line[i].source_length);
            at = field(at, &line[i].reference, &line[i].reference_length);
            at = field(at, &line[i].hypothesis, &line[i].hypothesis_length);
        }
        if (!at || *at != '\n') {
            free(line);
            return NULL;
        }
        at++;
    }
    return line;
}
