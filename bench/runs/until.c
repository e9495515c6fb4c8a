/* What `run` says of an experiment: how many seeds it still wants, and what it has found. */
#include <stdlib.h>

#include "bench/formats/terminal.h"
#include "bench/plan/looks.h"
#include "bench/runs/runs.h"
#include "bench/store/store.h"
#include "bench/verdict/words.h"
#include "bench/write/prose.h"

enum { NAMED = 6 };

/* "needs 12 seeds at even odds, 20 at nine in ten", "needs 9 seeds", "needs more than 64 seeds" */
static void need_text(const StAnytimeNeed *need, size_t most, Text *out) {
    text_format(out, "needs ");
    if (need->median > most) {
        text_format(out, "more than %zu seeds", most);
        return;
    }
    text_format(out, "%zu seeds", need->median);
    if (need->late == need->median) return;
    text_format(out, " at even odds, ");
    if (need->late > most)
        text_format(out, "more than %zu at nine in ten", most);
    else
        text_format(out, "%zu at nine in ten", need->late);
}

/* "post (after 7, better than Pre-LN)", "rms (probably 12 seeds, …)" */
static void contrast_text(const Until *u, int i, Text *out) {
    const Comparison *c = &u->family.at[i];
    const Anytime none = {.at = 0}, *a = u->family.anytime ? &u->family.anytime[i] : &none;
    const Experiment *x = &u->x;
    bool look = !u->family.anytime && until_is(&u->family, i);
    const char *against = x->arm[c->what.term[1].arm].name;
    text_format(out, "%s", x->arm[c->what.term[0].arm].name);
    if (x->compares) text_format(out, " - %s", against);
    if (x->factors) text_format(out, " [%s]", CELL_WHERE(x, c->what.cell));
    if (a->at || look) {
        text_format(out, " (");
        if (!look) text_format(out, "after %d: ", a->at);
        decision_words(&u->family, c, c->decision, contrast_better(&c->what), against, out);
        text_format(out, ")");
    } else if (c->status != ST_OK) {
        text_format(out, " (%s)", words_status(c));
    } else if (u->family.anytime && a->need.status == ST_OK) {
        text_format(out, " (");
        need_text(&a->need, (size_t)x->most, out);
        text_format(out, ")");
    }
}

static void list(const Until *u, bool decided, bool tested, const char *head, int count, Text *out) {
    int named = 0;
    if (!count) return;
    text_format(out, "; %s", head);
    for (int i = 0; i < u->family.count; i++) {
        bool is = u->family.at[i].status == ST_OK;
        if (is != tested || (is && until_is(&u->family, i) != decided)) continue;
        if (named < NAMED) text_format(out, "%s ", named ? "," : ":"), contrast_text(u, i, out);
        named++;
    }
    if (named > NAMED) text_format(out, " and %d more", named - NAMED);
}

/* "after 9 of at most 64 seeds: decided: post (better than Pre-LN, at 7). Open: rms, …" */
static void until_text(const Until *u, int most, Text *out) {
    int n = u->records.missing ? 0 : u->x.seeds;
    if (n && u->x.looked)
        looks_at(&u->x, out), text_format(out, " (level %s)", FORMAT_REAL(u->x.alpha));
    else
        text_format(out, "after %d of at most %d seeds", n, most);
    if (!n) {
        text_format(out, ": nothing can be told yet");
    } else {
        list(u, true, true, "decided", u->decided, out);
        list(u, false, true, "open", u->open, out);
        list(u, false, false, "never to be decided", u->untested, out);
    }
    text_format(out, "\n");
    if (u->over && !u->open && !u->decided)
        text_format(out, "no comparison can ever be decided: no more seeds are needed\n");
    else if (u->over && !u->open)
        text_format(out, "decided after %d seeds: no more are needed\n", u->at);
    else if (u->over)
        text_format(out, "all %d seeds are stored, and %d of %d comparisons %s not decided\n", most, u->open,
                    u->family.count, u->open == 1 ? "is" : "are");
}

/* The next number at which half of the continuations have decided some comparison that is open. */
static int next(const Until *u, int whole, int most) {
    size_t least = (size_t)most;
    for (int i = 0; i < u->x.looks; i++)
        if (u->x.look[i] > whole) return u->x.look[i];
    for (int i = 0; i < u->family.count; i++) {
        const Anytime *a = &u->family.anytime[i];
        if (u->family.at[i].status == ST_OK && !a->at && a->need.status == ST_OK && a->need.median < least)
            least = a->need.median;
    }
    return (int)least > whole ? (int)least : whole + 1;
}

/* With looks only when one is reached, or asked from outside of a run. */
static bool says(const Experiment *x, int whole) {
    bool at = !x->looks || !whole;
    for (int i = 0; i < x->looks; i++) at |= x->look[i] == whole;
    return at;
}

int until_wanted(void *asks, int whole, Text *words, Error *e) {
    UntilAsks *a = asks;
    LOCAL(store_release) Store stored = {0};
    Until *u = mem_alloc(1, sizeof *u); /* too large for a small stack */
    int first = until_least(a->x);
    store_read(&stored, a->s->runs);
    Rc rc = until_make(u, &stored, a->x, a->s->precise, e);
    if (rc) {
        free(u);
        return -1;
    }
    int seeds = whole > u->x.seeds ? whole : u->x.seeds;
    int wanted = u->over ? 0 : u->records.missing ? first : next(u, seeds, a->x->most);
    if (wanted && wanted < first) wanted = first;
    if (wanted > a->x->most) wanted = a->x->most;
    a->whole = u->records.missing ? 0 : u->x.seeds;
    if (says(a->x, whole)) until_text(u, a->x->most, words);
    until_release(u);
    free(u);
    return wanted;
}

/* Beyond, the tests would keep a reader waiting who asked for training; `table` makes them. */
enum { RUNS_MAX = 2000 };

static void print(const Table *t) {
    LOCAL_TEXT(words);
    LOCAL_TEXT(lines);
    prose_found(t, &words);
    if (words.length) text_wrapped(&lines, "", words.at, 2, terminal_width());
    terminal_print(lines.at);
}

void run_found(const Session *s, const Experiment *x) {
    Experiment own = *x; /* whose precision and rule until_take may set */
    LOCAL(store_release) Store stored = {0};
    LOCAL(records_release) Records records = {0};
    Error none;
    Table t;
    if (x->most || x->arms < 2 || experiment_cells(x) * x->arms * x->seeds > RUNS_MAX) return;
    store_read(&stored, s->runs);
    Rc rc = until_take(&records, &stored, &own, s->precise, &none);
    if (rc) return;
    TableOptions options = {.command = "", .exploratory = experiment_changed(x)};
    if (!records.missing && !table_make(&t, &own, records.at, NULL, options, &none)) {
        print(&t);
        table_release(&t);
    }
}
