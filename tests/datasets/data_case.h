/* What the dataset tests share: a temporary folder for each test, files in it, and errors that must say something. */
#ifndef TESTS_DATA_CASE_H
#define TESTS_DATA_CASE_H

#include <ftw.h>
#include <glob.h>
#include <unistd.h>

#include "tests/test.h"
#include "base/philox.h"
#include "datasets/dataset.h"
#include "datasets/fetch.h"
#include "datasets/synthetic.h"

__attribute__((unused)) static void enter_folder(void) {
    const char *temporary = getenv("TMPDIR");
    char folder[512];
    snprintf(folder, sizeof folder, "%s/normbench data XXXXXX", temporary ? temporary : "/tmp");
    cr_assert(mkdtemp(folder) && !chdir(folder), "cannot make %s", folder);
}

__attribute__((unused)) static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info, (void)kind, (void)where;
    return remove(path);
}

__attribute__((unused)) static void leave_folder(void) {
    char folder[512];
    if (!getcwd(folder, sizeof folder) || !strstr(folder, "/normbench data ")) return;
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A suite whose tests run in a folder of their own. */
#define DATA_SUITE(name) TestSuite(name, .init = enter_folder, .fini = leave_folder, .timeout = 600)

/* Writes a file, folders included. */
__attribute__((unused)) static void put(const char *file, const char *bytes, size_t length) {
    e = (Error){0};
    char folder[256] = "";
    const char *slash = strrchr(file, '/');
    if (slash) memcpy(folder, file, (size_t)(slash - file));
    cr_assert(!*folder || !folder_make(folder, &e), "%s", e.text);
    cr_assert(!file_write(file, bytes, length, &e), "%s", e.text);
}

__attribute__((unused)) static void put_text(const char *file, const char *text) {
    put(file, text, strlen(text));
}

#define EXPECT_RC(call, code) \
    do { \
        Rc got_ = (call); \
        cr_assert_eq(got_, code, "%s: expected code %d, got %d: %s", #call, code, got_, e.text); \
    } while (0)
#define EXPECT_SAYS(...) says((const char *const[]){__VA_ARGS__, NULL})

__attribute__((unused)) static void says(const char *const *parts) {
    for (; *parts; parts++) cr_assert(strstr(e.text, *parts), "expected \"%s\" in: %s", *parts, e.text);
}

/* A corpus of one small file, and the places a test may put it. */
__attribute__((unused)) static const char GOOD[] = "To be, or not to be, that is the question.\n";
__attribute__((unused)) static const char GOOD_HASH[] =
    "d899dd565cdb385855a5099025cdc90b7eee44fa504d0c1d17ce781c49529a9a";

__attribute__((unused)) static const CorpusFile SMALL = {
    "small", PART_WHOLE, "small/a.txt", "https://127.0.0.1:1/a.txt", sizeof GOOD - 1, GOOD_HASH, "none", ORDER_FILE};

__attribute__((unused)) static const DataPlaces OFFLINE = {.cache = "cache", .root = "checkout", .offline = true};

/* The two feeds of a batch, for arrays. */
#define ROOM(tokens, targets) \
    (FeedRoom[]) { {"tokens", sizeof(tokens) / 4, tokens}, {"targets", sizeof(targets) / 4, targets} }

#endif
