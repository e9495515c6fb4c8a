/* Read "compare: [mine - pre, mine - peri]", the pairs of arms that are compared. */
#include <stdlib.h>
#include <string.h>

#include "bench/plan/reader.h"

static int arm_named(const Experiment *x, const char *name) {
    for (int i = 0; i < x->arms; i++)
        if (!strcmp(x->arm[i].name, name)) return i;
    return -1;
}

/* Return true if the file has the arm, but the profile leaves it out or --arm replaces it. */
static bool is_left_out(const Reader *r, const char *name) {
    const Node *arms = node_find(r->d->root, "arms");
    return arms && node_find(arms, name) && arm_named(r->x, name) < 0;
}

static Rc unknown_arm(const Reader *r, const Node *item, const char *name) {
    const char *names[EXPERIMENT_ARMS_MAX];
    char hint[96];
    for (int i = 0; i < r->x->arms; i++) names[i] = r->x->arm[i].name;
    return document_error(r->e, r->d, item->line, "compare: there is no arm '%.60s'%s", name,
                          did_you_mean(hint, sizeof hint, name, names, (size_t)r->x->arms));
}

static Rc add(Reader *r, const Node *item, const char *left, const char *right) {
    Experiment *x = r->x;
    Compared pair = {arm_named(x, left), arm_named(x, right)};
    if ((pair.arm < 0 && is_left_out(r, left)) || (pair.against < 0 && is_left_out(r, right))) return RC_OK;
    if (pair.arm < 0 || pair.against < 0) return unknown_arm(r, item, pair.arm < 0 ? left : right);
    if (pair.arm == pair.against)
        return document_error(r->e, r->d, item->line, "compare: '%.80s' is an arm minus itself", item->text);
    for (int i = 0; i < x->compares; i++)
        if ((x->compare[i].arm == pair.arm && x->compare[i].against == pair.against) ||
            (x->compare[i].arm == pair.against && x->compare[i].against == pair.arm))
            return document_error(r->e, r->d, item->line, "compare: '%.80s' stands in the list twice", item->text);
    if (x->compares == EXPERIMENT_COMPARES_MAX)
        return document_error(r->e, r->d, item->line, "compare: more than %d pairs of arms",
                              (int)EXPERIMENT_COMPARES_MAX);
    x->compare[x->compares++] = pair;
    return RC_OK;
}

Rc check_compares(Reader *r) {
    const Node *list = node_find(r->d->root, "compare");
    Rc rc = RC_OK;
    if (!list) return RC_OK;
    if (list->kind != NODE_SEQUENCE || !list->child)
        return document_error(r->e, r->d, list->line, "compare: a list is needed, such as [mine - pre, mine - peri]");
    for (const Node *item = list->child; item && !rc; item = item->next) {
        char *copy = item->kind == NODE_SCALAR ? mem_text(item->text) : NULL, *sign = copy ? strstr(copy, " - ") : NULL;
        if (sign) *sign = 0;
        rc = sign ? add(r, item, trim(copy), trim(sign + 3))
                  : document_error(r->e, r->d, item->line,
                                   "compare: '%.80s' is no difference of two arms, 'mine - pre'",
                                   copy ? copy : "[…]");
        free(copy);
    }
    return rc;
}
