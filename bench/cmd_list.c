/* normbench list: everything that is a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/claim.h"
#include "bench/commands.h"
#include "bench/record.h"

static void list_variants(void) {
    printf("variants (normbench explain NAME)\n");
    for (int i = 0; i < variant_count; i++) printf("  %-14s %s\n", variants[i].name, variants[i].equation);
    printf("  columns any row can take:");
    for (int i = 0; i < variant_key_count; i++) printf(" %s", variant_keys[i]);
    printf("\n");
}

static void list_experiments(const Session *s) {
    char path[1024], **names;
    snprintf(path, sizeof path, "%s/bench/experiments", s->root);
    int count = folder_names(path, ".yaml", &names);
    printf("\nexperiments (normbench run NAME)\n");
    for (int i = 0; i < count; i++) {
        char file[1400];
        Experiment x;
        Error e;
        snprintf(file, sizeof file, "%s/%s.yaml", path, names[i]);
        if (experiment_read(&x, file, NULL, NULL, &e))
            printf("  %s\n", e.text);
        else {
            printf("  %-18s %s (%d arms)\n", x.name, x.title, x.arms);
            experiment_release(&x);
        }
    }
    names_free(names, count);
}

static void list_claims(const Session *s) {
    char path[1024], **names;
    snprintf(path, sizeof path, "%s/bench/claims", s->root);
    int count = folder_names(path, ".yaml", &names);
    printf("\nclaims (normbench claims WRITEUP)\n");
    for (int i = 0; i < count; i++) {
        ClaimFile f;
        Error e;
        if (claims_read(&f, s->root, names[i], &e))
            printf("  %s\n", e.text);
        else {
            printf("  %-18s %s (%d claims)\n", f.writeup, f.title, f.claims);
            claims_release(&f);
        }
    }
    names_free(names, count);
}

static void list_data(void) {
    const char *names[MANIFEST_NAMES];
    size_t n = manifest_names(names), kinds;
    const TokenizerKind *kind = tokenizer_kinds(&kinds);
    printf("\ndatasets\n");
    for (size_t i = 0; i < n; i++) {
        size_t rows;
        const CorpusFile *row = manifest_corpus(names[i], &rows);
        const Source *source = manifest_source(names[i]);
        if (row)
            printf("  %-18s %zu bytes, sha256 %.12s, %s\n", names[i], row->bytes, row->sha256, row->licence);
        else
            printf("  %-18s %s\n", names[i], source->about);
    }
    printf("\ntokenizers\n");
    for (size_t i = 0; i < kinds; i++) printf("  %-18s %s\n", kind[i].name, kind[i].about);
}

Rc command_list(Session *s, Error *e) {
    static const struct {
        const char *name, *formula;
    } optimizers[] =
        {
#define OPTIMIZER(name, moments, formula) {#name, formula},
#include "kernels/optimizers.def"
#undef OPTIMIZER
        },
      schedules[] = {
#define SCHEDULE(name, formula) {#name, formula},
#include "models/schedule.def"
#undef SCHEDULE
      };
    if (s->options->operands)
        return error_set(e, RC_USAGE, "list: '%s' is too much; it takes no operand", s->options->operand[0]);
    list_variants();
    list_experiments(s);
    list_claims(s);
    list_data();
    printf("\nbackends\n");
    for (int i = 0; i < backend_count; i++)
        printf("  %-18s %s%s\n", backends[i]->name, backends[i]->what,
               backends[i]->supported() ? backends[i] == s->backend ? " (used)" : "" : " (not on this machine)");
    printf("\noptimizers\n");
    for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++)
        printf("  %-18s %s\n", optimizers[i].name, optimizers[i].formula);
    printf("\nschedules (after a linear warm-up)\n");
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        printf("  %-18s %s\n", schedules[i].name, schedules[i].formula);
    printf("\nmetrics\n");
    for (int i = 0; i < METRIC_COUNT; i++) printf("  %-18s %s\n", metric_info[i].key, metric_info[i].help);
    return RC_OK;
}
