/* Work dealt among several: nobody has much more than another, nothing is lost, neighbours stay together. */
#include "base/philox.h"
#include "bench/run/cluster/deal.h"
#include "bench/run/todo.h"
#include "tests/test.h"

enum { MOST = 60, TRIES = 300 };

/* Costs from 1 to 100. Returns their sum; *largest: the dearest. */
static double pieces(Dealt *piece, int count, uint64_t try, double *largest) {
    double all = 0;
    *largest = 0;
    for (int i = 0; i < count; i++) {
        piece[i] =
            (Dealt){.first = i, .cost = 1 + philox_below(philox_word(7, try, philox_offset(0, (uint64_t)i)), 100)};
        all += piece[i].cost;
        *largest = fmax(*largest, piece[i].cost);
    }
    return all;
}

/* The largest load; every piece is somebody's. */
static double largest_load(const Dealt *piece, int count, int shares, double all) {
    double load[MOST] = {0}, most = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        cr_assert(piece[i].share >= 0 && piece[i].share < shares);
        load[piece[i].share] += piece[i].cost;
    }
    for (int k = 0; k < shares; k++) sum += load[k], most = fmax(most, load[k]);
    cr_assert_float_eq(sum, all, 1e-9 * all);
    return most;
}

Test(deal, dearest_first_is_near_the_mean) {
    Dealt piece[MOST];
    for (uint64_t try = 0; try < TRIES; try++) {
        int count = 1 + (int)(try % MOST), shares = 1 + (int)(try / 7 % 9);
        double dearest, all = pieces(piece, count, try, &dearest), said = deal(piece, count, shares);
        double most = largest_load(piece, count, shares, all);
        cr_assert_float_eq(said, most, 1e-9 * all);
        /* Graham's bound for giving each to whoever has least. */
        cr_assert_leq(most, all / shares + dearest * (1 - 1.0 / shares) + 1e-9, "%d pieces, %d shares", count, shares);
        for (int i = 1; i < count; i++) cr_assert_geq(piece[i - 1].cost, piece[i].cost);
    }
}

Test(deal, in_order_neighbours_stay_together) {
    Dealt piece[MOST];
    for (uint64_t try = 0; try < TRIES; try++) {
        int count = 1 + (int)(try % MOST), shares = 1 + (int)(try / 7 % 9);
        double dearest, all = pieces(piece, count, try, &dearest), said = deal_in_order(piece, count, shares);
        double most = largest_load(piece, count, shares, all);
        cr_assert_float_eq(said, most, 1e-9 * all);
        cr_assert_leq(most, all / shares + dearest + 1e-9, "%d pieces, %d shares", count, shares);
        for (int i = 0; i < count; i++) {
            cr_assert_eq(piece[i].first, i, "moved");
            cr_assert(!i || piece[i].share >= piece[i - 1].share, "cut in two");
        }
    }
}

Test(deal, equal_costs_go_round_in_order_of_seed) {
    Dealt piece[] = {{.first = 0, .seed = 1, .cost = 2}, {.first = 1, .seed = 0, .cost = 2}, {.first = 2, .cost = 2}};
    cr_assert_float_eq(deal(piece, 3, 3), 2, 0);
    cr_assert(piece[0].first == 1 && piece[1].first == 2 && piece[2].first == 0);
    cr_assert(piece[0].share == 0 && piece[1].share == 1 && piece[2].share == 2);
    cr_assert_float_eq(deal_in_order(piece, 0, 3), 0, 0);
    cr_assert_float_eq(deal(piece, 0, 3), 0, 0);
}

/* A sweep of 200,000 runs is dealt at once: looking for each run's seed among all seeds took minutes. */
Test(deal, a_large_sweep_is_dealt_in_seconds, .timeout = 600) {
    enum { ARMS = 4, SEEDS = 50000, SHARES = 8 };
    int runs[SHARES] = {0};
    DataPlaces places = {0};
    LOCAL(dataset_release) Dataset data;
    LOCAL(todo_release) Todo t = {.runs = ARMS * SEEDS};
    OK(dataset_open(&data, "synthetic", "char", &places, &e));
    t.run = mem_alloc((size_t)t.runs, sizeof *t.run);
    for (int i = 0; i < t.runs; i++) {
        TodoRun *run = &t.run[i];
        spec_init(&run->spec);
        run->data = &data, run->first = i, run->arm = i / SEEDS, run->seed = i % SEEDS;
    }
    todo_parts(&t, 0, SHARES);
    for (int i = 0; i < t.runs; i++) {
        cr_assert_eq(t.run[i].part, t.run[i % SEEDS].part, "the arms of a seed are together");
        runs[t.run[i].part]++;
    }
    for (int k = 0; k < SHARES; k++) cr_expect_eq(runs[k], t.runs / SHARES);
}
