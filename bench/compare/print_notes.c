/* What a reader of the numbers must know: what these seeds cannot show, and what would be needed. */
#include <math.h>
#include <stdio.h>

#include "bench/compare/print.h"
#include "bench/formats/latex.h"
#include "bench/verdict/words.h"
#include "bench/write/stat_json.h"
#include "stats/tests.h"

enum { NAMED = 6 }; /* comparisons that a note names; the others it counts */

const CompareWords *compare_vocabulary(const CompareResult *r) {
    static const CompareWords paired = {.t = "t interval",
                                        .flips = "by sign flips",
                                        .p = "the sign-flip test (could the two arms be swapped within each seed?)",
                                        .jointly = ", adjusted for all comparisons jointly (max-T)",
                                        .tests = "t tests and sign flips",
                                        .by = "sign-flip interval",
                                        .chance = "the share of seeds in which the arm is better (ties count half)",
                                        .chance_interval = "Clopper-Pearson",
                                        .counts = "McNemar",
                                        .constant = "Every seed has the same difference, so there is no t interval: "};
    static const CompareWords unpaired = {
        .t = "Welch t interval",
        .flips = "by relabelling",
        .p = "the permutation test of the mean (could every run be of either arm?)",
        .jointly = ", adjusted for all comparisons (Holm)",
        .tests = "Welch t tests and relabelling",
        .by = "interval by relabelling",
        .chance = "the share of all pairs of runs in which the arm is better (ties count half)",
        .chance_interval = "stratified bootstrap",
        .counts = "Fisher",
        .constant = "Neither arm varies, so there is no t interval: "};
    return r->data->unpaired ? &unpaired : &paired;
}

const CompareLost *compare_lost(const CompareResult *r) {
    static const CompareLost diverged = {.run = "A diverged run counts as",
                                         .all = "Runs diverged in",
                                         .did = "diverged",
                                         .last = "with a diverged run worse than all others"};
    static const CompareLost never = {.run =
                                          "A run that never reaches the target ranks last; in a mean it counts as step",
                                      .all = "Runs never reached it in",
                                      .did = "never",
                                      .last = "with a run that never reaches the target last"};
    return r->data->steps ? &never : &diverged;
}

void compare_counts(const CompareResult *r, Text *out) {
    const CompareData *d = r->data;
    if (r->family.n != d->seeds)
        text_format(out, "%d to %d runs of an arm", r->family.n, d->seeds);
    else
        text_format(out, "%d %s%s%s", r->family.n, d->unpaired ? "run" : "seed", r->family.n == 1 ? "" : "s",
                    d->unpaired ? " of each arm" : "");
}

typedef bool (*Which)(const CompareResult *r, const Comparison *c);

/* A function of this type. */
#define WHICH(name, holds) \
    static bool name(const CompareResult *r, const Comparison *c) { \
        (void)r; \
        return holds; \
    }

/* "a, b (…) and 7 more"; say may be NULL. Returns how many there are. */
static int list(const CompareResult *r, Which which, void (*say)(const CompareResult *, const Comparison *, Text *),
                Text *out) {
    int n = 0;
    for (int i = 0; i < r->family.count; i++) {
        const Comparison *c = &r->family.at[i];
        if (!which(r, c) || n++ >= NAMED) continue;
        text_format(out, "%s%s", n > 1 ? ", " : "", compare_arm_name(r, c));
        if (say) say(r, c, out);
    }
    if (n > NAMED) text_format(out, " and %d more (--format json has them)", n - NAMED);
    return n;
}

/* One note: `before`, the comparisons it is about, `after`; nothing when it is about none. */
static void note(const CompareResult *r, Which which, void (*say)(const CompareResult *, const Comparison *, Text *),
                 const char *before, const char *after, Text *out) {
    LOCAL_TEXT(names);
    if (list(r, which, say, &names)) text_format(out, "%s%s%s\n", before, names.at, after);
}

/* a constant arm gives 1 but for rounding */
WHICH(pairing_hurt, c->t_decides && c->effect.vr < 1 - 1e-9)

static void say_gain(const CompareResult *r, const Comparison *c, Text *out) {
    (void)r;
    text_format(out, " (%s)", SHOW_NUMBER(c->effect.vr, 2));
}

WHICH(constant, c->t_decides && c->t.status == ST_DEGENERATE)

WHICH(undecided, c->t_decides && c->t.status == ST_OK && !decision_made(c->decision))

static void count_or_more(const StPower *p, Text *out) {
    if (p->status == ST_OK)
        text_format(out, "%zu", p->n);
    else
        text_format(out, "over a million");
}

static void say_seeds(const CompareResult *r, const Comparison *c, Text *out) {
    (void)r;
    text_format(out, " ");
    count_or_more(&c->seeds_needed, out);
    text_format(out, " (");
    count_or_more(&c->seeds_least, out);
    text_format(out, " to ");
    count_or_more(&c->seeds_most, out);
    text_format(out, ")");
}

WHICH(crossed, r->data->blocks && c->t_decides && c->crossed.status == ST_OK)

static void say_crossed(const CompareResult *r, const Comparison *c, Text *out) {
    (void)r;
    text_format(out, " %s", SHOW_BOUNDS(c->crossed.lo, c->crossed.hi, c->crossed.se));
}

/* Bonferroni over the comparisons, of swaps within seeds with that seed left out that supports it most. */
static double spread_p(const CompareResult *r, const Comparison *c) {
    return c->t_decides && c->pitman_morgan.status == ST_OK ? c->pitman_morgan.p_left_out * r->family.count : 1;
}

WHICH(spread_differs, spread_p(r, c) < r->family.alpha)

static void say_spread(const CompareResult *r, const Comparison *c, Text *out) {
    text_format(out, " (sd %s times the baseline's, p %s)", SHOW_NUMBER(sqrt(c->pitman_morgan.ratio), 2),
                SHOW_P(spread_p(r, c)));
}

WHICH(rests_on_cap, c->decision_capped != c->decision)

static void say_capped(const CompareResult *r, const Comparison *c, Text *out) {
    text_format(out, " (with the cap ");
    compare_words(r, c, c->decision_capped, out);
    text_format(out, ", p %s; %s ", SHOW_P(c->joint.step), compare_lost(r)->last);
    compare_words(r, c, c->decision_ranks, out);
    text_format(out, ", p %s)", SHOW_P(c->joint_ranks));
}

WHICH(one_seed_decides, c->turning > 0)

static void say_seed(const CompareResult *r, const Comparison *c, Text *out) {
    text_format(out, " (without seed %llu: ", (unsigned long long)c->pairs.seed[c->turning_seed]);
    compare_words(r, c, c->turned, out);
    if (c->turning > 1) text_format(out, "; %d seeds do so", c->turning);
    text_format(out, ")");
}

WHICH(has_range, c->status == ST_OK && c->effect.status == ST_OK)

static void say_range(const CompareResult *r, const Comparison *c, Text *out) {
    (void)r;
    text_format(out, " %s to %s", SHOW_WITH_ERROR(c->effect.least, c->effect.sd, true),
                SHOW_WITH_ERROR(c->effect.most, c->effect.sd, true));
    if (!isnan(c->effect.skew)) text_format(out, " (skewness %s)", SHOW_SIGNED(c->effect.skew, 1));
}

WHICH(stalls, c->stalled_a > 0 || c->stalled_b > 0)

static void say_stalls(const CompareResult *r, const Comparison *c, Text *out) {
    text_format(out, " %d of %d against %d", c->stalled_a, r->data->unpaired ? c->n_a : r->family.n, c->stalled_b);
    if (r->data->unpaired) text_format(out, " of %d", c->n_b);
    text_format(out, " (p %s, smallest possible %s)", SHOW_P(c->stall.p), SHOW_P(c->stall.p_min));
}

WHICH(inside, c->inside)

/* Of the same: what a tail would do that so few runs do not show. */
static double room_inside(const CompareResult *r, const Comparison *c, double *far) {
    if (!r->data->unpaired) return comparison_room(&r->family, c, far);
    *far = c->far_a;
    return c->inside ? c->room_a : (double)NAN;
}

WHICH(has_room, !isnan(room_inside(r, c, &(double){0})))

static void say_beyond(double room, double far, double sd, Text *out) {
    text_format(out, ", by a run more than %s from its mean (the farthest of these is %s from it)",
                SHOW_WITH_ERROR(room, sd, false), SHOW_WITH_ERROR(far, sd, false));
}

static void say_room(const CompareResult *r, const Comparison *c, Text *out) {
    double far, room = room_inside(r, c, &far);
    say_beyond(room, far, r->data->unpaired ? far : c->effect.sd, out);
    if (!r->data->unpaired) return;
    text_format(out, ", or of the baseline");
    say_beyond(c->room_b, c->far_b, c->far_b, out);
}

WHICH(diverged, !c->t_decides)

static void say_diverged(const CompareResult *r, const Comparison *c, Text *out) {
    if (r->data->unpaired) {
        text_format(out, " (Fisher p %s, smallest possible %s)", SHOW_P(c->fisher.p), SHOW_P(c->fisher.p_min));
        return;
    }
    text_format(out,
                " (median difference %s, better in a share of %.2f of the seeds, McNemar p %s, smallest possible %s)",
                SHOW_WITH_ERROR(c->effect.median, (double)NAN, true), comparison_share_better(c), SHOW_P(c->mcnemar.p),
                SHOW_P(c->mcnemar.p_min));
}

/* Arms with diverged runs, and a warning when runs that did not diverge are worse than the cap. */
static void divergence_notes(const CompareResult *r, Text *out) {
    const CompareData *d = r->data;
    char cap[40];
    int named = 0, beyond = 0;
    if (!d->lost) return;
    format_real(cap, r->options.cap);
    text_format(out, "%s %s. %s:", compare_lost(r)->run, cap, compare_lost(r)->all);
    for (int arm = 0; arm < d->arms; arm++) {
        const CompareArm *a = &r->arm[arm];
        for (int s = 0; s < d->runs[arm]; s++) {
            double x = d->value[arm * d->seeds + s];
            beyond += r->options.higher ? x < r->options.cap : x > r->options.cap;
        }
        if (!a->all.rate.k || named++ >= NAMED) continue;
        text_format(out, "%s %s %d of %d (Clopper-Pearson 95 %% [%.2f, %.2f]", named > 1 ? "," : "", d->arm[arm],
                    (int)a->all.rate.k, (int)a->all.rate.n, a->all.rate.lo, a->all.rate.hi);
        if (!isnan(a->all.survivors))
            text_format(out, "; mean of the others %s", SHOW_WITH_ERROR(a->all.survivors, (double)NAN, false));
        text_format(out, ")");
    }
    if (named > NAMED) text_format(out, " and %d more arms", named - NAMED);
    text_format(out, ".\n");
    note(r, diverged, say_diverged,
         r->data->steps ? "With such a run on either side the t interval, the equivalence test and the power are "
                          "withheld: "
                        : "With a diverged run on either side the t interval, the equivalence test and the power are "
                          "withheld: ",
         ".", out);
    note(r, rests_on_cap, say_capped, "These are not decided, since the verdict depends on the cap: ", ".", out);
    if (beyond)
        text_format(out, "%d finished run%s worse than the cap %s: is it the right one?\n", beyond,
                    beyond == 1 ? " is" : "s are", cap);
}

/* Arms that share no seeds. */
static void unpaired_floor(const CompareResult *r, Text *out) {
    if (r->data->shared)
        text_format(out,
                    "All arms have the same seeds: without --unpaired they are compared seed by seed, which mostly "
                    "shows more.\n");
    if (r->family.floor >= r->family.alpha)
        text_format(out, "So few runs can never show a difference at level %s: no p falls below %s.\n",
                    FORMAT_REAL(r->family.alpha), SHOW_P(r->family.floor));
    if (!r->family.joint.exact)
        text_format(out, "Where there are more than a million relabellings, p is that of random ones.\n");
}

void compare_absent(const CompareData *d, Text *out) {
    if (d->absent)
        text_format(out, "%d run%s no value%s and %s not counted: %s%s.\n", d->absent,
                    d->absent == 1 ? " has" : "s have", d->steps ? " at any step" : "", d->absent == 1 ? "is" : "are",
                    d->first_absent, d->absent == 1 ? "" : ", the first");
    bool one = d->unfinished == 1;
    if (d->unfinished)
        text_format(out, "%d run%s did not finish, as %s state says, and %s not counted: %s%s.\n", d->unfinished,
                    one ? "" : "s", one ? "its" : "their", one ? "is" : "are", d->first_unfinished,
                    one ? "" : ", the first");
}

/* The arm of a comparison that was evaluated more seldom where it reached the target. */
static int coarser_arm(const CompareResult *r, const Comparison *c) {
    int arm = c->what.term[0].arm;
    return r->data->coarse[arm] > r->data->coarse[r->baseline] ? arm : r->baseline;
}

static double apart(const CompareResult *r, const Comparison *c) {
    return fabs(r->arm[c->what.term[0].arm].all.mean - r->arm[r->baseline].all.mean);
}

WHICH(coarser, r->data->coarse[c->what.term[0].arm] != r->data->coarse[r->baseline] &&
                   r->data->coarse[coarser_arm(r, c)] > apart(r, c))

static void say_coarser(const CompareResult *r, const Comparison *c, Text *out) {
    int arm = coarser_arm(r, c);
    text_format(out, " (evaluations of %s up to %.0f steps apart, a difference of %.0f)", r->data->arm[arm],
                r->data->coarse[arm], apart(r, c));
}

static void target_note(const CompareResult *r, Text *out) {
    const CompareData *d = r->data;
    compare_absent(d, out);
    if (d->steps && d->ended < d->last)
        text_format(out,
                    "Some curve that never reached the target ended at step %.0f, where others went on to %.0f: it "
                    "might have reached it there, yet ranks last.\n",
                    d->ended, d->last);
    if (d->steps)
        note(r, coarser, say_coarser,
             "Careful: one arm was evaluated more seldom where it reached the target, and the difference may come of "
             "that: ",
             ".", out);
}

static void floor_notes(const CompareResult *r, Text *out) {
    char alpha[40];
    const StTest *flip = st_test_find("signflip");
    format_real(alpha, r->family.alpha);
    if (r->options.looks) {
        const StLook *l = &r->look[r->this_look];
        text_format(out,
                    "This is look %d of %d; it may spend %s of alpha %s (O'Brien-Fleming), and intervals are of that "
                    "level.",
                    r->this_look + 1, r->options.looks, SHOW_P(l->alpha), FORMAT_REAL(r->alpha));
        for (int i = 0; i < r->options.looks; i++)
            if (!r->look[i].usable)
                text_format(out, " The look at %zu seeds cannot reject: its smallest p is %s, and it may spend %s.",
                            r->look[i].n, SHOW_P(r->look[i].p_floor), SHOW_P(r->look[i].alpha));
        text_format(out, "\n");
        snprintf(alpha, sizeof alpha, "%s", SHOW_P(r->family.alpha));
    }
    if (r->family.floor >= r->family.alpha) {
        size_t needed = st_test_seeds(flip, 1, r->family.alpha);
        text_format(out, "%d seed%s can never show a difference at level %s: no p falls below %s. ", r->family.n,
                    r->family.n == 1 ? "" : "s", alpha, SHOW_P(r->family.floor));
        if (needed)
            text_format(out, "It takes %zu seeds.\n", needed);
        else
            text_format(out, "No number of seeds is enough.\n");
    }
    if (!r->family.joint.exact)
        text_format(out, "p is that of %llu random sign patterns, as beyond %d seeds not all are counted.\n",
                    (unsigned long long)r->family.joint.total - 1, ST_FLIP_MAX);
    if (r->family.n > 1 && r->family.n < ST_BOOT_DECIDES)
        text_format(out,
                    "Bootstrap intervals (--format json) decide nothing below %d seeds: they are too narrow there.\n",
                    ST_BOOT_DECIDES);
}

static void power_note(const CompareResult *r, Text *out) {
    LOCAL_TEXT(before);
    text_format(&before, "If the difference seen is the true one, 80 %% power takes so many seeds (in brackets for the "
                         "95 %% interval of its sd): ");
    note(r, undecided, say_seeds, before.at, ".", out);
    text_clear(&before);
    for (int i = 0; i < r->family.count && !before.length; i++) {
        const Comparison *c = &r->family.at[i];
        if (c->t_decides && c->detectable.status == ST_OK && c->t.status == ST_OK)
            text_format(&before,
                        "%d seeds find a difference of %.2f standard deviations (of the differences by seed) in 80 %% "
                        "of cases, by the sign-flip test of one comparison.\n",
                        r->family.n, c->detectable.d_z);
    }
    text_format(out, "%s", before.at);
}

/* What p is of, and what it is not of. */
static void p_notes(const CompareResult *r, Text *out) {
    const CompareWords *w = compare_vocabulary(r);
    text_format(out,
                "p_adj is that of %s%s; the smallest possible is %s. A small p says that the distributions of the arms "
                "differ: mostly the means do, but runs that stall or scatter more have the same effect. p on ranks is "
                "that of the same test on ranks, which a single outlying seed affects little.\n",
                w->p, r->family.count > 1 ? w->jointly : "", SHOW_P(r->family.floor));
    note(r, one_seed_decides, say_seed, "ONE SEED DECIDES: ", ".", out);
    note(r, has_range, say_range, "By seed the differences are: ", ".", out);
    note(r, spread_differs, say_spread, "The spread over seeds differs, whichever seed is left out: ", ".", out);
}

bool compare_no_margin(const CompareResult *r, Text *out) {
    if (isnan(r->options.margin))
        text_format(out, "Whether a difference is too small to matter is not tested, as no --margin is given.\n");
    return isnan(r->options.margin);
}

static void margin_notes(const CompareResult *r, Text *out) {
    if (compare_no_margin(r, out)) return;
    text_format(out, "A difference is too small to matter where one-sided %s show that it lies inside +-%s.",
                compare_vocabulary(r)->tests, FORMAT_REAL(r->options.margin));
    if (r->family.n < ST_EQUAL_SEEDS)
        text_format(out, " Nothing is called the same below %d %s.", ST_EQUAL_SEEDS,
                    r->data->unpaired ? "runs of either arm" : "seeds");
    text_format(out, "\n");
    LOCAL_TEXT(after);
    text_format(&after, ". ");
    words_unseen(&r->family, r->data->unpaired ? "runs" : "seeds", &after);
    note(r, inside, NULL, "This is shown of: ", after.at, out);
    note(r, has_room, say_room, "One more run would undo this: ", ". Skewed differences have such runs.", out);
}

WHICH(has_chance, !isnan(c->chance.share))

static void say_chance(const CompareResult *r, const Comparison *c, Text *out) {
    (void)r;
    text_format(out, " %.2f", c->chance.share);
    if (c->chance.status == ST_OK) text_format(out, " [%.2f, %.2f]", c->chance.lo, c->chance.hi);
}

static void chance_notes(const CompareResult *r, Text *out) {
    const CompareWords *w = compare_vocabulary(r);
    LOCAL_TEXT(before);
    text_format(&before, "The probability of improvement, %s, with its %s %% %s interval is: ", w->chance,
                FORMAT_PERCENT(compare_confidence(r)), w->chance_interval);
    note(r, has_chance, say_chance, before.at, ".", out);
}

WHICH(has_posterior, c->t_decides && c->posterior.status == ST_OK)

static void say_posterior(const CompareResult *r, const Comparison *c, Text *out) {
    const StPosterior *p = &c->posterior;
    double share[] = {r->options.higher ? p->above : p->below, p->inside, r->options.higher ? p->below : p->above};
    for (size_t i = 0; i < 3; i++) text_format(out, "%s%s", i ? "/" : " ", SHOW_P(share[i]));
}

static void posterior_note(const CompareResult *r, Text *out) {
    LOCAL_TEXT(before);
    LOCAL_TEXT(after);
    text_format(&before, "The Bayesian t test, which decides nothing here, gives P(better/the same within %s/worse): ",
                FORMAT_REAL(r->options.margin));
    text_format(&after, ". Its prior is %s.", comparison_prior);
    note(r, has_posterior, say_posterior, before.at, after.at, out);
}

WHICH(beyond, comparison_beyond(c, r->options.fail.more) > 0)

WHICH(short_of, comparison_beyond(c, r->options.fail.more) < 0)

WHICH(neither, comparison_beyond(c, r->options.fail.more) == 0)

static void say_more(const CompareResult *r, const Comparison *c, Text *out) {
    int more = compare_gate_more(r, c);
    if (more) text_format(out, " (about %d more seed%s)", more, more == 1 ? "" : "s");
}

/* What the exit code says. */
static void gate_notes(const CompareResult *r, Text *out) {
    if (!r->options.fail.by) return;
    text_format(out, "--fail-on worse-by:%s is judged by the %s%s.\n", FORMAT_REAL(r->options.fail.more),
                compare_vocabulary(r)->by,
                r->data->lost ? "; where a run diverged there is none, and an arm that is decided to be worse fails"
                              : "");
    note(r, beyond, NULL, "  FAILS, worse by more: ", ".", out);
    note(r, short_of, NULL, "  passes, not worse by more: ", ".", out);
    note(r, neither, say_more, "  not decided: ", ".", out);
}

void compare_notes(const CompareResult *r, Text *out) {
    if (r->data->unpaired)
        unpaired_floor(r, out);
    else
        floor_notes(r, out);
    p_notes(r, out);
    margin_notes(r, out);
    chance_notes(r, out);
    posterior_note(r, out);
    gate_notes(r, out);
    divergence_notes(r, out);
    target_note(r, out);
    if (!isnan(r->options.stall)) {
        LOCAL_TEXT(before);
        text_format(&before, "These runs end no better than %s or diverge, arm against baseline (%s): ",
                    FORMAT_REAL(r->options.stall), compare_vocabulary(r)->counts);
        note(r, stalls, say_stalls, before.at, ".", out);
    }
    note(r, pairing_hurt, say_gain,
         "Pairing by seed made these comparisons less precise (variance ratio below 1): ", ".", out);
    note(r, constant, NULL, compare_vocabulary(r)->constant, ".", out);
    if (!r->data->unpaired) power_note(r, out);
    if (r->data->arms > 2 && !r->no_omnibus && r->omnibus.status == ST_OK)
        text_format(out,
                    "The test of whether any arms differ, which relabels the arms within seeds, has p %s (smallest "
                    "possible %s).\n",
                    SHOW_P(r->omnibus.p), SHOW_P(r->omnibus.p_min));
    if (r->no_omnibus) text_format(out, "The test of whether any arms differ is not made: %s.\n", r->no_omnibus);
    note(r, crossed, say_crossed, "For new seeds and new text (seeds crossed with blocks) the intervals are: ", ".",
         out);
}
