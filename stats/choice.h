/* Choice: arms that are each measured at several settings (learning rates), judged for every seed at the setting
 * that the other seeds choose.
 *
 * Choosing the setting by the value that is then judged flatters: the smallest of several noisy numbers is below
 * their mean. Choosing on the other seeds does not. But judged values are not independent over seeds, because they
 * share the choice, so that flipping the signs of judged differences rejects too often: at eight seeds .19 of equal
 * arms with five equal settings, .29 where runs at some settings are lost by chance, for a nominal .05; and of their
 * t intervals 81 % instead of 95 % cover (tests/stats/test_stats_choice.c).
 * What may be exchanged between two arms that do not differ is a seed's whole row of settings. So here a flip of a
 * seed swaps the two arms' rows, every pattern chooses and judges anew, and p is exact again. */
#ifndef STATS_CHOICE_H
#define STATS_CHOICE_H

#include "stats/permute.h"

#define ST_CHOICE_MAX 12     /* seeds up to which all patterns are counted */
#define ST_CHOICE_DRAWS 4096 /* random patterns beyond */

/* One arm: value[setting * n + seed], lower is better; lost[…]: that run came to nothing and counts by its value,
 * but its setting comes after those with fewer such runs. judged[…]: what is judged where that setting is chosen for
 * that seed, if it is not the value: any number that follows from the seed's row of values and the setting. */
typedef struct {
    const double *value;
    const unsigned char *lost;
    size_t settings, n;
    const double *judged; /* NULL: value */
} StGrid;

/* The setting with the fewest lost runs and, of those, the lowest mean over all seeds but `without` (n: over all);
 * of means that are tied, the first. */
size_t st_choose(const StGrid *g, size_t without);

/* chosen[n]: for each seed the setting that the others choose; judged[n]: what is judged there. n < 2 is
 * ST_N_TOO_SMALL, no setting ST_BAD_ARG, a value that is not finite ST_NONFINITE_INPUT. */
StStatus st_judge(const StGrid *g, size_t *chosen, double *judged);

/* The expected least value of k settings tried, drawn at random without replacement from those of the grid: out[n], for
 * each seed of the sum over its values in ascending order, v_1 <= … <= v_m, of v_i C(m - i, k - 1) / C(m, k). (Dodge,
 * Gururangan, Card, Schwartz and Smith 2019, section 3, draw with replacement; Tang et al. 2020 show why without.) This
 * is a seed's own least value, which flatters as said above.
 * k not in 1 … m, no setting: ST_BAD_ARG; a value that is not finite: ST_NONFINITE_INPUT. */
StStatus st_expected_least(const StGrid *g, size_t k, double *out);

/* Arm a minus arm b: places in a list of grids. */
typedef struct {
    size_t a, b;
} StGridPair;

/* k pairs of grids, of the same settings and seeds, tested as st_maxT does: statistic t^2 of the judged differences,
 * joint flips, step-down; a flip swaps rows. rows: [k]. key is read only beyond ST_CHOICE_MAX seeds. */
StMaxT st_choice_maxT(const StGrid *grid, const StGridPair *pair, size_t k, StKey key, StMaxTRow *rows);

#endif
