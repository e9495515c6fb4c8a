#include "bench/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/compare/rows.h"
#include "bench/formats/unpack.h"

/* Every corpus has every arm; without one, which it is and where another corpus has it. */
static Rc check_arms(const CompareRows *r, Error *e) {
    OWNED const CompareRow **first = mem_alloc((size_t)r->corpora * (size_t)r->arms, sizeof *first);
    Rc rc = RC_OK;
    for (size_t i = 0; i < r->rows; i++) {
        const CompareRow **at = &first[r->row[i].corpus * r->arms + r->row[i].arm];
        if (!*at) *at = &r->row[i];
    }
    for (int i = 0; i < r->corpora * r->arms && !rc; i++) {
        int arm = i % r->arms, other = 0;
        char where[1200];
        if (first[i]) continue;
        while (other < r->corpora && !first[other * r->arms + arm]) other++;
        if (other == r->corpora) continue; /* it has no run at all, and compare_gather says so */
        rc = error_set(e, RC_USAGE, "%s: arm '%s' is there for corpus '%s' and missing for corpus '%s'",
                       compare_where(where, sizeof where, r, first[other * r->arms + arm]), r->arm[arm],
                       r->corpus[other], r->corpus[i / r->arms]);
    }
    return rc;
}

/* The rows of one corpus, as of a file of its own. */
static void part_of(const CompareRows *r, int corpus, CompareRows *part) {
    *part = *r;
    part->arm = mem_alloc((size_t)r->arms, sizeof *part->arm);
    for (int arm = 0; arm < r->arms; arm++) part->arm[arm] = mem_text(r->arm[arm]);
    part->read_as = r->read_as ? mem_text(r->read_as) : NULL;
    part->metric = r->metric ? mem_text(r->metric) : NULL;
    part->corpus = NULL, part->corpora = 0;
    part->runs = NULL, part->counted = 0;
    part->row = mem_alloc(r->rows + 1, sizeof *part->row);
    part->rows = 0, part->room = r->rows;
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].corpus == corpus) part->row[part->rows++] = r->row[i];
}

static Rc check_seeds(const CompareCorpora *c, const char *file, Error *e) {
    for (int i = 1; i < c->corpora; i++)
        if (c->of[i].seeds != c->of[0].seeds)
            return error_set(e, RC_USAGE,
                             "%.600s: corpus '%.80s' has %d seeds and corpus '%.80s' %d; sums over corpora weigh runs "
                             "alike, and need as many of each",
                             file, c->name[0], c->of[0].seeds, c->name[i], c->of[i].seeds);
    return RC_OK;
}

Rc compare_corpora_gather(CompareCorpora *c, CompareRows *r, Error *e) {
    int corpora = r->corpora > 1 ? r->corpora : 1;
    if (corpora > 1 && r->columns.unpaired) {
        bool named = r->pick && r->pick->run[r->row[0].at].log->corpus[0];
        return error_set(e, RC_USAGE,
                         "%.600s hold%s %d corpora, whose sums need every seed for every arm; --unpaired and --against "
                         "take one (%s%.80s chooses it)",
                         r->file, r->pick ? "" : "s", corpora,
                         named     ? "--where corpus="
                         : r->pick ? "a narrower --name"
                                   : "--where COLUMN=VALUE",
                         named ? r->corpus[0] : "");
    }
    if (corpora > 1 && check_arms(r, e)) return e->code;
    *c = (CompareCorpora){.corpora = corpora};
    c->name = mem_alloc((size_t)corpora, sizeof *c->name);
    c->of = mem_alloc((size_t)corpora, sizeof *c->of);
    for (int i = 0; i < corpora; i++) {
        LOCAL(compare_rows_release) CompareRows part = {0};
        c->name[i] = mem_text(r->corpora ? r->corpus[i] : "");
        part_of(r, i, &part);
        Rc rc = compare_gather(&c->of[i], &part, e);
        if (rc && corpora > 1) error_prefix(e, "corpus '%.80s': ", c->name[i]);
        if (rc) return rc;
    }
    return check_seeds(c, r->file, e);
}

Rc compare_corpora_parse(CompareCorpora *c, const char *name, CompareColumns columns, const char *bytes, size_t length,
                         Error *e) {
    LOCAL(compare_rows_release) CompareRows r = {.file = name, .columns = columns};
    *c = (CompareCorpora){0};
    LOCAL_TEXT(remarks);
    if (compare_rows_read(&r, bytes, length, e) || compare_corpora_gather(c, &r, e)) {
        compare_corpora_release(c);
        return e->code;
    }
    if (r.metric && !columns.directed) pick_direction(r.metric, &remarks);
    if (remarks.length) c->of[0].remarks = mem_text(remarks.at);
    return RC_OK;
}

Rc compare_corpora_read(CompareCorpora *c, const char *path, CompareColumns columns, Error *e) {
    bool in = !strcmp(path, "-");
    OWNED char *bytes = NULL;
    size_t length;
    *c = (CompareCorpora){0};
    if (file_read(in ? "/dev/stdin" : path, &bytes, &length, e)) return e->code;
    const char *name = in ? "standard input" : path;
    if (unpack_gzip(&bytes, &length, e)) return error_prefix(e, "%.600s: ", name);
    return compare_corpora_parse(c, name, columns, bytes, length, e);
}

void compare_corpora_release(CompareCorpora *c) {
    for (int i = 0; i < c->corpora; i++) {
        free(c->name[i]);
        compare_data_release(&c->of[i]);
    }
    free(c->name);
    free(c->of);
    free(c->metric);
    free(c->when);
    free(c->step);
    *c = (CompareCorpora){0};
}

static void sum_up(CompareOver *r) {
    const CompareResult *first = &r->of[0];
    int corpora = r->data->corpora, arms = first->data->arms, seeds = first->data->seeds;
    double *value = mem_alloc((size_t)arms * (size_t)corpora * (size_t)seeds, sizeof *value), *to = value;
    r->diverged = mem_alloc((size_t)arms, sizeof *r->diverged);
    for (int arm = 0; arm < arms; arm++)
        for (int i = 0; i < corpora; i++)
            for (int s = 0; s < seeds; s++) {
                const CompareData *d = r->of[i].data;
                bool lost = d->diverged[arm * seeds + s];
                *to++ = lost ? r->of[i].options.cap : d->value[arm * seeds + s];
                r->diverged[arm] += lost;
            }
    corpora_sum(&r->sum, &(CorporaIn){.arms = arms,
                                      .corpora = corpora,
                                      .seeds = seeds,
                                      .baseline = first->baseline,
                                      .higher = first->options.higher,
                                      .alpha = first->alpha,
                                      .value = value,
                                      .key = {name_stream("normbench compare"), name_stream("corpora")}});
    free(value);
}

Rc compare_over_make(CompareOver *r, const CompareCorpora *data, const CompareOptions *options, int threads, Error *e) {
    *r = (CompareOver){.data = data, .of = mem_alloc((size_t)data->corpora, sizeof *r->of)};
    for (int i = 0; i < data->corpora; i++) {
        if (!compare_make(&r->of[i], &data->of[i], options, threads, e)) continue;
        if (data->corpora > 1) error_prefix(e, "corpus '%.80s': ", data->name[i]);
        compare_over_release(r);
        return e->code;
    }
    if (data->corpora > 1) sum_up(r);
    return RC_OK;
}

void compare_over_release(CompareOver *r) {
    for (int i = 0; r->of && i < r->data->corpora; i++) compare_release(&r->of[i]);
    free(r->of);
    free(r->diverged);
    corpora_sum_release(&r->sum);
    *r = (CompareOver){0};
}

Rc compare_over_exit(const CompareOver *r) {
    int fine = 0, corpora = r->data->corpora;
    for (int i = 0; i < corpora; i++) {
        Rc rc = compare_exit(&r->of[i]);
        if (rc == RC_REGRESSION) return rc;
        fine += rc == RC_OK;
    }
    bool all = r->of[0].options.fail.by;
    return (all ? fine == corpora : fine > 0) ? RC_OK : RC_INCONCLUSIVE;
}
