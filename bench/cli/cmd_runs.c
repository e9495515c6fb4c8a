/* normbench runs [EXPERIMENT] [KEY=VALUE…]: what is stored. Reads records alone. */
#include <stdio.h>
#include <string.h>

#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/runs/runs.h"
#include "bench/store/listing.h"

static Rc print(const Listing *l, const Session *s, bool whole, Error *e) {
    LOCAL_TEXT(text);
    if (s->options->times[OPTION_csv])
        (void)runs_csv(l, &text, e);
    else if (s->options->times[OPTION_json])
        json_print(runs_json(l, whole), JSON_EXACT, &text);
    else {
        runs_text(l, whole, terminal_width(), &text);
        if (!text.length)
            text_format(&text, "no run is stored in %s; `normbench run EXPERIMENT` makes some\n", s->runs);
        else if (l->runs) {
            text_format(&text, "\none run in full: normbench runs show %.12s", l->run[0].record->id);
            session_results(s, &text);
            text_format(&text, "\n");
        }
    }
    terminal_say(stdout, "%s", text.at);
    return e->code;
}

Rc command_runs(Session *s, Error *e) {
    const Options *o = s->options;
    const char *experiment = o->operands && !strchr(o->operand[0], '=') ? o->operand[0] : NULL;
    bool named = s->profile[0] || s->overrides.sets || s->overrides.arms;
    int first = experiment ? 1 : 0;
    LOCAL(store_release) Store stored = {0};
    LOCAL(listing_release) Listing l = {0};
    if (named && !experiment)
        return error_set(e, RC_USAGE,
                         "runs: --profile, --set, --arm and --text choose a plan of an experiment: "
                         "name the experiment too");
    store_read(&stored, s->runs);
    Rc rc = listing_make(&l, s, &stored, experiment, e);
    if (rc) return rc;
    for (int i = first; i < o->operands && !rc; i++)
        if (listing_keep(&l, o->operand[i], e)) rc = error_prefix(e, "runs: ");
    if (!rc) rc = print(&l, s, experiment && o->operands == first, e);
    return rc;
}
