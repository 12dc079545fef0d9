// Log loss of several classes, one linear predictor per class: log sum_k exp(eta_k) - eta_y.
#pragma once
#include <vector>

#include "../../matrix.hpp"
#include "rows.hpp"

namespace tamis {

/// Probabilities P and residuals w (y - P) of every class and row (classes, rows), the sums of residuals; returns the mean loss.
TAMIS_WIDE static double update_probabilities(Matrix<const double> eta, const int64_t* y, const double* w, Matrix<double> residual,
                                              Matrix<double> prob, double* totals) {
    constexpr size_t kBlock = 256;
    const size_t K = eta.n_rows, n = eta.n_columns;
    double top[kBlock], own[kBlock], whole[kBlock], other[kBlock];
    double loss = 0.0;
    std::fill(totals, totals + K, 0.0);
    for (size_t start = 0; start < n; start += kBlock) {
        const size_t m = std::min(kBlock, n - start);
        const int64_t* label = y + start;
        const double* weight = w + start;
        for (size_t i = 0; i < m; ++i) {
            top[i] = eta[0][start + i];
            own[i] = whole[i] = other[i] = 0.0;
        }
        for (size_t k = 1; k < K; ++k) {
            const double* predictor = eta[k] + start;
            for (size_t i = 0; i < m; ++i) top[i] = predictor[i] > top[i] ? predictor[i] : top[i];
        }
        for (size_t k = 0; k < K; ++k) {
            const double* predictor = eta[k] + start;
            double* e = prob[k] + start;
            for (size_t i = 0; i < m; ++i) {
                const double value = exp_below_0(predictor[i] - top[i]);
                const bool is_own = label[i] == int64_t(k);
                e[i] = value;
                whole[i] += value;
                other[i] += is_own ? 0.0 : value;
                own[i] = is_own ? predictor[i] : own[i];
            }
        }
        for (size_t k = 0; k < K; ++k) {
            double *p = prob[k] + start, *r = residual[k] + start;
            for (size_t i = 0; i < m; ++i) {
                const double share = p[i] / whole[i], rest = other[i] / whole[i];  // rest: 1 - share, no digits lost near 1
                p[i] = share;
                r[i] = label[i] == int64_t(k) ? weight[i] * rest : -weight[i] * share;
            }
            totals[k] += lane_sum(m, [=](size_t i) { return r[i]; });
        }
        for (size_t i = 0; i < m; ++i) own[i] = weight[i] * (log_above_1(whole[i]) + (top[i] - own[i]));
        loss += lane_sum(m, [&](size_t i) { return own[i]; });
    }
    return loss;
}

/// A column of class k times the curvature that couples it with every class: parts (classes, rows).
TAMIS_WIDE static void couple(const double* w, Matrix<const double> prob, size_t k, const double* column, double least,
                              Matrix<double> parts) {
    const size_t n = prob.n_columns;
    const double* own = prob[k];
    for (size_t other = 0; other < prob.n_rows; ++other) {
        double* out = parts[other];
        const double* p = prob[other];
        if (other == k)
            for (size_t i = 0; i < n; ++i) out[i] = w[i] * (own[i] * (1.0 - own[i]) + least) * column[i];
        else
            for (size_t i = 0; i < n; ++i) out[i] = -w[i] * own[i] * p[i] * column[i];
    }
}

/// sum w r ln r of one class, r its probability after the residual was shrunk.
TAMIS_WIDE static double class_conjugate(const double* w, const int64_t* y, int64_t k, const double* prob, double scale, size_t n) {
    return lane_sum(n, [=](size_t i) {
        const double one = y[i] == k ? 1.0 : 0.0;
        return w[i] * times_log(one - scale * (one - prob[i]));
    });
}

/// sum w p (1 - p)
TAMIS_WIDE static double class_curvature(const double* w, const double* prob, size_t n) {
    return lane_sum(n, [=](size_t i) { return w[i] * prob[i] * (1.0 - prob[i]); });
}

}  // namespace tamis
