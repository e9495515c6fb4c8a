/* The part of NCCL's API that is used: types, constants and NCCL_CALLS(CALL), a list of CALL(function, (parameters)),
 * so that a build needs no nccl.h. A source that included nccl.h before gets the list alone:
 * tests/gpu/nccl_real.c checks every line of it against that header. */
#ifndef KERNELS_CUDA_NCCL_CALLS_H
#define KERNELS_CUDA_NCCL_CALLS_H

#include <stddef.h>

#ifndef NCCL_MAJOR
typedef struct CUstream_st *cudaStream_t;
typedef struct ncclComm *ncclComm_t;
typedef struct {
    char internal[128];
} ncclUniqueId; /* passed by value */
typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6
} ncclResult_t;
typedef enum { ncclInt8 = 0, ncclFloat32 = 7 } ncclDataType_t;
typedef enum { ncclSum = 0 } ncclRedOp_t;
#endif

/* All return an ncclResult_t; also used: const char *ncclGetErrorString(ncclResult_t). Counts are in elements of the
 * type. Send, Recv and AllReduce are enqueued on the stream; inside a group, when the group ends. */
#define NCCL_CALLS(CALL) \
    CALL(ncclGetVersion, (int *version)) \
    CALL(ncclGetUniqueId, (ncclUniqueId * id)) \
    CALL(ncclCommInitRank, (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank)) \
    CALL(ncclCommDestroy, (ncclComm_t comm)) \
    CALL(ncclCommAbort, (ncclComm_t comm)) \
    CALL(ncclGroupStart, (void)) \
    CALL(ncclGroupEnd, (void)) \
    CALL(ncclSend, \
         (const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)) \
    CALL(ncclRecv, (void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)) \
    CALL(ncclAllReduce, (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, \
                         ncclComm_t comm, cudaStream_t stream))

#endif
