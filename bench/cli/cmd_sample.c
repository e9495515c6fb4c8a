/* normbench model sample RUN|FILE: what a language model writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/commands.h"
#include "bench/formats/progress.h"
#include "bench/run/sampling.h"
#include "bench/run/weighted.h"

static void tokens_done(void *of, int tokens) {
    progress_add(of, tokens, false);
}

/* The prompt's ids at the head of each of `samples` texts of `more` tokens beyond it. */
static Rc encode(const Weighted *m, const char *prompt, int samples, int more, int32_t **text, int *length, Error *e) {
    size_t bytes = strlen(prompt), count;
    OWNED int32_t *ids = mem_alloc(bytes + 1, sizeof *ids);
    if (tokenizer_encode(m->codec, (const uint8_t *)prompt, bytes, ids, &count, e))
        return error_prefix(e, "--prompt: ");
    if (!count) return error_set(e, RC_USAGE, "--prompt: an empty text; at least one token is needed");
    size_t whole = count + (size_t)more;
    *text = mem_alloc((size_t)samples * whole, sizeof **text);
    for (int i = 0; i < samples; i++) memcpy(*text + (size_t)i * whole, ids, count * sizeof *ids);
    *length = (int)count;
    return RC_OK;
}

static void print(const Weighted *m, const int32_t *text, int samples, int whole) {
    LOCAL_TEXT(out);
    for (int i = 0; i < samples; i++) {
        if (samples > 1) text_format(&out, "%s--- %d\n", i ? "\n" : "", i + 1);
        tokenizer_decode(m->codec, text + (size_t)i * (size_t)whole, (size_t)whole, &out);
        text_format(&out, "\n");
    }
    fwrite(out.at, 1, out.length, stdout);
}

static Rc sample(Weighted *m, const Session *s, Error *e) {
    const Options *o = s->options;
    int samples = option_integer(o, OPTION_samples, 1), tokens = option_integer(o, OPTION_tokens, 200), prompt = 0;
    Sampling how = {.temperature = option_number(o, OPTION_temperature, 1),
                    .top_k = option_integer(o, OPTION_top_k, 0),
                    .seed = (uint64_t)option_integer(o, OPTION_seed, 1)};
    OWNED int32_t *text = NULL;
    Recipe recipe;
    Progress progress;
    if (encode(m, option(o, OPTION_prompt, "\n"), samples, tokens, &text, &prompt, e) ||
        weighted_trainer(m, s, &recipe, e))
        return e->code;
    progress_init(&progress, (double)samples * tokens, samples);
    Rc rc = sampling_text(m->t, (int)m->spec->batch, (int)m->spec->context, m->codec->vocab, &how, text, samples,
                          prompt, tokens, &session_signal, tokens_done, &progress, e);
    progress_end(&progress);
    if (!rc) print(m, text, samples, prompt + tokens);
    return rc;
}

Rc command_sample(Session *s, Error *e) {
    const Options *o = s->options;
    LOCAL(weighted_release) Weighted m = {0};
    if (o->operands != 1)
        return error_set(e, RC_USAGE,
                         "sample: name weights: a file of `normbench model export`, or a stored run, by its id or as "
                         "ARM/lr=1e-3/seed=3");
    session_signals();
    return weighted_open(&m, s, o->operand[0], OBJECTIVE_NEXT, e) ? e->code : sample(&m, s, e);
}
