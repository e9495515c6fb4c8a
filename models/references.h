/* References: the papers that the placements are from, one row each in models/references.def. */
#ifndef MODELS_REFERENCES_H
#define MODELS_REFERENCES_H

#include <stdbool.h>

typedef struct {
    const char *key, *kind; /* of BibTeX: inproceedings or misc */
    const char *said;    /* how a placement's `cite` names it: "Xiong et al. 2020" */
    const char *authors; /* in LaTeX, with " and " between them */
    const char *title, *venue;
    int year;
    const char *arxiv;   /* its number there, or "" */
} Reference;

extern const Reference references[];
extern const int reference_count;

/* Whether a text names the paper. */
bool reference_named(const Reference *r, const char *text);

#endif
