/* normbench data [fetch|verify|show] [NAME]: corpora, and the files of tasks. data shards: texts cut into files of
 * token ids. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "bench/cli/commands.h"
#include "bench/formats/latex.h"
#include "bench/formats/terminal.h"
#include "datasets/shards.h"

static void show(const Dataset *d) {
    LOCAL_TEXT(t);
    terminal_say(stdout, "%s\n  from       %s\n  sha256     %s\n  tokenizer  %s, %d tokens, sha256 %.12s\n", d->name,
                 d->from,
           d->sha256, d->tokenizer, d->vocab, d->tokenizer_sha256);
    if (*d->tokens_sha256) terminal_say(stdout, "  tokens     sha256 %s\n", d->tokens_sha256);
    terminal_say(stdout, "  train      %zu tokens, %zu bytes, %.3f per token\n", d->train, d->train_bytes,
           (double)d->train_bytes / (double)d->train);
    terminal_say(stdout, "  validate   %zu tokens, %zu bytes, %.3f per token\n", d->valid, d->valid_bytes,
           (double)d->valid_bytes / (double)d->valid);
    terminal_say(stdout, "  unigram    %.4f nats per validation token (uniform: %.4f)\n", d->unigram, log(d->vocab));
    if (!isnan(d->entropy_rate))
        terminal_say(stdout, "  entropy    %.4f nats per token, exactly: no model does better\n", d->entropy_rate);
    int32_t first[240];
    size_t most = d->train < 240 ? d->train : 240;
    dataset_tokens(d, 0, most, first);
    tokenizer_decode(&d->codec, first, most, &t);
    terminal_say(stdout, "\n%s\n", t.at);
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
        terminal_say(stdout, "%-18s ok  %s  %s\n", name, c.sha256, c.from.at);
        int characters = 240, n = show_bytes((char *)c.bytes, &characters);
        if (whole) terminal_say(stdout, "  %zu bytes, %s\n\n%.*s\n\n", c.length, row[i].licence, n, (char *)c.bytes);
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
        if (rc) terminal_say(stderr, "normbench: task %s: %s\n", row[i].name, why.text);
    }
    return RC_OK;
}

/* What was made, as `data verify` reads it. */
static Rc show_shards(Session *s, const char *folder, const char *tokenizer, Error *e) {
    char name[700];
    const Dataset *d;
    snprintf(name, sizeof name, "shards:%.600s/manifest.json", folder);
    if (strlen(name) > 140) return RC_OK; /* longer than the names of a session's corpora */
    if (session_dataset(s, name, tokenizer, &d, e)) return e->code;
    terminal_say(stdout, "%-18s ok  %s  %s\n  %zu tokens to train on, %zu to validate on, vocabulary %d\n", d->name,
                 d->sha256,
           d->from, d->train, d->valid, d->vocab);
    return RC_OK;
}

static Rc make_shards(Session *s, const char *tokenizer, Error *e) {
    const Options *o = s->options;
    char note[512];
    ShardsPlan p = {.folder = option(o, OPTION_output, NULL),
                    .tokenizer = tokenizer,
                    .train = o->value[OPTION_text],
                    .trains = o->times[OPTION_text],
                    .valid = option(o, OPTION_valid, NULL),
                    .tokens = (size_t)option_integer(o, OPTION_shard_tokens, 100000000)};
    if (!p.folder || !*p.folder) return error_set(e, RC_USAGE, "data shards: -o FOLDER says where they go");
    if (!p.trains) return error_set(e, RC_USAGE, "data shards: --text FILE says what they are made of");
    if (o->operands > 1)
        return error_set(e, RC_USAGE, "data shards: '%.60s': texts are given by --text", o->operand[1]);
    if (shards_make(&p, note, e)) return error_prefix(e, "data shards: ");
    if (*note) terminal_say(stderr, "normbench: note: %s\n", note);
    return show_shards(s, p.folder, tokenizer, e);
}

/* Options that only one verb takes. */
static Rc check_options(const Options *o, bool shards, Error *e) {
    static const OptionKind own[] = {OPTION_text, OPTION_valid, OPTION_shard_tokens, OPTION_output};
    char name[OPTION_NAME];
    for (size_t i = 0; i < sizeof own / sizeof *own && !shards; i++)
        if (o->times[own[i]])
            return error_set(e, RC_USAGE, "data: --%s is of `data shards`", option_name(name, own[i]));
    return RC_OK;
}

Rc command_data(Session *s, Error *e) {
    const Options *o = s->options;
    static const char *const verbs[] = {"fetch", "verify", "show", "shards"};
    enum { VERBS = sizeof verbs / sizeof *verbs };
    const char *verb = o->operands ? o->operand[0] : "verify", *tokenizer = option(o, OPTION_tokenizer, "char");
    const char *names[MANIFEST_NAMES], *one[1];
    size_t files, n = manifest_names(names);
    const char *const *list = names;
    if (name_find(NAMES(verbs, VERBS), verb) < 0) {
        error_set(e, RC_USAGE, "data: unknown verb '%s'", verb);
        return name_unknown(e, verb, NAMES(verbs, VERBS), NULL);
    }
    bool shards = !strcmp(verb, "shards");
    if (check_options(o, shards, e)) return e->code;
    if (shards) return make_shards(s, tokenizer, e);
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
            if (worst) terminal_say(stderr, "normbench: %s\n", e->text);
            *e = why;
            worst = why.code;
        } else if (whole)
            show(d);
        else
            terminal_say(stdout, "%-18s ok  %s  %s\n", d->name, d->sha256, d->from);
    }
    if (o->operands < 2 && !worst) worst = obtain_tasks(s, whole, e);
    return worst;
}
