/* Deal: work of known cost among several who do it at once. */
#ifndef BENCH_RUN_CLUSTER_DEAL_H
#define BENCH_RUN_CLUSTER_DEAL_H

/* One piece, which nobody shares. */
typedef struct {
    int first, seed; /* its run with the smallest index, and that run's seed: the order among pieces of one cost */
    int share;       /* who gets it, 0-based */
    double cost;
} Dealt;

/* The dearest first, each to whoever has least so far; of the same cost in the order of seed and first. Sorts piece[]
 * so, fills `share`, and returns the largest load. */
double deal(Dealt *piece, int count, int shares);

/* In the order given: neighbours stay together, and each share gets about the same cost. Fills `share`; returns the
 * largest load. */
double deal_in_order(Dealt *piece, int count, int shares);

#endif
