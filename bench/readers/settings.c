/* Settings of a run: of JSON and YAML, in the log itself or in a file beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "bench/formats/json.h"
#include "bench/readers/readers.h"

enum { DEEPEST = 12, PASSED_MAX = 200, SETTINGS_MAX = 2000, KEY_SIZE = 400 };

static const char *const beside[] = {"hparams.yaml",      "hparams.yml",      "config.yaml",      "config.yml",
                                     "params.yaml",       "config.json",      "params.json",      "args.json",
                                     "hparams.json",      "run_summary.json", "meta_data_0.json", "training_args.json",
                                     ".hydra/config.yaml"};
enum { BESIDE = sizeof beside / sizeof *beside };

bool log_settings_file(const char *name) {
    for (int i = 0; i < BESIDE; i++)
        if (!strcmp(name, beside[i])) return true;
    return !strcmp(name, "wandb-metadata.json") || !strcmp(name, "dvc.yaml");
}

static void leaf(Log *log, const char *key, const json_t *value) {
    char number[40];
    if (json_is_string(value) && json_string_length(value) < 300) log_setting(log, key, json_string_value(value));
    if (json_is_real(value)) log_setting(log, key, format_real(number, json_real_value(value)));
    if (json_is_boolean(value)) log_setting(log, key, json_is_true(value) ? "true" : "false");
    if (!json_is_integer(value)) return;
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    log_setting(log, key, number);
}

static void flatten(Log *log, const char *prefix, json_t *value, int depth) {
    const char *key;
    json_t *v;
    if (depth > DEEPEST || log->settings > SETTINGS_MAX) return;
    if (!json_is_object(value)) {
        leaf(log, prefix, value);
        return;
    }
    json_object_foreach(value, key, v) {
        char joined[KEY_SIZE];
        snprintf(joined, sizeof joined, "%.200s%s%.190s", prefix, prefix[0] ? "." : "", key);
        flatten(log, joined, v, depth + 1);
    }
}

void log_settings_json(Log *log, json_t *value) {
    flatten(log, "", value, 0);
}

/* Where an event of YAML stands: in a list, or below a key. */
typedef struct {
    bool list, key; /* key: the next scalar of a mapping is one */
    size_t length;  /* bytes of the path that belong to who is outside */
} Level;

typedef struct {
    Log *log;
    Level level[DEEPEST];
    int depth, deeper; /* deeper: levels that are passed over */
    char path[KEY_SIZE];
} YamlPath;

static void yaml_scalar(YamlPath *y, const char *text) {
    Level *at = y->depth ? &y->level[y->depth - 1] : NULL;
    if (!at || at->list || y->deeper) return;
    if (at->key) {
        snprintf(y->path + at->length, sizeof y->path - at->length, "%s%.150s", at->length ? "." : "", text);
        at->key = false;
        return;
    }
    size_t n = strlen(y->path);
    if (n > 6 && !strcmp(y->path + n - 6, ".value")) y->path[n - 6] = 0; /* of W&B: lr: {desc: null, value: 0.1} */
    if (y->log->settings < SETTINGS_MAX) log_setting(y->log, y->path, text);
    y->path[at->length] = 0, at->key = true;
}

/* Behind a value that is no scalar. */
static void yaml_value_ended(YamlPath *y) {
    Level *at = y->depth ? &y->level[y->depth - 1] : NULL;
    if (at && !at->list && !y->deeper) y->path[at->length] = 0, at->key = true;
}

static void yaml_begin(YamlPath *y, bool list) {
    bool below_list = y->depth && y->level[y->depth - 1].list;
    if (y->deeper || y->depth == DEEPEST || below_list || strlen(y->path) > KEY_SIZE - 200)
        y->deeper++;
    else
        y->level[y->depth++] = (Level){list, !list, strlen(y->path)};
}

static void yaml_end(YamlPath *y) {
    if (y->deeper)
        y->deeper--;
    else
        y->depth--;
    yaml_value_ended(y);
}

/* Tags and aliases of Python's own objects are passed over. false: it is no YAML, or is nested so deeply that libyaml,
 * whose time grows with the square of the depth, would take long. */
static bool settings_yaml(Log *log, const char *bytes, size_t length) {
    yaml_parser_t parser;
    yaml_event_t event;
    YamlPath y = {.log = log};
    bool more = yaml_parser_initialize(&parser) != 0, whole = false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    while (more && yaml_parser_parse(&parser, &event)) {
        whole = event.type == YAML_STREAM_END_EVENT;
        more = !whole && event.type != YAML_NO_EVENT && y.deeper < PASSED_MAX;
        if (event.type == YAML_SCALAR_EVENT) yaml_scalar(&y, (const char *)event.data.scalar.value);
        if (event.type == YAML_ALIAS_EVENT) yaml_value_ended(&y);
        if (event.type == YAML_MAPPING_START_EVENT) yaml_begin(&y, false);
        if (event.type == YAML_SEQUENCE_START_EVENT) yaml_begin(&y, true);
        if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT) yaml_end(&y);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return whole;
}

/* Metrics as DVC has them: keys, below other keys or not, and nothing but numbers; no JSON that does not parse. */
bool yaml_is(const LogFile *file) {
    Logs l = {0};
    if (!file->text || file->json || file->line || file->text[strspn(file->text, " \t\r\n")] == '{') return false;
    Log *log = logs_add(&l, 0, file->path, "", NULL);
    bool numbers = settings_yaml(log, file->text, file->text_length) && log->settings;
    for (int i = 0; i < log->settings && numbers; i++) {
        double x;
        numbers = log_number(log->setting[i].value, &x);
    }
    logs_release(&l);
    return numbers;
}

Rc yaml_read(const LogFile *file, int reader, Logs *out, Error *e) {
    double step = 0, x;
    (void)e;
    Log *log = logs_add(out, reader, file->path, "", NULL);
    settings_yaml(log, file->text, file->text_length);
    log->curve = log_step_of(log, &step);
    for (int i = 0; i < log->settings; i++)
        if (!log_is_step(log->setting[i].key) && log_number(log->setting[i].value, &x))
            log_point(log, log->setting[i].key, step, x);
    return RC_OK;
}

void log_settings_of(Log *log, const char *folder, const char *name) {
    char path[4300], *bytes;
    size_t length;
    Error ignored;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_exists(path) || file_read(path, &bytes, &length, &ignored)) return;
    if (strstr(name, ".json")) {
        json_auto_t *root = json_python(bytes, length, NULL);
        log_settings_json(log, root);
    } else
        settings_yaml(log, bytes, length);
    free(bytes);
}

void log_settings_beside(Log *log) {
    char folder[4100];
    log_folder(folder, sizeof folder, log->path, 0);
    for (int i = 0; i < BESIDE; i++) log_settings_of(log, folder, beside[i]);
}

void log_settings_params(Log *log, const char *folder) {
    char **name;
    int count = folder_names(folder, "", &name);
    for (int i = 0; i < count && log->settings < SETTINGS_MAX; i++) {
        char path[4300], *bytes;
        size_t length;
        Error ignored;
        snprintf(path, sizeof path, "%.4000s/%.250s", folder, name[i]);
        if (file_read(path, &bytes, &length, &ignored)) continue;
        if (length < KEY_SIZE && !memchr(bytes, 0, length)) log_setting(log, name[i], trim(bytes));
        free(bytes);
    }
    names_free(name, count);
}
