/* Built where libdnnl-dev is not. */
#include "bench/peers/gemm.h"

static const char *version(void) {
    return NULL;
}

const GemmPeer gemm_dnnl_sgemm = {"dnnl_sgemm", "oneDNN sgemm", version, NULL, NULL, NULL};
const GemmPeer gemm_dnnl_matmul = {"dnnl_matmul", "oneDNN matmul", version, NULL, NULL, NULL};
const GemmPeer gemm_dnnl_bf16 = {"dnnl_bf16", "oneDNN bf16", version, NULL, NULL, NULL};
const GemmPeer gemm_dnnl_rounding = {"dnnl_rounding", "oneDNN floats", version, NULL, NULL, NULL};
