// Half the squared error.
#pragma once
#include "rows.hpp"

namespace tamis {

struct Squared {
    static constexpr double kLongestStep = 1e3;
    static constexpr bool kCostlyConjugate = false;
    static constexpr bool kHasThresholds = false;
    static constexpr bool kConstantCurvature = true;

    static double value(double y, double eta) { return 0.5 * (y - eta) * (y - eta); }
    TAMIS_WIDE RowSums update(const double* eta, const double* y, const double* w, double* residual, size_t n) const {
        return sum_rows(w, residual, n, [=](size_t i) {
            const double error = y[i] - eta[i];
            return RowTerms{0.5 * error * error, error, 1.0};
        });
    }
    TAMIS_WIDE void curvature(const double*, const double*, const double* w, double, double* v, size_t n) const {
        std::copy(w, w + n, v);
    }
    TAMIS_WIDE double conjugate(const double* y, const double* w, const double* residual, double scale, size_t n) const {
        return sum_conjugates(w, residual, scale, n, [=](size_t i, double g) { return 0.5 * g * g - g * y[i]; });
    }
};

}  // namespace tamis
