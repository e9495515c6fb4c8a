#include "stats/replication.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

StPrediction st_prediction(double mean, const StVarianceOf *part, size_t k, double conf) {
    StPrediction r = {ST_BAD_ARG, NAN, NAN, NAN, NAN};
    double sum = 0.0, over = 0.0;
    if (!(conf > 0.0 && conf < 1.0) || k == 0) return r;
    for (size_t i = 0; i < k; i++) {
        double v = part[i].variance;
        if (!(v >= 0.0) || !(part[i].df > 0.0)) return r;
        sum += v;
        over += v * v / part[i].df;
    }
    r.status = !(fabs(mean) <= ST_HUGE) || !(sum <= ST_HUGE) ? ST_NONFINITE_INPUT : over > 0.0 ? ST_OK : ST_DEGENERATE;
    if (r.status != ST_OK) return r;
    r.se = sqrt(sum);
    r.df = sum * sum / over;
    double half = gsl_cdf_tdist_Pinv((1.0 + conf) / 2.0, r.df) * r.se;
    r.lo = mean - half;
    r.hi = mean + half;
    return r;
}
