#include "bench/run/weighted.h"

#include <string.h>

#include "base/file.h"
#include "bench/run/retrain.h"
#include "bench/store/address.h"

static Rc open_file(Weighted *m, Session *s, Error *e) {
    if (weights_open(&m->w, m->name, e)) return e->code;
    const WeightsOrigin *o = &m->w.origin;
    char tokenizer[SPEC_TEXT_SIZE];
    const char *vocabulary = safe_text(&m->w.file, "vocabulary");
    m->spec = &o->spec;
    m->backend = session_of_class(s, o->arithmetic_class);
    if (!m->backend) m->backend = s->backend;
    spec_get(tokenizer, &o->spec, "tokenizer");
    if (vocabulary && strncmp(vocabulary, "bpe", 3)) {
        m->codec = &m->own;
        return tokenizer_of_vocabulary(&m->own, vocabulary, e) ? error_prefix(e, "%s: ", m->name) : RC_OK;
    }
    /* How pieces cut a text is learned from the corpus. */
    if (session_dataset(s, o->spec.dataset.text, tokenizer, &m->data, e)) return e->code;
    m->codec = &m->data->codec;
    if (!strcmp(m->data->tokenizer_sha256, o->tokenizer_sha256)) return RC_OK;
    return error_set(e, RC_INTEGRITY, "%s: '%s' makes another vocabulary here than the file's", m->name,
                     o->spec.dataset.text);
}

static Rc open_run(Weighted *m, Session *s, Error *e) {
    char id[SHA256_HEX];
    if (address_find(s, m->name, id, e)) return e->code;
    if (record_read(&m->r, s->runs, id, e)) return e->code;
    m->spec = &m->r.spec;
    if (retrain_backend(s, &m->r, &m->backend, e) || retrain_corpus(s, &m->r, &m->data, e)) return e->code;
    m->codec = &m->data->codec;
    return RC_OK;
}

Rc weighted_open(Weighted *m, Session *s, const char *name, Objective objective, Error *e) {
    static const char *const what[] = {[OBJECTIVE_NEXT] = "a language model, which goes on from a text",
                                       [OBJECTIVE_MASKED] = "a masked model, which gives a text no likelihood",
                                       [OBJECTIVE_TRANSLATE] = "an encoder-decoder, which translates sentences"};
    char text[SPEC_TEXT_SIZE];
    size_t n = strlen(name);
    *m = (Weighted){.name = name};
    m->stored = !file_exists(name) && (n < 12 || strcmp(name + n - 12, ".safetensors"));
    if (m->stored ? open_run(m, s, e) : open_file(m, s, e)) return e->code;
    if ((Objective)m->spec->objective == objective) return RC_OK;
    return error_set(e, RC_USAGE, "%s: %s (objective = %s)", name, what[m->spec->objective],
                     spec_get(text, m->spec, "objective"));
}

void weighted_release(Weighted *m) {
    if (m->t) trainer_free(m->t);
    if (m->stored && m->spec) record_release(&m->r);
    if (!m->stored && m->spec) weights_release(&m->w);
    tokenizer_release(&m->own);
}

static Rc check_weights(const Weighted *m, const ModelShape *shape, Error *e) {
    LOCAL(tape_release) Tape tape = {0};
    if (shape_check(shape, m->backend->device, e)) return error_prefix(e, "%s: __metadata__: spec: ", m->name);
    transformer_build(&tape, shape, &m->spec->variant, NULL);
    Rc rc = weights_match(&m->w, &tape, e);
    return rc ? error_prefix(e, "%s: ", m->name) : RC_OK;
}

Rc weighted_trainer(Weighted *m, const Session *s, Recipe *recipe, Error *e) {
    ModelShape shape = spec_shape(m->spec, m->codec->vocab);
    *recipe = spec_recipe(m->spec);
    if (!m->stored && check_weights(m, &shape, e)) return e->code;
    if (trainer_for_gpt(&m->t, &shape, &m->spec->variant, NULL, recipe, &m->spec->seed, 1, m->backend, e))
        return e->code;
    trainer_cancel(m->t, &session_signal);
    if (s->threads_per_run > 1 && trainer_share(m->t, s->threads_per_run, e)) return e->code;
    if (m->stored) return retrain(m->t, &m->r, m->data, retrain_last(&m->r), e);
    return weights_load(&m->w, m->t, e) ? error_prefix(e, "%s: ", m->name) : RC_OK;
}
