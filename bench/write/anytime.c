#include "bench/write/summaries.h"

#include <math.h>
#include <stdio.h>

#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/write/stat_json.h"

void anytime_columns(Cells *c, const char *difference, double conf, bool margin) {
    cells_columns(c, {"delta", "r", difference},
                  {"delta", "i", SHOW_TEXT("[%s%% anytime]", FORMAT_PERCENT(conf))}, {"p", "r", "p"});
    if (margin) cells_column(c, "p_inside", 'r', "p inside");
    cells_columns(c, {"decided_at", "r", "decided at"}, {"seeds_needed", "r", "seeds it needs"});
}

/* "10 (13)": seeds in all at which half and nine in ten of the continuations have decided; "": it is decided, or not
 * known. */
static void anytime_need(const Anytime *a, int most, Text *out) {
    size_t limit = (size_t)most;
    char late[40];
    if (a->at || a->need.status != ST_OK) return;
    snprintf(late, sizeof late, a->need.late <= limit ? "%zu" : "more than %zu",
             a->need.late <= limit ? a->need.late : limit);
    if (a->need.median > limit)
        text_format(out, "%s", late);
    else
        text_format(out, "%zu (%s)", a->need.median, late);
}

static void interval_cell(const Anytime *a, const char *withheld, Cells *c) {
    bool ok = a->ci.status == ST_OK;
    if (withheld) {
        cell_interval_shown(c, (double)NAN, (double)NAN, SHOW_TEXT("withheld (%s)", withheld));
        return;
    }
    cell_interval_shown(c, ok ? a->ci.lo : (double)NAN, ok ? a->ci.hi : (double)NAN,
                        ok ? SHOW_BOUNDS(a->ci.lo, a->ci.hi, (a->ci.hi - a->ci.lo) / 4)
                        : a->ci.status == ST_NOT_REACHABLE ? "unbounded"
                                                           : "n/a");
}

void anytime_cells(const Anytime *a, int most, bool margin, const char *withheld, Cells *c) {
    LOCAL_TEXT(need);
    cell_shown(c, a->mean, SHOW_WITH_ERROR(a->mean, (a->ci.hi - a->ci.lo) / 4, true));
    interval_cell(a, withheld, c);
    cell_p(c, a->p);
    if (margin) cell_p(c, a->inside_p);
    a->at ? cell_integer(c, a->at) : cell_none(c);
    anytime_need(a, most, &need);
    if (!need.length)
        cell_none(c);
    else if (a->need.median > (size_t)most)
        cell_shown(c, (double)NAN, need.at);
    else
        cell_format(c, "%s", need.at);
}

static json_t *need_json(const Anytime *a, int most) {
    json_t *o = json_object();
    size_t limit = (size_t)most;
    return json_add(o, "half", a->need.median > limit ? json_null() : json_integer((json_int_t)a->need.median),
                    "nine_in_ten", a->need.late > limit ? json_null() : json_integer((json_int_t)a->need.late),
                    "decided_by_most", a->need.decided);
}

void anytime_json(const Anytime *a, int most, const char *withheld, json_t *o) {
    json_t *ci = withheld ? json_not_made(withheld) : json_status(a->ci.status);
    json_add(o, "mean", a->mean, "p", a->p);
    if (!isnan(a->inside_p)) json_add(o, "p_inside", a->inside_p);
    if (a->ci.status == ST_OK) json_add(ci, "lo", a->ci.lo, "hi", a->ci.hi);
    json_add(o, "interval", ci, "decided_at", a->at ? json_integer(a->at) : json_null());
    if (a->need.status == ST_OK) json_add(o, "seeds_needed", need_json(a, most));
}
