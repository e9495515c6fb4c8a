/* The ranking at rates chosen on other seeds, and the runs that fail, of made-up runs worked out by hand. */
#include <ctype.h>

#include "bench/figures/figure.h"
#include "bench/verdict/best.h"
#include "bench/verdict/failures.h"
#include "bench/verdict/ranking.h"
#include "bench/write/summaries.h"
#include "tests/verdict/made_up.h"

#define HEAD \
    "name: made-up-ranking\ntitle: Made-up placements\nbaseline: pre\nsteps: 150\nlayers: 4\n" \
    "evaluate_at: 0,150\nsummaries: [ranking, failures]\n"
#define SWEPT \
    "name: made-up-ranking\ntitle: Made-up placements\nbaseline: pre\nsteps: 150\nlayers: 4\n" \
    "evaluate_at: 0,150\nseeds: 6\nlr: [1e-2, 1e-3, 3e-3]\n"
#define ARMS \
    "arms: {pre: {variant: pre, label: Pre-LN}, post: {variant: post, label: Post-LN},\n" \
    "  peri: {variant: peri, label: Peri-LN}}\n"

static Ranking y;
enum { PRE, POST, PERI, ARM_COUNT };
enum { SEEDS = 6, RATES = 3 };
static const int cell[RATES] = {1, 2, 0}; /* of the rates 1e-3, 3e-3, 1e-2 in "lr: [1e-2, 1e-3, 3e-3]" */

MADE_UP_SUMMARY(ranking, text)
MADE_UP_SUMMARY(ranking, tex)
MADE_UP_SUMMARY(ranking, csv)
MADE_UP_SUMMARY(best, text)
MADE_UP_SUMMARY(cost, text)
MADE_UP_SUMMARY(cost, tex)
MADE_UP_SUMMARY(failures, text)
MADE_UP_SUMMARY(failures, tex)

static void set(int arm, int rate, int seed, double loss) {
    made_up_loss(made_up_at(cell[rate], arm, seed), 150, loss);
}

/* pre is best at 3e-3 but for seed 0, which only the other seeds may know; post diverges at 3e-3 for seed 3 and
 * stalls at 1e-2; peri is best at the grid's end. */
static void fill(void) {
    for (int seed = 0; seed < SEEDS; seed++) {
        const double loss[ARM_COUNT][RATES] = {
            {2.48, seed ? 2.40 : 2.90, 2.60}, {2.45 + .001 * seed, 2.30, 3.34}, {2.20 + .001 * seed, 2.25, 2.35}};
        for (int arm = 0; arm < ARM_COUNT; arm++)
            for (int k = 0; k < RATES; k++) set(arm, k, seed, loss[arm][k]);
    }
    made_up_diverge(made_up_at(cell[1], POST, 3), 40);
}

static void make(const char *yaml, bool filled) {
    ranking_release(&y);
    made_up_init(yaml, NULL);
    if (filled) fill();
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(ranking_make(&y, &m.table.sample));
    cr_expect(table_ranking(&m.table) && table_ranking(&m.table) == table_ranking(&m.table), "made once");
}

/* No nan and no inf as words of their own. */
static void numbers_are_numbers(void) {
    void (*const writers[])(const Table *, Text *) = {ranking_text,     ranking_tex,   ranking_csv, cost_text,
                                                      cost_tex, failures_text, failures_tex};
    static const char *const words[] = {"nan", "inf"};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        OWNED char *text = made_up_write(writers[i]);
        for (size_t k = 0; k < 2; k++)
            for (const char *at = text; (at = strstr(at, words[k])); at += 3)
                cr_expect(isalpha((unsigned char)at[3]) || (at > text && isalpha((unsigned char)at[-1])),
                          "writer %zu: %.40s", i, at);
    }
}

static const RankingRow *row_of(int arm) {
    for (int i = 0; i < y.rows; i++)
        if (y.row[i].arm == arm) return &y.row[i];
    return NULL;
}

Test(ranking, rates_are_chosen_on_other_seeds) {
    make(HEAD "seeds: 6\nlr: [1e-2, 1e-3, 3e-3]\n" ARMS, true);
    cr_assert(y.status == ST_OK && y.groups == 1 && y.rates == RATES && y.rows == ARM_COUNT);
    cr_expect_float_eq(y.rate[0], 1e-3, 0);
    cr_expect(y.row[0].arm == PERI && y.row[1].arm == PRE && y.row[2].arm == POST);
    const RankingRow *pre = row_of(PRE), *post = row_of(POST), *peri = row_of(PERI);
    const double lost = log(65);
    for (int s = 0; s < SEEDS; s++) { /* of pre without seed 0: 2.48 and 2.40; without another: 2.48 and 2.50 */
        cr_expect_eq(pre->chosen[s], s ? 0 : 1, "seed %d", s);
        cr_expect_float_eq(pre->value[s], s ? 2.48 : 2.90, 1e-12);
        cr_expect_eq(post->chosen[s], s == 3 ? 1 : 0, "seed %d: 3e-3 is lost to who sees it diverge", s);
        cr_expect_float_eq(post->value[s], s == 3 ? lost : 2.45 + .001 * s, 1e-12);
        cr_expect_eq(peri->chosen[s], 0);
    }
    cr_expect_float_eq(pre->t.mean, (2.90 + 5 * 2.48) / 6, 1e-12);
    cr_expect_float_eq(pre->flattered, (2.48 + 5 * 2.40) / 6, 1e-12, "each seed by itself: 0.137 nats better");
    cr_expect_float_eq(post->t.mean, (5 * 2.45 + .012 + lost) / 6, 1e-12);
    cr_expect(pre->rank == 2 && post->rank == 3 && peri->rank == 1);
    cr_expect_float_eq(peri->mean_rank, 1, 1e-12);
    cr_expect_float_eq(pre->mean_rank, 17 / 6.0, 1e-12, "last but for seed 3");
    cr_expect_float_eq(post->mean_rank, 13 / 6.0, 1e-12);
    cr_expect(post->judged_lost == 1 && post->diverged == 1 && post->stalled == 6 && post->runs == 18);
    cr_expect(pre->diverged == 0 && pre->stalled == 0);
    cr_expect(peri->best == 0 && peri->low == 0 && peri->high == 1, "2.35 is outside");
    cr_expect(post->low == 0 && post->high == 0, "3e-3 lost a run");
    cr_expect(peri->flops > 0 && peri->flops == row_of(PRE)->flops, "of products and attention alone");
    cr_expect(pre->baseline && isnan(pre->p.step) == false);
    cr_expect_float_eq(peri->difference, peri->t.mean - pre->t.mean, 1e-12);
    cr_expect_eq(post->minus.status, ST_BAD_ARG, "no interval with a diverged run");
    cr_expect_float_eq(y.joint.p_min, 2 / 64.0, 0);
    cr_expect(y.apart && peri->first == 1 && peri->p.raw <= peri->p.step);
}

Test(ranking, is_written_whole) {
    make(HEAD "seeds: 6\nlr: [1e-2, 1e-3, 3e-3]\n" ARMS, true);
    made_up_golden("ranking.txt", ranking_text);
    made_up_golden("ranking.csv", ranking_csv);
    WRITES(cost_text, "MFLOP");
    WRITES(failures_text, "1 of 6");
    WRITES(failures_tex, "of how often either happens");
    WRITES(ranking_text, "3e-3 (1)");
    WRITES(ranking_text, "1e-3*");
    WRITES(ranking_text, "n/a (diverged)");
    WRITES(ranking_tex, "lower is better");
    WRITES(ranking_tex, "it is open which of them is better");
    WRITES(table_text, "Ranking\n");
    WRITES(table_json, "\"loss_chosen_on_itself\"");
    WRITES(table_json, "\"either_p\"");
    numbers_are_numbers();
    OWNED Figure *figure;
    int figures = figure_list(&m.table, &figure);
    cr_assert(figures > 2 && figure[0].kind == FIGURE_ranking && figure[1].kind == FIGURE_ranking_rates);
    cr_expect_str_eq(figure[1].name, "made-up-ranking-ranking-rates");
    LOCAL(plot_release) Plot plot;
    figure_plot(&m.table, &figure[0], &plot);
    cr_expect_str_eq(plot.panel->row[0].label, "1  Peri-LN");
    bool lost = false;
    for (int i = 0; i < plot.panel->rows; i++) lost |= strstr(plot.panel->row[i].numbers, "div. 1/6") != NULL;
    cr_expect(lost);
    plot_release(&plot);
    figure_plot(&m.table, &figure[1], &plot);
    cr_expect_str_eq(plot.panel[2].title, "3  Post-LN");
}

/* Every run of an arm is lost, at every rate: it is ranked last and has no basin, and no number is missing. */
Test(ranking, an_arm_that_never_trains_is_last) {
    made_up_init(HEAD "seeds: 6\nlr: [1e-2, 1e-3, 3e-3]\n" ARMS, NULL);
    fill();
    for (int k = 0; k < RATES; k++)
        for (int s = 0; s < SEEDS; s++)
            if (k != 1 || s != 3) made_up_diverge(made_up_at(cell[k], POST, s), 20 + s);
    OK(made_up_table((TableOptions){0}, &e));
    cr_assert(ranking_make(&y, &m.table.sample));
    const RankingRow *post = &y.row[2];
    cr_expect(post->arm == POST && post->diverged == 18 && post->judged_lost == 6 && post->best == -1);
    cr_expect_float_eq(post->t.mean, log(65), 1e-12);
    cr_expect_float_eq(post->mean_rank, 3, 0);
    cr_expect(!ranking_trains(post) && ranking_trains(&y.row[0]));
    cr_expect(!best_at_end(&(Best){.ranking = y}, post), "a rate of an arm that never trains is not its best");
    WRITES(ranking_text, "none");
    WRITES(ranking_text, "Post-LN  no rate trains (18 of 18 runs)");
    WRITES(ranking_tex, "no rate trains (18 of 18 runs)");
    WRITES(ranking_csv, ",no rate trains (18 of 18 runs),,\n");
    numbers_are_numbers();
}

Test(ranking, one_seed_is_too_few) {
    make(HEAD "seeds: 1\nlr: [1e-2, 1e-3]\n" ARMS, false);
    cr_expect(y.status == ST_N_TOO_SMALL && y.rows == 0);
    WRITES(ranking_text, "There is no ranking, as there are too few seeds");
    WRITES(ranking_tex, "too few seeds");
    WRITES(table_json, "\"too few seeds");
    OMITS(ranking_text, "places  mean rank");
    numbers_are_numbers();
}

Test(ranking, five_seeds_leave_all_places_open) {
    make(HEAD "seeds: 5\nlr: [1e-2, 1e-3]\n" ARMS, false);
    cr_expect_not(y.apart);
    WRITES(ranking_text, "Places are open");
}

/* One rate: nothing is chosen, and the judged losses are the runs'. */
Test(ranking, one_rate) {
    make(HEAD "seeds: 6\nlr: 1e-3\n" ARMS, false);
    cr_assert(y.rates == 1 && y.rows == ARM_COUNT);
    for (int s = 0; s < SEEDS; s++)
        cr_expect_float_eq(row_of(PRE)->value[s], record_at(made_up_at(0, PRE, s), 150)->metric[METRIC_valid_loss],
                           0);
    cr_expect_float_eq(row_of(PRE)->flattered, row_of(PRE)->t.mean, 1e-12);
    WRITES(ranking_text, "There is one rate, so none is chosen.");
    OMITS(ranking_text, "1e-3*");
    numbers_are_numbers();
}

/* Another factor: a ranking for each of its values. */
Test(ranking, groups) {
    make(HEAD "seeds: 6\nwarmup: [0, 40]\nlr: [1e-2, 1e-3, 3e-3]\n" ARMS, false);
    cr_assert(y.groups == 2 && y.rows == 6);
    cr_expect_str_eq(y.group[1], "warmup = 40");
    cr_expect_eq(y.joint.k, 4);
    for (int i = 0; i < 6; i++) cr_expect_eq(y.row[i].group, i / 3);
}

/* At 1e-2 all six runs of post stall and none of pre: McNemar 2/64, and no less after max-T over 12 columns. */
Test(ranking, failures_are_counted_apart) {
    LOCAL(failures_release) Failures f;
    make(HEAD "seeds: 6\nlr: [1e-2, 1e-3, 3e-3]\n" ARMS, true);
    cr_assert(failures_make(&f, &m.table.sample));
    const FailureRow *stalls = &f.row[cell[2] * ARM_COUNT + POST], *diverges = &f.row[cell[1] * ARM_COUNT + POST];
    cr_expect(stalls->share[FAILURE_stalled].k == 6 && stalls->share[FAILURE_diverged].k == 0);
    cr_expect_float_eq(stalls->share[FAILURE_stalled].lo, pow(.025, 1 / 6.0), 1e-9, "Clopper-Pearson of 6/6");
    cr_expect_float_eq(stalls->against[FAILURE_either].p, 2 / 64.0, 1e-12);
    cr_expect_float_eq(stalls->adjusted[FAILURE_either], 2 / 64.0, 1e-12);
    cr_expect(diverges->share[FAILURE_diverged].k == 1 && diverges->share[FAILURE_stalled].k == 0);
    cr_expect(diverges->share[FAILURE_either].k == 1 && diverges->against[FAILURE_either].p == 1);
    cr_expect_eq(f.row[PRE].against[FAILURE_either].status, ST_BAD_ARG);
}

Test(ranking, nothing_is_written_unasked) {
    Failures f;
    made_up(made_up_rates, NULL, (TableOptions){0});
    cr_expect_not(ranking_make(&y, &m.table.sample));
    cr_expect_not(failures_make(&f, &m.table.sample));
    void (*const writers[])(const Table *, Text *) = {ranking_text,     ranking_tex,   ranking_csv,
                                                      failures_text, failures_tex};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        OWNED char *text = made_up_write(writers[i]);
        cr_expect_str_empty(text, "writer %zu", i);
    }
    OMITS(table_json, "\"ranking\"");
}

/* The same judged losses as the ranking's, worked out above: pre 2.90 and five times 2.48, peri 2.20 + .001 s; post has
 * one diverged run, so no interval. */
Test(ranking, what_is_found_at_the_best_rates) {
    made_up_init(SWEPT ARMS, NULL);
    fill();
    OK(made_up_table((TableOptions){0}, &e));
    const Best *b = table_best(&m.table);
    cr_assert(b && b->pairs == 2 && b->pair[0].arm->arm == POST && b->pair[1].arm->arm == PERI);
    const BestPair *peri = &b->pair[1];
    cr_expect_float_eq(peri->difference, (2.20 * 6 + .015 - 2.90 - 5 * 2.48) / 6, 1e-12);
    cr_expect(peri->minus.status == ST_OK && peri->minus.lo < peri->difference && peri->difference < peri->minus.hi);
    cr_expect_eq(b->pair[0].minus.status, ST_BAD_ARG);
    cr_expect(best_at_end(b, peri->arm) && best_at_end(b, b->pair[0].arm) == false && b->ranking.rates == RATES);
    y = b->ranking; /* whose own p's are of the same pairs */
    for (int i = 0; i < 2; i++) {
        const RankingRow *row = row_of(b->pair[i].arm->arm);
        cr_expect_float_eq(b->pair[i].p.step, row->p.step, 1e-12);
        cr_expect_float_eq(b->pair[i].difference, row->difference, 1e-12);
    }
    cr_expect_float_eq(peri->p.raw, 2. / 64, 1e-12, "every row of peri is below pre's");
    cr_expect(peri->p.step < .05 ? peri->decision == DECISION_LOWER : peri->decision == DECISION_INCONCLUSIVE);
    WRITES(best_text, "Peri-LN is best at 1e-3");
    WRITES(best_text, "may exclude 0");
    WRITES(table_macros, "PeriBestDelta}{");
    WRITES(table_macros, "PeriBestRate}{$1{\\times}10^{-3}$*}");
    WRITES(table_macros, "With each arm at its best of 3 learning rates, Peri-LN ends ");
    OMITS(best_text, "Post-LN is best");
}

Test(ranking, pairs_that_the_file_lists) {
    made_up_init(SWEPT "compare: [peri - post, peri - pre]\n" ARMS, NULL);
    fill();
    OK(made_up_table((TableOptions){0}, &e));
    const Best *b = table_best(&m.table);
    const Family *f = &m.table.family;
    cr_assert(b && b->pairs == 2 && b->pair[0].against->arm == POST && b->pair[1].against->arm == PRE);
    cr_expect_float_eq(b->pair[0].difference, (2.20 * 6 + .015 - 5 * 2.45 - .012 - log(65)) / 6, 1e-12);
    cr_assert_eq(f->count, 2 * RATES, "two pairs at one step of each cell");
    for (int i = 0; i < f->count; i++)
        cr_expect(f->at[i].what.term[0].arm == PERI && f->at[i].what.term[1].arm == (i % 2 ? PRE : POST));
    WRITES(best_text, "Peri-LN - Post-LN");
    WRITES(table_text, "Peri-LN - Post-LN");
    WRITES(table_text, "than Pre-LN");
    WRITES(table_macros, "PeriMinusPostBestDelta}{");
}
