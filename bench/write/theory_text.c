#include <math.h>

#include "bench/formats/latex.h"
#include "bench/write/theory.h"

static int decimals_of(const StatementVerdict *v) {
    int digits = decimals_for((v->hi - v->lo) / 2, floor(v->value) == v->value ? 0 : 4);
    return digits > 5 ? 5 : digits;
}

void theory_measured(const StatementVerdict *v, Text *out) {
    char shown[SHOWN];
    if (v->word == STATED_UNMEASURED && isnan(v->value))
        text_format(out, "n/a");
    else if (v->statement->how == DECIDE_exact && v->word == STATED_HOLDS)
        text_format(out, "within %.1e", v->error);
    else
        text_format(out, "%s", show_number(shown, v->value, decimals_of(v)));
}

void theory_interval(const StatementVerdict *v, Text *out) {
    if (!isnan(v->lo)) show_interval(out, v->lo, v->hi, decimals_of(v), "", false);
}

void theory_finding(const StatementVerdict *v, Text *out) {
    if (v->left)
        text_format(out, "not finite from x = %g on, in %d of %d seeds", v->left_at, v->left_seeds, v->m->seeds);
}

void theory_summary(const StatementVerdict *v, Text *out) {
    text_format(out, "%s: ", v->statement->what);
    theory_measured(v, out);
    text_format(out, " ");
    theory_interval(v, out);
    if (out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
    text_format(out, ", predicted %s, %d seed%s; %s (%s)", v->statement->predicted, v->m->seeds,
                v->m->seeds == 1 ? "" : "s", v->statement->name, v->statement->setting);
    if (v->left) text_format(out, "; "), theory_finding(v, out);
}

static void count_words(const StatementVerdict *v, int count[STATED_UNMEASURED + 1]) {
    for (int i = 0; i < STATEMENT_COUNT; i++) count[v[i].word]++;
}

static void line(const StatementVerdict *v, Text *cell, Text *out) {
    void (*const parts[])(const StatementVerdict *, Text *) = {theory_measured, theory_interval};
    static const int width[] = {16, 24};
    show_column(out, v->statement->name, 24);
    show_column(out, v->statement->predicted, 40);
    for (int i = 0; i < 2; i++) {
        text_clear(cell);
        parts[i](v, cell);
        show_column(out, cell->at, width[i]);
    }
    text_format(out, "%5d %s", v->m->seeds, stated_word(v->word));
    text_clear(cell);
    theory_finding(v, cell);
    text_format(out, "%s%s\n", cell->length ? "; " : "", cell->at);
}

void theory_text(const StatementVerdict v[STATEMENT_COUNT], Text *out) {
    int count[STATED_UNMEASURED + 1] = {0};
    Text cell;
    text_init(&cell);
    text_format(out, "What theory says of networks before their first step, measured in double\n\n");
    show_column(out, "statement", 24);
    show_column(out, "predicted", 40);
    show_column(out, "measured", 16);
    show_column(out, "95% interval over seeds", 24);
    text_format(out, "seeds verdict\n");
    for (int i = 0; i < STATEMENT_COUNT; i++) line(&v[i], &cell, out);
    count_words(v, count);
    text_format(out, "\n%d statements:", STATEMENT_COUNT);
    for (int i = 0, any = 0; i <= STATED_UNMEASURED; i++)
        if (count[i]) text_format(out, "%s %d %s", any++ ? "," : "", count[i], stated_word((StatedWord)i));
    text_format(out, ".\n%s.\n\n", THEORY_STAR);
    for (int i = 0; i < STATEMENT_COUNT; i++)
        text_format(out, "%s: %s. %s. %s.\n", v[i].statement->name, v[i].statement->what, v[i].statement->setting,
                    v[i].statement->source);
    text_release(&cell);
}
