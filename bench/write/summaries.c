#include "bench/write/summaries.h"

#include "bench/formats/json.h"

const SummaryRow summary_rows[] = {
#define SUMMARY(name, make, help) {#name, make, false},
#include "bench/plan/summaries.def"
#undef SUMMARY
    {"cells", every_cell_tables, false},
    {"sensitivity", sensitivity_tables, false},
    {"cost", cost_tables, true},
};
const int summary_count = sizeof summary_rows / sizeof *summary_rows;

const CellsList *table_summary(const Table *t, int kind) {
    TableFound *f = t->found;
    if (!f->summary) {
        f->summaries = summary_count;
        f->summary = mem_alloc((size_t)summary_count, sizeof *f->summary);
        f->made = mem_alloc((size_t)summary_count, sizeof *f->made);
    }
    bool fixed = kind < SUMMARY_COUNT; /* what an experiment asks for has p's of a fixed number of seeds */
    if (!f->made[kind] && !(fixed && t->family.anytime)) summary_rows[kind].make(t, &f->summary[kind]);
    f->made[kind] = true;
    return &f->summary[kind];
}

void summaries_text(const Table *t, bool measured, int width, Text *out) {
    for (int kind = 0; kind < summary_count; kind++)
        if (summary_rows[kind].measured == measured) cells_list_text(table_summary(t, kind), width, out);
}

void summaries_html(const Table *t, Text *out) {
    for (int kind = 0; kind < summary_count; kind++) cells_list_html(table_summary(t, kind), out);
}

json_t *summaries_json(const Table *t) {
    json_t *all = json_object();
    for (int kind = 0; kind < summary_count; kind++) {
        const CellsList *l = table_summary(t, kind);
        if (summary_rows[kind].measured || !l->count) continue;
        json_add(all, summary_rows[kind].name, cells_list_json(l));
    }
    return all;
}

TexLayout table_layout(const Table *t, Text *mark) {
    text_format(mark, "%s%s%s. ", table_mark(t), t->exploratory ? ": " : "", t->x->title);
    return (TexLayout){.siunitx = t->options.siunitx, .mark = mark->at};
}

void summary_tex(const Table *t, int kind, Text *out) {
    const CellsList *l = table_summary(t, kind);
    LOCAL_TEXT(mark);
    if (!l->count) return;
    TexLayout layout = table_layout(t, &mark);
    table_header_comment(t, summary_rows[kind].name, out);
    cells_list_tex(l, &layout, out);
}

void summary_csv(const Table *t, int kind, Text *out) {
    const CellsList *l = table_summary(t, kind);
    if (l->count) cells_csv(&l->at[0], out);
}
