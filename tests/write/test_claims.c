/* Tables of claims as data: a row for each verdict below its claim and hypothesis, in every form the same numbers. */
#include <jansson.h>

#include "bench/write/claims.h"
#include "tests/verdict/made_up.h"

static void make(CellsList *out, const char *profile) {
    made_up(made_up_four, profile, (TableOptions){0});
    claims_tables(&m.table, out);
    cr_assert_eq(out->count, 1);
}

static void release(CellsList *l) {
    cells_list_release(l);
}

static const char *shown(const Cells *c, int row, const char *key) {
    for (int k = 0; k < c->columns; k++)
        if (!strcmp(cells_words_at(c, c->column[k].heading), key)) return cells_words_at(c, cells_at(c, row, k)->shown);
    return NULL;
}

/* The first row of words from `row` on, backwards or forwards. */
static const char *words_beside(const Cells *c, int row, int by) {
    while (c->row[row].kind != ROW_words) row += by;
    return cells_words_at(c, c->row[row].shown);
}

/* Every verdict with runs has its row, in order, and no number but its own. */
Test(claims, a_row_for_each_verdict) {
    LOCAL(release) CellsList l = {0};
    make(&l, "quick");
    const Cells *c = &l.at[0];
    const ClaimVerdicts *all = &m.table.verdicts;
    int row = -1, rows = 0;
    for (const ClaimVerdict *v = all->at; v < all->at + all->count; v++) {
        char number[SHOWN];
        if (!v->c) continue;
        do row++;
        while (c->row[row].kind != ROW_cells);
        rows++;
        cr_expect_str_eq(shown(c, row, "measured in"), "step 150");
        cr_expect_str_eq(shown(c, row, "n"), "6");
        cr_expect_eq(cells_at(c, row, 3)->x, v->effect, "%s", v->claim->id);
        cr_expect(cells_at(c, row, 4)->lo == v->lo || v->lo != v->lo);
        bool decides = v->word != WORD_ESTIMATE;
        cr_expect_str_eq(shown(c, row, "p"), decides ? show_p(number, v->p) : "");
        cr_expect_str_eq(shown(c, row, "floor"), decides && v->floor > 0 ? show_p(number, v->floor) : "");
        const char *word = verdict_word(v->word);
        cr_expect(!strncmp(shown(c, row, "verdict"), word, strlen(word)), "%s", shown(c, row, "verdict"));
        cr_expect(strstr(words_beside(c, row, -1), v->test->test->name), "%s", words_beside(c, row, -1));
    }
    cr_expect_eq(rows, 18);
}

/* Write-up 002 reports 22.18 and 20.64: ln(20.64 / 22.18) = -0.0720. */
Test(claims, a_row_says_what_was_reported_and_found) {
    LOCAL(release) CellsList l = {0};
    make(&l, "quick");
    const Cells *c = &l.at[0];
    int row = 0;
    while (c->row[row].kind != ROW_cells) row++;
    cr_expect(!strncmp(cells_words_at(c, c->row[0].shown), "002-1  The LN variant achieved a mean Valid", 42));
    cr_expect_str_eq(words_beside(c, row, -1),
                     "valid_loss: layernorm - baseline < 0: lower (better), margin 0.02 (maxt)");
    cr_expect_str_eq(shown(c, row, "rep."), "-0.0720");
    cr_expect_str_eq(shown(c, row, "ours"), "-0.0685");
    cr_expect_str_eq(shown(c, row, "[95% CI]"), "[-0.0753, -0.0617]");
    cr_expect_str_eq(shown(c, row, "p"), ".031");
    cr_expect_str_eq(shown(c, row, "verdict"), "reproduced, lower (better)");
    cr_expect(strstr(words_beside(c, row, 1), "prediction interval ["), "%s", words_beside(c, row, 1));
    HOLDS(c->notes.at, "The intervals are: 95% t. maxt stands for step-down max-T");
    HOLDS(c->notes.at, "A claim of equality that is contradicted shows the p of maxt.");
    HOLDS(c->notes.at, "p is that of this contrast alone");
}

/* Three rows of the list of verdicts are one claim's; a claim that nothing here measures is named with the reason. */
Test(claims, what_is_not_run_is_said_once) {
    LOCAL(release) CellsList l = {0};
    LOCAL_TEXT(words);
    make(&l, "quick");
    claims_not_run(&m.table, &words);
    cr_expect_str_eq(words.at,
                     "Tests of these claims are not made here: 002-6 (none of the claim's settings is run here).");
    cr_expect(!strstr(l.at[0].words.at, "002-6"));
}

/* Every line of a terminal fits, and every form shows the numbers of the first row. */
Test(claims, forms_have_the_same_numbers) {
    static const char *const numbers[][3] = {{"-0.0685", "[-0.0753, -0.0617]", "reproduced, lower"},
                                             {"$-$0.0685", "{}[$-$0.0753, $-$0.0617]", "reproduced, lower (better)"},
                                             {"-0.0685", "[-0.0753, -0.0617]", "verdict v-reproduced"}};
    CellsList l = {0};
    Text form[3];
    TexLayout layout = {.mark = ""};
    for (int i = 0; i < 3; i++) text_init(&form[i]);
    make(&l, "full");
    for (int width = 70; width <= 150; width += 40) {
        text_clear(&form[0]);
        cells_list_text(&l, width, &form[0]);
        for (const char *s = form[0].at, *end; *s; s = end + 1) {
            end = strchr(s, '\n');
            cr_expect(end - s <= width, "%d: %.*s", width, (int)(end - s), s);
        }
    }
    release(&l);
    make(&l, "quick");
    text_clear(&form[0]);
    cells_list_text(&l, PAGE_WIDTH, &form[0]);
    cells_list_tex(&l, &layout, &form[1]);
    cells_list_html(&l, &form[2]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) cr_expect(strstr(form[i].at, numbers[i][k]), "form %d lacks %s", i, numbers[i][k]);
    for (int i = 0; i < 3; i++) text_release(&form[i]);
    release(&l);
}
