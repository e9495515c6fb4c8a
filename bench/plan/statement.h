/* Statements: predictions of theory about a network before its first step, and how each is decided: rows of
 * bench/plan/statements.def, declared before anything is measured. */
#ifndef BENCH_PLAN_STATEMENT_H
#define BENCH_PLAN_STATEMENT_H

#include <stdbool.h>

#include "base/error.h"

/* Rows use INFINITY for no limit on that side. */
typedef enum {
#define STATEMENT(name, ...) STATEMENT_##name,
#include "bench/plan/statements.def"
#undef STATEMENT
    STATEMENT_COUNT
} StatementId;

/* How a statement is decided: the column `how` of statements.def. */
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
    double lo, hi; /* the window; for exact, expected and at_most, hi is the tolerance */
    bool printed;  /* decided by arithmetic on what the source prints, whatever a network does */
    PanelId panel;
} Statement;
extern const Statement statements[STATEMENT_COUNT];

/* Return how it is decided: "exact", "expected", … */
const char *statement_how(const Statement *s);

/* Return true if its window or rule was set after a first run was seen, as a final `*` of `predicted` says. */
bool statement_late(const Statement *s);

/* Find a statement; RC_USAGE names the nearest. */
Rc statement_find(StatementId *out, const char *name, Error *e);

#endif
