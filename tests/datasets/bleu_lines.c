/* bleu_lines HYP REF: what tests/datasets/sacrebleu_equal.py compares: per line the words of the hypothesis, then of
 * the whole BLEU, precisions, penalty and chrF with all digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "datasets/bleu.h"
#include "datasets/chrf.h"
#include "datasets/tokenize_13a.h"

static const char *next(const char **at, const char *end, size_t *length) {
    const char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));
    *length = (size_t)((stop ? stop : end) - line);
    *at = stop ? stop + 1 : end;
    return line;
}

int main(int argc, char **argv) {
    char *file[2];
    size_t length[2];
    Error e;
    BleuCounts words = {0};
    ChrfCounts characters = {0};
    if (argc != 3 || file_read(argv[1], &file[0], &length[0], &e) || file_read(argv[2], &file[1], &length[1], &e))
        return 2;
    const char *h = file[0], *r = file[1];
    while (h < file[0] + length[0]) {
        size_t n, m;
        const char *x = next(&h, file[0] + length[0], &n), *y = next(&r, file[1] + length[1], &m);
        BleuCounts w = bleu_counts(x, n, y, m);
        ChrfCounts c = chrf_counts(x, n, y, m);
        LOCAL_TEXT(text);
        tokenize_13a(x, n, &text);
        printf("%.17g %.17g\t", bleu_score(&w).score, chrf_score(&c));
        fwrite(text.at, 1, text.length, stdout);
        printf("\n");
        bleu_add(&words, &w);
        chrf_add(&characters, &c);
    }
    Bleu b = bleu_score(&words);
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", b.score, b.precision[0], b.precision[1], b.precision[2],
           b.precision[3], b.brevity, chrf_score(&characters));
    free(file[0]);
    free(file[1]);
    return 0;
}
