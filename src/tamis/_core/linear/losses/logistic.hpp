// Log loss of a class coded 0 or 1: log(1 + exp(eta)) - y eta.
#pragma once
#include "rows.hpp"

namespace tamis {

struct Logistic {
    static constexpr double kLongestStep = 2.0;
    static constexpr bool kCostlyConjugate = true;
    static constexpr bool kHasThresholds = false;
    static constexpr bool kConstantCurvature = false;

    static double value(double y, double eta) {
        return std::max(eta, 0.0) + log1p_below_1(exp_below_0(-std::abs(eta))) - y * eta;
    }
    TAMIS_WIDE RowSums update(const double* eta, const double* y, const double* w, double* residual, size_t n) const {
        return sum_rows(w, residual, n, [=](size_t i) {
            const double e = exp_below_0(-std::abs(eta[i])), larger = 1.0 / (1.0 + e), smaller = e * larger;
            const double above = eta[i] >= 0.0 ? smaller : larger, below = eta[i] >= 0.0 ? larger : smaller;  // 1 - p and p
            return RowTerms{(eta[i] > 0.0 ? eta[i] : 0.0) + log1p_below_1(e) - y[i] * eta[i], y[i] * above - (1.0 - y[i]) * below,
                            larger * smaller};
        });
    }
    TAMIS_WIDE void curvature(const double* eta, const double*, const double* w, double least, double* v, size_t n) const {
        weigh_rows(w, v, n, [=](size_t i) {
            const double e = exp_below_0(-std::abs(eta[i])), larger = 1.0 / (1.0 + e);
            return std::max(larger * (e * larger), least);
        });
    }
    /// sum w (q ln q + (1 - q) ln(1 - q)), q the probability after the residual was shrunk.
    TAMIS_WIDE double conjugate(const double* y, const double* w, const double* residual, double scale, size_t n) const {
        return sum_conjugates(w, residual, scale, n, [=](size_t i, double g) {
            const double q = y[i] - g;
            return times_log(q) + times_log(1.0 - q);
        });
    }
};

}  // namespace tamis
