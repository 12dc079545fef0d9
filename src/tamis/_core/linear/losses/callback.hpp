// A loss given by functions of all rows, such as one written in Python: slower than a header, and nothing else need be written.
#pragma once
#include <functional>
#include <vector>

#include "rows.hpp"

namespace tamis {

struct CallbackLoss {
    static constexpr double kLongestStep = 5.0;
    static constexpr bool kCostlyConjugate = false;
    static constexpr bool kHasThresholds = false;
    static constexpr bool kConstantCurvature = false;

    std::function<void(const double* eta, size_t n, double* terms)> rows;  // (3, n): losses, residuals, curvatures
    std::function<void(const double* residual, size_t n, double* out)> conjugates;

    RowSums update(const double* eta, const double*, const double* w, double* residual, size_t n) const {
        const std::vector<double> terms = at(eta, n);
        return sum_rows(w, residual, n, [&](size_t i) { return RowTerms{terms[i], terms[n + i], terms[2 * n + i]}; });
    }
    void curvature(const double* eta, const double*, const double* w, double least, double* v, size_t n) const {
        const std::vector<double> terms = at(eta, n);
        weigh_rows(w, v, n, [&](size_t i) { return std::max(terms[2 * n + i], least); });
    }
    double conjugate(const double*, const double* w, const double* residual, double scale, size_t n) const {
        std::vector<double> shrunk(n), out(n);
        for (size_t i = 0; i < n; ++i) shrunk[i] = w[i] > 0.0 ? scale * residual[i] / w[i] : 0.0;
        conjugates(shrunk.data(), n, out.data());
        return lane_sum(n, [&](size_t i) { return w[i] > 0.0 ? w[i] * out[i] : 0.0; });
    }
    /// Losses, residuals and curvatures of all rows.
    std::vector<double> at(const double* eta, size_t n) const {
        std::vector<double> terms(3 * n);
        rows(eta, n, terms.data());
        return terms;
    }
};

}  // namespace tamis
