// Minus the log likelihood of counts with a log link, exp(eta) - y eta.
#pragma once
#include "rows.hpp"

namespace tamis {

struct Poisson {
    static constexpr double kLongestStep = 2.0;
    static constexpr bool kCostlyConjugate = true;
    static constexpr bool kHasThresholds = false;
    static constexpr bool kConstantCurvature = false;

    static double rate(double eta) {
        const double e = exp_below_0(-std::abs(eta));
        return eta > 0.0 ? 1.0 / e : e;
    }
    /// Half the deviance: less than the loss by its least value, y - y log y.
    static double value(double y, double eta) {
        if (!(y > 0.0)) return std::exp(std::min(eta, 700.0));
        const double above = std::log(y) - std::min(eta, 700.0);
        return y * (std::expm1(-above) + above);
    }
    TAMIS_WIDE RowSums update(const double* eta, const double* y, const double* w, double* residual, size_t n) const {
        return sum_rows(w, residual, n, [=](size_t i) {
            const double mean = rate(eta[i]);
            return RowTerms{mean - y[i] * eta[i], y[i] - mean, mean};
        });
    }
    TAMIS_WIDE void curvature(const double* eta, const double*, const double* w, double least, double* v, size_t n) const {
        weigh_rows(w, v, n, [=](size_t i) { return std::max(rate(eta[i]), least); });
    }
    double conjugate(const double* y, const double* w, const double* residual, double scale, size_t n) const {
        return sum_conjugates(w, residual, scale, n, [=](size_t i, double g) {
            const double q = y[i] - g;
            return q > 0.0 ? q * std::log(q) - q : 0.0;
        });
    }
};

}  // namespace tamis
