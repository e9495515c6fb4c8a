/* Reads a workflow of GitHub Actions on standard input and writes the text of each `run` of its jobs, in order, to
 * FOLDER/1.sh, FOLDER/2.sh ... Prints how many there are; exits with 1 where the text is no such workflow.
 *   workflow_steps FOLDER */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

static yaml_document_t file;

static yaml_node_t *value_of(yaml_node_t *map, const char *key) {
    if (!map || map->type != YAML_MAPPING_NODE) return NULL;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *name = yaml_document_get_node(&file, p->key);
        if (name->type == YAML_SCALAR_NODE && !strcmp((const char *)name->data.scalar.value, key))
            return yaml_document_get_node(&file, p->value);
    }
    return NULL;
}

static int write_runs(yaml_node_t *steps, const char *folder, int count) {
    if (!steps || steps->type != YAML_SEQUENCE_NODE) return -1;
    for (yaml_node_item_t *at = steps->data.sequence.items.start; at < steps->data.sequence.items.top; at++) {
        yaml_node_t *step = yaml_document_get_node(&file, *at), *run = value_of(step, "run");
        if (!run && !value_of(step, "uses")) return -1;
        if (!run) continue;
        char path[1000];
        snprintf(path, sizeof path, "%s/%d.sh", folder, ++count);
        FILE *out = fopen(path, "w");
        if (!out) return -1;
        fwrite(run->data.scalar.value, 1, run->data.scalar.length, out);
        if (fclose(out)) return -1;
    }
    return count;
}

int main(int arguments, char **argument) {
    yaml_parser_t parser;
    int count = 0;
    if (arguments != 2 || !yaml_parser_initialize(&parser)) return 2;
    yaml_parser_set_input_file(&parser, stdin);
    if (!yaml_parser_load(&parser, &file)) return 1;
    yaml_node_t *root = yaml_document_get_root_node(&file), *jobs = value_of(root, "jobs");
    if (!value_of(root, "on") || !jobs || jobs->type != YAML_MAPPING_NODE) return 1;
    for (yaml_node_pair_t *p = jobs->data.mapping.pairs.start; p < jobs->data.mapping.pairs.top && count >= 0; p++) {
        yaml_node_t *job = yaml_document_get_node(&file, p->value);
        count = value_of(job, "runs-on") ? write_runs(value_of(job, "steps"), argument[1], count) : -1;
    }
    printf("%d\n", count);
    yaml_document_delete(&file);
    yaml_parser_delete(&parser);
    return count < 1;
}
