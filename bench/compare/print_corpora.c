/* compare over corpora: text, JSON and LaTeX of each corpus, then of the arms over all of them. */
#include <math.h>
#include <stdio.h>

#include "bench/compare/print.h"
#include "bench/formats/json.h"
#include "bench/write/corpora.h"
#include "bench/write/stat_json.h"

/* As many digits as the interval of the first difference deserves. */
static CorporaShown shown(const CompareOver *r) {
    const CorporaSum *c = &r->sum;
    const StInterval *i = &c->iqm[c->baseline ? 0 : 1].minus;
    double width = i->status == ST_OK ? (i->hi - i->lo) / 4 : (double)NAN;
    return (CorporaShown){c, (const char *const *)r->of[0].data->arm, r->diverged, decimals_for(width, 4)};
}

static void words(const CompareOver *r, Text *out) {
    const CompareCorpora *d = r->data;
    CorporaShown s = shown(r);
    text_format(out, "The arms are summed up over %d corpora (", d->corpora);
    for (int i = 0; i < d->corpora; i++) text_format(out, "%s%s", i ? ", " : "", d->name[i]);
    text_format(out, "), %d seed%s each. ", r->sum.seeds, r->sum.seeds == 1 ? "" : "s");
    corpora_methods(&s, d->of[0].steps ? "the step" : "its value", out);
    text_format(out, " Every corpus has its own family of tests, so p_adj above is not adjusted over corpora.\n");
}

/* The table over corpora, and what is said of it. */
static void over(const CompareOver *r, CellsList *tables, Text *said) {
    CorporaShown s = shown(r);
    corpora_sum_cells(&s, "Over corpora", tables);
    words(r, said);
}

void compare_over_text(const CompareOver *r, int width, Text *out) {
    LOCAL_TEXT(said);
    LOCAL(cells_list_release) CellsList tables = {0};
    for (int i = 0; i < r->data->corpora; i++) {
        if (r->data->corpora > 1) text_format(out, "corpus %s\n", r->data->name[i]);
        compare_text_wide(&r->of[i], width, out);
        if (r->data->corpora > 1) text_format(out, "\n");
    }
    if (r->data->corpora == 1) return;
    over(r, &tables, &said);
    cells_text(&tables.at[0], width, out);
    text_format(out, "\n");
    compare_paragraphs(said.at, width, out);
}

void compare_over_json(const CompareOver *r, Text *out) {
    if (r->data->corpora == 1) {
        compare_json(&r->of[0], out);
        return;
    }
    json_t *list = json_array();
    CorporaShown s = shown(r);
    for (int i = 0; i < r->data->corpora; i++) {
        json_t *one = json_new("corpus", r->data->name[i]);
        json_object_update_new(one, compare_object(&r->of[i]));
        json_array_append_new(list, one);
    }
    LOCAL(cells_list_release) CellsList tables = {0};
    corpora_sum_cells(&s, "Over corpora", &tables);
    json_print(json_add(json_begin(COMPARE_SCHEMA), "corpora", list, "over_corpora", cells_list_json(&tables),
                        "exit_code", compare_over_exit(r)),
               JSON_EXACT, out);
}

void compare_over_tex(const CompareOver *r, Text *out) {
    LOCAL_TEXT(said);
    LOCAL(cells_list_release) CellsList tables = {0};
    for (int i = 0; i < r->data->corpora; i++) {
        if (r->data->corpora > 1) text_format(out, "%% corpus %s\n", r->data->name[i]);
        compare_tex(&r->of[i], out);
        if (r->data->corpora > 1) text_format(out, "\n");
    }
    if (r->data->corpora == 1) return;
    over(r, &tables, &said);
    compare_comments(said.at, out);
    cells_tex(&tables.at[0], &(TexLayout){0}, out);
}
