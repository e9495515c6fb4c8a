/* Texts of the user's own, which are known by their bytes: what an experiment names, as it stands on the disk now, and
 * as it stood when stored runs were trained. */
#ifndef BENCH_STORE_TEXTS_H
#define BENCH_STORE_TEXTS_H

#include "bench/store/session.h"
#include "bench/store/store.h"

/* Finds out the bytes of x's texts; what cannot be read here stays unknown. */
void texts_find(const Session *s, Experiment *x);

/* Of x's texts that are still unknown: the bytes on which most of x's stored runs were trained, the newest of as many.
 * A sentence each to notes (may be NULL). */
void texts_recall(const Store *stored, Experiment *x, Text *notes);

/* Of x's texts that are known: a sentence that names runs of x that are stored and were trained on other bytes. */
void texts_others(const Store *stored, const Experiment *x, Text *notes);

/* A stored run of the spec but for the bytes of its text, which were others; NULL: none. */
const RecordHead *texts_other(const Store *stored, const RunSpec *spec);

/* A note on stderr when the name of the text that a run was trained on holds other bytes now. */
void texts_note(const Session *s, const RunRecord *r);

#endif
