/* normbench data [fetch|verify|show] [NAME]: corpora. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli/commands.h"

static void show(const Dataset *d) {
    Text t;
    text_init(&t);
    printf("%s\n  from       %s\n  sha256     %s\n  tokenizer  %s, %d tokens, sha256 %.12s\n", d->name, d->from,
           d->sha256, d->tokenizer, d->vocab, d->tokenizer_sha256);
    if (*d->tokens_sha256) printf("  tokens     sha256 %s\n", d->tokens_sha256);
    printf("  train      %zu tokens, %zu bytes, %.3f per token\n", d->train, d->train_bytes,
           (double)d->train_bytes / (double)d->train);
    printf("  validate   %zu tokens, %zu bytes, %.3f per token\n", d->valid, d->valid_bytes,
           (double)d->valid_bytes / (double)d->valid);
    printf("  unigram    %.4f nats per validation token (uniform: %.4f)\n", d->unigram, log(d->vocab));
    if (!isnan(d->entropy_rate))
        printf("  entropy    %.4f nats per token, exactly: no model does better\n", d->entropy_rate);
    size_t most = d->train < 240 ? d->train : 240;
    tokenizer_decode(&d->codec, d->tokens, most, &t);
    printf("\n%s\n", t.at);
    text_release(&t);
}

/* Obtains and checks also the files of a corpus that no dataset uses (its test part). */
static Rc obtain_tests(Session *s, const char *name, Error *e) {
    size_t rows;
    const CorpusFile *row = manifest_corpus(name, &rows);
    for (size_t i = 0; i < rows; i++) {
        CorpusBytes c;
        if (row[i].part != PART_TEST) continue;
        if (corpus_obtain(&c, &row[i], &s->places, e)) return e->code;
        corpus_release(&c);
    }
    return RC_OK;
}

Rc command_data(Session *s, Error *e) {
    const Options *o = s->options;
    static const char *const verbs[] = {"fetch", "verify", "show"};
    const char *verb = o->operands ? o->operand[0] : "verify", *tokenizer = option(o, OPTION_tokenizer, "char");
    const char *names[MANIFEST_NAMES], *one[1];
    char hint[96];
    size_t n = manifest_names(names);
    const char *const *list = names;
    if (strcmp(verb, "fetch") && strcmp(verb, "verify") && strcmp(verb, "show"))
        return error_set(e, RC_USAGE, "data: unknown verb '%s'%s", verb,
                         did_you_mean(hint, sizeof hint, verb, verbs, 3));
    if (o->operands > 2) return error_set(e, RC_USAGE, "data: one corpus at a time");
    if (o->operands == 2) one[0] = o->operand[1], list = one, n = 1;
    Rc worst = RC_OK;
    session_signals();
    for (size_t i = 0; i < n; i++) {
        const Dataset *d;
        Error why;
        if (session_dataset(s, list[i], tokenizer, &d, &why) || obtain_tests(s, list[i], &why)) {
            if (worst) fprintf(stderr, "normbench: %s\n", e->text);
            *e = why;
            worst = why.code;
        } else if (!strcmp(verb, "show"))
            show(d);
        else
            printf("%-18s ok  %s  %s\n", d->name, d->sha256, d->from);
    }
    return worst;
}
