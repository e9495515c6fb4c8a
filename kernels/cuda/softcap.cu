/* y = alpha tanh(x / alpha); dy/dx = 1 - tanh^2 */
#include "kernels/cuda/elementwise.cuh"

DEVICE_FN float softcap(float x, float alpha) {
    return alpha * canon_tanh(x / alpha);
}

DEVICE_FN float softcap_slope(float x, float alpha) {
    const float t = canon_tanh(x / alpha);
    return CANON_FMA(-t, t, 1.0f);
}

ELEMENTWISE(softcap, softcap(x, (float)c.attr.alpha), softcap_slope(x, (float)c.attr.alpha));
