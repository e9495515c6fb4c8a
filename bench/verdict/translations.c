#include "bench/verdict/translations.h"

#include <math.h>
#include <stdlib.h>

#include "base/sha256.h"
#include "bench/verdict/grid.h"

enum { COUNTS = 2 * BLEU_ORDERS + 2 };

static double bleu_of(const double *sum, size_t counts) {
    BleuCounts c = {.hypothesis = (long)sum[counts - 2], .reference = (long)sum[counts - 1]};
    for (int i = 0; i < BLEU_ORDERS; i++) c.matches[i] = (long)sum[i], c.totals[i] = (long)sum[BLEU_ORDERS + i];
    return bleu_score(&c).score;
}

/* One run's sentences into to[sentences][COUNTS]. False: it has none of that step. */
static bool read_run(const RunRecord *r, int step, int sentences, double *to) {
    if (r->translations.step != step || r->translations.sentences != sentences) return false;
    TranslatedLine *line = translations_lines(&r->translations);
    for (int i = 0; line && i < sentences; i++, to += COUNTS) {
        const BleuCounts *c = &line[i].counts;
        for (int k = 0; k < BLEU_ORDERS; k++) to[k] = (double)c->matches[k], to[BLEU_ORDERS + k] = (double)c->totals[k];
        to[COUNTS - 2] = (double)c->hypothesis, to[COUNTS - 1] = (double)c->reference;
    }
    free(line);
    return line != NULL;
}

/* Those of all seeds of a term, each at its chosen rate; NULL: some run has none. */
static double *read_term(const Sample *s, const Contrast *w, const Term *t, int sentences) {
    size_t each = (size_t)sentences * COUNTS;
    double *all = mem_alloc((size_t)s->seeds * each, sizeof *all);
    OWNED const SampleRun **judged = mem_alloc((size_t)s->seeds, sizeof *judged);
    bool whole = true;
    grid_judged(s, w, t, judged);
    for (int seed = 0; whole && seed < s->seeds; seed++) {
        const SampleRun *run = judged[seed];
        whole = !run->diverged &&
                read_run(run->record, s->cell[t->cell].step[t->step], sentences, all + (size_t)seed * each);
    }
    if (whole) return all;
    free(all);
    return NULL;
}

static void cross(Comparison *c, const Sample *s, double conf, StKey key) {
    const Contrast *w = &c->what;
    bool pair = w->terms == 2 && !w->grid && !w->predicts && w->metric == METRIC_bleu && fabs(w->term[0].weight) == 1 &&
                w->term[0].weight == -w->term[1].weight;
    if (!pair) return;
    const Term *a = &w->term[w->term[0].weight < 0], *b = &w->term[w->term[0].weight > 0];
    int sentences = sample_run(s, a->cell, a->step, a->arm, 0)->record->translations.sentences;
    OWNED double *x = sentences ? read_term(s, w, a, sentences) : NULL, *y = x ? read_term(s, w, b, sentences) : NULL;
    if (y)
        c->corpus =
            st_corpus(x, y, (size_t)s->seeds, (size_t)sentences, COUNTS, bleu_of, conf, TRANSLATIONS_DRAWS, key);
}

void translations_cross(Family *f, const Sample *s) {
    StKey key = {.plan = f->joint_key.plan, .stream = name_stream("sentences")};
    for (int i = 0; i < f->count; i++) {
        f->at[i].corpus = (StCorpus){.status = ST_BAD_ARG};
        cross(&f->at[i], s, f->conf, key);
    }
}

void translations_text(const Comparison *c, double conf, Text *out) {
    const StCorpus *x = &c->corpus;
    if (!translations_made(c)) return;
    text_format(
        out,
        "for new seeds and new sentences [%.2f, %.2f], for new sentences alone [%.2f, %.2f] (%g%% bootstrap, %zu "
        "draws)",
        x->lo, x->hi, x->sentences.lo, x->sentences.hi, 100 * conf, x->draws);
}
