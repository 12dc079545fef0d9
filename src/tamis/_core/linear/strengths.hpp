// The rows of ridge fits of several strengths at once, for Newton steps by conjugate gradients: residuals, curvatures, line search.
#pragma once
#include "prox_newton.hpp"

namespace tamis {

/// The fits of m strengths on n rows.
struct Strengths {
    Matrix<double> eta;        // (m, n) linear predictors
    Matrix<double> residual;   // (m, n)
    Matrix<double> curvature;  // (m, n) of the rows, times their weights
    Matrix<double> intercept;  // (m, 2) the intercept, the mean loss
};

/// Residuals and curvatures of some strengths at their linear predictors, the intercepts at their optimum.
template <class Loss>
void update_strengths(const Strengths& fits, std::span<const double> y, std::span<const double> w, const Loss& loss,
                      bool has_intercept, double tolerance, std::span<const int64_t> which) {
    const size_t n = y.size();
    for (const int64_t a : which) {
        double *eta = fits.eta[a], *residual = fits.residual[a];
        RowSums sums = loss.update(eta, y.data(), w.data(), residual, n);
        if (has_intercept)
            optimise_intercept(loss, y.data(), w.data(), n, tolerance, sums, eta, residual, fits.intercept[a][0]);
        fits.intercept[a][1] = sums.loss;
        loss.curvature(eta, y.data(), w.data(), kLeastCurvature, fits.curvature[a], n);
    }
}

/// Lengths of steps of the linear predictors, halved until the objective falls; the predictors follow. The penalty changes by
/// length * mixed + length^2 * square.
template <class Loss>
void search_strengths(const Strengths& fits, std::span<const double> y, std::span<const double> w, const Loss& loss,
                      std::span<const int64_t> which, Matrix<const double> move, std::span<const double> mixed,
                      std::span<const double> square, std::span<double> length) {
    const size_t n = y.size();
    std::vector<double> start(n);
    for (size_t k = 0; k < which.size(); ++k) {
        const int64_t a = which[k];
        double* eta = fits.eta[a];
        std::copy(eta, eta + n, start.begin());
        const double before = fits.intercept[a][1];
        length[k] = 1.0;
        for (int half = 0; half < 30; ++half) {
            for (size_t i = 0; i < n; ++i) eta[i] = start[i] + length[k] * move[k][i];
            const RowSums sums = loss.update(eta, y.data(), w.data(), fits.residual[a], n);
            const double change = length[k] * (mixed[k] + length[k] * square[k]);
            if (sums.loss + change <= before + 1e-14 * std::abs(before)) break;
            length[k] *= 0.5;
        }
    }
}

}  // namespace tamis
