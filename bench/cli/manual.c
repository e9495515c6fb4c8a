#include "bench/cli/manual.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "bench/cli/commands.h"
#include "bench/formats/document.h"
#include "bench/plan/experiment.h"
#include "bench/run/scale.h"
#include "bench/store/provenance.h"
#include "bench/verify/gate.h"
#include "bench/write/table.h"

/* Writes a text with a backslash, or what else stands for it, before each of some characters. */
static void quoted(Text *out, const char *text, const char *special, const char *before) {
    for (const char *s = text; *s; s++) {
        if (strchr(special, *s)) text_format(out, "%s", before);
        text_add(out, s, 1);
    }
}

/* Words of roff: no hyphen that may break, no line that begins with a command of roff. */
static void roff(Text *out, const char *text) {
    if (*text == '.' || *text == '\'') text_format(out, "\\&");
    for (const char *s = text; *s; s++) {
        if (*s == '\\')
            text_format(out, "\\e");
        else if (*s == '-')
            text_format(out, "\\-");
        else
            text_add(out, s, 1);
        if (*s == '\n' && (s[1] == '.' || s[1] == '\'')) text_format(out, "\\&");
    }
}

static void man_commands(Text *out) {
    char name[OPTION_NAME];
    for (int c = 0; c < command_count; c++) {
        if (!commands[c].example[0]) continue;
        text_format(out, ".SS \"");
        command_words(&commands[c], out);
        text_format(out, "%s", *commands[c].operands ? " " : "");
        for (const char *s = commands[c].operands; *s; s++) *s == '"' ? text_format(out, "\\(dq") : text_add(out, s, 1);
        text_format(out, "\"\n");
        roff(out, commands[c].what);
        text_format(out, ".\n.br\nExample: ");
        roff(out, commands[c].example);
        text_format(out, "\n.br\nOptions:");
        for (int k = 0; k < OPTION_COUNT; k++) {
            if (!option_taken((OptionKind)k, commands[c].name) || option_shown((OptionKind)k).part_of >= 0) continue;
            text_format(out, " \\-\\-");
            roff(out, option_name(name, (OptionKind)k));
        }
        text_format(out, "\n");
    }
}

static void man_options(Text *out) {
    char name[OPTION_NAME];
    for (int k = 0; k < OPTION_COUNT; k++) {
        text_format(out, ".TP\n\\fB\\-\\-");
        roff(out, option_name(name, (OptionKind)k));
        bool part = option_shown((OptionKind)k).part_of >= 0 && *option_shown((OptionKind)k).argument;
        text_format(out, "\\fR%s\\fI", part ? "=" : " ");
        roff(out, option_shown((OptionKind)k).argument);
        text_format(out, "\\fR\n");
        roff(out, option_shown((OptionKind)k).help);
        for (int i = 0; i < option_shown((OptionKind)k).count; i++) {
            text_format(out, i ? ", " : " (one of: ");
            roff(out, option_shown((OptionKind)k).names[i]);
        }
        text_format(out, "%s\n", option_shown((OptionKind)k).count ? ")" : "");
    }
}

static void man(Text *out) {
    LOCAL_TEXT(keys);
    experiment_help(&keys);
    text_format(out,
                ".TH NORMBENCH 1 \"\" \"normbench %s\" \"User Commands\"\n"
                ".SH NAME\nnormbench \\- compare placements of normalization layers in transformers\n"
                ".SH SYNOPSIS\n\\fBnormbench\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n"
                ".SH DESCRIPTION\n",
                NORMBENCH_VERSION);
    roff(out, "Trains small GPT-style language models that differ only in where their normalization layers are placed, "
              "over paired seeds, and tests whether the difference in loss is real. Writes LaTeX tables, figures, CSV "
              "and JSON.\n");
    text_format(out, ".SH COMMANDS\n");
    man_commands(out);
    text_format(out, ".SH OPTIONS\n");
    man_options(out);
    text_format(out, ".SH \"EXPERIMENT FILES\"\n.nf\n");
    roff(out, keys.at);
    text_format(out, ".fi\n.SH \"EXIT STATUS\"\n");
    for (int i = 0; i < exit_code_count; i++) {
        text_format(out, ".TP\n%d\n", exit_codes[i].number);
        roff(out, exit_codes[i].what);
        text_format(out, "\n");
    }
    text_format(out, ".SH ENVIRONMENT\n.TP\nNORMBENCH_DATA\nA folder with corpora, as \\-\\-data.\n"
                     ".TP\nNORMBENCH_ROOT\nThe folder whose bench/experiments and bench/claims are used: a checkout, "
                     "or where they are "
                     "installed.\n");
}

/* The options of a command, each with a text before it and after it. */
static void options_of(Text *out, const char *command, const char *before, const char *after) {
    char name[OPTION_NAME];
    for (int k = 0; k < OPTION_COUNT; k++)
        if (option_taken((OptionKind)k, command) && option_shown((OptionKind)k).part_of < 0)
            text_format(out, "%s--%s%s", before, option_name(name, (OptionKind)k), after);
}

/* What may stand behind an option: the names of its choice, and its parts. Returns how many; 0: anything. */
static int names_of(Text *out, OptionKind kind) {
    OptionShown s = option_shown(kind);
    int n = 0;
    for (int i = 0; i < s.count; i++) text_format(out, "%s%s", n++ ? " " : "", s.names[i]);
    for (int k = 0; k < OPTION_COUNT; k++) {
        OptionShown part = option_shown((OptionKind)k);
        if (part.part_of == (int)kind) text_format(out, "%s%s%s", n++ ? " " : "", part.word, *part.argument ? "=" : "");
    }
    return n;
}

/* What a command's operand is called by `normbench list`; NULL: a file or a text. */
static const char *listed(const Command *c) {
    if (strstr(c->operands, "EXPERIMENT")) return "experiments";
    if (strstr(c->operands, "VARIANT")) return "variants";
    return strstr(c->operands, "WRITEUP") ? "claims" : NULL;
}

/* The commands that stand under a word, each with a text before it. */
static int under(Text *out, const char *word, const char *before) {
    int n = 0;
    for (int c = 0; c < command_count; c++)
        if (!strcmp(commands[c].under, word)) text_format(out, "%s%s", n++ ? before : "", commands[c].name);
    return n;
}

#define NAMES \
    "normbench list 2>/dev/null | awk -v kind=\"$1\" '/^[a-z]/ { on = $1 == kind } on && /^  [^ ]/ { print $1 }'\n"

/* A case for each command, those under a word first: `"model export")`. */
static void bash_cases(Text *out, void (*fill)(Text *, const Command *)) {
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < command_count; c++) {
            if (pass != !commands[c].under[0]) continue;
            text_format(out, "      \"");
            command_words(&commands[c], out);
            text_format(out, pass ? " \"*) " : "\") ");
            fill(out, &commands[c]);
            text_format(out, " ;;\n");
        }
}

static void bash_options(Text *out, const Command *c) {
    text_format(out, "words=\"--help");
    if (c->example[0]) options_of(out, c->name, " ", "");
    text_format(out, "\"");
}

static void bash_operands(Text *out, const Command *c) {
    LOCAL_TEXT(subs);
    if (under(&subs, c->name, " ")) text_format(out, "[ \"$COMP_CWORD\" = 2 ] && words=\"%s \"; ", subs.at);
    if (listed(c)) text_format(out, "words+=$(_normbench_names %s)", listed(c));
    if (!listed(c)) text_format(out, ":");
}

static void bash(Text *out) {
    char name[OPTION_NAME];
    text_format(
        out, "# Completions of normbench for bash; made by `normbench --manual bash`.\n_normbench_names() {\n  " NAMES
             "}\n_normbench() {\n  local now=${COMP_WORDS[COMP_CWORD]} words=\n"
             "  local given=\"${COMP_WORDS[1]} ${COMP_WORDS[2]}\"\n  COMPREPLY=()\n"
             "  if [ \"$COMP_CWORD\" = 1 ]; then\n    words=\"--help --version help ");
    under(out, "", " ");
    text_format(out, "\"\n  elif [[ $now = -* ]]; then\n    case $given in\n");
    bash_cases(out, bash_options);
    text_format(out, "    esac\n  else\n    case ${COMP_WORDS[COMP_CWORD - 1]} in\n"
                     "      --profile) words=$(_normbench_names profiles) ;;\n"
                     "      --backend) words=$(_normbench_names backends) ;;\n");
    LOCAL_TEXT(names);
    LOCAL_TEXT(any);
    for (int k = 0; k < OPTION_COUNT; k++) {
        OptionShown s = option_shown((OptionKind)k);
        if (s.part_of >= 0 || !*s.argument) continue;
        option_name(name, (OptionKind)k);
        text_clear(&names);
        if (names_of(&names, (OptionKind)k))
            text_format(out, "      --%s) words=\"%s\" ;;\n", name, names.at);
        else
            text_format(&any, "%s--%s", any.length ? "|" : "      ", name);
    }
    text_format(out, "%s) ;;\n      *) case $given in\n", any.at);
    bash_cases(out, bash_operands);
    text_format(out, "        esac ;;\n    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n}\n"
                     "complete -o default -F _normbench normbench\n");
}

static void zsh_described(Text *out, const Command *c) {
    text_format(out, "    '%s:", c->name);
    quoted(out, c->what, "'", "'\\'");
    text_format(out, "'\n");
}

static void zsh_given(Text *out, const Command *c) {
    char name[OPTION_NAME];
    text_format(out, "    \"");
    command_words(c, out);
    text_format(out, c->under[0] ? "\") shift words; (( CURRENT-- )); given=(\n" : " \"*) given=(\n");
    for (int k = 0; k < OPTION_COUNT; k++) {
        OptionShown shown = option_shown((OptionKind)k);
        if (!option_taken((OptionKind)k, c->name) || shown.part_of >= 0) continue;
        text_format(out, "      '*--%s[", option_name(name, (OptionKind)k));
        LOCAL_TEXT(help);
        option_help((OptionKind)k, c->name, &help);
        for (const char *s = help.at; *s; s++) {
            if (*s == '\'')
                text_format(out, "'\\''");
            else
                text_format(out, strchr("[]:\\", *s) ? "\\%c" : "%c", *s);
        }
        LOCAL_TEXT(names);
        if (*shown.argument)
            text_format(out, names_of(&names, (OptionKind)k) ? "]:value:(%s)'\n" : "]:value:_files'\n", names.at);
        else
            text_format(out, "]'\n");
    }
    text_format(out, "      '*:operand:%s%s') ;;\n", listed(c) ? "_normbench_names " : "_files",
                listed(c) ? listed(c) : "");
}

static void zsh(Text *out) {
    text_format(out, "#compdef normbench\n# Completions of normbench for zsh; made by `normbench --manual zsh`.\n"
                     "_normbench_names() {\n  compadd -- $(" NAMES "  )\n}\n_normbench() {\n  local -a commands given\n"
                     "  commands=(\n");
    for (int c = 0; c < command_count; c++)
        if (!commands[c].under[0]) zsh_described(out, &commands[c]);
    text_format(out, "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n  commands=()\n"
                     "  case $words[2] in\n");
    for (int c = 0; c < command_count; c++) {
        LOCAL_TEXT(subs);
        if (under(&subs, commands[c].name, " ")) {
            text_format(out, "  %s) commands=(\n", commands[c].name);
            for (int d = 0; d < command_count; d++)
                if (!strcmp(commands[d].under, commands[c].name)) zsh_described(out, &commands[d]);
            text_format(out, "  ) ;;\n");
        }
    }
    text_format(out, "  esac\n  (( CURRENT == 3 && $#commands )) && _describe command commands\n"
                     "  case \"$words[2] $words[3]\" in\n");
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < command_count; c++)
            if (pass == !commands[c].under[0] && commands[c].example[0]) zsh_given(out, &commands[c]);
    text_format(out, "  esac\n  shift words\n  (( CURRENT-- ))\n  _arguments $given\n}\n_normbench \"$@\"\n");
}

static void fish(Text *out) {
    char name[OPTION_NAME];
    text_format(out, "# Completions of normbench for fish; made by `normbench --manual fish`.\n"
                     "function __normbench_names\n  normbench list 2>/dev/null | awk -v kind=\"$argv[1]\" "
                     "'/^[a-z]/ { on = $1 == kind } on && /^  [^ ]/ { print $1 }'\nend\n");
    for (int c = 0; c < command_count; c++) {
        const char *word = commands[c].under;
        text_format(out, "complete -c normbench -n '%s%s' -a %s -d '",
                    *word ? "__fish_seen_subcommand_from " : "__fish_use_subcommand", word, commands[c].name);
        quoted(out, commands[c].what, "'\\", "\\");
        text_format(out, "'\n");
        if (listed(&commands[c]))
            text_format(out, "complete -c normbench -n '__fish_seen_subcommand_from %s' -a '(__normbench_names %s)'\n",
                        commands[c].name, listed(&commands[c]));
    }
    for (int k = 0; k < OPTION_COUNT; k++) {
        OptionShown shown = option_shown((OptionKind)k);
        LOCAL_TEXT(names);
        if (shown.part_of >= 0) continue;
        text_format(out, "complete -c normbench -n '__fish_seen_subcommand_from");
        for (int c = 0; c < command_count; c++)
            if (option_taken((OptionKind)k, commands[c].name)) text_format(out, " %s", commands[c].name);
        text_format(out, "' -l %s%s", option_name(name, (OptionKind)k), *shown.argument ? " -r" : "");
        if (names_of(&names, (OptionKind)k)) text_format(out, " -f -a '%s'", names.at);
        text_format(out, " -d '");
        quoted(out, shown.help, "'\\", "\\");
        text_format(out, "'\n");
    }
}

Rc manual_print(const char *kind, Error *e) {
    static const struct {
        const char *name;
        void (*make)(Text *);
    } kinds[] = {{"man", man}, {"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kind, kinds[i].name) != 0) continue;
        LOCAL_TEXT(out);
        kinds[i].make(&out);
        fwrite(out.at, 1, out.length, stdout);
        return RC_OK;
    }
    return error_set(e, RC_USAGE, "--manual: '%.40s' is not man, bash, zsh or fish", kind);
}
