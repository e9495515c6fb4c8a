/* Where a corpus comes from: the order of places, wrong bytes, downloads. */
#include "tests/datasets/data_case.h"

DATA_SUITE(corpora);

/* ---- where bytes come from ---- */

Test(corpora, first_place_that_has_the_file_wins) {
    CorpusBytes c;
    DataPlaces p = OFFLINE;
    p.data = "data", p.environment = "env";
    static const char *const HELD[PLACE_COUNT] = {"data/small/a.txt", "env/small/a.txt", "cache/small/a.txt",
                                                  "checkout/../shared/datasets/small/a.txt"};
    put_text("data/x", "x"), put_text("env/x", "x"), put_text("checkout/x", "x");
    for (int place = PLACE_COUNT - 1; place >= 0; place--) {
        put_text(HELD[place], GOOD);
        EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_OK);
        cr_assert_str_eq(c.from.at, HELD[place], "place %s", place_name((Place)place));
        cr_assert_str_eq(c.sha256, GOOD_HASH);
        cr_assert(c.length == sizeof GOOD - 1 && !memcmp(c.bytes, GOOD, c.length));
        cr_assert_eq(*c.note.at != 0, place > PLACE_DATA, "a named folder without the file: %s", c.note.at);
        corpus_release(&c);
    }
}

Test(corpora, nowhere_names_every_place) {
    CorpusBytes c;
    DataPlaces p = OFFLINE;
    put_text("data/x", "x");
    p.data = "data";
    EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_UNMEASURED);
    EXPECT_SAYS("--data", "cache", "mirror", "downloads are off");
    p.offline = false; /* nobody listens on port 1 */
    EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_UNMEASURED);
    EXPECT_SAYS("--data", "mirror", "https://127.0.0.1:1/a.txt");
    p.environment = "no such folder";
    EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_USAGE);
    EXPECT_SAYS("$NORMBENCH_DATA", "no such folder");
    cr_assert(!file_exists("cache"));
}

/* ---- wrong bytes ---- */

static const struct {
    const char *bytes, *says;
} WRONG[] = {
    {"", "empty"},
    {"To be, or not to be,", "truncated, 20 of 43 bytes"},
    {"\n<!DOCTYPE HTML><html>no such page</html>\n", "HTML page"},
    {"<html lang=en><body>a page that is longer than the file would be</body></html>", "HTML page"},
    {"To be, or not to be, that is the QUESTION.\n", "right length"},
    {"To be, or not to be, that is the question.\r\n", "CR LF"},
    {"To be, or not to be, that is the question. Whether\n", "8 bytes too long"},
};

enum { WRONG_COUNT = sizeof WRONG / sizeof WRONG[0] };

Test(corpora, wrong_bytes_are_never_used) {
    CorpusBytes c;
    DataPlaces p = OFFLINE;
    put_text("checkout/x", "x");
    put_text("shared/datasets/small/a.txt", GOOD); /* a right copy in a later place does not help */
    for (int i = 0; i < WRONG_COUNT; i++) {
        char hash[SHA256_HEX], aside[64];
        sha256_hex_of(hash, WRONG[i].bytes, strlen(WRONG[i].bytes));
        snprintf(aside, sizeof aside, "cache/small/a.txt.rejected-%.8s", hash);
        put_text("data/small/a.txt", WRONG[i].bytes);
        p.data = "data";
        EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_INTEGRITY);
        EXPECT_SAYS("data/small/a.txt: ", GOOD_HASH, hash, WRONG[i].says);
        cr_assert(file_exists("data/small/a.txt"), "a user's file stays where it is");
        p.data = NULL;
        put_text("cache/small/a.txt", WRONG[i].bytes);
        EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_INTEGRITY);
        EXPECT_SAYS(aside, WRONG[i].says);
        cr_assert(!file_exists("cache/small/a.txt") && file_exists(aside), "quarantined");
        EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_OK);
        corpus_release(&c);
    }
    put_text("shared/datasets/small/a.txt", "x");
    EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_INTEGRITY);
    cr_assert(file_exists("shared/datasets/small/a.txt"), "the mirror is left alone");
}

Test(corpora, odd_things_in_place_of_the_file) {
    CorpusBytes c;
    DataPlaces p = OFFLINE;
    put_text("cache/small/a.txt/x", "a folder stands where the file should");
    EXPECT_RC(corpus_obtain(&c, &SMALL, &p, &e), RC_USAGE);
    EXPECT_SAYS("a folder, not a file");
    EXPECT_RC(corpus_open_text(&c, "cache", &e), RC_USAGE);
    EXPECT_RC(corpus_open_text(&c, "/dev/null", &e), RC_USAGE);
    EXPECT_RC(corpus_open_text(&c, "absent", &e), RC_USAGE);
    EXPECT_SAYS("absent");
}

/* ---- downloads, from file:// addresses; a build without libcurl refuses them all ---- */

/* SMALL with an address where bytes are to be had (blanks in the folder's name escaped). */
static CorpusFile served(const char *bytes, char url[600]) {
    char folder[512];
    CorpusFile row = SMALL;
    put_text("server/a.txt", bytes);
    cr_assert(getcwd(folder, sizeof folder));
    int n = sprintf(url, "file://");
    for (char *s = folder; *s; s++) n += sprintf(url + n, "%s", *s == ' ' ? "%20" : (char[]){*s, 0});
    sprintf(url + n, "/server/a.txt");
    row.url = url;
    return row;
}

Test(corpora, download_is_checked_then_cached) {
    CorpusBytes c;
    char url[600];
    DataPlaces p = {.cache = "a/b/cache"};
    CorpusFile row = served(GOOD, url);
    EXPECT_RC(corpus_obtain(&c, &row, &p, &e), RC_USAGE);
    EXPECT_SAYS("only https");
    p.allow_file_urls = true;
    if (!fetch_available()) {
        EXPECT_RC(corpus_obtain(&c, &row, &p, &e), RC_UNMEASURED);
        EXPECT_SAYS("no libcurl");
        return;
    }
    EXPECT_RC(corpus_obtain(&c, &row, &p, &e), RC_OK);
    cr_assert_str_eq(c.from.at, url);
    cr_assert_str_empty(c.note.at);
    corpus_release(&c);
    glob_t found = {0};
    cr_assert(!glob("a/b/cache/small/*", 0, NULL, &found) && found.gl_pathc == 1, "no temporary file");
    globfree(&found);
    unlink("server/a.txt");
    EXPECT_RC(corpus_obtain(&c, &row, &p, &e), RC_OK);
    cr_assert_str_eq(c.from.at, "a/b/cache/small/a.txt");
    corpus_release(&c);
}

Test(corpora, wrong_download_never_reaches_the_cache) {
    CorpusBytes c;
    char url[600], hash[SHA256_HEX], aside[64];
    DataPlaces p = {.cache = "cache", .allow_file_urls = true};
    for (int i = 0; i < WRONG_COUNT && fetch_available(); i++) {
        CorpusFile row = served(WRONG[i].bytes, url);
        EXPECT_RC(corpus_obtain(&c, &row, &p, &e), RC_INTEGRITY);
        sha256_hex_of(hash, WRONG[i].bytes, strlen(WRONG[i].bytes));
        snprintf(aside, sizeof aside, "cache/small/a.txt.rejected-%.8s", hash);
        EXPECT_SAYS(url, WRONG[i].says, aside);
        cr_assert(!file_exists("cache/small/a.txt") && file_exists(aside));
    }
    CorpusFile row = served(GOOD, url);
    OWNED char *big = mem_alloc(1 << 20, 1);
    put("server/a.txt", big, 1 << 20);
    EXPECT_RC(corpus_obtain(&c, &row, &p, &e), fetch_available() ? RC_INTEGRITY : RC_UNMEASURED);
    unlink("server/a.txt");
    EXPECT_RC(corpus_obtain(&c, &row, &p, &e), RC_UNMEASURED);
}

static bool stop_at_once(void) {
    return true;
}

Test(corpora, unwritable_cache_and_stopped_download) {
    CorpusBytes c;
    char url[600];
    CorpusFile row = served(GOOD, url);
    put_text("plain", "a file stands where the cache should");
    const char *caches[] = {"plain", "plain/below", "/dev/null/cache"};
    for (int i = 0; i < 3; i++) {
        DataPlaces p = {.cache = caches[i], .allow_file_urls = true};
        if (!fetch_available()) continue;
        EXPECT_RC(corpus_obtain(&c, &row, &p, &e), RC_OK);
        cr_assert_str_eq(c.sha256, GOOD_HASH);
        cr_assert(strstr(c.note.at, "cannot keep it") && strstr(c.note.at, caches[i]), "%s", c.note.at);
        corpus_release(&c);
    }
    DataPlaces p = {.allow_file_urls = true, .stopped = stop_at_once};
    EXPECT_RC(corpus_obtain(&c, &row, &p, &e), fetch_available() ? RC_INTERRUPTED : RC_UNMEASURED);
}
