/* References: the papers of the placements, one row each in models/references.def. */
#ifndef MODELS_REFERENCES_H
#define MODELS_REFERENCES_H

#include <stdbool.h>

typedef struct {
    const char *key, *kind; /* BibTeX's: inproceedings or misc */
    const char *said;    /* its name in a placement's `cite`: "Xiong et al. 2020" */
    const char *authors; /* in LaTeX, joined by " and " */
    const char *title, *venue;
    int year;
    const char *arxiv;   /* its number there, or "" */
} Reference;

extern const Reference references[];
extern const int reference_count;

/* Return true if a text names the paper. */
bool reference_named(const Reference *r, const char *text);

#endif
