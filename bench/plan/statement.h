/* Statements: what theory says of a network before its first step, and what decides whether it holds: rows of
 * bench/plan/statements.def, declared before anything is measured. */
#ifndef BENCH_PLAN_STATEMENT_H
#define BENCH_PLAN_STATEMENT_H

#include <stdbool.h>

#include "base/error.h"

/* INFINITY in the rows: no border on that side. */
typedef enum {
#define STATEMENT(name, ...) STATEMENT_##name,
#include "bench/plan/statements.def"
#undef STATEMENT
    STATEMENT_COUNT
} StatementId;

/* How a statement is decided; the words of statements.def, which says what they mean. */
typedef enum {
    DECIDE_exact,
    DECIDE_expected,
    DECIDE_inside,
    DECIDE_power,
    DECIDE_rate,
    DECIDE_logarithm,
    DECIDE_at_most
} DecideKind;

/* A figure's panel, which several statements may share. */
typedef enum {
    PANEL_none,
#define PANEL(name, title, xlabel, ylabel, log_x, log_y) PANEL_##name,
#include "bench/plan/theory_panels.def"
#undef PANEL
    PANEL_COUNT
} PanelId;

typedef struct {
    const char *name, *title, *xlabel, *ylabel;
    int log_x, log_y;
} PanelInfo;
extern const PanelInfo panel_info[PANEL_COUNT];

typedef struct {
    const char *name, *source, *what, *predicted, *setting, *label;
    DecideKind how;
    double lo, hi; /* the window; of exact, expected and at_most: hi is the tolerance */
    bool printed;  /* what the source prints is right or wrong whatever a network does */
    PanelId panel;
} Statement;
extern const Statement statements[STATEMENT_COUNT];

/* "exact", "expected", …: how it is decided. */
const char *statement_how(const Statement *s);

/* RC_USAGE and the nearest name. */
Rc statement_find(StatementId *out, const char *name, Error *e);

#endif
