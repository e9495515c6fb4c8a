#include "bench/verdict/best.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sha256.h"
#include "bench/verdict/words.h"

static const RankingRow *row_of(const Ranking *y, int group, int arm) {
    const RankingRow *row = &y->row[group * y->arms];
    while (row->arm != arm) row++;
    return row;
}

static void add_pair(Best *b, int group, int arm, int against) {
    const Ranking *y = &b->ranking;
    b->pair = mem_grow(b->pair, (size_t)b->pairs + 1, sizeof *b->pair);
    BestPair *p = &b->pair[b->pairs++];
    *p = (BestPair){.group = group, .arm = row_of(y, group, arm), .against = row_of(y, group, against)};
    p->difference = ranking_minus(y, p->arm, p->against, &p->minus);
}

static Decision decide(const Best *b, const BestPair *p) {
    double alpha = b->ranking.alpha;
    if (b->joint.status != ST_OK || isnan(p->p.step) || b->joint.p_min >= alpha) return DECISION_NOT_TESTABLE;
    if (p->p.step >= alpha) return DECISION_INCONCLUSIVE;
    return p->difference < 0 ? DECISION_LOWER : DECISION_HIGHER;
}

static void test(Best *b, const Sample *s) {
    const Ranking *y = &b->ranking;
    OWNED StGrid *grid = mem_alloc((size_t)y->rows + 1, sizeof *grid);
    OWNED StGridPair *pair = mem_alloc((size_t)b->pairs + 1, sizeof *pair);
    OWNED StMaxTRow *p = mem_alloc((size_t)b->pairs + 1, sizeof *p);
    StKey key = {.plan = name_stream(s->x->plan), .stream = name_stream("ranking")};
    for (int i = 0; i < y->rows; i++) grid[i] = y->row[i].grid;
    for (int i = 0; i < b->pairs; i++)
        pair[i] = (StGridPair){(size_t)(b->pair[i].arm - y->row), (size_t)(b->pair[i].against - y->row)};
    b->joint = st_choice_maxT(grid, pair, (size_t)b->pairs, key, p);
    for (int i = 0; i < b->pairs; i++) b->pair[i].p = p[i], b->pair[i].decision = decide(b, &b->pair[i]);
}

bool best_make(Best *b, const Sample *s) {
    const Experiment *x = s->x;
    *b = (Best){.pairs = 0};
    if (!x->summary[SUMMARY_best] || x->seeds < RANKING_LEAST_SEEDS) return false;
    Compared pair[EXPERIMENT_COMPARES_MAX];
    int pairs = experiment_pairs(x, pair);
    ranking_of(&b->ranking, s);
    for (int group = 0; group < b->ranking.groups; group++)
        for (int i = 0; i < pairs; i++) add_pair(b, group, pair[i].arm, pair[i].against);
    test(b, s);
    return true;
}

void best_release(Best *b) {
    ranking_release(&b->ranking);
    free(b->pair);
    *b = (Best){.pairs = 0};
}

bool best_at_end(const Best *b, const RankingRow *row) {
    const Ranking *y = &b->ranking;
    bool end = y->rates > 1 && ranking_trains(row);
    for (int s = 0; s < y->seeds; s++) end &= row->chosen[s] == 0 || row->chosen[s] + 1 == (size_t)y->rates;
    return end;
}

void best_words(const Best *b, const BestPair *p, const char *against, Text *out) {
    const Family f = {.alpha = b->ranking.alpha, .floor = b->joint.p_min, .n = b->ranking.seeds, .count = b->pairs};
    const Comparison c = {.t = p->minus, .t_decides = true, .turning = -1};
    decision_words(&f, &c, p->decision, -1, against, out);
}
