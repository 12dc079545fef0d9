// Squared distance to the margin, max(0, 1 - s eta)^2, of a class coded 0 or 1: s = -1 or 1.
#pragma once
#include "rows.hpp"

namespace tamis {

struct SquaredHinge {
    static constexpr double kLongestStep = 1e3;
    static constexpr bool kCostlyConjugate = false;
    static constexpr bool kHasThresholds = false;
    static constexpr bool kConstantCurvature = false;

    static double value(double y, double eta) {
        const double distance = std::max(0.0, 1.0 - (2.0 * y - 1.0) * eta);
        return distance * distance;
    }
    TAMIS_WIDE RowSums update(const double* eta, const double* y, const double* w, double* residual, size_t n) const {
        return sum_rows(w, residual, n, [=](size_t i) {
            const double side = 2.0 * y[i] - 1.0, distance = std::max(0.0, 1.0 - side * eta[i]);
            return RowTerms{distance * distance, 2.0 * side * distance, distance > 0.0 ? 2.0 : 0.0};
        });
    }
    TAMIS_WIDE void curvature(const double* eta, const double* y, const double* w, double, double* v, size_t n) const {
        weigh_rows(w, v, n, [=](size_t i) { return (2.0 * y[i] - 1.0) * eta[i] < 1.0 ? 2.0 : kFlatCurvature; });
    }
    TAMIS_WIDE double conjugate(const double*, const double* w, const double* residual, double scale, size_t n) const {
        return sum_conjugates(w, residual, scale, n, [](size_t, double g) {
            const double t = std::abs(g);  // a residual of this loss has the sign of its class
            return 0.25 * t * t - t;
        });
    }
};

}  // namespace tamis
