/* kernels/cuda/nccl_calls.h held to a real nccl.h, and to the library beside it: tests/gpu/nccl_real.sh. */
#include <nccl.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/nccl_calls.h"

#define SAME(name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), ncclResult_t parameters), #name);
NCCL_CALLS(SAME)
#undef SAME
_Static_assert(__builtin_types_compatible_p(__typeof__(ncclGetErrorString), const char *(ncclResult_t)), "words");

_Static_assert(sizeof(ncclUniqueId) == 128 && _Alignof(ncclUniqueId) == 1, "the id is 128 bytes");
_Static_assert(sizeof(((ncclUniqueId *)0)->internal) == 128, "its bytes are called internal");
_Static_assert(__builtin_types_compatible_p(ncclComm_t, struct ncclComm *), "a communicator is a pointer");
_Static_assert(__builtin_types_compatible_p(cudaStream_t, struct CUstream_st *), "a stream is a pointer");
_Static_assert(sizeof(ncclResult_t) == sizeof(int) && sizeof(ncclDataType_t) == sizeof(int) &&
                   sizeof(ncclRedOp_t) == sizeof(int),
               "numbers are ints");
_Static_assert(ncclSuccess == 0 && ncclUnhandledCudaError == 1 && ncclSystemError == 2 && ncclInternalError == 3 &&
                   ncclInvalidArgument == 4 && ncclInvalidUsage == 5 && ncclRemoteError == 6,
               "results");
_Static_assert(ncclInt8 == 0 && ncclFloat32 == 7 && ncclSum == 0, "types and operations");

static struct {
#define CALL(name, parameters) ncclResult_t(*name) parameters;
    NCCL_CALLS(CALL)
#undef CALL
    const char *(*ncclGetErrorString)(ncclResult_t);
} found;

static int number;

static void report(const char *what, int ok) {
    printf("%sok %d - %s\n", ok ? "" : "not ", ++number, what);
}

int main(int argc, char **argv) {
    const LibrarySymbol symbol[] = {
#define CALL(name, parameters) {#name, &found.name},
        NCCL_CALLS(CALL)
#undef CALL
            {"ncclGetErrorString", &found.ncclGetErrorString}};
    ncclUniqueId id;
    Error e;
    int linked = 0, opened = 0;
    if (argc != 2) return 2;
    report("types, numbers and functions are those of nccl.h", 1);
    report("ncclGetVersion of the linked library is the header's",
           ncclGetVersion(&linked) == ncclSuccess && linked == NCCL_VERSION_CODE);
    ncclResult_t rc = ncclGetUniqueId(&id);
    report("ncclGetUniqueId of the linked library", rc == ncclSuccess);
    Rc missing = library_find("libnccl.so.2", argv[1], symbol, sizeof symbol / sizeof *symbol, "NCCL", &e);
    report("library_find finds the library and every function", !missing);
    if (missing)
        printf("# %s\n", e.text);
    else {
        report("they are those of the linked one", found.ncclSend == ncclSend && found.ncclGroupEnd == ncclGroupEnd);
        report("ncclGetVersion through a pointer", found.ncclGetVersion(&opened) == ncclSuccess && opened == linked);
        rc = found.ncclGetUniqueId(&id);
        report("ncclGetUniqueId through a pointer", rc == ncclSuccess);
        printf("# version %d; in words: %s\n", opened, found.ncclGetErrorString(rc));
    }
    printf("1..%d\n", number);
    return 0;
}
