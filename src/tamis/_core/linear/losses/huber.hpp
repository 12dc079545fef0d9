// Half the squared error up to a width, then linear: the residual of an outlier is at most the width.
#pragma once
#include "rows.hpp"

namespace tamis {

struct Huber {
    static constexpr double kLongestStep = 1e3;
    static constexpr bool kCostlyConjugate = false;
    static constexpr bool kHasThresholds = false;
    static constexpr bool kConstantCurvature = false;
    double width;

    double value(double y, double eta) const {
        const double error = std::abs(y - eta);
        return error > width ? width * (error - 0.5 * width) : 0.5 * error * error;
    }
    TAMIS_WIDE RowSums update(const double* eta, const double* y, const double* w, double* residual, size_t n) const {
        const double most = width;
        return sum_rows(w, residual, n, [=](size_t i) {
            const double error = y[i] - eta[i], size = std::abs(error);
            const bool is_far = size > most;
            return RowTerms{is_far ? most * (size - 0.5 * most) : 0.5 * error * error,
                            is_far ? (error > 0.0 ? most : -most) : error, is_far ? 0.0 : 1.0};
        });
    }
    TAMIS_WIDE void curvature(const double* eta, const double* y, const double* w, double, double* v, size_t n) const {
        const double most = width;
        weigh_rows(w, v, n, [=](size_t i) { return std::abs(y[i] - eta[i]) <= most ? 1.0 : kFlatCurvature; });
    }
    TAMIS_WIDE double conjugate(const double* y, const double* w, const double* residual, double scale, size_t n) const {
        return sum_conjugates(w, residual, scale, n, [=](size_t i, double g) { return 0.5 * g * g - g * y[i]; });
    }
};

}  // namespace tamis
