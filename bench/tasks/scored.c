#include "bench/tasks/scored.h"

#include <stdlib.h>
#include <string.h>

static size_t without_blanks(const char *text) {
    size_t n = strlen(text);
    while (n && strchr(" \t\n\r\v\f", text[n - 1])) n--;
    return n;
}

Rc scored_encode(Scored *s, const Tokenizer *codec, const char *context, const char *continuation, Error *e) {
    LOCAL_TEXT(all);
    size_t whole, before = without_blanks(context), behind;
    *s = (Scored){0};
    text_format(&all, "%s%s", context, continuation);
    s->token = mem_alloc(all.length + 1, sizeof *s->token);
    const uint8_t *bytes = (const uint8_t *)all.at;
    /* encode the context first, so that the whole text's tokens remain */
    Rc rc = tokenizer_encode(codec, bytes, before, s->token, &behind, e);
    if (!rc) rc = tokenizer_encode(codec, bytes, all.length, s->token, &whole, e);
    if (!rc && (!behind || whole <= behind))
        rc = error_set(e, RC_USAGE, "'%.40s': no token of its own behind the context", continuation);
    if (rc) {
        scored_release(s);
        return rc;
    }
    s->count = (int)whole, s->scored = (int)behind;
    return RC_OK;
}

void scored_release(Scored *s) {
    free(s->token);
    *s = (Scored){0};
}

Window scored_window(const Scored *s, int from, int context) {
    int stride = context > 1 ? context / 2 : 1;
    bool once = s->count - s->scored <= context;
    int end = once || s->count - from < stride ? s->count : from + stride; /* end of the targets */
    int first = end - 1 > context ? end - 1 - context : 0;
    return (Window){first, end - 1 - first, from};
}

int scored_windows(const Scored *s, int context) {
    int n = 0;
    for (int from = s->scored; from < s->count; n++) {
        Window w = scored_window(s, from, context);
        from = w.first + w.inputs + 1;
    }
    return n;
}

bool scored_truncated(const Scored *s, int context) {
    return s->count - 1 > context;
}
