#include "bench/translate/translated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/translate/translation.h"
#include "datasets/chrf.h"
#include "datasets/pairs.h"

void translated_none(double metric[METRIC_COUNT], bool absent[METRIC_COUNT]) {
    metric[METRIC_bleu] = metric[METRIC_chrf] = (double)NAN;
    absent[METRIC_bleu] = absent[METRIC_chrf] = true;
}

/* Append tokens as a text of one line. */
static void spell(const Dataset *d, const int32_t *token, int length, Text *out) {
    text_clear(out);
    tokenizer_decode(&d->codec, token, (size_t)length, out);
    for (size_t i = 0; i < out->length; i++)
        if (out->at[i] == '\t' || out->at[i] == '\n') out->at[i] = ' ';
}

static void add_line(Text *out, const BleuCounts *c, const Text texts[3]) {
    text_format(out, "%ld\t%ld", c->hypothesis, c->reference);
    for (int i = 0; i < BLEU_ORDERS; i++) text_format(out, "\t%ld", c->matches[i]);
    for (int i = 0; i < BLEU_ORDERS; i++) text_format(out, "\t%ld", c->totals[i]);
    for (int i = 0; i < 3; i++) text_format(out, "\t%s", texts[i].at);
    text_format(out, "\n");
}

static void score(const Dataset *d, const Pair *pair, const Translation *x, int count, double metric[METRIC_COUNT],
                  Text *lines) {
    BleuCounts words = {0};
    ChrfCounts characters = {0};
    Text texts[3];
    for (int i = 0; i < 3; i++) text_init(&texts[i]);
    text_format(lines, "%s", translations_heading);
    for (int i = 0; i < count; i++) {
        spell(d, d->tokens + pair[i].source, pair[i].source_length, &texts[0]);
        spell(d, d->tokens + pair[i].target, pair[i].target_length, &texts[1]);
        spell(d, x[i].token, x[i].length, &texts[2]);
        BleuCounts w = bleu_counts(texts[2].at, texts[2].length, texts[1].at, texts[1].length);
        ChrfCounts c = chrf_counts(texts[2].at, texts[2].length, texts[1].at, texts[1].length);
        bleu_add(&words, &w), chrf_add(&characters, &c);
        add_line(lines, &w, texts);
    }
    metric[METRIC_bleu] = bleu_score(&words).score, metric[METRIC_chrf] = chrf_score(&characters);
    for (int i = 0; i < 3; i++) text_release(&texts[i]);
}

bool translated_measure(Trainer *t, int replica, const Dataset *d, const RunSpec *s, double metric[METRIC_COUNT],
                        bool absent[METRIC_COUNT], Translations *keep, const volatile sig_atomic_t *stop) {
    size_t count;
    const Pair *pair = pairs_of(d, 1, &count);
    const Decoding greedy = {.beam = 1, .end = pairs_end(d), .context = (int)s->context};
    OWNED Translation *x = mem_alloc(count, sizeof *x);
    LOCAL_TEXT(lines);
    Error e;
    for (size_t i = 0; i < count; i++) {
        int length = pair[i].source_length < greedy.context ? pair[i].source_length : greedy.context - 1;
        x[i] = (Translation){.source = d->tokens + pair[i].source, .source_length = length};
    }
    bool whole = !translate(t, replica, &greedy, x, (int)count, stop, &e);
    if (whole) {
        score(d, pair, x, (int)count, metric, &lines);
        absent[METRIC_bleu] = absent[METRIC_chrf] = false;
    }
    if (whole && keep) {
        *keep = (Translations){.sentences = (int)count, .step = trainer_step_number(t)};
        sha256_hex_of(keep->sha256, lines.at, lines.length);
        keep->text = mem_text(lines.at);
    }
    for (size_t i = 0; i < count; i++) free(x[i].token);
    return whole;
}
