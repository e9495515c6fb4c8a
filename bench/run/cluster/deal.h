/* Deal: distribute work of known cost over parallel shares. */
#ifndef BENCH_RUN_CLUSTER_DEAL_H
#define BENCH_RUN_CLUSTER_DEAL_H

/* One indivisible piece of work. */
typedef struct {
    int first, seed; /* index and seed of its first run, which order pieces of equal cost */
    int share;       /* its share, 0-based */
    double cost;
} Dealt;

/* Sort piece[] by cost, the highest first (equal costs by seed and first), give each to the share with the least load
 * so far, and return the largest load. */
double deal(Dealt *piece, int count, int shares);

/* Deal in the given order, so that neighbours stay together, with about equal costs; return the largest load. */
double deal_in_order(Dealt *piece, int count, int shares);

#endif
