/* normbench model translate RUN|FILE < sentences: what an encoder-decoder makes of them, a sentence a line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/formats/terminal.h"
#include "bench/run/weighted.h"
#include "bench/translate/translation.h"

enum { TOGETHER = 256 /* lines */ };

typedef struct {
    Weighted m;
    Decoding how;
    Translation x[TOGETHER];
    long lines, cut; /* read; of them, longer than the model's context */
} Translating;

/* A line as tokens; of one that is too long the first. */
static Rc encode(Translating *a, const char *line, size_t length, Translation *x, Error *e) {
    size_t count;
    int32_t *token = mem_alloc(length + 1, sizeof *token);
    Rc rc = tokenizer_encode(a->m.codec, (const uint8_t *)line, length, token, &count, e);
    if (rc) {
        free(token);
        return error_prefix(e, "translate: line %ld: ", a->lines);
    }
    bool fits = count < (size_t)a->how.context;
    a->cut += !fits;
    *x = (Translation){.source = token, .source_length = fits ? (int)count : a->how.context - 1};
    return RC_OK;
}

enum { LINE_BYTES_MAX = 1 << 20 };

/* Standard input up to the end of a line, which is dropped; false: there are no more lines. */
static bool read_line(Text *line) {
    int c = getc(stdin);
    text_clear(line);
    for (bool any = c != EOF; any; c = getc(stdin)) {
        char byte = (char)c;
        if (c == EOF || c == '\n' || line->length > LINE_BYTES_MAX) return true;
        text_add(line, &byte, 1);
    }
    return false;
}

/* Up to TOGETHER lines of standard input; *count 0: there are no more. */
static Rc read_lines(Translating *a, int *count, Error *e) {
    LOCAL_TEXT(line);
    Rc rc = RC_OK;
    *count = 0;
    while (!rc && *count < TOGETHER) {
        errno = 0;
        bool more = read_line(&line);
        if (ferror(stdin)) rc = error_set(e, RC_UNMEASURED, "standard input: %s", strerror(errno));
        if (!more || rc) break;
        a->lines++;
        rc = line.length > LINE_BYTES_MAX
                 ? error_set(e, RC_USAGE, "translate: line %ld: longer than %d bytes", a->lines, (int)LINE_BYTES_MAX)
                 : encode(a, line.at, line.length, &a->x[*count], e);
        *count += !rc;
    }
    return rc;
}

/* A sentence that is empty stays so. */
static Rc translate_lines(Translating *a, int count, Error *e) {
    Translation some[TOGETHER];
    int place[TOGETHER], n = 0;
    for (int i = 0; i < count; i++)
        if (a->x[i].source_length) some[n] = a->x[i], place[n++] = i;
    Rc rc = translate(a->m.t, 0, &a->how, some, n, &session_signal, e);
    for (int i = 0; i < n; i++) a->x[place[i]] = some[i];
    for (int i = 0; i < count && !rc; i++) {
        LOCAL_TEXT(out);
        tokenizer_decode(a->m.codec, a->x[i].token, (size_t)a->x[i].length, &out);
        printf("%s\n", out.at);
    }
    (void)output_flush(NULL);
    return rc;
}

static void release(Translating *a, int count) {
    for (int i = 0; i < count; i++) {
        free((void *)(uintptr_t)a->x[i].source);
        free(a->x[i].token);
    }
}

static Rc translate_all(Translating *a, const Session *s, Error *e) {
    Recipe recipe;
    size_t one;
    int count = 0;
    a->how = (Decoding){.beam = option_integer(s->options, OPTION_beam, 5),
                        .penalty = option_number(s->options, OPTION_length_penalty, 1),
                        .context = (int)a->m.spec->context};
    Rc rc = tokenizer_encode(a->m.codec, (const uint8_t *)"\n", 1, &a->how.end, &one, e);
    if (!rc) rc = weighted_trainer(&a->m, s, &recipe, e);
    do {
        if (!rc) rc = read_lines(a, &count, e);
        if (!rc) rc = translate_lines(a, count, e);
        release(a, count);
    } while (!rc && count == TOGETHER);
    if (!rc && !a->lines)
        rc = error_set(e, RC_USAGE, "translate: standard input is empty; give one sentence per line");
    if (a->cut)
        terminal_say(
            stderr,
            "normbench: note: %ld of %ld lines have more than %d tokens; the tokens behind these were left out\n",
            a->cut, a->lines, a->how.context - 1);
    return rc;
}

Rc command_translate(Session *s, Error *e) {
    const Options *o = s->options;
    if (o->operands != 1)
        return error_set(
            e, RC_USAGE,
            "translate: name weights: a file of `normbench model export`, or a stored run, by its id or as "
            "ARM/lr=1e-3/seed=3");
    OWNED Translating *a = mem_alloc(1, sizeof *a);
    session_signals();
    Rc rc = weighted_open(&a->m, s, o->operand[0], OBJECTIVE_TRANSLATE, e);
    if (!rc) rc = translate_all(a, s, e);
    weighted_release(&a->m);
    return rc;
}
