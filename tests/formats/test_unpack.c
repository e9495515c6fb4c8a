/* What gzip packed, and what of it is refused. The packed bytes are Python's. */
#include "bench/formats/unpack.h"
#include "tests/test.h"

static const char text[] = "step,loss\n0,3\n1,2.9\n2,2.8\n3,2.7\n4,2.6\n5,2.5\n6,2.4\n7,2.3\n";
static const char packed[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x2e\x49\x2d\xd0\xc9\xc9\x2f\x2e\xe6\x32\xd0\x31\xe6\x32\xd4\x31\xd2"
    "\xb3\xe4\x32\x02\x92\x16\x5c\xc6\x40\xd2\x9c\xcb\x04\x48\x9a\x71\x99\x02\x49\x53\x2e\x33\x20\x69\xc2\x65\x0e\x24"
    "\x8d\xb9\x00\x37\x74\x5c\x4c\x38\x00\x00\x00";
enum { TEXT = sizeof text - 1, PACKED = sizeof packed - 1 };

static char *bytes;
static size_t length;

/* Unpack the first `first` bytes of packed, and `more` behind them. */
static Rc unpack(size_t first, const char *more, size_t n) {
    free(bytes);
    bytes = mem_alloc(first + n + 1, 1);
    memcpy(bytes, packed, first), memcpy(bytes + first, more, n);
    length = first + n;
    e = (Error){0};
    return unpack_gzip(&bytes, &length, &e);
}

Test(unpack, members_of_a_gzip_file) {
    if (!unpack_known) return;
    OK(unpack(PACKED, "", 0));
    cr_expect(length == TEXT && !strcmp(bytes, text));
    OK(unpack(PACKED, packed, PACKED));
    cr_expect(length == 2 * TEXT && !strcmp(bytes + TEXT, text), "two members are one text");
    OK(unpack(PACKED, "\0\0\0", 3));
    cr_expect_eq(length, TEXT);
    cr_assert_eq(unpack(0, "step,loss\n", 10), RC_OK);
    cr_expect(length == 10, "other bytes stay");
}

Test(unpack, what_is_no_whole_gzip_file) {
    if (!unpack_known) return;
    for (size_t n = 2; n < PACKED; n++) {
        cr_expect_eq(unpack(n, "", 0), RC_USAGE, "of %zu bytes", n);
        cr_expect(strstr(e.text, "the gzip file breaks off"), "of %zu bytes: %s", n, e.text);
        cr_expect(length == n && !memcmp(bytes, packed, n), "the bytes stay");
    }
    cr_expect_eq(unpack(PACKED, "more", 4), RC_USAGE);
    HOLDS(e.text, "has other bytes behind it");
    cr_expect_eq(unpack(PACKED - 8, "\1\2\3\4\x38\0\0\0", 8), RC_USAGE);
    cr_expect(strstr(e.text, "is damaged"), "a wrong checksum: %s", e.text);
    cr_expect_eq(unpack(10, "\xff\xff\xff\xff", 4), RC_USAGE);
    HOLDS(e.text, "is damaged");
}

/* A file of 300 MiB of zeros, whose blocks of stored bytes differ in nothing. */
Test(unpack, more_than_a_log_holds) {
    enum { BLOCK = 65535, BLOCKS = UNPACKED_MAX / BLOCK + 2, HEAD = 10 };
    if (!unpack_known) return;
    free(bytes);
    bytes = mem_alloc((size_t)BLOCKS * (BLOCK + 5) + HEAD, 1);
    memcpy(bytes, packed, HEAD);
    length = HEAD;
    for (int i = 0; i < BLOCKS; i++) {
        memcpy(bytes + length, "\0\xff\xff\0\0", 5);
        length += BLOCK + 5;
    }
    e = (Error){0};
    cr_expect_eq(unpack_gzip(&bytes, &length, &e), RC_USAGE);
    HOLDS(e.text, "holds more than 256 MiB");
}

Test(unpack, a_member_of_a_zip_file) {
    static const char member[] = "\x4b\x4c\x4a\x4e\x24\x1a\x01\x00"; /* abc, 15 times */
    OWNED char *out = unpack_member(member, 8, 45);
    cr_assert_eq(out != NULL, unpack_known);
    cr_expect(!out || (!strncmp(out, "abcabc", 6) && strlen(out) == 45));
    cr_expect(!unpack_member(member, 8, 44) && !unpack_member(member, 8, 46) && !unpack_member(member, 7, 45));
    cr_expect(!unpack_member(member, 8, (size_t)UNPACKED_MAX + 1));
}
