/* .github/workflows/check.yml: it is yaml, runs ./check in Debian 12, and its steps name only what is there. A service
 * that runs it is not at hand here; its schema was checked once (CONTRIBUTING.md). */
#include <unistd.h>

#include "base/text.h"
#include "bench/formats/document.h"
#include "tests/test.h"

static void read_workflow(Document *d) {
    OWNED char *bytes = file_text(SOURCE_ROOT "/.github/workflows/check.yml");
    OK(document_parse(d, "check.yml", bytes, strlen(bytes), &e));
}

static const char *text_of(const Node *mapping, const char *key) {
    const Node *n = node_find(mapping, key);
    return n && n->kind == NODE_SCALAR ? n->text : "";
}

static bool on_the_path(const char *name) {
    char words[300];
    snprintf(words, sizeof words, "command -v '%.200s' >/dev/null", name);
    return system(words) == 0;
}

/* The program that a line of a step begins with: a file of the repository, or one that Debian has. */
static void command_exists(const char *line) {
    char word[200], path[512];
    size_t n = strcspn(line, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, line);
    if (!strncmp(word, "./", 2)) {
        snprintf(path, sizeof path, "%s/%s", SOURCE_ROOT, word + 2);
        cr_expect_eq(access(path, X_OK), 0, "'%s' is no program of this repository", word);
    } else
        cr_expect(on_the_path(word), "'%s' is not a program here", word);
}

Test(workflow, runs_check_in_debian) {
    LOCAL(document_release) Document d;
    read_workflow(&d);
    cr_expect(node_find(d.root, "on"));
    cr_expect_str_eq(text_of(node_find(d.root, "permissions"), "contents"), "read");
    const Node *jobs = node_find(d.root, "jobs");
    cr_assert(jobs && jobs->kind == NODE_MAPPING && jobs->child);
    int checks = 0, commands = 0;
    for (const Node *job = jobs->child; job; job = job->next) {
        cr_expect_str_eq(text_of(job, "container"), "debian:12");
        const Node *steps = node_find(job, "steps");
        cr_assert(steps && steps->kind == NODE_SEQUENCE && steps->child, "%s has no steps", job->key);
        for (const Node *step = steps->child; step; step = step->next) {
            const char *run = text_of(step, "run"), *uses = text_of(step, "uses");
            cr_expect(text_of(step, "name")[0], "line %d: a step without a name", step->line);
            cr_expect_eq((run[0] != 0) + (uses[0] != 0), 1, "line %d: neither run nor uses, or both", step->line);
            cr_expect(!uses[0] || strchr(uses, '@'), "line %d: '%s' names no version", step->line, uses);
            char *copy = mem_text(run), *rest = copy, *line;
            while ((line = strsep(&rest, "\n"))) {
                line = trim(line);
                if (!line[0]) continue;
                command_exists(line);
                checks += !strcmp(line, "./check --ci");
                commands++;
            }
            free(copy);
        }
    }
    cr_expect_eq(checks, 1, "./check is run %d times", checks);
    cr_expect_gt(commands, 2);
}
