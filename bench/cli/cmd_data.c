/* normbench data [fetch|verify|show] [NAME]: corpora, and the files of tasks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli/commands.h"
#include "bench/formats/latex.h"

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

/* The files of a task, which no dataset holds. */
static Rc obtain_task(Session *s, const char *name, bool whole, Error *e) {
    size_t rows;
    const CorpusFile *row = manifest_task(name, &rows);
    for (size_t i = 0; i < rows; i++) {
        CorpusBytes c;
        if (corpus_obtain(&c, &row[i], &s->places, e)) return e->code;
        printf("%-18s ok  %s  %s\n", name, c.sha256, c.from.at);
        int characters = 240, n = show_bytes((char *)c.bytes, &characters);
        if (whole) printf("  %zu bytes, %s\n\n%.*s\n\n", c.length, row[i].licence, n, (char *)c.bytes);
        corpus_release(&c);
    }
    return RC_OK;
}

/* All tasks of the manifest. What cannot be had is said and is no failure: nothing trains on it. */
static Rc obtain_tasks(Session *s, bool whole, Error *e) {
    size_t rows;
    const CorpusFile *row = manifest_task_files(&rows);
    for (size_t i = 0; i < rows; i++) {
        Error why;
        if (i && !strcmp(row[i].name, row[i - 1].name)) continue;
        Rc rc = obtain_task(s, row[i].name, whole, &why);
        if (rc && rc != RC_UNMEASURED) {
            *e = why;
            return rc;
        }
        if (rc) fprintf(stderr, "normbench: task %s: %s\n", row[i].name, why.text);
    }
    return RC_OK;
}

Rc command_data(Session *s, Error *e) {
    const Options *o = s->options;
    static const char *const verbs[] = {"fetch", "verify", "show"};
    const char *verb = o->operands ? o->operand[0] : "verify", *tokenizer = option(o, OPTION_tokenizer, "char");
    const char *names[MANIFEST_NAMES], *one[1];
    char hint[96];
    size_t files, n = manifest_names(names);
    const char *const *list = names;
    if (strcmp(verb, "fetch") && strcmp(verb, "verify") && strcmp(verb, "show"))
        return error_set(e, RC_USAGE, "data: unknown verb '%s'%s", verb,
                         did_you_mean(hint, sizeof hint, verb, verbs, 3));
    if (o->operands > 2) return error_set(e, RC_USAGE, "data: one corpus at a time");
    if (o->operands == 2) one[0] = o->operand[1], list = one, n = 1;
    Rc worst = RC_OK;
    bool whole = !strcmp(verb, "show");
    session_signals();
    if (o->operands == 2 && manifest_task(one[0], &files)) return obtain_task(s, one[0], whole, e);
    for (size_t i = 0; i < n; i++) {
        const Dataset *d;
        Error why;
        if (session_dataset(s, list[i], tokenizer, &d, &why) || obtain_tests(s, list[i], &why)) {
            if (worst) fprintf(stderr, "normbench: %s\n", e->text);
            *e = why;
            worst = why.code;
        } else if (whole)
            show(d);
        else
            printf("%-18s ok  %s  %s\n", d->name, d->sha256, d->from);
    }
    if (o->operands < 2 && !worst) worst = obtain_tasks(s, whole, e);
    return worst;
}
