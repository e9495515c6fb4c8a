/* Arrays and logs in packed files, and what of them is refused. */
#include "bench/formats/unpack.h"
#include "tests/readers/made_logs.h"
#include "tests/test.h"

Test(packed, arrays_and_what_is_wrong_with_them) {
    static const double value[] = {10, 20, 30.5};
    char bytes[1000], zip[2000];
    size_t n = logs_npy(bytes, value, 3);
    const LogSeries *s = log_series(logs_read_one(logs_write_bytes("a.npy", bytes, n)), "score");
    cr_assert(s && s->count == 3 && s->at[2].step == 2 && s->at[2].value == 30.5);
    const Log *log = logs_read_one(logs_write_bytes("b.npy", bytes, n - 1));
    cr_expect(log->fault && strstr(log->fault, "breaks off"));
    char head[30] = "PK\3\4\x14";
    head[18] = head[22] = (char)(n & 255), head[19] = head[23] = (char)(n >> 8), head[26] = 11;
    memcpy(zip, head, 30), memcpy(zip + 30, "results.npy", 11), memcpy(zip + 41, bytes, n);
    s = log_series(logs_read_one(logs_write_bytes("c.npz", zip, 41 + n)), "results");
    cr_assert(s && s->count == 3 && s->at[1].value == 20);
    zip[8] = 8;
    log = logs_read_one(logs_write_bytes("d.npz", zip, 41 + n));
    cr_expect(log->fault && strstr(log->fault, unpack_known ? "damaged" : "compressed"), "%s", log->fault);
    char more[1000];
    zip[8] = 0;
    for (int count = 2; count <= 3; count++) { /* steps behind the values */
        static const double step[] = {100, 200, 300};
        size_t m = logs_npy(more, step, count), at = 41 + n;
        head[18] = head[22] = (char)(m & 255), head[19] = head[23] = (char)(m >> 8), head[26] = 9;
        memcpy(zip + at, head, 30), memcpy(zip + at + 30, "steps.npy", 9), memcpy(zip + at + 39, more, m);
        s = log_series(logs_read_one(logs_write_bytes(count == 2 ? "f.npz" : "g.npz", zip, at + 39 + m)), "results");
        cr_assert(s && s->count == 3 && s->at[2].step == (count == 2 ? 2 : 300));
        cr_expect_eq(!s->doubt, count == 3, "%s", s->doubt ? s->doubt : "no doubt");
    }
    zip[8] = 8;
    size_t stored = logs_stored(zip + 41, bytes, n); /* as np.savez_compressed, but for the size */
    zip[18] = (char)(stored & 255), zip[19] = (char)(stored >> 8);
    log = logs_read_one(logs_write_bytes("e.npz", zip, 41 + stored));
    s = log_series(log, "results");
    cr_expect(unpack_known ? s && s->count == 3 && s->at[2].value == 30.5 : log->fault != NULL);
}

/* Packed runs are read as they are; of a damaged one a folder says so, alone it is refused. */
Test(packed, what_gzip_packed) {
    static const char text[] = "step,loss\n1,2.5\n2,2.25\n";
    char bytes[200];
    size_t n = logs_gzip(bytes, text, sizeof text - 1);
    const char *path = logs_write_bytes("gzip/a_s1.csv.gz", bytes, n);
    if (!unpack_known) {
        cr_expect(strstr(logs_read_one(path)->fault, "it is a gzip archive: unpack it (gunzip)"));
        return;
    }
    const LogSeries *s = log_series(logs_read_one(path), "loss");
    cr_assert(s && s->count == 2 && s->at[1].value == 2.25);
    path = logs_write_bytes("gzip/b_s1.csv.gz", bytes, n - 5);
    cr_expect_eq(logs_read_again(path, -1, &e), RC_USAGE);
    HOLDS(e.text, "b_s1.csv.gz: the gzip file breaks off");
    logs_write_bytes("gzip/notes.bin", bytes, n - 5);
    logs_read_below("gzip");
    cr_assert_eq(l.count, 2, "%d", l.count);
    cr_expect(!l.log[0].fault && l.log[0].count == 1);
    cr_expect(l.log[1].fault && !strcmp(l.log[1].fault, "the gzip file breaks off"), "%s", l.log[1].fault);
}

/* One that was packed, beside one that was not: the other is read. */
Test(packed, a_packed_file_of_a_folder_is_named) {
    logs_write("packed/a_s1.csv", "step,loss\n1,2.5\n");
    logs_write("packed/b_s1.csv.bz2", "BZh91AY..");
    logs_read_below("packed");
    cr_assert_eq(l.count, 2);
    cr_expect(!l.log[0].fault && l.log[0].count == 1);
    cr_expect(l.log[1].fault && strstr(l.log[1].fault, "a bzip2 archive: unpack it (bunzip2)"));
}
