/* Corpora: the arms of an experiment summed up over several corpora, as rliable and autorank sum methods up over tasks.
 *
 *   score    Of a run: its number minus the mean of the baseline's runs on the same corpus, so that a corpus of
 *            higher entropy weighs no more than another. Numbers are bits per byte where the experiment's metric is a
 *            loss or a perplexity, whose unit is a token and differs between tokenizers; else the metric as it is. A
 *            diverged run counts as the uniform predictor.
 *   IQM      Interquartile mean of the scores of all runs of all corpora, the lowest and the highest quarter left out
 *            (Agarwal et al. 2021). Intervals are of the stratified bootstrap (stats/profile.h): other seeds on these
 *            corpora, the baseline's means taken as given. Of the arm's IQM minus the baseline's: the same draws of
 *            both.
 *   profile  Share of runs whose score is at least as good as tau.
 *   ranks    Arms are ranked within each corpus by their mean over seeds, the best first, and ranks averaged over the
 *            corpora; Friedman's test and the critical difference take corpora as blocks (stats/friedman.h; Demsar
 *            2006). With few corpora no difference can be rare enough, and then none is given. */
#ifndef BENCH_VERDICT_CORPORA_H
#define BENCH_VERDICT_CORPORA_H

#include "bench/verdict/sample.h"
#include "stats/friedman.h"
#include "stats/profile.h"

/* Numbers to be summed up. value: [arms][corpora][seeds]. */
typedef struct {
    int arms, corpora, seeds, baseline;
    bool higher; /* is better */
    double alpha;
    const double *value;
    StKey key;
} CorporaIn;

typedef struct {
    int arms, corpora, seeds, baseline;
    bool higher;
    double alpha, scale; /* scale: the largest number */
    double *score;     /* [arms][corpora][seeds] */
    StTaskIqm *iqm;    /* [arms]; minus: against the baseline; of the baseline itself ST_BAD_ARG */
    StFriedman ranks;  /* one corpus, or one arm: ST_N_TOO_SMALL */
    double *mean_rank; /* [arms] */
    double *pair;      /* [arms][arms] p's of pairs of ranks, adjusted for their number */
    StKey key;
} CorporaSum;

void corpora_sum(CorporaSum *c, const CorporaIn *in);
void corpora_sum_release(CorporaSum *c);

/* An arm's performance profile. tau: [taus] ascending; band: [taus], share NaN when a score is not finite. */
void corpora_profile(const CorporaSum *c, int arm, const double *tau, int taus, StBand *band);

/* A summary for each group of cells, which differ in their corpus alone. */
typedef struct {
    Metric metric; /* that is summed up */
    int groups, corpora;
    const char **corpus; /* [corpora], as the experiment lists them */
    char (*group)[256];  /* "layers = 4", "" where dataset is the only factor */
    CorporaSum *sum;     /* [groups] */
    int *diverged;       /* [groups][arms] runs that count as the uniform predictor */
} Corpora;

/* False, and nothing to release, when the experiment asks for none. */
bool corpora_make(Corpora *c, const Sample *s);
void corpora_release(Corpora *c);

#endif
