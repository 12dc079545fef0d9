// What a loss of one linear predictor gives the solvers; one header per loss, named as its class.
//
//     double value(y, eta)                        loss of one row, 0 for a perfect prediction
//     RowSums update(eta, y, w, residual, n)      weighted residuals: minus the derivative of each row's loss times its weight
//     void curvature(eta, y, w, least, v, n)      v: second derivatives times the weights, at least `least` per unit of weight
//     double conjugate(y, w, residual, scale, n)  sum w l*(-scale residual / w): conjugates at the residuals shrunk by `scale`
//     kLongestStep                                longest step of the intercept, where the loss is far from quadratic
//     kCostlyConjugate                            whether the conjugate takes logarithms, so that a bound is tried before it
//     kHasThresholds                              whether thresholds between ordered classes take the place of the intercept
//     kConstantCurvature                          whether the curvature is the same everywhere, so that a Hessian stays what it is
//
// Rows of weight 0 take no part.
#pragma once
#include <algorithm>
#include <cmath>

#include "../../exponential.hpp"
#include "../../lanes.hpp"

namespace tamis {

/// Sums over rows: mean loss (weights sum to 1), sum of residuals, mean curvature.
struct RowSums {
    double loss = 0.0, residual = 0.0, curvature = 0.0;
};

/// What one row adds: its loss, residual and curvature, before its weight.
struct RowTerms {
    double loss, residual, curvature;
};

/// Fill residual with w times that of terms(i), and sum up; inside a TAMIS_WIDE kernel, several rows at a time.
template <class Terms>
inline RowSums sum_rows(const double* w, double* residual, size_t n, Terms terms) {
    constexpr size_t kBlock = 256;
    double loss[kBlock], curvature[kBlock];
    RowSums sums;
    for (size_t start = 0; start < n; start += kBlock) {
        const size_t m = std::min(kBlock, n - start);
        const double* weight = w + start;
        double* out = residual + start;
        for (size_t i = 0; i < m; ++i) {
            const RowTerms row = terms(start + i);
            loss[i] = weight[i] > 0.0 ? weight[i] * row.loss : 0.0;
            out[i] = weight[i] > 0.0 ? weight[i] * row.residual : 0.0;
            curvature[i] = weight[i] > 0.0 ? weight[i] * row.curvature : 0.0;
        }
        sums.loss += lane_sum(m, [&](size_t i) { return loss[i]; });
        sums.residual += lane_sum(m, [&](size_t i) { return out[i]; });
        sums.curvature += lane_sum(m, [&](size_t i) { return curvature[i]; });
    }
    return sums;
}

/// v[i] = w[i] value(i), 0 for rows of weight 0.
template <class Value>
inline void weigh_rows(const double* w, double* v, size_t n, Value value) {
    for (size_t i = 0; i < n; ++i) {
        const double h = value(i);
        v[i] = w[i] > 0.0 ? w[i] * h : 0.0;
    }
}

/// sum w value(g), g = scale residual / w.
template <class Value>
inline double sum_conjugates(const double* w, const double* residual, double scale, size_t n, Value value) {
    return lane_sum(n, [&](size_t i) {
        const double part = value(i, scale * residual[i] / (w[i] > 0.0 ? w[i] : 1.0));
        return w[i] > 0.0 ? w[i] * part : 0.0;
    });
}

constexpr double kFlatCurvature = 1e-6;  // of a row on a straight part of its loss

}  // namespace tamis
