#include "bench/write/translations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_SENTENCES = 3, NAMES = 22 };

/* The first seed's record in the cell where the arm's mean loss at the last step is the lowest. */
static const RunRecord *best_of(const Table *t, int arm, int *best) {
    double least = (double)INFINITY;
    *best = 0;
    for (int cell = 0; cell < t->sample.cells; cell++) {
        SampleArm a = sample_arm(&t->sample, cell, t->sample.cell[cell].steps - 1, arm, METRIC_valid_loss);
        if (a.status == ST_OK && a.mean < least) least = a.mean, *best = cell;
    }
    return sample_run(&t->sample, *best, t->sample.cell[*best].steps - 1, arm, 0)->record;
}

static void line(const char *name, const char *text, int length, Text *out) {
    text_format(out, "  %-*s %.*s\n", NAMES, name, length, text);
}

void translations_shown(const Table *t, Text *out) {
    const RunRecord *first = sample_run(&t->sample, 0, t->sample.cell[0].steps - 1, 0, 0)->record;
    int arms = t->sample.arms, count = first->translations.sentences, cell;
    TranslatedLine **lines = mem_alloc((size_t)arms, sizeof *lines);
    char where[256];
    bool any = false;
    for (int arm = 0; arm < arms; arm++) {
        const RunRecord *r = best_of(t, arm, &cell);
        if (r->translations.sentences == count && count) lines[arm] = translations_lines(&r->translations);
        any |= lines[arm] != NULL;
    }
    bool several = t->sample.cells > 1;
    if (any)
        text_format(out, "\nWhat the first seed's runs write%s:\n",
                    several ? ", each arm where its loss is the lowest" : "");
    for (int arm = 0; any && arm < arms; arm++) {
        if (!several && lines[arm]) continue;
        (void)best_of(t, arm, &cell);
        experiment_cell_text(where, t->x, cell);
        text_format(out, "  %-*s %s\n", NAMES, t->x->arm[arm].label, lines[arm] ? where : "no translations");
    }
    for (int k = 0; any && k < SHOWN_SENTENCES; k++) {
        int i = k * (count - 1) / (SHOWN_SENTENCES - 1);
        const TranslatedLine *some = NULL;
        for (int arm = 0; arm < arms; arm++) some = lines[arm] && !some ? &lines[arm][i] : some;
        text_format(out, "\n");
        line("source", some->source, some->source_length, out);
        line("reference", some->reference, some->reference_length, out);
        for (int arm = 0; arm < arms; arm++)
            if (lines[arm]) line(t->x->arm[arm].label, lines[arm][i].hypothesis, lines[arm][i].hypothesis_length, out);
    }
    for (int arm = 0; arm < arms; arm++) free(lines[arm]);
    free(lines);
}
