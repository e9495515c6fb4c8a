/* normbench records merge DIR…: checks the runs of other results folders and copies them into this one. */
#include <stdio.h>

#include "bench/cli/commands.h"
#include "bench/formats/terminal.h"
#include "bench/run/cluster/merge.h"

static void print_count(const char *folder, const MergeCount *c) {
    LOCAL_TEXT(line);
    text_format(&line, "%s: %d run%s: %d copied", folder, c->runs, c->runs == 1 ? "" : "s", c->copied);
    if (c->here) text_format(&line, ", %d here already", c->here);
    if (c->conflicts) text_format(&line, ", %d with other bits than the run stored here", c->conflicts);
    if (c->refused) text_format(&line, ", %d refused", c->refused);
    if (c->unfinished) text_format(&line, "; %d unfinished there", c->unfinished);
    terminal_say(stdout, "%s\n", line.at);
}

Rc command_merge(Session *s, Error *e) {
    const Options *o = s->options;
    if (!o->operands)
        return error_set(e, RC_USAGE, "merge: name one results folder or more; they are merged into %s", s->results);
    LOCAL(merge_release) Merge m;
    Rc rc = RC_OK;
    int wrong = 0;
    merge_open(&m, s->root, s->results);
    for (int i = 0; i < o->operands && !rc; i++) {
        MergeCount count;
        rc = merge_add(&m, o->operand[i], &count, e);
        if (rc == RC_USAGE) break;
        print_count(o->operand[i], &count);
        if (count.plans)
            terminal_say(stderr, "normbench: note: %s: %d plan%s not carried: %s has another plan of that name\n",
                         o->operand[i], count.plans, count.plans == 1 ? " is" : "s are", s->results);
        wrong += count.refused + count.conflicts;
    }
    for (int i = 0; i < m.problems && (rc || m.problems > 1); i++)
        terminal_say(stderr, "normbench: note: %s\n", m.problem[i]);
    if (!rc && m.problems == 1 && wrong == 1) rc = error_set(e, RC_INTEGRITY, "merge: %s", m.problem[0]);
    if (!rc && wrong)
        rc = error_set(e, RC_INTEGRITY, "merge: %d runs were not merged; the first: %s", wrong, m.problem[0]);
    return rc;
}
