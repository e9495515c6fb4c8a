#include "bench/run/cluster/deal.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

/* Compare by cost, the highest first; equal costs in the order of training, seeds outermost. */
static int by_cost(const void *a, const void *b) {
    const Dealt *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? 1 : -1;
    return x->seed != y->seed ? x->seed - y->seed : x->first - y->first;
}

double deal(Dealt *piece, int count, int shares) {
    double *load = mem_alloc((size_t)shares, sizeof *load), most = 0;
    if (count) qsort(piece, (size_t)count, sizeof *piece, by_cost);
    for (int i = 0; i < count; i++) {
        int least = 0;
        for (int k = 1; k < shares; k++)
            if (load[k] < load[least]) least = k;
        piece[i].share = least;
        load[least] += piece[i].cost;
        most = fmax(most, load[least]);
    }
    free(load);
    return most;
}

double deal_in_order(Dealt *piece, int count, int shares) {
    double *load = mem_alloc((size_t)shares, sizeof *load), most = 0, all = 0, before = 0;
    for (int i = 0; i < count; i++) all += piece[i].cost;
    for (int i = 0; i < count; i++) {
        double middle = all > 0 ? (before + piece[i].cost / 2) / all : 0;
        int share = (int)(middle * shares);
        piece[i].share = share < shares ? share : shares - 1;
        load[piece[i].share] += piece[i].cost;
        most = fmax(most, load[piece[i].share]);
        before += piece[i].cost;
    }
    free(load);
    return most;
}
