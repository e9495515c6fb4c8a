/* What every comparison says alone. */
#include "bench/verdict/paired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define BLOCKS_ALIKE .1 /* autocorrelation of neighbours from which on blocks are joined */

/* Beyond this the pigeonhole bootstrap takes minutes, and is left out with a reason. */
#define PIGEONHOLE_DRAWS 10000
#define PIGEONHOLE_WORK 1e9 /* comparisons times draws times seeds times blocks */

Contrast contrast_pair(int cell, int step, Metric metric, int arm, int against, double margin) {
    return (Contrast){.cell = cell,
                      .step = step,
                      .metric = metric,
                      .term = {{arm, 1, cell, step}, {against, -1, cell, step}},
                      .terms = 2,
                      .margin = margin};
}

int contrast_better(const Contrast *c) {
    return c->grid ? grid_info[c->grid].better : metric_info[c->metric].better;
}

int comparison_beyond(const Comparison *c, double by) {
    bool worse = decision_lower(c->decision) == c->higher;
    if (!c->t_decides || c->status != ST_OK) return !decision_apart(c->decision) ? 0 : worse ? 1 : -1;
    if (c->together.status != ST_OK) return 0;
    double least = c->higher ? -c->together.hi : c->together.lo, most = c->higher ? -c->together.lo : c->together.hi;
    double tie = st_tol(fmax(c->pairs.scale, fabs(by))); /* what rounding of the inputs leaves between equal numbers */
    return least > by + tie ? 1 : most <= by + tie ? -1 : 0;
}

/* One side of a contrast for one seed: the weighted sum of the arms on it. A side that is one plain arm keeps its
 * divergence, so that the pairing can rank it. */
static StRun side_run(const PairedRuns *in, int seed, bool positive, bool *lost) {
    StRun run = {.seed = in->seed[seed], .state = ST_RUN_OK};
    double weight = 0;
    int arms = 0;
    *lost = false;
    for (const PairedArm *one = in->arm; one < in->arm + in->arms; one++) {
        if (one->weight == 0) { /* each side is a gain over it */
            run.value -= one->value[seed];
            *lost |= one->diverged && one->diverged[seed];
            arms++;
            continue;
        }
        if ((one->weight > 0) != positive) continue;
        run.value += fabs(one->weight) * one->value[seed];
        *lost |= one->diverged && one->diverged[seed];
        weight += fabs(one->weight);
        arms++;
    }
    if (*lost && arms == 1 && weight == 1) run.state = ST_RUN_DIVERGED;
    return run;
}

/* A side of several arms stalled when one of them did. */
static bool side_stalled(const PairedRuns *in, int seed, bool positive) {
    bool stalled = false;
    for (const PairedArm *one = in->arm; one < in->arm + in->arms; one++)
        stalled |= (one->weight > 0) == positive && one->stalled && one->stalled[seed];
    return stalled;
}

static void pair(Comparison *c, const PairedRuns *in) {
    size_t n = (size_t)in->n;
    OWNED StRun *a = mem_alloc(n, sizeof *a), *b = mem_alloc(n, sizeof *b);
    for (int seed = 0; seed < in->n; seed++) {
        bool lost_a, lost_b;
        a[seed] = side_run(in, seed, true, &lost_a);
        b[seed] = side_run(in, seed, false, &lost_b);
        b[seed].value += in->against;
        c->diverged_a += lost_a, c->diverged_b += lost_b;
        c->only_a += lost_a && !lost_b, c->only_b += lost_b && !lost_a;
        bool stuck_a = side_stalled(in, seed, true), stuck_b = side_stalled(in, seed, false);
        c->stalled_a += stuck_a, c->stalled_b += stuck_b;
        c->only_stalled_a += stuck_a && !stuck_b, c->only_stalled_b += stuck_b && !stuck_a;
    }
    c->pairs = st_pair(a, n, b, n, in->cap);
    c->status = c->pairs.status;
    if (in->one) c->status = ST_N_TOO_SMALL;
    if (in->same) c->status = ST_ONE_SAMPLE;
    if (c->pairs.fault == ST_PAIR_NO_CAP) c->status = ST_NONFINITE_INPUT;
    c->t_decides = !c->diverged_a && !c->diverged_b;
    c->higher = in->higher;
    if (!in->arms || !in->arm[0].stalled) c->stalled_a = c->stalled_b = c->only_stalled_a = c->only_stalled_b = -1;
    c->key = in->flip;
}

/* d for each seed and block: [n][blocks], freed by the caller. *scale: the largest number it is made of. */
static double *block_differences(const PairedRuns *in, double *scale) {
    size_t blocks = (size_t)in->blocks;
    double *d = mem_alloc((size_t)in->n * blocks, sizeof *d);
    *scale = 0;
    for (int seed = 0; seed < in->n; seed++)
        for (const PairedArm *one = in->arm; one < in->arm + in->arms; one++) {
            for (size_t b = 0; b < blocks; b++) d[(size_t)seed * blocks + b] += one->weight * one->block[seed][b];
            *scale = fmax(*scale, st_scale(one->block[seed], NULL, blocks));
        }
    return d;
}

static void join_blocks(const Family *f, Comparison *c, const PairedRuns *in, const double *d, double scale) {
    size_t n = (size_t)in->n, blocks = (size_t)in->blocks;
    OWNED double *joined = mem_alloc(n * blocks, sizeof *joined);
    c->joined = st_blocks_merge(d, n, blocks, BLOCKS_ALIKE, joined);
    bool usable = c->joined.status == ST_OK || c->joined.status == ST_NO_CONVERGENCE;
    const double *use = usable ? joined : d;
    if (usable) blocks = c->joined.blocks;
    c->crossed = st_crossed(use, n, blocks, scale, f->conf);
    if ((double)f->count * PIGEONHOLE_DRAWS * (double)n * (double)blocks > PIGEONHOLE_WORK)
        c->no_pigeonhole = "too many blocks for 10000 draws";
    else
        c->pigeonhole = st_pigeonhole(use, n, blocks, scale, f->conf, PIGEONHOLE_DRAWS, in->pigeonhole);
}

static void cross(const Family *f, Comparison *c, const PairedRuns *in) {
    c->crossed.status = c->pigeonhole.status = c->joined.status = ST_BAD_ARG;
    if (in->blocks < 1 || !c->t_decides) return;
    double scale, *d = block_differences(in, &scale);
    if (f->tests & PAIRED_JOIN)
        join_blocks(f, c, in, d, scale);
    else
        c->crossed = st_crossed(d, (size_t)in->n, (size_t)in->blocks, c->pairs.scale, f->conf);
    free(d);
}

/* What these seeds could have found, and how many more it takes; the sd that all this rests on is itself uncertain. */
static void plan_seeds(const Family *f, Comparison *c) {
    double alpha = f->alpha, mean = c->t.mean;
    c->power.status = c->seeds_needed.status = c->seeds_least.status = c->seeds_most.status = c->detectable.status =
        c->sd.status = c->t.status;
    if (c->t.status != ST_OK) return;
    c->sd = st_sd_ci(c->t.sd, c->t.n, .95);
    bool flips = family_power_by_flips(f);
    StPower (*seeds)(double, double, double) = flips ? st_flip_nfor : st_nfor;
    c->power = flips ? st_flip_power(mean / c->t.sd, c->t.n, 1, alpha) : st_power(mean / c->t.sd, c->t.n, alpha);
    c->seeds_needed = seeds(mean / c->t.sd, PAIRED_POWER_AIM, alpha);
    c->seeds_least = seeds(mean / c->sd.lo, PAIRED_POWER_AIM, alpha);
    c->seeds_most = seeds(mean / c->sd.hi, PAIRED_POWER_AIM, alpha);
}

/* Wins, ties and losses, seed by seed. */
static StChance chance_of(const Comparison *c, double conf) {
    const StPairs *p = &c->pairs;
    uint64_t wins = 0, ties = 0;
    for (size_t i = 0; i < p->n; i++) {
        bool tied = p->lost[i] ? p->lost[i] == 3 : fabs(p->d[i]) <= st_tol(p->scale);
        bool win = p->lost[i] ? p->lost[i] == 2 : (p->d[i] > 0) == c->higher;
        ties += tied;
        wins += win && !tied;
    }
    return st_chance_paired(wins, ties, p->n - wins - ties, conf);
}

static void could_not_be_paired(Comparison *c) {
    c->t.status = c->flip.status = c->wilcoxon.status = c->boot.status = c->effect.status = c->tost.status =
        c->chance.status = c->posterior.status = c->pitman_morgan.status = c->levene.status = c->crossed.status =
            c->joined.status = c->pigeonhole.status = c->sd.status = c->power.status = c->seeds_needed.status =
                c->seeds_least.status = c->seeds_most.status = c->detectable.status = c->status;
    c->t.mean = c->chance.share = (double)NAN;
}

void comparison_make(const Family *f, Comparison *c, const PairedRuns *in) {
    pair(c, in);
    const StPairs *p = &c->pairs;
    unsigned tests = f->tests;
    double margin = c->what.margin;
    c->joint = (StMaxTRow){.single = (double)NAN, .step = (double)NAN};
    c->holm = c->hochberg = c->bh = c->joint_ranks = c->inside_p = (double)NAN;
    c->alone.status = c->together.status = ST_BAD_ARG;
    c->turning = -1;
    if (tests & PAIRED_DIVERGED) {
        c->mcnemar = st_mcnemar((uint64_t)c->only_a, (uint64_t)c->only_b);
        c->fisher = st_fisher((uint64_t)c->diverged_a, (uint64_t)(in->n - c->diverged_a), (uint64_t)c->diverged_b,
                              (uint64_t)(in->n - c->diverged_b));
        c->stall = c->stalled_a < 0 ? (StMcnemar){.status = ST_BAD_ARG, .p = (double)NAN}
                                    : st_mcnemar((uint64_t)c->only_stalled_a, (uint64_t)c->only_stalled_b);
    }
    if (c->status != ST_OK) {
        could_not_be_paired(c);
        return;
    }
    if (tests & PAIRED_T) c->t = st_tci(p->d, p->n, p->scale, f->conf);
    if (tests & PAIRED_FLIP) c->flip = st_signflip(p->d, p->n, p->scale, ST_TWO_SIDED, in->flip);
    if (tests & PAIRED_WILCOXON) c->wilcoxon = st_wilcoxon(p->d, p->n, p->scale, in->ranks);
    if (tests & PAIRED_BOOT)
        c->boot = f->draws ? st_boot_mc(p->d, p->n, p->scale, f->conf, f->draws, in->boot)
                           : st_boot(p->d, p->n, p->scale, f->conf, in->boot);
    if (tests & PAIRED_EFFECT) c->effect = st_effect(p->a, p->b, p->n);
    if (tests & PAIRED_CHANCE) c->chance = chance_of(c, f->conf);
    if (tests & PAIRED_CHANCE) c->posterior = st_posterior(p->d, p->n, p->scale, margin);
    if (tests & PAIRED_TOST) c->tost = st_tost(p->d, p->n, p->scale, -margin, margin, f->alpha);
    if (tests & PAIRED_POWER) plan_seeds(f, c);
    if (tests & PAIRED_VARIANCE) c->pitman_morgan = st_pitman_morgan(p->a, p->b, p->n);
    if (tests & PAIRED_LEVENE) c->levene = st_levene(p->a, p->n, p->b, p->n);
    if (tests & PAIRED_CROSSED) cross(f, c, in);
}

/* ---- What a comparison may end in (bench/verdict/paired.h) ---- */

const char *decision_name(Decision d) {
    static const char *const names[] = {[DECISION_LOWER] = "lower",
                                        [DECISION_HIGHER] = "higher",
                                        [DECISION_LOWER_NEGLIGIBLE] = "lower but negligible",
                                        [DECISION_HIGHER_NEGLIGIBLE] = "higher but negligible",
                                        [DECISION_EQUIVALENT] = "equivalent",
                                        [DECISION_INCONCLUSIVE] = "inconclusive",
                                        [DECISION_NOT_TESTABLE] = "not testable"};
    return names[d];
}

const char *decision_code(Decision d, bool higher) {
    static const char *const sides[] = {"better", "worse", "better but negligible", "worse but negligible"};
    return decision_apart(d) ? sides[2 * decision_negligible(d) + (decision_lower(d) == higher)] : decision_name(d);
}

bool decision_lower(Decision d) {
    return d == DECISION_LOWER || d == DECISION_LOWER_NEGLIGIBLE;
}

bool decision_negligible(Decision d) {
    return d == DECISION_LOWER_NEGLIGIBLE || d == DECISION_HIGHER_NEGLIGIBLE;
}

bool decision_apart(Decision d) {
    return d == DECISION_LOWER || d == DECISION_HIGHER || decision_negligible(d);
}

bool decision_made(Decision d) {
    return d != DECISION_INCONCLUSIVE && d != DECISION_NOT_TESTABLE;
}

double comparison_share_better(const Comparison *c) {
    return c->higher ? 1 - c->effect.better : c->effect.better;
}

double comparison_room(const Family *f, const Comparison *c, double *far) {
    const StPairs *p = &c->pairs;
    double margin = c->what.margin;
    *far = 0;
    for (size_t i = 0; i < p->n; i++) *far = fmax(*far, fabs(p->d[i] - c->t.mean));
    return c->inside ? st_tost_room(p->d, p->n, p->scale, -margin, margin, f->alpha) : (double)NAN;
}

bool family_power_by_flips(const Family *f) {
    return f->count <= 20;
}

/* ---- --fail-on of `compare` and `table` (bench/verdict/paired.h) ---- */

Rc fail_on_read(FailOn *f, const char *text, Error *e) {
    static const char by[] = "worse-by:";
    *f = (FailOn){.by = !strncmp(text, by, strlen(by))};
    if (!strcmp(text, "worse")) return RC_OK;
    bool number = f->by && parse_real(text + strlen(by), &f->more);
    if (number && f->more >= 0 && f->more <= COMPARE_LARGEST) return RC_OK;
    return error_set(e, RC_USAGE, "--fail-on: '%.60s' is neither worse nor worse-by:D with a number D such as 0.05",
                     text);
}

static bool is_worse(const Comparison *c) {
    return decision_apart(c->decision) && !decision_negligible(c->decision) && decision_lower(c->decision) == c->higher;
}

Rc comparisons_gate(const Comparison *c, int count, const bool *only, const FailOn *f) {
    int counted = 0, passed = 0, decided = 0;
    bool failed = false;
    for (int i = 0; i < count; i++) {
        if (only && !only[i]) continue;
        int beyond = f->by ? comparison_beyond(&c[i], f->more) : is_worse(&c[i]) ? 1 : 0;
        counted++, failed |= beyond > 0, passed += beyond < 0, decided += decision_made(c[i].decision);
    }
    if (failed) return RC_REGRESSION;
    return (f->by ? passed == counted : decided > 0) ? RC_OK : RC_INCONCLUSIVE;
}
