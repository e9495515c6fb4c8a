#include "bench/cli/commands.h"

const char *const command_groups[GROUPS] = {"Try an idea", "Read results", "Doubt a result", "Carry it elsewhere"};

const Command commands[] = {
#define NOUN(name, group, what) {#name, GROUP_##group, "", "COMMAND", "", what, "", NULL},
#define COMMAND(name, group, under, operands, example, what, pages) \
    {#name, GROUP_##group, under, operands, example, what, pages, command_##name},
#include "bench/cli/commands.def"
#undef COMMAND
#undef NOUN
};
const int command_count = sizeof commands / sizeof *commands;

void command_words(const Command *c, Text *out) {
    text_format(out, "%s%s%s", c->under, c->under[0] ? " " : "", c->name);
}
