/* normbench model bleu HYP REF: BLEU and chrF of a file of translations, a sentence a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "bench/cli/commands.h"
#include "bench/store/provenance.h"
#include "datasets/bleu.h"
#include "datasets/chrf.h"
#include "datasets/tokenizer.h"

typedef struct {
    char *bytes;
    size_t length, at;
    long lines;
} Side;

/* Counts the lines, the last of which may lack its end. RC_USAGE: empty, or not UTF-8. */
static Rc side_read(Side *s, const char *path, Error *e) {
    long line = 1;
    uint32_t code;
    if (file_read(path, &s->bytes, &s->length, e)) return error_prefix(e, "bleu: ");
    if (!s->length) return error_set(e, RC_USAGE, "bleu: %s is empty; it must hold one sentence per line", path);
    for (size_t at = 0, n; at < s->length; at += n) {
        n = utf8_next((const uint8_t *)s->bytes + at, s->length - at, &code);
        if (!n)
            return error_set(e, RC_USAGE, "bleu: %s:%ld: not UTF-8: byte 0x%02x at offset %zu", path, line,
                             (unsigned char)s->bytes[at], at);
        line += s->bytes[at] == '\n';
    }
    s->lines = line - (s->bytes[s->length - 1] == '\n');
    if (!strncmp(s->bytes, "\xEF\xBB\xBF", 3))
        fprintf(stderr,
                "bleu: %s begins with a byte order mark, which counts as part of its first word, as it does in "
                "sacreBLEU: remove it\n",
                path);
    return RC_OK;
}

static const char *next_line(Side *s, size_t *length) {
    const char *line = s->bytes + s->at, *end = memchr(line, '\n', s->length - s->at);
    *length = end ? (size_t)(end - line) : s->length - s->at;
    s->at += *length + (end != NULL);
    return line;
}

static void print(Side *hypothesis, Side *reference) {
    BleuCounts words = {0};
    ChrfCounts characters = {0};
    for (long i = 0; i < hypothesis->lines; i++) {
        size_t h, r;
        const char *x = next_line(hypothesis, &h), *y = next_line(reference, &r);
        BleuCounts w = bleu_counts(x, h, y, r);
        ChrfCounts c = chrf_counts(x, h, y, r);
        bleu_add(&words, &w);
        chrf_add(&characters, &c);
    }
    Bleu b = bleu_score(&words);
    double ratio = words.reference ? (double)words.hypothesis / (double)words.reference : 0;
    printf("BLEU|" BLEU_SIGNATURE "|version:normbench-%s = %.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f "
           "hyp_len = %ld ref_len = %ld)\n",
           NORMBENCH_VERSION, b.score, b.precision[0], b.precision[1], b.precision[2], b.precision[3], b.brevity, ratio,
           words.hypothesis, words.reference);
    printf("chrF2|" CHRF_SIGNATURE "|version:normbench-%s = %.2f\n", NORMBENCH_VERSION, chrf_score(&characters));
}

Rc command_bleu(Session *s, Error *e) {
    const Options *o = s->options;
    Side side[2] = {{0}};
    if (o->operands != 2)
        return error_set(e, RC_USAGE, "bleu: give two files, translations and references, with one sentence per line");
    Rc rc = side_read(&side[0], o->operand[0], e);
    if (!rc) rc = side_read(&side[1], o->operand[1], e);
    if (!rc && side[0].lines != side[1].lines)
        rc = error_set(e, RC_USAGE, "bleu: %s has %ld lines and %s has %ld; both need the same number", o->operand[0],
                       side[0].lines, o->operand[1], side[1].lines);
    if (!rc) print(&side[0], &side[1]);
    free(side[0].bytes);
    free(side[1].bytes);
    return rc;
}
