/* Users' own texts, which are identified by their bytes: an experiment's texts as they are on the disk now, and as they
 * were when stored runs were trained. */
#ifndef BENCH_STORE_TEXTS_H
#define BENCH_STORE_TEXTS_H

#include "bench/store/session.h"
#include "bench/store/store.h"

/* Hash x's texts; one that cannot be read here stays unknown. */
void texts_find(const Session *s, Experiment *x);

/* Set x's unknown texts to the bytes on which most of x's stored runs were trained, on a tie the newest; append a
 * sentence each to notes (may be NULL). */
void texts_recall(const Store *stored, Experiment *x, Text *notes);

/* For x's known texts, append a sentence on stored runs of x that were trained on other bytes. */
void texts_others(const Store *stored, const Experiment *x, Text *notes);

/* Return a stored run of the spec trained on other bytes of its text; NULL: none. */
const RecordHead *texts_other(const Store *stored, const RunSpec *spec);

/* Print a note on stderr if the text that a run was trained on has other bytes now. */
void texts_note(const Session *s, const RunRecord *r);

#endif
